"""The scenario ``crf``: training random fields, beside python-crfsuite with the same attributes and objective."""

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

REAL_SETS = ("conll2000", "chunking", "basenp", "japanesene", "wnut17", "converter")
L2 = "0.5"

# Gradients whose mean is told.
GRADIENTS = 3

FIGURES = ("train s", "train CPU s", "iterations", "objective", "weights", "gradient CPU s", "F1 %", "tokens/CPU s")
RATIOS = {"wall, python-crfsuite = 1": "train s", "CPU, python-crfsuite = 1": "train CPU s"}

Row = dict[str, object]


def measured(
    names: Sequence[str], data: Path | None, rivals: Rivals, folder: Path, *, iterations: int, cpus: Sequence[int]
) -> list[Row]:
    """Return a row for each set, system and number of CPUs.

    Raises
    ------
    Failed
        A program failed, or objectives at convergence differ.
    """
    rows: list[Row] = []
    for name in names:
        program(sys.executable, "crf_sets.py", name, str(folder), *([str(data)] if data else []))
        file = str(folder / name)
        theirs: dict[str, Any] | None = None
        if python := rivals.python_with("pycrfsuite"):
            theirs = program(python, "rivals/pycrfsuite_chain.py", file, str(iterations), L2)
            if (folder / f"{name}.test").exists():
                theirs |= program(sys.executable, "crf_score.py", file, f"{file}.labels")
            rows.append(row(name, "python-crfsuite", 1, theirs, theirs))
        available = sorted(os.sched_getaffinity(0))
        for count in cpus:
            if count > len(available):
                continue
            options = [file, str(iterations), L2, str(count), str(GRADIENTS)]
            ours = program(sys.executable, "crf_training.py", *options)
            if theirs is not None:
                compare(name, ours, theirs, iterations)
            rows.append(row(name, "plait", count, ours, theirs))
    return rows


def row(name: str, system: str, cpus: int, found: dict[str, Any], base: dict[str, Any] | None) -> Row:
    """Return the figures of a run, None for those that it has not."""
    made: Row = {"set": name, "system": system, "cpus": cpus}
    made |= {figure: found.get(figure) for figure in (*FIGURES, "peak MB")}
    return made | {ratio: found[figure] / base[figure] if base else None for ratio, figure in RATIOS.items()}


def compare(name: str, ours: dict[str, Any], theirs: dict[str, Any], iterations: int) -> None:
    """Refuse objectives that differ, where both searches have ended by themselves."""
    if ours["weights"] != theirs["weights"]:
        raise Failed(f"{name}: {ours['weights']} weights by plait, {theirs['weights']} by python-crfsuite")
    has_ended = max(ours["iterations"], theirs["iterations"]) < iterations
    if has_ended and abs(ours["objective"] / theirs["objective"] - 1) > 1e-3:
        raise Failed(f"{name}: objective {ours['objective']} by plait, {theirs['objective']} by python-crfsuite")
