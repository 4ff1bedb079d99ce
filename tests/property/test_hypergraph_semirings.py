"""Inside, outside and INSIDE-OUTSIDE in every semiring, against enumeration."""

import math
import operator
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypergraph_strategies import dyadics, edge_features, edge_weights, graphs, rationals, to_arrays, to_csr
from plait.errors import ConfigError
from plait.hypergraph import Hypergraph, SparseFeatures, edge_outside, evaluation, inside, inside_outside, outside
from plait.semiring import (
    Boolean,
    CheckedCounting,
    Counting,
    Dense,
    Derivation,
    FirstOrder,
    KBest,
    Log,
    Product,
    Rational,
    Real,
    Scalar,
    Scaled,
    SecondOrder,
    SignedLog,
    Sparse,
    Tropical,
    Viterbi,
)
from reference import hypergraph as twin
from reference import hypergraph_moments as moments

F = Fraction


class Fractions:
    """A user's semiring that declares what outside weights need, and no more."""

    zero, one = F(0), F(1)
    is_commutative = True
    plus = staticmethod(operator.add)
    times = staticmethod(operator.mul)


class Modular:
    """Numbers modulo 2^61 - 1, in arrays: exact."""

    zero, one = 0, 1
    dtype = np.dtype(np.uint64)
    is_commutative = True
    prime = 2**13 - 1

    def plus(self, a, b):
        return (a + b) % self.prime

    def times(self, a, b):
        return (a * b) % self.prime


class ModularRuns(Modular):
    """The same with sums of runs of its own."""

    def plus_reduce(self, values, starts):
        return np.add.reduceat(values, starts) % self.prime


class Best(Modular):
    """The largest number, by a ufunc."""

    zero, one = -math.inf, 0.0
    dtype = np.dtype(np.float64)
    plus = np.maximum
    times = np.add


class Matrices:
    """Two-by-two matrices of integers, whose products depend on the order."""

    zero, one = ((0, 0), (0, 0)), ((1, 0), (0, 1))

    @staticmethod
    def plus(a, b):
        return tuple(tuple(x + y for x, y in zip(r, s, strict=True)) for r, s in zip(a, b, strict=True))

    @staticmethod
    def times(a, b):
        return tuple(tuple(sum(a[i][k] * b[k][j] for k in (0, 1)) for j in (0, 1)) for i in (0, 1))


class Pairs:
    """Rows of two numbers modulo a prime, in arrays of two columns."""

    zero, one = np.zeros(2, np.int64), np.ones(2, np.int64)
    dtype = np.dtype(np.int64)
    is_commutative = True

    def plus(self, a, b):
        return (a + b) % 8191

    def times(self, a, b):
        return (a * b) % 8191


def build(graph):
    heads, starts, tails = to_arrays(graph)
    return Hypergraph(heads, starts, tails, nodes=graph.nodes, root=graph.root)


def plain(values):
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


costs = st.integers(0, 2**20).map(float)

EXACT = [
    (Boolean(), st.booleans()),
    (Counting(), st.integers(0, 2**70)),
    (CheckedCounting(), st.integers(0, 2**33)),
    (Rational(), rationals(is_signed=True)),
    (Fractions(), rationals(is_signed=True)),
    (Modular(), st.integers(0, 8190)),
    (ModularRuns(), st.integers(0, 8190)),
    (Best(), st.integers(-1000, 1000).map(float)),
    (Viterbi(), st.integers(-100, 100).map(float)),
    (Tropical(), costs),
    (KBest(3, Tropical()), costs.map(lambda cost: (cost,))),
    (Product(Counting(), Tropical()), st.tuples(st.integers(0, 9), costs)),
    (FirstOrder(Rational()), st.tuples(rationals(), rationals(is_signed=True))),
]


@pytest.mark.parametrize(("semiring", "values"), EXACT, ids=[repr(case[0]).split(" object")[0] for case in EXACT])
@settings(deadline=None, max_examples=60)
@given(st.data())
def test_exact_semirings_are_exact(semiring, values, data):
    graph = data.draw(graphs())
    weights = data.draw(st.lists(values, min_size=len(graph.edges), max_size=len(graph.edges)))
    if hasattr(semiring, "check") and getattr(semiring, "dtype", None) is None:
        weights = [semiring.check(weight) for weight in weights]
    forest = build(graph)
    # Small levels go by value otherwise.
    least = data.draw(st.sampled_from([0, 8]))
    with mock.patch.object(evaluation, "_LEAST_EDGES_OF_ROUND", least):
        assert_exact(graph, forest, weights, semiring)


def assert_exact(graph, forest, weights, semiring):
    found = plain(inside(forest, weights, semiring))
    assert found == twin.inside_in(graph, weights, semiring)
    assert plain(outside(forest, weights, semiring)) == twin.outside_in(graph, weights, semiring)
    assert plain(outside(forest, weights, semiring, inside=found)) == twin.outside_in(graph, weights, semiring)
    around = plain(edge_outside(forest, weights, semiring))
    # The weight of an edge as a node of its own: the derivative by the edge is the outside weight of that node.
    for edge, (head, tail) in enumerate(graph.edges):
        edges = (*graph.edges[:edge], (head, (graph.nodes, *tail)), *graph.edges[edge + 1 :], (graph.nodes, ()))
        split = twin.Graph(graph.nodes + 1, edges, graph.root)
        moved = [*weights[:edge], semiring.one, *weights[edge + 1 :], weights[edge]]
        contexts = twin.enumerate_contexts(split, graph.nodes)
        context = twin.plus_all(semiring, (twin.times_all(semiring, a + b, moved) for a, b in contexts))
        assert around[edge] == context


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_rows_of_arrays_are_values(data):
    graph = data.draw(graphs())
    numbers = st.tuples(st.integers(0, 8190), st.integers(0, 8190))
    weights = np.array(
        data.draw(st.lists(numbers, min_size=len(graph.edges), max_size=len(graph.edges))), np.int64
    ).reshape(-1, 2)
    forest = build(graph)
    for function, expected in ((inside, twin.inside_in), (outside, twin.outside_in)):
        found = function(forest, weights, Pairs())
        for column in range(2):
            scalars = [int(w) for w in weights[:, column]]
            assert found[:, column].tolist() == expected(graph, scalars, Modular())


@pytest.mark.parametrize("semiring", [Derivation(), Matrices()])
@settings(deadline=None, max_examples=60)
@given(st.data())
def test_products_keep_their_order(semiring, data):
    graph = data.draw(graphs(max_derivations=40))
    forest = build(graph)
    if isinstance(semiring, Derivation):
        weights = [semiring.letter(name) for name in range(forest.edges)]
    else:
        entries = st.tuples(st.tuples(*[st.integers(-3, 3)] * 2), st.tuples(*[st.integers(-3, 3)] * 2))
        weights = data.draw(st.lists(entries, min_size=forest.edges, max_size=forest.edges))
    assert inside(forest, weights, semiring) == twin.inside_in(graph, weights, semiring)
    with pytest.raises(ConfigError, match="commutative"):
        outside(forest, weights, semiring)
    with pytest.raises(ConfigError, match="commutative"):
        inside_outside(forest, weights, weights, semiring)


def near(found, exact, scale, bound=1e-12):
    """Whether doubles are the exact numbers, up to a bound relative to the sums of magnitudes."""
    for value, expected, magnitude in zip(found, exact, scale, strict=True):
        assert abs(F(value) - expected) <= F(bound) * magnitude


@settings(deadline=None)
@given(st.data())
def test_floating_semirings_are_near(data):
    graph = data.draw(graphs())
    weights = data.draw(edge_weights(graph, dyadics(is_signed=True)))
    sizes = [abs(weight) for weight in weights]
    forest = build(graph)
    for function, exact in ((inside, twin.inside), (outside, twin.outside)):
        expected, scale = exact(graph, weights), exact(graph, sizes)
        near(function(forest, [float(w) for w in weights], Real()), expected, scale)
        signed = [SignedLog().value(float(w)) for w in weights]
        near([float(v) for v in function(forest, signed, SignedLog())], expected, scale, 1e-11)
        scaled = [Scaled().value(float(w)) for w in weights]
        near([float(v) for v in function(forest, scaled, Scaled())], expected, scale)
        with np.errstate(divide="ignore"):
            logs = np.log([float(size) for size in sizes])
        near(np.exp(function(forest, logs, Log())), scale, scale, 1e-11)


@settings(deadline=None)
@given(st.data())
def test_inside_outside_is_inside_in_the_expectation_semiring(data):
    graph = data.draw(graphs())
    weights = data.draw(edge_weights(graph))
    features = data.draw(edge_features(graph, values=rationals(is_signed=True)))
    forest = build(graph)
    # By component and all at once.
    x = [{name: w * value for name, value in f.items()} for w, f in zip(weights, features, strict=True)]
    z, sums = moments.inside_outside(graph, weights, features)
    k = Rational()
    sparse = {name: value for name, value in sums.items() if value}
    assert inside_outside(forest, weights, x, k, module=Sparse(k)) == (z, sparse)
    pairs = FirstOrder(k, Sparse(k))
    values = [pairs.check((w, row)) for w, row in zip(weights, x, strict=True)]
    assert inside(forest, values, pairs)[graph.root] == (z, sparse)
    first = [row.get(0, F(0)) for row in x]
    assert inside_outside(forest, weights, first, k) == (z, sums.get(0, 0))
    assert inside_outside(forest, weights, first, k, module=Scalar(k)) == (z, sums.get(0, 0))
    rows = [[row.get(name, F(0)) for name in range(3)] for row in x]
    total, found = inside_outside(forest, weights, rows, k, module=Dense(k, 3))
    assert (total, found.tolist()) == (z, [sums.get(name, 0) for name in range(3)])
    real, found = inside_outside(forest, [float(w) for w in weights], [float(v) for v in first], Real())
    scale = moments.inside_outside(graph, weights, [{0: abs(f.get(0, F(0)))} for f in features])[1].get(0, 0)
    near([real], [z], [z])
    near([found], [sums.get(0, 0)], [scale])
    starts, ids, _ = to_csr(x)
    vectors = SparseFeatures(starts, ids, np.array([float(v) for row in x for v in row.values()]), tuple("abc"))
    matrix = np.array([[float(row.get(name, 0)) for name in range(3)] for row in x]).reshape(-1, 3)
    sizes = moments.inside_outside(graph, weights, [{n: abs(v) for n, v in f.items()} for f in features])[1]
    for form in (vectors, matrix):
        real, found = inside_outside(forest, [float(w) for w in weights], form, Real())
        near([real, *found], [z, *(sums.get(n, 0) for n in range(3))], [z, *(sizes.get(n, 0) for n in range(3))])


@settings(deadline=None, max_examples=50)
@given(st.data())
def test_second_order_by_lifting_is_second_order(data):
    graph = data.draw(graphs(max_derivations=60))
    p, r, s, t = (data.draw(edge_weights(graph, rationals(is_signed=True))) for _ in range(4))
    forest = build(graph)
    expected = moments.second_order(graph, p, r, s, t)
    k = Rational()
    second = SecondOrder(k)
    direct = inside(forest, [second.check(row) for row in zip(p, r, s, t, strict=True)], second)[graph.root]
    assert tuple(direct) == expected
    first = FirstOrder(k)
    weights = [first.check(pair) for pair in zip(p, r, strict=True)]
    values = [first.check(pair) for pair in zip(s, t, strict=True)]
    # <p, r> <s, t> = <p s, p t + r s>: the module is the semiring itself.
    assert inside_outside(forest, weights, values, first) == ((expected[0], expected[1]), (expected[2], expected[3]))


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_semirings_of_the_core_are_those_of_python(data):
    graph = data.draw(graphs())
    forest = build(graph)
    floats = st.lists(st.floats(-700, 700), min_size=forest.edges, max_size=forest.edges)
    for semiring in (Log(), Viterbi(), Tropical()):
        weights = data.draw(floats)
        by_value = type("ByValue", (), {"dtype": None, "__getattr__": lambda _, name, s=semiring: getattr(s, name)})()
        assert plain(inside(forest, weights, semiring)) == pytest.approx(inside(forest, weights, by_value), rel=1e-12)
        assert plain(outside(forest, weights, semiring)) == pytest.approx(outside(forest, weights, by_value), rel=1e-12)
