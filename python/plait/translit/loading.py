"""Saved systems of any kind."""

from __future__ import annotations

from typing import Any

from plait import models
from plait.errors import ModelFileError
from plait.io.streams import Path, display_name

__all__ = ["from_stored", "kind_of", "load"]


def load(path: Path) -> Any:
    """Read a system that was saved: a `TwoStepCRF`, a `JointSourceChannel` or an `Interpolation`.

    Raises
    ------
    plait.errors.ModelFileError
        The file is no model of these kinds, or damaged.
    """
    found = models.load(path)
    if found.kind not in _kinds():
        kinds = ", ".join(_kinds())
        raise ModelFileError(
            f"{display_name(path)}: a transliteration model is needed ({kinds}); found one of kind {found.kind!r}"
        )
    return from_stored(found)


def from_stored(found: models.ModelFile) -> Any:
    """Make a system of the contents of a model file."""
    kinds = _kinds()
    if found.kind not in kinds:
        raise ModelFileError(f"a transliteration model is needed; found one of kind {found.kind!r}")
    return kinds[found.kind].from_stored(found)


def kind_of(system: Any) -> str:
    """Return the kind under which a system is saved."""
    return next(kind for kind, made in _kinds().items() if type(system) is made)


def _kinds() -> dict[str, Any]:
    from plait.translit import interpolation, joint_files, joint_source_channel, two_step

    return {
        two_step.KIND: two_step.TwoStepCRF,
        joint_files.KIND: joint_source_channel.JointSourceChannel,
        interpolation.KIND: interpolation.Interpolation,
    }
