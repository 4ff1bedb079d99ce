"""The scenario ``crf``: training random fields, beside rivals with the same attributes and objective.

CRFsuite has weights for pairs of an attribute and a label that occur, CRF++ and Wapiti for all of them: another model,
with which plait is measured too where one of these is.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from hypergraphs import program
from measure import Failed
from tools import Rivals

SETS = ("made-400-12",)
"""What is measured without shared data."""

REAL_SETS = ("conll2000", "chunking", "basenp", "japanesene", "seg", "wnut17", "converter")
L2 = "0.5"

OBSERVED = "python-crfsuite"
RIVALS = (
    (OBSERVED, "pycrfsuite", "pycrfsuite_chain.py"),
    ("CRF++", "CRFPP", "crfpp_chain.py"),
    ("Wapiti", "wapiti", "wapiti_chain.py"),
)
"""Name, module and driver of each rival."""

UNEVEN = ("converter",)
"""Sets whose positions have different numbers of attributes, which columns cannot hold."""

# Gradients whose mean is told.
GRADIENTS = 3

DIFFERENCE = ("F1 difference", "low", "high", "p")
"""Of F1 to that of plait with the same pairs of labels, in points: see `crf_difference`."""

FIGURES = ("train s", "train CPU s", "iterations", "objective", "weights", "gradient CPU s", "F1 %", "tokens/CPU s")
RATIOS = {"wall, python-crfsuite = 1": "train s", "CPU, python-crfsuite = 1": "train CPU s"}

Row = dict[str, object]
Result = dict[str, Any]


def measured(
    names: Sequence[str],
    data: Path | None,
    rivals: Rivals,
    folder: Path,
    *,
    iterations: int,
    cpus: Sequence[int],
    chosen: Sequence[str],
) -> list[Row]:
    """Return a row for each set, system and number of CPUs.

    Rivals that are not chosen, or not in their environment, are left out.

    Raises
    ------
    Failed
        A program failed, or objectives at convergence differ.
    """
    rows: list[Row] = []
    for name in names:
        program(sys.executable, "crf_sets.py", name, str(folder), *([str(data)] if data else []))
        file = str(folder / name)
        found: dict[str, Result] = {}
        for system, module, script in RIVALS:
            python = rivals.python_with(module) if system in chosen else None
            if python is None or (system != OBSERVED and name in UNEVEN):
                continue
            found[system] = program(python, f"rivals/{script}", file, str(iterations), L2)
            if (folder / f"{name}.test").exists():
                found[system] |= program(sys.executable, "crf_score.py", file, f"{file}.labels")
            keep(file, system)
        ours = list(beside(name, file, found, iterations, cpus))
        rows += [row(name, system, 1, result, found.get(OBSERVED)) for system, result in found.items()]
        rows += [row(name, system, count, result, found.get(OBSERVED)) for system, count, result in ours]
    return rows


def beside(
    name: str, file: str, rivals: dict[str, Result], iterations: int, cpus: Sequence[int]
) -> Iterator[tuple[str, int, Result]]:
    """Yield plait's name, CPUs and figures, with the pairs of CRFsuite and of the others, where there are some.

    How F1 differs from that of plait with the same pairs is put into the figures of each rival.

    Raises
    ------
    Failed
        A program failed, or objectives at convergence differ.
    """
    of_all = [system for system in rivals if system != OBSERVED]
    available = len(os.sched_getaffinity(0))
    for count in filter(lambda count: count <= available, cpus):
        options = [file, str(iterations), L2, str(count), str(GRADIENTS)]
        for system, pairs, same in (("plait", "observed", [OBSERVED]), ("plait, all pairs", "all", of_all)):
            if pairs == "all" and not of_all:
                continue
            ours = program(sys.executable, "crf_training.py", *options, pairs)
            keep(file, system)
            for rival in filter(rivals.__contains__, same):
                compare(name, ours, rivals[rival], iterations if rival == OBSERVED else None, rival)
                rivals[rival] |= differing(file, system, rival)
            yield system, count, ours


def keep(file: str, system: str) -> None:
    """Keep the labels that a system found, if there is a test set, under a name of their own."""
    labels = Path(f"{file}.labels")
    if labels.exists():
        labels.replace(f"{file}.{system}.labels")


def differing(file: str, ours: str, theirs: str) -> Result:
    """Return how the F1 of two systems differs; nothing without a test set."""
    texts = [f"{file}.{system}.labels" for system in (ours, theirs)]
    if not all(os.path.exists(text) for text in texts):
        return {}
    found = program(sys.executable, "crf_difference.py", file, *texts)
    return {figure: found[figure] for figure in DIFFERENCE}


def row(name: str, system: str, cpus: int, found: Result, base: Result | None) -> Row:
    """Return the figures of a run, None for those that it has not."""
    made: Row = {"set": name, "system": system, "cpus": cpus}
    made |= {figure: found.get(figure) for figure in (*FIGURES, "peak MB", *DIFFERENCE)}
    return made | {ratio: found[figure] / base[figure] if base else None for ratio, figure in RATIOS.items()}


def compare(name: str, ours: Result, theirs: Result, iterations: int | None, rival: str = OBSERVED) -> None:
    """Refuse models of different size and, where both searches have ended by themselves, objectives that differ."""
    if ours["weights"] != theirs["weights"]:
        raise Failed(f"{name}: {ours['weights']} weights by plait, {theirs['weights']} by {rival}")
    has_ended = iterations is not None and max(ours["iterations"], theirs["iterations"]) < iterations
    if has_ended and abs(ours["objective"] / theirs["objective"] - 1) > 1e-3:
        raise Failed(f"{name}: objective {ours['objective']} by plait, {theirs['objective']} by {rival}")
