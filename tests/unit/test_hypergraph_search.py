"""Searches over hypergraphs: bad input, sizes, and the layouts of chains and charts."""

from __future__ import annotations

import itertools
import math
import signal
import time
from typing import Any

import numpy as np
import pytest

from plait.errors import ConfigError, CycleError, DataError, ResourceError
from plait.hypergraph import (
    Automaton,
    Hypergraph,
    KBest,
    Yields,
    intersect,
    kbest,
    log_z,
    max_marginals,
    prune,
    restrict,
    sample,
    viterbi,
    with_ngrams,
)

COIN = Hypergraph.from_edges([(0, []), (0, [])])
PAIR = Hypergraph.from_edges([(0, []), (0, []), (1, [0, 0])])
LOOP = Hypergraph.from_edges([(0, [1]), (1, [0]), (0, [])], root=1)


@pytest.mark.parametrize(
    "search",
    [
        lambda graph, weights: viterbi(graph, weights),
        lambda graph, weights: kbest(graph, weights, 1),
        lambda graph, weights: sample(graph, weights, 1),
        lambda graph, weights: max_marginals(graph, weights),
        lambda graph, weights: prune(graph, weights, beam=1.0),
    ],
)
def test_what_no_search_takes(search: Any) -> None:
    with pytest.raises(CycleError, match="nodes 0 <- 1 <- 0 form a cycle") as caught:
        search(LOOP, [0.0, 0.0, 0.0])
    assert caught.value.cycle == (0, 1)
    for bad in (math.nan, math.inf):
        with pytest.raises(DataError, match="weight of edge 1"):
            search(COIN, [0.0, bad])
    with pytest.raises(DataError, match="weights must be one for each of the 2 edges"):
        search(COIN, [0.0])


def test_no_derivation_is_no_error() -> None:
    nothing = [-math.inf, -math.inf]
    assert viterbi(COIN, nothing) is None
    assert len(kbest(COIN, nothing, 5)) == 0
    assert len(sample(COIN, nothing, 5)) == 0
    assert list(KBest(COIN, nothing)) == []
    assert max_marginals(COIN, nothing).edges.tolist() == nothing
    small = prune(COIN, nothing, beam=1.0, edges=3, density=1.0, posterior=0.1)
    assert (small.graph.nodes, small.graph.edges, small.nodes.tolist()) == (1, 0, [0])
    dead = Hypergraph.from_edges([(1, [0])], nodes=2)
    assert viterbi(dead, [0.0]) is None
    found = with_ngrams(dead, Yields.from_rows([[]]), 2)
    assert (found.graph.nodes, found.graph.edges) == (1, 0)
    none = intersect(COIN, Yields.from_rows([[1], [2]]), Automaton([], [], [], ends=[0.0]))
    assert (none.graph.nodes, none.graph.edges) == (1, 0)


def test_options_out_of_range() -> None:
    weights = [0.0, 0.0]
    for wrong in (
        lambda: kbest(COIN, weights, -1),
        lambda: sample(COIN, weights, -1),
        lambda: sample(COIN, weights, 1, seed=-1),
        lambda: sample(COIN, weights, 1, threads=0),
        lambda: prune(COIN, weights),
        lambda: prune(COIN, weights, beam=-1.0),
        lambda: prune(COIN, weights, beam=math.nan),
        lambda: prune(COIN, weights, posterior=math.nan),
        lambda: prune(COIN, weights, density=-0.5),
        lambda: prune(COIN, weights, edges=-1),
        lambda: with_ngrams(COIN, Yields.from_rows([[1], [2]]), 0),
        lambda: with_ngrams(COIN, Yields.from_rows([[1], [2]]), 2, begin=-3),
        lambda: Hypergraph.chain(2, 0),
        lambda: Hypergraph.chain(-1, 2),
        lambda: Hypergraph.cky(0, [[0, 0, 0]], nonterminals=1),
        lambda: Hypergraph.cky(3, [[0, 1, 0]], nonterminals=1),
        lambda: Hypergraph.cky(3, [[0, 0, 0]], nonterminals=1, start=1),
    ):
        with pytest.raises(ConfigError):
            wrong()


def test_arrays_of_the_wrong_kind() -> None:
    weights = [0.0, 0.0, 0.0]
    for wrong, message in (
        (lambda: kbest(PAIR, weights, 1, unique_by=Yields([0, 1, 2], [1, 2])), "4 numbers that rise"),
        (lambda: kbest(PAIR, weights, 1, unique_by=Yields.from_rows([[1], [2], [-3]])), "yield of edge 2"),
        (lambda: Yields([0, 1], [0.5]).arrays, "must be whole numbers"),
        (lambda: Yields([0, 1], [2**31]).arrays, "must be from"),
        (lambda: Yields.from_rows([[1], [2], []]).of(PAIR, [2, 0]), "derivations of tail nodes are missing"),
        (lambda: Yields.from_rows([[1], [2], []]).of(PAIR, [2, 0, 9]), "no edge of the hypergraph"),
        (lambda: with_ngrams(PAIR, Yields.from_rows([[1], [2], [-1, -1]]), 2), "each tail node exactly once"),
        (lambda: intersect(COIN, Yields.from_rows([[1], [2]]), Automaton([0], [1], [5], [0.0])), "1 states"),
        (lambda: intersect(COIN, Yields.from_rows([[1], [2]]), Automaton([0], [1], [0], [math.nan])), "end weight"),
        (lambda: intersect(COIN, Yields.from_rows([[1], [2]]), Automaton([0], [-2], [0], [0.0])), "all other words"),
        (lambda: intersect(COIN, Yields.from_rows([[1], [2]]), Automaton([0, 0], [1, 1], [0, 0], [0.0])), "one arc"),
        (lambda: restrict(PAIR, [True]), "one bool for each of the 3 edges"),
        (lambda: restrict(PAIR, [1, 1, 0]), "one bool for each of the 3 edges"),
        (lambda: Hypergraph.cky(3, [0, 0, 0], nonterminals=1), "three columns"),
        (lambda: Hypergraph.chain(3, 2, is_allowed=np.ones((3, 3), bool)), "is_allowed must be bool"),
    ):
        with pytest.raises(DataError, match=message):
            wrong()


def test_limits_are_errors_and_what_was_found_stands() -> None:
    many = Hypergraph.from_edges([(0, [])] * 100)
    search = KBest(many, np.zeros(100), unique_by=Yields.from_rows([[7]] * 100), limit=10)
    assert next(search).edges.tolist() == [0]
    with pytest.raises(ResourceError, match="looked at for new yields exceeds the limit of 10"):
        next(search)
    with pytest.raises(ResourceError, match="edges of the intersection exceeds the limit of 5"):
        with_ngrams(PAIR, Yields.from_rows([[1], [2], [-1, -2]]), 2, limit=5)
    with pytest.raises(ResourceError):
        Hypergraph.chain(2**31, 2**31)


def test_a_chain_of_a_million_positions() -> None:
    lattice = Hypergraph.chain(steps=999_999, states=1)
    weights = np.zeros(lattice.edges)
    best = viterbi(lattice, weights)
    assert best is not None
    assert len(best) == 1_000_001
    assert len(kbest(lattice, weights, 3)) == 1
    assert len(sample(lattice, weights, 2).edges) == 2_000_002
    assert prune(lattice, weights, beam=1.0).graph == lattice
    words = Yields(np.arange(lattice.edges + 1) * 0, [])
    assert words.of(lattice, best).tolist() == []


def test_a_cyclic_hypergraph_can_be_restricted() -> None:
    assert restrict(LOOP, [True, True, True]).graph == LOOP
    small = restrict(LOOP, [True, True, False])
    assert (small.nodes.tolist(), small.edges.tolist()) == ([1], [])
    small = restrict(LOOP, [False, True, True])
    assert (small.graph.is_acyclic, small.edges.tolist()) == (True, [1, 2])


def test_an_exponential_derivation_is_refused_or_interrupted() -> None:
    doubled = Hypergraph.from_edges([(0, []), *((n, [n - 1, n - 1]) for n in range(1, 64))])
    weights = np.zeros(64)
    assert max_marginals(doubled, weights).nodes.tolist() == [0.0] * 64
    assert prune(doubled, weights, density=1.0).graph.edges == 64
    with pytest.raises(ResourceError, match="edges of a derivation"):
        viterbi(doubled, weights)


def test_an_interrupt_ends_a_long_intersection() -> None:
    # All words at each of 60 places, in order: 4-grams of 60 words are 60^6 boundaries.
    edges: list[tuple[int, list[int]]] = [(0, [])] * 60
    for n in range(1, 60):
        edges.append((n, [n - 1, 0]))
    graph = Hypergraph.from_edges(edges)
    yields = Yields.from_rows([*([n] for n in range(60)), *([[-1, -2]] * 59)])

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        start = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            with_ngrams(graph, yields, 4, limit=2**40)
        assert time.monotonic() - start < 10
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def test_a_chain_is_laid_out_as_its_arrays() -> None:
    generator = np.random.default_rng(3)
    steps, states = 3, 3
    moves = generator.normal(size=(steps, states, states))
    begin, end = generator.normal(size=(2, states))
    allowed = generator.random((steps, states, states)) < 0.7
    paths = list(itertools.product(range(states), repeat=steps + 1))

    def score(path: tuple[int, ...], moves: Any) -> float:
        inner = sum(moves[t, path[t], path[t + 1]] for t in range(steps))
        return float(begin[path[0]] + inner + end[path[-1]])

    for graph, transitions, weights in (
        (Hypergraph.chain(steps, states), moves, moves.ravel()),
        (
            Hypergraph.chain(steps, states, is_allowed=allowed),
            np.where(allowed, moves, -math.inf),
            moves[allowed],
        ),
    ):
        scores = sorted((score(path, transitions) for path in paths), reverse=True)
        found = kbest(graph, np.concatenate([weights, begin, end]), len(paths))
        assert found.weights.tolist() == pytest.approx([s for s in scores if s > -math.inf])
    shared = Hypergraph.chain(steps, states, is_allowed=allowed[0])
    assert shared.edges == steps * int(allowed[0].sum()) + 2 * states


def test_a_chart_is_laid_out_as_its_arrays() -> None:
    generator = np.random.default_rng(4)
    words, nonterminals = 5, 3
    rules = np.array(list(itertools.product(range(3), repeat=3)))
    places = (words**3 - words) // 6
    lexical = generator.normal(size=(words, nonterminals))
    binary = generator.normal(size=len(rules))
    graph = Hypergraph.cky(words, rules, nonterminals=nonterminals, start=1)
    weights = np.concatenate([lexical.ravel(), np.tile(binary, places)])
    chart = {(i, i + 1): np.exp(lexical[i]) for i in range(words)}
    for width in range(2, words + 1):
        for i in range(words - width + 1):
            total = np.zeros(nonterminals)
            for j in range(i + 1, i + width):
                for (parent, left, right), weight in zip(rules, binary, strict=True):
                    total[parent] += np.exp(weight) * chart[i, j][left] * chart[j, i + width][right]
            chart[i, i + width] = total
    assert log_z(graph, weights) == pytest.approx(np.log(chart[0, words][1]))
    # Rules that weigh another thing at each place: the places are spans by width, then splits.
    spans = [(i, i + w) for w in range(2, words + 1) for i in range(words - w + 1)]
    order = [(i, k, j) for i, j in spans for k in range(i + 1, j)]
    assert len(order) == places
    only = np.full((places, len(rules)), -math.inf)
    only[order.index((0, 1, 5))] = only[order.index((1, 4, 5))] = 0.0
    only[order.index((1, 2, 4))] = only[order.index((2, 3, 4))] = 0.0
    trees = log_z(graph, np.concatenate([np.zeros(lexical.size), only.ravel()]))
    assert trees == pytest.approx(math.log(nonterminals**8))
