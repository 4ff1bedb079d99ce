"""A folder for the temporary files of a sort, removed whatever happens."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator

from plait.errors import ConfigError

__all__ = ["DEFAULT_MEMORY", "memory_bytes", "temporary_folder"]

PathLike = str | os.PathLike[str]

DEFAULT_MEMORY = 512
"""Mebibytes that a sort keeps in memory before it writes to the disk."""


@contextlib.contextmanager
def temporary_folder(temp: PathLike | None, out: PathLike) -> Iterator[str]:
    """Make a folder in ``temp``, or beside the output, where there must be room anyway; remove it at the end.

    Errors, Ctrl-C and SIGTERM included.
    """
    place = os.fspath(temp) if temp is not None else os.path.dirname(os.fspath(out)) or "."
    if temp is None and not (os.path.isdir(place) and os.access(place, os.W_OK)):
        # Standard output, a device, or a folder that is missing, which the output complains about.
        place = tempfile.gettempdir()
    with tempfile.TemporaryDirectory(prefix=".plait-sort-", dir=place) as folder:
        yield folder


def memory_bytes(memory: int) -> int:
    """Return mebibytes as bytes.

    Raises
    ------
    ConfigError
        It is not from 1 to 2048.
    """
    if not 1 <= memory <= 2048:
        raise ConfigError(name="memory", expected="from 1 to 2048 mebibytes", found=memory)
    return memory << 20
