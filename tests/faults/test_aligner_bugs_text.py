"""What goes wrong in other aligners with lines, white space and encodings, and what is right."""

import gzip
import os
import subprocess
import sys

import pytest

from align_commands import SOURCES, TARGETS
from plait.bitext import Bitext

# With 0.5 for NULL, as Model 1 has it for a single word, a tie decides.
EM = ("--preset", "EM-5", "-q", "0.1")
GOOD = [(" ".join(s), " ".join(t)) for s, t in zip(SOURCES, TARGETS, strict=True) if s and t]


@pytest.fixture
def align(plait, tmp_path):
    """Run ``plait fast_align`` and ``plait align`` on joint lines; return the forward links, a line for each."""

    def run(lines, *, code=0):
        (tmp_path / "in").write_bytes(lines if isinstance(lines, bytes) else "".join(lines).encode())
        found = plait("fast_align", "-i", "in", *EM)
        assert found.code == code, found.err
        return found.out.split("\n")[:-1] if code == 0 else found.err

    return run


def joint(pairs):
    return [f"{s} ||| {t}\n" for s, t in pairs]


@pytest.mark.parametrize("bad", [" ||| das haus\n", "the house ||| \n", " ||| \n", "    |||  \t \n", "|||\n"])
def test_an_empty_side_gives_an_empty_line_and_touches_no_other(align, bad):
    """fast_align's statistics become NaN and every line comes out empty (clab/fast_align#54, #62); eflomal stops."""
    lines = joint(GOOD)
    alone = align(lines)
    with_bad = align([*lines[:10], bad, *lines[10:]])
    assert with_bad == [*alone[:10], "", *alone[10:]]
    assert any(alone)


def test_an_empty_side_leaves_all_scores_finite(plait, tmp_path):
    (tmp_path / "in").write_text("".join([*joint(GOOD[:20]), " ||| x\n", "x ||| \n", " |||\n"]))
    for direction in ((), ("-r",)):
        scores = [
            line.split("||| ")[1] for line in plait("fast_align", "-i", "in", *EM, "-s", *direction).out.splitlines()
        ]
        assert len(scores) == 23
        assert all("nan" not in score and "inf" not in score for score in scores)


def test_a_separator_without_spaces_is_an_error_with_its_line(align):
    """fast_align takes 'foo|||' for a word and trains on nothing (clab/fast_align#47)."""
    assert "in:2:" in align(["a ||| b\n", "foo||| bar\n"], code=1)


def test_bars_inside_of_a_sentence_are_an_error_in_joint_lines_and_a_word_in_two_files(align, plait, tmp_path):
    assert "in:1:" in align(["the ||| house ||| das ||| haus\n"], code=1)
    (tmp_path / "one").write_text("the ||| house\n")
    (tmp_path / "two").write_text("das ||| haus\n")
    assert plait("eflomal", "-s", "one", "-t", "two", "-f", "-").code == 0


def test_a_tab_moves_no_word_to_the_other_side(align):
    """fast_align takes every tab for a separator."""
    pairs = [("the house", "das haus"), ("the book", "das buch"), ("a book", "ein buch")]
    assert align([line.replace("the ", "the\t") for line in joint(pairs)]) == align(joint(pairs))


@pytest.mark.parametrize("space", ["\u00a0", "\u2028", "\u0085", "\x0b", "\x0c", "\x1c", "\x1f", "\u3000"])
def test_only_ascii_space_and_tab_part_words(align, space):
    """Positions that differ from those of other programs end in links outside of the sentence (eflomal)."""
    assert align(joint([("thehouse", f"das{space}haus")])) == ["0-0"]
    text = Bitext.from_lists(["a"], [f"das{space}haus"])
    assert text.target(0) == [f"das{space}haus"]


def test_a_lone_carriage_return_ends_no_line(align):
    """eflomal then has a line more on one side, or shifts all that follow."""
    assert len(align([*joint(GOOD[:3]), "a\rb ||| c\rd\n"])) == 4


def test_crlf_files_give_the_bytes_of_lf_files(align):
    lf = "".join(joint(GOOD)).encode()
    assert align(lf.replace(b"\n", b"\r\n")) == align(lf)


def test_unequal_files_are_an_error_that_counts_both(plait, tmp_path):
    """sil-thot stops at the end of the shorter one and says nothing."""
    (tmp_path / "one").write_text("a\nb\nc\n")
    (tmp_path / "two").write_text("x\ny\n")
    found = plait("eflomal", "-s", "one", "-t", "two", "-f", "out")
    assert found.code == 1
    assert "two ends after line 2, but one has 3 lines" in found.err
    assert not (tmp_path / "out").exists()


def test_bytes_that_are_not_utf8_are_an_error_with_line_and_column_in_any_locale(plait, tmp_path):
    """moses-smt/mgiza#21: a script that dies in the C locale leaves a lexicon of NULL."""
    (tmp_path / "in").write_bytes(b"gr\xc3\xbcn ||| green\nro\xff ||| red\n")
    words = [sys.executable, "-m", "plait.cli.main", "fast_align", "-i", "in"]
    for locale in ("C", "C.UTF-8"):
        found = subprocess.run(
            words, cwd=tmp_path, capture_output=True, env={**os.environ, "LC_ALL": locale, "LANG": locale}, check=False
        )
        assert found.returncode == 1
        assert b"in:2:3" in found.stderr
    (tmp_path / "in").write_bytes(b"gr\xc3\xbcn ||| green\n")
    assert plait("fast_align", "-i", "in", *EM).out == "0-0\n"


def test_nul_bytes_and_words_of_100_000_bytes_are_words(align):
    assert align(b"a\0b ||| " + b"x" * 100_000 + b"\n") == ["0-0"]


@pytest.mark.parametrize("word", ["\u0130", "\u1e9e", "\ufb01"])
def test_lower_casing_never_changes_the_number_of_words(plait, tmp_path, word):
    """Python lower-cases U+0130 to two code points."""
    (tmp_path / "in").write_text(f"{word} {word} ||| a b\n")
    links = plait("eflomal", "-i", "in", "-f", "-", "--source-prefix", 1).out.split()
    assert all(int(link.split("-")[0]) < 2 for link in links)


@pytest.mark.parametrize(
    ("text", "lines"), [("", 0), ("a ||| b\n", 1), ("a ||| b", 1), ("a b c ||| d\n", 1), (" |||\n", 1)]
)
def test_tiny_corpora(plait, tmp_path, text, lines):
    """fast_align prints NaN for an empty file; sil-thot fails when asked."""
    (tmp_path / "in").write_text(text)
    for words in (
        ("fast_align", "-i", "in", "-s"),
        ("eflomal", "-i", "in", "-f", "-"),
        ("eflomal", "-i", "in", "-R", "-"),
    ):
        found = plait(*words)
        assert found.code == 0, found.err
        assert found.out.count("\n") == lines
        assert "nan" not in (found.out + found.err).lower()


def test_pipes_standard_input_and_compressed_files(plait, tmp_path):
    """fast_align reads its input once for each iteration, so that nothing but a file will do."""
    text = "".join(joint(GOOD)).encode()
    (tmp_path / "in").write_bytes(text)
    (tmp_path / "packed").write_bytes(gzip.compress(text))
    expected = plait("fast_align", "-i", "in", *EM).out
    assert plait("fast_align", "-i", "packed", *EM).out == expected
    assert plait("fast_align", "-i", "-", *EM, stdin=text).out == expected
    assert plait("fast_align", "-i", "-", *EM, stdin=gzip.compress(text)).out == expected
