"""Linear cycles against linear equations in fractions, and where their sums diverge."""

import math
import operator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from hypergraph_strategies import edge_weights, linear_graphs, to_arrays
from plait.errors import CycleError
from plait.hypergraph import Hypergraph, edge_outside, inside, outside
from plait.semiring import Boolean, Counting, Log, Rational, Real, SignedLog, Tropical
from reference import hypergraph as twin
from reference import hypergraph_closure as closure

F = Fraction


class Fractions:
    """A user's semiring with a star that says what diverges by a ValueError."""

    zero, one = F(0), F(1)
    is_commutative = True
    plus = staticmethod(operator.add)
    times = staticmethod(operator.mul)

    @staticmethod
    def star(a):
        if not -1 < a < 1:
            raise ValueError("no sum")
        return 1 / (1 - a)


def build(graph):
    heads, starts, tails = to_arrays(graph)
    return Hypergraph(heads, starts, tails, nodes=graph.nodes, root=graph.root)


def logs(weights):
    return [math.log(w) if w else -math.inf for w in weights]


small = st.builds(F, st.integers(0, 3), st.sampled_from([16, 32]))
# Powers of two and their sums: loops of weight one are common, and floating point is exact as long as it can be.
halves = st.sampled_from([F(0), F(1, 4), F(1, 2), F(3, 4), F(1), F(2)])
uneven = st.builds(F, st.integers(0, 9), st.sampled_from([3, 5, 7, 10]))

SEMIRINGS = [
    (Rational(), list, lambda value: value),
    (Fractions(), list, lambda value: value),
    (Real(), lambda w: [float(x) for x in w], F),
    (Log(), logs, lambda value: F(math.exp(value))),
    (SignedLog(), lambda w: [SignedLog().value(float(x)) for x in w], lambda value: F(float(value))),
]


@pytest.mark.parametrize(("semiring", "read", "write"), SEMIRINGS, ids=[type(case[0]).__name__ for case in SEMIRINGS])
@pytest.mark.parametrize("values", [small, halves, uneven], ids=["small", "halves", "uneven"])
@settings(deadline=None, max_examples=80)
@given(st.data())
def test_sums_around_cycles(semiring, read, write, values, data):
    graph = data.draw(linear_graphs())
    weights = data.draw(edge_weights(graph, values))
    forest = build(graph)
    is_exact = type(semiring) in (Rational, Fractions)

    def check(found, expected):
        for value, exact in zip(found, expected, strict=True):
            if is_exact:
                assert value == exact
            else:
                assert abs(write(value) - exact) <= F(1e-9) * exact

    try:
        below = closure.inside(graph, weights)
    except closure.Diverges:
        event("inside diverges")
        with pytest.raises(CycleError, match="converge") as raised:
            inside(forest, read(weights), semiring)
        assert is_cycle(graph, raised.value.cycle)
        return
    check(inside(forest, read(weights), semiring), below)
    try:
        above = closure.outside(graph, weights, below)
    except closure.Diverges:
        event("outside diverges")
        with pytest.raises(CycleError, match=r"converge.*no derivation") as raised:
            outside(forest, read(weights), semiring)
        assert is_cycle(graph, raised.value.cycle)
        return
    event("acyclic" if forest.is_acyclic else "converges")
    check(outside(forest, read(weights), semiring), above)
    # d Z / d weight, times the weight: uses. What goes into a node comes out of it.
    around = [write(value) for value in edge_outside(forest, read(weights), semiring)]
    for node in range(graph.nodes):
        flow = sum((around[e] * weights[e] for e in graph.into(node)), F(0))
        assert abs(flow - above[node] * below[node]) <= F(1e-9) * above[node] * below[node]


def is_cycle(graph, nodes):
    """Whether each node has the next one in the tail of an edge into it."""
    pairs = zip(nodes, [*nodes[1:], nodes[0]], strict=True)
    return all(any(head == above and below in tail for head, tail in graph.edges) for above, below in pairs)


@settings(deadline=None)
@given(st.data())
def test_acyclic_hypergraphs_are_as_ever(data):
    graph = data.draw(linear_graphs())
    forest = build(graph)
    if forest.is_acyclic:
        weights = data.draw(edge_weights(graph, uneven))
        below = closure.inside(graph, weights)
        assert below == twin.inside(graph, weights) == inside(forest, weights, Rational())
        assert closure.outside(graph, weights, below) == twin.outside(graph, weights)


@settings(deadline=None)
@given(st.data())
def test_the_sums_of_truth_counts_and_costs(data):
    graph = data.draw(linear_graphs())
    forest = build(graph)
    costs = data.draw(st.lists(st.integers(0, 20), min_size=forest.edges, max_size=forest.edges))
    ones = [F(1)] * forest.edges
    alive = closure.productive(graph, ones)
    assert inside(forest, None, Boolean()).tolist() == [node in alive for node in range(graph.nodes)]
    # Bellman and Ford: no cheapest derivation has a node above itself.
    best = [math.inf] * graph.nodes
    for _ in range(graph.nodes + 1):
        for (head, tail), cost in zip(graph.edges, costs, strict=True):
            best[head] = min(best[head], cost + sum(best[node] for node in tail))
    assert inside(forest, [float(cost) for cost in costs], Tropical()).tolist() == best
    # Counts are infinite where a sum of weights one diverges.
    counts = inside(forest, None, Counting())
    try:
        assert counts == closure.inside(graph, ones)
    except closure.Diverges:
        assert math.inf in counts
    assert [count > 0 for count in counts] == [node in alive for node in range(graph.nodes)]


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 12), st.randoms(use_true_random=False))
def test_chains_of_markov_never_end(size, random):
    # All that leaves a state comes back: the spectral radius is 1, whatever rounding makes of it.
    shares = np.array([[random.uniform(0.1, 1) for _ in range(size)] for _ in range(size)])
    matrix = shares / shares.sum(axis=1, keepdims=True)
    edges = [(0, ())] + [(i, (j,)) for i in range(size) for j in range(size)]
    forest = Hypergraph.from_edges(edges, root=0)
    for semiring, weights in ((Real(), [1.0, *matrix.flat]), (Log(), logs([1.0, *matrix.flat]))):
        with pytest.raises(CycleError, match="converge"):
            inside(forest, weights, semiring)
    # A little less, and there is a sum.
    matrix *= 0.99999
    expected = np.linalg.solve(np.eye(size) - matrix, np.eye(size)[0])
    assert inside(forest, [1.0, *matrix.flat], Real()) == pytest.approx(expected, rel=1e-9)
