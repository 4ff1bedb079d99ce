"""The linear approximation of BLEU, a gain that adds over the edges of a forest."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from plait.errors import ConfigError, DataError
from plait.minrisk.bleu import Line, line_text

__all__ = ["LinearBleu", "words_of"]

Ngram = tuple[str, ...]


@dataclass(frozen=True)
class LinearBleu:
    """Linear BLEU (Tromble et al. 2008; Li and Eisner 2009, eq. 8); frozen.

    The gain of a hypothesis y is ``theta_0 |y| + sum_w theta_|w| #_w(y)``, over the n-grams w that some reference has:
    with ``|y|`` words, and ``#_w(y)`` times w in y. The loss is the gain with the other sign. Nothing is clipped: an
    n-gram counts as often as y has it.

    Parameters
    ----------
    thetas : sequence of float
        ``theta_0, theta_1, ..., theta_N``: of a word, and of an n-gram of each order that a reference has. Finite.

    Raises
    ------
    ConfigError
        There are fewer than two, or one is not finite.

    Examples
    --------
    >>> from plait.minrisk import LinearBleu
    >>> gain = LinearBleu([-1.0, 1.0, 2.0])
    >>> gain.gain("the cat sat", ["the cat", "a dog"])  # three words; "the", "cat"; "the cat"
    1.0
    """

    thetas: Sequence[float]

    def __post_init__(self) -> None:
        thetas = tuple(float(theta) for theta in self.thetas)
        if len(thetas) < 2 or not all(map(math.isfinite, thetas)):
            raise ConfigError(
                name="thetas", expected="finite: one of a word, then one of each order of n-grams", found=self.thetas
            )
        object.__setattr__(self, "thetas", thetas)

    @classmethod
    def from_precisions(cls, unigram_precision: float, ratio: float, tokens: float, *, order: int = 4) -> Self:
        """Return the approximation of BLEU for the precisions that a system has.

        Parameters
        ----------
        unigram_precision : float
            p, the share of words that are in a reference, above 0 and at most 1.
        ratio : float
            r, the precision of each order over that of the one below, above 0 and at most 1.
        tokens : float
            T, the words of the corpus, above 0. It scales all thetas alike.
        order : int
            N, the most words of an n-gram.

        Returns
        -------
        LinearBleu
            ``theta_0 = -1 / T`` and ``theta_n = 1 / (N T p r^(n - 1))``.

        Raises
        ------
        ConfigError
            An argument is out of range.

        Notes
        -----
        Tromble et al. (2008), section 3: what a segment adds to ln BLEU of a corpus, to first order, where the
        corpus is long and its n-gram precisions are p r^(n - 1).

        Examples
        --------
        >>> LinearBleu.from_precisions(0.85, 0.7, 10).thetas[:2]
        (-0.1, 0.029411764705882353)
        """
        for name, value in (("unigram_precision", unigram_precision), ("ratio", ratio)):
            if not 0 < value <= 1:
                raise ConfigError(name=name, expected="above 0 and at most 1", found=value)
        return cls._fitted(unigram_precision, ratio, tokens, order)

    @classmethod
    def from_statistics(cls, statistics: npt.ArrayLike) -> Self:
        """Return the approximation of BLEU around a baseline.

        Parameters
        ----------
        statistics : array_like of int, shape (segments, 2 order + 1) or (2 order + 1,)
            Of the baseline's translations, as `bleu_statistics` makes them; rows are summed.

        Returns
        -------
        LinearBleu
            As `from_precisions` for the words of the baseline, and the p and r whose line ``ln p + (n - 1) ln r`` is
            closest to the logarithms of the measured precisions, by least squares over the orders that have matches.

        Raises
        ------
        DataError
            Fewer than two orders have matches, or these are no statistics.

        Examples
        --------
        >>> found = LinearBleu.from_statistics([80, 100, 45, 90, 20, 80, 10, 70, 100])
        >>> [round(100 * theta, 3) for theta in found.thetas]
        [-1.0, 0.3, 0.539, 0.969, 1.742]
        """
        rows = np.asarray(statistics)
        if rows.ndim not in (1, 2) or rows.dtype.kind not in "iuf" or rows.shape[-1] < 3 or rows.shape[-1] % 2 == 0:
            raise DataError(f"statistics must be rows of 2 order + 1 numbers; found shape {rows.shape}")
        total = rows.reshape(-1, rows.shape[-1]).sum(axis=0).astype(np.float64)
        matches, counts = total[:-1:2], total[1::2]
        orders = np.flatnonzero((matches > 0) & (counts > 0))
        if len(orders) < 2:
            raise DataError(
                "linear BLEU needs the precisions of two orders at least; the baseline has n-grams in common with its "
                f"references of {len(orders)}: check that they are of the same segments, or give p and r yourself"
            )
        slope, intercept = np.polyfit(orders.astype(np.float64), np.log(matches[orders] / counts[orders]), 1)
        return cls._fitted(math.exp(intercept), math.exp(slope), float(counts[0]), len(matches))

    @classmethod
    def _fitted(cls, precision: float, ratio: float, tokens: float, order: int) -> Self:
        if not 0 < tokens < math.inf:
            raise ConfigError(name="tokens", expected="finite and above 0", found=tokens)
        if order < 1:
            raise ConfigError(name="order", expected="at least 1", found=order)
        return cls([-1 / tokens, *(1 / (order * tokens * precision * ratio**n) for n in range(order))])

    @property
    def order(self) -> int:
        """The most words of an n-gram."""
        return len(self.thetas) - 1

    def ngrams(self, references: Iterable[Line]) -> dict[Ngram, float]:
        """Return the n-grams of the references with their thetas, each once, in order of first occurrence."""
        found: dict[Ngram, float] = {}
        for number, line in enumerate(references):
            words = words_of(line, "reference", number)
            for n in range(1, self.order + 1):
                theta = self.thetas[n]
                found |= {tuple(words[i : i + n]): theta for i in range(len(words) - n + 1)}
        return found

    def gain(self, hypothesis: Line, references: Iterable[Line]) -> float:
        """Return the gain of a tokenised hypothesis; O(order words)."""
        words = words_of(hypothesis, "hypothesis", 0)
        thetas = self.ngrams(references)
        spans = ((i, i + n) for n in range(1, self.order + 1) for i in range(len(words) - n + 1))
        return self.thetas[0] * len(words) + math.fsum(thetas.get(tuple(words[i:j]), 0.0) for i, j in spans)

    def loss(self, hypothesis: Line, references: Iterable[Line]) -> float:
        """Return the loss of a tokenised hypothesis: minus its gain."""
        return -self.gain(hypothesis, references)


def words_of(line: Line, what: str, number: int) -> list[str]:
    """Return the words of a line: what stands between ASCII spaces and tabs."""
    return [word for word in line_text(line, what, number).replace("\t", " ").split(" ") if word]
