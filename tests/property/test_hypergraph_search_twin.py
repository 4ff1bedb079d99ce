"""Best derivations, lists, samples, pruning and intersections of hypergraphs against enumeration.

Weights are powers of two in the twin and their exponents here, in units of 1/2: both are exact, and ties are many.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypergraph_strategies import edge_items, figure_1, graphs, to_arrays
from plait.hypergraph import (
    Automaton,
    Derivation,
    Derivations,
    Hypergraph,
    KBest,
    Yields,
    intersect,
    kbest,
    max_marginals,
    posteriors,
    prune,
    sample,
    viterbi,
    with_ngrams,
)
from reference import hypergraph as twin
from reference.chi_squared import FALSE_ALARMS, fit_probability
from reference.hypergraph import Graph

Exponents = list[int | None]
"""None is the weight of an edge that is not there."""


def hypergraph_of(graph: Graph) -> Hypergraph:
    heads, starts, tails = to_arrays(graph)
    return Hypergraph(heads, starts, tails, nodes=graph.nodes, root=graph.root)


def powers(exponents: Exponents) -> list[Fraction]:
    return [Fraction(0) if n is None else Fraction(2) ** n for n in exponents]


def logs(exponents: Exponents) -> npt.NDArray[np.float64]:
    return np.array([-math.inf if n is None else n / 2 for n in exponents], np.float64)


def log_of(weight: Fraction) -> float:
    """The exponent of a power of two, in the units of `logs`."""
    if weight == 0:
        return -math.inf
    return (weight.numerator.bit_length() - weight.denominator.bit_length()) / 2


@st.composite
def weighted(draw: st.DrawFn) -> tuple[Graph, Exponents]:
    graph = draw(graphs())
    exponent = st.one_of(st.none(), *[st.integers(-4, 4)] * 5)
    return graph, draw(st.lists(exponent, min_size=len(graph.edges), max_size=len(graph.edges)))


def alive(graph: Graph, exponents: Exponents) -> list[tuple[float, twin.Derivation]]:
    """All derivations that are there, best first, ties in prefix order of edge numbers."""
    found = [(log_of(weight), d) for weight, d in twin.kbest(graph, powers(exponents)) if weight]
    return sorted(found, key=lambda pair: (-pair[0], pair[1]))


def pairs(derivations: Derivations) -> list[tuple[float, twin.Derivation]]:
    return [(d.weight, tuple(d.edges.tolist())) for d in derivations]


@given(weighted())
def test_the_best_is_the_first_of_all(case: tuple[Graph, Exponents]) -> None:
    graph, exponents = case
    found = viterbi(hypergraph_of(graph), logs(exponents))
    expected = alive(graph, exponents)
    if not expected:
        assert found is None
    else:
        assert found is not None
        assert (found.weight, tuple(found.edges.tolist())) == expected[0]


@given(weighted(), st.integers(0, 12))
def test_the_k_best_are_exact_distinct_and_in_order(case: tuple[Graph, Exponents], k: int) -> None:
    graph, exponents = case
    forest, weights = hypergraph_of(graph), logs(exponents)
    expected = alive(graph, exponents)
    found = pairs(kbest(forest, weights, 10**6))
    assert [w for w, _ in found] == [w for w, _ in expected]
    assert len(set(found)) == len(found)
    assert set(found) == set(expected)
    # A shorter list is the start of a longer one, and so is what an iterator gives.
    assert pairs(kbest(forest, weights, k)) == found[:k]
    assert [(d.weight, tuple(d.edges.tolist())) for d in itertools.islice(KBest(forest, weights), k)] == found[:k]
    assert [d.weight for d in [viterbi(forest, weights)] if d] == [w for w, _ in found[:1]]


@given(st.data())
def test_every_yield_once_with_its_best_derivation(data: st.DataObject) -> None:
    graph, exponents = data.draw(weighted())
    items = data.draw(edge_items(graph))
    forest, yields = hypergraph_of(graph), Yields.from_rows(items)
    expected: dict[tuple[int, ...], float] = {}
    for weight, d in alive(graph, exponents):
        expected.setdefault(twin.yield_of(graph, d, items), weight)
    found = kbest(forest, logs(exponents), 10**6, unique_by=yields)
    words = [tuple(row.tolist()) for row in yields.of_all(forest, found)]
    assert len(set(words)) == len(words)
    assert dict(zip(words, found.weights.tolist(), strict=True)) == expected
    assert found.weights.tolist() == sorted(expected.values(), reverse=True)
    assert all(tuple(yields.of(forest, d).tolist()) == w for d, w in zip(found, words, strict=True))
    assert pairs(kbest(forest, logs(exponents), 2, unique_by=yields)) == pairs(found)[:2]


@given(weighted())
def test_the_best_through_each_edge_and_node(case: tuple[Graph, Exponents]) -> None:
    graph, exponents = case
    nodes, edges = twin.max_marginals(graph, powers(exponents))
    found = max_marginals(hypergraph_of(graph), logs(exponents))
    assert found.edges.tolist() == [log_of(w) for w in edges]
    assert found.nodes.tolist() == [log_of(w) for w in nodes]


@given(weighted(), st.integers(0, 12), st.floats(0, 3), st.floats(0, 1))
def test_what_pruning_keeps(case: tuple[Graph, Exponents], steps: int, density: float, threshold: float) -> None:
    graph, exponents = case
    forest, weights = hypergraph_of(graph), logs(exponents)
    through = max_marginals(forest, weights).edges
    every = alive(graph, exponents)
    best = every[0] if every else (-math.inf, ())
    size = len(set(best[1]))

    def kept(**bounds: float) -> set[int]:
        found = prune(forest, weights, **bounds)  # type: ignore[arg-type]
        assert found.nodes[found.graph.root] == graph.root
        assert (found.graph.heads.tolist() if found.edges.size else []) == [
            found.nodes.tolist().index(graph.edges[e][0]) for e in found.edges
        ]
        again = viterbi(found.graph, weights[found.edges])
        assert (again is None) == (not every)
        if again is not None:
            assert (again.weight, tuple(found.edges[again.edges].tolist())) == best
        return set(found.edges.tolist())

    beam = steps / 2
    assert kept(beam=beam) == {e for e, w in enumerate(through) if w >= best[0] - beam and w > -math.inf}
    assert len(kept(edges=steps)) <= max(steps, size)
    assert len(kept(density=density)) <= max(math.floor(density * size), size)
    used = {e for _, d in every for e in d}
    assert kept(beam=math.inf) == kept(edges=len(graph.edges)) == used
    assert kept(beam=beam, edges=steps) <= kept(beam=beam) & (kept(edges=steps) | set(best[1]))
    good = set(best[1])
    if every:
        good |= {e for e, p in enumerate(posteriors(forest, weights)) if p >= threshold}
    assert kept(posterior=threshold) == {e for _, d in every if set(d) <= good for e in d}


@given(st.data())
def test_the_intersection_with_an_automaton(data: st.DataObject) -> None:
    graph, exponents = data.draw(weighted())
    items = data.draw(edge_items(graph))
    weight = st.sampled_from([-math.inf, *(n / 2 for n in range(-3, 4))])
    table = data.draw(st.dictionaries(st.tuples(st.integers(0, 2), st.integers(-1, 2)), st.integers(0, 2)))
    costs = data.draw(st.lists(weight, min_size=len(table), max_size=len(table)))
    ends = data.draw(st.lists(weight, min_size=3, max_size=3))
    automaton = Automaton([q for q, _ in table], [w for _, w in table], list(table.values()), ends, costs)
    arcs = {key: (table[key], cost) for key, cost in zip(table, costs, strict=True)}

    def accept(words: tuple[int, ...]) -> float:
        state, total = 0, 0.0
        for word in words:
            state, cost = arcs.get((state, word), arcs.get((state, -1), (0, -math.inf)))
            total += cost
        return total + ends[state]

    forest = hypergraph_of(graph)
    found = intersect(forest, Yields.from_rows(items), automaton)
    expected = Counter()
    for d in twin.enumerate_derivations(graph):
        score = accept(twin.yield_of(graph, d, items))
        if score > -math.inf:
            expected[d, score] += 1
    new = kbest(found.graph, np.zeros(found.graph.edges), 10**6)
    assert Counter((tuple(found.edges[d.edges].tolist()), float(found.weights[d.edges].sum())) for d in new) == expected
    # The best of the intersection is the best of what is accepted.
    weights = logs(exponents)
    scores = [weights[list(d)].sum() + score for d, score in expected]
    best = viterbi(found.graph, weights[found.edges] + found.weights)
    assert (best.weight if best else -math.inf) == max(scores, default=-math.inf)


@given(st.data())
def test_ngrams_of_edges_are_those_of_yields(data: st.DataObject) -> None:
    graph, _ = data.draw(weighted())
    items = data.draw(edge_items(graph))
    order = data.draw(st.integers(1, 4))
    begin, end = data.draw(st.sampled_from([None, 8])), data.draw(st.sampled_from([None, 9]))
    found = with_ngrams(hypergraph_of(graph), Yields.from_rows(items), order, begin=begin, end=end)
    names = found.words()
    assert len(set(names)) == len(names)
    new = kbest(found.graph, np.zeros(found.graph.edges), 10**6)
    olds = [tuple(found.edges[d.edges].tolist()) for d in new]
    assert sorted(olds) == sorted(twin.enumerate_derivations(graph))
    for d, old in zip(new, olds, strict=True):
        rows = [found.ngrams[found.starts[e] : found.starts[e + 1]] for e in d.edges]
        words = twin.yield_of(graph, old, items)
        words = tuple(w for w in (begin, *words, end) if w is not None)
        expected = Counter(words[i : i + n] for n in range(1, order + 1) for i in range(len(words) - n + 1))
        assert Counter(names[n] for row in rows for n in row) == expected
    lengths = found.sums([len(name) == 1 for name in names])
    assert new.sums(lengths).tolist() == [
        len(twin.yield_of(graph, old, items)) + (begin is not None) + (end is not None) for old in olds
    ]


def test_samples_of_figure_1_follow_their_weights() -> None:
    figure = figure_1()
    forest = hypergraph_of(figure.graph)
    weights = np.log([float(w) for w in figure.weights])
    drawn = sample(forest, weights, 30_000, seed=5, threads=1)
    counts = Counter(tuple(d.edges.tolist()) for d in drawn)
    expected = {d: float(p) for d, p in twin.distribution(figure.graph, figure.weights).items()}
    assert fit_probability(counts, expected) > FALSE_ALARMS
    assert drawn.weights.tolist() == pytest.approx([weights[d.edges].sum() for d in drawn])
    again = sample(forest, weights, 1_000, seed=5, threads=3)
    assert again.edges.tolist() == drawn.edges[: len(again.edges)].tolist()
    other = sample(forest, weights, 1_000, seed=6)
    assert other.edges.tolist() != again.edges.tolist()


def test_the_list_of_figure_1() -> None:
    figure = figure_1()
    forest, yields = hypergraph_of(figure.graph), Yields.from_rows(figure.items)
    found = kbest(forest, np.log([float(w) for w in figure.weights]), 9)
    assert np.exp(found.weights).tolist() == pytest.approx([1 / 3, 1 / 4, 1 / 6, 1 / 12])
    texts = [" ".join(figure.words[w] for w in row) for row in yields.of_all(forest, found)]
    assert texts == ["a cat on the mat", "the mat a cat", "a cat of the mat", "the mat 's a cat"]


def test_a_derivation_is_a_value() -> None:
    found = kbest(Hypergraph.from_edges([(0, []), (0, [])]), [0.0, -1.0], 2)
    assert (len(found), len(found[0]), found[-1].weight) == (2, 1, -1.0)
    assert found[0] == Derivation(np.array([0], np.uint32), 0.0)
    assert found[0] != found[1]
    assert len({found[0], *found}) == 2
    assert found[:1] == [found[0]]
    with pytest.raises(IndexError):
        found[2]
