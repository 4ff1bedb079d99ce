"""Hypergraphs by enumeration: every quantity is a sum over an explicit list of derivations.

Nothing here shares a subexpression with the algorithms it judges. Weights and features may be of any type with ``+``
and ``*``; with ``fractions.Fraction`` all results are exact. Only acyclic hypergraphs that have few derivations.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

Derivation = tuple[int, ...]
"""The edges of a derivation in prefix order: an edge, then the derivations of its tail from left to right."""

Context = tuple[Derivation, Derivation]
"""What stands before and after the place that is left open in a derivation, in prefix order."""

Features = Mapping[int, Fraction]
"""A sparse vector: what is not there is zero."""


@dataclass(frozen=True)
class Graph:
    """Nodes 0 .. nodes - 1, edges as (head, tail), and the root."""

    nodes: int
    edges: tuple[tuple[int, tuple[int, ...]], ...]
    root: int

    def into(self, node: int) -> list[int]:
        """Return the edges with this head, in order."""
        return [e for e, (head, _) in enumerate(self.edges) if head == node]


class Semiring(Protocol):
    """What a user's semiring has to offer."""

    zero: Any
    one: Any

    def plus(self, a: Any, b: Any) -> Any: ...

    def times(self, a: Any, b: Any) -> Any: ...


# Derivations


def enumerate_derivations(graph: Graph, node: int | None = None) -> list[Derivation]:
    """Return all derivations of a node (the root), edges by number, the leftmost tail node varying slowest."""
    found: list[Derivation] = []
    for edge in graph.into(graph.root if node is None else node):
        found += rows([[(edge,)], *(enumerate_derivations(graph, tail) for tail in graph.edges[edge][1])])
    return found


def enumerate_contexts(graph: Graph, node: int, top: int | None = None) -> list[Context]:
    """Return the derivations of the top (the root) with one place for a node left open.

    A node that stands twice in a tail has two places there.
    """
    top = graph.root if top is None else top
    if top == node:
        return [((), ())]
    found: list[Context] = []
    for edge in graph.into(top):
        tail = graph.edges[edge][1]
        parts = [enumerate_derivations(graph, child) for child in tail]
        for position, child in enumerate(tail):
            inner = enumerate_contexts(graph, node, child)
            if inner:
                before = rows([[(edge,)], *parts[:position]])
                after = rows(parts[position + 1 :])
                found += [(b + i, j + a) for b in before for i, j in inner for a in after]
    return found


def rows(parts: Sequence[Sequence[Derivation]]) -> list[Derivation]:
    """Return all concatenations of one choice from each part."""
    found: list[Derivation] = [()]
    for part in parts:
        found = [row + choice for row in found for choice in part]
    return found


def product(derivation: Sequence[int], weights: Sequence[Any]) -> Any:
    """Return the product of the weights of edges that need not commute but have a number one."""
    return math.prod((weights[edge] for edge in derivation), start=Fraction(1))


# Sums


def counts(graph: Graph) -> list[int]:
    """Return the number of derivations of each node."""
    return [len(enumerate_derivations(graph, node)) for node in range(graph.nodes)]


def inside(graph: Graph, weights: Sequence[Fraction]) -> list[Fraction]:
    """Return the sum of the weights of the derivations of each node."""
    return [
        sum((product(d, weights) for d in enumerate_derivations(graph, node)), Fraction(0))
        for node in range(graph.nodes)
    ]


def total(graph: Graph, weights: Sequence[Fraction]) -> Fraction:
    """Return Z, the sum of the weights of the derivations of the root."""
    return sum((product(d, weights) for d in enumerate_derivations(graph)), Fraction(0))


def outside(graph: Graph, weights: Sequence[Fraction]) -> list[Fraction]:
    """Return the derivative of Z by the inside weight of each node: the sum of the weights of its contexts."""
    return [
        sum((product(before + after, weights) for before, after in enumerate_contexts(graph, node)), Fraction(0))
        for node in range(graph.nodes)
    ]


def inside_in(graph: Graph, weights: Sequence[Any], semiring: Semiring) -> list[Any]:
    """Return the inside weights in any semiring; products in prefix order."""
    return [
        plus_all(semiring, (times_all(semiring, d, weights) for d in enumerate_derivations(graph, node)))
        for node in range(graph.nodes)
    ]


def outside_in(graph: Graph, weights: Sequence[Any], semiring: Semiring) -> list[Any]:
    """Return the outside weights in any commutative semiring."""
    return [
        plus_all(semiring, (times_all(semiring, before + after, weights) for before, after in contexts))
        for contexts in (enumerate_contexts(graph, node) for node in range(graph.nodes))
    ]


def plus_all(semiring: Semiring, values: Any) -> Any:
    """Return the sum of values, from left to right."""
    result = semiring.zero
    for value in values:
        result = semiring.plus(result, value)
    return result


def times_all(semiring: Semiring, derivation: Sequence[int], weights: Sequence[Any]) -> Any:
    """Return the product of the weights of edges, from left to right."""
    result = semiring.one
    for edge in derivation:
        result = semiring.times(result, weights[edge])
    return result


# The distribution over derivations


def distribution(graph: Graph, weights: Sequence[Fraction]) -> dict[Derivation, Fraction]:
    """Return p(d) of every derivation of the root, also of those with weight 0. ZeroDivisionError if Z is 0."""
    z = total(graph, weights)
    return {d: product(d, weights) / z for d in enumerate_derivations(graph)}


def edge_posteriors(graph: Graph, weights: Sequence[Fraction]) -> list[Fraction]:
    """Return how often each edge is expected in a derivation; above 1 where a derivation has it more than once."""
    expected = [Fraction(0)] * len(graph.edges)
    for d, p in distribution(graph, weights).items():
        for edge in d:
            expected[edge] += p
    return expected


def node_posteriors(graph: Graph, weights: Sequence[Fraction]) -> list[Fraction]:
    """Return how often each node is expected in a derivation."""
    expected = [Fraction(0)] * graph.nodes
    for d, p in distribution(graph, weights).items():
        for edge in d:
            expected[graph.edges[edge][0]] += p
    return expected


def features_of(derivation: Sequence[int], features: Sequence[Features]) -> dict[int, Fraction]:
    """Return the sum of the features of the edges of a derivation."""
    found: dict[int, Fraction] = {}
    for edge in derivation:
        for name, value in features[edge].items():
            found[name] = found.get(name, Fraction(0)) + value
    return found


def dense(features: Features, size: int) -> list[Fraction]:
    """Return a sparse vector with its zeros."""
    return [Fraction(features.get(name, 0)) for name in range(size)]


# Best derivations


def kbest(graph: Graph, weights: Sequence[Any], k: int | None = None) -> list[tuple[Any, Derivation]]:
    """Return weights and derivations of the root, heaviest first; equal ones in the order of enumeration."""
    found = [(product(d, weights), d) for d in enumerate_derivations(graph)]
    return sorted(found, key=lambda pair: -pair[0])[:k]


def max_marginals(graph: Graph, weights: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Return the weight of the heaviest derivation through each node and through each edge; 0 if there is none."""
    nodes, edges = [Fraction(0)] * graph.nodes, [Fraction(0)] * len(graph.edges)
    for weight, d in kbest(graph, weights):
        for edge in d:
            edges[edge] = max(edges[edge], weight)
            head = graph.edges[edge][0]
            nodes[head] = max(nodes[head], weight)
    return nodes, edges


# Yields


def yield_of(graph: Graph, derivation: Derivation, items: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Return the words of a derivation.

    The items of an edge are words (0 and above) and places of its tail (-1 is the first tail node); an edge without
    items yields its tail in order.
    """
    words, rest = _yield(graph, derivation, items)
    assert not rest, "a derivation has the edges of its tails and no more"
    return words


def _yield(graph: Graph, derivation: Derivation, items: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], Derivation]:
    edge, rest = derivation[0], derivation[1:]
    parts = []
    for _ in graph.edges[edge][1]:
        part, rest = _yield(graph, rest, items)
        parts.append(part)
    own = items[edge] or [-1 - place for place in range(len(parts))]
    return tuple(word for item in own for word in ((item,) if item >= 0 else parts[-1 - item])), rest


def unique_kbest(
    graph: Graph, weights: Sequence[Any], items: Sequence[Sequence[int]], k: int | None = None
) -> list[tuple[Any, Derivation]]:
    """Return the heaviest derivation of each yield, heaviest first."""
    found: dict[tuple[int, ...], tuple[Any, Derivation]] = {}
    for weight, d in kbest(graph, weights):
        found.setdefault(yield_of(graph, d, items), (weight, d))
    return list(found.values())[:k]


def yield_weights(
    graph: Graph, weights: Sequence[Fraction], items: Sequence[Sequence[int]]
) -> dict[tuple[int, ...], Fraction]:
    """Return the total weight of the derivations of each yield."""
    found: dict[tuple[int, ...], Fraction] = {}
    for d in enumerate_derivations(graph):
        words = yield_of(graph, d, items)
        found[words] = found.get(words, Fraction(0)) + product(d, weights)
    return found
