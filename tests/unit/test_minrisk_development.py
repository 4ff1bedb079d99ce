"""Held-out forests, and training that starts from forests and references."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from minrisk_corpus import NAMES, made_sentence
from plait.errors import UnequalLengthError
from plait.hypergraph import Hypergraph
from plait.minrisk import (
    Annotator,
    BestTranslations,
    FeatureIndex,
    NgramFeatures,
    RiskForest,
    TrainingSet,
    evaluate,
    rerank,
    train,
)

pytest.importorskip("scipy")


@pytest.fixture(scope="module")
def task():
    generator = np.random.default_rng(4)
    made = [made_sentence(generator) for _ in range(10)]
    return [forest for forest, _ in made], [" ".join(reference) for _, reference in made]


def test_translations_are_those_of_reranking(task):
    forests, references = task
    held_out = BestTranslations(Annotator(FeatureIndex(NAMES)).annotate_all(forests), [references])
    for values in ([1.0, 0.0, -1.0], [-1.0, 2.0, 0.3], [0.0, 0.0, 0.0]):
        weights = dict(zip(NAMES, values, strict=True))
        expected = [best.words for (best,) in rerank(forests, weights)]
        assert held_out.translations(np.array(values)) == expected
        quality = evaluate([" ".join(words) for words in expected], [references], resamples=0)
        assert held_out.score(np.array(values)) == pytest.approx(quality.bleu, abs=1e-12)
    assert held_out.name == "BLEU"


def test_features_that_come_later_weigh_nothing_here(task):
    forests, references = task
    index = FeatureIndex(NAMES)
    held_out = BestTranslations(Annotator(index).annotate_all(forests), [references])
    index.ids(["another", "and another"])
    assert held_out.score(np.array([1.0, 0.0, -1.0, 5.0, 5.0])) == held_out.score(np.array([1.0, 0.0, -1.0]))


def test_a_forest_without_derivations_has_no_words(task):
    forests, references = task
    annotated = list(Annotator(FeatureIndex(NAMES)).annotate_all(forests[:2]))
    nothing = Hypergraph.from_edges([], nodes=1, root=0)
    features = annotated[0].risk.features
    empty = type(features)(np.zeros(1, np.uint64), features.ids[:0], features.values[:0], features.names)
    annotated[1] = annotated[1]._replace(risk=RiskForest(nothing, empty, np.empty(0)))
    held_out = BestTranslations(
        [annotated[0], annotated[1]._replace(forest=_without_edges(annotated[1].forest, nothing, empty))],
        [references[:2]],
    )
    words = held_out.translations(np.array([1.0, 0.0, -1.0]))
    assert words[0] != ()
    assert words[1] == ()


def _without_edges(forest, graph, features):
    return replace(
        forest,
        graph=graph,
        features=features,
        item_starts=np.zeros(1, np.uint64),
        items=np.empty(0, np.int32),
        node_columns={},
        edge_columns={},
    )


def test_references_must_be_as_many(task):
    forests, references = task
    held_out = BestTranslations(Annotator(FeatureIndex(NAMES)).annotate_all(forests), [references[:-1]])
    with pytest.raises(UnequalLengthError):
        held_out.score(np.zeros(3))


def test_a_reranker_learns_what_dense_features_cannot_say(task):
    """N-grams of the references as features: the training data can be told apart almost entirely."""
    forests, references = task
    index = FeatureIndex()
    ngrams = NgramFeatures.from_texts(references, orders=(1, 2))
    annotator = Annotator(index, ngrams=ngrams)
    annotated = list(annotator.annotate_all(forests, [[line] for line in references]))
    training_set = TrainingSet.build(each.risk for each in annotated)
    assert set(training_set.feature_names) == {*NAMES, *ngrams.names}
    judge = BestTranslations(annotated, [references])
    dense_only = train(training_set, l2=0.01, frozen=ngrams.names, development=judge)
    sparse = train(training_set, l2=0.01, development=judge)
    assert sparse.score > dense_only.score + 0.1
    assert sparse.history[0].risk < dense_only.history[0].risk
    # The trained weights choose the same in forests as they come from a decoder.
    weights = {name: value for name, value in sparse.as_mapping().items() if value}
    again = [best.words for (best,) in rerank(forests, weights)]
    assert again == judge.translations(sparse.weights)
