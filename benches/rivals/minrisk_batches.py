"""Batches of forests for programs that deal with whole levels at a time; for `torch_minrisk` and `jax_minrisk`.

In a batch, nodes of all forests are numbered by level, so that one operation deals with all edges into the nodes of a
level, of whatever forest. Edges stand by head. The last node stands for what a tail does not have.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import risk_forests

FEATURES = risk_forests.DENSE + risk_forests.SPARSE


class Batch:
    """Some forests as one hypergraph in the order of levels."""

    def __init__(self, made):
        self.nodes = nodes = sum(forest["nodes"] for forest in made)
        self.edges = sum(len(forest["heads"]) for forest in made)
        heads, tails, levels, roots = [], [], [], []
        at = 0
        for forest in made:
            pair = np.full((len(forest["heads"]), 2), -1)
            arities = np.diff(forest["tail_starts"].astype(int))
            pair[np.arange(2) < arities[:, None]] = forest["tails"].astype(int)
            heads.append(forest["heads"].astype(int) + at)
            tails.append(np.where(pair < 0, nodes, pair + at))
            levels.append(levels_of(forest["nodes"], forest["heads"].astype(int), pair))
            roots.append(forest["root"] + at)
            at += forest["nodes"]
        heads, tails, levels = np.concatenate(heads), np.concatenate(tails), np.concatenate(levels)
        order = np.argsort(levels, kind="stable")
        number = np.empty(nodes + 1, int)
        number[order], number[-1] = np.arange(nodes), nodes
        heads, tails = number[heads], number[tails]
        self.edge_order = np.argsort(heads, kind="stable")
        self.heads, self.tails = heads[self.edge_order], tails[self.edge_order]
        self.roots = number[roots]
        # Where the nodes of each level start, and the edges into them.
        self.node_bounds = np.searchsorted(levels[order], np.arange(levels.max() + 2))
        self.edge_bounds = np.searchsorted(self.heads, self.node_bounds)
        self.losses = np.concatenate([forest["losses"] for forest in made])[self.edge_order]
        self.starts, self.ids, self.values = rows(made, self.edge_order)

    def by_feature(self):
        """Return the same values by feature: starts, edges and values."""
        edges = np.repeat(np.arange(self.edges), np.diff(self.starts))
        order = np.lexsort((edges, self.ids))
        starts = np.concatenate(([0], np.cumsum(np.bincount(self.ids, minlength=FEATURES))))
        return starts, edges[order], self.values[order]


def levels_of(nodes, heads, tails):
    """Return the longest way down from each node; heads rise and stand behind their tails."""
    levels = np.zeros(nodes + 1, int)
    starts = np.searchsorted(heads, np.arange(nodes + 1))
    levels[-1] = -1
    for node in range(nodes):
        levels[node] = 1 + levels[tails[starts[node] : starts[node + 1]]].max()
    return levels[:-1]


def rows(made, edge_order):
    """Return the features of all edges in this order: starts, ids and values."""
    lengths = np.concatenate([np.diff(forest["starts"].astype(int)) for forest in made])
    old = np.concatenate(([0], np.cumsum(lengths)))
    starts = np.concatenate(([0], np.cumsum(lengths[edge_order])))
    places = np.repeat(old[:-1][edge_order] - starts[:-1], lengths[edge_order]) + np.arange(starts[-1])
    ids = np.concatenate([forest["ids"] for forest in made]).astype(int)[places]
    return starts, ids, np.concatenate([forest["values"] for forest in made])[places]


def batches(count, size):
    """Return so many forests in batches of so many."""
    made = list(risk_forests.forests(count))
    return [Batch(made[n : n + size]) for n in range(0, count, size)]
