"""Phrase pairs of aligned text: extraction with orientations, phrase tables, reordering tables.

Names of models and files are those of Moses: a model such as ``hier-msd`` says whose orientations (``wbe`` of words,
``phrase``, ``hier``) and in which classes (``msd`` monotone, swap, other; ``mslr``; ``mono``).
"""

from __future__ import annotations

from plait.phrases.files import extract_files

__all__ = ["extract_files"]
