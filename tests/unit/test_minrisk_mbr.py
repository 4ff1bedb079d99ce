"""Minimum Bayes risk decoding and reranking against enumeration of all derivations."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from plait.errors import ConfigError, DataError, ResourceError
from plait.hypergraph import Forest, Hypergraph, SparseFeatures, Yields, kbest, with_ngrams
from plait.minrisk import (
    Annotator,
    FeatureIndex,
    LinearBleu,
    NgramFeatures,
    expected_gains,
    merged_lists,
    nbest_forest,
    ngram_posteriors,
    rerank,
)

THETAS = (-0.1, 0.05, 0.07, 0.11)


def made_graph(generator, *, words=3):
    """A small acyclic hypergraph with yields over few words, in which n-grams repeat."""
    edges, rows = [], []
    for node in range(5):
        for _ in range(generator.integers(1, 4)):
            arity = int(generator.integers(0, min(node, 2) + 1))
            edges.append((node, [int(x) for x in generator.integers(0, node, size=arity)] if node else []))
            items = [*(-1 - n for n in range(len(edges[-1][1]))), *generator.integers(0, words, size=2).tolist()]
            generator.shuffle(items)
            rows.append([int(item) for item in items])
    return Hypergraph.from_edges(edges, nodes=5, root=4), Yields.from_rows(rows)


def all_derivations(graph, yields, weights):
    """Probability and words of each derivation."""
    found = kbest(graph, weights, 10_000)
    if not len(found):
        return np.empty(0), []
    logs = found.weights
    p = np.exp(logs - logs.max())
    return p / p.sum(), [tuple(line.tolist()) for line in yields.of_all(graph, found)]


def by_line(p, lines):
    """Words and probability of each string."""
    sums = Counter()
    for line, q in zip(lines, p.tolist(), strict=True):
        sums[line] += q
    return list(sums.items())


def ngrams_of(words, order):
    return Counter(words[i : i + n] for n in range(1, order + 1) for i in range(len(words) - n + 1))


def gain(words, reference, thetas):
    return thetas[0] * len(words) + sum(
        thetas[len(w)] * count * (w in ngrams_of(reference, len(thetas) - 1))
        for w, count in ngrams_of(words, len(thetas) - 1).items()
    )


@pytest.mark.parametrize("seed", range(25))
def test_posteriors_of_ngrams_are_those_of_enumeration(seed):
    generator = np.random.default_rng(seed)
    graph, yields = made_graph(generator)
    weights = generator.normal(size=graph.edges)
    p, lines = all_derivations(graph, yields, weights)
    forest = with_ngrams(graph, yields, 3)
    for kind in ("presence", "counts"):
        found = dict(zip(forest.words(), ngram_posteriors(forest, weights[forest.edges], posteriors=kind), strict=True))
        for ngram, value in found.items():
            each = [ngrams_of(line, 3)[ngram] for line in lines]
            expected = float(p @ (np.minimum(each, 1) if kind == "presence" else np.array(each)))
            assert value == pytest.approx(expected, abs=1e-12)
    one, many = (ngram_posteriors(forest, weights[forest.edges], threads=threads) for threads in (1, 3))
    np.testing.assert_array_equal(one, many)


@pytest.mark.parametrize("seed", range(25))
def test_the_best_gain_is_that_of_enumeration(seed):
    generator = np.random.default_rng(100 + seed)
    graph, yields = made_graph(generator, words=4)
    weights = generator.normal(size=graph.edges)
    weights[generator.integers(graph.edges)] = -np.inf
    p, lines = all_derivations(graph, yields, weights)
    if not len(lines):
        return
    distinct = sorted(set(lines))
    some = distinct[:: max(1, len(distinct) // 30)]
    expected = {line: sum(q * gain(line, other, THETAS) for other, q in by_line(p, lines)) for line in some}
    made = expected_gains(graph, yields, weights, THETAS)
    rows = yields.rows(made.edges)
    ranked = kbest(made.graph, made.gains, 10_000, unique_by=rows)
    found = [tuple(line.tolist()) for line in rows.of_all(made.graph, ranked)]
    assert sorted(found) == distinct
    gains = dict(zip(found, ranked.weights.tolist(), strict=True))
    for line, value in expected.items():
        assert gains[line] == pytest.approx(value, abs=1e-10)


def made_forest(seed=3):
    generator = np.random.default_rng(seed)
    graph, yields = made_graph(generator, words=4)
    starts, items = yields.arrays
    features = SparseFeatures(
        np.arange(graph.edges + 1, dtype=np.uint64),
        generator.integers(0, 2, size=graph.edges).astype(np.uint32),
        generator.normal(size=graph.edges),
        ("lm", "length"),
    )
    return Forest(graph=graph, features=features, words=("a", "b", "c", "d"), item_starts=starts, items=items)


def test_rerank_gives_distinct_translations_best_first():
    forest = made_forest()
    weights = {"lm": 1.0, "length": -0.5, "unseen bigram": 3.0}
    scores = forest.scores([1.0, -0.5])
    best = kbest(forest.graph, scores, 1)
    (viterbi,) = next(iter(rerank([forest], weights)))
    assert viterbi.score == best.weights[0]
    (five,) = rerank([forest], weights, method="kbest", k=5)
    assert five[0] == viterbi
    assert len({found.words for found in five}) == 5
    assert sorted((found.score for found in five), reverse=True) == [found.score for found in five]
    (mbr,) = rerank([forest], weights, method="mbr", k=3, gamma=2.0, gain=LinearBleu(THETAS))
    p, lines = all_derivations(forest.graph, forest.yields, 2.0 * scores)
    names = [tuple(forest.words[word] for word in line) for line in lines]
    expected = max(sum(q * gain(y, other, THETAS) for other, q in by_line(p, names)) for y in set(names))
    assert mbr[0].score == pytest.approx(expected, abs=1e-10)
    assert mbr[0].score >= mbr[1].score >= mbr[2].score


def test_a_very_sharp_distribution_makes_mbr_the_best_derivation():
    forest = made_forest(5)
    weights = {"lm": 1.0, "length": 0.3}
    ((best,),) = rerank([forest], weights)
    # With words and references alike, the gain of a translation by itself is the largest that pays for its length.
    ((mbr,),) = rerank([forest], weights, method="mbr", gamma=1e4, gain=LinearBleu((-0.5, 0.2, 0.4, 0.8)))
    assert gain(best.words, best.words, (-0.5, 0.2, 0.4, 0.8)) == pytest.approx(mbr.score, abs=1e-9) or (
        gain(mbr.words, best.words, (-0.5, 0.2, 0.4, 0.8)) >= gain(best.words, best.words, (-0.5, 0.2, 0.4, 0.8))
    )


def test_lists_of_a_sentence_become_one():
    forest = made_forest()
    lists = [nbest_forest(forest, forest.scores(weights), 6) for weights in ([1.0, -0.5], [-1.0, 2.0], [1.0, -0.5])]
    merged = merged_lists(lists)
    words = [each.yield_of(edge) for each in lists[:2] for edge in range(each.edges)]
    rows = [
        tuple(np.round(each.scores(w)[edge], 9) for w in ([1, 0], [0, 1])) for each in lists[:2] for edge in range(6)
    ]
    distinct = list(dict.fromkeys(zip(words, rows, strict=True)))
    assert merged.edges == len(distinct) < 12
    found = [tuple(np.round(merged.scores(w), 9)) for w in ([1, 0], [0, 1])]
    assert [(merged.yield_of(n), (found[0][n], found[1][n])) for n in range(merged.edges)] == distinct
    with pytest.raises(DataError, match="only n-best lists"):
        merged_lists([forest])
    with pytest.raises(DataError, match="some lists have weights"):
        merged_lists([lists[0], lists[1].with_weights(np.zeros(6))])
    weighted = merged_lists([lists[0].with_weights(np.zeros(6)), lists[0].with_weights(np.arange(6.0))])
    assert weighted.edges == 11


def test_pruning_first_keeps_the_likely():
    forest = made_forest()
    small = expected_gains(forest.graph, forest.yields, forest.scores([1.0, 1.0]), THETAS, edges=6)
    assert set(small.edges.tolist()) < set(range(forest.edges))
    with pytest.raises(ResourceError, match="prune"):
        expected_gains(forest.graph, forest.yields, forest.scores([1.0, 1.0]), THETAS, limit=3)


def test_empty_forests_have_no_translation():
    forest = made_forest()
    nothing = Hypergraph.from_edges([], nodes=1, root=0)
    empty = Forest(
        graph=nothing,
        features=SparseFeatures(np.zeros(1, np.uint64), np.empty(0, np.uint32), np.empty(0), forest.features.names),
        words=forest.words,
        item_starts=np.zeros(1, np.uint64),
        items=np.empty(0, np.int32),
    )
    for method in ("viterbi", "kbest", "mbr"):
        found = list(rerank([empty, forest], {"lm": 1.0}, method=method, k=2))
        assert found[0] == []
        assert len(found[1]) >= 1


def test_features_of_ngrams_and_of_a_baseline_count():
    forest = made_forest()
    baseline = {"lm": 1.0, "length": -0.5}
    weights = {"baseline": 2.0, "ngram:a_b": 0.7, "ngram:c": -0.4, "ngram:never_seen": 9.0}
    features = NgramFeatures.from_names(weights)
    assert features.ngrams == (("a", "b"), ("c",), ("never", "seen"))
    _, lines = all_derivations(forest.graph, forest.yields, 2.0 * forest.scores([1.0, -0.5]))
    found = kbest(forest.graph, 2.0 * forest.scores([1.0, -0.5]), 10_000)
    best = max(
        weight + 0.7 * ngrams_of(line, 2)[(0, 1)] - 0.4 * line.count(2)
        for weight, line in zip(found.weights.tolist(), lines, strict=True)
    )
    ((first,),) = rerank([forest], weights, baseline=baseline)
    assert first.score == pytest.approx(best, abs=1e-10)


def test_annotated_forests_have_their_ngrams_already():
    forest = made_forest()
    weights = {"lm": 1.0, "length": -0.5, "ngram:a_b": 0.7, "ngram:c": -0.4}
    ngrams = NgramFeatures.from_names(weights)
    annotated = Annotator(FeatureIndex(), ngrams=ngrams).annotate(forest)
    (plain,), (again,) = (
        rerank([forest], weights, method="kbest", k=9),
        rerank([annotated.forest], weights, method="kbest", k=9),
    )
    assert [found.words for found in plain] == [found.words for found in again]
    np.testing.assert_allclose([found.score for found in plain], [found.score for found in again], atol=1e-12)


def test_words_that_are_ignored_are_not_there():
    forest = made_forest()
    ((first, *_),) = rerank([forest], {"lm": 1.0}, ignore=["a", "b"])
    assert set(first.words) <= {"c", "d"}


@pytest.mark.parametrize("seed", range(6))
def test_flat_forests_have_the_best_derivations(seed):
    forest = made_forest(seed)
    scores = forest.scores([1.0, -0.5])
    ranked = kbest(forest.graph, scores, 7)
    flat = nbest_forest(forest, scores, 7)
    assert (flat.nodes, flat.edges) == (1, len(ranked))
    np.testing.assert_allclose(flat.scores([1.0, -0.5]), ranked.weights, atol=1e-12)
    lines = [tuple(forest.words[word] for word in line) for line in forest.yields.of_all(forest.graph, ranked)]
    assert [flat.yield_of(edge) for edge in range(flat.edges)] == lines
    for number, derivation in enumerate(ranked):
        sums = np.zeros(2)
        for edge in derivation.edges.tolist():
            sums[forest.features.ids[edge]] += forest.features.values[edge]
        row = slice(*flat.features.starts[number : number + 2].tolist())
        whole = np.zeros(2)
        whole[flat.features.ids[row]] = flat.features.values[row]
        np.testing.assert_allclose(whole, sums, atol=1e-12)
    distinct = nbest_forest(forest, scores, 7, unique=True)
    assert len({distinct.yield_of(edge) for edge in range(distinct.edges)}) == distinct.edges


@pytest.mark.parametrize(
    ("option", "values"),
    [
        ("method", {"method": "magic"}),
        ("k", {"method": "kbest", "k": 0}),
        ("gamma", {"method": "mbr", "gamma": -1.0}),
        ("posteriors", {"method": "mbr", "posteriors": "none"}),
        ("no weight", {"weights": {"other": 1.0}}),
    ],
)
def test_options_are_checked(option, values):
    with pytest.raises(ConfigError, match=option):
        list(rerank([made_forest()], **({"weights": {"lm": 1.0}} | values)))
