"""The scenario ``minrisk``: one gradient of R - T H over many forests, beside autodiff.

plait has the forests in memory, or reads them from a file in each evaluation. Rivals have them in memory, in batches of
several sizes, of which the fastest one counts; they are measured on fewer forests, and in time for each.
"""

from __future__ import annotations

import math
import statistics
import sys
from pathlib import Path

from hypergraphs import Result, Row, program
from measure import Failed
from tools import Rivals

FORESTS = (100, 1000)
FORESTS_FOR_RIVALS = 100
BATCHES = (5, 20, 100)
SYSTEMS = {"torch": "torch_minrisk.py", "jax": "jax_minrisk.py"}


def measured(counts: list[int], cpus: list[int], rivals: Rivals, folder: Path, repeat: int) -> list[Row]:
    """Return a row for each system, number of forests and number of CPUs.

    Raises
    ------
    Failed
        A program failed, or results that should be equal are not.
    """
    rows: list[Row] = []
    for threads in cpus:
        results: list[tuple[str, int, Result]] = []
        for count in counts:
            for where in ("memory", "file"):
                place = [str(folder / "forests")] if where == "file" else []
                arguments = ("minrisk_evaluations.py", str(count), str(repeat), str(threads), *place)
                results.append((f"plait, in {where}", count, run(*arguments)))
        few = min(FORESTS_FOR_RIVALS, max(counts))
        for name, driver in SYSTEMS.items():
            python = rivals.python_with(name)
            if python:
                results.append((name, few, fastest(python, driver, few, repeat, threads)))
        compare(results)
        base = next(entry for entry in reversed(results) if entry[0] == "plait, in memory")
        rows += [row(name, count, threads, result, base) for name, count, result in results]
    return rows


def run(*arguments: str) -> Result:
    """Run the driver of plait."""
    return program(sys.executable, *arguments)


def fastest(python: str, driver: str, count: int, repeat: int, threads: int) -> Result:
    """Return the result with the best size of batches."""
    results = []
    for size in BATCHES:
        if size <= count:
            result = program(python, f"rivals/{driver}", str(count), str(repeat), str(size), str(threads))
            results.append(result | {"batch": size})
    return min(results, key=lambda result: statistics.median(result["seconds"]))


def compare(results: list[tuple[str, int, Result]]) -> None:
    """Check that systems agree on the same forests: to nine digits, and those of plait bit by bit."""
    by_count: dict[int, tuple[str, Result]] = {}
    for name, count, result in results:
        known_name, known = by_count.setdefault(count, (name, result))
        found, expected = result["found"], known["found"]
        if name.startswith("plait") and found != expected:
            raise Failed(f"{name} and {known_name} do not find the same on {count} forests")
        pairs = [(found[key], expected[key]) for key in ("risk", "objective")]
        pairs += zip(found["gradient"], expected["gradient"], strict=True)
        for a, b in pairs:
            if not math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9):
                raise Failed(f"{count} forests: {name} finds {a}, {known_name} {b}")


def of_each(result: Result, count: int, clock: str = "seconds") -> float:
    """Return the seconds for a forest."""
    return statistics.median(result[clock]) / count


def row(name: str, count: int, threads: int, result: Result, base: tuple[str, int, Result]) -> Row:
    """Return the figures of one system; on a machine with other work, times of the clock say little."""
    each, cpu = of_each(result, count), of_each(result, count, "cpu")
    known, known_cpu = of_each(base[2], base[1]), of_each(base[2], base[1], "cpu")
    is_other = not name.startswith("plait, in memory")
    details = {"batch": result.get("batch"), "method": result.get("method"), "compiled s": result.get("compiled")}
    return {
        "tool": name,
        "forests": count,
        "cores": threads,
        "s": each * count,
        "ms/forest": each * 1e3,
        "CPU ms/forest": cpu * 1e3,
        "s for 1,000": each * 1e3,
        "s, plait in memory = 1": each / known if is_other else None,
        "CPU s, plait in memory = 1": cpu / known_cpu if is_other else None,
        "peak MB": result["peak"] / 1e6,
        "MB of forests": result["bytes"] / 1e6 if "bytes" in result else None,
        "edges": result.get("edges"),
        **details,
    }
