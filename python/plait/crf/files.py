"""Random fields in model files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from plait import _core, models
from plait.errors import ModelFileError
from plait.io.streams import Path

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["KIND", "arrays_of", "core_of", "load", "save", "write_to"]

KIND = "chain-crf"

_DTYPES = {
    "attributes.bytes": "uint8",
    "attributes.offsets": "uint64",
    "labels.bytes": "uint8",
    "labels.offsets": "uint64",
    "states.starts": "uint64",
    "states.labels": "uint32",
    "transitions.starts": "uint64",
    "transitions.labels": "uint32",
}
_TRIPLES = {
    "triples.starts": "uint64",
    "triples.from": "uint32",
    "triples.to": "uint32",
}
"""Only models whose templates ask for weights of an attribute and two labels have these."""
_METADATA = ("options", "template", "width", "format", "history", "gradient_norm", "stopped_by", "held_out_history")


def arrays_of(core: _core.CrfModel) -> dict[str, npt.NDArray[Any]]:
    """Return all arrays of a model by name."""
    import numpy as np

    return {name: np.array(view) for name, view in core.stored().items()}


def core_of(arrays: Mapping[str, npt.NDArray[Any]] | Mapping[str, memoryview[Any]]) -> _core.CrfModel:
    """Make a model of its arrays, or of their numbers as a file shows them.

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
        arrays["weights"],
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
    models.save(path, KIND, core.stored(single=single), metadata, force=force)


def write_to(out: models.Writable, core: _core.CrfModel, metadata: Mapping[str, Any], *, single: bool) -> None:
    """Write a model to an open file."""
    models.write_to(out, KIND, core.stored(single=single), metadata)


def load(path: Path) -> tuple[_core.CrfModel, dict[str, Any]]:
    """Read a model file: the model, and its metadata.

    Raises
    ------
    plait.errors.ModelFileError
        The file is no model of this kind, or damaged.
    """
    found = models.load(path, KIND)
    dtypes = _DTYPES | (_TRIPLES if "triples.starts" in found.blocks else {})
    weights = found.blocks.get("weights")
    is_single = weights is not None and weights.dtype.name == "float32"
    dtypes = dtypes | {"weights": "float32" if is_single else "float64"}
    views = {name: found.view(name, dtype) for name, dtype in dtypes.items()}
    missing = [name for name in _METADATA if name not in found.metadata]
    if missing or not isinstance(found.metadata["options"], dict):
        raise ModelFileError(
            f"the metadata of a model of kind {KIND!r} lacks {missing or 'options'}; make the model again"
        )
    return core_of(views), found.metadata
