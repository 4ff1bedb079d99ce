"""Times plait's R - T H and its gradient, in one process: FORESTS REPEAT THREADS [FILE]. Prints JSON.

The forests are those of `risk_forests`, in memory or in FILE, which is made first and read through the page cache of
the system.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import risk_forests
from plait.hypergraph import Hypergraph, SparseFeatures
from plait.minrisk import RiskForest, TrainingSet

NAMES = tuple(f"feature {n}" for n in range(risk_forests.DENSE + risk_forests.SPARSE))


def made(count: int) -> Iterator[RiskForest]:
    """Yield the forests as plait's."""
    for forest in risk_forests.forests(count):
        structure = (forest["heads"], forest["tail_starts"], forest["tails"])
        graph = Hypergraph(*structure, nodes=forest["nodes"], root=forest["root"])
        features = SparseFeatures(forest["starts"], forest["ids"], forest["values"], NAMES)
        yield RiskForest(graph, features, forest["losses"])


def main(count: str, repeat: str, threads: str, path: str | None = None) -> None:
    """Repeat the evaluation."""
    start = time.perf_counter()
    forests = TrainingSet.build(made(int(count)), path=path, force=True)
    built = time.perf_counter() - start
    weights = risk_forests.weights()
    seconds, cpu = [], []
    # The first one looks at checksums.
    for _ in range(int(repeat) + 1):
        start, cpu_start = time.perf_counter(), time.process_time()
        found = forests.evaluate(weights, temperature=risk_forests.TEMPERATURE, threads=int(threads))
        seconds.append(time.perf_counter() - start)
        cpu.append(time.process_time() - cpu_start)
    assert found.gradient is not None
    result = {
        "seconds": seconds[1:],
        "cpu": cpu[1:],
        "found": {"risk": found.risk, "objective": found.objective, "gradient": found.gradient[:20].tolist()},
        "built": built,
        "first": seconds[0],
        "bytes": forests.nbytes,
        "edges": forests.edges,
        "nodes": forests.nodes,
        "peak": peak(),
    }
    print(json.dumps(result))


def peak() -> int:
    """Return the largest resident set, in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


if __name__ == "__main__":
    main(*sys.argv[1:])
