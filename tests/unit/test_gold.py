"""Gold standards in their three forms."""

from __future__ import annotations

import pytest

from plait.alignments import Alignments
from plait.errors import ConfigError, DataError, TextError, UnequalLengthError
from plait.metrics import Gold, read_gold


def lists(alignments):
    return [[tuple(link) for link in links.tolist()] for links in alignments]


def written(tmp_path, text, name="gold"):
    path = tmp_path / name
    path.write_bytes(text)
    return path


def test_pharaoh(tmp_path):
    gold = read_gold(written(tmp_path, b"0-0 1?1 2p0\n\n1-0 1?0\r\n"))
    assert lists(gold.sure) == [[(0, 0)], [], [(1, 0)]]
    assert lists(gold.possible) == [[(0, 0), (1, 1), (2, 0)], [], [(1, 0)]]
    assert len(gold) == 3


def test_pharaoh_counted_from_one(tmp_path):
    path = written(tmp_path, b"1-2\n")
    assert lists(read_gold(path, base=1).sure) == [[(0, 1)]]
    with pytest.raises(TextError, match="counted from 1"):
        read_gold(written(tmp_path, b"1-0\n"), base=1)


def test_naacl(tmp_path):
    text = b"0001 1 1 S\n1 2 3 P 0.25\n3 1 2\n1 2 3\n3 2 0 S\n4 1 1 0.5\n"
    gold = read_gold(written(tmp_path, text))
    assert lists(gold.sure) == [[(0, 0), (1, 2)], [], [(0, 1)], [(0, 0)]], "sure where it is also possible"
    assert lists(gold.possible) == lists(gold.sure)
    assert gold.null_links == 1


def test_naacl_with_missing_sentences(tmp_path):
    path = written(tmp_path, b"2 1 1 P\n")
    assert lists(read_gold(path).possible) == [[], [(0, 0)]]
    assert lists(read_gold(path, sentences=4).possible) == [[], [(0, 0)], [], []]
    with pytest.raises(TextError, match=r"gold:1:1: the sentence must be .* to 1; check that the gold"):
        read_gold(path, sentences=1)


def test_blinker_file(tmp_path):
    gold = read_gold(written(tmp_path, b"1 1\n2 3\n\n\n1 0\n1 1\n"))
    assert lists(gold.sure) == [[(0, 0), (1, 2)], [], [(0, 0)]]
    assert gold.null_links == 1


def test_blinker_folder(tmp_path):
    # By number, not by name: 10 comes after 9.
    for n, text in [(10, b"3 3\n"), (9, b"1 2\n\n")]:
        written(tmp_path, text, f"samp1.SentPair{n}")
    written(tmp_path, b"this is not a pair", "README")
    assert lists(read_gold(tmp_path).sure) == [[(0, 1)], [(2, 2)]]
    with pytest.raises(ConfigError, match="only Blinker"):
        read_gold(tmp_path, "naacl")
    written(tmp_path, b"1 2 3\n", "samp1.SentPair11")
    with pytest.raises(TextError, match=r"SentPair11:1:1: expected a link 'i j'"):
        read_gold(tmp_path)


def test_a_folder_without_pairs(tmp_path):
    with pytest.raises(DataError, match="no file whose name ends in SentPair"):
        read_gold(tmp_path)


@pytest.mark.parametrize("text", [b"\n0-0\n", b"\xef\xbb\xbf\n0?0\n", b"\n\n"])
def test_empty_lines_first_do_not_hide_pharaoh(tmp_path, text):
    assert len(read_gold(written(tmp_path, text))) == 2


@pytest.mark.parametrize(
    ("text", "format", "message"),
    [
        (b"1 1 1\n1 x 1\n", "auto", r"gold:2:3: the source position must be a whole number.*found 'x'"),
        (b"1 1 1 Q\n", "auto", r"gold:1:1: expected S or P"),
        (b"1 1 1 S x\n", "auto", r"gold:1:1: expected S or P"),
        (b"1 1 1 S 1 1\n", "auto", r"gold:1:1: expected 'sentence i j'"),
        (b"1 1\n", "naacl", r"gold:1:1: expected 'sentence i j'"),
        (b"0 1 1\n", "auto", r"gold:1:1: the sentence must be a whole number from 1"),
        (b"1 -1 1\n", "auto", r"gold:1:3: the source position"),
        (b"1 1 4294967296\n", "auto", r"gold:1:5: the target position"),
        (b"1 1 99999999999999999999999999\n", "auto", r"gold:1:5: the target position"),
        ("1 1 ²\n".encode(), "auto", r"gold:1:5: the target position"),
        (b"99999999999 1 1\n", "auto", r"gold:1:1: the sentence must.*say how many"),
        (b"0-0 3-x\n", "auto", r"gold:1:5: expected a link"),
        (b"1 1\n1 1 1\n", "auto", r"gold:2:1: expected a link 'i j', or an empty line"),
        ("1\u00a01\u00a01 1\n".encode(), "naacl", r"gold:1:1: expected 'sentence i j'"),
    ],
)
def test_lines_that_cannot_be_read_are_named(tmp_path, text, format, message):
    with pytest.raises(TextError, match=message):
        read_gold(written(tmp_path, text), format)


def test_a_gold_standard_has_at_least_one_pair_and_as_many_as_expected(tmp_path):
    with pytest.raises(DataError, match="there is no sentence pair"):
        read_gold(written(tmp_path, b""))
    with pytest.raises(DataError, match="2 sentence pairs where 3 are expected"):
        read_gold(written(tmp_path, b"0-0\n1-1\n"), sentences=3)
    with pytest.raises(ConfigError, match="format must be one of auto, pharaoh, naacl, blinker"):
        read_gold(written(tmp_path, b"0-0\n"), "wpt")
    with pytest.raises(ConfigError, match="base must be 0 or 1"):
        read_gold(written(tmp_path, b"0-0\n"), base=2)


def test_sure_links_are_possible():
    gold = Gold(Alignments.from_lists([[(0, 0)]], [[0.5]]), Alignments.from_lists([[(1, 1)]]))
    assert lists(gold.possible) == [[(0, 0), (1, 1)]]
    assert gold.sure.probabilities is None
    with pytest.raises(UnequalLengthError, match="the possible links"):
        Gold(Alignments.from_lists([[]]), Alignments.from_lists([]))
