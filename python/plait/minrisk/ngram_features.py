"""N-grams of the target language as features of edges."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self
from urllib.parse import unquote

import numpy as np
import numpy.typing as npt

from plait.errors import ConfigError, DataError
from plait.hypergraph.distribution import Distribution
from plait.hypergraph.forest import Forest
from plait.hypergraph.intersect import with_ngrams
from plait.hypergraph.ngram_matches import DEFAULT_LIMIT
from plait.hypergraph.yields import Yields
from plait.minrisk.bleu import Line
from plait.minrisk.ignored_words import items_without
from plait.minrisk.linear_bleu import Ngram, words_of

__all__ = ["PREFIX", "NgramFeatures", "yields_without"]

PREFIX = "ngram:"
"""What the names of features of n-grams begin with."""

# Whatever a file of weights could cut a name at, and what has a meaning in a name.
_ESCAPED = re.compile(r"[\s\x00-\x1f\x7f%_]")


@dataclass(frozen=True)
class NgramFeatures:
    """A selection of n-grams, each a feature: its value on an edge is how often the edge completes it; frozen.

    The value of a derivation is then how often its yield has the n-gram (Li and Eisner 2009, section 7.2: 21,000 target
    unigrams and bigrams).

    Parameters
    ----------
    ngrams : sequence of sequences of str
        The words of each; the numbers of the features are those of `plait.minrisk.FeatureIndex`, by `names`.

    Raises
    ------
    DataError
        An n-gram has no words, or is there twice.

    Examples
    --------
    >>> from plait.minrisk import NgramFeatures
    >>> NgramFeatures.from_texts(["the cat sat", "the cat"], minimum=2).names
    ('ngram:cat', 'ngram:the', 'ngram:the_cat')
    """

    ngrams: tuple[Ngram, ...]

    def __post_init__(self) -> None:
        ngrams = tuple(tuple(ngram) for ngram in self.ngrams)
        object.__setattr__(self, "ngrams", ngrams)
        if () in ngrams:
            raise DataError(f"n-gram {ngrams.index(())} (from 0) must have at least one word")
        if len(set(ngrams)) != len(ngrams):
            twice = Counter(ngrams).most_common(1)[0][0]
            raise DataError(f"the n-gram {' '.join(twice)!r} must not be there twice")

    def __len__(self) -> int:
        return len(self.ngrams)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The name of each: ``ngram:`` and the words between ``_``.

        Space of any kind, control characters, ``_`` and ``%`` in a word are written as ``%`` and their bytes in UTF-8,
        so that different n-grams have different names, and no file of weights cuts one.
        """
        return tuple(PREFIX + "_".join(_ESCAPED.sub(_escape, word) for word in ngram) for ngram in self.ngrams)

    @classmethod
    def from_names(cls, names: Iterable[str]) -> Self:
        """Return the n-grams of those names that are `names` of n-grams, such as the names in a file of weights."""
        found = (name.removeprefix(PREFIX) for name in names if name.startswith(PREFIX))
        return cls(tuple(tuple(unquote(word) for word in name.split("_")) for name in found))

    @classmethod
    def from_texts(
        cls, lines: Iterable[Line], *, orders: Sequence[int] = (1, 2), minimum: int = 1, top: int | None = None
    ) -> Self:
        """Select the n-grams that stand most often in some text, such as references or the target side of a corpus.

        Parameters
        ----------
        lines : iterable of str or sequence of str
            Tokenised; words are what stands between ASCII spaces and tabs.
        orders : sequence of int
            The numbers of words that n-grams have.
        minimum : int
            How often one stands in the text at least.
        top : int, optional
            The most that are selected: those that stand there most often. All by default.

        Returns
        -------
        NgramFeatures
            The most frequent first; of those that are as frequent, those with fewer words, then by their words.

        Raises
        ------
        ConfigError
            An option is out of range.
        """
        sizes = _orders(orders)
        counts: Counter[Ngram] = Counter()
        for number, line in enumerate(lines):
            words = words_of(line, "line", number)
            counts.update(tuple(words[i : i + n]) for n in sizes for i in range(len(words) - n + 1))
        return cls(_selected(counts, minimum, top))

    @classmethod
    def from_forests(
        cls,
        forests: Iterable[Forest],
        *,
        orders: Sequence[int] = (1, 2),
        minimum: float = 1,
        top: int | None = None,
        weights: npt.ArrayLike | Mapping[str, float] | None = None,
        ignore: Iterable[str] = (),
        limit: int = DEFAULT_LIMIT,
    ) -> Self:
        """Select n-grams that the yields of forests have.

        Parameters
        ----------
        forests : iterable of Forest
            Acyclic. Gone through once.
        orders, minimum, top
            As for `from_texts`. Without ``weights`` the count of an n-gram is the number of forests that have it in the
            yield of some derivation.
        weights : array_like or mapping, optional
            Weights of features, as for `plait.hypergraph.Forest.scores`. The count of an n-gram is then how often
            yields are expected to have it under these weights, summed over forests.
        ignore : iterable of str
            Words that are not there, such as ``<s>``.
        limit : int
            The most edges of a forest whose n-grams are told apart.

        Returns
        -------
        NgramFeatures

        Raises
        ------
        CycleError, DataError
            A forest cannot be used.
        ResourceError
            The limit is reached: prune first, or raise it.
        ConfigError
            An option is out of range.
        """
        sizes = _orders(orders)
        counts: defaultdict[Ngram, float] = defaultdict(float)
        absent = frozenset(ignore)
        for forest in forests:
            found = with_ngrams(forest.graph, yields_without(forest, absent), max(sizes), limit=limit)
            amounts = np.ones(len(found.table[0]) - 1)
            if weights is not None:
                distribution = Distribution(found.graph, forest.scores(weights)[found.edges])
                uses = distribution.edge_posteriors if distribution.log_z > -np.inf else np.zeros(found.graph.edges)
                sums = np.bincount(found.ngrams, weights=uses[found.rows()], minlength=len(amounts))
                amounts = sums.astype(np.float64, copy=False)
            for ngram, amount in zip(found.words(), amounts.tolist(), strict=True):
                if len(ngram) in sizes:
                    counts[tuple(forest.words[word] for word in ngram)] += amount
        return cls(_selected(counts, minimum, top))


def yields_without(forest: Forest, absent: frozenset[str]) -> Yields:
    """Return the yields of a forest without some words."""
    is_absent = np.fromiter((word in absent for word in forest.words), np.bool_, len(forest.words))
    return Yields(*items_without(forest.item_starts, forest.items, is_absent))


def _escape(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode())


def _orders(orders: Sequence[int]) -> frozenset[int]:
    if not orders or min(orders) < 1:
        raise ConfigError(name="orders", expected="numbers of words, at least 1", found=orders)
    return frozenset(orders)


def _selected(counts: Mapping[Ngram, float], minimum: float, top: int | None) -> tuple[Ngram, ...]:
    if top is not None and top < 0:
        raise ConfigError(name="top", expected="at least 0", found=top)
    order = sorted((-count, len(ngram), ngram) for ngram, count in counts.items() if count >= minimum)
    return tuple(ngram for _, _, ngram in order[:top])
