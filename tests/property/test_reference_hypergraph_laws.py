"""The twin of hypergraphs against laws that no enumeration is needed for."""

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypergraph_strategies import edge_features, edge_items, edge_weights, rationals, weighted_graphs
from reference import hypergraph, hypergraph_moments

F = Fraction
POSITIVE = rationals(may_be_zero=False)


def recursion(graph, weights):
    """Inside weights by Figure 2, over an order found by trying."""
    values = {}
    while len(values) < graph.nodes:
        for node in range(graph.nodes):
            edges = graph.into(node)
            if node not in values and all(tail in values for e in edges for tail in graph.edges[e][1]):
                parts = [weights[e] * math.prod(values[tail] for tail in graph.edges[e][1]) for e in edges]
                values[node] = sum(parts, F(0))
    return [values[node] for node in range(graph.nodes)]


@settings(deadline=None)
@given(weighted_graphs(values=rationals(is_signed=True)))
def test_sums_over_derivations_are_those_of_the_recursion(case):
    graph, weights = case
    assert hypergraph.inside(graph, weights) == recursion(graph, weights)
    counts = hypergraph.counts(graph)
    assert counts == recursion(graph, [F(1)] * len(weights))
    assert max(counts) <= 200
    derivations = hypergraph.enumerate_derivations(graph)
    assert len(set(derivations)) == len(derivations) == counts[graph.root]


@settings(deadline=None)
@given(weighted_graphs(values=rationals(is_signed=True)))
def test_outside_weights_are_derivatives(case):
    graph, weights = case
    outside = hypergraph.outside(graph, weights)
    # One more derivation of a node, of weight t: Z is a polynomial in t, its slope at 0 found from the dual numbers.
    for node in range(graph.nodes):
        more = hypergraph.Graph(graph.nodes, (*graph.edges, (node, ())), graph.root)
        slope = dual_slope(more, weights)
        assert outside[node] == slope


def dual_slope(graph, weights):
    """The slope of Z by the weight of the last edge, at weight 0: by the recursion over pairs."""
    pairs = [(w, F(0)) for w in weights] + [(F(0), F(1))]
    values = {}
    while len(values) < graph.nodes:
        for node in range(graph.nodes):
            edges = graph.into(node)
            if node in values or any(tail not in values for e in edges for tail in graph.edges[e][1]):
                continue
            total = (F(0), F(0))
            for e in edges:
                p, r = pairs[e]
                for tail in graph.edges[e][1]:
                    q, s = values[tail]
                    p, r = p * q, p * s + q * r
                total = (total[0] + p, total[1] + r)
            values[node] = total
    return values[graph.root][1]


@settings(deadline=None)
@given(weighted_graphs(values=POSITIVE, needs_derivation=True))
def test_posteriors_of_a_node_are_those_of_its_edges(case):
    graph, weights = case
    edges, nodes = hypergraph.edge_posteriors(graph, weights), hypergraph.node_posteriors(graph, weights)
    inside, outside = hypergraph.inside(graph, weights), hypergraph.outside(graph, weights)
    for node in range(graph.nodes):
        assert nodes[node] == sum(edges[e] for e in graph.into(node))
        assert nodes[node] * inside[graph.root] == inside[node] * outside[node]
    for e, (head, tail) in enumerate(graph.edges):
        weight = outside[head] * weights[e] * math.prod(inside[node] for node in tail)
        assert edges[e] * inside[graph.root] == weight


@settings(deadline=None)
@given(st.data())
def test_moments(data):
    graph, weights = data.draw(weighted_graphs(values=POSITIVE, needs_derivation=True))
    features = data.draw(edge_features(graph, size=2))
    z, sums = hypergraph_moments.inside_outside(graph, weights, features)
    r, s = ([w * f.get(i, 0) for w, f in zip(weights, features, strict=True)] for i in (0, 1))
    t = [w * f.get(0, 0) * f.get(1, 0) for w, f in zip(weights, features, strict=True)]
    assert hypergraph_moments.first_order(graph, weights, r) == (z, sums.get(0, 0))
    found = hypergraph_moments.second_order(graph, weights, r, s, t)
    assert found[:3] == (z, sums.get(0, 0), sums.get(1, 0))
    assert found[3] == hypergraph_moments.hessian_z(graph, weights, features, 2)[0][1]
    covariance = hypergraph_moments.covariance(graph, weights, features, 2)
    assert covariance == hypergraph_moments.hessian_log_z(graph, weights, features, 2)
    loss = [f.get(1, F(0)) for f in features]
    assert hypergraph_moments.grad_risk(graph, weights, loss, features, 2) == covariance[1]


@settings(deadline=None)
@given(st.data())
def test_gradients_of_entropies_are_differences(data):
    graph, weights = data.draw(weighted_graphs(values=POSITIVE, needs_derivation=True))
    others = data.draw(edge_weights(graph, POSITIVE))
    features = [{0: F(data.draw(st.integers(-2, 2)))} for _ in graph.edges]
    step = 1e-4

    def slope(function, *, of_others=False):
        sides = []
        for sign in (1, -1):
            moved = [
                w * F(math.exp(sign * step * float(f[0])))
                for w, f in zip(others if of_others else weights, features, strict=True)
            ]
            sides.append(function(graph, *((weights, moved) if of_others else (moved, others))))
        return pytest.approx((sides[0] - sides[1]) / (2 * step), abs=1e-4, rel=1e-4)

    args = (graph, weights, others, features, 1)
    moments = hypergraph_moments
    assert moments.grad_entropy(graph, weights, features, 1)[0] == slope(lambda g, p, q: moments.entropy(g, p))
    assert moments.grad_cross_entropy(*args)[0] == slope(moments.cross_entropy)
    assert moments.grad_kl_divergence(*args)[0] == slope(moments.kl_divergence)
    assert float(moments.grad_other(*args)[0]) == slope(moments.kl_divergence, of_others=True)
    assert moments.kl_divergence(graph, weights, weights) == 0
    assert moments.kl_divergence(graph, weights, others) >= 0
    assert moments.entropy(graph, weights) <= math.log(hypergraph.counts(graph)[graph.root]) + 1e-12


@settings(deadline=None)
@given(st.data())
def test_best_derivations(data):
    graph, weights = data.draw(weighted_graphs())
    best = hypergraph.kbest(graph, weights)
    assert sum((weight for weight, _ in best), F(0)) == hypergraph.total(graph, weights)
    assert all(a[0] >= b[0] for a, b in itertools.pairwise(best))
    assert hypergraph.kbest(graph, weights, 3) == best[:3]
    items = data.draw(edge_items(graph))
    unique = hypergraph.unique_kbest(graph, weights, items)
    yields = hypergraph.yield_weights(graph, weights, items)
    assert {hypergraph.yield_of(graph, d, items) for _, d in unique} == set(yields)
    assert len(unique) == len(yields)
    nodes, edges = hypergraph.max_marginals(graph, weights)
    if best:
        assert nodes[graph.root] == best[0][0]
        assert max(edges) == best[0][0]
