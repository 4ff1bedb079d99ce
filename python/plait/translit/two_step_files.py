"""Two-step random fields in model files."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from plait import _core, models
from plait.errors import ModelFileError

__all__ = ["KIND", "core_of", "names_of", "packed"]

KIND = "transliteration-two-step"

_SIDES = ("sources", "targets")
_FieldArrays = tuple[
    npt.NDArray[np.uint64],
    npt.NDArray[np.uint64],
    npt.NDArray[np.uint32],
    npt.NDArray[np.uint64],
    npt.NDArray[np.uint32],
    npt.NDArray[np.float64],
]


def packed(sources: list[str], targets: list[str]) -> dict[str, npt.NDArray[Any]]:
    """Return the names of symbols as arrays."""
    arrays: dict[str, npt.NDArray[Any]] = {}
    for side, names in zip(_SIDES, (sources, targets), strict=True):
        arrays[f"{side}.bytes"], arrays[f"{side}.offsets"] = models.pack_words(names)
    return arrays


def names_of(found: models.ModelFile) -> tuple[list[str], list[str]]:
    """Return the names of source and target symbols that a file holds."""
    sources, targets = (
        [
            word.decode()
            for word in models.unpack_words(
                found.array(f"{side}.bytes", np.uint8), found.array(f"{side}.offsets", np.uint64)
            )
        ]
        for side in _SIDES
    )
    return sources, targets


def core_of(found: models.ModelFile, widths: tuple[int, int], targets: int) -> _core.TwoStepModel:
    """Return what the compiled core works on, of a file with so many target symbols.

    Raises
    ------
    plait.errors.ModelFileError
        Its arrays do not fit together.
    """
    symbols = found.array("labels.symbols", np.uint32)
    if symbols.size and int(symbols.max()) >= targets:
        raise ModelFileError(f"labels name a target symbol that is not among the {targets}; make the model again")
    return _core.TwoStepModel(
        widths,
        (found.array("grams.beginnings", np.uint32), found.array("grams.symbols", np.uint32)),
        _field(found, "segmenter"),
        _field(found, "converter"),
        (
            found.array("candidates.chunks", np.uint32),
            found.array("candidates.starts", np.uint64),
            found.array("candidates.labels", np.uint32),
        ),
        (found.array("labels.starts", np.uint64), symbols),
    )


def _field(found: models.ModelFile, name: str) -> _FieldArrays:
    return (
        found.array(f"{name}.keys", np.uint64),
        found.array(f"{name}.states.starts", np.uint64),
        found.array(f"{name}.states.labels", np.uint32),
        found.array(f"{name}.transitions.starts", np.uint64),
        found.array(f"{name}.transitions.labels", np.uint32),
        found.array(f"{name}.weights", np.float64),
    )
