"""Losses, numbers of features and n-gram features of forests."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypergraph_strategies import edge_items, figure_1, graphs, to_arrays
from plait.errors import ConfigError, CycleError, DataError, ResourceError
from plait.hypergraph import Forest, Hypergraph, SparseFeatures, kbest
from plait.minrisk import (
    Annotated,
    Annotator,
    FeatureIndex,
    LinearBleu,
    NgramFeatures,
    TrainingSet,
    annotate,
    annotate_all,
    bleu,
    bleu_statistics,
    rerank,
)
from reference.hypergraph import Graph

WORDS = ("the", "cat", "sat", "<s>")


def forest_of(
    graph: Graph, items: list[tuple[int, ...]], words: tuple[str, ...], rows: list[dict[str, float]]
) -> Forest:
    heads, starts, tails = to_arrays(graph)
    names = tuple(dict.fromkeys(name for row in rows for name in row))
    features = SparseFeatures(
        np.cumsum([0, *map(len, rows)], dtype=np.uint64),
        np.array([names.index(name) for row in rows for name in row], np.uint32),
        np.array([value for row in rows for value in row.values()], np.float64),
        names,
    )
    return Forest(
        Hypergraph(heads, starts, tails, nodes=graph.nodes, root=graph.root),
        features,
        words,
        np.cumsum([0, *map(len, items)], dtype=np.uint64),
        np.array([item for row in items for item in row], np.int32),
    )


def figure() -> Forest:
    """The forest of Figure 1 with two features: the logarithm of the weight, and the words."""
    made = figure_1()
    rows = [{"w": math.log(w), "n": float(n)} for w, n in zip(made.weights, made.lengths, strict=True)]
    return forest_of(made.graph, made.items, tuple(made.words), rows)


@st.composite
def forests(draw: st.DrawFn) -> Forest:
    graph = draw(graphs(max_derivations=40))
    items = draw(edge_items(graph, words=len(WORDS)))
    row = st.dictionaries(st.sampled_from(["a", "b", "c"]), st.floats(-2, 2), max_size=3)
    rows = draw(st.lists(row, min_size=len(items), max_size=len(items)))
    return forest_of(graph, items, WORDS, rows)


LINES = st.lists(st.sampled_from([*WORDS[:3], "dog"]), min_size=1, max_size=5).map(" ".join)


def sums_by_feature(found: Annotated, edges: np.ndarray) -> dict[str, float]:
    features = found.risk.features
    sums: Counter[str] = Counter()
    for edge in edges.tolist():
        for n in range(int(features.starts[edge]), int(features.starts[edge + 1])):
            sums[features.names[features.ids[n]]] += features.values[n]
    return {name: total for name, total in sums.items() if total}


@given(st.data())
def test_sums_over_edges_are_those_of_yields(data: st.DataObject) -> None:
    forest = data.draw(forests())
    references = data.draw(st.none() | st.lists(LINES, min_size=1, max_size=3))
    ignore = data.draw(st.sampled_from([(), ("<s>",), ("<s>", "sat")]))
    texts = data.draw(st.lists(LINES, max_size=3))
    orders = data.draw(st.sampled_from([(1,), (2,), (1, 2, 3)]))
    gain = LinearBleu(data.draw(st.lists(st.floats(-2, 2), min_size=2, max_size=5)))
    baseline = data.draw(st.none() | st.just({name: 0.5 for name in forest.features.names}))
    ngrams = NgramFeatures.from_texts(texts, orders=orders)
    annotator = Annotator(FeatureIndex(), gain=gain, ngrams=ngrams, baseline=baseline, ignore=ignore)
    found = annotator.annotate(forest, references)
    graph = found.risk.graph
    assert found.forest.graph is graph
    assert found.forest.derivations == forest.derivations
    new = kbest(graph, np.zeros(graph.edges), 10**6)
    olds = Counter(tuple(words.tolist()) for words in forest.yields.of_all(forest.graph, every(forest)))
    assert Counter(tuple(words.tolist()) for words in found.forest.yields.of_all(graph, new)) == olds
    own = forest.features
    assert found.forest.features is found.risk.features
    for d, ids in zip(new, found.forest.yields.of_all(graph, new), strict=True):
        words = [WORDS[n] for n in ids if WORDS[n] not in ignore]
        loss = 0.0
        if references is not None:
            loss = gain.loss(words, [" ".join(w for w in line.split() if w not in ignore) for line in references])
        assert found.risk.losses[d.edges].sum() == pytest.approx(loss, abs=1e-9)
        expected: Counter[str] = Counter()
        for edge in found.edges[d.edges].tolist():
            for n in range(int(own.starts[edge]), int(own.starts[edge + 1])):
                expected[own.names[own.ids[n]]] += own.values[n]
        if baseline is not None:
            expected["baseline"] = forest.scores(baseline)[found.edges[d.edges]].sum()
        for ngram, name in zip(ngrams.ngrams, ngrams.names, strict=True):
            n = len(ngram)
            expected[name] = sum(tuple(words[i : i + n]) == ngram for i in range(len(words) - n + 1))
        sums = sums_by_feature(found, d.edges)
        for name in {*expected, *sums}:
            assert sums.get(name, 0.0) == pytest.approx(expected[name], abs=1e-9)


def every(forest: Forest):
    return kbest(forest.graph, np.zeros(forest.edges), 10**6)


def test_linear_bleu_of_joshua() -> None:
    found = LinearBleu.from_precisions(0.85, 0.7, 10)
    # The numbers that Joshua's risk annealer prints for its example.
    assert [f"{theta:.6f}" for theta in found.thetas] == ["-0.100000", "0.029412", "0.042017", "0.060024", "0.085749"]
    assert found.order == 4
    assert LinearBleu.from_precisions(0.5, 1.0, 100, order=2).thetas == (-0.01, 0.01, 0.01)


def test_linear_bleu_of_a_baseline_is_the_line_through_its_precisions() -> None:
    # Precisions of exactly p r^(n - 1), with p = 0.8 and r = 0.5.
    rows = [[400, 500, 200, 500, 100, 500, 50, 500, 90], [400, 500, 200, 500, 100, 500, 50, 500, 90]]
    found = LinearBleu.from_statistics(rows)
    assert found.thetas == pytest.approx(LinearBleu.from_precisions(0.8, 0.5, 1000).thetas, rel=1e-12)
    assert found == LinearBleu.from_statistics(np.sum(rows, axis=0))
    # Orders without matches say nothing.
    cut = LinearBleu.from_statistics([400, 500, 200, 500, 0, 500, 0, 0, 90])
    assert cut.thetas == pytest.approx(LinearBleu.from_precisions(0.8, 0.5, 500).thetas, rel=1e-12)


def test_linear_bleu_grows_with_bleu_of_a_long_corpus() -> None:
    # To first order around the statistics: the sum over orders of ln(matches) / N, minus the words that cost.
    rng = np.random.default_rng(4)
    words = np.array(["a", "b", "c", "d", "e"])
    references = [" ".join(words[rng.integers(0, 5, 12)]) for _ in range(400)]
    lines = [line.split() for line in references]
    for line in lines:
        for place in rng.integers(0, len(line), 3):
            line[place] = "x"
    hypotheses = [" ".join(line) for line in lines]
    gain = LinearBleu.from_statistics(bleu_statistics(hypotheses, [references]))
    better = [references[n] if n < 40 else line for n, line in enumerate(hypotheses)]
    rise = sum(gain.gain(a, [r]) - gain.gain(b, [r]) for a, b, r in zip(better, hypotheses, references, strict=True))
    scores = [bleu(bleu_statistics(lines, [references])) for lines in (hypotheses, better)]
    assert rise == pytest.approx(math.log(scores[1] / scores[0]), rel=0.15)


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda: LinearBleu([1.0]), "thetas"),
        (lambda: LinearBleu([1.0, math.nan]), "thetas"),
        (lambda: LinearBleu.from_precisions(0.0, 0.7, 10), "unigram_precision"),
        (lambda: LinearBleu.from_precisions(0.8, 1.5, 10), "ratio"),
        (lambda: LinearBleu.from_precisions(0.8, 0.7, 0), "tokens"),
        (lambda: LinearBleu.from_precisions(0.8, 0.7, 10, order=0), "order"),
        (lambda: NgramFeatures.from_texts([], orders=()), "orders"),
        (lambda: NgramFeatures.from_texts([], orders=(0, 1)), "orders"),
        (lambda: NgramFeatures.from_texts([], top=-1), "top"),
        (lambda: annotate(named("baseline"), index=FeatureIndex(), baseline=[1.0]), "'baseline' already"),
    ],
)
def test_bad_options_are_refused(call, problem) -> None:
    with pytest.raises(ConfigError, match=problem):
        call()


def named(name: str) -> Forest:
    return forest_of(Graph(1, ((0, ()),), 0), [(0,)], ("a",), [{name: 1.0}])


def test_bad_data_is_refused() -> None:
    index, forest = FeatureIndex(), figure()
    with pytest.raises(DataError, match="two orders"):
        LinearBleu.from_statistics([3, 4, 0, 3, 4])
    with pytest.raises(DataError, match="2 order"):
        LinearBleu.from_statistics([3, 4])
    with pytest.raises(DataError, match="no references"):
        annotate(forest, [], index=index)
    with pytest.raises(DataError, match=r"reference 1 .* has no words"):
        annotate(forest, ["a cat", " "], index=index)
    silent = replace(forest, words=(), items=np.empty(0, np.int32), item_starts=np.zeros(forest.edges + 1, np.uint64))
    with pytest.raises(DataError, match="forest without words"):
        annotate(silent, ["a cat"], index=index)
    assert annotate(silent, index=index).losses.tolist() == [0.0] * forest.edges
    with pytest.raises(ResourceError, match="limit of 3"):
        annotate(forest, ["a cat"], index=index, limit=3)
    with pytest.raises(DataError, match="twice"):
        FeatureIndex(["a", "a"])
    with pytest.raises(DataError, match="'a b' must not be there twice"):
        NgramFeatures((("a", "b"), ("a",), ("a", "b")))
    with pytest.raises(DataError, match=r"n-gram 1 .* at least one word"):
        NgramFeatures((("a", "b"), ()))


def test_errors_in_many_forests_say_which() -> None:
    forest, index = figure(), FeatureIndex()
    loop = Forest(
        Hypergraph.from_edges([(0, []), (0, [0]), (1, [0])]),
        SparseFeatures(np.zeros(4, np.uint64), np.empty(0, np.uint32), np.empty(0), ()),
        ("cat",),
        np.array([0, 1, 2, 3], np.uint64),
        np.array([0, -1, -1], np.int32),
    )
    with pytest.raises(CycleError, match=r"^forest 2: ") as caught:
        list(annotate_all([forest, forest, loop], [["a cat"]] * 3, index=index))
    assert caught.value.cycle == (0,)
    with pytest.raises(DataError, match=r"^forest 1: there are no references"):
        list(annotate_all([forest, forest], [["a"], []], index=index))
    with pytest.raises(DataError, match="references end before forest 1"):
        list(annotate_all([forest, forest], [["a"]], index=index))
    with pytest.raises(DataError, match="forests end after 1, but there are more references"):
        list(annotate_all([forest], [["a"], ["b"]], index=index))
    with pytest.raises(ResourceError, match=r"^forest 0: "):
        list(annotate_all([forest], [["a cat"]], index=index, limit=3))


def test_many_forests_are_annotated_as_one_by_one() -> None:
    forests = [figure() for _ in range(70)]
    references = [["the mat 's a cat"] if n % 3 else None for n in range(70)]
    ngrams = NgramFeatures.from_texts(["a cat on the mat"])
    one = FeatureIndex()
    alone = [annotate(f, r, index=one, ngrams=ngrams) for f, r in zip(forests, references, strict=True)]
    for threads in (1, 3):
        index = FeatureIndex()
        found = list(annotate_all(forests, references, index=index, ngrams=ngrams, threads=threads))
        assert index.names == one.names
        for a, b in zip(alone, found, strict=True):
            assert a.losses.tolist() == b.losses.tolist()
            assert a.features.ids.tolist() == b.features.ids.tolist()
            assert a.features.values.tolist() == b.features.values.tolist()
            assert a.graph.tails.tolist() == b.graph.tails.tolist()
    assert list(annotate_all([], [], index=FeatureIndex())) == []
    made = TrainingSet.build(annotate_all(forests, references, index=FeatureIndex()))
    assert made.feature_names == ("w", "n")


def test_an_index_grows_with_what_is_used_and_stays_when_frozen() -> None:
    a = forest_of(Graph(1, ((0, ()), (0, ())), 0), [(0,), (1,)], ("a", "b"), [{"x": 1.0, "y": 2.0}, {"x": 3.0}])
    # Names of a file that no edge of this forest has get no number.
    wide = SparseFeatures(a.features.starts, a.features.ids + np.uint32(1), a.features.values, ("unused", "x", "y"))
    index = FeatureIndex(["z"])
    assert annotate(replace(a, features=wide), index=index).features.names == ("z", "x", "y")
    assert ("x" in index, "unused" in index, len(index), repr(index)) == (True, False, 3, "FeatureIndex(3 names)")
    frozen = FeatureIndex(["y"], is_frozen=True)
    found = annotate(a, ["b"], index=frozen, ngrams=NgramFeatures((("a",),)), baseline=[1.0, 0.0])
    assert (found.features.names, found.features.ids.tolist()) == (("y",), [0])
    assert found.features.starts.tolist() == [0, 1, 1]
    # With the baseline alone: the score that it gives.
    found = annotate(a, index=FeatureIndex(), baseline={"x": 2.0, "y": -1.0}, keep_features=False)
    assert (found.features.names, found.features.values.tolist()) == (("baseline",), [6.0])
    assert found.features.starts.tolist() == [0, 0, 1]


def test_trained_weights_choose_among_annotated_forests() -> None:
    forest = figure()
    annotator = Annotator(FeatureIndex(), ngrams=NgramFeatures.from_texts(["the mat 's a cat"], orders=(2,)))
    found = annotator.annotate(forest)
    ((best,),) = rerank([found.forest], {"ngram:'s_a": 5.0, "w": 1.0})
    assert best.words == ("the", "mat", "'s", "a", "cat")
    assert best.score == pytest.approx(5 + math.log(1 / 12))
    assert found.forest.words is forest.words
    assert found.edges.tolist() == sorted(found.edges.tolist())


def test_weights_of_edges_become_base_scores_and_words_may_be_there_twice() -> None:
    forest = forest_of(Graph(1, ((0, ()),) * 3, 0), [(0,), (1,), (2,)], ("a", "b", "a"), [{}, {}, {}])
    found = annotate(forest.with_weights([0.5, -1.0, 0.0]), ["a"], index=FeatureIndex(), gain=LinearBleu([0.0, 1.0]))
    assert found.base.tolist() == [0.5, -1.0, 0.0]
    assert found.losses.tolist() == [-1.0, 0.0, -1.0]


def test_ngram_features_are_selected_by_count_then_length_then_words() -> None:
    texts = ["b a b", "a c", ["d", "e_f"]]
    assert NgramFeatures.from_texts(texts, top=4).ngrams == (("a",), ("b",), ("c",), ("d",))
    assert NgramFeatures.from_texts(texts, minimum=2).ngrams == (("a",), ("b",))
    assert NgramFeatures.from_texts(texts, orders=[2]).names == (
        "ngram:a_b",
        "ngram:a_c",
        "ngram:b_a",
        "ngram:d_e%5Ff",
    )
    forests = [figure(), figure()]
    found = NgramFeatures.from_forests(forests, orders=(2,), minimum=2, ignore=("on", "of"))
    assert set(found.ngrams) == {("the", "mat"), ("a", "cat"), ("mat", "a"), ("cat", "the"), ("mat", "'s"), ("'s", "a")}
    expected = NgramFeatures.from_forests(forests, orders=(1,), weights={"w": 1.0}, minimum=0)
    assert expected.ngrams[:4] == (("a",), ("cat",), ("mat",), ("the",))
    assert expected.ngrams.index(("on",)) < expected.ngrams.index(("of",))
    # In Figure 1, p(on) = (1/3) / (5/6) and p(of) = (1/6) / (5/6); there are two forests.
    assert ("of",) in NgramFeatures.from_forests(forests, weights={"w": 1.0}, minimum=0.4 - 1e-12).ngrams
    assert ("of",) not in NgramFeatures.from_forests(forests, weights={"w": 1.0}, minimum=0.4 + 1e-9).ngrams


@given(st.lists(st.lists(st.text(min_size=1), min_size=1, max_size=3).map(tuple), unique=True))
def test_names_of_ngrams_can_be_read_back(ngrams) -> None:
    try:
        names = NgramFeatures(tuple(ngrams)).names
    except UnicodeEncodeError:
        return
    assert len(set(names)) == len(names)
    assert not any(name != "".join(name.split()) for name in names)
    assert NgramFeatures.from_names(["LanguageModel", *names]).ngrams == tuple(ngrams)
