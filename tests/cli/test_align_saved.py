"""``plait align --save`` and ``--model FILE``, and ``plait score``."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import plait
from align_commands import SOURCES, TARGETS, Plait, fitted, links
from plait import align

HEADER = "forward\treverse\tmean\tsource_words\ttarget_words"


@pytest.fixture
def saved(plait: Plait) -> str:
    found = plait("align", "-s", "s", "-t", "t", "-o", "first", "--save", "m.plait", "--preset", "fast")
    assert found.code == 0, found.err
    return "m.plait"


def test_a_saved_model_aligns_new_text(plait: Plait, saved: str) -> None:
    model = fitted("fast")
    assert Path("first").read_bytes() == model.alignments.to_pharaoh()
    expected = model.align(plait_text()).to_pharaoh().decode()
    assert links(plait, "--model", saved) == expected
    assert links(plait, "--model", saved, "--threads", 3) == expected
    assert links(plait, "--model", saved, corpus=("--pairs", "joint")) == expected
    assert links(plait, "--model", "-", stdin=Path(saved).read_bytes()) == expected


def plait_text() -> plait.Bitext:
    return plait.Bitext.from_lists(SOURCES, TARGETS)


def test_symmetrisation_and_outputs_are_those_of_the_command_line(plait: Plait, saved: str) -> None:
    words = ("--symmetrize", "intersection", "--forward-out", "f", "--reverse-out", "r", "--report", "report.json")
    found = links(plait, "--model", saved, *words)
    directions = fitted("fast").align_directions(plait_text())
    assert Path("f").read_bytes() == directions.forward.to_pharaoh()
    assert Path("r").read_bytes() == directions.reverse.to_pharaoh()
    both = zip(Path("f").read_text().splitlines(), Path("r").read_text().splitlines(), strict=True)
    assert [set(line.split()) for line in found.splitlines()] == [set(f.split()) & set(r.split()) for f, r in both]
    report = json.loads(Path("report.json").read_text())
    assert report["config"]["symmetrize"] == "intersection"
    assert report["input"]["model"] == saved
    assert report["history"] == {"forward": [], "reverse": []}
    assert len(report["warnings"]) == 1


def test_test_pairs_are_aligned_by_themselves(plait: Plait, saved: str) -> None:
    Path("s2").write_text("s1 s2\n")
    Path("t2").write_text("t1 t2\n")
    test = ("--test-source", "s2", "--test-target", "t2", "--test-out", "out2")
    found = links(plait, "--model", saved, *test)
    assert found == links(plait, "--model", saved)
    assert Path("out2").read_text() == links(plait, "--model", saved, corpus=("-s", "s2", "-t", "t2"))


def test_the_text_is_folded_as_the_model_needs_it(plait: Plait) -> None:
    words = ("--lowercase", "--stem-source", 2)
    assert plait("align", "-s", "s", "-t", "t", "--save", "m", "--preset", "fast", *words).code == 0
    assert not Path("out").exists()
    Path("upper").write_text(Path("s").read_text().upper())
    found = links(plait, "--model", "m", corpus=("-s", "upper", "-t", "t"))
    assert found == links(plait, "--model", "m", *words)
    refused = plait("align", "-s", "s", "-t", "t", "-o", "out", "--model", "m", "--stem-source", 3)
    assert refused.code == 2
    assert "--stem-source contradicts 'm'" in refused.err
    assert not Path("out").exists()
    assert plait("score", "-m", "m", "-s", "s", "-t", "t", "-o", "out", "--stem-target", 1).code == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--model", "m.plait", "--iterations", 3), "--iterations is for training, but 'm.plait' is trained already"),
        (("--model", "m.plait", "--preset", "best"), "--preset is for training"),
        (("--model", "m.plait", "--save", "other"), "--save is for training"),
        (("--model", "nothing"), "found no file 'nothing'"),
        (("--preset", "EM-5", "--save", "other"), "presets that can be saved: default, fast, best"),
        (("--model", "m.plait", "--save", "out"), "two outputs have the same name"),
        (("--model", "m.plait", "--report", "m.plait", "--force"), "is an input, and would be replaced"),
    ],
)
def test_what_cannot_be_meant_is_refused(plait: Plait, saved: str, words: tuple[object, ...], message: str) -> None:
    found = plait("align", "-s", "s", "-t", "t", "-o", "out", *words)
    assert found.code == 2
    assert message in " ".join(found.err.split())
    assert not Path("out").exists()


def test_a_file_that_is_no_model_is_refused(plait: Plait, saved: str) -> None:
    for path, message in (("s", "no model file of plait"), ("cut", "damaged")):
        Path("cut").write_bytes(Path(saved).read_bytes()[:-1])
        found = plait("align", "-s", "s", "-t", "t", "-o", "out", "--model", path)
        assert found.code == 1
        assert message in found.err
        assert not Path("out").exists()


def test_a_lexicon_comes_out_of_a_saved_model(plait: Plait, saved: str) -> None:
    found = plait("lexicon", "-m", saved, "-o", "-")
    assert found.code == 0
    assert len(found.out.splitlines()) == 1 + len(fitted("fast").lexicon())


def test_scores_are_a_line_for_each_pair(plait: Plait, saved: str) -> None:
    found = plait("score", "-m", saved, "-s", "s", "-t", "t", "-o", "-")
    assert found.code == 0
    assert "no scores for 2 of 80 sentence pairs" in found.err
    header, *lines = found.out.splitlines()
    assert header == HEADER
    assert len(lines) == 80
    expected = align.load(saved).score(plait_text())
    for n, line in enumerate(lines):
        fields = line.split("\t")
        values = [float(field) for field in fields[:3]]
        assert [int(field) for field in fields[3:]] == [len(SOURCES[n]), len(TARGETS[n])]
        if n in (3, 7):
            assert fields[:3] == ["nan"] * 3
        else:
            assert all(map(math.isfinite, values))
            assert values == pytest.approx([expected.forward[n], expected.reverse[n], expected.mean[n]], rel=1e-5)


def test_without_a_model_the_text_is_trained_on(plait: Plait) -> None:
    words = ("score", "--pairs", "joint", "-o", "-", "--preset", "fast")
    found = plait(*words)
    assert found.code == 0, found.err
    assert len(found.out.splitlines()) == 81
    model = plait("align", "--pairs", "joint", "--save", "m", "--preset", "fast")
    assert model.code == 0
    assert plait("score", "-m", "m", "--pairs", "joint", "-o", "-").out == found.out
    assert plait(*words, "--threads", 1).out == found.out


@pytest.mark.parametrize(
    "words",
    [
        ("-s", "s"),
        ("-s", "s", "-t", "t", "--pairs", "joint"),
        ("-s", "s", "-t", "t", "-m", "m", "--preset", "fast"),
        ("-s", "s", "-t", "t", "--preset", "EM-5"),
        (),
    ],
)
def test_bad_usage_of_score(plait: Plait, words: tuple[object, ...]) -> None:
    found = plait("score", *words, "-o", "out")
    assert found.code == 2
    assert not Path("out").exists()


def test_a_prior_is_a_model_or_a_priors_file(plait: Plait, saved: str) -> None:
    assert plait("priors", "-s", "s", "-t", "t", "--forward", "first", "-o", "p").code == 0
    plain = links(plait, "--preset", "fast")
    for prior in (saved, "p"):
        found = links(plait, "--preset", "fast", "--prior", prior)
        assert found != plain
        assert found == fitted("fast", prior=prior).alignments.to_pharaoh().decode()
        half = links(plait, "--preset", "fast", "--prior", prior, "--prior-weight", 0.5)
        assert half == fitted("fast", prior=prior, prior_weight=0.5).alignments.to_pharaoh().decode()
        assert links(plait, "--preset", "fast", "--prior", prior, "--prior-weight", 0) == plain
    piped = links(plait, "--preset", "fast", "--prior", "-", stdin=Path("p").read_bytes())
    assert piped == links(plait, "--preset", "fast", "--prior", "p")


def test_counts_of_a_prior_that_are_not_used_are_told_of(plait: Plait, saved: str) -> None:
    note = (
        "p: 2 counts of word pairs (LEX) are used as a prior; not used, as they are learned from the text: 1 of word "
        "pairs with NULL, 1 of fertilities (FERF, FERR), 2 of jumps (HMMF, HMMR)"
    )
    pairs = "LEX\ts1\tt1\t5\nLEX\ts2\tt2\t5\n"
    Path("p").write_text(pairs + "LEX\t<NULL>\tt1\t3\nFERF\ts1\t1\t4\nHMMF\t1\t9\nHMMR\t1\t9\n")
    corpus = ("-s", "s", "-t", "t")
    found = plait("align", *corpus, "-o", "out", "--preset", "fast", "--prior", "p", "--report", "r.json")
    assert found.code == 0
    assert note in " ".join(found.err.split())
    assert note in json.loads(Path("r.json").read_text())["warnings"]
    assert note in " ".join(plait("eflomal", *corpus, "-f", "-", "-p", "p").err.split())
    Path("p").write_text(pairs)
    for prior in ("p", saved):
        assert "used as a prior" not in plait("align", *corpus, "-o", "-", "--preset", "fast", "--prior", prior).err


def test_bad_usage_of_priors(plait: Plait, saved: str) -> None:
    corpus = ("align", "-s", "s", "-t", "t", "-o", "out")
    assert "--prior is for the HMM" in plait(*corpus, "--preset", "EM-5", "--prior", saved).err
    assert "only one input" in plait("align", "-s", "-", "-t", "t", "-o", "out", "--prior", "-").err
    assert "is for training" in plait(*corpus, "--model", saved, "--prior", saved).err
    assert not Path("out").exists()
    found = plait(*corpus, "--preset", "fast", "--prior-weight", 2)
    assert found.code == 0
    assert "--prior-weight has no effect with no --prior" in found.err


def test_eflomals_priors_are_used(plait: Plait, saved: str) -> None:
    assert plait("priors", "-s", "s", "-t", "t", "--forward", "first", "-o", "p").code == 0
    for words in ((), ("-p", "p")):
        found = plait("eflomal", "-s", "s", "-t", "t", "-f", "-", *words)
        assert found.code == 0, found.err
        prior = {"prior": "p"} if words else {}
        expected = fitted("default", **prior).forward.to_pharaoh().decode()
        # eflomal's links come by target word.
        assert [sorted(line.split()) for line in found.out.splitlines()] == [
            sorted(line.split()) for line in expected.splitlines()
        ]
    assert plait("eflomal", "-s", "s", "-t", "t", "-f", "-", "-m", 1, "-p", "p").code == 1
