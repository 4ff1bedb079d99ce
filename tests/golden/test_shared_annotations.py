"""Losses and n-grams of real forests with real references, where the shared files are at hand."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from plait.hypergraph import Distribution, Forest, match_ngrams, read_forests, risk, sample, with_ngrams
from plait.minrisk import Annotator, FeatureIndex, LinearBleu, NgramFeatures, bleu, bleu_statistics

ROOT = Path(os.environ.get("PLAIT_DATA", ".")) / "hyper" / "cdec-json"
pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not ROOT.is_dir() or "PLAIT_DATA" not in os.environ, reason="PLAIT_DATA names no folder"),
]

GAIN = LinearBleu.from_precisions(0.85, 0.7, 10)
AROUND = ("<s>", "</s>")


@pytest.fixture(scope="module")
def zh() -> list[tuple[Forest, list[str]]]:
    """Two forests of cdec with four references each."""
    references = [(ROOT / f"zh.ref.{k}").read_text(encoding="utf-8").splitlines() for k in range(4)]
    forests = [read_forests(ROOT / f"zh{n}.json.gz")[0] for n in (0, 1)]
    return list(zip(forests, (list(lines) for lines in zip(*references, strict=True)), strict=True))


def reference_ngrams(forest: Forest, references: list[str], order: int) -> list[tuple[int, ...]]:
    ids = {word: n for n, word in enumerate(forest.words)}
    found = {}
    for line in references:
        words = [ids.get(word, -1) for word in line.split()]
        spans = [words[i : i + n] for n in range(1, order + 1) for i in range(len(words) - n + 1)]
        found |= {tuple(span): None for span in spans if min(span) >= 0}
    return list(found)


def test_losses_of_real_forests_are_those_of_their_yields(zh):
    annotator = Annotator(FeatureIndex(), gain=GAIN, ignore=AROUND)
    for forest, references in zh:
        found = annotator.annotate(forest, references)
        graph, losses = found.risk.graph, found.risk.losses
        assert found.forest.derivations == forest.derivations
        scores = found.forest.scores(np.full(len(found.forest.features.names), 0.1))
        before = Distribution(forest.graph, forest.scores(dict.fromkeys(forest.features.names, 0.1)))
        assert Distribution(graph, scores).log_z == pytest.approx(before.log_z, rel=1e-12)
        drawn = sample(graph, np.zeros(graph.edges), 300, seed=2)
        for total, ids in zip(drawn.sums(losses), found.forest.yields.of_all(graph, drawn), strict=True):
            words = [forest.words[n] for n in ids if forest.words[n] not in AROUND]
            assert total == pytest.approx(GAIN.loss(words, references), abs=1e-12)
        # The risk is an expectation: that of many samples is close.
        mean = drawn.sums(losses).mean()
        deviation = drawn.sums(losses).std() / len(drawn) ** 0.5
        assert abs(risk(graph, np.zeros(graph.edges), losses) - mean) < 5 * deviation


def test_few_states_are_enough_for_the_ngrams_of_references(zh):
    sizes = []
    for forest, references in zh:
        ngrams = reference_ngrams(forest, references, 4)
        found = match_ngrams(forest.graph, forest.yields, ngrams)
        every = with_ngrams(forest.graph, forest.yields, 4)
        sizes.append((found.graph.nodes, found.graph.edges, every.graph.nodes, every.graph.edges))
        # The same n-grams as with all told apart: on average over all derivations, each of them.
        known = {words: n for n, words in enumerate(every.words())}
        weights = forest.scores(dict.fromkeys(forest.features.names, 0.1))
        expected = np.bincount(
            every.ngrams,
            weights=Distribution(every.graph, weights[every.edges]).edge_posteriors[every.rows()],
            minlength=len(known),
        )
        uses = Distribution(found.graph, weights[found.edges]).edge_posteriors
        given = np.bincount(found.ngrams, weights=uses[found.rows()], minlength=len(ngrams))
        assert given == pytest.approx([expected[known[w]] if w in known else 0.0 for w in ngrams], rel=1e-9, abs=1e-12)
    assert sizes == [(367, 1129, 769, 2284), (2899, 24460, 11546, 247342)]


def test_ngram_features_count_in_real_forests(zh):
    selected = NgramFeatures.from_forests([forest for forest, _ in zh], minimum=1, ignore=AROUND)
    assert len(selected) > 800
    index = FeatureIndex()
    annotator = Annotator(index, ngrams=selected, keep_features=False, ignore=AROUND)
    for found in annotator.annotate_all([forest for forest, _ in zh], [lines for _, lines in zh]):
        features = found.risk.features
        assert index.names == selected.names
        drawn = sample(found.risk.graph, np.zeros(found.risk.graph.edges), 20, seed=7)
        for derivation, ids in zip(drawn, found.forest.yields.of_all(found.risk.graph, drawn), strict=True):
            words = [found.forest.words[n] for n in ids if found.forest.words[n] not in AROUND]
            expected = Counter(tuple(words[i : i + n]) for n in (1, 2) for i in range(len(words) - n + 1))
            sums: Counter[tuple[str, ...]] = Counter()
            for edge in derivation.edges.tolist():
                for n in range(int(features.starts[edge]), int(features.starts[edge + 1])):
                    sums[selected.ngrams[features.ids[n]]] += features.values[n]
            assert sums == expected


def test_the_least_loss_of_a_real_forest_has_a_better_bleu_than_a_random_one(zh):
    annotator = Annotator(FeatureIndex(), gain=GAIN, ignore=AROUND)
    best, random = [], []
    for forest, references in zh:
        found = annotator.annotate(forest, references)
        graph = found.risk.graph
        sharp = sample(graph, -1000.0 * found.risk.losses, 1, seed=1)
        some = sample(graph, np.zeros(graph.edges), 1, seed=1)
        for derivations, lines in ((sharp, best), (some, random)):
            ids = found.forest.yields.of_all(graph, derivations)[0]
            lines.append([forest.words[n] for n in ids if forest.words[n] not in AROUND])
    streams = [list(lines) for lines in zip(*(references for _, references in zh), strict=True)]
    scores = [bleu(bleu_statistics(lines, streams)) for lines in (random, best)]
    assert scores[1] > scores[0]
    assert scores[1] > 0.3


WEIGHTS = (-1.0, -1.066893, -0.752247, -0.589793, 2.844814)
"""Those of the authors of Li and Eisner (2009), for costs."""

RISKS = [0.6418601847, 0.7123248736, 0.9108175952, 0.1698679233, 0.0849149019]
"""Of their forests with the losses that they stored, to four decimals an edge."""


def test_losses_are_those_that_the_authors_stored():
    # The last value of each of their edges is its loss. The references are the first five of Joshua's example.
    folder = ROOT.parent.parent / "nbest" / "joshua-zmert"
    streams = [(folder / f"ref.{k}").read_text(encoding="utf-8").splitlines()[:5] for k in range(4)]
    (path,) = (ROOT.parent / "formats" / "joshua_disk_hg").glob("*.items*")
    forests = read_forests(path, sign="costs")
    annotator = Annotator(FeatureIndex(), gain=GAIN)
    made = annotator.annotate_all([forest.with_weights(None) for forest in forests], zip(*streams, strict=True))
    for forest, found, expected in zip(forests, made, RISKS, strict=True):
        stored = forest.features.scores([0.0] * 5 + [1.0])[found.edges]
        weights = forest.scores(WEIGHTS)[found.edges]
        graph, losses = found.risk.graph, found.risk.losses
        drawn = sample(graph, weights, 200, seed=1)
        roundings = np.diff(drawn.starts.astype(np.int64)) * 6e-5
        assert (np.abs(drawn.sums(losses) - drawn.sums(stored)) <= roundings).all()
        assert risk(graph, weights, stored) == pytest.approx(expected, abs=1e-9)
        assert risk(graph, weights, losses) == pytest.approx(expected, abs=5e-4)
