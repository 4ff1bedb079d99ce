"""What a random field's file says of its training, beside the weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from plait.crf.files import KIND
from plait.io.stored import from_a_file

if TYPE_CHECKING:
    from plait.crf.chain import ChainCRF

__all__ = ["iterations_of", "metadata_of", "restore"]


def metadata_of(model: ChainCRF) -> dict[str, Any]:
    """Return what a file says, as values of JSON. The number of threads is left out: results do not depend on it."""
    return {
        "options": model.get_params() | {"threads": None},
        "template": model.template,
        "width": model.width,
        "format": model.format,
        "takes_more_columns": model.takes_more_columns,
        "history": model._history,
        "objective": model.objective_,
        "gradient_norm": model.gradient_norm_,
        "stopped_by": model.stopped_by_,
        "held_out_history": model._held_out_history,
        "candidates": model.candidates_,
        "needs_allowed": model.needs_allowed_,
        "phases": model.phases_,
    }


def restore(model: ChainCRF, metadata: Mapping[str, Any]) -> None:
    """Set what a file says of training.

    Raises
    ------
    plait.errors.ModelFileError
        It says what cannot be.
    """
    with from_a_file(KIND):
        _restore(model, metadata)


def _restore(model: ChainCRF, metadata: Mapping[str, Any]) -> None:
    model.template, model.width, model.format = metadata["template"], metadata["width"], metadata["format"]
    # Files of before the question came up have no answer.
    model.takes_more_columns = metadata.get("takes_more_columns") is True
    model._history = [float(value) for value in metadata["history"]]
    # Files before the other trainers have no such thing: their history ends with it.
    model.objective_ = metadata.get("objective", metadata["history"][-1] if metadata["history"] else None)
    model.n_iter_ = iterations_of(model)
    model.gradient_norm_, model.stopped_by_ = metadata["gradient_norm"], metadata["stopped_by"]
    model._held_out_history = [float(value) for value in metadata["held_out_history"]]
    # Files of before candidates have none.
    model.candidates_, model.phases_ = metadata.get("candidates"), list(metadata.get("phases", ()))
    if not isinstance(model.candidates_, str | None):
        raise TypeError("candidates are no text")
    model.needs_allowed_ = metadata.get("needs_allowed") is True


def iterations_of(model: ChainCRF) -> int:
    """Return how many iterations a history is of: that of L-BFGS has the objective before the first one too."""
    return max(len(model._history) - (model.algorithm == "lbfgs"), 0)
