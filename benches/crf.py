"""The scenario ``crf``: training random fields, beside rivals with the same attributes and objective.

CRFsuite has weights for pairs of an attribute and a label that occur, CRF++ and Wapiti for all of them: another model,
with which plait is measured too where one of these is.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
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

FIGURES = ("train s", "train CPU s", "iterations", "objective", "weights", "gradient CPU s", "F1 %", "tokens/CPU s")
RATIOS = {"wall, python-crfsuite = 1": "train s", "CPU, python-crfsuite = 1": "train CPU s"}

Row = dict[str, object]


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
        base, of_all = None, None
        for system, module, script in RIVALS:
            python = rivals.python_with(module) if system in chosen else None
            if python is None or (system != OBSERVED and name in UNEVEN):
                continue
            found = program(python, f"rivals/{script}", file, str(iterations), L2)
            if (folder / f"{name}.test").exists():
                found |= program(sys.executable, "crf_score.py", file, f"{file}.labels")
            base = found if system == OBSERVED else base
            of_all = (system, found) if system != OBSERVED else of_all
            rows.append(row(name, system, 1, found, base))
        available = len(os.sched_getaffinity(0))
        for count in filter(lambda count: count <= available, cpus):
            options = [file, str(iterations), L2, str(count), str(GRADIENTS)]
            ours = program(sys.executable, "crf_training.py", *options)
            if base is not None:
                compare(name, ours, base, iterations)
            rows.append(row(name, "plait", count, ours, base))
            if of_all is not None:
                ours = program(sys.executable, "crf_training.py", *options, "all")
                compare(name, ours, of_all[1], None, of_all[0])
                rows.append(row(name, "plait, all pairs", count, ours, base))
    return rows


def row(name: str, system: str, cpus: int, found: dict[str, Any], base: dict[str, Any] | None) -> Row:
    """Return the figures of a run, None for those that it has not."""
    made: Row = {"set": name, "system": system, "cpus": cpus}
    made |= {figure: found.get(figure) for figure in (*FIGURES, "peak MB")}
    return made | {ratio: found[figure] / base[figure] if base else None for ratio, figure in RATIOS.items()}


def compare(
    name: str, ours: dict[str, Any], theirs: dict[str, Any], iterations: int | None, rival: str = OBSERVED
) -> None:
    """Refuse models of different size and, where both searches have ended by themselves, objectives that differ."""
    if ours["weights"] != theirs["weights"]:
        raise Failed(f"{name}: {ours['weights']} weights by plait, {theirs['weights']} by {rival}")
    has_ended = iterations is not None and max(ours["iterations"], theirs["iterations"]) < iterations
    if has_ended and abs(ours["objective"] / theirs["objective"] - 1) > 1e-3:
        raise Failed(f"{name}: objective {ours['objective']} by plait, {theirs['objective']} by {rival}")
