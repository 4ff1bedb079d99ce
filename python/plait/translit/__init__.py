"""Transliteration and grapheme-to-phoneme conversion."""

from plait.translit.candidates import Candidate
from plait.translit.two_step import Decoded, TwoStepCRF

__all__ = [
    "Candidate",
    "Decoded",
    "TwoStepCRF",
]
