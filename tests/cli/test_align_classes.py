"""Word classes of ``plait align``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from align_commands import SOURCES, TARGETS, Plait, fitted, links
from plait.bitext import Bitext
from plait.classes import WordClasses

FAST = ("--preset", "fast")
CORPUS = ("align", "-s", "s", "-t", "t", "-o", "out")


@pytest.fixture
def classes(plait: Plait) -> tuple[str, ...]:
    for side in ("s", "t"):
        assert plait("classes", side, "-c", 3, "-o", f"{side}.classes").code == 0
    return ("--source-classes", "s.classes", "--target-classes", "t.classes")


def test_classes_are_found_or_read(plait: Plait, classes: tuple[str, ...]) -> None:
    plain = links(plait, *FAST)
    words = {name: WordClasses.read(f"{name[0]}.classes") for name in ("source_classes", "target_classes")}
    for options, expected in (
        (("--classes", 3), fitted("fast", classes=3)),
        (("--classes", 3, "--class-tau", 2), fitted("fast", classes=3, class_tau=2.0)),
        (classes, fitted("fast", **words)),
        (classes[:2], fitted("fast", source_classes=words["source_classes"])),
        (("--source-classes", "-"), fitted("fast", source_classes=words["source_classes"])),
    ):
        found = links(plait, *FAST, *options, stdin=Path("s.classes").read_bytes())
        assert found == expected.alignments.to_pharaoh().decode()
    assert links(plait, *FAST, "--classes", 3) != plain
    assert links(plait, *FAST, "--classes", 0) == plain


def test_reports_and_models_keep_them(plait: Plait, classes: tuple[str, ...]) -> None:
    found = plait(*CORPUS, *FAST, *classes, "--classes", 5, "--report", "r.json", "--save", "m")
    assert found.code == 0
    assert "--classes has no effect with classes of both sides" in found.err
    report = json.loads(Path("r.json").read_text())
    assert report["config"]["classes"] == 5
    assert [report["input"][f"{side}_classes"] for side in ("source", "target")] == ["s.classes", "t.classes"]
    words = {name: WordClasses.read(f"{name[0]}.classes") for name in ("source_classes", "target_classes")}
    Path("s.classes").unlink()
    expected = fitted("fast", **words).align(Bitext.from_lists(SOURCES, TARGETS))
    assert links(plait, "--model", "m") == expected.to_pharaoh().decode()


def test_classes_of_other_words_are_told_of(plait: Plait, classes: tuple[str, ...]) -> None:
    found = plait(*CORPUS, *FAST, "--source-classes", "t.classes", "--report", "r.json")
    assert found.code == 0
    assert "source tokens have a class in source_classes" in " ".join(found.err.split())
    assert any("source_classes" in note for note in json.loads(Path("r.json").read_text())["warnings"])


def test_bad_files_are_told_of(plait: Plait) -> None:
    Path("bad").write_text("word\t2\nword two\n")
    for path, place in (("bad", "bad:2"), ("nothing", "nothing")):
        found = plait(*CORPUS, "--source-classes", path)
        assert found.code == 1
        assert place in found.err
        assert not Path("out").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--preset", "EM-5", "--source-classes", "s.classes"), "--source-classes is for the HMM, not for ibm1"),
        (("--model", "m", "--target-classes", "t.classes"), "--target-classes is for training"),
        (("--model", "m", "--classes", 3), "--classes is for training"),
        (("--source-classes", "-", "--target-classes", "-"), "only one input can be standard input"),
        (("--source-classes", "s.classes", "--report", "s.classes", "--force"), "is an input, and would be replaced"),
        (("--classes", 4097), "--classes"),
        (("--class-tau", "inf"), "class_tau must be finite"),
    ],
)
def test_bad_usage(plait: Plait, classes: tuple[str, ...], words: tuple[object, ...], message: str) -> None:
    assert plait("align", "-s", "s", "-t", "t", "--save", "m", *FAST).code == 0
    found = plait(*CORPUS, *words)
    assert found.code == 2
    assert message in " ".join(found.err.split())
    assert not Path("out").exists()


def test_options_that_do_nothing_are_told_of(plait: Plait) -> None:
    for words, message in (
        ((*FAST, "--class-tau", 2), "--class-tau has no effect with no classes"),
        (("--preset", "EM-5", "--classes", 3), "--classes has no effect with --model ibm1"),
    ):
        assert message in plait(*CORPUS, *words, "--force").err
