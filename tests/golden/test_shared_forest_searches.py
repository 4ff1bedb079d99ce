"""Searches of real forests of other programs, where the shared files are at hand."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from plait.hypergraph import (
    Distribution,
    kbest,
    max_marginals,
    prune,
    read_forests,
    sample,
    viterbi,
    with_ngrams,
)

ROOT = Path(os.environ.get("PLAIT_DATA", ".")) / "hyper"
pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not ROOT.is_dir() or "PLAIT_DATA" not in os.environ, reason="PLAIT_DATA names no folder"),
]

WEIGHTS = (-1.0, -1.066893, -0.752247, -0.589793, 2.844814)
"""Those that the forests were made with, for costs."""


@pytest.fixture(scope="module")
def joshua():
    (path,) = (ROOT / "formats" / "joshua_disk_hg").glob("*.items*")
    return read_forests(path, sign="costs")


def test_the_best_derivations_have_the_stored_weights(joshua):
    for forest in joshua:
        best = viterbi(forest.graph, forest.weights)
        computed = viterbi(forest.graph, forest.scores(WEIGHTS))
        # Stored weights have four decimals, an edge's weight is a difference of some of them.
        assert best.weight == pytest.approx(computed.weight, abs=1e-3)


def test_lists_of_real_forests(joshua):
    for forest in joshua:
        weights = forest.scores(WEIGHTS)
        found = kbest(forest.graph, weights, 2000)
        assert len(found) == 2000
        assert (np.diff(found.weights) <= 0).all()
        assert len({d.edges.tobytes() for d in found}) == len(found)
        assert found.sums(weights) == pytest.approx(found.weights)
        assert found[0] == viterbi(forest.graph, weights)
        words = [tuple(row.tolist()) for row in forest.yields.of_all(forest.graph, found)]
        unique = kbest(forest.graph, weights, 200, unique_by=forest.yields)
        distinct = [tuple(row.tolist()) for row in forest.yields.of_all(forest.graph, unique)]
        assert len(set(distinct)) == len(unique)
        assert len(unique) == 200 or forest is joshua[0]
        # What is first with its words in the one list is the derivation of these words in the other.
        expected = {text: found.weights[words.index(text)] for text in words}
        given = dict(zip(distinct, unique.weights, strict=True))
        shared = [text for text, weight in expected.items() if weight > unique.weights[-1] + 1e-9]
        assert shared
        assert [given[text] for text in shared] == pytest.approx([expected[text] for text in shared])


def test_all_yields_of_a_real_forest(joshua):
    forest = joshua[0]
    weights = forest.scores(WEIGHTS)
    found = kbest(forest.graph, weights, 10**6)
    assert len(found) == forest.derivations == 9499
    expected = {}
    for weight, words in zip(found.weights, forest.yields.of_all(forest.graph, found), strict=True):
        expected.setdefault(tuple(words.tolist()), weight)
    unique = kbest(forest.graph, weights, 10**6, unique_by=forest.yields)
    given = [tuple(row.tolist()) for row in forest.yields.of_all(forest.graph, unique)]
    assert dict(zip(given, unique.weights, strict=True)) == pytest.approx(expected)
    assert len(given) == len(expected)


def test_ngrams_of_real_forests_are_those_of_their_yields(joshua):
    for forest in joshua:
        weights = forest.scores(WEIGHTS)
        small = prune(forest.graph, weights, beam=2.0)
        part = forest.part(small)
        found = with_ngrams(part.graph, part.yields, 3)
        new = part.part(found)
        # As many derivations, and the same total weight.
        assert new.derivations == part.derivations
        scores = weights[small.edges]
        before = Distribution(part.graph, scores)
        after = Distribution(found.graph, scores[found.edges])
        assert after.log_z == pytest.approx(before.log_z, rel=1e-12)
        assert after.entropy == pytest.approx(before.entropy, rel=1e-9)
        names = found.words()
        drawn = sample(found.graph, scores[found.edges], 50, seed=1)
        for d, words in zip(drawn, new.yields.of_all(new.graph, drawn), strict=True):
            rows = [found.ngrams[found.starts[e] : found.starts[e + 1]] for e in d.edges]
            text = tuple(words.tolist())
            expected = Counter(text[i : i + n] for n in (1, 2, 3) for i in range(len(text) - n + 1))
            assert Counter(names[n] for row in rows for n in row.tolist()) == expected


def test_max_marginals_of_the_large_forest():
    (forest,) = read_forests(ROOT / "cdec-json" / "urdu.json.gz")
    weights = forest.scores(np.linspace(-0.5, 0.5, len(forest.features.names)))
    best, marginals = viterbi(forest.graph, weights), max_marginals(forest.graph, weights)
    assert marginals.edges.max() == best.weight
    assert (marginals.edges[best.edges] == best.weight).all()
    # A beam of no width keeps the best derivation, and what is equally good.
    narrow = prune(forest.graph, weights, beam=0.0)
    assert set(best.edges.tolist()) <= set(narrow.edges.tolist())
    half = prune(forest.graph, weights, edges=forest.edges // 2)
    assert 0 < half.graph.edges <= forest.edges // 2
    found = kbest(forest.graph, weights, 1000, unique_by=forest.yields)
    assert len({row.tobytes() for row in forest.yields.of_all(forest.graph, found)}) == len(found) == 1000
