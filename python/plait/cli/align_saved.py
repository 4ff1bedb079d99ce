"""``plait align`` with a model that was trained before."""

from __future__ import annotations

import dataclasses
import os
import time
from typing import Any, cast

import click
from click.core import ParameterSource

from plait.align import Aligner, AlignmentModel, load
from plait.bitext import Bitext, Folding
from plait.cli.align_usage import named_inputs
from plait.errors import ConfigError
from plait.presets import AlignConfig
from plait.progress import Callback

__all__ = ["MODELS", "aligned", "fold_as", "saved_aligner", "saved_settings"]

MODELS = ("ibm1", "ibm2", "hmm")
"""What ``--model`` takes besides the name of a file."""

# All that trains, and is decided once a model is there.
_TRAINING = tuple(
    field.name for field in dataclasses.fields(AlignConfig) if field.name not in ("model", "symmetrize", "threshold")
)


def saved_aligner(options: dict[str, Any]) -> Aligner | None:
    """Return the model of the file that ``--model`` names; None when one is to be trained.

    The options of reading become those of the model.

    Raises
    ------
    click.UsageError
        There is no such file, or an option says something else than the model.
    plait.errors.ModelFileError
        The file is no trained aligner.
    """
    path = options["model"]
    if path is None or path in MODELS:
        return None
    if path != "-" and not os.path.exists(path):
        raise click.UsageError(
            f"--model must be one of {', '.join(MODELS)}, or a file that plait align --save has written; "
            f"found no file {path!r}"
        )
    if path == "-" and "-" in named_inputs(options):
        raise click.UsageError("only one input can be standard input; give a file for the others")
    for name in ("preset", "save", "prior", "prior_weight", "source_classes", "target_classes", *_TRAINING):
        if name in options and _is_given(name):
            option = f"--{name.replace('_', '-')}"
            raise click.UsageError(f"{option} is for training, but {path!r} is trained already; leave out one of both")
    model = load(path)
    fold_as(model, options, path)
    return model


def fold_as(model: Aligner, options: dict[str, Any], path: str) -> None:
    """Set the options of reading that fold words to those of a model.

    Raises
    ------
    click.UsageError
        One was given that says something else.
    """
    if model.folding is None:
        return
    for name, value in model.folding._asdict().items():
        if _is_given(name) and options[name] != value:
            raise click.UsageError(
                f"--{name.replace('_', '-')} contradicts {path!r}, which learned from words folded with "
                f"{Folding(*model.folding)}; leave it out, as the text is read as the model needs it"
            )
        options[name] = value


def saved_settings(model: Aligner, options: dict[str, Any]) -> AlignConfig:
    """Return the settings of a trained model with the symmetrisation of the command line.

    Raises
    ------
    click.UsageError
        A setting is out of its range.
    """
    changes = {name: options[name] for name in ("symmetrize", "threshold") if options[name] is not None}
    try:
        return model.config.replace(**changes)
    except ConfigError as problem:
        raise click.UsageError(problem.message) from None


def aligned(
    model: Aligner, text: Bitext, config: AlignConfig, *, threads: int | None, progress: Callback
) -> AlignmentModel:
    """Return the model together with its links of a text, as `plait.align.fit` does for the text it trains on."""
    started = time.perf_counter()
    directions = model.align_directions(text, threads=threads, progress=progress)
    aligned_at = time.perf_counter()
    progress("symmetrizing", 0, 1, ())
    return AlignmentModel(
        config=config,
        folding=model.folding,
        directions=directions,
        alignments=directions.symmetrized(config, threads=threads),
        history={"forward": [], "reverse": []},
        seconds={"align": aligned_at - started, "symmetrize": time.perf_counter() - aligned_at},
        _core=model._core,
    )


def _is_given(name: str) -> bool:
    source = cast(Any, click.get_current_context().get_parameter_source(name))
    return bool(source is ParameterSource.COMMANDLINE)
