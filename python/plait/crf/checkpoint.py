"""Checkpoints of training a random field: where a run stands, whole or absent."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from plait import models
from plait.errors import ConfigError
from plait.io.streams import Path, display_name

__all__ = ["KIND", "Checkpoint"]

KIND = "chain-crf-checkpoint"
"""What `plait.models` calls such a file."""


class Checkpoint:
    """The file of a run.

    Parameters
    ----------
    path
        The file.
    run : mapping
        Options and fingerprints of data, as values of JSON: what makes another run another one.

    Notes
    -----
    The file is replaced by a rename: a process that is killed at any moment leaves an old or a new one, and both lead
    on to the same bits.
    """

    def __init__(self, path: Path, run: Mapping[str, Any]) -> None:
        self.path = os.fspath(path)
        if self.path == "-":
            raise ConfigError(name="checkpoint", expected="a file that can be read again", found="standard output")
        # As they come back from the file.
        self._run: dict[str, Any] = json.loads(json.dumps(run, sort_keys=True))

    def load(self) -> dict[str, memoryview[float]] | None:
        """Return where the run stands, as the core's vectors by name; None if it has not begun.

        Raises
        ------
        plait.errors.ModelFileError
            The file is damaged, or no checkpoint.
        ConfigError
            It is that of a run with other options or data; the message names the first that differs.
        """
        if not os.path.exists(self.path):
            return None
        file = models.load(self.path, KIND)
        run = file.metadata.get("run")
        if run != self._run:
            self._refuse_other(run if isinstance(run, dict) else {})
        return {name: file.view(name, "float64") for name in file.blocks}

    def save(self, parts: Mapping[str, memoryview[float]]) -> None:
        """Write where the run stands, whole or not at all.

        Raises
        ------
        plait.errors.ResourceError
            The disk is full; the checkpoint that stood there before still does.
        """
        models.save(self.path, KIND, parts, {"run": self._run}, force=True)

    def _refuse_other(self, run: Mapping[str, Any]) -> None:
        names = sorted({*run, *self._run})
        name = next((name for name in names if run.get(name) != self._run.get(name)), "run")
        old, new = json.dumps(run.get(name)), json.dumps(self._run.get(name))
        raise ConfigError(
            f"{display_name(self.path)} is the checkpoint of another run: {name} was {old} there, and is {new} now; "
            "use the same options and data, or another file"
        )
