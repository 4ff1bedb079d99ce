"""``plait demo`` and ``plait view`` as users call them."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from command_line import run
from plait import Alignments, Bitext, demo
from plait.metrics import read_gold, score


@pytest.fixture
def plait(capfdbinary, tmp_path, monkeypatch):
    """An empty folder; returns how to run a command in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")
    return lambda *words, **keywords: run(capfdbinary, *words, **keywords)


@pytest.fixture
def files(tmp_path):
    """A corpus in the folder, its gold links as an alignment, and a poorer alignment."""
    corpus = demo.make("en-de", 30, seed=2)
    corpus.write(tmp_path)
    Alignments.from_lists(corpus.sure).write(tmp_path / "sure.align")
    Alignments.from_lists([links[:3] for links in corpus.sure]).write(tmp_path / "poor.align")
    return corpus


TEXTS = ("-s", "corpus.en", "-t", "corpus.de")


def test_demo_reports_draws_and_writes_a_page(plait, tmp_path):
    found = plait("demo", "--sentences", 400)
    assert found.code == 0, found.err
    assert found.err == ""
    for part in (
        "English and German",
        "400 sentence pairs",
        "pairs/s",
        "AER %",
        "precision %",
        "recall %",
        "Try next",
        "plait-demo.html",
    ):
        assert part in found.out
    for row in ("forward, P(target | source)", "reverse, P(source | target)", "both, soft"):
        assert row in found.out
    assert "■" in found.out
    page = (tmp_path / "plait-demo.html").read_text(encoding="utf-8")
    assert "plait demo: English and German" in page
    assert os.listdir(tmp_path) == ["plait-demo.html"]


def test_demo_prints_the_rates_of_its_links(plait, tmp_path):
    """The same corpus and settings through the other verbs give the same figures."""
    found = plait(
        "demo", "--pair", "en-es", "--sentences", 300, "--seed", 4, "--preset", "EM-5", "--keep-corpus", "kept"
    )
    assert found.code == 0, found.err
    plait("align", "-s", "kept/corpus.en", "-t", "kept/corpus.es", "-o", "links", "--preset", "EM-5", "--lowercase")
    scores = score(Alignments.read("links"), read_gold("kept/corpus.gold"))
    row = next(line for line in found.out.split("\n") if "both, grow-diag-final-and" in line)
    assert row.split()[-4:] == [
        *(f"{100 * rate:.2f}" for rate in (scores.aer, scores.precision, scores.recall)),
        f"{scores.links:,}",
    ]
    corpus = demo.make("en-es", 300, seed=4)
    text = Bitext.read("kept/corpus.en", "kept/corpus.es")
    assert [text.target(n) for n in range(300)] == corpus.target
    assert "plait eval" in found.out


def test_demo_replaces_its_own_page_and_nothing_else(plait, tmp_path):
    assert plait("demo", "--sentences", 20, "--show", 0).code == 0
    assert plait("demo", "--sentences", 30, "--show", 0).code == 0
    (tmp_path / "plait-demo.html").write_text("my notes")
    refused = plait("demo", "--sentences", 20)
    assert refused.code == 1
    assert "--force" in refused.err
    assert (tmp_path / "plait-demo.html").read_text() == "my notes"
    assert plait("demo", "--sentences", 20, "--force").code == 0


def test_demo_writes_where_it_is_told(plait, tmp_path):
    assert "page.html" in plait("demo", "--sentences", 20, "--out", "page.html").out
    assert plait("demo", "--sentences", 20, "--out", "folder/inner").code == 0
    assert (tmp_path / "folder" / "inner" / "plait-demo.html").exists()
    piped = plait("demo", "--sentences", 20, "--out", "-")
    assert piped.out.startswith("<!doctype html>")
    assert "AER" in piped.err


def test_demo_draws_ascii_when_asked(plait):
    found = plait("demo", "--sentences", 60, "--ascii")
    marks = [line for line in found.out.split("\n") if "·" in line or "■" in line or "─" in line]
    assert marks == []
    assert "# sure, found" in found.out


def test_demo_is_repeatable(plait):
    def rates(outcome):
        return [line for line in outcome.out.split("\n") if "P(" in line or "both," in line]

    one, two, other = (plait("demo", "--sentences", 200, "--seed", seed) for seed in (5, 5, 6))
    assert rates(one) == rates(two) != rates(other)


def test_demo_refuses_bad_usage(plait, tmp_path):
    assert plait("demo", "--pair", "en-fr").code == 2
    assert plait("demo", "--sentences", 0).code == 2
    unknown = plait("demo", "--preset", "better")
    assert unknown.code == 1
    assert "EM-5" in unknown.err
    assert os.listdir(tmp_path) == []


def test_demo_keeps_a_corpus_whole_or_not_at_all(plait, tmp_path):
    (tmp_path / "corpus.gold").write_text("mine")
    refused = plait("demo", "--sentences", 20, "--keep-corpus", ".")
    assert refused.code == 1
    assert sorted(os.listdir(tmp_path)) == ["corpus.gold"]
    assert (tmp_path / "corpus.gold").read_text() == "mine"


@pytest.mark.parametrize(
    "variables",
    [
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "utf-8", "FORCE_COLOR": "1"},
        {"NO_COLOR": "1", "FORCE_COLOR": "1"},
    ],
)
def test_demo_fits_the_terminal(tmp_path, variables):
    environment = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "FORCE_COLOR"}}
    result = subprocess.run(
        [sys.executable, "-m", "plait.cli.main", "demo", "--sentences", "60", "--threads", "1"],
        cwd=tmp_path,
        env={**environment, "PYTHONUTF8": "0", **variables},
        capture_output=True,
        check=True,
    )
    assert result.stderr == b""
    assert (b"\x1b[3" in result.stdout or b"\x1b[1;3" in result.stdout) == (
        variables.get("FORCE_COLOR") == "1" and "NO_COLOR" not in variables
    )
    if variables["PYTHONIOENCODING" if "PYTHONIOENCODING" in variables else "NO_COLOR"] == "ascii":
        assert result.stdout.isascii()


def test_view_writes_a_page(plait, files, tmp_path):
    found = plait("view", *TEXTS, "sure.align", "--gold", "corpus.gold", "--other", "poor.align", "-o", "view.html")
    assert (found.code, found.out, found.err) == (0, "", "")
    page = (tmp_path / "view.html").read_text(encoding="utf-8")
    assert "corpus.en and corpus.de" in page
    assert '"other":"poor.align"' in page
    assert "AER 0.00 %" in page


def test_view_writes_to_standard_output_and_reads_from_standard_input(plait, files, tmp_path):
    links = (tmp_path / "sure.align").read_bytes()
    found = plait("view", *TEXTS, "-", "-o", "-", "--title", "Mine", stdin=links)
    assert found.code == 0
    assert "<title>Mine</title>" in found.out
    assert plait("view", "-s", "-", "-t", "corpus.de", "-", "-o", "-").code == 1


def test_view_shows_the_lines_that_are_asked_for(plait, files, tmp_path):
    found = plait("view", *TEXTS, "sure.align", "--terminal", "--first-line", 7, "--limit", 2, "--gold", "corpus.gold")
    assert found.code == 0
    assert "line 7\n" in found.out
    assert "line 8\n" in found.out
    assert "line 9" not in found.out
    assert all(word in found.out for word in files.source[6] + files.target[7])
    plait("view", *TEXTS, "sure.align", "-o", "view.html", "--first-line", 7, "--limit", 2)
    assert '"first":6' in (tmp_path / "view.html").read_text(encoding="utf-8")
    beyond = plait("view", *TEXTS, "sure.align", "--terminal", "--first-line", 31)
    assert beyond.code == 1
    assert "30 lines" in beyond.err
    everything = plait("view", *TEXTS, "sure.align", "--terminal", "--limit", 0)
    assert "line 30\n" in everything.out


def test_view_says_when_it_leaves_pairs_out(plait, files, monkeypatch):
    monkeypatch.setattr("plait.cli.view._PAGE_LIMIT", 10)
    found = plait("view", *TEXTS, "sure.align", "-o", "view.html")
    assert "lines 1 to 10 of 30" in found.err


@pytest.mark.parametrize("wrong", ["--gold", "--other", "alignment"])
def test_view_refuses_inputs_that_are_not_parallel(plait, files, tmp_path, wrong):
    (tmp_path / "short").write_text("0-0\n")
    inputs = ["short"] if wrong == "alignment" else ["sure.align", wrong, "short"]
    found = plait("view", *TEXTS, *inputs, "-o", "view.html")
    assert found.code == 1
    assert "short" in found.err
    assert not (tmp_path / "view.html").exists()


def test_view_refuses_links_outside_of_their_sentences(plait, files, tmp_path):
    (tmp_path / "wild").write_text("900-0\n" + "\n" * 29)
    found = plait("view", *TEXTS, "wild", "-o", "view.html")
    assert found.code == 1
    assert "wild: " in found.err
    assert not (tmp_path / "view.html").exists()
    assert plait("view", *TEXTS, "wild", "--terminal").code == 1


def test_view_needs_somewhere_to_show(plait, files):
    found = plait("view", *TEXTS, "sure.align")
    assert found.code == 2
    assert "--terminal" in found.err
    (missing := plait("view", "-s", "nowhere", "-t", "corpus.de", "sure.align", "-o", "view.html"))
    assert missing.code == 1
    assert "nowhere" in missing.err


def test_view_does_not_overwrite(plait, files, tmp_path):
    (tmp_path / "view.html").write_text("mine")
    found = plait("view", *TEXTS, "sure.align", "-o", "view.html")
    assert found.code == 1
    assert "--force" in found.err
    assert (tmp_path / "view.html").read_text() == "mine"
    assert plait("view", *TEXTS, "sure.align", "-o", "view.html", "--force").code == 0
