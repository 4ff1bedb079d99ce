"""The error surface along a line, by scoring every hypothesis at every point, in fractions."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction

Line = tuple[Fraction, Fraction]
"""Slope and intercept of the score of a hypothesis."""


def crossings(lines: Sequence[Line]) -> list[Fraction]:
    """Return where the best hypothesis of one segment can change: where any two lines cross, rising."""
    found = {(b2 - b1) / (m1 - m2) for (m1, b1), (m2, b2) in itertools.combinations(lines, 2) if m1 != m2}
    return sorted(found)


def points(places: Sequence[Fraction]) -> list[Fraction]:
    """Return a point between any two neighbours, and one beyond each end."""
    if not places:
        return [Fraction(0)]
    middles = [(a + b) / 2 for a, b in itertools.pairwise(places)]
    return [places[0] - 1, *middles, places[-1] + 1]


def best(lines: Sequence[Line], x: Fraction) -> list[int]:
    """Return the numbers of all hypotheses with the largest score at a point."""
    scores = [m * x + b for m, b in lines]
    return [n for n, score in enumerate(scores) if score == max(scores)]


def statistics(segments: Sequence[Sequence[Line]], rows: Sequence[Sequence[Sequence[int]]], x: Fraction) -> list[int]:
    """Return the statistics of the corpus at a point: those of the first of the best hypotheses of each segment."""
    chosen = [rows[n][best(lines, x)[0]] for n, lines in enumerate(segments) if lines]
    return [sum(column) for column in zip(*chosen, strict=True)]
