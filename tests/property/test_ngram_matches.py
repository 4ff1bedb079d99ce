"""N-grams of a set on the edges of forests, against enumeration; and that no states are kept apart for nothing."""

from __future__ import annotations

import gc
import itertools
import signal
import time
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypergraph_strategies import edge_items, graphs, to_arrays
from plait.errors import ConfigError, CycleError, DataError, ResourceError
from plait.hypergraph import Hypergraph, Yields, kbest, match_all_ngrams, match_ngrams, with_ngrams
from reference import hypergraph as twin
from reference.hypergraph import Graph

Ngram = tuple[int, ...]

WORDS = 3


def hypergraph_of(graph: Graph) -> Hypergraph:
    heads, starts, tails = to_arrays(graph)
    return Hypergraph(heads, starts, tails, nodes=graph.nodes, root=graph.root)


def ngram_sets(order: int, words: int = WORDS) -> st.SearchStrategy[list[Ngram]]:
    ngram = st.lists(st.integers(0, words - 1), min_size=1, max_size=order).map(tuple)
    return st.lists(ngram, unique=True, max_size=8)


def occurrences(words: Ngram, ngrams: list[Ngram]) -> Counter[Ngram]:
    found = Counter(words[i:j] for i in range(len(words)) for j in range(i + 1, len(words) + 1))
    return Counter({ngram: found[ngram] for ngram in ngrams if found[ngram]})


@given(st.data())
def test_matches_of_derivations_are_those_of_their_yields(data: st.DataObject) -> None:
    graph = data.draw(graphs())
    items = data.draw(edge_items(graph, words=WORDS + 1))
    order = data.draw(st.integers(1, 5))
    ngrams = data.draw(ngram_sets(order, WORDS + 2))
    begin, end = data.draw(st.sampled_from([None, WORDS + 1])), data.draw(st.sampled_from([None, WORDS + 1]))
    forest, yields = hypergraph_of(graph), Yields.from_rows(items)
    found = match_ngrams(forest, yields, ngrams, begin=begin, end=end)
    assert found.words() == ngrams
    new = kbest(found.graph, np.zeros(found.graph.edges), 10**6)
    olds = [tuple(found.edges[d.edges].tolist()) for d in new]
    assert sorted(olds) == sorted(twin.enumerate_derivations(graph))
    for d, old in zip(new, olds, strict=True):
        rows = [found.ngrams[found.starts[e] : found.starts[e + 1]] for e in d.edges]
        words = (*([] if begin is None else [begin]), *twin.yield_of(graph, old, items))
        words = (*words, *([] if end is None else [end]))
        assert Counter(ngrams[n] for row in rows for n in row) == occurrences(words, ngrams)
    # With all n-grams told apart: the same, with at least as many nodes and edges.
    every = with_ngrams(forest, yields, max(map(len, ngrams), default=1), begin=begin, end=end)
    assert found.graph.nodes <= every.graph.nodes
    assert found.graph.edges <= every.graph.edges
    known = every.words()
    for n, ngram in enumerate(ngrams):
        number = known.index(ngram) if ngram in known else -1
        here, there = Counter(), Counter()
        for d, old in zip(new, olds, strict=True):
            here[old, sum(int((found.ngrams[found.starts[e] : found.starts[e + 1]] == n).sum()) for e in d.edges)] += 1
        for d in kbest(every.graph, np.zeros(every.graph.edges), 10**6):
            rows = [every.ngrams[every.starts[e] : every.starts[e + 1]] for e in d.edges]
            there[tuple(every.edges[d.edges].tolist()), sum(int((row == number).sum()) for row in rows)] += 1
        assert here == there


def uses(words: Ngram, ngrams: list[Ngram], order: int) -> tuple[Counter[Ngram], ...]:
    """What every context makes of some words: the n-grams that are not inside them."""
    sides = [tuple(side) for n in range(order) for side in itertools.product(range(WORDS), repeat=n)]
    rows = []
    for before, after in itertools.product(sides, repeat=2):
        found = occurrences((*before, *words, *after), ngrams)
        found.subtract(occurrences(words, ngrams))
        rows.append(+found)
    return tuple(rows)


@given(st.data())
def test_states_are_as_few_as_contexts_can_tell_apart(data: st.DataObject) -> None:
    graph = data.draw(graphs(max_nodes=5, max_edges=8, max_arity=2, max_derivations=30, needs_derivation=True))
    items = data.draw(edge_items(graph, words=WORDS + 1))
    order = data.draw(st.integers(1, 3))
    ngrams = data.draw(ngram_sets(order))
    found = match_ngrams(hypergraph_of(graph), Yields.from_rows(items), ngrams)
    counts = Counter(found.nodes.tolist())
    for node, count in counts.items():
        if node == graph.root:
            assert count == 1
            continue
        below = Graph(graph.nodes, graph.edges, node)
        yields = {twin.yield_of(below, d, items) for d in twin.enumerate_derivations(below)}
        distinct = {tuple(frozenset(row.items()) for row in uses(words, ngrams, order)) for words in yields}
        assert count == len(distinct)


def test_words_that_no_ngram_has_are_all_alike() -> None:
    rows = [(0, [])] * 50 + [(1, [0, 0])]
    yields = Yields.from_rows([*([n] for n in range(50)), [-1, -2]])
    found = match_ngrams(Hypergraph.from_edges(rows), yields, [(3, 4)])
    # 3 before, 4 after, and all others.
    assert (found.graph.nodes, found.graph.edges) == (4, 50 + 9)
    assert match_ngrams(Hypergraph.from_edges(rows), yields, []).graph.edges == 51


def test_begin_and_end_complete_ngrams_at_the_root() -> None:
    forest, yields = Hypergraph.from_edges([(0, []), (0, [])]), Yields.from_rows([[5], []])
    found = match_ngrams(forest, yields, [(8, 5), (5, 9), (8, 9), (8,)], begin=8, end=9)
    rows = [found.ngrams[found.starts[e] : found.starts[e + 1]].tolist() for e in range(2)]
    assert rows == [[3, 0, 1], [3, 2]]


def test_many_are_matched_as_one_by_one_on_any_number_of_threads() -> None:
    forest = Hypergraph.from_edges([(0, []), (0, []), (1, [0, 0])])
    yields = Yields.from_rows([[5], [6], [-1, -2]])
    sets = [[(5, 6)], [], [(5,), (6, 6)], [(5, 5), (6,)]] * 5
    alone = [match_ngrams(forest, yields, ngrams) for ngrams in sets]
    for threads in (1, 3):
        found = match_all_ngrams(((forest, yields, ngrams) for ngrams in sets), threads=threads)
        for one, other in zip(alone, found, strict=True):
            assert one.graph.tails.tolist() == other.graph.tails.tolist()
            for name in ("nodes", "edges", "starts", "ngrams"):
                assert getattr(one, name).tolist() == getattr(other, name).tolist()
    assert match_all_ngrams([]) == []


PAIR = Hypergraph.from_edges([(0, []), (0, []), (1, [0, 0])])
SOUND = Yields.from_rows([[1], [2], [-1, -2]])


@pytest.mark.parametrize(
    ("ngrams", "problem"),
    [
        ([(1, 2), ()], "n-gram 1: must have at least one word"),
        ([(1, 2), (1,), (1, 2)], r"n-gram 2: must not be there twice.*which is n-gram 0"),
        ([(1,), (2, -1)], "n-gram 1: must be of words"),
        ([(1.5,)], "whole numbers"),
        ((np.array([0, 3], np.uint64), np.array([1, 2], np.int32)), "rise from 0 to the number of words"),
    ],
)
def test_sets_that_are_none_are_refused(ngrams, problem) -> None:
    with pytest.raises(DataError, match=problem):
        match_ngrams(PAIR, SOUND, ngrams)


def test_other_bad_input_is_refused() -> None:
    loop = Hypergraph.from_edges([(0, []), (0, [0]), (1, [0])])
    with pytest.raises(CycleError):
        match_ngrams(loop, Yields.from_rows([[1], [-1], [-1]]), [(1,)])
    with pytest.raises(DataError, match="each tail node exactly once"):
        match_ngrams(PAIR, Yields.from_rows([[1], [2], [-1, -1]]), [(1,)])
    with pytest.raises(ResourceError):
        match_ngrams(PAIR, SOUND, [(1, 2)], limit=5)
    assert match_ngrams(PAIR, SOUND, [(1, 2)], limit=6).graph.edges == 6
    with pytest.raises(ConfigError, match="begin"):
        match_ngrams(PAIR, SOUND, [(1, 2)], begin=-2)


def test_an_interrupt_ends_a_long_search() -> None:
    # Any of 20 words at each of 60 places, and all trigrams: 20^4 pairs of states.
    edges: list[tuple[int, list[int]]] = [(0, [])] * 20
    for n in range(1, 60):
        edges.append((n, [n - 1, 0]))
    yields = Yields.from_rows([*([n] for n in range(20)), *([[-1, -2]] * 59)])
    graph = Hypergraph.from_edges(edges)
    trigrams = list(itertools.product(range(20), repeat=3))

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGALRM, stop)
    # What a callback of the collector raises is lost.
    gc.disable()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        start = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            match_ngrams(graph, yields, trigrams, limit=2**40)
        assert time.monotonic() - start < 10
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        gc.enable()
        signal.signal(signal.SIGALRM, previous)
