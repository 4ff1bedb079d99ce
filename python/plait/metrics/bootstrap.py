"""How far rates can be trusted: resampling of sentence pairs."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plait.alignments import Alignments
from plait.errors import ConfigError
from plait.metrics.gold import Gold
from plait.metrics.scores import RATES, Scores, rates, sufficient_statistics

__all__ = ["Bootstrap", "Interval", "PairedBootstrap", "bootstrap", "paired_bootstrap"]

Samples = dict[str, npt.NDArray[np.float64]]


@dataclass(frozen=True)
class Interval:
    """A confidence interval."""

    low: float
    high: float


@dataclass(frozen=True)
class Bootstrap:
    """Scores with confidence intervals.

    Attributes
    ----------
    scores
        Of all sentence pairs.
    intervals
        For each rate of `RATES`.
    confidence, resamples, seed
        As they were given; a seed that was not given is the one that was drawn.
    """

    scores: Scores
    intervals: dict[str, Interval]
    confidence: float
    resamples: int
    seed: int


@dataclass(frozen=True)
class PairedBootstrap:
    """The difference between two systems on the same sentence pairs.

    Attributes
    ----------
    a, b
        Scores of both systems.
    differences
        For each rate of `RATES`: that of ``a`` minus that of ``b``.
    intervals
        Of the differences.
    p_values
        Two-sided: how often a resample turns the sign of the difference, doubled.
    confidence, resamples, seed
        As in `Bootstrap`.
    """

    a: Scores
    b: Scores
    differences: dict[str, float]
    intervals: dict[str, Interval]
    p_values: dict[str, float]
    confidence: float
    resamples: int
    seed: int


def bootstrap(
    alignments: Alignments,
    gold: Gold,
    *,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int | None = 1,
) -> Bootstrap:
    """Return scores with percentile confidence intervals over resampled sentence pairs.

    Parameters
    ----------
    alignments, gold
        As for `plait.metrics.score`.
    resamples
        How many times to draw as many sentence pairs as there are, with replacement.
    confidence
        Between 0 and 1.
    seed
        Of the draws; ``None`` draws one.

    Returns
    -------
    Bootstrap

    Raises
    ------
    ConfigError
        There is no resample, or the confidence is not between 0 and 1.
    UnequalLengthError
        The numbers of sentence pairs differ.

    Notes
    -----
    O(resamples * pairs) time, O(pairs) memory. Resamples in which a rate is undefined are left
    out of its interval.

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, section 13.3.
    """
    _check(resamples, confidence)
    seed = secrets.randbits(32) if seed is None else seed
    statistics = sufficient_statistics(alignments, gold)
    totals = np.array(list(_resample(statistics, resamples, seed)))
    return Bootstrap(
        scores=Scores.from_statistics(statistics),
        intervals=_intervals(rates(totals), confidence),
        confidence=confidence,
        resamples=resamples,
        seed=seed,
    )


def paired_bootstrap(
    a: Alignments,
    b: Alignments,
    gold: Gold,
    *,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int | None = 1,
) -> PairedBootstrap:
    """Compare two systems on the same resampled sentence pairs.

    Parameters
    ----------
    a, b
        Links of both systems for the sentence pairs of the gold standard.
    gold
        Sure and possible links.
    resamples, confidence, seed
        As for `bootstrap`.

    Returns
    -------
    PairedBootstrap

    Raises
    ------
    ConfigError, UnequalLengthError
        As `bootstrap`.

    Notes
    -----
    With ``k`` resamples on the rarer side of 0 (a difference of 0 is on both), the p-value is
    ``2 (k + 1) / (resamples + 1)``, at most 1: a finite number of resamples never shows a p-value of 0.

    References
    ----------
    Koehn (2004), Statistical Significance Tests for Machine Translation Evaluation,
    section 5 (there one-sided).
    """
    _check(resamples, confidence)
    seed = secrets.randbits(32) if seed is None else seed
    statistics = np.concatenate([sufficient_statistics(a, gold), sufficient_statistics(b, gold)], axis=1)
    width = statistics.shape[1] // 2
    totals = np.array(list(_resample(statistics, resamples, seed)))
    first, second = rates(totals[:, :width]), rates(totals[:, width:])
    samples = {name: first[name] - second[name] for name in RATES}
    scores_a = Scores.from_statistics(statistics[:, :width])
    scores_b = Scores.from_statistics(statistics[:, width:])
    return PairedBootstrap(
        a=scores_a,
        b=scores_b,
        differences={name: getattr(scores_a, name) - getattr(scores_b, name) for name in RATES},
        intervals=_intervals(samples, confidence),
        p_values={name: _p_value(samples[name]) for name in RATES},
        confidence=confidence,
        resamples=resamples,
        seed=seed,
    )


def _check(resamples: int, confidence: float) -> None:
    if resamples < 1:
        raise ConfigError(name="resamples", expected="at least 1", found=resamples)
    if not 0 < confidence < 1:
        raise ConfigError(name="confidence", expected="between 0 and 1", found=confidence)


def _resample(statistics: npt.NDArray[np.int64], resamples: int, seed: int) -> Iterator[npt.NDArray[np.int64]]:
    """Yield the summed counts of each resample."""
    generator = np.random.Generator(np.random.PCG64(seed))
    pairs = len(statistics)
    for _ in range(resamples):
        drawn = generator.integers(pairs, size=pairs) if pairs else np.zeros(0, dtype=np.int64)
        # Times each pair was drawn, times its counts: a product of small integers in a row of memory.
        yield np.bincount(drawn, minlength=pairs) @ statistics


def _intervals(samples: Samples, confidence: float) -> dict[str, Interval]:
    tail = (1 - confidence) / 2
    return {name: _interval(values, tail) for name, values in samples.items()}


def _interval(values: npt.NDArray[np.float64], tail: float) -> Interval:
    defined = values[~np.isnan(values)]
    if not len(defined):
        return Interval(float("nan"), float("nan"))
    low, high = np.quantile(defined, [tail, 1 - tail])
    return Interval(float(low), float(high))


def _p_value(differences: npt.NDArray[np.float64]) -> float:
    defined = differences[~np.isnan(differences)]
    if not len(defined):
        return float("nan")
    rarer = min(int((defined <= 0).sum()), int((defined >= 0).sum()))
    return min(1.0, 2 * (rarer + 1) / (len(defined) + 1))
