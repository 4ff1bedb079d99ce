"""Training of random fields: options, data, checkpoints, and what comes back."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from plait import _core
from plait.crf.checkpoint import Checkpoint
from plait.crf.claims import Allowed, claims_of
from plait.crf.persistence import iterations_of
from plait.crf.sequences import Sequences
from plait.errors import ConfigError, ConvergenceWarning
from plait.io.model_reader import sha256
from plait.io.streams import Path
from plait.progress import Callback
from plait.threads import resolve_threads

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from plait.crf.chain import ChainCRF

__all__ = ["ALGORITHMS", "Algorithm", "Data", "Watch", "fit", "whole"]

Algorithm = Literal["lbfgs", "sgd", "adagrad", "perceptron"]
ALGORITHMS = ("lbfgs", "sgd", "adagrad", "perceptron")
MAX_ITERATIONS = {"lbfgs": 1000, "sgd": 30, "adagrad": 30, "perceptron": 10}
"""The most iterations, where none are given: of L-BFGS, or passes over the data."""

Data = Sequences | Iterable[Iterable[Mapping[str, Any] | Iterable[str]]]
"""Sequences, or what `Sequences.from_items` takes."""

# What another run may have without being another one: results do not depend on threads, and more iterations go on.
_FREE = ("threads", "max_iterations")


@dataclass(frozen=True)
class Watch:
    """How training looks at held-out sequences.

    Attributes
    ----------
    patience
        Training ends after so many iterations without a better score, and the best weights are kept; None for never.
    score
        "f1" of chunks, or "accuracy"; they are the same where labels are not those of chunks.
    every
        Iterations between two looks.
    """

    patience: int | None
    score: str
    every: int


def fit(
    model: ChainCRF,
    X: Data,
    y: Iterable[Iterable[str | None]] | None,
    *,
    sample_weight: npt.ArrayLike | None,
    allowed: Allowed | None,
    candidate_labels: Allowed | None,
    start: ChainCRF | None,
    held_out: Sequences | tuple[Iterable[Any], Iterable[Iterable[str]]] | None,
    watch: Watch,
    checkpoint: Path | None,
    checkpoint_seconds: float,
    progress: Callback | None,
) -> None:
    """Train a model; see `ChainCRF.fit`."""
    options = _checked(model, watch, checkpoint_seconds)
    if not isinstance(X, Sequences):
        X = Sequences.from_items(X, y if allowed is not None else _required(y), extends=start)
    elif y is not None:
        raise ConfigError(name="y", expected="None for Sequences, which have labels", found=type(y).__name__)
    if allowed is not None:
        X = X.with_allowed(allowed)
    if held_out is not None and not isinstance(held_out, Sequences):
        held_out = Sequences.from_items(*held_out, model=X)
    if sample_weight is not None:
        X = X.with_weights(sample_weight)
    claims = claims_of(X, candidate_labels, X.label_names)
    if claims is not None and held_out is not None and not model.warm_start_candidates:
        expected = "None with candidate_labels, which held-out sequences do not have"
        raise ConfigError(name="held_out", expected=expected, found="sequences")
    keeper = None
    if checkpoint is not None:
        keeper = Checkpoint(checkpoint, _identity(options, X, start, held_out, watch, claims))
    core, history, objective, norm, reason, scores, phases = _core.crf_train(
        X.core,
        None if start is None else start.core,
        **options,
        candidate_labels=claims,
        held_out=None if held_out is None else held_out.core,
        dev_score=watch.score,
        dev_every=watch.every,
        patience=watch.patience,
        resume=None if keeper is None else keeper.load(),
        keep=None if keeper is None else keeper.save,
        keep_seconds=checkpoint_seconds,
        progress=progress,
    )
    model._core = core
    model.template, model.width, model.takes_more_columns = X.template, X.width, X.takes_more_columns
    model._history, model._held_out_history = history, scores
    model.objective_, model.gradient_norm_, model.stopped_by_ = objective, norm, reason
    model.phases_ = [_phase(*phase) for phase in phases]
    is_exact = model.warm_start_candidates > 0
    model.candidates_ = None if is_exact else model.candidates
    model.needs_allowed_ = claims is not None and not is_exact
    model.n_iter_ = iterations_of(model)
    # The other trainers are meant to end after some passes.
    if reason == "iterations" and model.algorithm == "lbfgs" and options["max_iterations"] > 0:
        warnings.warn(
            f"training stopped after {model.n_iter_} iterations with a gradient of norm {norm:.3g}; "
            "raise max_iterations, or epsilon or delta",
            ConvergenceWarning,
            stacklevel=3,
        )


def whole(name: str, value: int, least: int = 0) -> int:
    """Return a whole number.

    Raises
    ------
    ConfigError
        It is none, or below the least one.
    """
    try:
        # Of numpy's integers too, and not of floats.
        number = least - 1 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = least - 1
    if number < least:
        raise ConfigError(name=name, expected=f"a whole number from {least}", found=repr(value))
    return number


def _checked(model: ChainCRF, watch: Watch, checkpoint_seconds: float) -> dict[str, Any]:
    """Return the options of training as the core takes them."""
    if model.algorithm not in ALGORITHMS:
        raise ConfigError(name="algorithm", expected=f"one of {', '.join(ALGORITHMS)}", found=repr(model.algorithm))
    if watch.patience is not None:
        whole("patience", watch.patience, 1)
    if watch.score not in ("accuracy", "f1"):
        raise ConfigError(name="held_out_score", expected="'accuracy' or 'f1'", found=repr(watch.score))
    whole("held_out_every", watch.every, 1)
    if not checkpoint_seconds >= 0:
        raise ConfigError(name="checkpoint_seconds", expected="a number from 0", found=checkpoint_seconds)
    most = MAX_ITERATIONS[model.algorithm] if model.max_iterations is None else model.max_iterations
    return {
        "algorithm": model.algorithm,
        "states": model.states,
        "transitions": model.transitions,
        "min_count": model.min_count,
        "l1": model.l1,
        "l2": model.l2,
        "max_iterations": whole("max_iterations", most),
        "epsilon": model.epsilon,
        "delta": model.delta,
        "period": whole("period", model.period),
        "memory": whole("memory", model.memory),
        "warm_passes": whole("warm_passes", model.warm_passes),
        "posterior_beam": model.posterior_beam,
        "candidates": _prefix(model),
        "warm_start_candidates": whole("warm_start_candidates", model.warm_start_candidates),
        "batch": whole("batch", model.batch, 1),
        "rate": model.rate,
        "seed": whole("seed", model.seed),
        "threads": resolve_threads(model.threads),
    }


def _prefix(model: ChainCRF) -> str | None:
    """Return what attributes that have candidates begin with."""
    if model.candidates is None:
        return None
    if not isinstance(model.candidates, str):
        expected = "what names of attributes begin with, or None"
        raise ConfigError(name="candidates", expected=expected, found=repr(model.candidates))
    # Labels seen with an attribute are those it has weights with: that holds for observed pairs only.
    if model.states != "observed":
        raise ConfigError(name="states", expected="'observed' with candidates", found=repr(model.states))
    if model.min_count > 0:
        raise ConfigError(name="min_count", expected="0 with candidates", found=model.min_count)
    return model.candidates


def _phase(
    over: str, iterations: int, evaluations: int, objective: float, lost: tuple[float, float, int, int, int]
) -> dict[str, Any]:
    names = ("objective_error", "gradient_error", "sequences", "positions", "labels")
    found = {"over": over, "iterations": iterations, "evaluations": evaluations, "objective": objective}
    return found | dict(zip(names, lost, strict=True))


def _identity(
    options: Mapping[str, Any],
    data: Sequences,
    start: ChainCRF | None,
    held_out: Sequences | None,
    watch: Watch,
    claims: npt.NDArray[np.bool_] | None,
) -> dict[str, Any]:
    """Return what makes another run another one, as values of JSON."""
    found = {name: value for name, value in options.items() if name not in _FREE}
    found["data"] = _core.crf_fingerprint(data.core)
    found["start"] = None
    if start is not None:
        found["start"] = _digest(start.core.stored()["weights"])
    found["candidate_labels"] = None if claims is None else _digest(claims)
    found["held_out"] = None
    if held_out is not None:
        found["held_out"] = [_core.crf_fingerprint(held_out.core), watch.score, watch.every, watch.patience]
    return found


def _digest(numbers: npt.NDArray[Any] | memoryview[Any]) -> str:
    return sha256(numbers.tobytes()).hexdigest()[:16]


def _required(y: Iterable[Iterable[str | None]] | None) -> Iterable[Iterable[str | None]]:
    if y is None:
        raise ConfigError(name="y", expected="labels for each sequence", found=None)
    return y
