"""Examples of orientations: the paper's, and lines of text."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from plait import Alignments, Bitext
from plait.errors import ConfigError, DataError, TextError, UnequalLengthError
from plait.reorder import Examples, write_examples

# Table 1 of Alrajeh and Niranjan (EMNLP 2014): f1 f2 - e1, f3 f4 f5 - e4 e5 (swapped inside), f6 - e2 e3.
PAPER = Bitext.from_lists(["f1 f2 f3 f4 f5 f6"], ["e1 e2 e3 e4 e5"])
LINKS = Alignments.from_lists([[(0, 0), (1, 0), (2, 4), (4, 3), (5, 1), (5, 2)]])


def rows(examples):
    """The names of the features of each phrase pair."""
    ends = examples.rows.offsets.tolist()
    return {
        examples.pairs[examples.pair_of_row[n]]: (
            examples.y[n],
            sorted(examples.vocabulary[m] for m in examples.rows.features[ends[n] : ends[n + 1]].tolist()),
        )
        for n in range(len(examples))
    }


def test_the_table_of_the_paper():
    found = rows(Examples.from_bitext(PAPER, LINKS, threshold=0, pairs=True))
    assert found["f1 f2 ||| e1"] == ("mono", ["a:f1&e1", "a:f2&e1", "c:f3"])
    assert found["f3 f4 f5 ||| e4 e5"] == ("swap", ["a:f3&e5", "a:f5&e4", "c:f2", "c:f6"])
    # The paper's bag of words has f6 (feature 7) for this phrase pair too; its context is f5 alone.
    assert found["f6 ||| e2 e3"] == ("other", ["a:f6&e2", "a:f6&e3", "c:f5"])


def test_examples_of_a_corpus_are_those_of_its_lines(tmp_path):
    text = Bitext.from_lists(["a b c", "c a", "b"] * 20, ["x y", "y x", "z"] * 20)
    links = Alignments.from_lists([[(0, 0), (2, 1)], [(0, 0), (1, 1)], [(0, 0)]] * 20)
    path = tmp_path / "examples.gz"
    count = write_examples(path, text, links, window=2, marks_sides=True, classes="mslr")
    direct = Examples.from_bitext(text, links, window=2, marks_sides=True, classes="mslr", threads=3)
    read = Examples.read(path)
    assert count == len(read) == len(direct) == gzip.decompress(path.read_bytes()).count(b"\n")
    assert read.vocabulary == direct.vocabulary
    assert set(direct.vocabulary) >= {"a:a&x", "l1:b", "r2:c"}
    for name in ("offsets", "features"):
        np.testing.assert_array_equal(getattr(read.rows, name), getattr(direct.rows, name))
    np.testing.assert_array_equal(read.labels, direct.labels)


def test_lines_do_not_depend_on_threads():
    from plait.reorder.examples import example_blocks

    text = Bitext.from_lists(["a b c d"] * 700, ["x y z w"] * 700)
    links = Alignments.from_lists([[(0, 0), (1, 2), (2, 1), (3, 3)]] * 700)
    assert list(example_blocks(text, links, threads=1)) == list(example_blocks(text, links, threads=4))


def test_the_window_and_the_phrase_itself_are_options():
    found = rows(Examples.from_bitext(PAPER, LINKS, threshold=0, pairs=True, window=0, identity=True))
    assert found["f6 ||| e2 e3"][1] == ["a:f6&e2", "a:f6&e3", "p:f6 ||| e2 e3"]
    far = rows(Examples.from_bitext(PAPER, LINKS, threshold=0, pairs=True, window=9))
    assert far["f6 ||| e2 e3"][1] == ["a:f6&e2", "a:f6&e3", "c:f1", "c:f2", "c:f3", "c:f4", "c:f5"]


def test_the_next_orientation_looks_the_other_way():
    previous = Examples.from_bitext(PAPER, LINKS, threshold=0, pairs=True)
    following = Examples.from_bitext(PAPER, LINKS, threshold=0, pairs=True, direction="forward")
    assert rows(previous)["f6 ||| e2 e3"][0] == "other"
    assert rows(following)["f6 ||| e2 e3"][0] == "swap"


def test_rare_features_are_dropped_and_the_others_come_by_frequency():
    lines = b"a ||| b ||| mono ||| often once\n" + b"a ||| b ||| swap ||| often twice\n" * 2
    found = Examples.from_blocks([lines], threshold=1)
    assert (found.vocabulary, found.dropped) == (("often", "twice"), 1)
    assert Examples.from_blocks([lines], threshold=10).rows.columns == 0


def test_a_selection_keeps_rows_and_classes():
    lines = b"a ||| b ||| mono ||| x y y\na ||| c ||| swap ||| z\n"
    found = Examples.from_blocks([lines], threshold=0, pairs=True)
    part = found.select(np.array([name != "x" for name in found.vocabulary]))
    assert sorted(part.vocabulary) == ["y", "z"]
    assert part.to_csr().toarray()[:, part.vocabulary.index("y")].tolist() == [2, 0]
    assert part.labels.tolist() == found.labels.tolist()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a ||| b ||| mono", r"ex:2:17: an example is 'source \|\|\| target"),
        ("a ||| b ||| mono ||| x ||| y", "found a fifth column"),
        ("a ||| b ||| mono swap ||| x", r"ex:2:13: the third column is a class"),
        ("a ||| b ||| \udcff ||| x", r"ex:2:13: the text is not UTF-8"),
    ],
)
def test_lines_that_are_no_examples_are_refused_by_place(tmp_path, monkeypatch, line, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ex").write_bytes(b"a ||| b ||| mono ||| x\n" + line.encode("utf-8", "surrogateescape") + b"\n")
    with pytest.raises(TextError, match=message):
        Examples.read("ex")


def test_a_class_that_a_model_does_not_know_is_refused(tmp_path):
    path = tmp_path / "ex"
    path.write_text("a ||| b ||| ? ||| x\na ||| b ||| dleft ||| x\n")
    with pytest.raises(TextError, match=r"ex:2:13: the class is none of the model's, which are mono, swap"):
        Examples.read(path, vocabulary=["x"], classes=["mono", "swap"])
    with pytest.raises(DataError, match="example 1 has no class"):
        Examples.read(path).y  # noqa: B018


def test_an_empty_file_is_no_data(tmp_path):
    path = tmp_path / "ex"
    path.write_text("")
    with pytest.raises(DataError, match="there is no example"):
        Examples.read(path)


def test_links_that_do_not_belong_to_the_text_are_refused():
    with pytest.raises(DataError, match=r"sentence pair 1: a link .* outside of the pair of 6 source"):
        Examples.from_bitext(PAPER, Alignments.from_lists([[(6, 0)]]))
    with pytest.raises(UnequalLengthError, match="the alignment has 2 lines"):
        Examples.from_bitext(PAPER, Alignments.from_lists([[(0, 0)], []]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_length": 0}, "max_length must be a whole number of at least 1"),
        ({"window": -1}, "window must be"),
        ({"model": "hierarchical"}, "model must be wbe, phrase or hier; found 'hierarchical'"),
        ({"classes": "two"}, "classes must be msd, mslr or monotonicity"),
        ({"direction": "left"}, "direction must be"),
        ({"compat": "cdec"}, "compat must be"),
        ({"threshold": -1}, "threshold must be at least 0"),
    ],
)
def test_options_out_of_range_are_refused_by_name(options, message):
    with pytest.raises(ConfigError, match=message):
        Examples.from_bitext(PAPER, LINKS, **options)


def test_the_word_that_separates_columns_is_refused():
    text = Bitext.from_lists(["a |||"], ["b c"])
    with pytest.raises(DataError, match=r"sentence pair 1: the word \|\|\|"):
        Examples.from_bitext(text, Alignments.from_lists([[(0, 0)]]))
