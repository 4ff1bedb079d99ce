"""Counts of lines of examples: the same models as from rows, and no row in memory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plait
from plait.errors import DataError, TextError
from plait.reorder import ExampleCounts, Examples, Lexicalised, NaiveBayes, mutual_information, selected
from plait.reorder.files import contents
from plait.reorder.rows import Rows
from processes import PEAK

LINE = st.tuples(
    st.sampled_from(["a ||| x", "b ||| x", "a b ||| y"]),
    st.sampled_from(["swap", "other", "mono", "odd"]),
    st.lists(st.sampled_from("fghijkl"), max_size=6),
)
TWO = [("a ||| x", "swap", ["f"]), ("b ||| x", "mono", ["f"])]


def blocks(lines, size):
    """Return the lines as blocks of bytes that cut them anywhere."""
    text = "".join(f"{pair} ||| {label} ||| {' '.join(features)}\n" for pair, label, features in lines).encode()
    return [text[at : at + size] for at in range(0, len(text), size)]


@given(st.lists(LINE, max_size=40), st.integers(5, 200), st.integers(0, 3), st.booleans())
def test_models_of_counts_are_those_of_rows(lines, size, threshold, identity):
    parts = blocks([*TWO, *lines], size)
    options = {"threshold": threshold, "identity": identity, "pairs": True}
    rows = Examples.from_blocks(parts, **options)
    counts = ExampleCounts.from_blocks(parts, values=True, **options)
    assert (counts.vocabulary, counts.classes, counts.pairs) == (rows.vocabulary, rows.classes, rows.pairs)
    assert (len(counts), counts.dropped, counts.columns) == (len(rows), rows.dropped, rows.rows.columns)
    information = mutual_information(rows)
    assert (mutual_information(counts) == information).all()
    for kept in (None, selected(information, share=0.5)) if rows.vocabulary else (None,):
        both = (rows, counts) if kept is None else (rows.select(kept), counts.select(kept))
        for model in (NaiveBayes(), NaiveBayes(inference="bayesian"), Lexicalised()):
            (arrays, told), (others, other_told) = (contents(model.fit(data)) for data in both)
            assert (told, list(arrays)) == (other_told, list(others))
            assert all(np.array_equal(arrays[name], others[name]) for name in arrays)


def test_a_fitted_model_goes_on_with_rows():
    counts, rows = (kind.from_blocks(blocks(TWO * 3, 50), threshold=0) for kind in (ExampleCounts, Examples))
    model = NaiveBayes().fit(counts).partial_fit(rows)
    assert (model.feature_count_ == 2 * NaiveBayes().fit(rows).feature_count_).all()


@pytest.mark.parametrize(
    ("lines", "kind", "message"),
    [
        ([], DataError, "there is no example"),
        ([TWO[0], ("a ||| x", "?", []), ("a ||| x", "?", [])], DataError, "example 2 has no class, as 2 of 3"),
        ([("a ||| x", "swap odd", [])], TextError, "line 1, column 13|examples"),
    ],
)
def test_bad_examples_are_told_with_their_file(tmp_path, lines, kind, message):
    (tmp_path / "examples").write_bytes(b"".join(blocks(lines, 99)))
    with pytest.raises(kind, match=message) as caught:
        ExampleCounts.read(tmp_path / "examples")
    assert "examples" in str(caught.value)


def test_models_need_two_classes_pairs_and_values():
    one = ExampleCounts.from_blocks(blocks(TWO[:1], 99), threshold=0, pairs=True)
    for model in (NaiveBayes(), Lexicalised()):
        with pytest.raises(DataError, match="at least 2 classes; found 1 class, 'swap'"):
            model.fit(one)
    two = ExampleCounts.from_blocks(blocks(TWO, 99), threshold=0)
    with pytest.raises(DataError, match="pairs=True"):
        Lexicalised().fit(two)
    with pytest.raises(ValueError, match="counts"):
        mutual_information(two)


def test_a_phrase_pair_that_has_two_numbers_is_one():
    rows = Rows(np.zeros(5, dtype=np.uint64), np.empty(0, dtype=np.uint32), None, 0)
    labels, numbers = np.array([0, 1, 0, 0], dtype=np.uint32), np.array([0, 1, 2, 0], dtype=np.uint32)
    twice = Examples(rows, (), labels, ("mono", "swap"), ("a ||| x", "b ||| x", "a ||| x"), numbers)
    model = Lexicalised().fit(twice)
    assert model.pair_count_.tolist() == [[3, 0], [0, 1]]
    assert model.predict(twice).tolist() == ["mono", "swap", "mono", "mono"]


PROGRAM = """
import sys
from plait.reorder import ExampleCounts, Examples
line = b"a ||| x ||| mono ||| " + b" ".join(b"f%d" % n for n in range(40)) + b"\\n"
block = line * 500
before = peak()
kind = {"counts": ExampleCounts, "rows": Examples}[sys.argv[1]]
kind.from_blocks((block for _ in range(int(sys.argv[2]))), pairs=True)
print(peak() - before)
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="peaks are read from /proc")
def test_memory_does_not_grow_with_the_number_of_examples():
    def grown(kind, count):
        environment = {**os.environ, "PYTHONPATH": str(Path(plait.__file__).parents[1])}
        command = [sys.executable, "-c", PEAK + PROGRAM, kind, str(count)]
        return int(subprocess.run(command, env=environment, check=True, capture_output=True).stdout)

    # 100,000 rows of 40 features are 16 megabytes.
    assert grown("rows", 200) > 15_000
    assert grown("counts", 200) < 4_000
