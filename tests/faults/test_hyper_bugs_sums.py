"""What went wrong in other libraries of hypergraphs and lattices: sums over derivations, and cycles.

`test_hyper_bugs_table.py` says which of our reports each test belongs to.
"""

from __future__ import annotations

import copy
import inspect
import math
import pickle

import numpy as np
import pytest

from forest_comparison import content
from plait import hypergraph
from plait.errors import CycleError
from plait.hypergraph import (
    Automaton,
    Distribution,
    Hypergraph,
    Yields,
    distributions,
    edge_outside,
    inside,
    intersect,
    kbest,
    max_marginals,
    outside,
    prune,
    read_forests,
    restrict,
    sample,
    viterbi,
)
from plait.semiring import (
    Boolean,
    CheckedCounting,
    Counting,
    Log,
    Rational,
    Real,
    SignedLog,
    Tropical,
)

INFINITY = math.inf

TWICE = Hypergraph.from_edges([(0, []), (0, []), (1, [0, 0]), (2, [1])])
"""A node that stands twice in a tail."""

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


@pytest.mark.parametrize("is_log", [True, False])
def test_both_places_of_a_repeated_node_count(is_log):
    """7 * (5 + 5) * 11 = 770, where others have 154 or 1694."""
    weights = np.array([2.0, 3.0, 7.0, 11.0])
    p = Distribution(TWICE, np.log(weights) if is_log else weights, is_log=is_log)
    assert np.exp(p.outside) == pytest.approx([770, 11, 1], rel=1e-14)
    assert outside(TWICE, weights, Real()).tolist() == [770, 11, 1]
    assert outside(TWICE, [2, 3, 7, 11], Rational()) == [770, 11, 1]
    assert np.exp(outside(TWICE, np.log(weights), Log())) == pytest.approx([770, 11, 1], rel=1e-14)
    assert edge_outside(TWICE, weights, Real()) == pytest.approx(
        slopes(lambda w: inside(TWICE, w, Real())[2], weights), rel=1e-8
    )
    # Expected uses of one derivation of five edges.
    assert p.edge_posteriors == pytest.approx([4 / 5, 6 / 5, 1, 1], rel=1e-14)


@pytest.mark.parametrize("arity", range(1, 8))
def test_a_node_as_often_as_one_likes(arity):
    graph = Hypergraph.from_edges([(0, []), (1, [0] * arity)])
    assert outside(graph, [3.0, 2.0], Real()).tolist() == [2.0 * arity * 3.0 ** (arity - 1), 1.0]
    p = Distribution(graph, [3.0, 2.0], is_log=False)
    assert p.edge_posteriors.tolist() == [arity, 1]
    assert p.entropy == 0
    assert viterbi(graph, [-1.0, -0.5]).edges.tolist() == [1] + [0] * arity


@pytest.mark.parametrize(
    ("edges", "cycle"),
    [
        ([(0, [0]), (0, [])], (0,)),
        ([(0, [1]), (1, [0]), (0, [])], (0, 1)),
    ],
)
def test_a_cycle_is_summed_or_named(edges, cycle):
    graph = Hypergraph.from_edges(edges, root=0)
    weights = [0.5] + [1.0] * (len(edges) - 1)
    # Not 1.0, as if the loop were not there.
    assert inside(graph, weights, Real()).tolist() == [2.0] * graph.nodes
    assert inside(graph, np.log(weights), Log()) == pytest.approx([math.log(2)] * graph.nodes)
    logs, features = np.log(weights), np.eye(len(edges))
    for ask in (
        lambda: Distribution(graph, logs),
        lambda: hypergraph.log_z(graph, logs),
        lambda: hypergraph.posteriors(graph, logs),
        lambda: hypergraph.entropy(graph, logs),
        lambda: hypergraph.hessian_log_z(graph, logs, features),
        lambda: viterbi(graph, logs),
        lambda: kbest(graph, logs, 1),
        lambda: sample(graph, logs, 1),
        lambda: max_marginals(graph, logs),
        lambda: prune(graph, logs, beam=1.0),
    ):
        with pytest.raises(CycleError, match="form a cycle") as caught:
            ask()
        assert caught.value.cycle == cycle
    assert graph.cycle() == cycle


@pytest.fixture(scope="module")
def deep():
    return chain(1_000_000)


def test_a_million_nodes_deep_is_no_recursion(deep):
    weights = np.full(deep.edges, -0.5)
    total = -0.5 * deep.edges
    p = Distribution(deep, weights)
    assert p.log_z == pytest.approx(total, rel=1e-13)
    assert p.outside[0] == pytest.approx(total + 0.5, rel=1e-13)
    assert (p.edge_posteriors == 1).all()
    assert inside(deep, None, Boolean()).all()
    assert outside(deep, weights, Log())[0] == pytest.approx(total + 0.5, rel=1e-9)
    assert outside(deep, -weights, Tropical())[0] == -total - 0.5
    assert len(viterbi(deep, weights)) == len(kbest(deep, weights, 2).edges) == deep.edges
    assert len(sample(deep, weights, 1).edges) == deep.edges
    assert max_marginals(deep, weights).nodes[0] == total
    assert restrict(deep, np.ones(deep.edges, np.bool_)).graph == deep


def test_a_million_nodes_deep_can_be_copied_sent_and_dropped(deep):
    for twin in (pickle.loads(pickle.dumps(deep)), copy.copy(deep), copy.deepcopy(deep)):
        assert twin == deep
        assert hash(twin) == hash(deep)
        del twin
    loop = np.arange(1, deep.nodes + 1) % deep.nodes
    ring = Hypergraph(np.arange(deep.nodes), np.arange(deep.nodes + 1), loop, root=0)
    assert len(ring.cycle()) == deep.nodes


def test_500_000_steps_of_a_thousandth_do_not_underflow():
    graph = chain(500_000)
    logs = np.full(graph.edges, math.log(1e-3))
    for p in (Distribution(graph, logs), Distribution(graph, np.full(graph.edges, 1e-3), is_log=False)):
        assert p.log_z == pytest.approx(graph.edges * math.log(1e-3), rel=1e-13)
        assert p.edge_posteriors.min() == 1
    assert inside(graph, logs, Log())[-1] == pytest.approx(graph.edges * math.log(1e-3), rel=1e-11)


def test_edges_in_any_order_are_sorted_inside():
    steps, arcs = 200, 3
    graph = chain(steps, arcs)
    order = np.random.default_rng(2).permutation(graph.edges)
    names = np.random.default_rng(3).permutation(graph.nodes)
    shuffled = Hypergraph.from_edges(
        [(int(names[graph.heads[e]]), names[list(graph.tail(e))].tolist()) for e in order], root=int(names[graph.root])
    )
    weights = np.random.default_rng(4).normal(size=graph.edges)
    p, q = Distribution(graph, weights), Distribution(shuffled, weights[order])
    assert q.log_z == pytest.approx(p.log_z, rel=1e-14)
    assert q.edge_posteriors == pytest.approx(p.edge_posteriors[order], rel=1e-12)


def test_posteriors_after_an_intersection():
    """A lattice of two words at each of four places, with a bigram model: no cycle, no order lost."""
    graph, yields = chain(4, 2), Yields.from_rows([[], *[[-1, word] for _ in range(4) for word in range(2)]])
    # "1 1" is not allowed; "0 1" weighs 1/4.
    model = Automaton([0, 0, 1], [0, 1, 0], [0, 1, 0], ends=[0.0, 0.0], weights=[0.0, math.log(0.25), 0.0])
    found = intersect(graph, yields, model)
    assert found.graph.is_acyclic
    p = Distribution(found.graph, found.weights)
    # Strings of four with 0, 1 or 2 ones of which no two are neighbours.
    assert math.exp(p.log_z) == pytest.approx(1 + 4 / 4 + 3 / 16)
    counts = np.bincount(found.edges, p.edge_posteriors, minlength=graph.edges)
    assert counts[1:].reshape(4, 2).sum(axis=1) == pytest.approx([1] * 4)


def test_a_loop_of_epsilons_is_named(tmp_path):
    path = tmp_path / "loop.fst"
    path.write_text("0 1 a a 0.5\n1 2 <eps> <eps> 0.1\n2 1 <eps> <eps> 0.1\n2 3 b b\n3\n")
    (forest,) = read_forests(path)
    with pytest.raises(CycleError, match=r"nodes 1 <- 2 <- 1|nodes 2 <- 1 <- 2"):
        hypergraph.posteriors(forest.graph, forest.weights)
    assert inside(forest.graph, forest.weights, Log())[forest.graph.root] == pytest.approx(
        -0.6 - math.log(1 - math.exp(-0.2))
    )


@pytest.mark.parametrize("shift", [1e4, -1e4, 1e6])
def test_no_probability_is_above_one_however_large_the_scores(shift):
    steps, arcs = 300, 3
    graph = chain(steps, arcs)
    weights = np.random.default_rng(6).normal(0, 3, graph.edges)
    p, q = Distribution(graph, weights), Distribution(graph, weights + shift)
    assert q.log_z == pytest.approx(p.log_z + shift * (steps + 1), rel=1e-14)
    assert q.edge_posteriors == pytest.approx(p.edge_posteriors, abs=1e-9)
    for d in (p, q):
        assert d.edge_posteriors.max() <= 1 + 1e-12
        assert d.local.max() <= 1
        best = viterbi(graph, weights if d is p else weights + shift)
        assert best.weight <= d.log_z + 1e-14 * abs(d.log_z)
    # Where there is one derivation only, it has all of the probability.
    alone = chain(steps)
    only = Distribution(alone, np.linspace(-1, 1, alone.edges) + shift)
    assert (only.edge_posteriors == 1).all()
    assert viterbi(alone, np.linspace(-1, 1, alone.edges) + shift).weight <= only.log_z * (1 + 1e-14 * np.sign(shift))


def test_names_say_what_is_a_logarithm_and_what_a_probability():
    weights = np.random.default_rng(7).normal(size=FOREST.edges)
    p = Distribution(FOREST, weights)
    assert ((p.edge_posteriors >= 0) & (p.edge_posteriors <= 1)).all()
    assert p.edge_posteriors[4:].sum() == pytest.approx(1)
    assert p.node_posteriors == pytest.approx(np.exp(p.inside + p.outside - p.log_z))
    for name in ("log_z", "inside", "outside"):
        assert "logarithm" in inspect.getattr_static(Distribution, name).__doc__
    for name in ("edge_posteriors", "node_posteriors"):
        assert "expected number of uses" in inspect.getattr_static(Distribution, name).__doc__


def test_what_is_left_of_a_forest_without_its_leaves_is_empty():
    """No edge is left, nothing panics, and all sums are those over no derivation."""
    has_tail = np.diff(FOREST.tail_starts) > 0
    none = restrict(FOREST, has_tail)
    assert (none.graph.nodes, none.graph.edges, none.nodes.tolist()) == (1, 0, [FOREST.root])
    gone = np.where(has_tail, 0.0, -INFINITY)
    pruned = prune(FOREST, gone, beam=INFINITY)
    assert pruned.graph == none.graph
    for graph, weights in ((none.graph, np.zeros(0)), (FOREST, gone)):
        p = Distribution(graph, weights)
        assert (p.log_z, p.entropy, p.variance(np.ones(graph.edges))) == (-INFINITY, 0, 0)
        assert not p.edge_posteriors.any()
        assert not p.node_posteriors.any()
        features = np.ones((graph.edges, 2))
        assert p.expectations(features).tolist() == [0, 0]
        assert p.covariance(features).tolist() == [[0, 0], [0, 0]]
        assert len(kbest(graph, weights, 5)) == len(sample(graph, weights, 5)) == 0
        assert viterbi(graph, weights) is None
        assert (max_marginals(graph, weights).nodes[graph.root], len(prune(graph, weights, edges=9).edges)) == (
            -INFINITY,
            0,
        )
    for semiring in (Boolean(), Counting(), CheckedCounting(), Log(), Real(), Rational(), SignedLog(), Tropical()):
        assert inside(none.graph, [], semiring)[0] == semiring.zero
        assert outside(none.graph, [], semiring)[0] == semiring.one
        assert len(edge_outside(none.graph, [], semiring)) == 0


def test_forests_and_distributions_can_be_copied_and_sent(tmp_path):
    path = tmp_path / "two.plf"
    path.write_text("((('a',-1,1),('b',-2,1),),)\n((('b',-3,1),),)\n")
    forests = read_forests(path)
    for twins in (pickle.loads(pickle.dumps(forests)), copy.deepcopy(forests), [copy.copy(x) for x in forests]):
        assert [content(twin) for twin in twins] == [content(forest) for forest in forests]
        assert twins[0].words is twins[1].words
    graph = forests[0].graph
    p, q = (Distribution(graph, forests[0].scores([weight])) for weight in (1.0, 2.0))
    for twins in (pickle.loads(pickle.dumps([p, q])), copy.deepcopy([p, q]), [copy.copy(p), copy.copy(q)]):
        assert [twin.outside.tolist() for twin in twins] == [p.outside.tolist(), q.outside.tolist()]
        assert twins[0].kl_divergence(twins[1]) == p.kl_divergence(q) > 0
    is_log = Distribution(TWICE, [2.0, 3.0, 7.0, 11.0], is_log=False)
    assert copy.copy(is_log).log_z == is_log.log_z


@pytest.mark.parametrize("is_log", [True, False])
def test_what_becomes_of_an_array_of_weights_changes_no_distribution(is_log):
    """Outside weights of what is far below the rest need the weights again, when they are asked for."""
    graph = Hypergraph.from_edges([(0, []), (1, []), (2, [0]), (2, [1]), (3, [2, 2])])
    logs = np.array([0.0, -300.0, 0.0, -300.0, -1.0])
    weights = logs.copy() if is_log else np.exp(logs)
    expected = Distribution(graph, logs).outside.copy()
    assert expected[1] == pytest.approx(-301 + math.log(2))
    base = weights.copy()
    view = base[:]
    view.flags.writeable = False
    for given in (weights, view):
        p = Distribution(graph, given, is_log=is_log)
        (q,) = distributions([graph], [given], is_log=is_log)
        weights[:] = base[:] = 1.0
        assert p.outside == pytest.approx(expected, rel=1e-14)
        assert q.outside == pytest.approx(expected, rel=1e-14)
        weights[:] = base[:] = logs if is_log else np.exp(logs)
    for array in (p.inside, p.outside, p.local, p.edge_posteriors, p.node_posteriors):
        assert not array.flags.writeable
