"""Times pynini (OpenFst) on a lattice, in one process: FILE REPEAT, see `forests`. Prints JSON.

Weights are logarithms in double precision ("log64"), which pynini hands over as text of nine digits. Distances from the
start and to the end, posteriors from them by numpy; the lattice is built outside the measured time.
"""

import json
import sys
import time

import numpy as np
import pynini


def main(path, repeat):
    """Repeat forward, backward and posteriors."""
    with np.load(path) as made:
        sources, targets, weights = made["tails"], made["heads"][1:], made["weights"][1:]
        nodes, root = int(made["nodes"]), int(made["root"])
    start = time.process_time()
    lattice = pynini.Fst(arc_type="log64")
    for _ in range(nodes):
        lattice.add_state()
    lattice.set_start(0)
    lattice.set_final(root)
    for source, target, weight in zip(sources.tolist(), targets.tolist(), weights.tolist(), strict=True):
        lattice.add_arc(source, pynini.Arc(1, 1, pynini.Weight("log64", -weight), target))
    built = time.process_time() - start
    seconds = []
    for _ in range(int(repeat)):
        start = time.process_time()
        forward = -np.array([float(weight) for weight in pynini.shortestdistance(lattice)])
        backward = -np.array([float(weight) for weight in pynini.shortestdistance(lattice, reverse=True)])
        log_z = backward[0]
        posteriors = np.exp(forward[sources] + weights + backward[targets] - log_z)
        seconds.append(time.process_time() - start)
    # The edge that makes the first state.
    found = {"log_z": float(log_z), "posteriors": float(posteriors.sum()) + 1}
    print(json.dumps({"seconds": {"build": [built], "inside, outside and posteriors": seconds}, "found": found}))


if __name__ == "__main__":
    main(*sys.argv[1:])
