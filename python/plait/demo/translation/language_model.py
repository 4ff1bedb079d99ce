"""A small bigram model of target sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Self

import numpy as np
import numpy.typing as npt

__all__ = ["BigramModel"]

_START, _END = "<s>", "</s>"


@dataclass(frozen=True, eq=False)
class BigramModel:
    """Probabilities of a word after another one, by absolute discounting, interpolated with those of single words.

    p(w | v) = max(c(v, w) - d, 0) / c(v) + d n(v) / c(v) p(w), where n(v) is the number of words seen after v, and
    p(w) is discounted in the same way and interpolated with 1 / (words + 1): one share is that of all words never
    seen. Small on purpose: it is there for a demonstration, with one discount d = n1 / (n1 + 2 n2), where n1 and n2
    are the numbers of pairs seen once and twice. It is no model of the modified Kneser-Ney kind.

    Attributes
    ----------
    words : dict of str to int
        The id of each word of the training text, of the start and of the end of a sentence.
    unigrams : ndarray of float64, shape (words + 1,)
        p(w); the last is that of a word never seen.
    keys : ndarray of int64
        The pairs that were seen, as v * (words + 1) + w; rising.
    shares : ndarray of float64
        max(c(v, w) - d, 0) / c(v) of each.
    backoffs : ndarray of float64, shape (words + 1,)
        d n(v) / c(v); 1 for a word that was never seen before another.

    References
    ----------
    Ney, Essen and Kneser (1994), On Structuring Probabilistic Dependences in Stochastic Language Modelling.

    Examples
    --------
    >>> from plait.demo.translation import BigramModel
    >>> model = BigramModel.learn([["das", "Haus"], ["das", "Buch"], ["ein", "Haus"]])
    >>> bool(model.matrix(["das"], ["Haus"]) > model.matrix(["das"], ["ein"]))
    True
    """

    words: dict[str, int] = field(repr=False)
    unigrams: npt.NDArray[np.float64] = field(repr=False)
    keys: npt.NDArray[np.int64] = field(repr=False)
    shares: npt.NDArray[np.float64] = field(repr=False)
    backoffs: npt.NDArray[np.float64] = field(repr=False)

    @classmethod
    def learn(cls, sentences: Sequence[Sequence[str]]) -> Self:
        """Learn the model from sentences; O(n log n) in their words."""
        words: dict[str, int] = {_START: 0, _END: 1}
        pairs: Counter[tuple[int, int]] = Counter()
        for sentence in sentences:
            ids = [0, *(words.setdefault(word, len(words)) for word in sentence), 1]
            pairs.update(pairwise(ids))
        size = len(words) + 1
        keys = np.array(sorted(v * size + w for v, w in pairs), np.int64)
        counts = np.array([pairs[divmod(key, size)] for key in keys.tolist()], np.float64)
        discount = _discount(counts)
        before, after = np.divmod(keys, size)
        totals = np.bincount(before, counts, size)
        seen = np.maximum(totals, 1.0)
        followers = np.bincount(before, minlength=size)
        return cls(
            words,
            _unigrams(np.bincount(after, counts, size).astype(np.float64, copy=False)),
            keys,
            (counts - discount) / seen[before],
            np.where(totals > 0, discount * followers / seen, 1.0),
        )

    def ids(self, words: Sequence[str]) -> npt.NDArray[np.int64]:
        """Return the id of each word; words never seen share the last one."""
        unknown = len(self.words)
        return np.array([self.words.get(word, unknown) for word in words], np.int64)

    def matrix(self, before: Sequence[str], after: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return ln p(w | v) for each v of ``before`` and w of ``after``; float64, shape (before, after)."""
        return self.log_probabilities(self.ids(before)[:, None], self.ids(after)[None, :])

    def starts(self, words: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return ln p(w | start of sentence) of each word."""
        return self.matrix([_START], words).ravel()

    def ends(self, words: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return ln p(end of sentence | v) of each word."""
        return self.matrix(words, [_END]).ravel()

    def alone(self, words: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return ln p(w) of each word."""
        found: npt.NDArray[np.float64] = np.log(self.unigrams[self.ids(words)])
        return found

    def log_probabilities(self, before: npt.NDArray[np.int64], after: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Return ln p(after | before) of ids that broadcast to one shape; O(log pairs) each."""
        keys = before * (len(self.words) + 1) + after
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        shares = np.where(self.keys[places] == keys, self.shares[places], 0.0)
        found: npt.NDArray[np.float64] = np.log(shares + self.backoffs[before] * self.unigrams[after])
        return found


def _discount(counts: npt.NDArray[np.float64]) -> float:
    """Return n1 / (n1 + 2 n2), or 0.5 where the counts do not say."""
    once, twice = int((counts == 1).sum()), int((counts == 2).sum())
    return once / (once + 2 * twice) if once and twice else 0.5


def _unigrams(counts: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return p(w) of each word that can follow another one, and of an unseen word."""
    total, types = counts.sum(), int((counts > 0).sum())
    discount = _discount(counts)
    rest = discount * types / total / (types + 1)
    found: npt.NDArray[np.float64] = np.where(counts > 0, (counts - discount) / total, 0.0)
    found += rest
    found[0] = np.finfo(np.float64).tiny  # the start of a sentence follows nothing
    return found
