"""Line search on lists and forests against scoring every hypothesis at every point.

Features are small whole numbers: scores are exact, and ties are many.
"""

from __future__ import annotations

import bisect
import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypergraph_strategies import edge_items, graphs, to_arrays
from plait.hypergraph import Forest, Hypergraph, SparseFeatures, Yields, envelope, inside
from plait.minrisk import ErrorSurface, MertProblem, Statistics, bleu, bleu_statistics
from plait.semiring import Hull
from reference import hypergraph as graph_twin
from reference import mert as twin
from reference.hypergraph import Graph

FEATURES = 3
WORDS = ("a", "b", "c")
NUMBERS = st.integers(-4, 4)
VECTORS = st.lists(NUMBERS, min_size=FEATURES, max_size=FEATURES)


def whole(vector):
    return [Fraction(x) for x in vector]


def lines_of(features, weights, direction) -> list[twin.Line]:
    products = ((whole(direction), whole(row), whole(weights)) for row in features)
    return [
        (sum(map(Fraction.__mul__, d, row), Fraction(0)), sum(map(Fraction.__mul__, w, row), Fraction(0)))
        for d, row, w in products
    ]


@st.composite
def lists(draw):
    """Features and statistics of the hypotheses of some segments."""
    segments = draw(st.lists(st.lists(VECTORS, min_size=1, max_size=12), min_size=1, max_size=4))
    match = st.lists(st.integers(0, 3), min_size=2, max_size=2)
    rows = [
        [[m, m + 1, n, n + 1, 4] for m, n in draw(st.lists(match, min_size=len(segment), max_size=len(segment)))]
        for segment in segments
    ]
    return segments, rows


def problem_of(segments, rows) -> MertProblem:
    starts = np.cumsum([0, *map(len, segments)]).astype(np.uint64)
    return MertProblem.from_arrays(
        Statistics(
            tuple(f"f{n}" for n in range(FEATURES)),
            np.arange(len(segments), dtype=np.uint64),
            starts,
            np.array(list(itertools.chain(*segments)), float),
            np.array(list(itertools.chain(*rows)), np.int64),
        )
    )


def at(surface: ErrorSurface, x: Fraction) -> list[int]:
    """The statistics of the piece that a point is in."""
    return surface.statistics[bisect.bisect(surface.breakpoints.tolist(), x)].tolist()


@settings(deadline=None)
@given(lists(), VECTORS, VECTORS, st.integers(1, 3))
def test_a_line_has_the_statistics_of_every_point(made, weights, direction, threads):
    segments, rows = made
    problem = problem_of(segments, rows)
    surface = problem.line(weights, direction, threads=threads)
    lines = [lines_of(segment, weights, direction) for segment in segments]
    places = sorted({x for segment in lines for x in twin.crossings(segment)})
    for x in twin.points(places):
        expected = twin.statistics(lines, rows, x)
        assert at(surface, x) == expected
        point = [w + float(x) * d for w, d in zip(weights, direction, strict=True)]
        # Not where rounding of the weights can break a tie.
        if x.denominator & (x.denominator - 1) == 0:
            assert problem.evaluate(point).tolist() == expected
    assert len(surface.bleu) == len(surface.statistics) == len(surface.breakpoints) + 1
    assert set(surface.breakpoints.tolist()) <= {float(x) for x in places}
    # No piece is like the one before it by each segment, so that pieces are as few as they can be.
    assert all(surface.breakpoints[:-1] < surface.breakpoints[1:])


@settings(deadline=None)
@given(lists(), VECTORS, VECTORS)
def test_the_best_piece_is_the_best(made, weights, direction):
    problem = problem_of(*made)
    surface = problem.line(weights, direction, smoothing="add-k")
    assert surface.bleu.tolist() == [bleu(row, smoothing="add-k") for row in surface.statistics]
    assert surface.best_bleu == surface.bleu.max()
    piece = bisect.bisect(surface.breakpoints.tolist(), surface.x)
    assert surface.bleu[piece] == surface.best_bleu or surface.x in surface.breakpoints
    edges = [-np.inf, *surface.breakpoints.tolist(), np.inf]
    # The point is in a run of pieces that are equally good; where 0 is inside one, in that.
    good = surface.bleu == surface.best_bleu
    zero = bisect.bisect(surface.breakpoints.tolist(), 0.0)
    if good[zero] and edges[zero] < 0:
        between = range(min(piece, zero), max(piece, zero) + 1)
        assert all(good[n] for n in between)
    assert surface.width > 0


# Forests


@st.composite
def forests(draw, *, words: int = 3):
    """A forest with whole features, and a reference."""
    graph = draw(graphs(max_derivations=40, needs_derivation=True))
    items = draw(edge_items(graph, words=words))
    features = draw(st.lists(VECTORS, min_size=len(graph.edges), max_size=len(graph.edges)))
    reference = draw(st.lists(st.sampled_from([*WORDS, "unknown"]), min_size=1, max_size=6))
    return graph, items, features, " ".join(reference)


def forest_of(graph: Graph, items, features) -> Forest:
    heads, starts, tails = to_arrays(graph)
    rows = np.array(features, float).reshape(len(graph.edges), FEATURES)
    sparse = SparseFeatures(
        np.arange(len(rows) + 1, dtype=np.uint64) * FEATURES,
        np.tile(np.arange(FEATURES, dtype=np.uint32), len(rows)),
        rows.ravel(),
        tuple(f"f{n}" for n in range(FEATURES)),
    )
    hypergraph = Hypergraph(heads, starts, tails, nodes=graph.nodes, root=graph.root)
    return Forest(hypergraph, sparse, WORDS, *Yields.from_rows(items).arrays)


def texts_of(forest: Forest, derivations) -> list[str]:
    found = (forest.yields.of(forest.graph, np.array(d, np.uint32)) for d in derivations)
    return [" ".join(WORDS[word] for word in row.tolist()) for row in found]


@settings(deadline=None)
@given(forests(), VECTORS, VECTORS)
def test_an_envelope_is_that_of_all_derivations(made, weights, direction):
    graph, items, features, _ = made
    forest = forest_of(graph, items, features)
    slopes, intercepts = forest.scores(direction), forest.scores(weights)
    found = envelope(forest.graph, slopes, intercepts)
    derivations = graph_twin.enumerate_derivations(graph)
    sums = [(sum(slopes[list(d)]), sum(intercepts[list(d)])) for d in derivations]
    expected = Hull().value(sums)
    assert list(zip(found.slopes.tolist(), found.intercepts.tolist(), strict=True)) == list(expected)
    for n, derivation in enumerate(found.derivations):
        place = derivations.index(tuple(derivation.edges.tolist()))
        assert sums[place] == (found.slopes[n], found.intercepts[n])
        assert derivation.weight == found.intercepts[n]
    # The same as the inside weight in the semiring.
    values = [((m, b),) for m, b in zip(slopes.tolist(), intercepts.tolist(), strict=True)]
    assert inside(forest.graph, values, Hull())[graph.root] == expected


@settings(deadline=None)
@given(st.lists(forests(), min_size=1, max_size=3), VECTORS, VECTORS, st.integers(1, 2))
def test_a_line_through_forests_is_that_through_lists_of_all_derivations(made, weights, direction, threads):
    parts = [forest_of(graph, items, features) for graph, items, features, _ in made]
    references = [[reference for *_, reference in made]]
    surface = MertProblem.from_forests(parts, references, order=2).line(weights, direction, threads=threads)
    lines, rows = [], []
    for forest, (graph, _, features, reference) in zip(parts, made, strict=True):
        derivations = graph_twin.enumerate_derivations(graph)
        sums = [np.array([features[e] for e in d]).sum(axis=0).tolist() for d in derivations]
        texts = texts_of(forest, derivations)
        lines.append(lines_of(sums, weights, direction))
        rows.append(bleu_statistics(texts, [[reference]], order=2, segments=np.zeros(len(texts), np.int64)).tolist())
    for x in twin.points(sorted({x for segment in lines for x in twin.crossings(segment)})):
        # Derivations with equal lines may say different things: any of them will do.
        choices = [{tuple(rows[n][k]) for k in twin.best(segment, x)} for n, segment in enumerate(lines)]
        sums = {tuple(map(sum, zip(*choice, strict=True))) for choice in itertools.product(*choices)}
        assert tuple(at(surface, x)) in sums


@settings(deadline=None)
@given(st.lists(forests(), min_size=1, max_size=3), st.integers(0, 10**6))
def test_forests_and_lists_of_all_derivations_agree_where_no_scores_are_equal(made, seed):
    # Random features of edges: derivations score the same only if they have the same edges.
    random = np.random.default_rng(seed)
    parts, lists_ = [], []
    for graph, items, _, _reference in made:
        features = random.normal(size=(len(graph.edges), FEATURES))
        forest = forest_of(graph, items, features)
        derivations = graph_twin.enumerate_derivations(graph)
        if len({tuple(sorted(d)) for d in derivations}) < len(derivations):
            return
        parts.append(forest)
        lists_.append((features, derivations, texts_of(forest, derivations)))
    references = [[reference for *_, reference in made]]
    problem = MertProblem.from_forests(parts, references, order=2)
    rows = [
        bleu_statistics(texts, [[line]], order=2, segments=np.zeros(len(texts), np.int64))
        for (_, _, texts), line in zip(lists_, references[0], strict=True)
    ]
    features = [[features[list(d)].sum(axis=0) for d in derivations] for features, derivations, _ in lists_]
    flat = problem_of(features, rows)
    weights, direction = random.normal(size=(2, FEATURES))
    here, there = problem.line(weights, direction), flat.line(weights, direction)
    assert here.statistics.tolist() == there.statistics.tolist()
    np.testing.assert_allclose(here.breakpoints, there.breakpoints, rtol=1e-9, atol=1e-9)
    assert (here.best_bleu, here.bleu.tolist()) == (there.best_bleu, there.bleu.tolist())
    for x in (-1.5, 0.0, here.x):
        assert problem.evaluate(weights + x * direction).tolist() == flat.evaluate(weights + x * direction).tolist()


def test_a_base_score_moves_lines_and_can_take_edges_away():
    forest = forest_of(Graph(1, ((0, ()), (0, ()), (0, ())), 0), [(0,), (1,), (2,)], [[1, 0, 0], [0, 0, 0], [9, 0, 0]])
    base = [np.array([-2.0, 0.0, -np.inf])]
    problem = MertProblem.from_forests([forest], [["a b c"]], base=base, order=1)
    assert problem.has_base
    assert problem.line([0, 0, 0], [1, 0, 0]).breakpoints.tolist() == []
    assert problem.evaluate([3, 0, 0]).tolist() == [1, 1, 3]
    without = MertProblem.from_forests([forest], [["a b"]], order=1)
    assert without.line([0, 0, 0], [1, 0, 0]).breakpoints.tolist() == [0.0]


def test_a_forest_without_derivations_is_the_empty_translation():
    empty = Forest(
        Hypergraph([], [0], [], nodes=1, root=0),
        SparseFeatures(np.zeros(1, np.uint64), np.empty(0, np.uint32), np.empty(0), ("f0", "f1", "f2")),
        WORDS,
        np.zeros(1, np.uint64),
        np.empty(0, np.int32),
    )
    problem = MertProblem.from_forests([empty], [["a b c"], ["a"]], order=1)
    assert problem.evaluate([0, 0, 0]).tolist() == [0, 0, 1]
    assert problem.line([0, 0, 0], [1, 0, 0]).statistics.tolist() == [[0, 0, 1]]
    assert len(envelope(empty.graph, [], [])) == 0


@pytest.mark.parametrize("threads", [2, 5])
def test_a_line_has_the_same_bits_for_any_number_of_threads(threads):
    random = np.random.default_rng(3)
    segments = random.normal(size=(50, 20, FEATURES))
    rows = [[[m, m + 2, n, n + 2, 5] for m, n in random.integers(0, 4, size=(20, 2)).tolist()] for _ in segments]
    problem = problem_of(segments.tolist(), rows)
    one, many = (problem.line([1, 2, 3], [-1, 0.5, 2], threads=count) for count in (1, threads))
    assert one.breakpoints.tobytes() == many.breakpoints.tobytes()
    assert one.statistics.tobytes() == many.statistics.tobytes()
    assert (one.best_bleu, one.x, one.width) == (many.best_bleu, many.x, many.width)
