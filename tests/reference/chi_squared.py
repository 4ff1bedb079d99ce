"""Pearson's chi-squared tests, for samples against exact distributions."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence

FALSE_ALARMS = 1e-6
"""How often a right sampler may fail one test; seeds are fixed, so a passing test keeps passing."""
LEAST_EXPECTED = 5.0
"""Outcomes expected less often than this are pooled: below it the statistic is not chi-squared."""


def upper_tail(statistic: float, degrees: int) -> float:
    """P(X >= statistic) for X chi-squared (Abramowitz and Stegun 1964, 26.4.4 and 26.4.5)."""
    half = statistic / 2
    if half <= 0 or degrees == 0:
        return 1.0
    if degrees % 2 == 0:
        return sum(math.exp(-half + k * math.log(half) - math.lgamma(k + 1)) for k in range(degrees // 2))
    series = (math.exp(-half + (k + 0.5) * math.log(half) - math.lgamma(k + 1.5)) for k in range(degrees // 2))
    return math.erfc(math.sqrt(half)) + sum(series)


def fit_probability(observed: Mapping[Hashable, int], expected: Mapping[Hashable, float]) -> float:
    """P-value of counts of independent outcomes under an exact distribution; 0 for an impossible outcome.

    Outcomes expected less often than `LEAST_EXPECTED` share one cell, which takes in the next smallest
    while it is too small itself.
    """
    draws = sum(observed.values())
    if any(count > 0 and expected.get(outcome, 0.0) <= 0.0 for outcome, count in observed.items()):
        return 0.0
    rows = sorted(
        (probability * draws, observed.get(outcome, 0)) for outcome, probability in expected.items() if probability > 0
    )
    cells: list[tuple[float, int]] = []
    rare = (0.0, 0)
    for mean, count in rows:
        if mean < LEAST_EXPECTED or 0 < rare[0] < LEAST_EXPECTED:
            rare = (rare[0] + mean, rare[1] + count)
        else:
            cells.append((mean, count))
    if rare[0] > 0:
        cells.append(rare)
    statistic = sum((count - mean) ** 2 / mean for mean, count in cells)
    return upper_tail(statistic, len(cells) - 1)


def same_probability(first: Mapping[Hashable, int], second: Mapping[Hashable, int]) -> float:
    """P-value of two samples of independent outcomes coming from one distribution (test of homogeneity)."""
    totals = (sum(first.values()), sum(second.values()))
    outcomes = sorted(set(first) | set(second), key=lambda o: first.get(o, 0) + second.get(o, 0))
    cells: list[tuple[int, int]] = []
    rare = (0, 0)
    for outcome in outcomes:
        cell = (first.get(outcome, 0), second.get(outcome, 0))
        if sum(cell) < 2 * LEAST_EXPECTED or 0 < sum(rare) < 2 * LEAST_EXPECTED:
            rare = (rare[0] + cell[0], rare[1] + cell[1])
        else:
            cells.append(cell)
    if sum(rare) > 0:
        cells.append(rare)
    statistic = 0.0
    for cell in cells:
        for count, total in zip(cell, totals, strict=True):
            mean = sum(cell) * total / sum(totals)
            statistic += (count - mean) ** 2 / mean
    return upper_tail(statistic, len(cells) - 1)


def bonferroni(p_values: Sequence[float]) -> float:
    """P-value of the smallest of several tests."""
    return min(1.0, len(p_values) * min(p_values))
