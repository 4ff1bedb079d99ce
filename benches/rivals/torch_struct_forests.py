"""Times torch-struct on a forest, in one process: FILE REPEAT, see `forests`. Prints JSON.

It has fixed structures, dense in their rules. The lattice with A arcs a step is its linear chain over A states whose
transitions do not depend on the state before; a CKY forest has all rules over nonterminals and preterminals, those that
are not there with a weight of zero. Double precision, one thread. Gradients give the posteriors.
"""

import json
import sys
import time

import numpy as np
import torch
import torch_struct

ABSENT = -1e5


def chain(made):
    """Return the potentials of a linear chain."""
    weights = torch.tensor(made["weights"][1:].reshape(-1, int(made["arcs"])))
    potentials = weights[1:, :, None].repeat(1, 1, weights.shape[1])
    potentials[0] += weights[0]
    return torch_struct.LinearChainCRF, potentials[None]


def cky(made):
    """Return words, rules and roots of a grammar in its normal form: preterminals stand behind the nonterminals."""
    words, rules, weights = made["word_weights"], made["rules"], made["rule_weights"]
    symbols = words.shape[1]
    dense = np.full((symbols, 2 * symbols, 2 * symbols), -np.inf)
    for (head, left, right), weight in zip(rules, weights, strict=True):
        for i in (left, left + symbols):
            for j in (right, right + symbols):
                # A rule may be there twice.
                dense[head, i, j] = np.logaddexp(dense[head, i, j], weight)
    roots = np.full(symbols, ABSENT)
    roots[0] = 0
    arrays = (words, np.maximum(dense, ABSENT), roots)
    return torch_struct.SentCFG, tuple(torch.tensor(array)[None] for array in arrays)


def main(path, repeat):
    """Repeat inside and posteriors."""
    torch.set_num_threads(1)
    with np.load(path) as made:
        kind, potentials = cky(made) if "rules" in made else chain(made)
    seconds = []
    for _ in range(int(repeat)):
        start = time.process_time()
        distribution = kind(potentials)
        log_z = distribution.partition
        marginals = distribution.marginals
        seconds.append(time.process_time() - start)
    # A chain of N words has N - 1 transitions; the first one has two words.
    counted = marginals[:2] if isinstance(marginals, tuple) else [marginals]
    posteriors = sum(float(part.sum()) for part in counted) + (not isinstance(marginals, tuple))
    # The edge that makes the first state.
    posteriors += not isinstance(marginals, tuple)
    found = {"log_z": float(log_z), "posteriors": posteriors}
    print(json.dumps({"seconds": {"inside, outside and posteriors": seconds}, "found": found}))


if __name__ == "__main__":
    main(*sys.argv[1:])
