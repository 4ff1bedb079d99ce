"""The two-step model against enumeration of everything, and the rule of early stopping against not stopping."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plait.translit import TwoStepCRF
from reference import transliteration as twin
from two_step_models import Pair, chunked_pairs, trained

UNAMBIGUOUS = [("x",), ("y",), ("z",)]
AMBIGUOUS = [("x",), ("x", "x"), (), ("y",)]
MANY = 10**6
words = st.lists(st.text("abc", min_size=1, max_size=5), min_size=1, max_size=4)


def everything(model: TwoStepCRF) -> TwoStepCRF:
    model.segmentations = model.conversions = MANY
    return model


@pytest.mark.parametrize("labels", [UNAMBIGUOUS, AMBIGUOUS], ids=["unambiguous", "ambiguous"])
@given(st.data())
@settings(max_examples=8, deadline=None)
def test_the_sum_over_all_segmentations_is_that_of_enumeration(
    labels: list[tuple[str, ...]], data: st.DataObject
) -> None:
    pairs = data.draw(chunked_pairs(labels=labels))
    model, slow = everything(trained(pairs)), twin.TwoStepTwin(pairs, 0.1)
    for word in data.draw(words):
        expected = twin.summed(slow.lists(word))
        found = model.decode([word], n=MANY, stop="never")
        assert dict(found.candidates[0]) == pytest.approx(expected, abs=1e-5)
        assert sum(expected.values()) == pytest.approx(1)
        assert found.masses[0] == pytest.approx(1)
        assert bool(found.certain[0])
        targets = list(expected)
        forced = model.probabilities([word] * len(targets), targets, tolerance=0.0, segmentations=MANY)
        assert forced == pytest.approx([expected[target] for target in targets], abs=1e-5)
        assert model.probabilities([word], ["x unheard"], tolerance=0.0) == pytest.approx([0])


@pytest.mark.parametrize("labels", [UNAMBIGUOUS, AMBIGUOUS], ids=["unambiguous", "ambiguous"])
@given(st.data())
@settings(max_examples=25, deadline=None)
def test_early_stopping_does_not_change_what_it_vouches_for(labels: list[tuple[str, ...]], data: st.DataObject) -> None:
    pairs: list[Pair] = data.draw(chunked_pairs(labels=labels))
    model = trained(pairs, l2_segmenter=data.draw(st.floats(0.01, 5)), l2_converter=data.draw(st.floats(0.01, 5)))
    given_words = data.draw(words)
    model.segmentations = data.draw(st.integers(1, 12))
    model.conversions = data.draw(st.integers(1, 6))
    first = data.draw(st.integers(1, 3))
    full = model.decode(given_words, n=MANY, stop="never")
    stopped = model.decode(given_words, n=MANY, stop="truncated", certain=first)
    exact = model.decode(given_words, n=1, stop="exact")
    forced = everything(trained(pairs, l2_segmenter=model.l2_segmenter, l2_converter=model.l2_converter))
    whole = forced.decode(given_words, n=MANY, stop="never")
    for number in range(len(given_words)):
        best, early = full.candidates[number], stopped.candidates[number]
        assert stopped.conversions[number] <= full.conversions[number]
        if stopped.conversions[number] < full.conversions[number]:
            assert [c.target for c in early[:first]] == [c.target for c in best[:first]]
        # What was summed is a lower bound, and lacks no more than the mass that is left.
        sums = dict(best)
        assert all(c.probability <= sums[c.target] + 1e-12 for c in early)
        assert all(sums[c.target] <= c.probability + 1 - stopped.masses[number] + 1e-12 for c in early)
        if exact.certain[number]:
            assert exact.candidates[number][0].target == whole.candidates[number][0].target


@given(st.data())
@settings(max_examples=10, deadline=None)
def test_lists_are_sorted_distinct_and_the_same_for_any_number_of_threads(data: st.DataObject) -> None:
    model = trained(data.draw(chunked_pairs(labels=AMBIGUOUS)))
    given_words = data.draw(words) * 200
    found = model.nbest(given_words, 5)
    model.threads = 3
    assert model.nbest(given_words, 5) == found
    for candidates in found:
        probabilities = [c.probability for c in candidates]
        assert probabilities == sorted(probabilities, reverse=True)
        assert len({c.target for c in candidates}) == len(candidates)
        assert sum(probabilities) <= 1 + 1e-12


def test_one_analysis_is_that_of_the_twin() -> None:
    pairs: list[Pair] = [
        ((("a", "b"), ("x",)), (("a",), ("y",))),
        ((("b",), ("y",)), (("a",), ("x",)), (("b",), ("z",))),
    ]
    model, slow = trained(pairs), twin.TwoStepTwin(pairs, 0.1)
    starts, ids = model._encode(["aba"], model._source_ids, "characters")
    labels = [model._target_ids["x"], model._target_ids["y"]]
    mass, conversion = model.core.analysis(ids, [2, 3], labels, all_labels=False)
    lists = {round(m, 4): dict(c) for m, c in slow.lists("aba")}
    assert lists[round(mass, 4)]["x y"] == pytest.approx(conversion, abs=1e-5)
    assert np.isclose(starts[1], 3)
