"""plait: word alignment of parallel text, and the statistics around it."""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plait import align, symmetrize
    from plait._core import __version__
    from plait.alignments import Alignments
    from plait.bitext import Bitext

__all__ = ["Alignments", "Bitext", "__version__", "align", "symmetrize"]

# Exports are loaded when they are used: the command line has to be able to answer Ctrl-C while the rest loads.
_HOMES = {"Alignments": "plait.alignments", "Bitext": "plait.bitext", "__version__": "plait._core"}

# Hidden from type checkers, for which no other name exists.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Load an export, or a module of the package."""
        if name in _HOMES:
            found = getattr(importlib.import_module(_HOMES[name]), name)
            globals()[name] = found
            return found
        if not name.startswith("_"):
            try:
                return importlib.import_module(f"plait.{name}")
            except ModuleNotFoundError as problem:
                if problem.name != f"plait.{name}":
                    raise
        raise AttributeError(f"module 'plait' has no attribute {name!r}")

    def __dir__() -> list[str]:
        """Return all names, those that were not loaded yet as well."""
        return sorted({*globals(), *__all__})
