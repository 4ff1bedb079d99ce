"""``plait priors`` as users call it."""

from __future__ import annotations

import pytest

from command_line import run

FILES = {
    "s": "The house\nthe book\n",
    "t": "das Haus\ndas Buch\n",
    "f": "0-0 1-1\n0-0 1-1\n",
    "r": "0-0\n1-1\n",
    "one.priors": "LEX\tthe\tdas\t2\nHMMF\t1\t3\n",
    "two.priors": "LEX\tThe\tdas\t1\nLEX\tthe\tdas\t1\nHMMR\t1\t1\n",
    "bad.priors": "HMMF\t1\t3\nBROKEN\n",
    "wrong": "0-9\n\n",
}


@pytest.fixture
def plait(capfdbinary, tmp_path, monkeypatch):
    """A folder with a text, its links and priors; returns how to run a command in it."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return lambda *words, **keywords: run(capfdbinary, "priors", *words, **keywords)


def test_priors_of_a_corpus(plait):
    found = plait("-s", "s", "-t", "t", "--forward", "f", "--reverse", "r", "-o", "-")
    assert (found.code, found.err) == (0, "")
    assert found.out.splitlines() == [
        *("LEX\tThe\tdas\t1", "LEX\tbook\tBuch\t1", "LEX\thouse\tHaus\t1", "LEX\tthe\tdas\t1"),
        *("FERF\tThe\t1\t1", "FERF\tbook\t1\t1", "FERF\thouse\t1\t1", "FERF\tthe\t1\t1"),
        *("FERR\tBuch\t1\t1", "FERR\tdas\t1\t1"),
        "HMMF\t1\t6",
        *("HMMR\t1\t2", "HMMR\t2\t2"),
    ]
    symmetrised = plait("-s", "s", "-t", "t", "--forward", "f", "-o", "-")
    assert symmetrised.out == plait("-s", "s", "-t", "t", "--forward", "f", "--reverse", "f", "-o", "-").out


def test_priors_files_add_up_and_fold(plait):
    found = plait("one.priors", "two.priors", "-o", "-")
    assert found.out == "LEX\tThe\tdas\t1\nLEX\tthe\tdas\t3\nHMMF\t1\t3\nHMMR\t1\t1\n"
    found = plait("one.priors", "two.priors", "-o", "-", "--lowercase", "--stem-target", "2")
    assert found.out == "LEX\tthe\tda\t4\nHMMF\t1\t3\nHMMR\t1\t1\n"
    both = plait("one.priors", "-s", "s", "-t", "t", "--forward", "f", "-o", "-")
    assert "LEX\tthe\tdas\t3\n" in both.out
    assert "HMMF\t1\t9\n" in both.out


def test_what_is_wrong_is_said_with_file_and_line(plait, tmp_path):
    found = plait("one.priors", "bad.priors", "-o", "x")
    assert found.code == 1
    assert found.err.startswith("plait: bad.priors:2:1: a line starts with one of LEX, FERF, FERR, HMMF, HMMR; ")
    found = plait("-s", "s", "-t", "t", "--forward", "f", "--reverse", "wrong", "-o", "x")
    assert found.code == 1
    assert found.err.startswith("plait: wrong: sentence pair 1: ")
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-o", "x"], "give priors files, or a corpus"),
        (["-o", "x", "-s", "s"], "go together"),
        (["one.priors", "-o", "x", "--reverse", "r"], "go together"),
        (["one.priors"], "Missing option '-o'"),
    ],
)
def test_bad_usage_is_refused(plait, words, message):
    found = plait(*words)
    assert found.code == 2
    assert message in found.err
