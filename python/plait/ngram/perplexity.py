"""What the probabilities of a text come to."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Perplexity"]


@dataclass(frozen=True)
class Perplexity:
    """The perplexity of sentences, and what it is made of.

    Attributes
    ----------
    sentences, words, unknown
        How many there are; unknown words are words.
    log_probability
        The sum of the natural logarithms of the probabilities of all words and ends of sentences.
    known_log_probability
        The part of it that is of known words and ends.
    """

    sentences: int
    words: int
    unknown: int
    log_probability: float
    known_log_probability: float

    @classmethod
    def of(cls, logs: npt.NDArray[np.float64], is_unknown: npt.NDArray[np.bool_], sentences: int) -> Perplexity:
        """Sum up logarithms of words and ends."""
        # A total that does not depend on how the text was cut into blocks.
        return cls(
            sentences=sentences,
            words=len(logs) - sentences,
            unknown=int(is_unknown.sum()),
            log_probability=math.fsum(logs.tolist()),
            known_log_probability=math.fsum(logs[~is_unknown].tolist()),
        )

    @property
    def perplexity(self) -> float:
        """Exp of minus the mean logarithm of words and ends, unknown words as ``<unk>``; NaN without any."""
        return _perplexity(self.log_probability, self.words + self.sentences)

    @property
    def perplexity_of_known(self) -> float:
        """The same without unknown words."""
        return _perplexity(self.known_log_probability, self.words + self.sentences - self.unknown)

    def as_dict(self) -> dict[str, Any]:
        """Return all figures by name."""
        return {**asdict(self), "perplexity": self.perplexity, "perplexity_of_known": self.perplexity_of_known}


def _perplexity(log_probability: float, count: int) -> float:
    if count == 0:
        return math.nan
    mean = -log_probability / count
    return math.inf if mean > 709 else math.exp(mean)
