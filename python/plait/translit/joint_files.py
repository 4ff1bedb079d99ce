"""Joint source-channel models in model files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np

from plait import models
from plait.errors import ModelFileError
from plait.io.streams import Path, display_name
from plait.translit.alignment import Ragged
from plait.translit.joint_parts import Parts
from plait.translit.symbols import UNITS

__all__ = ["KIND", "load", "save"]

KIND = "transliteration-joint-source-channel"

_RAGGED = ("unit_sources", "unit_targets", "sequences")
_NAMES = ("source_names", "target_names")


def save(path: Path, parts: Parts, metadata: Mapping[str, Any], *, force: bool) -> None:
    """Write a model file.

    Raises
    ------
    plait.errors.ConfigError
        The file exists and ``force`` is not set.
    """
    arrays: dict[str, Any] = {}
    for name in _RAGGED:
        arrays[f"{name}.starts"], arrays[f"{name}.values"] = getattr(parts, name)
    for name in _NAMES:
        arrays[f"{name}.bytes"], arrays[f"{name}.offsets"] = models.pack_words(getattr(parts, name))
    symbols = {"source_units": parts.source_units, "target_units": parts.target_units}
    models.save(path, KIND, arrays, {**metadata, **symbols}, force=force)


def load(path: Path) -> tuple[Parts, dict[str, Any]]:
    """Read a model file.

    Raises
    ------
    plait.errors.ModelFileError
        It holds no joint source-channel model, or what stands in it does not fit together.
    """
    file = models.load(path, KIND)
    ragged = {name: _ragged(path, file, name) for name in _RAGGED}
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
        _refuse(path, "units have other numbers of source and target chunks")
    for part, limit in (
        ("unit_sources", len(names["source_names"])),
        ("unit_targets", len(names["target_names"])),
        ("sequences", units),
    ):
        values = ragged[part][1]
        if len(values) and int(values.max()) >= limit:
            _refuse(path, f"{part} has a number of {limit} or more")
    metadata = file.metadata
    for name, kind in (("settings", dict), ("options", dict), ("trials", list)):
        if not isinstance(metadata.get(name), kind):
            _refuse(path, f"{name} is missing")
    symbols = {name: metadata.get(name) for name in ("source_units", "target_units")}
    if any(value not in UNITS for value in symbols.values()):
        _refuse(path, "the kind of symbols is not known")
    if not {"order", "prune"} <= set(metadata["options"]):
        _refuse(path, "the order or the thresholds are missing")
    return Parts(**symbols, **names, **ragged), metadata  # type: ignore[arg-type]


def _ragged(path: Path, file: models.ModelFile, name: str) -> Ragged:
    starts, values = file.array(f"{name}.starts", np.uint64), file.array(f"{name}.values", np.uint32)
    if not len(starts) or starts[0] != 0 or starts[-1] != len(values) or (starts[1:] < starts[:-1]).any():
        _refuse(path, f"the starts of {name} do not rise from 0 to {len(values)}")
    return starts, values


def _refuse(path: Path, problem: str) -> NoReturn:
    raise ModelFileError(f"{display_name(path)}: {problem}; make the model again")
