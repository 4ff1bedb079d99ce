"""Which n-grams are looked for in a forest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plait.errors import DataError
from plait.hypergraph.forest import Forest
from plait.hypergraph.ngram_matches import NgramTable
from plait.hypergraph.yields import Yields
from plait.minrisk.bleu import Line
from plait.minrisk.ignored_words import items_without
from plait.minrisk.linear_bleu import Ngram, words_of

__all__ = ["SearchTerms", "Wanted"]


@dataclass(frozen=True, eq=False)
class Wanted:
    """The n-grams that are looked for in one forest, and what they are worth; frozen.

    Attributes
    ----------
    table
        The n-grams, in words of the forest; None where nothing can be found.
    thetas : ndarray of float64, shape (n-grams,)
        The gain of each; 0 of those that no reference has.
    features : ndarray of int64, shape (n-grams,)
        The number of the feature that each is; -1 if it is none.
    yields : Yields
        The yields of the forest without the words that are ignored.
    lengths : ndarray of int64, shape (edges,)
        How many words each edge adds.
    has_references : bool
        Whether losses are asked for.
    """

    table: NgramTable | None
    thetas: npt.NDArray[np.float64]
    features: npt.NDArray[np.int64]
    yields: Yields
    lengths: npt.NDArray[np.int64]
    has_references: bool


class SearchTerms:
    """The n-grams that are features, and the words that are ignored, in the words of one forest after the other.

    Parameters
    ----------
    features : sequence of (n-gram, int)
        N-grams with the numbers of their features.
    absent : frozenset of str
        Words that are ignored.
    """

    def __init__(self, features: Sequence[tuple[Ngram, int]], absent: frozenset[str]) -> None:
        kept = [(ngram, number) for ngram, number in features if absent.isdisjoint(ngram)]
        self._ngrams = [ngram for ngram, _ in kept]
        self._numbers = np.array([number for _, number in kept], np.int64)
        self._absent = absent
        self._words: tuple[str, ...] | None = None

    def checked(self, references: Sequence[Line]) -> list[list[str]]:
        """Return the words of references, without those that are ignored."""
        lines = [words_of(line, "reference", n) for n, line in enumerate(references)]
        if not lines:
            raise DataError("there are no references; give at least one, or None for a forest without losses")
        for n, words in enumerate(lines):
            if not words:
                raise DataError(f"reference {n} (from 0) has no words; leave it out")
        return [[word for word in words if word not in self._absent] for words in lines]

    def of(self, forest: Forest, thetas: Mapping[Ngram, float] | None) -> Wanted:
        """Return what is looked for in a forest.

        O(words of the forest + n-grams), and the number of all words for the first forest of a file.
        """
        self._read(forest.words)
        items, starts = self._items(forest)
        is_word = items >= 0
        rows = np.repeat(np.arange(forest.edges), np.diff(starts).astype(np.int64))
        lengths = np.bincount(rows[is_word], minlength=forest.edges)
        if (thetas or self._ngrams) and not forest.words and forest.edges:
            raise DataError(
                "n-grams are looked for in a forest without words; its file has no yields: give yields to its edges"
            )
        missing, filler = self._more
        is_used = np.zeros(filler + 1, np.bool_)
        is_used[items[is_word]] = True
        is_used[filler] = True
        terms: dict[tuple[int, ...], tuple[float, int]] = {}
        for ngram, theta in (thetas or {}).items():
            ids = tuple(self._ids.get(word, missing) for word in ngram)
            if all(is_used[n] for n in ids):
                terms[ids] = (theta, -1)
        found = np.flatnonzero(is_used[self._table].all(axis=1))
        for n in found.tolist():
            ids = self._rows[n]
            theta, _ = terms.get(ids, (0.0, -1))
            terms[ids] = (theta, int(self._numbers[n]))
        return Wanted(
            _table(terms) if terms else None,
            np.array([theta for theta, _ in terms.values()], np.float64),
            np.array([number for _, number in terms.values()], np.int64),
            Yields(starts, items),
            lengths,
            thetas is not None,
        )

    def _read(self, words: tuple[str, ...]) -> None:
        """Take up the words of a forest: those of a file share theirs."""
        if words is self._words:
            return
        self._words = words
        self._ids: dict[str, int] = {}
        first = [self._ids.setdefault(word, n) for n, word in enumerate(words)]
        # Where a word is there twice, the first is meant.
        self._first = None if len(self._ids) == len(words) else np.array(first, np.int32)
        self._is_absent = np.fromiter((word in self._absent for word in words), np.bool_, len(words))
        # Two more numbers: a word that the forest does not have, and one that fills up short n-grams.
        self._more = missing, filler = len(words), len(words) + 1
        self._rows = [tuple(self._ids.get(word, missing) for word in ngram) for ngram in self._ngrams]
        width = max(map(len, self._rows), default=1)
        self._table = np.full((len(self._rows), width), filler, np.int64)
        for n, row in enumerate(self._rows):
            self._table[n, : len(row)] = row

    def _items(self, forest: Forest) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint64]]:
        items = forest.items
        is_word = items >= 0
        if self._first is not None:
            items = items.copy()
            items[is_word] = self._first[items[is_word]]
        starts, items = items_without(forest.item_starts, items, self._is_absent)
        return items, starts


def _table(terms: Mapping[tuple[int, ...], object]) -> NgramTable:
    starts = np.cumsum([0, *map(len, terms)], dtype=np.uint64)
    return starts, np.array([word for row in terms for word in row], np.int32)
