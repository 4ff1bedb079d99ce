"""Weights of several systems: the exact best ones on a line, and a search over lines.

With weights that move along a line, the probability of each candidate is a linear function of the place on it. The
order of a word's candidates, and with it every measure, changes only where two of these functions cross. So the
measure is a step function whose steps are known, and its largest value is found exactly, with lists made once.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from plait.errors import ConfigError, DataError
from plait.metrics.transliteration import MEASURES, f_score
from plait.translit.candidates import Candidate
from plait.translit.mixture import mixture

__all__ = ["GOALS", "Curve", "Measure", "Pool", "Tuned", "line", "tune"]

Measure = Literal["acc", "f_score", "mrr", "map_ref", "likelihood"]
GOALS = (*MEASURES, "likelihood")
"""What weights can be chosen by."""

# What sums of measures may be off by.
_SLACK = 1e-9

# Of places on a line.
_DECIMALS = 12


@dataclass(frozen=True, eq=False)
class Pool:
    """The candidates of several systems, put together.

    Attributes
    ----------
    starts : int64[words + 1]
        Candidates of word ``w`` are rows ``starts[w]`` to ``starts[w + 1]``.
    words : int64[rows]
        The word of each row.
    targets : list of str
        The target of each row; those of a word are distinct.
    probabilities : float64[rows, systems]
        What each system gives the target; 0 where its list lacks it, unless it was asked.
    listed : bool[rows, systems]
        Whether the system's list has the target.
    """

    starts: npt.NDArray[np.int64]
    words: npt.NDArray[np.int64]
    targets: list[str]
    probabilities: npt.NDArray[np.float64]
    listed: npt.NDArray[np.bool_]

    @classmethod
    def from_lists(cls, lists: Sequence[Sequence[Sequence[Candidate]]]) -> Pool:
        """Put together the lists of several systems for the same words: by system, word, rank."""
        counts = {len(own) for own in lists}
        if len(counts) != 1:
            raise DataError(f"systems have lists for different numbers of words: {sorted(counts)}; give the same words")
        starts = [0]
        targets: list[str] = []
        rows: list[list[float]] = []
        for of_word in zip(*lists, strict=True):
            found: dict[str, list[float]] = {}
            for system, candidates in enumerate(of_word):
                for target, probability in candidates:
                    found.setdefault(target, [np.nan] * len(lists))[system] = probability
            targets += found
            rows += found.values()
            starts.append(len(targets))
        matrix = np.asarray(rows, dtype=np.float64).reshape(len(rows), len(lists))
        offsets = np.asarray(starts, dtype=np.int64)
        words = np.repeat(np.arange(len(starts) - 1), np.diff(offsets))
        return cls(offsets, words, targets, np.nan_to_num(matrix, nan=0.0), ~np.isnan(matrix))

    def ranked(self, weights: Sequence[float], n: int) -> list[list[Candidate]]:
        """Return the n best candidates of each word under these weights; of equal ones those of the earlier system."""
        totals = self.probabilities @ np.asarray(weights, dtype=np.float64)
        order = np.lexsort((np.arange(len(totals)), -totals, self.words)).tolist()
        targets, values = self.targets, totals.tolist()
        lists = []
        for start, stop in itertools.pairwise(self.starts.tolist()):
            rows = order[start : min(stop, start + n)]
            lists.append([Candidate(targets[row], values[row]) for row in rows])
        return lists


@dataclass(frozen=True, eq=False)
class Curve:
    """A measure along a line of weights: a step function.

    Attributes
    ----------
    places : float64[steps + 1]
        From 0 to 1: between ``places[k]`` and ``places[k + 1]`` the measure is ``values[k]``.
    values : float64[steps]
        The mean of the measure over the words.
    """

    places: npt.NDArray[np.float64]
    values: npt.NDArray[np.float64]

    def best(self) -> tuple[float, float]:
        """Return the middle of the widest part where the measure is largest, and the measure."""
        largest = float(self.values.max())
        is_best = self.values >= largest - _SLACK
        # Neighbouring steps of equal value are one part.
        edges = np.flatnonzero(np.diff(np.concatenate([[False], is_best, [False]]).astype(np.int8)))
        first, last = self.places[edges[::2]], self.places[edges[1::2]]
        widest = int(np.argmax(last - first))
        return float(first[widest] + last[widest]) / 2, largest


@dataclass(frozen=True)
class Tuned:
    """Weights and what they reach.

    Attributes
    ----------
    weights : tuple of float
        One for each system; they sum to 1.
    value : float
        The measure with them.
    """

    weights: tuple[float, ...]
    value: float


def tune(
    pool: Pool,
    references: Sequence[Sequence[str]],
    *,
    measure: Measure = "acc",
    split: Callable[[str], Sequence[str]] = list,
) -> Tuned:
    """Return the weights of systems that make a measure largest.

    Parameters
    ----------
    pool
        Candidates of all systems for words of a development set.
    references
        For each word its right targets.
    measure
        "acc", "f_score", "mrr" or "map_ref"; or "likelihood": how probable right targets are, with a prior that draws
        weights together, see `plait.translit.mixture.mixture`. It suits three systems or more, and few words.
    split
        Makes symbols of a target, for the F-score.

    Notes
    -----
    Of the likelihood the maximum is the only one. Of the others, with two systems the weights are exactly the best;
    with more, lines from the weights so far to each single system are searched in turn, each exactly, until none helps:
    the result may be a local maximum. Time is that of some twenty crossings of lines for each word.
    """
    systems = pool.probabilities.shape[1]
    if measure == "likelihood":
        chosen, mean = mixture(_of_right_targets(pool, references))
        return Tuned(tuple(chosen.tolist()), mean)
    judge = _Judge(pool, references, measure, split)
    if systems == 2:
        place, value = judge.curve(pool.probabilities[:, 0], pool.probabilities[:, 1]).best()
        return Tuned((place, 1 - place), value)
    weights = np.full(systems, 1 / systems)
    best = judge.value(pool.probabilities @ weights)
    has_risen = True
    while has_risen:
        has_risen = False
        for system in range(systems):
            others = weights.copy()
            others[system] = 0
            if others.sum() <= 0:
                others[:] = 1
                others[system] = 0
            others /= others.sum()
            place, value = judge.curve(pool.probabilities[:, system], pool.probabilities @ others).best()
            if value > best + _SLACK:
                weights = others * (1 - place)
                weights[system] += place
                best, has_risen = value, True
    return Tuned(tuple(weights.tolist()), best)


def line(
    pool: Pool,
    references: Sequence[Sequence[str]],
    *,
    measure: Measure = "acc",
    split: Callable[[str], Sequence[str]] = list,
) -> Curve:
    """Return a measure of two systems for all weights of the first from 0 to 1."""
    if pool.probabilities.shape[1] != 2:
        raise ConfigError(name="systems", expected="two", found=pool.probabilities.shape[1])
    return _Judge(pool, references, measure, split).curve(pool.probabilities[:, 0], pool.probabilities[:, 1])


def _of_right_targets(pool: Pool, references: Sequence[Sequence[str]]) -> npt.NDArray[np.float64]:
    """Return the probability that each system gives the references of each word: float64[words, systems]."""
    rights = [set(own) for own in _checked(pool, references)]
    is_right = [target in rights[word] for word, target in zip(pool.words.tolist(), pool.targets, strict=True)]
    found = np.zeros((len(rights), pool.probabilities.shape[1]))
    np.add.at(found, pool.words[is_right], pool.probabilities[is_right])
    return found


def _checked(pool: Pool, references: Sequence[Sequence[str]]) -> Sequence[Sequence[str]]:
    """Return references if each word of the pool has some."""
    words = len(pool.starts) - 1
    if len(references) != words or not words:
        raise DataError(
            f"there are lists for {words} words but references for {len(references)}; give as many, one or more"
        )
    for word, own in enumerate(references, 1):
        if not own:
            raise DataError(f"word {word} has no reference; give one or more of each")
    return references


class _Judge:
    """Measures words for many orders of their candidates."""

    def __init__(
        self,
        pool: Pool,
        references: Sequence[Sequence[str]],
        measure: Measure,
        split: Callable[[str], Sequence[str]],
    ) -> None:
        if measure not in MEASURES:
            raise ConfigError(name="measure", expected=f"one of {', '.join(MEASURES)}", found=repr(measure))
        self._measure = measure
        self._bounds = pool.starts.tolist()
        rights = [set(own) for own in _checked(pool, references)]
        self._counts = [len(own) for own in rights]
        # What a candidate is worth in the first place: for the F-score that, else whether it is right.
        self._worth = np.zeros(len(pool.targets))
        for row, (word, target) in enumerate(zip(pool.words.tolist(), pool.targets, strict=True)):
            right = rights[word]
            self._worth[row] = f_score(target, right, split=split) if measure == "f_score" else target in right

    def value(self, totals: npt.NDArray[np.float64]) -> float:
        """Return the mean measure when candidates have these probabilities."""
        return float(np.mean([self._of(word, totals[None, start:stop])[0] for word, start, stop in self._words()]))

    def curve(self, first: npt.NDArray[np.float64], second: npt.NDArray[np.float64]) -> Curve:
        """Return the mean measure of ``place * first + (1 - place) * second`` for all places from 0 to 1."""
        at_start = 0.0
        places, changes = [], []
        for word, start, stop in self._words():
            a, b = first[start:stop], second[start:stop]
            cuts = self._crossings(a, b, self._worth[start:stop])
            edges = np.concatenate([[0.0], cuts, [1.0]])
            middles = ((edges[:-1] + edges[1:]) / 2)[:, None]
            values = self._of(word, middles * a + (1 - middles) * b)
            at_start += float(values[0])
            steps = np.diff(values)
            changed = np.flatnonzero(steps)
            places.append(cuts[changed])
            changes.append(steps[changed])
        all_places, all_changes = np.concatenate(places), np.concatenate(changes)
        cuts, groups = np.unique(all_places, return_inverse=True)
        sums = np.bincount(groups, weights=all_changes, minlength=len(cuts))
        values = (at_start + np.concatenate([[0.0], np.cumsum(sums)])) / len(self._counts)
        return Curve(np.concatenate([[0.0], cuts, [1.0]]), values)

    def _words(self) -> list[tuple[int, int, int]]:
        return [
            (word, start, stop)
            for word, (start, stop) in enumerate(zip(self._bounds[:-1], self._bounds[1:], strict=True))
        ]

    def _crossings(
        self, a: npt.NDArray[np.float64], b: npt.NDArray[np.float64], worth: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.float64]:
        """Return the places between 0 and 1 where a candidate of other worth is overtaken, rising and distinct."""
        rows = np.arange(len(a)) if self._measure == "f_score" else np.flatnonzero(worth)
        # place * (a_i - a_j) + (1 - place) * (b_i - b_j) = 0
        at_end = a[rows, None] - a[None, :]
        at_start = b[rows, None] - b[None, :]
        differs = (at_end * at_start < 0) & (worth[rows, None] != worth[None, :])
        start, end = at_start[differs], at_end[differs]
        # Places that differ by rounding only are one: between them there would be a step that nobody can take.
        cuts = np.round(start / (start - end), _DECIMALS)
        return np.unique(cuts[(cuts > 0) & (cuts < 1)])

    def _of(self, word: int, totals: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the measure of a word for each row of probabilities of its candidates."""
        start = self._bounds[word]
        worth = self._worth[start : start + totals.shape[1]]
        if not totals.shape[1]:
            return np.zeros(len(totals))
        if self._measure in ("acc", "f_score"):
            # Of equal ones the first, as in `Pool.ranked`.
            return np.asarray(worth[np.argmax(totals, axis=1)])
        order = np.argsort(-totals, axis=1, kind="stable")
        right = worth[order] > 0
        if self._measure == "mrr":
            ranks = np.argmax(right, axis=1)
            return np.where(right.any(axis=1), 1 / (1 + ranks), 0.0)
        count = self._counts[word]
        found = np.zeros((len(totals), count))
        width = min(count, right.shape[1])
        found[:, :width] = right[:, :width]
        return np.asarray((np.cumsum(found, axis=1) / np.arange(1, count + 1)).mean(axis=1))
