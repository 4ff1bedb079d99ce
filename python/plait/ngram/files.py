"""N-gram models in model files, and in ARPA files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from plait import _core, models
from plait.errors import ModelFileError, TextError
from plait.io.stored import from_a_file
from plait.io.streams import Path, display_name, read_blocks

__all__ = ["DTYPES", "KIND", "arrays_of", "core_of", "grouped", "load", "named", "read_arpa", "write_arpa", "write_to"]

KIND = "ngram"

_WORDS: dict[str, type[np.generic]] = {"words.bytes": np.uint8, "words.offsets": np.uint64}
DTYPES: dict[str, type[np.generic]] = {
    "unigrams.logs": np.float64,
    "unigrams.next": np.uint32,
    "unigrams.known": np.bool_,
    "start": np.uint32,
    "lengths": np.uint32,
    "contexts.starts": np.uint32,
    "contexts.shorter": np.uint32,
    "contexts.backoffs": np.float64,
    "steps.words": np.uint32,
    "steps.logs": np.float64,
    "steps.next": np.uint32,
}
"""The arrays of a model whose words are numbers."""


def arrays_of(core: _core.NgramModel) -> dict[str, npt.NDArray[Any]]:
    """Return all arrays of a model by name."""
    blob, offsets = models.pack_words(core.words())
    words: dict[str, npt.NDArray[Any]] = {"words.bytes": blob, "words.offsets": offsets}
    return words | named(core.arrays())


def named(found: _core.NgramArrays) -> dict[str, npt.NDArray[Any]]:
    """Return what the core gives, by the names of `DTYPES`."""
    unigrams, start, lengths, contexts, steps = found
    flat: tuple[npt.NDArray[Any], ...] = (*unigrams, np.array([start], dtype=np.uint32), lengths, *contexts, *steps)
    return dict(zip(DTYPES, flat, strict=True))


def grouped(arrays: Mapping[str, npt.NDArray[Any]]) -> _core.NgramArrays:
    """Return what the core takes; the inverse of `named`.

    Raises
    ------
    plait.errors.ModelFileError
        There is not one start.
    """
    if len(arrays["start"]) != 1:
        raise ModelFileError("a model of n-grams starts in one state; found others; make the model again")
    return (
        (arrays["unigrams.logs"], arrays["unigrams.next"], arrays["unigrams.known"]),
        int(arrays["start"][0]),
        arrays["lengths"],
        (arrays["contexts.starts"], arrays["contexts.shorter"], arrays["contexts.backoffs"]),
        (arrays["steps.words"], arrays["steps.logs"], arrays["steps.next"]),
    )


def core_of(arrays: Mapping[str, npt.NDArray[Any]]) -> _core.NgramModel:
    """Make a model of its arrays.

    Raises
    ------
    plait.errors.ModelFileError
        The arrays are not those of a model.
    """
    try:
        words = [word.decode() for word in models.unpack_words(arrays["words.bytes"], arrays["words.offsets"])]
    except UnicodeDecodeError:
        raise ModelFileError("the words of the model are not UTF-8; make the model again") from None
    return _core.NgramModel(words, *grouped(arrays))


def write_to(out: models.Writable, core: _core.NgramModel, metadata: Mapping[str, Any]) -> None:
    """Write a model file to an open file."""
    models.write_to(out, KIND, arrays_of(core), metadata)


def load(path: Path) -> tuple[_core.NgramModel, dict[str, Any]]:
    """Read a model file: the model, and its metadata.

    Raises
    ------
    plait.errors.ModelFileError
        The file is no model of this kind, or damaged.
    """
    found = models.load(path, KIND)
    with from_a_file(KIND):
        return core_of({name: found.array(name, dtype) for name, dtype in (_WORDS | DTYPES).items()}), found.metadata


def read_arpa(path: Path) -> _core.NgramModel:
    """Read an ARPA file, compressed or not.

    Raises
    ------
    plait.errors.TextError
        The file is none; the message has file, line and column.
    OSError
        The file cannot be opened or read.
    """
    reader = _core.NgramArpaReader()
    try:
        for block in read_blocks(path):
            reader.feed(block)
        return reader.finish()
    except TextError as problem:
        raise problem.at(display_name(path)) from None


def write_arpa(out: models.Writable, core: _core.NgramModel, *, single: bool) -> None:
    """Write an ARPA file to an open file.

    Raises
    ------
    plait.errors.ConfigError
        A word has a space, a tab or a line end, or is empty.
    """
    core.write_arpa(out.write, single)
