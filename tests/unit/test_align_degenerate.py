"""Corpora at the edge of what there is: nothing to align, one word, one type, very long sentences."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import fitting
from plait import align
from plait.alignments import Alignments
from plait.bitext import Bitext
from plait.errors import AlignmentWarning
from plait.presets import PRESETS
from reference import readout
from reference.direction import Direction
from reference.expectation import em, posteriors
from reference.ibm import Model

WAYS: list[dict[str, object]] = [
    {"model": model, "inference": inference, **schedule}
    for model in ("ibm1", "ibm2")
    for inference, schedule in (
        ("em", {"iterations": 2}),
        ("vb", {"iterations": 2}),
        ("gibbs", {"burn_in": 2, "samples": 3}),
        ("gibbs", {"burn_in": 2, "samples": 3, "sampler": "parallel", "initial": "cooccurrence"}),
        ("gibbs", {"burn_in": 0, "samples": 1, "initial": "uniform"}),
    )
] + [{"preset": name} for name, config in PRESETS.items() if config.model == "hmm"]
ways = pytest.mark.parametrize("way", WAYS, ids=lambda way: "-".join(map(str, way.values())))


@ways
def test_one_pair_of_one_word(way: dict[str, object]) -> None:
    fitted = align.fit(Bitext.from_lists([["a"]], [["x"]]), posteriors=True, **way)
    assert len(fitted.alignments) == len(fitted.forward) == len(fitted.reverse) == 1
    assert all(set(map(tuple, links[0].tolist())) <= {(0, 0)} for links in (fitted.forward, fitted.reverse))
    assert all(np.isfinite(value) for history in fitted.history.values() for value in history)


@ways
def test_no_pair_can_be_used(way: dict[str, object]) -> None:
    """Links of nothing are nothing, and the user hears of it."""
    bitext = Bitext.from_lists([["a"], [], []], [[], ["x"], []])
    with pytest.warns(AlignmentWarning, match="3 of 3 sentence pairs"):
        fitted = align.fit(bitext, posteriors=True, **way)
    for links in (fitted.alignments, fitted.forward, fitted.reverse, fitted.forward_posteriors):
        assert len(links) == 3
        assert links.links.shape == (0, 2)


@ways
def test_no_pair_at_all(way: dict[str, object]) -> None:
    fitted = align.fit(Bitext.from_lists([], []), posteriors=True, **way)
    assert len(fitted.alignments) == 0
    assert fitted.alignments.to_pharaoh() == b""


@ways
def test_one_type_on_each_side(way: dict[str, object]) -> None:
    fitted = align.fit(Bitext.from_lists([["a"] * 3, ["a"]], [["x"] * 2, ["x"] * 4]), posteriors=True, **way)
    assert len(fitted.forward) == 2
    for links, columns in ((fitted.forward, 1), (fitted.reverse, 0)):
        for n in range(2):
            emitted = links[n][:, columns].tolist()
            assert len(emitted) == len(set(emitted)), "at most one link for an emitted word"


@ways
def test_pairs_with_an_empty_side_change_nothing_for_others(way: dict[str, object]) -> None:
    """Apart from the vocabulary: so the words of the extra pairs are words of the others."""
    sources, targets = [["a", "b"], ["b"], ["c", "a"]], [["x", "y"], ["y"], ["z", "x"]]
    plain = align.fit(Bitext.from_lists(sources, targets), posteriors=True, **way)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AlignmentWarning)
        padded_text = Bitext.from_lists([[], *sources, ["a"]], [["x"], *targets, []])
        padded = align.fit(padded_text, posteriors=True, **way)
    if way.get("inference") != "gibbs":  # a sampler's draws belong to places in the corpus, which have moved
        for before, after in ((plain.forward, padded.forward), (plain.reverse, padded.reverse)):
            assert [after[n].tolist() for n in range(1, 4)] == [links.tolist() for links in before]
    assert len(padded.forward[0]) == len(padded.reverse[4]) == 0


@pytest.mark.parametrize("way", [WAYS[0], WAYS[5], WAYS[7]], ids=["ibm1-em", "ibm2-em", "ibm2-gibbs"])
def test_a_sentence_of_3000_words(way: dict[str, object]) -> None:
    """Posteriors are far below the floor of what is kept, and still each word has its best link."""
    sources, targets = [f"s{n}" for n in range(3000)], [f"t{n}" for n in range(3000)]
    anchors = [[f"s{n}"] for n in range(0, 3000, 3)], [[f"t{n}"] for n in range(0, 3000, 3)]
    fitted = align.fit(Bitext.from_lists([sources, *anchors[0]], [targets, *anchors[1]]), posteriors=True, **way)
    for links in (fitted.forward, fitted.reverse):
        diagonal = {(n, n) for n in range(0, 3000, 3)}
        found = set(map(tuple, links[0].tolist()))
        assert len(diagonal - found) < 60, "words that are seen alone are aligned in the long sentence too"


@pytest.mark.parametrize("reverse", [False, True])
def test_the_best_link_may_be_below_the_floor(reverse: bool) -> None:
    """With 300 equally likely words and an unlikely NULL, the first word is the best link at 0.003."""
    corpus = ([[f"s{n}" for n in range(300)]], [[f"t{n}" for n in range(300)]])
    model = Model("ibm1", 0.0005)
    fitted = fitting.fit(corpus, model, inference="em", iterations=1)
    direction = Direction.of(*corpus, reverse=reverse)
    table = posteriors(direction, model, em(direction, model, 1).weights)
    assert max(table[0][0]) < fitting.POSTERIOR_FLOOR
    rounded = [[[round(p, 9) for p in row] for row in rows] for rows in table]
    expected = readout.source_target_links(direction, readout.viterbi(rounded))
    assert fitting.links(fitted, reverse=reverse) == expected
    probabilities = (fitted.reverse if reverse else fitted.forward).probabilities
    assert probabilities == pytest.approx(np.full(300, 0.9995 / 300), rel=1e-4)


def test_a_link_without_a_posterior_has_probability_zero():
    from plait.directions import _with_means

    means = Alignments.from_lists([[(0, 0)], [(1, 1)]], [[0.5], [0.25]])
    links = Alignments.from_lists([[(0, 0), (0, 1)], [(2, 2)]])
    assert _with_means(links, means).probabilities.tolist() == [0.5, 0.0, 0.0]
    nothing = Alignments.from_lists([[], []], [[], []])
    assert _with_means(links, nothing).probabilities.tolist() == [0.0, 0.0, 0.0]
