"""The twin of hypergraphs against closed forms and hand-computed values."""

import math
from fractions import Fraction

import pytest

from hypergraph_strategies import figure_1
from reference import hypergraph, hypergraph_moments
from reference.hypergraph import Graph

F = Fraction


def chain(steps, choices):
    """A chain of nodes with parallel edges."""
    edges = [(0, ())] + [(n, (n - 1,)) for n in range(1, steps + 1) for _ in range(choices)]
    return Graph(steps + 1, tuple(edges), steps)


def catalan_forest(words):
    """S -> S S | a over a string: one node for each span."""
    spans = [(i, i + size) for size in range(1, words + 1) for i in range(words - size + 1)]
    names = {span: name for name, span in enumerate(spans)}
    edges = [(names[span], ()) for span in spans if span[1] - span[0] == 1]
    edges += [(names[i, j], (names[i, k], names[k, j])) for i, j in spans for k in range(i + 1, j)]
    return Graph(len(spans), tuple(edges), names[0, words])


class Strings:
    """Formal sums of strings: sets of them, so that only the order of products matters."""

    zero = frozenset()
    one = frozenset({""})

    @staticmethod
    def plus(a, b):
        return a | b

    @staticmethod
    def times(a, b):
        return frozenset(x + y for x in a for y in b)


def test_a_node_that_stands_twice_in_a_tail_has_two_places():
    graph = Graph(2, ((0, ()), (0, ()), (1, (0, 0))), 1)
    weights = [F(2), F(3), F(1)]
    assert hypergraph.enumerate_derivations(graph) == [(2, 0, 0), (2, 0, 1), (2, 1, 0), (2, 1, 1)]
    assert hypergraph.inside(graph, weights) == [5, 25]
    assert hypergraph.outside(graph, weights) == [10, 1]
    assert hypergraph.edge_posteriors(graph, weights) == [F(4, 5), F(6, 5), 1]
    assert hypergraph.node_posteriors(graph, weights) == [2, 1]


@pytest.mark.parametrize(("words", "trees"), [(1, 1), (2, 1), (3, 2), (4, 5), (5, 14), (6, 42), (7, 132)])
def test_trees_are_counted_by_the_numbers_of_catalan(words, trees):
    graph = catalan_forest(words)
    assert hypergraph.counts(graph)[graph.root] == trees
    ones = [F(1)] * len(graph.edges)
    assert hypergraph.total(graph, ones) == trees
    # Every tree has a leaf for each word and an inner node less.
    assert hypergraph_moments.risk(graph, ones, ones) == 2 * words - 1
    assert hypergraph_moments.entropy(graph, ones) == pytest.approx(math.log(trees), rel=1e-15)


@pytest.mark.parametrize(("steps", "choices"), [(1, 2), (3, 3), (6, 2)])
def test_the_entropy_of_a_chain_is_that_of_its_steps(steps, choices):
    graph = chain(steps, choices)
    weights = [F(1)] + [F(n + 1) for _ in range(steps) for n in range(choices)]
    shares = [(n + 1) / (choices * (choices + 1) / 2) for n in range(choices)]
    step = -math.fsum(p * math.log(p) for p in shares)
    assert hypergraph_moments.entropy(graph, weights) == pytest.approx(steps * step, rel=1e-14)
    # Uses of the first choice: binomial.
    first = [{0: F(1)} if e % choices == 1 % choices and e else {} for e in range(len(graph.edges))]
    p = F(1, choices * (choices + 1) // 2)
    assert hypergraph_moments.expectations(graph, weights, first, 1) == [steps * p]
    assert hypergraph_moments.covariance(graph, weights, first, 1) == [[steps * p * (1 - p)]]


def test_the_length_of_a_geometric_chain():
    # Stop after n steps with weight p^n, up to 20: the truncated series of a loop.
    p, most = F(1, 3), 20
    graph = Graph(
        2 + most,
        (*((n, (n - 1,) if n else ()) for n in range(most + 1)), *((most + 1, (n,)) for n in range(most + 1))),
        most + 1,
    )
    weights = [F(1)] + [p] * most + [F(1)] * (most + 1)
    length = [F(0)] + [F(1)] * most + [F(0)] * (most + 1)
    z = sum(p**n for n in range(most + 1))
    assert hypergraph.total(graph, weights) == z == (1 - p ** (most + 1)) / (1 - p)
    assert hypergraph_moments.risk(graph, weights, length) == sum(n * p**n for n in range(most + 1)) / z


def test_dead_ends_and_what_is_out_of_reach():
    # 0 is a dead end, 3 out of reach; 2 -> 0 1.
    graph = Graph(4, ((1, ()), (2, (0, 1)), (2, (1,)), (3, (1,))), 2)
    weights = [F(2), F(3), F(5), F(7)]
    assert hypergraph.inside(graph, weights) == [0, 2, 10, 14]
    assert hypergraph.outside(graph, weights) == [6, 5, 1, 0]
    assert hypergraph.edge_posteriors(graph, weights) == [1, 0, 1, 0]
    assert hypergraph.max_marginals(graph, weights) == ([0, 10, 10, 0], [10, 0, 10, 0])


def test_products_are_taken_in_prefix_order():
    graph = Graph(3, ((0, ()), (1, ()), (2, (0, 1)), (2, (1, 0))), 2)
    weights = [frozenset({letter}) for letter in "abcd"]
    assert hypergraph.inside_in(graph, weights, Strings)[2] == {"cab", "dba"}


class TestFigure1:
    """All quantities of section 6, by hand."""

    figure = figure_1()

    def test_derivations(self):
        graph, weights = self.figure.graph, self.figure.weights
        found = {
            " ".join(self.figure.words[word] for word in hypergraph.yield_of(graph, d, self.figure.items)): weight
            for weight, d in hypergraph.kbest(graph, weights)
        }
        assert list(found.items()) == [
            ("a cat on the mat", F(1, 3)),
            ("the mat a cat", F(1, 4)),
            ("a cat of the mat", F(1, 6)),
            ("the mat 's a cat", F(1, 12)),
        ]

    def test_sums(self):
        graph, weights = self.figure.graph, self.figure.weights
        assert hypergraph.inside(graph, weights) == [F(1, 2), F(1, 3), F(1, 2), F(2, 3), F(5, 6)]
        assert hypergraph.outside(graph, weights) == [F(5, 3), F(5, 2), 1, F(1, 2), 1]
        assert hypergraph.edge_posteriors(graph, weights) == [F(n, 10) for n in [10, 10, 4, 2, 1, 3, 6, 4]]
        assert hypergraph.counts(graph) == [1, 1, 2, 2, 4]

    def test_moments(self):
        graph, weights, lengths = self.figure.graph, self.figure.weights, self.figure.lengths
        scaled = [p * n for p, n in zip(weights, lengths, strict=True)]
        squares = [p * n * n for p, n in zip(weights, lengths, strict=True)]
        sums = hypergraph_moments.second_order(graph, weights, scaled, scaled, squares)
        assert sums == (F(5, 6), F(47, 12), F(47, 12), F(223, 12))
        features = [{0: n} for n in lengths]
        assert hypergraph_moments.inside_outside(graph, weights, features) == (F(5, 6), {0: F(47, 12)})
        assert hypergraph_moments.risk(graph, weights, lengths) == F(47, 10)
        assert hypergraph_moments.covariance(graph, weights, features, 1) == [[F(21, 100)]]
        assert hypergraph_moments.hessian_z(graph, weights, features, 1) == [[F(223, 12)]]
        assert hypergraph_moments.hessian_log_z(graph, weights, features, 1) == [[F(21, 100)]]

    def test_entropies(self):
        graph, weights = self.figure.graph, self.figure.weights
        shares = [0.4, 0.3, 0.2, 0.1]
        expected = -math.fsum(p * math.log(p) for p in shares)
        assert hypergraph_moments.entropy(graph, weights) == pytest.approx(expected, rel=1e-15)
        assert hypergraph_moments.entropy(graph, weights) == pytest.approx(1.279854225833667, rel=1e-15)
        uniform = [F(1)] * 8
        assert hypergraph_moments.cross_entropy(graph, weights, uniform) == pytest.approx(math.log(4), rel=1e-15)
        assert hypergraph_moments.kl_divergence(graph, weights, uniform) == pytest.approx(math.log(4) - expected)
        without = [F(1)] * 7 + [F(0)]
        assert hypergraph_moments.kl_divergence(graph, weights, without) == math.inf
        assert hypergraph_moments.kl_divergence(graph, without, weights) == pytest.approx(
            0.5 * math.log(0.5 / 0.4) + 0.5 * math.log(0.5 / 0.2)
        )
