"""``plait symmetrize``, ``combine``, ``eval`` and ``analyze`` as users call them."""

from __future__ import annotations

import gzip
import json
import math

import pytest

from command_line import run
from plait.alignments import Alignments
from plait.io import link_blocks
from plait.metrics import paired_bootstrap, read_gold
from plait.symmetrize import METHODS, symmetrize

FORWARD = "0-0 0-1 2-4 4-0\n\n1-1\n"
REVERSE = "0-0 1-2 3-3\n0-0\n1-1\n"
GOLD = "0-0 0?1 1-2\n0-0\n1-1\n"
SOURCE = "a b c d e\nf\na b\n"
TARGET = "v w x y z\nv\nv w\n"


@pytest.fixture
def plait(capfdbinary, tmp_path, monkeypatch):
    """A folder with links of both directions, gold links and their text; returns how to run a command in it."""
    files = {"f": FORWARD, "r": REVERSE, "gold": GOLD, "src": SOURCE, "tgt": TARGET, "empty": "", "short": "0-0\n"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return lambda *words, **keywords: run(capfdbinary, *words, **keywords)


@pytest.mark.parametrize("method", [method for method in METHODS if method != "soft"])
@pytest.mark.parametrize("variant", ["symal", "atools"])
def test_symmetrize_does_what_the_function_does(plait, method, variant):
    found = plait("symmetrize", "f", "r", "-o", "-", "--method", method, "--variant", variant)
    expected = symmetrize(Alignments.read("f"), Alignments.read("r"), method, variant=variant)
    assert (found.code, found.out, found.err) == (0, expected.to_pharaoh().decode(), "")


def test_symmetrize_works_in_blocks(plait, monkeypatch):
    whole = plait("symmetrize", "f", "r", "-o", "-").out
    monkeypatch.setattr(link_blocks.read_in_step, "__kwdefaults__", {"pairs": 1, "threads": None})
    assert plait("symmetrize", "f", "r", "-o", "-").out == whole


def test_symmetrize_reads_standard_input_and_writes_compressed(plait, tmp_path):
    assert plait("symmetrize", "-", "r", "-o", "out.gz", stdin=FORWARD.encode()).code == 0
    assert gzip.decompress((tmp_path / "out.gz").read_bytes()).count(b"\n") == 3
    both = plait("symmetrize", "-", "-", "-o", "-", stdin=FORWARD.encode())
    assert both.code == 1
    assert "only one input can be standard input" in both.err


def test_symmetrize_soft_needs_and_writes_probabilities(plait, tmp_path):
    plain = plait("symmetrize", "f", "r", "-o", "out", "--method", "soft")
    assert plain.code == 1
    assert "without probabilities" in plain.err
    assert not (tmp_path / "out").exists()
    (tmp_path / "fp").write_text("0-0:1 1-1:0.5\n\n")
    (tmp_path / "rp").write_text("0-0:0.5 1-1:0.5\n0-0:1\n")
    options = ("symmetrize", "fp", "rp", "-o", "-", "--method", "soft")
    assert plait(*options, "--probabilities").out == "0-0:0.75\n\n"
    lines = plait(*options, "--threshold", 0.4, "--format", "jsonl").out.splitlines()
    assert json.loads(lines[0]) == {"links": [[0, 0], [1, 1]], "probabilities": [0.75, 0.5]}
    assert json.loads(lines[1]) == {"links": [[0, 0]], "probabilities": [0.5]}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("symmetrize", "f", "short"), "short ends after line 1, but f has 3 lines"),
        (("symmetrize", "short", "f"), "short ends after line 1, but f has 3 lines"),
        (("symmetrize", "f", "empty"), "empty ends after line 0, but f has 3 lines"),
        (("symmetrize", "empty", "empty"), "both inputs are empty"),
        (("symmetrize", "f", "src"), "src:1:1: expected a link 'i-j'"),
        (("symmetrize", "f", "gold"), "gold:1:5: a possible link"),
        (("symmetrize", "f", "missing"), "missing: No such file"),
        (("combine", "f", "r", "short"), "short ends after line 1, but f has 3 lines"),
        (("combine", "f", "short", "--method", "concatenate"), "short ends after line 1, but f has 3 lines"),
        (("combine", "f", "r", "--method", "average"), "without probabilities"),
        (("combine", "empty"), "the alignments are empty"),
    ],
)
def test_failures_leave_no_output(plait, tmp_path, words, message):
    before = sorted(tmp_path.iterdir())
    found = plait(*words, "-o", "out")
    assert found.code == 1
    assert message in found.err
    assert sorted(tmp_path.iterdir()) == before


def test_outputs_are_not_replaced_without_force(plait, tmp_path):
    (tmp_path / "out").write_text("precious\n")
    for command in ("symmetrize", "combine"):
        assert "--force" in plait(command, "f", "r", "-o", "out").err
        assert (tmp_path / "out").read_text() == "precious\n"
    assert plait("symmetrize", "f", "r", "-o", "out", "--force").code == 0
    assert (tmp_path / "out").read_text() != "precious\n"


def test_combine_votes(plait):
    assert plait("combine", "f", "r", "f", "-o", "-").out == FORWARD
    assert plait("combine", "f", "r", "-o", "-").out == "0-0\n\n1-1\n"
    found = plait("combine", "f", "r", "-o", "-", "--threshold", 0, "--probabilities").out.splitlines()
    assert found[1:] == ["0-0:0.5", "1-1:1"]


def test_combine_replicates_the_corpus(plait, tmp_path):
    (tmp_path / "src").write_text(SOURCE.rstrip("\n"))
    words = ("combine", "f", "r", "-o", "co", "--method", "concatenate")
    found = plait(*words, "-s", "src", "-t", "tgt", "--source-out", "co.src", "--target-out", "co.tgt.gz")
    assert found.code == 0
    assert (tmp_path / "co").read_text() == FORWARD + REVERSE
    assert (tmp_path / "co.src").read_text() == SOURCE * 2
    assert gzip.decompress((tmp_path / "co.tgt.gz").read_bytes()).decode() == TARGET * 2


def test_combine_replicates_only_a_text_that_fits(plait, tmp_path):
    words = ("combine", "f", "r", "-o", "co", "--method", "concatenate")
    found = plait(*words, "-s", "short", "--source-out", "co.src")
    assert found.code == 1
    assert "short ends after line 1, but the alignment has 3 lines" in found.err
    assert not list(tmp_path.glob("co*")), "neither the links nor the text"
    for extra in (("-s", "src"), ("--target-out", "x"), ("-s", "-", "--source-out", "x")):
        assert plait(*words, *extra).code == 2
    assert plait("combine", "f", "r", "-o", "x", "-s", "src", "--source-out", "y").code == 2


def test_eval_prints_rates_with_intervals(plait):
    found = plait("eval", "f", "gold")
    assert found.code == 0
    # A = 5, S = 4, A & S = {0-0, 1-1}, A & P = {0-0, 0-1, 1-1}: AER = 1 - 5 / 9.
    assert found.out.splitlines()[0].startswith("AER          44.44   [")
    assert "5 links, 4 sure and 1 possible gold links, 3 sentence pairs" in found.out
    assert "95 % intervals from 1,000 resamples (seed 1)" in found.out
    assert "[" not in plait("eval", "f", "gold", "--bootstrap", 0).out


def test_eval_as_json(plait):
    found = json.loads(plait("eval", "f", "gold", "--json", "--bootstrap", 50, "--seed", 7).out)
    assert found["scores"]["aer"] == pytest.approx(4 / 9)
    assert found["intervals"]["aer"]["low"] <= 4 / 9 <= found["intervals"]["aer"]["high"]
    assert (found["seed"], found["resamples"], found["alignment"]) == (7, 50, "f")
    nothing = json.loads(plait("eval", "-", "gold", "--json", stdin=b"\n\n\n").out)
    assert nothing["scores"]["precision"] is None
    assert plait("eval", "-", "gold", stdin=b"\n\n\n").out.splitlines()[1].split()[:2] == ["precision", "-"]


def test_eval_compares_two_systems(plait):
    lines = plait("eval", "f", "gold", "--compare", "r").out.splitlines()
    assert lines[:2] == ["A: f", "B: r"]
    expected = paired_bootstrap(Alignments.read("f"), Alignments.read("r"), read_gold("gold"))
    assert lines[3].split()[:4] == ["AER", "44.44", "11.11", "+33.33"]
    assert lines[3].endswith(f"p {expected.p_values['aer']:.4f}")
    found = json.loads(plait("eval", "f", "gold", "--compare", "r", "--json").out)
    assert found["differences"]["aer"] == pytest.approx(1 / 3)
    assert found["p_values"] == expected.p_values
    assert plait("eval", "f", "gold", "--compare", "r", "--bootstrap", 0).code == 2


def test_eval_reads_naacl_gold(plait, tmp_path):
    (tmp_path / "wpt").write_text("1 1 1 S\n1 1 2 P\n1 2 3\n2 1 1\n3 2 2 S\n")
    assert plait("eval", "f", "wpt").out == plait("eval", "f", "gold").out
    (tmp_path / "wpt").write_text("1 1 1 S\n")
    short = plait("eval", "f", "wpt")
    assert short.code == 1
    assert "wpt ends after line 1, but f has 3 lines" in short.err
    assert "--sentences" in short.err
    assert plait("eval", "f", "wpt", "--sentences", 3).code == 0
    assert plait("eval", "f", "wpt", "--format", "pharaoh").code == 1
    (tmp_path / "ones").write_text("1-1 1p2 2-3\n1-1\n2-2\n")
    assert plait("eval", "f", "ones", "--base", 1).out == plait("eval", "f", "gold").out


def test_eval_refuses_what_does_not_fit(plait):
    short = plait("eval", "short", "gold")
    assert (short.code, short.out) == (1, "")
    assert "short ends after line 1, but gold has 3 lines" in short.err
    assert plait("eval", "f", "gold", "-s", "src", "-t", "tgt").code == 0
    outside = plait("eval", "f", "gold", "-s", "tgt", "-t", "short")
    assert outside.code == 1
    outside = plait("eval", "-", "gold", "-s", "src", "-t", "tgt", stdin=b"0-0\n1-0\n0-0\n")
    assert "standard input: sentence pair 2: a link" in outside.err
    assert "found 1-0" in outside.err
    assert "there is no sentence pair" in plait("eval", "f", "empty").err
    assert plait("eval", "f", "gold", "-s", "src").code == 2


def test_analyze_prints_a_table(plait):
    found = plait(
        "analyze",
        "-s",
        "src",
        "-t",
        "tgt",
        "f",
        "r",
        "--forward",
        "f",
        "--forward",
        "f",
        "--reverse",
        "r",
        "--reverse",
        "f",
        "--gold",
        "gold",
        "--side",
        "both",
    )
    assert (found.code, found.err) == (0, "")
    lines = {line[:60].rstrip()[: line.find("  ")]: line.split() for line in found.out.splitlines()}
    assert lines["links"][-2:] == ["5", "5"]
    # Tokens: 8 on each side; f and r share 0-0 and 1-1.
    assert lines["agreeing links / mean token count"][-2:] == ["0.250", "0.625"]
    assert lines["AER"][-4::2] == ["44.44", "11.11"]
    assert "target singletons" in lines


def test_analyze_as_markdown_and_json(plait):
    table = plait("analyze", "-s", "src", "-t", "tgt", "f", "r", "--markdown", "--name", "EM", "--name", "GS").out
    assert table.startswith("| figure | EM | GS |\n|---|---:|---:|\n| sentence pairs | 3 | 3 |\n")
    found = json.loads(plait("analyze", "-s", "src", "-t", "tgt", "f", "--json", "--max-phrase-length", 2).out)
    assert found[0]["name"] == "f"
    assert found[0]["max_phrase_length"] == 2
    assert not math.isnan(found[0]["dictionary_ratio"])


def test_analyze_draws(plait, tmp_path):
    pytest.importorskip("matplotlib")
    found = plait("analyze", "-s", "src", "-t", "tgt", "f", "--plot", "pictures")
    assert found.code == 0
    assert "wrote pictures" in found.err
    assert len(list((tmp_path / "pictures").iterdir())) == 4


def test_analyze_refuses_what_does_not_fit(plait):
    words = ("analyze", "-s", "src", "-t", "tgt")
    assert plait(*words, "r").err == ""
    outside = plait("analyze", "-s", "tgt", "-t", "short", "f")
    assert outside.code == 1
    bad = plait(*words, "-", stdin=b"0-0\n0-0 0-1\n\n")
    assert "standard input: sentence pair 2" in bad.err
    assert "short" in plait(*words, "short").err
    assert plait("analyze", "-s", "empty", "-t", "empty", "empty").code == 1
    for extra in (
        ("--json", "--markdown"),
        ("--forward", "f"),
        ("--name", "a", "--name", "b"),
        ("--forward", "f", "--reverse", "r", "--forward", "f", "--reverse", "r"),
    ):
        assert plait(*words, "f", *extra).code == 2
