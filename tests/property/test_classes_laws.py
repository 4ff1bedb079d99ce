"""Exchange clustering of the core against its twin, and laws of both."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plait.classes import WordClasses, cluster
from reference import classes as twin
from strategies import sentences

Text = list[list[str]]


def texts() -> st.SearchStrategy[Text]:
    return st.lists(sentences("abcdefg", min_length=0, max_length=8), min_size=1, max_size=8)


def groups(classes: WordClasses) -> set[frozenset[str]]:
    return {frozenset(classes.members(n)) for n in range(classes.count)}


@given(texts(), st.integers(1, 5))
@settings(deadline=None, max_examples=100)
def test_the_likelihood_is_that_of_the_twin_and_never_falls(text: Text, count: int) -> None:
    found = cluster(text, count, runs=3, threads=1)
    scores = found.history
    assert all(after >= before - 1e-9 * (1 + abs(before)) for before, after in pairwise(scores))
    mapping = {word: found[word] for word in found.words}
    assert scores[-1] == pytest.approx(twin.log_likelihood(text, mapping), rel=1e-9, abs=1e-9)
    assert set(found.words) == {word for sentence in text for word in sentence}


@given(texts(), st.integers(1, 4))
@settings(deadline=None, max_examples=60)
def test_the_first_iteration_is_that_of_the_twin(text: Text, count: int) -> None:
    """One visit to each word. Ties that differ by rounding alone may lead later ones elsewhere."""
    found = cluster(text, count, iterations=1, runs=1)
    mapping, history = twin.exchange(text, count, 1)
    assert list(found.history) == pytest.approx(history, rel=1e-9, abs=1e-9)
    expected = {frozenset(w for w in mapping if mapping[w] == g) for g in set(mapping.values())}
    assert groups(found) == expected


@given(texts(), st.integers(1, 5), st.integers(0, 2**64 - 1))
@settings(deadline=None, max_examples=40)
def test_threads_change_nothing(text: Text, count: int, seed: int) -> None:
    one, three = (cluster(text, count, runs=5, seed=seed, threads=threads) for threads in (1, 3))
    assert one == three
    assert one.history == three.history


@given(st.dictionaries(st.text(min_size=1).filter(lambda w: not set(w) & set(" \t\n")), st.integers(0, 90), min_size=1))
@settings(deadline=None)
def test_files_give_back_what_was_written(tmp_path_factory: pytest.TempPathFactory, mapping: dict[str, int]) -> None:
    path = tmp_path_factory.mktemp("classes") / "x.classes.gz"
    classes = WordClasses.from_mapping({word.encode("utf-8", "replace").decode(): n for word, n in mapping.items()})
    classes.write(path)
    again = WordClasses.read(path)
    if any(word.startswith("\ufeff") for word in classes.words):
        return  # a byte order mark at the start of a file is none of its text
    assert again == classes
    assert again.to_bytes() == classes.to_bytes()
