"""Joint source-channel models in model files."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from plait import _core, models
from plait.errors import ModelFileError
from plait.ngram.files import DTYPES, grouped, named
from plait.translit.alignment import Ragged
from plait.translit.joint_parts import Parts
from plait.translit.symbols import UNITS

__all__ = ["KIND", "arrays_of", "ngrams_of", "parts_of"]

KIND = "transliteration-joint-source-channel"

_RAGGED = ("unit_sources", "unit_targets", "sequences")
_NAMES = ("source_names", "target_names")


def arrays_of(parts: Parts, core: _core.JointModel) -> dict[str, npt.NDArray[Any]]:
    """Return all arrays of a model by name."""
    arrays = {f"ngrams.{name}": array for name, array in named(core.ngrams()).items()}
    for name in _RAGGED:
        arrays[f"{name}.starts"], arrays[f"{name}.values"] = getattr(parts, name)
    for name in _NAMES:
        arrays[f"{name}.bytes"], arrays[f"{name}.offsets"] = models.pack_words(getattr(parts, name))
    return arrays


def ngrams_of(file: models.ModelFile) -> _core.NgramArrays | None:
    """Return the n-gram model of a file; None for files of versions that did not store it.

    Raises
    ------
    plait.errors.ModelFileError
        An array is missing, or of another type.
    """
    if not any(name.startswith("ngrams.") for name in file.arrays):
        return None
    return grouped({name: file.array(f"ngrams.{name}", dtype) for name, dtype in DTYPES.items()})


def parts_of(file: models.ModelFile) -> Parts:
    """Return the parts that a model file holds.

    Raises
    ------
    plait.errors.ModelFileError
        What stands in it does not fit together.
    """
    ragged = {name: _ragged(file, name) for name in _RAGGED}
    names = {
        name: [
            word.decode()
            for word in models.unpack_words(
                file.array(f"{name}.bytes", np.uint8), file.array(f"{name}.offsets", np.uint64)
            )
        ]
        for name in _NAMES
    }
    units = len(ragged["unit_sources"][0]) - 1
    if len(ragged["unit_targets"][0]) - 1 != units:
        _refuse("units have other numbers of source and target chunks")
    for part, limit in (
        ("unit_sources", len(names["source_names"])),
        ("unit_targets", len(names["target_names"])),
        ("sequences", units),
    ):
        values = ragged[part][1]
        if len(values) and int(values.max()) >= limit:
            _refuse(f"{part} has a number of {limit} or more")
    metadata = file.metadata
    for name, kind in (("settings", dict), ("options", dict), ("trials", list)):
        if not isinstance(metadata.get(name), kind):
            _refuse(f"{name} is missing")
    symbols = {name: metadata.get(name) for name in ("source_units", "target_units")}
    if any(value not in UNITS for value in symbols.values()):
        _refuse("the kind of symbols is not known")
    if not {"order", "prune"} <= set(metadata["options"]):
        _refuse("the order or the thresholds are missing")
    # Files of versions that knew one direction only say nothing of it.
    is_backward = metadata["settings"].get("direction") == "backward"
    return Parts(**symbols, **names, **ragged, is_backward=is_backward)  # type: ignore[arg-type]


def _ragged(file: models.ModelFile, name: str) -> Ragged:
    starts, values = file.array(f"{name}.starts", np.uint64), file.array(f"{name}.values", np.uint32)
    if not len(starts) or starts[0] != 0 or starts[-1] != len(values) or (starts[1:] < starts[:-1]).any():
        _refuse(f"the starts of {name} do not rise from 0 to {len(values)}")
    return starts, values


def _refuse(problem: str) -> NoReturn:
    raise ModelFileError(f"a model of kind {KIND!r}: {problem}; make the model again")
