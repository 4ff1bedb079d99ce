"""The penalties of both fields, chosen on development data."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

__all__ = ["FACTORS", "TRIED", "Penalties", "beginning", "best_of", "choose"]

FACTORS = (0.15, 1.5)
"""What is tried besides the first value."""

TRIED = 20_000
"""The most training pairs of a trial."""


class Penalties(NamedTuple):
    """Penalties that were tried on development data.

    Attributes
    ----------
    l2_segmenter, l2_converter
        The factors of the sums of squared weights.
    accuracy
        The share of words whose first candidate is right.
    """

    l2_segmenter: float
    l2_converter: float
    accuracy: float


def beginning(l2_segmenter: float | None, l2_converter: float | None) -> tuple[float, float]:
    """Return the penalties of the segmenter and the converter to begin with."""
    segmenter, converter = (0.5 if l2 is None else l2 for l2 in (l2_segmenter, l2_converter))
    return segmenter, converter


def best_of(trials: list[Penalties]) -> tuple[float, float]:
    """Return the penalties of the first of the best trials."""
    return max(trials, key=lambda tried: tried.accuracy)[:2]


def choose(
    first: tuple[float, float],
    is_open: tuple[bool, bool],
    trial: Callable[[tuple[float, float], tuple[float, float] | None], float],
) -> list[Penalties]:
    """Try penalties: of the converter, then of the segmenter with the best of these.

    Parameters
    ----------
    first
        The penalties of the segmenter and the converter to begin with.
    is_open
        Which of them are to be chosen.
    trial
        Returns the accuracy for penalties, given the best ones so far: None for the first.

    Returns
    -------
    list of Penalties
        In the order of trial.
    """
    trials = [Penalties(*first, trial(first, None))]
    best = trials[0]
    for side in (1, 0):
        if not is_open[side]:
            continue
        leader = best[:2]
        for factor in FACTORS:
            penalties = (factor, leader[1]) if side == 0 else (leader[0], factor)
            tried = Penalties(*penalties, trial(penalties, best[:2]))
            trials.append(tried)
            if tried.accuracy > best.accuracy:
                best = tried
    return trials
