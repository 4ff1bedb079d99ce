"""Forests to measure on, as files that every system can read: NAME OUT [DATA]; a program of its own, see `measure`.

Names: ``cky-N-S-R`` is the forest of all parses of a sentence of N words by R random binary rules over S nonterminals,
where an edge weighs what its rule does; ``chain-N-A`` is a lattice of N steps with A arcs each; ``urdu`` and the like
are cdec's forests ``DATA/hyper/cdec-json/NAME.json.gz``. Logarithms of weights are normal: of mean 0 and
deviation 1, of lattices -3 and 2.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

Arrays = dict[str, Any]


def make(name: str, data: Path | None) -> Arrays:
    """Return heads, tail starts and tails by edge, the number of nodes, the root and the weights."""
    kind, *sizes = name.split("-")
    if kind == "cky":
        return cky(*map(int, sizes))
    if kind == "chain":
        return chain(*map(int, sizes))
    if data is None:
        sys.exit(f"benches: {name} needs --data")
    return cdec(data / "hyper" / "cdec-json" / f"{name}.json.gz")


def chain(steps: int, arcs: int) -> Arrays:
    """Edge 0 makes the first state; then the arcs of each step."""
    count = steps * arcs
    weights = np.random.default_rng(1).normal(-3, 2, count + 1)
    weights[0] = 0
    return {
        "heads": np.concatenate(([0], np.repeat(np.arange(1, steps + 1), arcs))).astype(np.uint32),
        "tail_starts": np.concatenate(([0], np.arange(count + 1))).astype(np.uint64),
        "tails": np.repeat(np.arange(steps), arcs).astype(np.uint32),
        "nodes": steps + 1,
        "root": steps,
        "weights": weights,
        "arcs": arcs,
    }


def cky(length: int, symbols: int, count: int) -> Arrays:
    """Spans by length, then start; in a span the nonterminals; the edges into one node by rule, then split."""
    rng = np.random.default_rng(0)
    rules = rng.integers(0, symbols, (count, 3))
    # Every nonterminal is the head of a rule, that of the root among them.
    rules[:symbols, 0] = np.arange(symbols)[:count]
    rules = rules[np.argsort(rules[:, 0], kind="stable")]
    rule_weights, word_weights = rng.normal(size=count), rng.normal(size=(length, symbols))

    def first_node(start: np.ndarray | int, words: np.ndarray | int) -> Any:
        # Shorter spans come first: length, length - 1, ... of them.
        return symbols * ((words - 1) * (2 * length + 2 - words) // 2 + start)

    heads = [np.arange(length * symbols)]
    tails = [np.empty((0, 2), np.int64)]
    weights = [word_weights.ravel()]
    for words in range(2, length + 1):
        splits = np.arange(1, words)
        for start in range(length - words + 1):
            left = first_node(start, splits) + rules[:, 1, None]
            right = first_node(start + splits, words - splits) + rules[:, 2, None]
            heads.append(np.repeat(first_node(start, words) + rules[:, 0], len(splits)))
            tails.append(np.stack((left, right), axis=-1).reshape(-1, 2))
            weights.append(np.repeat(rule_weights, len(splits)))
    nodes = first_node(0, length) + symbols
    binary = sum(map(len, tails))
    return {
        "heads": np.concatenate(heads).astype(np.uint32),
        "tail_starts": np.concatenate((np.zeros(len(heads[0])), 2 * np.arange(binary + 1))).astype(np.uint64),
        "tails": np.concatenate(tails).ravel().astype(np.uint32),
        "nodes": nodes,
        "root": nodes - symbols,
        "weights": np.concatenate(weights),
        "rules": rules,
        "rule_weights": rule_weights,
        "word_weights": word_weights,
    }


def cdec(path: Path) -> Arrays:
    """One of cdec's forests, without its weights."""
    from plait.hypergraph import read_forests

    (forest,) = read_forests(path)
    graph = forest.graph
    return {
        "heads": graph.heads,
        "tail_starts": graph.tail_starts,
        "tails": graph.tails,
        "nodes": graph.nodes,
        "root": graph.root,
        "weights": np.random.default_rng(2).normal(size=graph.edges),
    }


def main(name: str, out: str, data: str | None = None) -> None:
    """Write the arrays of a forest."""
    np.savez(out, **make(name, Path(data) if data else None))


if __name__ == "__main__":
    main(*sys.argv[1:])
