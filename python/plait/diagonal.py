r"""Model 2 with a fixed preference for the diagonal, as fast_align has it, over given translation probabilities.

A target word at j of m is linked to NULL with probability ``p0`` and to the source word at i of n with

.. math:: (1 - p_0) \exp(-\lambda |i/n - j/m|) / Z_j, \qquad i = 1 .. n

(Dyer, Chahuneau and Smith 2013, eq. 2). Nothing is trained here: the model aligns and scores new text with a
`plait.translation_table.TranslationTable`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plait.alignments import Alignments
from plait.bitext import MAX_LENGTH, Bitext
from plait.errors import ConfigError
from plait.translation_table import NULL, TranslationTable

__all__ = ["UNSEEN", "DiagonalModel", "Result"]

UNSEEN = 1e-9
"""The probability of a pair of words that the table does not have."""

# Bounds the memory: about 100 bytes each.
_CELLS_AT_A_TIME = 1 << 19

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Result:
    """What the model says about a text.

    Attributes
    ----------
    links
        The most probable link of each predicted word, unless it is NULL; written source-target. NULL, then the
        smallest position, wins ties.
    scores : float64 array, shape (m,)
        The natural logarithm of the probability of the predicted words of each pair given the others, and given the
        length. Finite: an empty side has no words to link to or to predict.
    """

    links: Alignments
    scores: Floats


@dataclass(frozen=True)
class DiagonalModel:
    """fast_align's model.

    Parameters
    ----------
    table
        Translation probabilities, t(target | source) or, with ``reverse``, t(source | target).
    tension
        Lambda of the diagonal; None for Model 1, where all positions are equally likely.
    p0
        The probability of NULL with a tension; Model 1 has 1 / (n + 1).
    has_null
        Whether there is a NULL word.
    reverse
        Whether source words are predicted.

    References
    ----------
    Dyer, Chahuneau and Smith (2013), A Simple, Fast, and Effective Reparameterization of IBM Model 2.
    """

    table: TranslationTable
    tension: float | None = 4.0
    p0: float = 0.08
    has_null: bool = True
    reverse: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.p0 < 1:
            raise ConfigError(name="p0", expected="from 0 to below 1", found=self.p0)
        if self.tension is not None and not (math.isfinite(self.tension) and self.tension >= 0):
            raise ConfigError(name="tension", expected="a number from 0 on", found=self.tension)

    def apply(self, bitext: Bitext) -> Result:
        """Align and score a text.

        Returns
        -------
        Result
            One entry for each pair. Pairs with a side of more than `plait.bitext.MAX_LENGTH` words get no links, and
            each of their words the probability `UNSEEN`.

        Notes
        -----
        Time is proportional to the sum over pairs of the product of both lengths, times the logarithm of the size of
        the table; memory does not grow with the lengths.
        """
        text = _Sides(bitext, self.table, reverse=self.reverse)
        scores = np.zeros(len(bitext))
        scores += np.where(text.is_long, text.lengths * math.log(UNSEEN), 0.0)
        best = np.full(len(text.ids), -1, dtype=np.int64)
        for tokens in text.stretches():
            pairs = text.pairs[tokens]
            totals, best[tokens] = self._columns(text, tokens, pairs)
            np.add.at(scores, pairs, np.log(totals))
        linked = np.flatnonzero(best >= 0)
        columns = [best[linked], linked - text.offsets[text.pairs[linked]]]
        offsets = np.concatenate([[0], np.cumsum(np.bincount(text.pairs[linked], minlength=len(bitext)))])
        # By predicted position within a pair; the constructor wants them sorted by source, then target.
        links = np.stack(columns[::-1] if self.reverse else columns, axis=1)
        order = np.lexsort((links[:, 1], links[:, 0], text.pairs[linked]))
        return Result(Alignments(links[order], offsets.astype(np.uint64)), scores)

    def _columns(self, text: _Sides, tokens: Integers, pairs: Integers) -> tuple[Floats, Integers]:
        """Return the sum over the candidates of each predicted token, and the best position or -1 for NULL."""
        widths = text.given_lengths[pairs] + 1
        ends = np.cumsum(widths)
        starts = ends - widths
        row = np.repeat(np.arange(len(tokens)), widths)
        # 0 is NULL, which every token has as a candidate, so that none is without.
        i = np.arange(int(ends[-1])) - starts[row]
        n, m = text.given_lengths[pairs][row], text.lengths[pairs][row]
        is_null = i == 0
        given = np.where(
            is_null, text.null, text.given_ids[np.where(is_null, 0, text.given_offsets[pairs][row] + i - 1)]
        )
        j = (tokens - text.offsets[pairs] + 1)[row]
        with np.errstate(invalid="ignore", divide="ignore"):
            prior = self._prior(i, j, n, m, is_null, starts)
        cells = self.table.lookup(given, text.ids[tokens][row], UNSEEN) * prior
        totals = np.add.reduceat(cells, starts)
        is_best = np.flatnonzero(cells == np.maximum.reduceat(cells, starts)[row])
        _, first = np.unique(row[is_best], return_index=True)
        # Without a source word and without NULL there is nothing to come from.
        return np.where(totals > 0, totals, UNSEEN), i[is_best[first]] - 1

    def _prior(
        self, i: Integers, j: Integers, n: Integers, m: Integers, is_null: npt.NDArray[np.bool_], starts: Integers
    ) -> Floats:
        """Return the probability of each candidate before the words are seen."""
        if self.tension is None:
            uniform: Floats = 1.0 / np.maximum(n + (1 if self.has_null else 0), 1)
            return np.where(is_null, uniform if self.has_null else 0.0, uniform)
        shape = np.where(is_null, 0.0, np.exp(-self.tension * np.abs(i / np.maximum(n, 1) - j / m)))
        row = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(i))))
        z = np.add.reduceat(shape, starts)[row]
        return np.where(is_null, self.p0 if self.has_null else 0.0, (1 - self.p0) * shape / np.where(z > 0, z, 1.0))


class _Sides:
    """The predicted and the given side of a text, with the ids of the table."""

    def __init__(self, bitext: Bitext, table: TranslationTable, *, reverse: bool) -> None:
        source = bitext.source_ids, bitext.source_offsets, bitext.source_vocabulary
        target = bitext.target_ids, bitext.target_offsets, bitext.target_vocabulary
        given, predicted = (target, source) if reverse else (source, target)
        self.given_ids = _renumbered(given[0], given[2], table.given_ids)
        self.ids = _renumbered(predicted[0], predicted[2], table.predicted_ids)
        if not len(self.given_ids):
            # Something to look at where there is only NULL.
            self.given_ids = np.array([-1], dtype=np.int64)
        self.null = table.given_ids.get(NULL, -1)
        self.given_offsets, self.offsets = given[1].astype(np.int64), predicted[1].astype(np.int64)
        self.given_lengths, self.lengths = np.diff(self.given_offsets), np.diff(self.offsets)
        self.is_long = np.maximum(self.given_lengths, self.lengths) > MAX_LENGTH
        self.pairs = np.repeat(np.arange(len(bitext)), self.lengths)

    def stretches(self) -> Iterator[Integers]:
        """Yield predicted tokens, so many that their candidates fit into memory."""
        tokens = np.flatnonzero(~self.is_long[self.pairs])
        ends = np.cumsum(self.given_lengths[self.pairs[tokens]] + 1)
        start = 0
        while start < len(tokens):
            before = ends[start - 1] if start else 0
            stop = max(int(np.searchsorted(ends, before + _CELLS_AT_A_TIME, side="right")), start + 1)
            yield tokens[start:stop]
            start = stop


def _renumbered(ids: npt.NDArray[np.uint32], words: tuple[str, ...], known: dict[str, int]) -> Integers:
    """Return the table's ids of tokens; -1 for words that it does not have."""
    table = np.array([known.get(word, -1) for word in words], dtype=np.int64)
    return table[ids] if len(ids) else np.zeros(0, dtype=np.int64)
