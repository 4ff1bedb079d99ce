"""The fast path over hypergraphs against enumeration in exact rationals, and laws where nothing can be enumerated."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypergraph_strategies import edge_features, edge_weights, figure_1, graphs, rationals, to_arrays, to_csr
from plait import hypergraph
from plait.hypergraph import Distribution, Hypergraph, SparseFeatures, distributions
from reference import hypergraph as twin
from reference import hypergraph_moments as moments
from reference.hypergraph import Features, Graph

SIZE = 3
PRECISION = 1e-12
"""Derivations have at most 24 edges and nodes at most 12: (24 * 4 + 12) 2^-52 with room for the logarithms."""


def hypergraph_of(graph: Graph) -> Hypergraph:
    heads, starts, tails = to_arrays(graph)
    return Hypergraph(heads, starts, tails, nodes=graph.nodes, root=graph.root)


def logs(weights: list[Fraction]) -> npt.NDArray[np.float64]:
    return np.array([math.log(w) if w else -math.inf for w in weights])


def reals(values: list[Fraction]) -> npt.NDArray[np.float64]:
    return np.array([float(value) for value in values])


def sparse(features: list[Features]) -> SparseFeatures:
    starts, ids, values = to_csr(features)
    return SparseFeatures(starts, ids, np.array(values), tuple("abcdefgh"[:SIZE]))


def dense(features: list[Features]) -> npt.NDArray[np.float64]:
    rows = [[float(row.get(i, 0)) for i in range(SIZE)] for row in features]
    return np.array(rows, np.float64).reshape(len(features), SIZE)


def near(expected: Any, scale: float = 1.0) -> Any:
    return pytest.approx(np.array(expected, np.float64), rel=PRECISION, abs=PRECISION * scale)


@st.composite
def weighted(draw: st.DrawFn, *, is_full: bool = False) -> tuple[Graph, list[Fraction]]:
    graph = draw(graphs(needs_derivation=is_full))
    return graph, draw(edge_weights(graph, rationals(may_be_zero=not is_full)))


@given(weighted(), st.booleans())
@settings(deadline=None, max_examples=300)
def test_sums_over_derivations(case: tuple[Graph, list[Fraction]], is_log: bool) -> None:
    graph, weights = case
    p = Distribution(hypergraph_of(graph), logs(weights) if is_log else reals(weights), is_log=is_log)
    assert np.exp(p.inside) == near(reals(twin.inside(graph, weights)))
    assert np.exp(p.outside) == near(reals(twin.outside(graph, weights)))
    if twin.total(graph, weights):
        assert p.log_z == near(moments.log_total(graph, weights))
        assert p.edge_posteriors == near(reals(twin.edge_posteriors(graph, weights)))
        assert p.node_posteriors == near(reals(twin.node_posteriors(graph, weights)))
    else:
        assert p.log_z == -math.inf
        assert not p.edge_posteriors.any()
        assert not p.node_posteriors.any()
        assert p.entropy == 0


@st.composite
def with_features(draw: st.DrawFn) -> tuple[Graph, list[Fraction], list[Features], list[Fraction]]:
    graph, weights = draw(weighted(is_full=True))
    features = draw(edge_features(graph, size=SIZE))
    return graph, weights, features, draw(edge_weights(graph, rationals(is_signed=True)))


def largest(graph: Graph, features: list[Features]) -> float:
    """The largest sum of absolute values that a derivation has: what rounding is relative to."""
    absolute = [{i: abs(value) for i, value in row.items()} for row in features]
    sums = [twin.features_of(d, absolute) for d in twin.enumerate_derivations(graph)]
    return float(max((value for row in sums for value in row.values()), default=Fraction(0))) + 1


@given(with_features())
@settings(deadline=None, max_examples=200)
def test_moments(case: tuple[Graph, list[Fraction], list[Features], list[Fraction]]) -> None:
    graph, weights, features, loss = case
    p = Distribution(hypergraph_of(graph), logs(weights))
    scale = largest(graph, features)
    lost = largest(graph, [{0: value} for value in loss])
    expected = moments.expectations(graph, weights, features, SIZE)
    assert p.expectations(sparse(features)) == near(reals(expected), scale)
    assert p.expectations(dense(features)) == near(reals(expected), scale)
    covariance = [reals(row) for row in moments.covariance(graph, weights, features, SIZE)]
    assert p.covariance(sparse(features), threads=2) == near(covariance, scale**2)
    assert p.covariance(dense(features), sparse(features)) == near(covariance, scale**2)
    assert p.expectation(reals(loss)) == near(float(moments.risk(graph, weights, loss)), lost)
    gradient = moments.grad_risk(graph, weights, loss, features, SIZE)
    assert p.covariance_with(reals(loss), sparse(features)) == near(reals(gradient), scale * lost)
    variance = moments.covariance(graph, weights, [{0: value} for value in loss], 1)[0][0]
    assert p.variance(reals(loss)) == near(float(variance), lost**2)


@given(with_features(), st.data())
@settings(deadline=None, max_examples=200)
def test_entropies(case: tuple[Graph, list[Fraction], list[Features], list[Fraction]], data: st.DataObject) -> None:
    graph, weights, features, _ = case
    others = data.draw(edge_weights(graph, rationals(may_be_zero=data.draw(st.booleans()))))
    structure, p, q = hypergraph_of(graph), logs(weights), logs(others)
    # Logarithms of probabilities above 1e-30.
    scale = 100 * largest(graph, features)
    assert hypergraph.entropy(structure, p) == near(moments.entropy(graph, weights))
    assert hypergraph.grad_entropy(structure, p, sparse(features)) == near(
        moments.grad_entropy(graph, weights, features, SIZE), scale
    )
    if not twin.total(graph, others):
        return
    divergence = moments.kl_divergence(graph, weights, others)
    assert hypergraph.cross_entropy(structure, p, q) == near(moments.cross_entropy(graph, weights, others), 100)
    assert hypergraph.kl_divergence(structure, p, q) == near(divergence, 100)
    assert hypergraph.kl_divergence(structure, p, p) == 0
    if divergence == math.inf:
        with pytest.raises(ValueError, match="a derivation of p is none of q: edge"):
            hypergraph.grad_kl_divergence(structure, p, q, sparse(features))
        return
    assert hypergraph.grad_kl_divergence(structure, p, q, sparse(features)) == near(
        moments.grad_kl_divergence(graph, weights, others, features, SIZE), scale
    )
    assert hypergraph.grad_cross_entropy(structure, p, q, sparse(features)) == near(
        moments.grad_cross_entropy(graph, weights, others, features, SIZE), scale
    )


def test_figure_1() -> None:
    """All quantities of section 6, by hand."""
    figure = figure_1()
    forest = hypergraph_of(figure.graph)
    p = Distribution(forest, reals(figure.weights), is_log=False)
    assert np.exp(p.inside) == near([1 / 2, 1 / 3, 1 / 2, 2 / 3, 5 / 6])
    assert np.exp(p.outside) == near([5 / 3, 5 / 2, 1, 1 / 2, 1])
    assert p.edge_posteriors == near([1, 1, 2 / 5, 1 / 5, 1 / 10, 3 / 10, 3 / 5, 2 / 5])
    assert p.entropy == near(1.279854225833667)
    lengths = reals(figure.lengths)
    assert p.expectation(lengths) == near(47 / 10)
    assert p.variance(lengths) == near(21 / 100)
    # Derivations of 5, 5, 5 and 4 words with probabilities 2/5, 1/5, 1/10 and 3/10: rbar / Z and tbar / Z.
    z = math.exp(p.log_z)
    assert z * p.expectation(lengths) == near(47 / 12)
    assert z * (p.variance(lengths) + p.expectation(lengths) ** 2) == near(223 / 12)
    assert hypergraph.risk(forest, logs(figure.weights), lengths) == near(47 / 10)


def chain(steps: int, arcs: int) -> Hypergraph:
    """A lattice with so many arcs between neighbours."""
    heads = np.concatenate(([0], np.repeat(np.arange(1, steps + 1), arcs)))
    tails = np.repeat(np.arange(steps), arcs)
    starts = np.concatenate(([0, 0], np.arange(1, len(tails) + 1)))
    return Hypergraph(heads, starts, tails)


def test_posteriors_of_a_million_arcs_add_up_at_every_step() -> None:
    """What tools in single precision lose: 276446.8, 253796 and 249973.98 instead of 250000 (hyper_bugs 5)."""
    steps, arcs = 250_000, 4
    weights = np.random.default_rng(1).normal(-3, 2, steps * arcs + 1)
    p = Distribution(chain(steps, arcs), weights)
    by_step = p.edge_posteriors[1:].reshape(steps, arcs).sum(axis=1)
    assert np.abs(by_step - 1).max() < 1e-9
    assert abs(p.edge_posteriors[1:].sum() - steps) < 1e-4
    expected = weights[0] + np.logaddexp.reduce(weights[1:].reshape(steps, arcs), axis=1).sum()
    assert p.log_z == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("arcs", [1, 2, 7])
def test_closed_forms_of_lattices(arcs: int) -> None:
    """n steps with m equal arcs: H = n ln m; with unequal ones the entropy is n times that of a step."""
    steps = 500
    even = Distribution(chain(steps, arcs), np.zeros(steps * arcs + 1))
    assert even.entropy == near(steps * math.log(arcs))
    assert even.log_z == near(steps * math.log(arcs))
    step = np.arange(1.0, arcs + 1)
    uneven = Distribution(chain(steps, arcs), np.log(np.concatenate(([1.0], np.tile(step, steps)))))
    share = step / step.sum()
    assert uneven.entropy == near(-steps * (share * np.log(share)).sum())


@pytest.mark.parametrize("scale", [1e-300, 1e-3, 1.0, 1e300])
def test_nothing_underflows_or_overflows(scale: float) -> None:
    steps, arcs = 100_000, 3
    step = np.array([1.0, 2.0, 3.0])
    p = Distribution(chain(steps, arcs), np.concatenate(([1.0], np.tile(step * scale, steps))), is_log=False)
    assert p.log_z == pytest.approx(steps * (math.log(6) + math.log(scale)), rel=1e-12)
    assert p.edge_posteriors[1:] == near(np.tile(step / 6, steps))
    assert p.outside[0] == pytest.approx(p.log_z, rel=1e-12)


@given(graphs(needs_derivation=True), st.floats(-1e5, 1e5), st.data())
@settings(deadline=None)
def test_scores_that_are_shifted_at_every_edge_of_a_lattice(graph: Graph, shift: float, data: st.DataObject) -> None:
    """A shift of the edges into the root changes Z and no posterior (hyper_bugs 8)."""
    structure = hypergraph_of(graph)
    weights = logs(data.draw(edge_weights(graph, rationals(may_be_zero=False))))
    shifted = weights + shift * (structure.heads == structure.root)
    p, q = Distribution(structure, weights), Distribution(structure, shifted)
    assert q.log_z == pytest.approx(p.log_z + shift, rel=1e-12, abs=1e-9)
    assert q.edge_posteriors == pytest.approx(p.edge_posteriors, abs=1e-9)


@pytest.mark.parametrize("arity", range(6))
@pytest.mark.parametrize("size", [0.0, 100.0, 170.0, 178.0, 400.0, 1e4, 2e8])
@pytest.mark.parametrize("sign", [1, -1])
def test_weights_of_any_size_and_tails_of_any_length(arity: int, size: float, sign: int) -> None:
    leaf, weights = sign * size, np.array([0.0, 1.0, -1.0])
    graph = Hypergraph.from_edges([(0, []), (1, []), (2, [0] * arity), (2, [0] * arity), (2, [1])], root=2)
    p = Distribution(graph, [leaf, leaf * arity + 0.5, *weights + leaf])
    expected = (arity + 1) * leaf + np.logaddexp.reduce([0.0, 1.0, -0.5])
    assert p.log_z == pytest.approx(expected, rel=2e-15, abs=1e-12)
    total = 1 + math.e + math.exp(-0.5)
    # Logarithms of that size have no more digits.
    precise = pytest.approx(np.array([1, math.e, math.exp(-0.5)]) / total, rel=1e-12 + 1e-15 * (arity + 1) * size)
    assert p.edge_posteriors[2:] == precise
    assert p.inside[:2] == near([leaf, leaf * arity + 0.5])


def test_what_is_far_below_the_rest_keeps_its_outside_weight() -> None:
    """A part with a posterior below 1e-308 is still there in logarithms."""
    #   0, 1: words; 2 <- 0 (likely) or 1 (next to impossible); 3 <- 2 2
    graph = Hypergraph.from_edges([(0, []), (1, []), (2, [0]), (2, [1]), (3, [2, 2])])
    p = Distribution(graph, [0.0, -500.0, 0.0, -500.0, -1.0])
    assert p.outside == near([-1 + math.log(2), -501 + math.log(2), -1 + math.log(2), 0])
    assert p.edge_posteriors[3] == 0
    assert p.inside == near([0, -500, 0, -1])


def test_a_node_without_derivations_has_an_outside_weight_but_no_posterior() -> None:
    graph = Hypergraph.from_edges([(0, []), (2, [0, 1]), (2, [0])], nodes=3, root=2)
    p = Distribution(graph, np.log([2.0, 3.0, 5.0]))
    assert np.exp(p.inside) == near([2, 0, 10])
    assert np.exp(p.outside) == near([5, 6, 1])
    assert p.node_posteriors == near([1, 0, 1])
    assert p.expectations(np.array([1.0, 1e300, 1.0])) == near([2])


def test_batches_equal_single_forests_on_any_number_of_threads() -> None:
    rng = np.random.default_rng(5)
    graphs_ = [chain(int(n), 3) for n in rng.integers(1, 60, 30)]
    weights = [rng.normal(size=graph.edges) for graph in graphs_]
    alone = [Distribution(graph, w) for graph, w in zip(graphs_, weights, strict=True)]
    for threads in (1, 2, 5):
        batch = distributions(graphs_, weights, threads=threads)
        for one, other in zip(alone, batch, strict=True):
            assert np.array_equal(one.edge_posteriors, other.edge_posteriors)
            assert np.array_equal(one.outside, other.outside)


@given(weighted(is_full=True), st.data())
@settings(deadline=None, max_examples=60)
def test_gradients_equal_central_differences(case: tuple[Graph, list[Fraction]], data: st.DataObject) -> None:
    graph, weights = case
    structure, base = hypergraph_of(graph), logs(weights)
    features = dense(data.draw(edge_features(graph, size=SIZE)))
    loss = reals(data.draw(edge_weights(graph, rationals(is_signed=True))))
    step = 1e-4

    def slope(quantity: Any, i: int) -> float:
        ahead, behind = (quantity(base + sign * step * features[:, i]) for sign in (1, -1))
        return (ahead - behind) / (2 * step)

    checks = [
        (lambda w: hypergraph.log_z(structure, w), hypergraph.grad_log_z(structure, base, features)),
        (lambda w: hypergraph.entropy(structure, w), hypergraph.grad_entropy(structure, base, features)),
        (lambda w: hypergraph.risk(structure, w, loss), hypergraph.grad_risk(structure, base, loss, features)),
    ]
    magnitude = 1 + np.abs(features).sum(axis=0) ** 3 * (1 + np.abs(loss).sum()) * 24**3
    for quantity, gradient in checks:
        for i in range(SIZE):
            assert slope(quantity, i) == pytest.approx(gradient[i], abs=1e-8 * magnitude[i], rel=1e-6)
