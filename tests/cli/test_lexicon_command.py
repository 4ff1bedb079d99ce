"""``plait lexicon`` as users call it."""

from __future__ import annotations

import gzip
import os

import pytest

from command_line import run
from plait.lexicon import Lexicon

SOURCE = "The house\nthe book\n\n"
TARGET = "das Haus\ndas Buch\nx\n"
LINKS = "0-0:1 1-1:0.5\n0-0:1 1-1:1\n\n"


@pytest.fixture
def plait(capfdbinary, tmp_path, monkeypatch):
    """A folder with a text and its links; returns how to run a command in it."""
    for name, text in {"s": SOURCE, "t": TARGET, "a": LINKS, "plain": "0-0\n\n\n", "wrong": "0-5\n\n\n"}.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return lambda *words, **keywords: run(capfdbinary, *words, **keywords)


def test_a_table_goes_to_standard_output(plait):
    found = plait("lexicon", "-s", "s", "-t", "t", "-a", "a", "-o", "-", "--lowercase")
    assert (found.code, found.err) == (0, "")
    assert found.out.splitlines() == [
        "source\ttarget\tcount\tforward\treverse",
        "the\tdas\t2\t1\t1",
        "house\thaus\t1\t1\t1",
        "book\tbuch\t1\t1\t1",
    ]


def test_probabilities_weigh_when_asked_to(plait):
    found = plait("lexicon", "-s", "s", "-t", "t", "-a", "a", "-o", "-", "--weighted")
    assert "house\tHaus\t0.5\t0.5\t0.5\n" in found.out
    assert "house\t\t0.5\t0.5\t1\n" in found.out
    plain = plait("lexicon", "-s", "s", "-t", "t", "-a", "plain", "-o", "-", "--weighted")
    assert plain.code == 1
    assert "need links with probabilities" in plain.err


def test_moses_tables_compressed(plait, tmp_path):
    assert plait("lexicon", "-s", "s", "-t", "t", "-a", "a", "-o", "lex.gz", "--format", "moses").code == 0
    assert sorted(name for name in os.listdir(tmp_path) if "lex" in name) == ["lex.e2f.gz", "lex.f2e.gz"]
    assert b"das The 1.0000000\n" in gzip.decompress((tmp_path / "lex.f2e.gz").read_bytes())
    assert b"The das 0.5000000\n" in gzip.decompress((tmp_path / "lex.e2f.gz").read_bytes())


def test_a_shortlist_is_pruned_in_its_direction(plait):
    words = ["lexicon", "-s", "s", "-t", "t", "-a", "a", "-o", "-", "--format", "marian"]
    assert "das The 1.0000000\n" in plait(*words, "--threshold", "0.6").out
    assert "The das" not in plait(*words, "--threshold", "0.6", "--reverse").out
    assert plait(*words, "--top", "1", "--reverse").out.count(" das ") == 1


def test_a_saved_lexicon_gives_the_same_table(plait, tmp_path):
    whole = ["lexicon", "-s", "s", "-t", "t", "-a", "a"]
    assert plait(*whole, "-o", "a.tsv", "--save", "m.plait").code == 0
    assert plait("lexicon", "-m", "m.plait", "-o", "b.tsv").code == 0
    assert (tmp_path / "a.tsv").read_bytes() == (tmp_path / "b.tsv").read_bytes()
    assert len(Lexicon.load("m.plait")) == 4


def test_what_is_wrong_is_said_with_the_file(plait, tmp_path):
    found = plait("lexicon", "-s", "s", "-t", "t", "-a", "wrong", "-o", "x")
    assert found.code == 1
    assert found.err.startswith("plait: wrong: sentence pair 1: ")
    (tmp_path / "m").write_bytes(b"no model")
    found = plait("lexicon", "-m", "m", "-o", "x")
    assert found.code == 1
    assert found.err.startswith("plait: m: this is no model file of plait; found a file that starts with b'no model'")
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-s", "s", "-t", "t", "-o", "x"], "give a corpus with its links"),
        (["-m", "m", "-s", "s", "-o", "x"], "a saved model (-m) has its own words"),
        (["-s", "s", "-t", "t", "-a", "a", "-o", "x", "--reverse"], "--reverse is for shortlists"),
        (["-s", "s", "-t", "t", "-a", "a", "-o", "-", "--format", "moses"], "writes two files"),
        (["-s", "s", "-t", "t", "-a", "a"], "Missing option '-o'"),
        (["-m", "m", "-o", "x", "--threshold", "2"], "--threshold"),
    ],
)
def test_bad_usage_is_refused(plait, words, message):
    found = plait("lexicon", *words)
    assert found.code == 2
    assert message in found.err
