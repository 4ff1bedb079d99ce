"""Candidates with what was done to find them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plait.translit.candidates import Candidate

__all__ = ["Decoded", "covering"]


@dataclass(frozen=True, eq=False)
class Decoded:
    """Candidates of words, and how they were found.

    Attributes
    ----------
    candidates : list of list of Candidate
        For each word, the best first; none for an empty word.
    conversions : uint32[words]
        Segmentations that were converted. With the segmenter's, a word took one decoding more.
    masses : float64[words]
        The probability of these segmentations: a candidate lacks at most 1 minus this, beside what lists leave out.
    certain : bool[words]
        Whether the rule of early stopping vouches for the first candidate (``stop="truncated"``: for as many as were
        asked to be certain). With ``stop="never"``: whether there was no other segmentation.
    """

    candidates: list[list[Candidate]]
    conversions: npt.NDArray[np.uint32]
    masses: npt.NDArray[np.float64]
    certain: npt.NDArray[np.bool_]

    @property
    def decodings_per_word(self) -> float:
        """The mean number of decodings of a word: one of the segmenter, and the converter's."""
        return 1 + float(self.conversions.mean()) if len(self.conversions) else 0.0


def covering(candidates: list[Candidate], mass: float | None) -> list[Candidate]:
    """Return as many of the first candidates as have this probability together; all without a mass."""
    if mass is None:
        return candidates
    total = 0.0
    for number, candidate in enumerate(candidates, 1):
        total += candidate.probability
        if total >= mass:
            return candidates[:number]
    return candidates
