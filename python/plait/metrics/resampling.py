"""Resampling of units whose counts add up: what bootstraps of any score share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plait.errors import ConfigError

__all__ = ["Interval", "check_resampling", "interval", "resampled_totals", "sign_p_value"]


@dataclass(frozen=True)
class Interval:
    """A confidence interval."""

    low: float
    high: float


def check_resampling(resamples: int, confidence: float) -> None:
    """Refuse no resample, and a confidence that is not between 0 and 1."""
    if resamples < 1:
        raise ConfigError(name="resamples", expected="at least 1", found=resamples)
    if not 0 < confidence < 1:
        raise ConfigError(name="confidence", expected="between 0 and 1", found=confidence)


def resampled_totals(statistics: npt.NDArray[np.int64], resamples: int, seed: int) -> Iterator[npt.NDArray[np.int64]]:
    """Yield the summed counts of each resample.

    Parameters
    ----------
    statistics : ndarray of int64, shape (units, counts)
    resamples : int
        How many times to draw as many units as there are, with replacement.
    seed : int
        Of the draws: the same numbers of units are drawn for any counts.
    """
    generator = np.random.Generator(np.random.PCG64(seed))
    units = len(statistics)
    for _ in range(resamples):
        drawn = generator.integers(units, size=units) if units else np.zeros(0, dtype=np.int64)
        # Times each unit was drawn, times its counts: a product of small integers in a row of memory.
        yield np.bincount(drawn, minlength=units) @ statistics


def interval(values: npt.NDArray[np.float64], confidence: float) -> Interval:
    """Return the percentiles of resampled values around their middle; NaN is left out."""
    defined = values[~np.isnan(values)]
    if not len(defined):
        return Interval(float("nan"), float("nan"))
    tail = (1 - confidence) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return Interval(float(low), float(high))


def sign_p_value(differences: npt.NDArray[np.float64]) -> float:
    """Return the two-sided p-value of a difference being 0, from resampled differences; NaN is left out.

    With ``k`` of n resamples on the rarer side of 0 (a difference of 0 is on both), it is ``2 (k + 1) / (n + 1)``, at
    most 1: a finite number of resamples never shows a p-value of 0.
    """
    defined = differences[~np.isnan(differences)]
    if not len(defined):
        return float("nan")
    rarer = min(int((defined <= 0).sum()), int((defined >= 0).sum()))
    return min(1.0, 2 * (rarer + 1) / (len(defined) + 1))
