"""Aligners that are compared, each with the command of one run and the files that it leaves."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import tools
from corpora import Corpus

Command = Callable[[int], list[str]]


@dataclass(frozen=True)
class System:
    """An aligner with its options.

    Parameters
    ----------
    name
        As tables have it.
    command
        Gives the command of a run from the number of the run, which is the seed where there is one.
    outputs
        The symmetrised links, or both directions of a system that leaves them apart.
    """

    name: str
    command: Command
    outputs: tuple[Path, ...]


@dataclass(frozen=True)
class Choice:
    """Which systems take part.

    Parameters
    ----------
    groups
        Names in `GROUPS`.
    presets
        Presets of plait, the first one of which the others are compared with.
    prefixes
        Lengths to which eflomal may cut the words of both sides: its stemming options.
    """

    groups: tuple[str, ...]
    presets: tuple[str, ...]
    prefixes: tuple[int, ...]


def chosen(choice: Choice, corpus: Corpus, rivals: tools.Rivals, folder: Path, threads: int) -> list[System]:
    """Return the systems of a choice that are there."""
    return [
        system for group in choice.groups for system in GROUPS[group](choice, corpus, rivals, folder, threads=threads)
    ]


def plait(choice: Choice, corpus: Corpus, _: tools.Rivals, folder: Path, *, threads: int) -> list[System]:
    """Return presets of plait."""
    found = []
    for preset in choice.presets:
        out = folder / f"plait-{preset}.align"
        command = functools.partial(plait_command, corpus, out, threads=threads, preset=preset)
        found.append(System(f"plait {preset}", command, (out,)))
    return found


def plait_command(corpus: Corpus, out: Path, seed: int, *, threads: int, preset: str) -> list[str]:
    """Return the command with the seed where a run has its number."""
    return tools.plait_align(corpus, out, threads=threads, preset=preset, seed=seed)


def eflomal(_: Choice, corpus: Corpus, rivals: tools.Rivals, folder: Path, *, threads: int) -> list[System]:
    """Return eflomal as it comes: HMM and fertility, three chains, as many threads as there are CPUs."""
    return eflomal_with("eflomal", (), corpus, rivals, folder)


def eflomal_stems(choice: Choice, corpus: Corpus, rivals: tools.Rivals, folder: Path, *, threads: int) -> list[System]:
    """Return eflomal with its stemming options, the same length for both sides."""
    return [
        system
        for length in choice.prefixes
        for system in eflomal_with(
            f"eflomal prefix {length}",
            ("--source-prefix", str(length), "--target-prefix", str(length)),
            corpus,
            rivals,
            folder,
        )
    ]


def eflomal_model1(_: Choice, corpus: Corpus, rivals: tools.Rivals, folder: Path, *, threads: int) -> list[System]:
    """Return the Bayesian Model 1 of eflomal."""
    return eflomal_with("eflomal -m 1", ("-m", "1"), corpus, rivals, folder)


def eflomal_with(name: str, options: Sequence[str], corpus: Corpus, rivals: tools.Rivals, folder: Path) -> list[System]:
    program = rivals.eflomal
    if program is None:
        return []
    out = folder / f"{name.replace(' ', '-')}.align"
    command = [*tools.eflomal_align(program, corpus, out), *options]
    # It takes no seed: every run is another one.
    return [System(name, lambda _: command, tools.directions(out))]


def fast_align(_: Choice, corpus: Corpus, rivals: tools.Rivals, folder: Path, *, threads: int) -> list[System]:
    """Return fast_align as a library, which gives the symmetrised links alone."""
    python = rivals.systran
    if python is None:
        return []
    out = folder / "systran.align"
    command = tools.systran_align(python, corpus, out)
    return [System("fast_align (systran-align)", lambda _: command, (out,))]


def thot(_: Choice, corpus: Corpus, rivals: tools.Rivals, folder: Path, *, threads: int, model: str) -> list[System]:
    """Return one of sil-thot's models."""
    python = rivals.thot
    if python is None:
        return []
    out = folder / f"thot-{model}.align"
    command = functools.partial(thot_command, python, corpus, out, model=model)
    return [System(f"sil-thot {model}", command, tools.directions(out))]


def thot_command(python: str, corpus: Corpus, out: Path, seed: int, *, model: str) -> list[str]:
    """Return the command with the seed where a run has its number."""
    return tools.thot_align(python, corpus, out, model=model, seed=seed)


GROUPS: dict[str, Callable[..., list[System]]] = {
    "plait": plait,
    "eflomal": eflomal,
    "eflomal-stems": eflomal_stems,
    "fast_align": fast_align,
    "eflomal-m1": eflomal_model1,
    "thot-hmm": functools.partial(thot, model="hmm"),
    "thot-ibm4": functools.partial(thot, model="ibm4"),
    "thot-fast_align": functools.partial(thot, model="fast_align"),
    "thot-eflomal": functools.partial(thot, model="eflomal"),
}
USUAL = ("plait", "eflomal", "eflomal-stems", "fast_align")
"""Without the models of sil-thot, which take several times as long as all others together."""
USUAL_CHOICE = Choice(USUAL, ("default",), ())
