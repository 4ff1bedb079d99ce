"""Whether a difference in BLEU is more than chance: resampling of sentences."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plait.errors import DataError
from plait.metrics.resampling import Interval, check_resampling, interval, resampled_totals, sign_p_value
from plait.minrisk.bleu import Smoothing, bleu

__all__ = ["BleuComparison", "BleuEstimate", "bootstrap_bleu", "compare_bleu"]


@dataclass(frozen=True)
class BleuEstimate:
    """BLEU with a confidence interval; frozen.

    Attributes
    ----------
    bleu : float
        Of all sentences, from 0 to 1.
    interval : Interval
        Percentiles over resamples.
    confidence, resamples, seed
        As they were given; a seed that was not given is the one that was drawn.
    """

    bleu: float
    interval: Interval
    confidence: float
    resamples: int
    seed: int


@dataclass(frozen=True)
class BleuComparison:
    """The difference in BLEU between two systems on the same sentences; frozen.

    Attributes
    ----------
    bleu, baseline : float
        Of all sentences, from 0 to 1.
    difference : float
        ``bleu - baseline``.
    interval : Interval
        Of the difference.
    p_value : float
        Two-sided: how often a resample turns the sign of the difference, doubled.
    confidence, resamples, seed
        As in `BleuEstimate`.
    """

    bleu: float
    baseline: float
    difference: float
    interval: Interval
    p_value: float
    confidence: float
    resamples: int
    seed: int


def bootstrap_bleu(
    statistics: npt.NDArray[np.int64],
    *,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int | None = 1,
    smoothing: Smoothing = "exp",
) -> BleuEstimate:
    """Return BLEU with a confidence interval.

    Parameters
    ----------
    statistics : ndarray of int64, shape (sentences, 2 order + 1)
        As `plait.minrisk.bleu_statistics` makes them.
    resamples : int
        How many times to draw as many sentences as there are, with replacement.
    confidence : float
        Between 0 and 1.
    seed : int, optional
        Of the draws; ``None`` draws one.
    smoothing : {"exp", "none", "floor", "add-k"}
        As for `plait.minrisk.bleu`.

    Raises
    ------
    ConfigError
        There is no resample, or the confidence is not between 0 and 1.

    Notes
    -----
    O(resamples * sentences) time, O(sentences) memory.

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, section 13.3.
    """
    check_resampling(resamples, confidence)
    seed = secrets.randbits(32) if seed is None else seed
    values = [bleu(totals, smoothing=smoothing) for totals in resampled_totals(statistics, resamples, seed)]
    return BleuEstimate(
        bleu=bleu(statistics, smoothing=smoothing),
        interval=interval(np.array(values), confidence),
        confidence=confidence,
        resamples=resamples,
        seed=seed,
    )


def compare_bleu(
    statistics: npt.NDArray[np.int64],
    baseline: npt.NDArray[np.int64],
    *,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int | None = 1,
    smoothing: Smoothing = "exp",
) -> BleuComparison:
    """Compare two systems on the same resampled sentences.

    Parameters
    ----------
    statistics, baseline : ndarray of int64, shape (sentences, 2 order + 1)
        Of both systems, sentence by sentence.
    resamples, confidence, seed, smoothing
        As for `bootstrap_bleu`.

    Raises
    ------
    DataError
        The statistics are not of the same shape.
    ConfigError
        As for `bootstrap_bleu`.

    Notes
    -----
    With ``k`` resamples on the rarer side of 0 (a difference of 0 is on both), the p-value is
    ``2 (k + 1) / (resamples + 1)``, at most 1.

    References
    ----------
    Koehn (2004), Statistical Significance Tests for Machine Translation Evaluation, section 5 (there one-sided).

    Examples
    --------
    >>> from plait.minrisk import bleu_statistics, compare_bleu
    >>> references = [["the cat sat on the mat", "a dog ran to the house"] * 20]
    >>> good = bleu_statistics(references[0], references)
    >>> worse = bleu_statistics(["the cat sat on a mat", "a dog ran to the house"] * 20, references)
    >>> found = compare_bleu(good, worse)
    >>> found.difference > 0, found.p_value < 0.01
    (True, True)
    """
    check_resampling(resamples, confidence)
    if statistics.shape != baseline.shape:
        raise DataError(
            f"both systems must have the same sentences; found statistics of shapes {statistics.shape} and "
            f"{baseline.shape}"
        )
    seed = secrets.randbits(32) if seed is None else seed
    width = statistics.shape[1]
    differences = [
        bleu(totals[:width], smoothing=smoothing) - bleu(totals[width:], smoothing=smoothing)
        for totals in resampled_totals(np.concatenate([statistics, baseline], axis=1), resamples, seed)
    ]
    ours, theirs = bleu(statistics, smoothing=smoothing), bleu(baseline, smoothing=smoothing)
    samples = np.array(differences)
    return BleuComparison(
        bleu=ours,
        baseline=theirs,
        difference=ours - theirs,
        interval=interval(samples, confidence),
        p_value=sign_p_value(samples),
        confidence=confidence,
        resamples=resamples,
        seed=seed,
    )
