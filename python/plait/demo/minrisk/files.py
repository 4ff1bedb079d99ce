"""The forests, references and weights of a run as files, for `plait minrisk`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from plait.demo.minrisk.schemes import Part
from plait.errors import ConfigError
from plait.hypergraph import write_forests
from plait.io.atomic import OutputGroup
from plait.minrisk import write_weights

__all__ = ["SeedFiles", "prepare_folder"]


@dataclass(frozen=True, eq=False)
class SeedFiles:
    """What one seed leaves behind.

    Attributes
    ----------
    seed : int
    parts : mapping of str to Part
        Forests and references of "dev", "test" and "train".
    sources : mapping of str to sequence of sequence of str
        The source sentences of "dev" and "test".
    weights : mapping of str to mapping of str to float
        Those of each scheme.
    """

    seed: int
    parts: Mapping[str, Part]
    sources: Mapping[str, Sequence[Sequence[str]]]
    weights: Mapping[str, Mapping[str, float]]

    def write(self, folder: str | os.PathLike[str], *, force: bool = False) -> str:
        """Write a folder ``seed-N`` with ``dev.plait``, ``dev.ref``, ``dev.src`` and so on, and ``SCHEME.weights``.

        Parameters
        ----------
        folder
            Where the folder goes.
        force
            Whether files that exist may be replaced.

        Returns
        -------
        str
            Its path.
        """
        path = os.path.join(folder, f"seed-{self.seed}")
        os.makedirs(path, exist_ok=True)
        texts = {f"{name}.ref": part.references for name, part in self.parts.items()}
        texts |= {f"{name}.src": lines for name, lines in self.sources.items()}
        with OutputGroup(force=force) as group:
            for name, lines in texts.items():
                text = "".join(f"{' '.join(words)}\n" for words in lines)
                group.open(os.path.join(path, name)).write(text.encode())
        for name, part in self.parts.items():
            write_forests(os.path.join(path, f"{name}.plait"), part.forests, force=force)
        for name, weights in self.weights.items():
            write_weights(os.path.join(path, f"{name}.weights"), weights, force=force)
        return path


def prepare_folder(folder: str | os.PathLike[str], *, force: bool) -> None:
    """Make a folder, and refuse one that has something in it unless forced to: before minutes of work, not after."""
    os.makedirs(folder, exist_ok=True)
    if os.listdir(folder) and not force:
        raise ConfigError(
            f"{os.fspath(folder)} is not empty; --force replaces files in it, --save names another folder"
        )
