"""plait: word alignment of parallel text, and the statistics around it."""

from plait._core import __version__

__all__ = ["__version__"]
