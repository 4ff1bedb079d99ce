"""Transliteration, and grapheme to phoneme conversion: words in one script to words, or phones, in another.

`WordPairs` holds training pairs as runs of symbols; `align_chunks` finds which chunks of the two words of a pair belong
together; `JointSourceChannel` is an n-gram model over such pairs of chunks. `TwoStepCRF` is two random fields, one that
cuts words and one that converts chunks; `Interpolation` weighs several systems; `load` reads a system that was saved.

Sources: Li, Zhang and Su (2004), A joint source-channel model for machine transliteration. Jiampojamarn, Kondrak and
Sherif (2007), Applying many-to-many alignments and hidden Markov models to letter-to-phoneme conversion. Yang, Dixon
and Furui (2010), Jointly optimizing a two-step conditional random field model for machine transliteration.
"""

from plait.translit.alignment import ChunkAlignment, Unaligned, align_chunks
from plait.translit.candidates import Candidate, CandidateLists
from plait.translit.interpolation import Interpolation
from plait.translit.joint_source_channel import JointSourceChannel
from plait.translit.loading import load
from plait.translit.pairs import WordPairs
from plait.translit.two_step import Decoded, TwoStepCRF

__all__ = [
    "Candidate",
    "CandidateLists",
    "ChunkAlignment",
    "Decoded",
    "Interpolation",
    "JointSourceChannel",
    "TwoStepCRF",
    "Unaligned",
    "WordPairs",
    "align_chunks",
    "load",
]
