"""Times plait's passes over a forest, in one process: FILE REPEAT, see `forests`. Prints JSON.

For each pass the CPU seconds of every repetition; the bytes that it cannot do without; what it found, to be compared
with others; and the bandwidth of copies before each repetition.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np

from plait.hypergraph import Distribution, Hypergraph, SparseFeatures

FEATURES = 21_000
VALUES_AN_EDGE = 3
COPIED = 1 << 26
"""Bytes of a copy: more than any cache holds."""

T = TypeVar("T")


def main(path: str, repeat: str) -> None:
    """Repeat all passes."""
    with np.load(path) as made:
        heads, starts, tails, weights = (made[name] for name in ("heads", "tail_starts", "tails", "weights"))
        nodes, root = int(made["nodes"]), int(made["root"])
    features = random_features(len(heads))
    source, target = np.ones(COPIED // 8), np.zeros(COPIED // 8)
    before, most = forget_peak(), 0
    seconds: dict[str, list[float]] = {}

    def timed(name: str, work: Callable[[], T]) -> T:
        start = time.process_time()
        done = work()
        seconds.setdefault(name, []).append(time.process_time() - start)
        return done

    for _ in range(int(repeat)):
        timed("copy", lambda: np.copyto(target, source))
        timed("new copy", source.copy)
        forget_peak()
        graph = timed("build", lambda: Hypergraph(heads, starts, tails, nodes=nodes, root=root))
        p = timed("inside", lambda: Distribution(graph, weights))  # noqa: B023
        posteriors = timed("posteriors", lambda: p.edge_posteriors)  # noqa: B023
        # From the posteriors, unless some are next to nothing.
        timed("outside", lambda: p.outside)  # noqa: B023
        if features is not None:
            timed("expectations", lambda: p.expectations(features))  # noqa: B023
        most = max(most, peak() - before)
    found = {"log_z": p.log_z, "posteriors": float(posteriors.sum())}
    result = {
        "seconds": seconds,
        "bytes": needed(nodes, len(heads), len(tails)),
        "copied": 2 * COPIED,
        "found": found,
        "peak": most,
        "sizes": [nodes, len(heads)],
    }
    print(json.dumps(result))


def random_features(edges: int) -> SparseFeatures | None:
    """Return a few of many features for each edge; none for forests too large to hold them."""
    if edges > 4_000_000:
        return None
    ids = np.random.default_rng(3).integers(0, FEATURES, VALUES_AN_EDGE * edges).astype(np.uint32)
    starts = np.arange(0, len(ids) + 1, VALUES_AN_EDGE).astype(np.uint64)
    return SparseFeatures(starts, ids, np.ones(len(ids)), tuple(map(str, range(FEATURES))))


def needed(nodes: int, edges: int, tail_nodes: int) -> dict[str, int]:
    """Return the bytes of memory that a pass reads and writes at least, each array once.

    Weights, local probabilities, posteriors and logarithms are doubles; starts of rows and tails have 4 bytes (8 where
    the caller gives starts). An inside weight has 16 bytes until its logarithm is taken. What is read out of order is
    taken to be in a cache. That the system clears the pages of new arrays is not counted: copies into an array that is
    there do without, those into a new one do not.
    """
    structure = 4 * nodes + 4 * edges + 4 * tail_nodes
    return {
        "build": (4 + 8) * edges + 4 * tail_nodes + structure,
        "inside": structure + (8 + 8) * edges + (16 + 16 + 8) * nodes,
        "outside": (8 + 8 + 8) * nodes,
        "posteriors": structure + (8 + 8) * edges + (8 + 8) * nodes,
        "expectations": (8 + 8) * edges + VALUES_AN_EDGE * (4 + 8) * edges,
    }


def forget_peak() -> int:
    """Start to look for the largest resident set anew; return the present one."""
    Path("/proc/self/clear_refs").write_text("5")
    return peak()


def peak() -> int:
    """Return the largest resident set since, in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


if __name__ == "__main__":
    main(*sys.argv[1:])
