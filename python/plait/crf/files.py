"""Random fields in model files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from plait import _core, models
from plait.errors import ModelFileError
from plait.io.streams import Path

__all__ = ["KIND", "arrays_of", "core_of", "load", "save"]

KIND = "chain-crf"

_DTYPES: dict[str, type[np.generic]] = {
    "attributes.bytes": np.uint8,
    "attributes.offsets": np.uint64,
    "labels.bytes": np.uint8,
    "labels.offsets": np.uint64,
    "states.starts": np.uint64,
    "states.labels": np.uint32,
    "transitions.starts": np.uint64,
    "transitions.labels": np.uint32,
}
_TRIPLES: dict[str, type[np.generic]] = {
    "triples.starts": np.uint64,
    "triples.from": np.uint32,
    "triples.to": np.uint32,
}
"""Only models whose templates ask for weights of an attribute and two labels have these."""
_METADATA = ("options", "template", "width", "format", "history", "gradient_norm", "stopped_by", "held_out_history")


def arrays_of(core: _core.CrfModel) -> dict[str, npt.NDArray[Any]]:
    """Return all arrays of a model by name."""
    states, transitions, triples = core.states(), core.transitions(), core.triples()
    more: dict[str, npt.NDArray[Any]] = dict(zip(_TRIPLES, triples[:3], strict=True)) if len(triples[3]) else {}
    return {
        **dict(zip(("attributes.bytes", "attributes.offsets"), core.packed_attributes(), strict=True)),
        **dict(zip(("labels.bytes", "labels.offsets"), core.packed_labels(), strict=True)),
        "states.starts": states[0],
        "states.labels": states[1],
        "transitions.starts": transitions[0],
        "transitions.labels": transitions[1],
        **more,
        "weights": np.concatenate([states[2], transitions[2], triples[3]]),
    }


def core_of(arrays: Mapping[str, npt.NDArray[Any]]) -> _core.CrfModel:
    """Make a model of its arrays.

    Raises
    ------
    plait.errors.ModelFileError
        The arrays are not those of a model.
    """
    return _core.CrfModel(
        (arrays["attributes.bytes"], arrays["attributes.offsets"]),
        (arrays["labels.bytes"], arrays["labels.offsets"]),
        arrays["states.starts"],
        arrays["states.labels"],
        arrays["transitions.starts"],
        arrays["transitions.labels"],
        np.asarray(arrays["weights"], dtype=np.float64),
        None
        if "triples.starts" not in arrays
        else (
            arrays["triples.starts"],
            arrays["triples.from"],
            arrays["triples.to"],
        ),
    )


def save(path: Path, core: _core.CrfModel, metadata: Mapping[str, Any], *, force: bool, single: bool) -> None:
    """Write a model file.

    Raises
    ------
    plait.errors.ConfigError
        The file exists and ``force`` is not set.
    """
    models.save(path, KIND, _stored(core, single), metadata, force=force)


def write_to(out: models.Writable, core: _core.CrfModel, metadata: Mapping[str, Any], *, single: bool) -> None:
    """Write a model to an open file."""
    models.write_to(out, KIND, _stored(core, single), metadata)


def load(path: Path) -> tuple[_core.CrfModel, dict[str, Any]]:
    """Read a model file: the model, and its metadata.

    Raises
    ------
    plait.errors.ModelFileError
        The file is no model of this kind, or damaged.
    """
    found = models.load(path, KIND)
    dtypes = _DTYPES | (_TRIPLES if "triples.starts" in found.arrays else {})
    arrays = {name: found.array(name, dtype) for name, dtype in dtypes.items()}
    weights = found.arrays.get("weights")
    is_single = weights is not None and weights.dtype == np.float32
    arrays["weights"] = found.array("weights", np.float32 if is_single else np.float64)
    missing = [name for name in _METADATA if name not in found.metadata]
    if missing or not isinstance(found.metadata["options"], dict):
        raise ModelFileError(
            f"the metadata of a model of kind {KIND!r} lacks {missing or 'options'}; make the model again"
        )
    return core_of(arrays), found.metadata


def _stored(core: _core.CrfModel, single: bool) -> dict[str, npt.NDArray[Any]]:
    arrays = arrays_of(core)
    if single:
        arrays["weights"] = arrays["weights"].astype(np.float32)
    return arrays
