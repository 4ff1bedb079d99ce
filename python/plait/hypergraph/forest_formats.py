"""Which format a file of forests has."""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from plait.errors import ConfigError, DataError
from plait.io.safetensors import LENGTH_BYTES
from plait.io.streams import Path, display_name

__all__ = ["FORMATS", "OWN", "format_of_content", "format_of_name", "stem_and_compression"]

OWN = "plait"
"""The name of our own format: exact, with everything that a forest has."""

FORMATS = (
    "plait",
    "cdec",
    "moses",
    "lazy",
    "joshua",
    "plf",
    "slf",
    "openfst",
    "nbest",
    "travatar",
    "egret",
)
"""The names of formats that `plait.hypergraph.read_forests` and `write_forests` know."""

_SUFFIXES = {
    ".plait": OWN,
    ".safetensors": OWN,
    ".json": "cdec",
    ".hg": "moses",
    ".items": "joshua",
    ".plf": "plf",
    ".slf": "slf",
    ".htk": "slf",
    ".fst": "openfst",
    ".att": "openfst",
    ".nbest": "nbest",
    ".travatar": "travatar",
    ".egret": "egret",
}
_COMPRESSIONS = (".gz", ".bz2", ".xz", ".zst")

SNIFFED_BYTES = 1 << 16
"""How much of the start of a file is looked at."""


def stem_and_compression(path: Path) -> tuple[str, str]:
    """Return a name without the suffix of a compression, and that suffix."""
    name = os.fspath(path)
    for suffix in _COMPRESSIONS:
        if name.endswith(suffix):
            return name[: -len(suffix)], suffix
    return name, ""


def format_of_name(path: Path) -> str | None:
    """Return the format that a name asks for by its suffix."""
    stem, _ = stem_and_compression(path)
    return _SUFFIXES.get(os.path.splitext(stem)[1])


def format_of_content(start: bytes, path: Path) -> str:
    """Return the format that the start of a file has.

    Parameters
    ----------
    start : bytes
        The first `SNIFFED_BYTES`, or all.
    path
        Its suffix decides between formats that a short file may have.

    Raises
    ------
    DataError
        The start is that of no format, or of more than one; or the file is empty, and its name tells no format.
    """
    text = start.removeprefix(b"\xef\xbb\xbf")
    found = [name for name, fits in _FITS.items() if fits(text)]
    named = format_of_name(path)
    if named in found or (not found and named is not None):
        return named
    if len(found) == 1:
        return found[0]
    if not text:
        raise DataError(f"{display_name(path)}: the file is empty; give one with forests or n-best lists")
    what = f"may be {' or '.join(found)}" if found else "is of no format that plait knows"
    raise DataError(
        f"{display_name(path)}: by its start and its name, the file {what}; name its format, one of "
        f"{', '.join(FORMATS)}"
    )


def format_to_write(path: Path, format: str | None) -> str:
    """Return the format to write: the one that is named, or that of the suffix."""
    chosen = format or format_of_name(path)
    if chosen in FORMATS:
        return chosen
    expected = f"one of {', '.join(FORMATS)}; the suffix of {display_name(path)} tells none"
    raise ConfigError(
        name="format", expected=expected if format is None else f"one of {', '.join(FORMATS)}", found=format
    )


def _lines(text: bytes) -> list[bytes]:
    """Return the first lines that are whole or all there is, without blank ones and comments."""
    lines = text.split(b"\n")
    if len(text) >= SNIFFED_BYTES:
        lines = lines[:-1] or lines
    kept = (line.strip(b" \t\r") for line in lines[:200])
    return [line for line in kept if line and not line.startswith(b"#")][:50]


def _is_own(text: bytes) -> bool:
    return text.startswith(b'{"__metadata__":{"format":"plait-model"', LENGTH_BYTES)


def _is_cdec(text: bytes) -> bool:
    return text.lstrip().startswith(b"{") and not _is_own(text) and not _is_travatar(text)


def _is_travatar(text: bytes) -> bool:
    return re.match(rb'\s*\{\s*"nodes"\s*:', text) is not None


def _is_egret(text: bytes) -> bool:
    return re.match(rb"sentence \S+ :", text) is not None


def _is_moses(text: bytes) -> bool:
    if text.startswith(b"# target ||| features"):
        return True
    lines = _lines(text)
    return (
        bool(lines)
        and re.fullmatch(rb"\d+[ \t]+\d+", lines[0]) is not None
        and all(re.fullmatch(rb"\d+", line) or b"|||" in line for line in lines[1:])
    )


def _is_joshua(text: bytes) -> bool:
    return text.startswith(b"#SENT:")


def _is_plf(text: bytes) -> bool:
    return re.match(rb"\s*\(\s*(\(|\)\s*(\n|\Z))", text) is not None


def _is_slf(text: bytes) -> bool:
    lines = _lines(text)
    return bool(lines) and all(re.match(rb"[A-Za-z]\w*=", line) for line in lines[:5])


def _is_openfst(text: bytes) -> bool:
    lines = _lines(text)
    arc = re.compile(rb"\d+([ \t]+\S+)?|\d+[ \t]+\d+([ \t]+\S+){1,3}")
    return bool(lines) and all(arc.fullmatch(line) and b"|||" not in line for line in lines)


def _is_nbest(text: bytes) -> bool:
    lines = _lines(text)
    return bool(lines) and all(re.match(rb"[^{\s]\S*?[ \t]*\|\|\|", line) and line.count(b"|||") >= 3 for line in lines)


_FITS: dict[str, Callable[[bytes], bool]] = {
    OWN: _is_own,
    "cdec": _is_cdec,
    "moses": _is_moses,
    "joshua": _is_joshua,
    "plf": _is_plf,
    "slf": _is_slf,
    "openfst": _is_openfst,
    "nbest": _is_nbest,
    "travatar": _is_travatar,
    "egret": _is_egret,
}
