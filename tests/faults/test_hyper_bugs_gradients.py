"""What went wrong in other libraries of hypergraphs and lattices: zeros, infinities and gradients.

`test_hyper_bugs_table.py` says which of our reports each test belongs to.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from plait import hypergraph
from plait.hypergraph import (
    Distribution,
    Hypergraph,
    SparseFeatures,
    inside,
    inside_outside,
    kbest,
)
from plait.semiring import (
    Boolean,
    CheckedCounting,
    Counting,
    KBest,
    Log,
    Real,
    Scaled,
    SignedLog,
    Tropical,
    Viterbi,
)

INFINITY = math.inf

FOREST = Hypergraph.from_edges([(0, []), (0, []), (1, []), (1, []), (2, [0, 1]), (2, [1, 0]), (2, [0])])
"""Ten derivations: eight of three edges and two of two."""


def chain(steps: int, arcs: int = 1) -> Hypergraph:
    """A lattice with so many arcs between neighbours; its first edge has no tail."""
    heads = np.concatenate(([0], np.repeat(np.arange(1, steps + 1), arcs)))
    return Hypergraph(heads, np.concatenate(([0], np.arange(len(heads)))), np.repeat(np.arange(steps), arcs))


def slopes(quantity, weights, step=1e-5):
    """Central differences of a number by each weight."""
    steps = step * np.eye(len(weights))
    return np.array([(quantity(weights + row) - quantity(weights - row)) / (2 * step) for row in steps])


def test_nodes_without_a_live_derivation_add_nothing_to_any_gradient():
    """All edges into node 0 are -inf: others have NaN there."""
    graph = Hypergraph.from_edges([(0, []), (0, []), (1, [0]), (1, []), (1, []), (2, [1])])
    weights = np.array([-INFINITY, -INFINITY, 0.3, 0.1, 0.6, 0.2])
    loss, features = np.arange(6.0), np.eye(6)
    p = Distribution(graph, weights)
    assert p.node_posteriors.tolist()[0] == 0
    live = Hypergraph.from_edges([(0, []), (0, []), (1, [0])])
    of_live, kept = np.array([0.1, 0.6, 0.2]), slice(3, 6)
    for ask in (
        lambda g, w, x, f: hypergraph.grad_log_z(g, w, f),
        lambda g, w, x, f: hypergraph.grad_entropy(g, w, f),
        lambda g, w, x, f: hypergraph.grad_risk(g, w, x, f),
        lambda g, w, x, f: hypergraph.grad_kl_divergence(g, w, x, f),
        lambda g, w, x, f: hypergraph.hessian_log_z(g, w, f).ravel(),
    ):
        found = ask(graph, weights, loss, features)
        expected = np.zeros_like(found)
        smaller = ask(live, of_live, loss[kept], np.eye(3))
        if found.size == 36:
            expected.reshape(6, 6)[kept, kept] = smaller.reshape(3, 3)
        else:
            expected[kept] = smaller
        assert found == pytest.approx(expected, abs=1e-15)


def test_zero_times_the_logarithm_of_zero_is_zero():
    graph = chain(6, 3)
    weights = np.full(graph.edges, -INFINITY)
    weights[[0, *range(2, graph.edges, 3)]] = np.log(np.linspace(3, 49, 7))
    alone = Distribution(graph, weights)
    assert alone.entropy == 0
    assert hypergraph.kl_divergence(graph, weights, weights) == 0
    assert hypergraph.cross_entropy(graph, weights, weights) == 0
    assert set(alone.edge_posteriors.tolist()) == {0.0, 1.0}
    two = np.where(np.arange(graph.edges) % 3 == 1, -INFINITY, 0.0)
    assert hypergraph.entropy(graph, two) == pytest.approx(6 * math.log(2))
    assert hypergraph.kl_divergence(graph, np.zeros(graph.edges), weights) == INFINITY
    assert hypergraph.kl_divergence(graph, weights, np.zeros(graph.edges)) == pytest.approx(6 * math.log(3))


@pytest.mark.parametrize("weights", [np.linspace(-3, 3, 1000), np.log(np.arange(1.0, 1001))])
def test_a_single_derivation_has_no_entropy_at_all(weights):
    p = Distribution(chain(999), weights)
    assert p.entropy == 0
    assert (p.edge_posteriors == 1).all()
    assert not p.surprisals().any()


@pytest.mark.parametrize(
    ("semiring", "values"),
    [
        (Log(), [-1e9, -1e5, -1e300, 1e300]),
        (Viterbi(), [-1e9, -1e5, -1e300, 1e300]),
        (Tropical(), [1e9, 1e5, 1e300, -1e300]),
        (Real(), [1e-300, 5e-324, 1e300]),
        (SignedLog(), [SignedLog().value(-5e-324), SignedLog().value(1e300)]),
        (Scaled(), [Scaled().value(1e-300, -(10**9)), Scaled().value(-1.0)]),
        (Boolean(), [True, False]),
        (Counting(), [0, 10**30, INFINITY]),
        (CheckedCounting(), [0, CheckedCounting.MORE]),
        (KBest(3), [(-1e9, -1e300), ()]),
    ],
    ids=lambda x: type(x).__name__,
)
def test_zero_is_no_number_that_a_weight_could_reach(semiring, values):
    zero = semiring.zero
    assert semiring.plus(zero, zero) == zero
    assert semiring.times(zero, zero) == zero
    for value in values:
        assert semiring.plus(zero, value) == semiring.plus(value, zero) == value
        assert semiring.times(zero, value) == semiring.times(value, zero) == zero
    if type(semiring) in (Log, Viterbi):
        assert zero == -INFINITY


def test_scores_below_the_zeros_of_others_are_scores():
    """-1e5 and -1e9 are the zeros of two libraries."""
    weights = np.full(FOREST.edges, -1e9)
    weights[4:] = -1e5
    p = Distribution(FOREST, weights)
    assert p.log_z == pytest.approx(-1e9 - 1e5 + math.log(2), rel=1e-15)
    assert p.edge_posteriors[4:].tolist() == [0, 0, 1]


def test_a_gradient_takes_the_factor_of_what_stands_above_it():
    """loss = -3 ln Z, and weights that are -3 times a parameter."""
    weights = np.random.default_rng(8).normal(size=FOREST.edges)
    posteriors = hypergraph.posteriors(FOREST, weights)
    assert slopes(lambda w: -3 * hypergraph.log_z(FOREST, w), weights) == pytest.approx(-3 * posteriors, abs=1e-9)
    factors = -3 * np.eye(FOREST.edges)
    assert hypergraph.grad_log_z(FOREST, -3 * weights, factors) == pytest.approx(
        slopes(lambda w: hypergraph.log_z(FOREST, -3 * w), weights), abs=1e-8
    )
    sparse = SparseFeatures(
        np.arange(FOREST.edges + 1),
        np.arange(FOREST.edges, dtype=np.uint32),
        np.full(FOREST.edges, -3.0),
        tuple(map(str, range(FOREST.edges))),
    )
    assert hypergraph.grad_log_z(FOREST, weights, sparse) == pytest.approx(-3 * posteriors)
    # The gradient of Z itself, in the weights as they are.
    total, gradient = inside_outside(FOREST, np.exp(weights), np.eye(FOREST.edges), Real())
    assert gradient == pytest.approx(slopes(lambda w: inside(FOREST, w, Real())[2], np.exp(weights)), rel=1e-7)
    assert total == pytest.approx(math.exp(hypergraph.log_z(FOREST, weights)))


def test_the_hessian_of_log_z_is_the_covariance_of_features():
    rng = np.random.default_rng(9)
    weights, features = rng.normal(size=FOREST.edges), rng.normal(size=(FOREST.edges, 3))
    found = kbest(FOREST, weights, 100)
    assert len(found) == 10
    shares = np.exp(found.weights - hypergraph.log_z(FOREST, weights))
    sums = np.stack([features[d.edges].sum(axis=0) for d in found])
    means = shares @ sums
    covariance = (shares[:, None] * (sums - means)).T @ (sums - means)
    hessian = hypergraph.hessian_log_z(FOREST, weights, features)
    assert hessian == pytest.approx(covariance, abs=1e-12)
    # The gradient is made of posteriors: this is what differentiating through them gives.
    by_steps = slopes(lambda x: hypergraph.grad_log_z(FOREST, weights + features @ x, features), np.zeros(3))
    assert hessian == pytest.approx(by_steps, abs=1e-8)


@pytest.mark.parametrize("size", [710.0, 800.0, 1e5])
def test_scores_past_the_limit_of_exp_give_finite_numbers(size):
    rng = np.random.default_rng(10)
    features, loss = rng.normal(size=(FOREST.edges, 2)), rng.normal(size=FOREST.edges)
    for signs in ([1] * 7, [-1] * 7, [1, -1, 1, -1, 1, -1, 1], [-1, 1, 1, 1, -1, -1, 1]):
        weights = size * np.array(signs) + rng.normal(size=FOREST.edges)
        found = [
            hypergraph.log_z(FOREST, weights),
            hypergraph.entropy(FOREST, weights),
            hypergraph.risk(FOREST, weights, loss),
            *hypergraph.grad_entropy(FOREST, weights, features),
            *hypergraph.grad_risk(FOREST, weights, loss, features),
            *hypergraph.hessian_log_z(FOREST, weights, features).ravel(),
            hypergraph.kl_divergence(FOREST, weights, rng.normal(size=FOREST.edges)),
        ]
        assert np.isfinite(found).all()
        every = kbest(FOREST, weights, 10)
        shares = np.exp(every.weights - np.logaddexp.reduce(every.weights))
        assert found[1] == pytest.approx(-(shares * np.log(shares, where=shares > 0, out=np.zeros(10))).sum(), abs=1e-9)
        assert found[2] == pytest.approx(shares @ [loss[d.edges].sum() for d in every], abs=1e-9)
