"""Measures MERT: one envelope of each real forest, beside a rival in Python, and a whole search on Moses' statistics.

::

    python benches/mert_lines.py DATA [REPEAT]

DATA holds ``hyper/cdec-json/*.json.gz`` and ``nbest/moses-mert.basic``. The rival is the semiring ``ConvexHull`` of the
package ``semirings`` (pip install semirings==0.3.1 matplotlib scipy), where it can be imported. Figures are CPU time in
the process itself, the least of REPEAT runs (the rival: of one), on one thread.
"""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from plait.hypergraph import Forest, envelope, read_forests, viterbi
from plait.minrisk import MertProblem, NbestLists, mert

FORESTS = ("zh1", "urdu")
DIRECTIONS = 5


def least(repeat: int, work: Callable[[], object]) -> float:
    """Return the least CPU time of some runs, in seconds."""
    times = []
    for _ in range(repeat):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def forest_lines(data: Path, repeat: int) -> None:
    """Print the time of envelopes and of whole lines of each forest, in random directions."""
    rival = hull_rival()
    random = np.random.default_rng(0)
    for name in FORESTS:
        (forest,) = read_forests(data / "hyper" / "cdec-json" / f"{name}.json.gz")
        weights = 0.1 * random.normal(size=len(forest.features.names))
        other = 0.1 * random.normal(size=len(weights))
        problem = MertProblem.from_forests([forest], [NbestLists.kbest([forest], other, 1).texts])
        intercepts = forest.scores(weights)
        print(f"{name}: {forest.nodes} nodes, {forest.edges} edges; Viterbi", end=" ")
        print(f"{1e3 * least(repeat, lambda f=forest, b=intercepts: viterbi(f.graph, b)):.2f} ms")
        for n in range(DIRECTIONS):
            direction = random.normal(size=len(weights))
            slopes = forest.scores(direction)
            found = envelope(forest.graph, slopes, intercepts)
            once = least(repeat, lambda f=forest, m=slopes, b=intercepts: envelope(f.graph, m, b))
            line = least(repeat, lambda p=problem, w=weights, d=direction: p.line(w, d, threads=1))
            print(
                f"  direction {n}: {len(found)} lines; envelope {1e3 * once:.2f} ms, BLEU along it {1e3 * line:.2f} ms"
            )
            if rival is not None and n == 0:
                start = time.process_time()
                lines = rival(forest, slopes, intercepts)
                print(f"    semirings: {time.process_time() - start:.2f} s, {lines} lines")


def hull_rival() -> Callable[[Forest, Any, Any], int] | None:
    """Return the envelope by the rival, as the number of lines; None where it cannot be imported."""
    try:
        semirings = importlib.import_module("semirings")
    except ImportError:
        return None

    def lines(forest: Forest, slopes: Any, intercepts: Any) -> int:
        graph, hull, point = forest.graph, semirings.ConvexHull, semirings.Point
        into: list[list[int]] = [[] for _ in range(graph.nodes)]
        for edge, head in enumerate(graph.heads.tolist()):
            into[head].append(edge)
        values: dict[int, Any] = {}
        for node in graph.node_order().tolist():
            points: list[Any] = []
            for edge in into[node]:
                product = hull([point(float(slopes[edge]), float(intercepts[edge]), None)])
                for tail in graph.tail(edge):
                    product = product * values[tail]
                points.extend(product)
            values[node] = hull(points)
        # Its hulls are whole, not only their upper part.
        whole = sorted((p.x, p.y) for p in values[graph.root])
        first, last = whole[0], whole[-1]
        chord = [(x - first[0]) * (last[1] - first[1]) / (last[0] - first[0]) + first[1] for x, _ in whole]
        return sum(y >= height for (_, y), height in zip(whole, chord, strict=True))

    return lines


def search(data: Path, repeat: int) -> None:
    """Print the time of searches on the statistics of Moses' regression test."""
    folder = data / "nbest" / "moses-mert.basic"
    files = (folder / "data" / "FEATSTAT.txt", folder / "data" / "SCORESTAT.txt")
    problem = MertProblem.from_statistics(*files)
    start = [float(word) for word in (folder / "data" / "INIT").read_text().split("\n")[0].split()]
    print(f"moses-mert.basic: reading {1e3 * least(repeat, lambda: MertProblem.from_statistics(*files)):.1f} ms")
    for directions in (0, 10, 30):
        found = [mert(problem, start, random_directions=directions, seed=seed, threads=1).bleu for seed in range(5)]
        once = least(repeat, lambda d=directions: mert(problem, start, random_directions=d, threads=1))
        print(
            f"  20 restarts, {directions} random directions: {1e3 * once:.1f} ms, BLEU {min(found):.6f} to "
            f"{max(found):.6f} over 5 seeds"
        )
    most = mert(problem, start, restarts=5000, random_directions=30, seed=7, threads=1)
    print(f"  5000 restarts, 30 random directions: BLEU {most.bleu:.6f}")


if __name__ == "__main__":
    folder, runs = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 5
    forest_lines(folder, runs)
    search(folder, runs)
