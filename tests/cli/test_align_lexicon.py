"""``plait align --lexicon-out``."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from align_commands import Plait, links

FAST = ("--preset", "fast")
CORPUS = ("align", "-s", "s", "-t", "t", "-o", "out")


@pytest.mark.parametrize(
    ("format_", "name", "names"),
    [
        ("tsv", "lex.tsv", ["lex.tsv"]),
        ("jsonl", "lex.jsonl.gz", ["lex.jsonl.gz"]),
        ("moses", "lex", ["lex.e2f", "lex.f2e"]),
        ("marian", "lex.s2t", ["lex.s2t"]),
    ],
)
@pytest.mark.parametrize("threshold", [0, 0.2])
def test_tables_are_those_of_plait_lexicon(
    plait: Plait, format_: str, name: str, names: list[str], threshold: float
) -> None:
    words = ("--lexicon-out", name, "--lexicon-format", format_, "--lexicon-threshold", threshold)
    found = plait(*CORPUS, *FAST, "--save", "m", *words)
    assert found.code == 0, found.err
    made = {name: Path(name).read_bytes() for name in names}
    expected = plait("lexicon", "-m", "m", "-o", name, "--format", format_, "--threshold", threshold, "--force")
    assert expected.code == 0, expected.err
    assert {name: Path(name).read_bytes() for name in names} == made
    # A saved model gives the same.
    assert plait(*CORPUS, "--model", "m", *words, "--force").code == 0
    assert {name: Path(name).read_bytes() for name in names} == made


def test_a_threshold_leaves_entries_out(plait: Plait) -> None:
    sizes = []
    for threshold in (0, 0.2):
        words = ("--lexicon-out", "-", "--lexicon-threshold", threshold)
        found = plait("align", "-s", "s", "-t", "t", *FAST, *words)
        assert found.code == 0
        sizes.append(len(found.out.splitlines()))
    assert sizes[0] > sizes[1] > 1


def test_all_outputs_or_none(plait: Plait) -> None:
    Path("lex.e2f").write_text("old")
    found = plait(*CORPUS, *FAST, "--lexicon-out", "lex", "--lexicon-format", "moses")
    assert found.code == 1
    assert "lex.e2f exists" in " ".join(found.err.split())
    assert sorted(os.listdir()) == sorted(["s", "t", "joint", "tsv", "jsonl", "tmx", "lex.e2f"])
    assert Path("lex.e2f").read_text() == "old"
    # A bad text is found after the outputs were opened.
    Path("t").write_bytes(b"\xff\n")
    assert plait(*CORPUS, *FAST, "--lexicon-out", "lex.tsv").code == 1
    assert not {"out", "lex.tsv"} & set(os.listdir())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--lexicon-out", "-", "--lexicon-format", "moses"), "--lexicon-out: the format moses has two files"),
        (("--lexicon-out", "out"), "two outputs have the same name, 'out'"),
        (
            ("--lexicon-out", "lex", "--lexicon-format", "moses", "--report", "lex.f2e"),
            "two outputs have the same name, 'lex.f2e'",
        ),
        (("--lexicon-out", "s", "--force"), "'s' is an input"),
        (("--lexicon-out", "lex", "--preset", "EM-5"), "--lexicon-out is for the HMM, not for ibm1"),
        (("--lexicon-out", "lex", "--lexicon-format", "xml"), "--lexicon-format"),
    ],
)
def test_bad_usage(plait: Plait, words: tuple[object, ...], message: str) -> None:
    found = plait(*CORPUS, *words)
    assert found.code == 2
    assert message in " ".join(found.err.split())
    assert not Path("out").exists()


def test_options_without_a_table_do_nothing(plait: Plait) -> None:
    found = plait(*CORPUS, *FAST, "--lexicon-threshold", 0.1)
    assert "--lexicon-threshold has no effect with no --lexicon-out" in found.err
    assert Path("out").read_text() == links(plait, *FAST)
