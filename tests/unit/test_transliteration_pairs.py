"""Symbols, pairs of words and chunk alignment."""

import unicodedata

import numpy as np
import pytest

from plait.errors import AlignmentWarning, ConfigError, DataError
from plait.translit import WordPairs, align_chunks
from plait.translit.alignment import choose_limits
from plait.translit.symbols import choose_units, join, split


def test_auto_takes_words_where_most_targets_have_a_space():
    assert choose_units(["a b", "c d", "e"], "auto") == "words"
    assert choose_units(["a b", "c", " e "], "auto") == "characters"
    with pytest.raises(ConfigError, match="one of auto, characters, clusters, words"):
        choose_units(["a"], "letters")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "clusters"),
    [
        ("a\u0301b", ["a\u0301", "b"]),
        ("नमस्ते", ["न", "म", "स्", "ते"]),
        ("שָׁלוֹם", ["שָׁ", "ל", "וֹ", "ם"]),
        ("\u1112\u1161\u11ab\uae00", ["\u1112\u1161\u11ab", "\uae00"]),
        ("\U0001f1eb\U0001f1f7\U0001f1e9", ["\U0001f1eb\U0001f1f7", "\U0001f1e9"]),
        ("\U0001f469\u200d\U0001f680x", ["\U0001f469\u200d\U0001f680", "x"]),
        ("\u0301a", ["\u0301", "a"]),
        ("\r\na", ["\r\n", "a"]),
        ("", []),
    ],
)
def test_clusters_hold_what_combines(text, clusters):
    assert split(text, "clusters") == clusters
    assert join(clusters, "clusters") == text


def test_characters_are_code_points_as_they_stand():
    composed, apart = "é", unicodedata.normalize("NFD", "é")
    assert split(composed, "characters") == [composed]
    assert split(apart, "characters") == ["e", "\u0301"]
    assert split(" t  h ", "words") == ["t", "h"]
    # Only the ASCII space is between words.
    assert split("a\u00a0b", "words") == ["a\u00a0b"]


def test_an_item_with_several_targets_makes_several_pairs():
    pairs = WordPairs.from_items([("ab", ["x", "y"]), ("a", "x")])
    assert pairs.items == [0, 0, 1]
    assert [pairs[n] for n in range(3)] == [("ab", "x"), ("ab", "y"), ("a", "x")]
    assert pairs.source_names == ["a", "b"]
    assert pairs.source_starts.tolist() == [0, 2, 4, 5]
    assert pairs.source_symbols.tolist() == [0, 1, 0, 1, 0]
    assert WordPairs.from_items(pairs) is pairs


@pytest.mark.parametrize("items", [[("a",)], [("a", 3)], ["ab"], [("a", [])], [("a", ["x", 1])], [(1, "x")]])
def test_what_is_no_pair_is_refused_with_its_number(items):
    with pytest.raises(DataError, match="item 0 must be a pair"):
        WordPairs.from_items(items)


def test_no_pairs_are_refused():
    with pytest.raises(DataError, match="no pairs"):
        align_chunks([])


def test_limits_follow_the_lengths_of_words():
    assert choose_limits(WordPairs.from_items([("abcdef", "xy")]))[:2] == (6, 1)
    assert choose_limits(WordPairs.from_items([("xy", "abcdef")]))[:2] == (1, 6)
    assert choose_limits(WordPairs.from_items([("abc", "xy")])) == (2, 2, False, True, False)
    assert choose_limits(WordPairs.from_items([("abc", "xy")]), max_source=4, deletions=False)[:4] == (
        4,
        2,
        False,
        False,
    )


def test_chunks_of_a_pair_and_of_all():
    data = [("phil", "fil"), ("sophia", "sofia"), ("phi", "fi"), ("sip", "sip")]
    found = align_chunks(data, max_target=1, deletions=False)
    expected = [(("p", "h"), ("f",)), (("i",), ("i",)), (("l",), ("l",))]
    assert found.chunks(0) == expected
    assert next(iter(found)) == expected
    assert list(found.lines())[3] == "s|i|p|\ts|i|p|"


def test_deletions_and_insertions_have_an_empty_chunk():
    found = align_chunks(
        [("ab", "x"), ("a", "x"), ("a", "xy"), ("ac", "xz")],
        max_source=1,
        max_target=1,
        deletions=True,
        insertions=True,
    )
    assert (("b",), ()) in found.chunks(0)
    assert ((), ("y",)) in found.chunks(2)
    assert "_|" in next(found.lines())


def test_pairs_without_alignment_are_listed_with_reasons():
    data = [("abc", "x"), ("a", "x"), ("", "x"), ("a", ""), ("a", "xyz")]
    options = {"max_source": 2, "max_target": 2, "deletions": False}
    with pytest.warns(AlignmentWarning, match=r"4 of 5 pairs .*; pair 0 \(item 0\), 'abc' to 'x', 3 to 1"):
        found = align_chunks(data, **options)
    assert [pair for pair, _ in found.unaligned] == [0, 2, 3, 4]
    reasons = [reason for _, reason in found.unaligned]
    assert "raise max_source" in reasons[0]
    assert "source is empty" in reasons[1]
    assert "target is empty" in reasons[2]
    assert found.chunks(2) == []
    assert np.isnan(found.scores[2])
    assert next(found.lines()) == ""
    with pytest.raises(DataError, match="4 of 5 pairs"):
        align_chunks(data, **options, unaligned="error")
    assert len(align_chunks(data, **options, unaligned="ignore").unaligned) == 4


def test_a_pair_that_is_too_long_is_left_out():
    found = align_chunks([("a" * 3000, "x" * 3000), ("a", "x")], unaligned="ignore")
    assert "too long" in found.unaligned[0].reason
    assert found.chunks(1) == [(("a",), ("x",))]


def test_a_long_pair_is_aligned_though_its_probability_leaves_the_range_of_numbers():
    names = [chr(0x4E00 + n) for n in range(600)]
    data = [("".join(names), "".join(reversed(names)))] + [(name, name) for name in names]
    found = align_chunks(data, max_source=1, max_target=1, deletions=True, insertions=True, iterations=3)
    assert found.unaligned == []
    assert all(np.isfinite(found.history))
    assert all(np.isfinite(found.scores))


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"max_source": 0}, "max_source"),
        ({"max_target": 33}, "max_target"),
        ({"iterations": 0}, "iterations"),
        ({"iterations": 2.5}, "iterations"),
        ({"sparsity": -1.0}, "sparsity"),
        ({"length_penalty": float("nan")}, "length_penalty"),
        ({"method": "hard"}, "method"),
        ({"unaligned": "drop"}, "unaligned"),
    ],
)
def test_options_out_of_range_are_refused_by_name(options, name):
    with pytest.raises(ConfigError, match=name):
        align_chunks([("a", "x")], **options)


def test_a_penalty_and_sparsity_make_chunks_shorter():
    data = [("ab", "xy"), ("ab", "xy"), ("ab", "xy"), ("a", "x"), ("b", "y")] * 2
    options = {"max_source": 2, "max_target": 2, "many_to_many": True}
    assert len(align_chunks(data, **options).chunks(0)) == 1
    assert len(align_chunks(data, **options, length_penalty=3.0).chunks(0)) == 2


def test_progress_tells_of_each_pass():
    heard = []
    align_chunks([("ab", "xy")] * 5, iterations=4, tolerance=0.0, progress=lambda *report: heard.append(report))
    assert heard[-1][:3] == ("align", 4, 4)
    assert heard[-1][3][0][0] == "log_likelihood"
