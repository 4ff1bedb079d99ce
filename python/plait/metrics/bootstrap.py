"""How far rates can be trusted: resampling of sentence pairs."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plait.alignments import Alignments
from plait.metrics.gold import Gold
from plait.metrics.resampling import Interval, check_resampling, interval, resampled_totals, sign_p_value
from plait.metrics.scores import RATES, Scores, rates, sufficient_statistics

__all__ = ["Bootstrap", "Interval", "PairedBootstrap", "bootstrap", "paired_bootstrap"]

Samples = dict[str, npt.NDArray[np.float64]]


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
    check_resampling(resamples, confidence)
    seed = secrets.randbits(32) if seed is None else seed
    statistics = sufficient_statistics(alignments, gold)
    totals = np.array(list(resampled_totals(statistics, resamples, seed)))
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
    check_resampling(resamples, confidence)
    seed = secrets.randbits(32) if seed is None else seed
    statistics = np.concatenate([sufficient_statistics(a, gold), sufficient_statistics(b, gold)], axis=1)
    width = statistics.shape[1] // 2
    totals = np.array(list(resampled_totals(statistics, resamples, seed)))
    first, second = rates(totals[:, :width]), rates(totals[:, width:])
    samples = {name: first[name] - second[name] for name in RATES}
    scores_a = Scores.from_statistics(statistics[:, :width])
    scores_b = Scores.from_statistics(statistics[:, width:])
    return PairedBootstrap(
        a=scores_a,
        b=scores_b,
        differences={name: getattr(scores_a, name) - getattr(scores_b, name) for name in RATES},
        intervals=_intervals(samples, confidence),
        p_values={name: sign_p_value(samples[name]) for name in RATES},
        confidence=confidence,
        resamples=resamples,
        seed=seed,
    )


def _intervals(samples: Samples, confidence: float) -> dict[str, Interval]:
    return {name: interval(values, confidence) for name, values in samples.items()}
