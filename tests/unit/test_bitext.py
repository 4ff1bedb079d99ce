"""`Bitext`: reading, options, and what aligners get wrong about lines and tokens."""

import io
import os
import sys
import threading

import numpy as np
import pytest

from plait import _core
from plait.bitext import MAX_LENGTH, Bitext
from plait.errors import ConfigError, TextError, UnequalLengthError


def read(tmp_path, source, target, **options):
    (tmp_path / "s").write_bytes(source)
    (tmp_path / "t").write_bytes(target)
    return Bitext.read(tmp_path / "s", tmp_path / "t", **options)


def joint(tmp_path, text, **options):
    (tmp_path / "joint").write_bytes(text)
    return Bitext.read_joint(tmp_path / "joint", **options)


def words(bitext):
    return [(bitext.source(n), bitext.target(n)) for n in range(len(bitext))]


def same(a, b):
    assert words(a) == words(b)
    assert a.counts == b.counts
    np.testing.assert_array_equal(a.source_ids, b.source_ids)
    np.testing.assert_array_equal(a.target_ids, b.target_ids)


GOOD = [("the house", "das Haus"), ("the book", "das Buch"), ("a book", "ein Buch")]
SOURCE = b"the house\nthe book\na book\n"
TARGET = b"das Haus\ndas Buch\nein Buch\n"
JOINT = b"the house ||| das Haus\nthe book ||| das Buch\na book ||| ein Buch\n"


def test_arrays_have_the_documented_types_shapes_and_values(tmp_path):
    bitext = read(tmp_path, SOURCE, TARGET)
    assert len(bitext) == 3
    assert bitext.source_vocabulary == ("the", "book", "house", "a")
    assert bitext.target_vocabulary == ("das", "Buch", "Haus", "ein")
    expected = {
        "source_ids": np.array([0, 2, 0, 1, 3, 1], np.uint32),
        "source_offsets": np.array([0, 2, 4, 6], np.uint64),
        "source_lengths": np.array([2, 2, 2], np.uint32),
        "source_frequencies": np.array([2, 2, 1, 1], np.uint64),
        "target_ids": np.array([0, 2, 0, 1, 3, 1], np.uint32),
        "target_offsets": np.array([0, 2, 4, 6], np.uint64),
        "target_lengths": np.array([2, 2, 2], np.uint32),
        "target_frequencies": np.array([2, 2, 1, 1], np.uint64),
        "usable": np.array([True, True, True]),
    }
    for name, values in expected.items():
        got = getattr(bitext, name)
        assert got.dtype == values.dtype, name
        np.testing.assert_array_equal(got, values, err_msg=name)
    assert repr(bitext) == "Bitext(3 pairs, 6 + 6 tokens, 4 + 4 types)"


def test_cached_arrays_are_read_only(tmp_path):
    bitext = read(tmp_path, SOURCE, TARGET)
    with pytest.raises(ValueError, match="read-only"):
        bitext.usable[0] = False
    with pytest.raises(ValueError, match="read-only"):
        bitext.source_offsets[0] = 1


def test_all_layouts_give_the_same_corpus(tmp_path, monkeypatch):
    two = read(tmp_path, SOURCE, TARGET)
    assert words(two) == [(s.split(), t.split()) for s, t in GOOD]
    same(two, joint(tmp_path, JOINT))
    same(two, Bitext.from_lists([s for s, _ in GOOD], [t.split() for _, t in GOOD]))
    (tmp_path / "tsv").write_bytes(b"".join(f"{t}\tx\t{s}\n".encode() for s, t in GOOD))
    same(two, Bitext.read_tsv(tmp_path / "tsv", source_column=3, target_column=1))
    (tmp_path / "tsv").write_bytes(b"".join(f"{s}\t{t}\n".encode() for s, t in GOOD))
    same(two, Bitext.read_tsv(tmp_path / "tsv"))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(JOINT)))
    same(two, Bitext.read_joint("-"))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TARGET)))
    same(two, Bitext.read(tmp_path / "s", "-"))


def test_both_sides_cannot_be_standard_input():
    with pytest.raises(ConfigError, match="only one side can come from standard input; use read_joint"):
        Bitext.read("-", "-")


# The numbers are those of a list of bugs and requests that people filed with other aligners.


@pytest.mark.parametrize("line", [b"the house ||| ", b" ||| das haus", b" ||| ", b"|||", b"    |||  \t "])
def test_1_2_an_empty_side_keeps_its_line_and_touches_no_other(tmp_path, line):
    without = joint(tmp_path, JOINT)
    bitext = joint(tmp_path, line + b"\n" + JOINT)
    assert len(bitext) == 4
    assert bitext.usable.tolist() == [False, True, True, True]
    assert bitext.counts.empty == 1
    # The ids of the pairs that are used are those of the corpus without the bad line, byte for byte.
    np.testing.assert_array_equal(bitext.source_ids[int(bitext.source_offsets[1]) :], without.source_ids)
    np.testing.assert_array_equal(bitext.target_ids[int(bitext.target_offsets[1]) :], without.target_ids)
    np.testing.assert_array_equal(
        bitext.source_frequencies[: len(without.source_vocabulary)], without.source_frequencies
    )


def test_3_a_separator_without_spaces_is_an_error_with_its_place(tmp_path):
    with pytest.raises(TextError, match="the separator") as caught:
        joint(tmp_path, JOINT + b"foo||| bar\n")
    assert (caught.value.line, caught.value.column) == (4, 1)


def test_4_bars_in_a_sentence_are_an_error_in_joint_lines_and_a_word_in_two_files(tmp_path):
    with pytest.raises(TextError, match="once") as caught:
        joint(tmp_path, b"the ||| house ||| das ||| haus\n")
    assert (caught.value.line, caught.value.column) == (1, 15)
    bitext = read(tmp_path, b"the ||| house\n", b"das ||| haus\n")
    assert words(bitext) == [(["the", "|||", "house"], ["das", "|||", "haus"])]
    skipped = joint(tmp_path, b"the ||| house ||| das ||| haus\na|||b\n" + JOINT, on_error="skip")
    assert skipped.counts.skipped == 2
    assert words(skipped)[:3] == [([], []), ([], []), (["the", "house"], ["das", "Haus"])]


def test_5_a_tab_is_white_space_in_joint_lines_and_a_border_in_tsv(tmp_path):
    assert words(joint(tmp_path, b"the\thouse |||\tdas haus\n")) == [(["the", "house"], ["das", "haus"])]
    (tmp_path / "tsv").write_bytes(b"the house\tdas haus\t\n")
    assert words(Bitext.read_tsv(tmp_path / "tsv")) == [(["the", "house"], ["das", "haus"])]


@pytest.mark.parametrize(
    "character",
    ["\u00a0", "\u2028", "\u2029", "\u0085", "\x0b", "\x0c", "\x1c", "\x1f", "\u3000", "\0", "\r"],
)
def test_6_7_12_only_ascii_space_and_tab_part_tokens_and_only_newline_parts_lines(tmp_path, character):
    text = f"das{character}haus x\n".encode()
    bitext = read(tmp_path, text, text)
    assert len(bitext) == 1
    assert bitext.source(0) == [f"das{character}haus", "x"]
    from_lists = Bitext.from_lists([f"das{character}haus x"], [[f"das{character}haus", "x"]])
    same(bitext, from_lists)


def test_8_a_crlf_file_reads_like_its_lf_copy(tmp_path):
    plain = read(tmp_path, SOURCE, TARGET)
    same(plain, read(tmp_path, SOURCE.replace(b"\n", b"\r\n"), TARGET))
    same(joint(tmp_path, JOINT), joint(tmp_path, JOINT.replace(b"\n", b"\r\n")))


@pytest.mark.parametrize(("short", "longer"), [("s", "t"), ("t", "s")])
def test_9_unequal_files_name_the_shorter_and_its_last_line(tmp_path, short, longer):
    (tmp_path / short).write_bytes(SOURCE)
    (tmp_path / longer).write_bytes(SOURCE + b"one\nmore")
    with pytest.raises(UnequalLengthError) as caught:
        Bitext.read(tmp_path / "s", tmp_path / "t")
    assert caught.value.shorter == str(tmp_path / short)
    assert (caught.value.shorter_len, caught.value.longer_len) == (3, 5)
    assert str(caught.value).startswith(f"{tmp_path / short} ends after line 3, but {tmp_path / longer} has 5 lines")


def test_10_invalid_utf8_is_placed_skipped_or_replaced(tmp_path):
    source = SOURCE + "é \xff\n".encode("latin-1").replace(b"\xe9", "é".encode())
    target = TARGET + b"ok\n"
    with pytest.raises(TextError) as caught:
        read(tmp_path, source, target)
    error = caught.value
    assert (error.path, error.line, error.column, error.found) == (str(tmp_path / "s"), 4, 3, r"byte \xff")
    skipped = read(tmp_path, source, target, on_error="skip")
    assert (skipped.counts.skipped, skipped.counts.empty, skipped.source(3), skipped.target(3)) == (
        1,
        0,
        [],
        [],
    )
    replaced = read(tmp_path, source, target, on_error="replace")
    assert (replaced.counts.replaced, replaced.source(3)) == (1, ["é", "\ufffd"])
    assert replaced.usable.all()


def test_10_the_locale_does_not_matter(tmp_path, monkeypatch):
    monkeypatch.setenv("LC_ALL", "C")
    assert read(tmp_path, "é\n".encode(), "ß\n".encode()).source(0) == ["é"]


def test_12_a_very_long_token_is_a_token(tmp_path):
    bitext = read(tmp_path, b"w" * 100_000 + b"\n", b"v\n")
    assert bitext.source(0) == ["w" * 100_000]


def test_14_lower_casing_and_stems_change_words_not_tokens(tmp_path):
    source, target = "İstanbul ΟΔΟΣ STRASSE\n".encode(), "Häuser Häusern häusern\n".encode()
    plain = read(tmp_path, source, target)
    assert plain.source(0) == ["İstanbul", "ΟΔΟΣ", "STRASSE"]
    lower = read(tmp_path, source, target, lowercase=True, stem_target=4)
    assert lower.source(0) == ["i̇stanbul", "οδος", "strasse"]
    assert lower.target(0) == ["häus"] * 3
    assert lower.counts.target_types == 1
    assert lower.counts.target_tokens == 3
    assert read(tmp_path, source, target, stem_target=-2).target(0) == ["er", "rn", "rn"]
    kept = read(tmp_path, source, target, lowercase=True, stem_target=4, keep_text=True)
    assert kept.target(0) == ["Häuser", "Häusern", "häusern"]
    np.testing.assert_array_equal(kept.target_ids, lower.target_ids)
    assert kept.target_vocabulary == lower.target_vocabulary


def test_14_no_unicode_normalisation_happens(tmp_path):
    bitext = read(tmp_path, "cafe\u0301 café\n".encode(), b"x\n")
    assert bitext.counts.source_types == 2


@pytest.mark.parametrize(
    ("text", "pairs"), [(b"", 0), (b"\n", 1), (b"a", 1), (b"a\n", 1), (b"a\n\n", 2), (b"\n\na", 3)]
)
def test_15_small_corpora(tmp_path, text, pairs):
    bitext = read(tmp_path, text, text)
    assert len(bitext) == pairs
    assert bitext.counts.pairs == pairs
    assert bitext.usable.sum() == text.count(b"a")
    assert len(bitext.source_offsets) == pairs + 1


@pytest.mark.parametrize("length", [1023, 1024, 10_000, MAX_LENGTH])
def test_17_long_sentences_are_used_up_to_the_limit(tmp_path, length):
    bitext = read(tmp_path, b"w " * length + b"\n", b"v\n")
    assert bitext.usable.tolist() == [True]
    assert bitext.source_lengths.tolist() == [length]


def test_17_longer_pairs_are_left_out_and_counted(tmp_path):
    bitext = read(tmp_path, b"w " * (MAX_LENGTH + 1) + b"\na b c\na b\n", b"v\nx\nx y z\n")
    assert (bitext.usable.tolist(), bitext.counts.too_long) == ([False, True, True], 1)
    assert len(bitext.source(0)) == MAX_LENGTH + 1
    shorter = read(tmp_path, b"w " * 4 + b"\na b c\na b\n", b"v\nx\nx y z\n", max_length=2)
    assert (shorter.usable.tolist(), shorter.counts.too_long) == ([False, False, False], 3)


@pytest.mark.parametrize("length", [0, -1, MAX_LENGTH + 1, 10**12])
def test_a_length_limit_outside_its_range_is_refused(length):
    with pytest.raises(ConfigError, match=f"max_length must be between 1 and 65534; found {length}"):
        Bitext.from_lists([], [], max_length=length)


def test_options_are_checked_by_name():
    with pytest.raises(ConfigError, match="on_error must be 'strict', 'skip' or 'replace'; found 'ignore'"):
        Bitext.from_lists([], [], on_error="ignore")
    with pytest.raises(TypeError, match="lowercased"):
        Bitext.from_lists([], [], lowercased=True)


@pytest.mark.parametrize(
    ("sources", "problem"),
    [
        (["a\nb"], "a sentence is one line"),
        ([["a", ""]], "token 2 is empty"),
        ([["a b"]], "token 1 has white space"),
        ([["a\tb"]], "token 1 has white space"),
        ([["a", 3]], "token 2 must be a string"),
        (["a \ud800"], "lone surrogate"),
    ],
)
def test_sentences_in_memory_that_no_file_could_hold_are_refused(sources, problem):
    with pytest.raises(TextError, match=problem) as caught:
        Bitext.from_lists(["fine", *sources], ["x", "y"])
    assert (caught.value.path, caught.value.line) == ("sources", 2)


def test_tokens_in_memory_are_taken_as_they_are():
    tokens = ["\ufeffa", "b\r", "\r", "|||", "\0"]
    assert Bitext.from_lists([tokens], [tokens]).source(0) == tokens
    assert Bitext.from_lists((), ()).counts.pairs == 0
    assert Bitext.from_lists(iter(["a"]), (x for x in [("b",)])).target(0) == ["b"]


def test_lone_surrogates_in_memory_follow_on_error():
    skipped = Bitext.from_lists(["a \ud800", "b"], ["x", "y"], on_error="skip")
    assert (skipped.counts.skipped, skipped.usable.tolist()) == (1, [False, True])
    replaced = Bitext.from_lists(["a \udcff"], ["x"], on_error="replace")
    assert replaced.source(0) == ["a", "\ufffd"]


def test_unequal_lists_are_named():
    with pytest.raises(UnequalLengthError, match="targets ends after line 1, but sources has 2 lines"):
        Bitext.from_lists(["a", "b"], ["x"])


def test_pairs_outside_the_corpus_are_an_index_error():
    bitext = Bitext.from_lists(["a"], ["x"])
    for n in (1, 10**9, -1):
        with pytest.raises(IndexError, match=f"no sentence pair {n}; the corpus has 1"):
            bitext.source(n)


def test_concatenation_renumbers_words_and_keeps_the_rest():
    a = Bitext.from_lists(["A b", ""], ["x y", "z"], lowercase=True, keep_text=True)
    b = Bitext.from_lists(["c c c a"], ["y"])
    both = Bitext.concatenate(a, b)
    assert words(both) == [(["A", "b"], ["x", "y"]), ([], ["z"]), (["c", "c", "c", "a"], ["y"])]
    assert both.source_vocabulary == ("c", "a", "b")
    assert both.target_vocabulary == ("y", "x", "z")
    assert both.usable.tolist() == [True, False, True]
    assert (both.counts.pairs, both.counts.empty, both.counts.source_tokens) == (3, 1, 6)


def test_the_source_error_wins_whatever_the_threads_do(tmp_path):
    good, bad = b"fine\n" * 200_000, b"\xff\n"
    for _ in range(5):
        with pytest.raises(TextError) as caught:
            read(tmp_path, good + bad, bad + good)
        assert (caught.value.path, caught.value.line) == (str(tmp_path / "s"), 200_001)
        with pytest.raises(TextError) as caught:
            read(tmp_path, good, bad + good)
        assert caught.value.path == str(tmp_path / "t")


def test_an_open_last_line_is_read_and_its_error_has_the_right_file(tmp_path):
    assert words(read(tmp_path, b"a", b"x")) == [(["a"], ["x"])]
    for source, target, side in ((b"\xff", b"x", "s"), (b"a", b"\xff", "t")):
        with pytest.raises(TextError) as caught:
            read(tmp_path, source, target)
        assert caught.value.path == str(tmp_path / side)
    with pytest.raises(TextError) as caught:
        joint(tmp_path, b"no separator")
    assert caught.value.path == str(tmp_path / "joint")


def test_tsv_columns_are_checked(tmp_path):
    (tmp_path / "tsv").write_bytes(b"a\tx\nb\n")
    for columns in ((0, 1), (1, 0), (-1, 2)):
        with pytest.raises(ConfigError, match="column must be 1 or more"):
            Bitext.read_tsv(tmp_path / "tsv", *columns)
    with pytest.raises(TextError, match=r"column 2 is missing.*found 1 column") as caught:
        Bitext.read_tsv(tmp_path / "tsv")
    assert (caught.value.line, caught.value.column) == (2, 2)
    assert Bitext.read_tsv(tmp_path / "tsv", on_error="skip").usable.tolist() == [True, False]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_named_pipes_are_read_like_files(tmp_path):
    writers = []
    for name, data in (("s", SOURCE), ("t", TARGET)):
        os.mkfifo(tmp_path / name)
        writers.append(threading.Thread(target=(tmp_path / name).write_bytes, args=(data,)))
        writers[-1].start()
    bitext = Bitext.read(tmp_path / "s", tmp_path / "t")
    for writer in writers:
        writer.join()
    assert words(bitext) == [(s.split(), t.split()) for s, t in GOOD]


def test_the_builder_of_the_core_refuses_misuse():
    builder = _core.BitextBuilder()
    builder.feed_source(b"a\n")
    with pytest.raises(ConfigError, match="layout"):
        builder.feed_joint(b"a ||| b\n")
    builder = _core.BitextBuilder()
    builder.finish()
    for call in (builder.finish, builder.skip_pair, builder.end_source):
        with pytest.raises(RuntimeError, match="finished"):
            call()
    with pytest.raises(TypeError):
        _core.BitextBuilder().feed_source("text")
