"""The scenario ``hypergraph``: inside, outside, posteriors and expectations of forests, beside the rivals that can.

All figures are CPU time in the process itself, start-up and reading left out; systems take turns.
"""

from __future__ import annotations

import json
import math
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from measure import Failed
from tools import Rivals

HERE = Path(__file__).parent
FORESTS = ("cky-40-20-200", "chain-250000-4", "chain-2500000-4")
PASSES = ("inside", "outside", "posteriors")
LARGEST_FOR_RIVALS = 4_000_000
"""Edges: beyond, a rival takes minutes and gigabytes."""

Row = dict[str, object]
Result = dict[str, Any]


def measured(names: Sequence[str], data: Path | None, rivals: Rivals, folder: Path, repeat: int) -> list[Row]:
    """Return a row for each forest and system.

    Raises
    ------
    Failed
        A program failed, or results that should be equal are not.
    """
    rows: list[Row] = []
    for name in names:
        file = folder / f"{name}.npz"
        program(sys.executable, "forests.py", name, str(file), *([str(data)] if data else []))
        results = {"plait": program(sys.executable, "forest_passes.py", str(file), str(repeat))}
        if results["plait"]["sizes"][1] <= LARGEST_FOR_RIVALS:
            for system, (python, driver) in systems(name, rivals).items():
                results[system] = program(python, f"rivals/{driver}", str(file), str(repeat))
        compare(name, results)
        ours = total(results["plait"])
        rows += [row(name, system, result, results["plait"], ours) for system, result in results.items()]
        file.unlink()
    return rows


def systems(name: str, rivals: Rivals) -> dict[str, tuple[str, str]]:
    """Return the interpreter and the driver of each rival that is there and can do something with the forest."""
    kind = name.split("-")[0]
    able = {"torch-struct": ("torch_struct", "torch_struct_forests.py", ("chain", "cky"))}
    able["pynini"] = ("pynini", "pynini_lattice.py", ("chain",))
    # It recurses along a lattice.
    able["genlm-grammar"] = ("genlm.grammar", "genlm_forests.py", ("cky", "cdec"))
    kind = kind if kind in ("chain", "cky") else "cdec"
    pythons = {system: rivals.python_with(module) for system, (module, _, kinds) in able.items() if kind in kinds}
    return {system: (python, able[system][1]) for system, python in pythons.items() if python}


def program(python: str, *arguments: str) -> Result:
    """Run a program of the harness; return the JSON that it prints, if any."""
    command = [python, str(HERE / arguments[0]), *arguments[1:]]
    finished = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if finished.returncode:
        raise Failed(f"{' '.join(command)}\nexit code {finished.returncode}\n{finished.stderr[-2000:]}")
    result: Result = json.loads(finished.stdout or "{}")
    return result


def compare(name: str, results: dict[str, Result]) -> None:
    """Check that systems in double precision agree, and that the sum of posteriors is the one known."""
    ours = results["plait"]["found"]
    kind, *sizes = name.split("-")
    known = {"chain": lambda n, _: n + 1, "cky": lambda n, *_: 2 * n - 1}
    if kind in known:
        expected = known[kind](*map(int, sizes))
        if not math.isclose(ours["posteriors"], expected, rel_tol=1e-9):
            raise Failed(f"{name}: the posteriors add up to {ours['posteriors']}, not to {expected}")
    for system, result in results.items():
        # pynini hands weights over with nine digits.
        if system != "pynini" and not math.isclose(result["found"]["log_z"], ours["log_z"], rel_tol=1e-9):
            raise Failed(f"{name}: ln Z is {ours['log_z']} by plait, {result['found']['log_z']} by {system}")


def row(name: str, system: str, result: Result, plait: Result, ours: float) -> Row:
    """Return the figures of one system."""
    middle = {key: statistics.median(values) for key, values in result["seconds"].items()}
    found = result["found"]
    whole = total(result)
    row: Row = {"forest": name, "edges": plait["sizes"][1], "tool": system}
    row |= {f"{key} ms": milliseconds(middle.get(key)) for key in ("build", *PASSES)}
    row |= {"all three ms": whole * 1e3, "times plait": whole / ours if system != "plait" else None}
    if "bytes" in result:
        bandwidth = result["copied"] / middle["copy"]
        bounds = {key: count / bandwidth for key, count in result["bytes"].items()}
        bound = sum(bounds[key] for key in PASSES)
        first_order = None
        if "expectations" in middle:
            # Without posteriors, outside weights take a pass over the edges: that of the posteriors, in time.
            first_order = (whole + middle["expectations"]) / whole
        row |= {
            "copy GB/s": bandwidth / 1e9,
            "new copy GB/s": result["copied"] / middle["new copy"] / 1e9,
            "bound ms": bound * 1e3,
            "times bound": whole / bound,
            "times bound of new arrays": whole / (bound * middle["new copy"] / middle["copy"]),
            "bounds ms": {key: value * 1e3 for key, value in bounds.items()},
            "expectations ms": milliseconds(middle.get("expectations")),
            "with expectations : without": first_order,
            "peak MB": result["peak"] / 1e6,
            "bytes/edge": result["peak"] / plait["sizes"][1],
        }
    else:
        row |= dict.fromkeys(("copy GB/s", "new copy GB/s", "bound ms", "times bound", "times bound of new arrays"))
        row |= {"expectations ms": None}
        row |= dict.fromkeys(("with expectations : without", "peak MB", "bytes/edge")) | {"bounds ms": {}}
    difference = abs(found["log_z"] / plait["found"]["log_z"] - 1)
    return row | {"ln Z off by": difference, "sum of posteriors": repr(found.get("posteriors", "-"))}


def total(result: Result) -> float:
    """Return the median seconds of inside, outside and posteriors together, or of what the system has of them."""
    passes = [values for key, values in result["seconds"].items() if key in (*PASSES, "inside, outside and posteriors")]
    return statistics.median(map(sum, zip(*passes, strict=True)))


def milliseconds(seconds: float | None) -> float | None:
    """Return milliseconds, if any."""
    return None if seconds is None else seconds * 1e3
