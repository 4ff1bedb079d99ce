"""Answers of a transliteration system."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Candidate"]


class Candidate(NamedTuple):
    """A target word.

    Attributes
    ----------
    target
        The word.
    probability
        Its probability given the source word, summed over segmentations.
    """

    target: str
    probability: float
