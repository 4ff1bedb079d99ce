"""Forests of ten million edges: memory that is bounded, and work that an interrupt ends within a second."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from plait.hypergraph import Distribution, Hypergraph, SparseFeatures
from processes import PEAK

EDGES = 10_000_000

LATTICE = f"""
import json, sys
import numpy as np
from plait.hypergraph import Distribution, Hypergraph, read_forests
{PEAK}
def forget():
    open("/proc/self/clear_refs", "w").write("5")
    return peak()
def lattice(edges, arcs):
    steps = edges // arcs
    heads = np.concatenate(([0], np.repeat(np.arange(1, steps + 1, dtype=np.uint32), arcs))).astype(np.uint32)
    tails = np.repeat(np.arange(steps, dtype=np.uint32), arcs)
    starts = np.concatenate(([0], np.arange(edges + 1))).astype(np.uint64)
    return heads, starts, tails
"""


def measured(program: str, *arguments: object) -> dict[str, float]:
    """Run a program; return the bytes an edge that it prints, by the name of what it did."""
    command = [sys.executable, "-c", LATTICE + program, *map(str, arguments)]
    found: dict[str, float] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return found


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("is_shuffled", [False, True], ids=["in order", "shuffled"])
def test_memory_of_a_forest_with_ten_million_edges(is_shuffled):
    program = f"""
edges = {EDGES}
heads, starts, tails = lattice(edges, 4)
if {is_shuffled}:
    order = np.random.default_rng(1).permutation(edges)
    heads[1:], tails = heads[1:][order], tails[order]
    del order
weights = np.zeros(edges + 1)
before = forget()
graph = Hypergraph(heads, starts, tails)
built = peak()
now = forget()
p = Distribution(graph, weights)
p.inside, p.edge_posteriors, p.outside
passes = peak()
assert abs(p.edge_posteriors.sum() - (edges // 4 + 1)) < 1e-3
print(json.dumps(dict(build=(built - before) * 1024 / edges, passes=(passes - now) * 1024 / edges)))
"""
    found = measured(program)
    assert found["build"] < (28 if is_shuffled else 15)
    assert found["passes"] < (56 if is_shuffled else 37)


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_of_reading_ten_million_edges(tmp_path):
    path = tmp_path / "lattice.fst"
    lines = (f"{n // 4}\t{n // 4 + 1}\ta\tb\t0.5\n" for n in range(EDGES))
    with path.open("w") as out:
        out.writelines(lines)
        out.write(f"{EDGES // 4}\n")
    program = """
before = forget()
(forest,) = read_forests(sys.argv[1], "openfst")
print(json.dumps(dict(reading=(peak() - before) * 1024 / forest.edges)))
"""
    found = measured(program, path)
    assert found["reading"] < 220


def interrupted(work, after: float) -> float:
    """Interrupt some work; return how many seconds it went on."""
    asked: list[float] = []

    def interrupt() -> None:
        asked.append(time.monotonic())
        signal.raise_signal(signal.SIGINT)

    timer = threading.Timer(after, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        work()
    timer.join()
    return time.monotonic() - asked[0]


def lattice(edges: int, *, is_shuffled: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    steps = edges // 4
    heads = np.concatenate(([0], np.repeat(np.arange(1, steps + 1), 4))).astype(np.uint32)
    tails = np.repeat(np.arange(steps), 4).astype(np.uint32)
    starts = np.concatenate(([0], np.arange(edges + 1))).astype(np.uint64)
    if is_shuffled:
        order = np.random.default_rng(1).permutation(edges)
        heads[1:], tails = heads[1:][order], tails[order]
    return heads, starts, tails


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_an_interrupt_ends_the_making_of_a_large_forest():
    heads, starts, tails = lattice(EDGES, is_shuffled=True)

    def work() -> None:
        for _ in range(100):
            Hypergraph(heads, starts, tails)

    assert interrupted(work, 0.3) < 1


@pytest.mark.timeout(120)
def test_an_interrupt_ends_passes_over_a_large_forest():
    graph = Hypergraph(*lattice(400_000, is_shuffled=False))
    p = Distribution(graph, np.zeros(graph.edges))
    count = 2_000
    ids = (np.arange(graph.edges) % count).astype(np.uint32)
    features = SparseFeatures(
        np.arange(graph.edges + 1), ids, np.ones(graph.edges), tuple(f"f{n}" for n in range(count))
    )
    # Minutes, if nothing ends it.
    assert interrupted(lambda: p.covariance(features, threads=1), 0.3) < 1
