"""Sums over the infinitely many derivations of hypergraphs with linear cycles, by Gauss's rule in fractions.

Weights are not negative. A sum diverges where its component's I - A, without what has no derivation, is no M-matrix:
where a pivot is not positive (Berman and Plemmons 1994, chapter 6).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from reference.hypergraph import Graph

Matrix = list[list[Fraction]]


class Diverges(Exception):
    """A sum is infinite."""


def components(graph: Graph) -> list[list[int]]:
    """Return the strongly connected components, tails before heads, from the pairs of nodes with a way down."""
    nodes = range(graph.nodes)
    reaches = [[u == v for u in nodes] for v in nodes]
    for head, tail in graph.edges:
        for node in tail:
            reaches[head][node] = True
    for k in nodes:
        for v in nodes:
            for u in nodes:
                reaches[v][u] |= reaches[v][k] and reaches[k][u]
    found = {tuple(u for u in nodes if reaches[v][u] and reaches[u][v]) for v in nodes}
    # A node of a lower component is reached from more nodes, or does not reach so many.
    return sorted((list(part) for part in found), key=lambda part: sum(reaches[part[0]]))


def is_linear(graph: Graph) -> bool:
    """Whether no edge has two tail nodes in the component of its head."""
    for part in components(graph):
        for head, tail in graph.edges:
            if head in part and sum(node in part for node in tail) > 1:
                return False
    return True


def productive(graph: Graph, weights: Sequence[Fraction]) -> set[int]:
    """Return the nodes that have a derivation of weight not zero."""
    found: set[int] = set()
    for _ in range(graph.nodes):
        for (head, tail), weight in zip(graph.edges, weights, strict=True):
            if weight and all(node in found for node in tail):
                found.add(head)
    return found


def inside(graph: Graph, weights: Sequence[Fraction]) -> list[Fraction]:
    """Return the inside weight of each node of a linear hypergraph."""
    values = [Fraction(0)] * graph.nodes
    alive = productive(graph, weights)
    for part in components(graph):
        unknowns = [node for node in part if node in alive]
        matrix = [[Fraction(0)] * len(unknowns) for _ in unknowns]
        constants = [Fraction(0)] * len(unknowns)
        for (head, tail), weight in zip(graph.edges, weights, strict=True):
            if head in unknowns and all(node in alive for node in tail):
                around = [node for node in tail if node in part]
                for node in tail:
                    weight *= 1 if node in part else values[node]
                if around:
                    matrix[unknowns.index(head)][unknowns.index(around[0])] += weight
                else:
                    constants[unknowns.index(head)] += weight
        for node, value in zip(unknowns, least_solution(matrix, constants), strict=True):
            values[node] = value
    return values


def outside(graph: Graph, weights: Sequence[Fraction], below: Sequence[Fraction]) -> list[Fraction]:
    """Return the outside weight of each node: alpha = M alpha + [node is root], M from all edges and positions."""
    matrix = [[Fraction(0)] * graph.nodes for _ in range(graph.nodes)]
    for (head, tail), weight in zip(graph.edges, weights, strict=True):
        for position, node in enumerate(tail):
            rest = weight
            for other, value in enumerate(tail):
                rest *= 1 if other == position else below[value]
            matrix[node][head] += rest
    reached = [graph.root]
    for head in reached:
        reached += [node for node in range(graph.nodes) if matrix[node][head] and node not in reached]
    values = [Fraction(0)] * graph.nodes
    ones = [Fraction(node == graph.root) for node in reached]
    solution = least_solution([[matrix[node][head] for head in reached] for node in reached], ones)
    for node, value in zip(reached, solution, strict=True):
        values[node] = value
    return values


def least_solution(matrix: Matrix, constants: Sequence[Fraction]) -> list[Fraction]:
    """Return the solution of x = A x + b that is the sum of all A^n b, for A and b that are not negative."""
    size = len(constants)
    rows = [[Fraction(i == j) - matrix[i][j] for j in range(size)] + [constants[i]] for i in range(size)]
    for pivot in range(size):
        if rows[pivot][pivot] <= 0:
            raise Diverges
        rows[pivot] = [entry / rows[pivot][pivot] for entry in rows[pivot]]
        for other in range(size):
            if other > pivot:
                factor = rows[other][pivot]
                rows[other] = [a - factor * b for a, b in zip(rows[other], rows[pivot], strict=True)]
    solution = [Fraction(0)] * size
    for unknown in reversed(range(size)):
        known = sum((rows[unknown][j] * solution[j] for j in range(unknown + 1, size)), Fraction(0))
        solution[unknown] = rows[unknown][size] - known
    return solution
