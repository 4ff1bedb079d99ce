"""Hypothesis strategies of small hypergraphs and of what stands beside them, and the forest of Figure 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from reference.hypergraph import Graph
from reference.hypergraph_closure import is_linear

MAX_DERIVATIONS = 200
MAX_EDGES_OF_DERIVATION = 24
MAX_EDGES_OF_ALL = 800


@st.composite
def graphs(
    draw: st.DrawFn,
    *,
    max_nodes: int = 7,
    max_edges: int = 12,
    max_arity: int = 4,
    max_derivations: int = MAX_DERIVATIONS,
    needs_derivation: bool = False,
) -> Graph:
    """Acyclic hypergraphs whose nodes and edges have any numbers.

    Tails are empty or have up to four nodes, also the same one more than once; edges may be parallel; nodes may have no
    derivation or be out of the root's reach. With `needs_derivation` the root has one.

    No node has more derivations than `max_derivations`, or one with more than 24 edges, so that enumeration ends soon.
    """
    nodes = draw(st.integers(1, max_nodes))
    edges: list[tuple[int, tuple[int, ...]]] = []
    # What a node can have, dead ends counted as if they had one derivation: contexts are enumerated as well.
    found, longest = [0] * nodes, [0] * nodes
    for head in range(nodes):
        # Mostly some: the root of a hypergraph with many dead ends has no derivation.
        for _ in range(draw(st.sampled_from([0, *range(1, max_edges // nodes + 2)]))):
            tail = tuple(draw(st.lists(st.integers(0, head - 1), max_size=max_arity))) if head else ()
            ways, size = 1, 1
            for node in tail:
                ways *= max(1, found[node])
                size += max(1, longest[node])
            is_small = size <= MAX_EDGES_OF_DERIVATION and (found[head] + ways) * size <= MAX_EDGES_OF_ALL
            if is_small and found[head] + ways <= max_derivations:
                edges.append((head, tail))
                found[head] += ways
                longest[head] = max(longest[head], size)
    root = draw(st.sampled_from([nodes - 1, nodes - 1, nodes - 1, *range(nodes)]))
    if needs_derivation:
        edges += _axioms(nodes, edges, root)
    return _shuffled(draw, Graph(nodes, tuple(edges), root))


def _axioms(nodes: int, edges: list[tuple[int, tuple[int, ...]]], root: int) -> list[tuple[int, tuple[int, ...]]]:
    """Return edges without tails into the dead ends below the root: then all that is below it has derivations."""
    has_edge = {head for head, _ in edges}
    below = {root}
    for node in range(nodes - 1, -1, -1):
        if node in below:
            below.update(child for head, tail in edges if head == node for child in tail)
    return [(node, ()) for node in sorted(below - has_edge)]


def _shuffled(draw: st.DrawFn, graph: Graph) -> Graph:
    """Return the same hypergraph with other numbers."""
    if draw(st.booleans()):
        return graph
    names = draw(st.permutations(range(graph.nodes)))
    order = draw(st.permutations(graph.edges))
    edges = tuple((names[head], tuple(names[node] for node in tail)) for head, tail in order)
    return Graph(graph.nodes, edges, names[graph.root])


def lattices(*, max_nodes: int = 7, max_edges: int = 12) -> st.SearchStrategy[Graph]:
    """Hypergraphs whose tails have at most one node."""
    return graphs(max_nodes=max_nodes, max_edges=max_edges, max_arity=1)


def rationals(*, may_be_zero: bool = True, is_signed: bool = False) -> st.SearchStrategy[Fraction]:
    """Small fractions that doubles cannot hold."""
    least = -6 if is_signed else 0
    numbers = st.integers(least, 9).filter(lambda n: may_be_zero or n != 0)
    return st.builds(Fraction, numbers, st.integers(1, 7))


def dyadics(*, may_be_zero: bool = True, is_signed: bool = False) -> st.SearchStrategy[Fraction]:
    """Fractions that doubles hold exactly, from 2^-8 to 2^4."""
    numbers = st.integers(-15 if is_signed else 0, 15).filter(lambda n: may_be_zero or n != 0)
    return st.builds(lambda n, shift: Fraction(n, 2**shift), numbers, st.integers(0, 8))


def edge_weights(graph: Graph, values: st.SearchStrategy[Fraction] | None = None) -> st.SearchStrategy[list[Fraction]]:
    """One weight for each edge, zero or positive unless `values` says otherwise."""
    count = len(graph.edges)
    return st.lists(rationals() if values is None else values, min_size=count, max_size=count)


def edge_features(
    graph: Graph, *, size: int = 3, values: st.SearchStrategy[Fraction] | None = None
) -> st.SearchStrategy[list[dict[int, Fraction]]]:
    """Sparse features of each edge, of either sign; zeros may be written out."""
    numbers = dyadics(is_signed=True) if values is None else values
    row = st.dictionaries(st.integers(0, size - 1), numbers, max_size=size)
    return st.lists(row, min_size=len(graph.edges), max_size=len(graph.edges))


@st.composite
def edge_items(draw: st.DrawFn, graph: Graph, *, words: int = 3) -> list[tuple[int, ...]]:
    """What each edge yields: its tail in any order among words, or nothing, which is the tail in order."""
    items = []
    for _, tail in graph.edges:
        row: list[int] = []
        if draw(st.booleans()):
            own = draw(st.lists(st.integers(0, words - 1), max_size=2))
            row = list(draw(st.permutations([*own, *(-1 - place for place in range(len(tail)))])))
        items.append(tuple(row))
    return items


@st.composite
def weighted_graphs(
    draw: st.DrawFn, *, values: st.SearchStrategy[Fraction] | None = None, needs_derivation: bool = False
) -> tuple[Graph, list[Fraction]]:
    """Hypergraphs with a weight on each edge. With `needs_derivation`, use positive values to have Z > 0."""
    graph = draw(graphs(needs_derivation=needs_derivation))
    return graph, draw(edge_weights(graph, values))


Arrays = tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint64], npt.NDArray[np.uint32]]


def to_arrays(graph: Graph) -> Arrays:
    """Return heads, tail_starts and tails."""
    heads = np.array([head for head, _ in graph.edges], dtype=np.uint32)
    starts = np.cumsum([0, *(len(tail) for _, tail in graph.edges)], dtype=np.uint64)
    return heads, starts, np.array([node for _, tail in graph.edges for node in tail], dtype=np.uint32)


def to_csr(
    features: Sequence[dict[int, Fraction]],
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32], list[float]]:
    """Return the starts, ids and values of sparse rows."""
    starts = np.cumsum([0, *(len(row) for row in features)], dtype=np.uint64)
    ids = np.array([name for row in features for name in row], dtype=np.uint32)
    return starts, ids, [float(value) for row in features for value in row.values()]


@dataclass(frozen=True)
class Figure:
    """A forest with weights, words and lengths."""

    graph: Graph
    weights: list[Fraction]
    items: list[tuple[int, ...]]
    words: list[str]
    lengths: list[Fraction]


def figure_1() -> Figure:
    """Return the forest of Figure 1 of Li and Eisner 2009, with weights that make each derivation's another.

    Nodes: the mat, a cat, X(a cat .. the mat), X(the mat .. a cat), goal. The edges into the third are "on" and "of",
    those into the fourth "'s" and juxtaposition. Z = 5/6.
    """
    tails = [(0, ()), (1, ()), (2, (0, 1)), (2, (0, 1)), (3, (0, 1)), (3, (0, 1)), (4, (2,)), (4, (3,))]
    weights = [Fraction(n, d) for n, d in [(1, 2), (1, 3), (2, 1), (1, 1), (1, 1), (3, 1), (1, 1), (1, 2)]]
    words = ["the", "mat", "a", "cat", "on", "of", "'s"]
    items = [(0, 1), (2, 3), (-2, 4, -1), (-2, 5, -1), (-1, 6, -2), (-1, -2), (-1,), (-1,)]
    lengths = [Fraction(sum(item >= 0 for item in row)) for row in items]
    return Figure(Graph(5, tuple(tails), 4), weights, items, words, lengths)


@st.composite
def linear_graphs(draw: st.DrawFn, *, max_nodes: int = 6, max_edges: int = 10, max_arity: int = 3) -> Graph:
    """Hypergraphs, mostly with cycles, in which no edge derives its head from two nodes of its own cycles."""
    nodes = draw(st.integers(1, max_nodes))
    node = st.integers(0, nodes - 1)
    edges: tuple[tuple[int, tuple[int, ...]], ...] = ()
    root = draw(node)
    for head, tail in draw(st.lists(st.tuples(node, st.lists(node, max_size=max_arity)), max_size=max_edges)):
        more = (*edges, (head, tuple(tail)))
        if is_linear(Graph(nodes, more, root)):
            edges = more
    return Graph(nodes, edges, root)
