"""Checkpoints of training: where a run stands, whole or absent, and the journal of its present stage."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from plait import models
from plait.errors import ConfigError, ModelFileError
from plait.io.streams import Path, display_name
from plait.minrisk.journal import Journal

__all__ = ["Checkpoint", "State"]

Vector = npt.NDArray[np.float64]

KIND = "minrisk-checkpoint"
"""What `plait.models` calls such a file."""


@dataclass(frozen=True, eq=False)
class State:
    """What is known between two stages; frozen.

    Attributes
    ----------
    stage : int
        The stage that comes next, from 0.
    point : ndarray of float64
        Where it starts: the weights of all features, then ln gamma.
    best : ndarray of float64
        The point with the best score so far; that where training starts before there is any.
    history : list of mapping
        A record for each stage that is done.
    facts : mapping
        What else the trainer must know, as values of JSON.
    """

    stage: int
    point: Vector
    best: Vector
    history: list[Mapping[str, Any]]
    facts: Mapping[str, Any]


class Checkpoint:
    """The file of a run, and its journal ``FILE.journal``.

    Parameters
    ----------
    path
        The file of the checkpoint.
    run : mapping
        Options and digests of data, as values of JSON: what makes another run another one.

    Notes
    -----
    The file is replaced after each stage, by a rename. Between two stages the journal grows by a record for each
    evaluation. A process that is killed at any moment leaves an old or a new checkpoint, and a journal that belongs to
    it, to the stage before, or is not begun: all three lead on to the same bits.
    """

    def __init__(self, path: Path, run: Mapping[str, Any]) -> None:
        self.path = os.fspath(path)
        if self.path == "-":
            raise ConfigError(name="checkpoint", expected="a file that can be read again", found="standard output")
        # As they come back from the file.
        self._run: dict[str, Any] = json.loads(json.dumps(run, sort_keys=True))
        self._digest = hashlib.sha256(json.dumps(self._run, sort_keys=True).encode()).digest()

    def load(self) -> State | None:
        """Return where the run stands; None if it has not begun.

        Raises
        ------
        ModelFileError
            The file is damaged.
        ConfigError
            It is that of a run with other options or data; the message names the first that differs.
        """
        if not os.path.exists(self.path):
            if os.path.exists(self._journal):
                raise ConfigError(
                    f"{display_name(self._journal)} is there without its checkpoint {display_name(self.path)}; "
                    "bring that back, or remove the journal to start from the beginning"
                )
            return None
        file = models.load(self.path, KIND)
        run = file.metadata.get("run")
        if run != self._run:
            self._refuse_other(run if isinstance(run, dict) else {})
        try:
            state = State(
                int(file.metadata["stage"]),
                file.array("point", np.float64),
                file.array("best", np.float64),
                list(file.metadata["history"]),
                dict(file.metadata["facts"]),
            )
        except (KeyError, TypeError, ValueError) as problem:
            raise ModelFileError(
                f"{display_name(self.path)}: the checkpoint lacks what training needs ({problem!r}); "
                "remove it to start from the beginning"
            ) from None
        return state

    def save(self, state: State) -> None:
        """Write where the run stands, whole or not at all."""
        metadata = {"run": self._run, "stage": state.stage, "history": state.history, "facts": dict(state.facts)}
        models.save(self.path, KIND, {"point": state.point, "best": state.best}, metadata, force=True)

    def journal(self, state: State) -> Journal:
        """Return the journal of the stage that comes next."""
        return Journal(self._journal, run=self._digest, stage=state.stage, start=state.point)

    def close(self) -> None:
        """Remove the journal: the run is done."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._journal)

    @property
    def _journal(self) -> str:
        return f"{self.path}.journal"

    def _refuse_other(self, run: Mapping[str, Any]) -> None:
        names = sorted({*run, *self._run})
        name = next((name for name in names if run.get(name) != self._run.get(name)), "run")
        raise ConfigError(
            f"{display_name(self.path)} is the checkpoint of another run: {name} was {_short(run.get(name))} there, "
            f"and is {_short(self._run.get(name))} now; use the same options and data, or another file"
        )


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
