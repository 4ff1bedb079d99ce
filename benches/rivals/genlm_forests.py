"""Times genlm-grammar on a forest, in one process: FILE REPEAT, see `forests`. Prints JSON.

It has the inside sum alone: by Earley's algorithm for a sentence and a grammar, by its agenda for any other forest,
whose edges are then the rules of a grammar.
"""

import json
import math
import sys
import time

import numpy as np
from genlm.grammar import CFG
from genlm.grammar.parse.earley import Earley
from genlm.grammar.semiring import Float, Log


def sentence(made):
    """Return a sum over the parses of a sentence whose words are all different."""
    words = [f"w{position}" for position in range(len(made["word_weights"]))]
    grammar = CFG(R=Float, S="N0", V=set(words))
    for (head, left, right), weight in zip(made["rules"], made["rule_weights"], strict=True):
        grammar.add(math.exp(weight), f"N{head}", f"N{left}", f"N{right}")
    for word, row in zip(words, made["word_weights"], strict=True):
        for symbol, weight in enumerate(row):
            grammar.add(math.exp(weight), f"N{symbol}", word)

    def work():
        # A parser of its own each time: it keeps what it found.
        return math.log(Earley(grammar)(words))

    return work


def rules(made):
    """Return a sum over the derivations of a grammar with a rule for each edge."""
    grammar = CFG(R=Log, S=int(made["root"]), V=set())
    starts, tails = made["tail_starts"].tolist(), made["tails"].tolist()
    for edge, (head, weight) in enumerate(zip(made["heads"].tolist(), made["weights"].tolist(), strict=True)):
        grammar.add(Log(weight), head, *tails[starts[edge] : starts[edge + 1]])

    def work():
        # No tolerance: small sums count as well.
        return grammar.agenda(tol=-1)[grammar.S].score

    return work


def main(path, repeat):
    """Repeat the inside sum."""
    with np.load(path) as made:
        work = sentence(made) if "rules" in made else rules(made)
    seconds = []
    for _ in range(int(repeat)):
        start = time.process_time()
        log_z = work()
        seconds.append(time.process_time() - start)
    print(json.dumps({"seconds": {"inside": seconds}, "found": {"log_z": log_z}}))


if __name__ == "__main__":
    main(*sys.argv[1:])
