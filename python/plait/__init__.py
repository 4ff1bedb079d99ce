"""plait: word alignment of parallel text, and the statistics around it."""

from plait import align, symmetrize
from plait._core import __version__
from plait.alignments import Alignments
from plait.bitext import Bitext

__all__ = ["Alignments", "Bitext", "__version__", "align", "symmetrize"]
