"""What a word may become."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Candidate"]


class Candidate(NamedTuple):
    """A target word.

    Attributes
    ----------
    target
        The word; phones are separated by spaces.
    probability
        Its probability given the source word, from 0 to 1.
    """

    target: str
    probability: float
