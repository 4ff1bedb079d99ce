"""`Alignments`: construction, access, and the doors that keep bad links out."""

from __future__ import annotations

import gzip
import json
import re

import numpy as np
import pytest

from plait.alignments import Alignments
from plait.bitext import Bitext
from plait.errors import ConfigError, DataError, TextError, UnequalLengthError

EXAMPLE = Alignments.from_lists([[(1, 0), (0, 2)], [], [(3, 3)]], [[0.5, 0.25], [], [1.0]])


def test_lists_are_sorted_and_of_repeats_the_most_probable_stays():
    alignments = Alignments.from_lists([[(1, 0), (0, 2), (1, 0)]], [[0.25, 0.5, 0.75]])
    assert alignments.links.tolist() == [[0, 2], [1, 0]]
    assert alignments.probabilities.tolist() == [0.5, 0.75]
    assert alignments.links.dtype == np.int32
    assert alignments.offsets.dtype == np.uint64
    assert alignments.probabilities.dtype == np.float32


def test_access():
    assert len(EXAMPLE) == 3
    assert EXAMPLE[0].tolist() == [[0, 2], [1, 0]]
    assert EXAMPLE[-1].tolist() == [[3, 3]]
    assert EXAMPLE.counts.tolist() == [2, 0, 1]
    assert EXAMPLE.sentences.tolist() == [0, 0, 2]
    assert [links.tolist() for links in EXAMPLE] == [[[0, 2], [1, 0]], [], [[3, 3]]]
    assert EXAMPLE.sentence_probabilities(0).tolist() == [0.25, 0.5]
    assert EXAMPLE[1:].probabilities.tolist() == [1.0]
    for n in (3, -4):
        with pytest.raises(IndexError):
            EXAMPLE[n]


def test_values_are_frozen_and_compare_by_what_they_hold():
    with pytest.raises(ValueError, match="read-only"):
        EXAMPLE.links[0, 0] = 5
    plain = Alignments(EXAMPLE.links, EXAMPLE.offsets)
    assert plain != EXAMPLE
    assert plain == Alignments.from_lists([[(1, 0), (0, 2)], [], [(3, 3)]])
    assert plain != Alignments.from_lists([[(1, 0)], [(0, 2)], [(3, 3)]])
    assert plain != "0-2 1-0"
    with pytest.raises(TypeError, match="unhashable"):
        hash(plain)


def test_what_the_caller_keeps_cannot_change_an_alignment():
    links = np.array([[0, 0]], dtype=np.int32)
    alignments = Alignments(links, np.array([0, 1], dtype=np.uint64))
    links[0, 0] = 9
    assert alignments[0].tolist() == [[0, 0]]


def test_shows_itself():
    assert repr(EXAMPLE) == "<Alignments of 3 sentence pairs: 3 links, with probabilities>"
    page = Alignments.from_lists([[(0, 0)]] * 12)._repr_html_()
    assert page.count("<svg") == 4
    assert "8 more" in page


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (([[0, 0]], [0, 2]), "the last offset must be the number of links"),
        (([[0, 0]], [1, 1]), "offsets must start with 0"),
        (([[0, 0]], []), "offsets must start with 0"),
        (([[0, 0], [0, 1]], [0, 2, 1, 2]), "offsets must not fall"),
        (([[0, 1], [0, 0]], [0, 2]), "sentence pair 1.*sorted.*0-1 before 0-0"),
        (([[0, 1], [0, 1]], [0, 0, 2]), "sentence pair 2.*distinct"),
        (([[0, -1]], [0, 1]), "must not be negative; found 0--1"),
        (([[0, 2**31]], [0, 1]), "fit int32"),
        (([[0.5, 1]], [0, 1]), "whole numbers"),
        (([[0, float("nan")]], [0, 1]), "whole numbers"),
        (([[0, 0]], [0, -1]), "whole numbers that fit uint64"),
        (([[0, 0, 0]], [0, 1]), "two columns"),
        (([0, 0], [0, 1]), r"2 dimension\(s\); found 1"),
        (([[0, 0]], [0, 1], [float("nan")]), "from 0 to 1; found NaN for link 0-0"),
        (([[0, 0]], [0, 1], [1.5]), "from 0 to 1; found 1.5"),
        (([[0, 0]], [0, 1], [0.5, 0.5]), "one probability per link"),
    ],
)
def test_arrays_that_are_no_links_are_refused(arrays, message):
    with pytest.raises(DataError, match=message):
        Alignments(*arrays)


def test_lists_with_unequal_probabilities_are_refused():
    with pytest.raises(DataError, match="2 sentence pairs but probabilities of 1"):
        Alignments.from_lists([[], []], [[]])
    with pytest.raises(DataError, match="sentence pair 2 has 1 links but 0 probabilities"):
        Alignments.from_lists([[], [(0, 0)]], [[], []])
    with pytest.raises(DataError, match="NaN"):
        Alignments.from_lists([[(0, 0), (0, 0)]], [[0.5, float("nan")]])


def test_links_must_lie_inside_of_the_text():
    EXAMPLE.check_within([2, 0, 4], [3, 0, 4])
    with pytest.raises(DataError, match=r"sentence pair 3.*3 source and 4 target words.*found 3-3"):
        EXAMPLE.check_within([2, 0, 3], [3, 0, 4])
    with pytest.raises(UnequalLengthError):
        EXAMPLE.check_within([2, 0], [3, 0])


def test_files_are_read_and_written(tmp_path):
    path = tmp_path / "out.align.gz"
    EXAMPLE.write(path, probabilities=True)
    assert gzip.decompress(path.read_bytes()) == b"0-2:0.25 1-0:0.5\n\n3-3:1\n"
    assert Alignments.read(path) == EXAMPLE
    with pytest.raises(ConfigError, match="--force"):
        EXAMPLE.write(path)
    EXAMPLE.write(path, force=True)
    assert Alignments.read(path) == Alignments(EXAMPLE.links, EXAMPLE.offsets)


def test_an_unknown_format_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(ConfigError, match="format must be one of pharaoh, giza, jsonl"):
        EXAMPLE.write(tmp_path / "x", format="moses")
    with pytest.raises(ConfigError, match="needs the words"):
        EXAMPLE.write(tmp_path / "x", format="giza")
    assert not list(tmp_path.iterdir())


def test_json_lines():
    lines = [json.loads(line) for line in EXAMPLE.to_jsonl().splitlines()]
    assert lines[0] == {"links": [[0, 2], [1, 0]], "probabilities": [0.25, 0.5]}
    assert lines[1] == {"links": [], "probabilities": []}
    plain = Alignments(EXAMPLE.links, EXAMPLE.offsets).to_jsonl()
    assert json.loads(plain.splitlines()[2]) == {"links": [[3, 3]]}


TEXT = Bitext.from_lists([["das", "Haus", "ist", "klein"], []], [["the", "house", "is", "very", "small"], ["x"]])


def test_a_giza_record_of_one_direction():
    forward = Alignments.from_lists([[(0, 0), (1, 1), (2, 2), (3, 4)], []], [[0.5, 0.5, 1, 0.25], []])
    first, second = forward.to_giza(TEXT).decode().split("# ")[1:]
    assert first == (
        "Sentence pair (1) source length 4 target length 5 alignment score : 0.0625\n"
        "the house is very small\n"
        "NULL ({ 4 }) das ({ 1 }) Haus ({ 2 }) ist ({ 3 }) klein ({ 5 })\n"
    )
    assert second == "Sentence pair (2) source length 0 target length 1 alignment score : 1\nx\nNULL ({ 1 })\n"
    # Each target word stands in exactly one list, as GIZA++'s readers expect.
    lists = re.findall(r"\(\{ ([0-9 ]*)\}\)", first)
    assert sorted(int(j) for one in lists for j in one.split()) == [1, 2, 3, 4, 5]


def test_a_giza_record_of_a_symmetrised_set():
    both = Alignments.from_lists([[(0, 0), (0, 3), (1, 3)], []])
    assert "NULL ({ 2 3 5 }) das ({ 1 4 }) Haus ({ 4 }) ist ({ })" in both.to_giza(TEXT).decode()


def test_giza_records_number_the_pairs_across_writes(tmp_path, monkeypatch):
    monkeypatch.setattr("plait.alignments._PAIRS_PER_WRITE", 1)
    links = Alignments.from_lists([[(0, 0)], []])
    links.write(tmp_path / "a3", format="giza", bitext=TEXT)
    assert (tmp_path / "a3").read_bytes() == links.to_giza(TEXT)
    with pytest.raises(DataError, match="points outside"):
        Alignments.from_lists([[(9, 0)], []]).write(tmp_path / "b3", format="giza", bitext=TEXT)
    assert not (tmp_path / "b3").exists()


def test_errors_of_a_file_name_it(tmp_path):
    path = tmp_path / "links"
    path.write_bytes(b"0-0\n1-1 3-x\n")
    with pytest.raises(TextError, match=r"links:2:5: expected a link 'i-j'.*found '3-x'"):
        Alignments.read(path)
    path.write_bytes(b"0?0\n")
    with pytest.raises(TextError, match="read the file as gold"):
        Alignments.read(path)


@pytest.mark.parametrize("pairs", [[], [[(0, 0)]], [[(0, 0)], [(1, 1)], []]], ids=len)
@pytest.mark.parametrize("step", [2**62, 2**63, 2**200, -(2**63), -(2**200)])
def test_a_slice_may_have_any_step(pairs, step):
    assert Alignments.from_lists(pairs)[::step] == Alignments.from_lists(pairs[::step])
