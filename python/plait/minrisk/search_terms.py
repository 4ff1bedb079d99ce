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
        The n-grams, in words of the forest; None where nothing is looked for.
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
        self._absent = absent
        # By the first word: most n-grams begin with a word that a forest does not have.
        self._features: dict[str, list[tuple[Ngram, int]]] = {}
        for ngram, number in features:
            self._features.setdefault(ngram[0], []).append((ngram, number))

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
        """Return what is looked for in a forest; None for no losses.

        O(items + words of the file + n-grams that begin with a word of the forest).
        """
        is_wanted = thetas is not None or bool(self._features)
        if is_wanted and not forest.words and forest.edges:
            raise DataError(
                "n-grams are looked for in a forest without words; its file has no yields: give yields to its edges"
            )
        starts, items, ids = self._read(forest)
        terms: dict[tuple[int, ...], tuple[float, int]] = {}
        for ngram, theta in (thetas or {}).items():
            if (words := _numbers(ngram, ids)) is not None:
                terms[words] = (theta, -1)
        for word in ids:
            for ngram, number in self._features.get(word, ()):
                if (words := _numbers(ngram, ids)) is not None:
                    terms[words] = (terms.get(words, (0.0, -1))[0], number)
        rows = np.repeat(np.arange(forest.edges), np.diff(starts).astype(np.int64))
        return Wanted(
            _table(terms) if is_wanted else None,
            np.array([theta for theta, _ in terms.values()], np.float64),
            np.array([number for _, number in terms.values()], np.int64),
            Yields(starts, items),
            np.bincount(rows[items >= 0], minlength=forest.edges),
            thetas is not None,
        )

    def _read(self, forest: Forest) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int32], dict[str, int]]:
        """Return the yields without what is ignored, and the words that they have."""
        is_used = np.zeros(len(forest.words), np.bool_)
        is_used[forest.items[forest.items >= 0]] = True
        is_absent = np.zeros(len(forest.words), np.bool_)
        items = forest.items
        ids: dict[str, int] = {}
        for number in np.flatnonzero(is_used).tolist():
            word = forest.words[number]
            if word in self._absent:
                is_absent[number] = True
            elif ids.setdefault(word, number) != number:
                # Where a word is there twice, the first is meant.
                items = np.where(items == number, np.int32(ids[word]), items)
        return *items_without(forest.item_starts, items, is_absent), ids


def _numbers(ngram: Ngram, ids: Mapping[str, int]) -> tuple[int, ...] | None:
    """Return the words of an n-gram as numbers, if all are there."""
    words = tuple(ids.get(word, -1) for word in ngram)
    return None if -1 in words else words


def _table(terms: Mapping[tuple[int, ...], object]) -> NgramTable:
    starts = np.cumsum([0, *map(len, terms)], dtype=np.uint64)
    return starts, np.array([word for row in terms for word in row], np.int32)
