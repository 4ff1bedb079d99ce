"""``plait atools`` writes what atools writes, byte for byte."""

import subprocess
import sys

import pytest

A = "0-0 1-1\n\n0-1 2-0\n"
B = "0-0\n0-0\n0-1 1-0\n"


@pytest.fixture(autouse=True)
def files(tmp_path, plait):
    (tmp_path / "a").write_text(A)
    (tmp_path / "b").write_text(B)
    (tmp_path / "short").write_text("0-0\n")
    (tmp_path / "empty").write_text("")


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("intersect", "0-0\n\n0-1\n"),
        ("union", "0-0 1-1\n0-0\n0-1 1-0 2-0\n"),
        # (1, 0) and (2, 0) both touch (0, 1) or each other; (1, 0) comes first, and aligns target word 0.
        ("grow-diag", "0-0 1-1\n\n0-1 1-0 2-0\n"),
        ("grow-diag-final", "0-0 1-1\n0-0\n0-1 1-0 2-0\n"),
        ("grow-diag-final-and", "0-0 1-1\n0-0\n0-1 1-0 2-0\n"),
    ],
)
def test_links_of_two_files(plait, command, expected):
    assert plait("atools", "-i", "a", "-j", "b", "-c", command).out == expected
    assert plait("atools", "--input_1", "a", "--input_2", "b", "--command", command).out == expected


def test_commands_of_one_file(plait):
    assert plait("atools", "-i", "a", "-c", "convert").out == A
    assert plait("atools", "-i", "a", "-c", "invert").out == "0-0 1-1\n\n0-2 1-0\n"


def test_a_grid_has_digits_around_it_and_the_links_below(plait):
    expected = " 01\n0*.0\n1.*1\n 01\n\n0-0 1-1\n 0\n0.0\n 0\n\n\n 01\n0.*0\n1..1\n2*.2\n 01\n\n0-1 2-0\n"
    assert plait("atools", "-i", "a", "-c", "display").out == expected
    wide = plait("atools", "-i", "-", "-c", "display", stdin=b"0-11\n").out.splitlines()
    assert wide[:2] == [" 012345678901", "0...........*0"]


def test_a_grid_that_no_one_could_read_is_refused(plait):
    found = plait("atools", "-i", "-", "-c", "display", stdin=b"2000000000-2000000000\n")
    assert found.code == 1
    assert "too large to draw" in found.err


def test_fmeasure_takes_the_second_file_as_the_reference(plait):
    # 4 links, 4 in the reference, 2 in both.
    assert plait("atools", "-i", "a", "-j", "b", "-c", "fmeasure").out == "P: 0.5\nR: 0.5\nF: 0.5\n"
    third = plait("atools", "-i", "-", "-j", "short", "-c", "fmeasure", stdin=b"0-0 1-1 2-2\n")
    assert third.out == "P: 0.333333\nR: 1\nF: 0.5\n"
    none = plait("atools", "-i", "-", "-j", "short", "-c", "fmeasure", stdin=b"1-1\n")
    assert none.out == "P: 0\nR: 0\nF: 0\n"
    assert plait("atools", "-i", "empty", "-j", "empty", "-c", "fmeasure").code == 1


def test_what_stands_before_the_last_bars_is_skipped(plait):
    assert plait("atools", "-i", "-", "-c", "convert", stdin=b"a b ||| c ||| 1-0 0-0\n").out == "0-0 1-0\n"


def test_both_inputs_may_be_standard_input(plait):
    mixed = "".join(a + b for a, b in zip(A.splitlines(True), B.splitlines(True), strict=True)).encode()
    expected = plait("atools", "-i", "a", "-j", "b", "-c", "union").out
    assert plait("atools", "-i", "-", "-j", "-", "-c", "union", stdin=mixed).out == expected
    odd = plait("atools", "-i", "-", "-j", "-", "-c", "union", stdin=mixed + b"0-0\n")
    assert odd.code == 1
    assert "4 lines" in odd.err


def test_each_pair_of_lines_is_answered_before_the_next_is_sent():
    words = [sys.executable, "-m", "plait.cli.main", "atools", "-i", "-", "-j", "-", "-c", "intersect"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as atools:
        for first, second, both in ((b"", b"", b""), (b"0-0 1-1", b"1-1", b"1-1"), (b"2-2", b"2-2 0-0", b"2-2")):
            atools.stdin.write(first + b"\n" + second + b"\n")
            atools.stdin.flush()
            assert atools.stdout.readline() == both + b"\n"
        atools.stdin.close()
        assert atools.wait(10) == 0


def test_inputs_of_different_length_are_named(plait):
    for words in (("-i", "a", "-j", "short"), ("-i", "short", "-j", "a")):
        found = plait("atools", *words, "-c", "union")
        assert found.code == 1
        assert "short ends after line 1, but a has 3 lines" in found.err


def test_nothing_gives_nothing(plait):
    found = plait("atools", "-i", "empty", "-j", "empty", "-c", "union")
    assert (found.code, found.out) == (0, "")


def test_bad_usage(plait):
    for words in (("-i", "a", "-c", "union"), ("-i", "a", "-j", "b", "-c", "invert"), ("-i", "a", "-c", "nonsense")):
        assert plait("atools", *words).code == 2
    wrong = plait("atools", "-i", "-", "-c", "convert", stdin=b"0-0\nx\n")
    assert wrong.code == 1
    assert "standard input:2:1" in wrong.err
