"""ACC, mean F-score, MRR and MAP_ref against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.errors import ConfigError, DataError
from plait.metrics.transliteration import MEASURES, evaluate, longest_common_subsequence
from reference import transliteration as twin

words = st.text("abc", max_size=5)
lists = st.lists(
    st.tuples(st.lists(words, max_size=5, unique=True), st.lists(words, min_size=1, max_size=3)), min_size=1, max_size=6
)


@given(words, words)
def test_the_common_subsequence_is_that_of_the_table(a: str, b: str) -> None:
    assert longest_common_subsequence(a, b) == twin.common_subsequence(a, b)


@given(lists)
def test_measures_are_those_of_the_definitions(data: list[tuple[list[str], list[str]]]) -> None:
    candidates, references = [c for c, _ in data], [r for _, r in data]
    found, expected = evaluate(candidates, references).as_dict(), twin.measures(candidates, references)
    assert {name: found[name] for name in MEASURES} == pytest.approx(expected)
    assert found["words"] == len(data)


def test_several_references_and_ranks() -> None:
    found = evaluate([["a", "b", "c"], ["x", "y"]], [["b", "c"], ["y"]])
    assert found.acc == 0
    assert found.mrr == 0.5
    # (0 + 1/2) / 2 and 0.
    assert found.map_ref == pytest.approx(0.125)
    assert evaluate([["b", "a"]], [["a", "b"]]).map_ref == 1


def test_phones_are_symbols() -> None:
    found = evaluate([["AH0 B"]], [["AH1 B"]], split=str.split)
    assert found.f_score == 0.5
    assert evaluate([["AH0 B"]], [["AH1 B"]]).f_score == pytest.approx(0.8)


def test_no_candidate_is_wrong_and_counted() -> None:
    found = evaluate([[], ["a"]], [["a"], ["a"]])
    assert (found.acc, found.f_score, found.mrr, found.map_ref) == (0.5, 0.5, 0.5, 0.5)


def test_candidates_that_stand_twice_count_once() -> None:
    assert evaluate([["x", "x", "a"]], [["a"]]).mrr == 0.5


def test_intervals_hold_the_mean_and_differences_are_paired() -> None:
    generator = np.random.default_rng(1)
    references = [["a"]] * 200
    good = [["a"] if u < 0.8 else ["b"] for u in generator.random(200)]
    bad = [["b"] if number % 2 else own for number, own in enumerate(good)]
    first, second = evaluate(good, references), evaluate(bad, references)
    own = first.intervals(resamples=200)["acc"]
    assert own.low < first.acc < own.high
    value, interval = first.difference(second, resamples=200)["acc"]
    assert value == pytest.approx(first.acc - second.acc)
    assert 0 < interval.low < value < interval.high
    assert first.difference(first, resamples=10)["acc"][1].high == 0
    with pytest.raises(ConfigError, match="same 200 words"):
        first.difference(evaluate([["a"]], [["a"]]))


@pytest.mark.parametrize(
    ("candidates", "references", "message"),
    [
        ([["a"]], [["a"], ["b"]], "1 lists of candidates but 2 words"),
        ([], [], "no word to evaluate"),
        ([["a"]], [[]], "word 1 has no list of references"),
        ([["a"]], ["a"], "word 1 has no list of references"),
    ],
)
def test_what_cannot_be_compared_is_refused(candidates: object, references: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        evaluate(candidates, references)  # type: ignore[arg-type]
