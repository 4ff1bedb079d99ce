"""Phrase pairs of aligned text: extraction with orientations, phrase tables, reordering tables, rules with gaps.

Names of models and files are those of Moses: a model such as ``hier-msd`` says whose orientations (``wbe`` of words,
``phrase``, ``hier``) and in which classes (``msd`` monotone, swap, other; ``mslr``; ``mono``).
"""

from __future__ import annotations

from plait.phrases.files import extract_files
from plait.phrases.pairs import ORIENTATIONS, PhrasePairs, extract, extract_blocks
from plait.phrases.rules import RuleOptions, extract_rules_files
from plait.phrases.scoring import consolidate_files, score_files
from plait.phrases.tables import reordering_files

__all__ = [
    "ORIENTATIONS",
    "PhrasePairs",
    "RuleOptions",
    "consolidate_files",
    "extract",
    "extract_blocks",
    "extract_files",
    "extract_rules_files",
    "reordering_files",
    "score_files",
]
