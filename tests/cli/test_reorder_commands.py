"""``plait reorder`` as users call it."""

from __future__ import annotations

import gzip
import json
import os

import pytest

from command_line import run

SOURCE = "a b c\nb a\nc a b\n" * 30
TARGET = "A B C\nA B\nA B C\n" * 30
LINKS = "0-0 1-1 2-2\n0-1 1-0\n0-2 1-0 2-1\n" * 30
MODELS = ["dual", "primal", "bayes-map", "bayes", "lexical"]


@pytest.fixture
def plait(capfdbinary, tmp_path, monkeypatch):
    """A folder with a text, links and examples; returns how to run a command in it."""
    for name, text in {"s": SOURCE, "t": TARGET, "a": LINKS}.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)

    def call(*words, **keywords):
        return run(capfdbinary, "reorder", *words, **keywords)

    found = call("examples", "-s", "s", "-t", "t", "-a", "a", "-o", "ex")
    assert found.code == 0
    assert found.err.startswith("plait: 420 examples of 90 sentence pairs")
    return call


def test_examples_are_lines_with_four_columns(plait):
    found = plait("examples", "-s", "s", "-t", "t", "-a", "a", "-o", "-", "--mark-sides", "--max-length", "2")
    lines = found.out.splitlines()
    assert "b ||| B ||| mono ||| a:b&B l1:a r1:c" in lines
    assert all(line.count(" |||") == 3 for line in lines)
    assert plait("examples", "-s", "s", "-t", "t", "-a", "a", "-o", "e.gz").code == 0
    with gzip.open("e.gz", "rt") as compressed, open("ex") as plain:
        assert compressed.read() == plain.read()


@pytest.mark.parametrize("model", MODELS)
def test_every_model_trains_is_measured_predicts_and_makes_a_table(plait, model):
    trained = plait("train", "--model", model, "ex", "--out", "m")
    assert (trained.code, trained.out) == (0, "")
    assert "420 examples, 6 features, 3 classes" in trained.err
    measured = plait("eval", "-m", "m", "ex", "--json")
    figures = json.loads(measured.out)
    assert figures["examples"] == 420 == sum(map(sum, figures["confusion"]))
    assert 0 < figures["error_rate"] <= figures["majority_error"]
    assert figures["log_loss"] < 1.1
    assert figures["classes"] == ["mono", "swap", "other"] == list(figures["recall"])
    predicted = plait("predict", "-m", "m", "ex", "-o", "-", "--header").out.splitlines()
    assert predicted[0] == "class\tmono\tswap\tother"
    assert len(predicted) == 421
    with open("ex") as lines:
        truth = [line.split(" ||| ")[2] for line in lines]
    errors = sum(row.split("\t")[0] != true for row, true in zip(predicted[1:], truth, strict=True))
    assert errors / 420 == pytest.approx(figures["error_rate"])
    for row in predicted[1:]:
        assert sum(map(float, row.split("\t")[1:])) == pytest.approx(1, abs=1e-5)
    table = plait("table", "-m", "m", "ex", "-o", "-").out.splitlines()
    assert table == sorted(table, key=str.encode)
    for row in table:
        assert sum(map(float, row.split(" ||| ")[2].split())) == pytest.approx(1, abs=1e-5)


def test_the_same_command_makes_the_same_bytes(plait):
    for name in ("one", "two"):
        assert plait("train", "ex", "--out", name, "--seed", "7").code == 0
    with open("one", "rb") as one, open("two", "rb") as two:
        assert one.read() == two.read()


def test_two_models_are_compared(plait):
    for model in ("dual", "bayes"):
        plait("train", "--model", model, "ex", "--out", model)
    figures = json.loads(plait("eval", "-m", "dual", "--against", "bayes", "ex", "--json").out)
    assert set(figures["against"]) >= {"error_rate", "p_value", "first_only", "second_only"}
    text = plait("eval", "-m", "dual", "--against", "bayes", "ex").out
    assert "majority error" in text
    assert "(McNemar)" in text


def test_a_table_of_two_directions_has_the_columns_of_both(plait):
    plait("examples", "-s", "s", "-t", "t", "-a", "a", "-o", "next", "--direction", "forward")
    plait("train", "--model", "lexical", "ex", "--out", "b")
    plait("train", "--model", "lexical", "next", "--out", "f")
    table = plait("table", "-m", "b", "-m", "f", "ex", "next", "-o", "-").out.splitlines()
    assert {len(row.split(" ||| ")[2].split()) for row in table} == {6}


def test_progress_tells_the_active_set_and_the_gap(plait):
    lines = plait("train", "ex", "--out", "m", "--progress", "json", "--tol", "1e-6").err.splitlines()
    records = [json.loads(line) for line in lines]
    assert records[-1]["stage"] == "done"
    assert records[-1]["converged"] is True
    assert records[-1]["gap"] <= 1e-6
    assert records[-1]["active"][0] == 1
    assert any("active" in record and record["stage"] == "training" for record in records)


@pytest.mark.parametrize("model", ["dual", "bayes-map"])
def test_progress_moves_while_examples_are_read(plait, tmp_path, model):
    lines = (tmp_path / "ex").read_bytes()
    (tmp_path / "large").write_bytes(lines * (4 * 2**20 // len(lines)))
    done = plait("train", "--model", model, str(tmp_path / "large"), "--out", "m", "--progress", "json")
    records = [json.loads(line) for line in done.err.splitlines()]
    reading = [(record["done"], record["total"]) for record in records if record.get("stage") == "reading"]
    assert (0, 1) in reading
    assert (4, 4) in reading


def test_features_are_selected_and_phrases_are_features(plait):
    for words in (["--select-share", "0.5"], ["--select-threshold", "0.01", "--information", "mi"], ["--identity"]):
        assert plait("train", "--model", "bayes-map", "ex", "--out", "m", "--force", *words).code == 0
        assert plait("eval", "-m", "m", "ex", "--json").code == 0
    both = plait("train", "ex", "--out", "n", "--select-share", "0.5", "--select-threshold", "0.1")
    assert both.code == 2
    assert "give one of the two" in both.err


def test_algorithm_1_as_printed_ends_with_a_warning(plait):
    found = plait("train", "ex", "--out", "m", "--no-unshrink", "--epsilon", "1", "--sigma2", "1")
    assert found.code == 0
    assert "warning: training ended after" in found.err


def test_standard_input_and_output(plait):
    with open("ex", "rb") as lines:
        text = lines.read()
    plait("train", "ex", "--out", "m")
    found = plait("predict", "-m", "m", "-", "-o", "-", stdin=text)
    assert found.out.count("\n") == 420


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--epsilon", "0"], 1, "epsilon must be a finite number above 0; found 0"),
        (["--epsilon", "-1"], 1, "epsilon must be"),
        (["--sigma2", "0"], 1, "sigma2 must be"),
        (["--start", "0"], 1, "start must be between 0 and 1"),
        (["--model", "bayes-map", "--alpha", "0.5"], 1, "alpha must be"),
        (["--model", "lexical", "--smoothing", "-1"], 1, "smoothing must be"),
        (["--model", "svm"], 2, "'svm' is not one of"),
        (["--iterations", "0"], 2, "--iterations"),
    ],
)
def test_bad_options_leave_nothing_behind(plait, words, code, message):
    before = sorted(os.listdir())
    found = plait("train", "ex", "--out", "m", *words)
    assert found.code == code
    assert message in found.err
    assert "Traceback" not in found.err
    assert sorted(os.listdir()) == before


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (b"", "bad: there is no example"),
        (b"a ||| b ||| mono ||| x\n", "at least 2 classes; found 1 class, 'mono'"),
        (b"a ||| b ||| mono ||| x\na ||| b ||| ? ||| x\n", "example 2 has no class"),
        (b"a ||| b ||| mono\n", "bad:1:17: an example is"),
        (b"a ||| b ||| mono ||| \xff\n", "bad:1:22: the text is not UTF-8"),
    ],
)
@pytest.mark.parametrize("model", MODELS)
def test_bad_examples_leave_nothing_behind(plait, lines, message, model):
    with open("bad", "wb") as out:
        out.write(lines)
    before = sorted(os.listdir())
    found = plait("train", "--model", model, "bad", "--out", "m")
    assert found.code == 1
    assert message in found.err
    assert sorted(os.listdir()) == before


def test_bad_links_leave_nothing_behind(plait):
    for text, message in [
        ("0-9\n" * 90, "a: sentence pair 1: a link"),
        ("0-0\n", "a ends after line 1, but s has 90 lines"),
    ]:
        with open("a", "w") as out:
            out.write(text)
        found = plait("examples", "-s", "s", "-t", "t", "-a", "a", "-o", "new")
        assert found.code == 1
        assert message in found.err
        assert not os.path.exists("new")


def test_a_class_that_the_model_does_not_know_is_refused_by_place(plait):
    plait("train", "ex", "--out", "m")
    with open("other", "w") as out:
        out.write("a ||| b ||| dleft ||| x\n")
    found = plait("eval", "-m", "m", "other")
    assert found.code == 1
    assert "other:1:13: the class is none of the model's, which are mono, swap, other; found" in found.err
    assert "is needed; found" in plait("eval", "-m", "ex", "ex").err or plait("eval", "-m", "ex", "ex").code == 1


def test_what_exists_is_not_replaced_unasked(plait):
    assert plait("train", "ex", "--out", "m").code == 0
    again = plait("train", "ex", "--out", "m")
    assert again.code == 1
    assert "m exists" in again.err
    assert plait("train", "ex", "--out", "m", "--force").code == 0
    unequal = plait("table", "-m", "m", "ex", "ex", "-o", "t")
    assert unequal.code == 2


def test_the_lexicalised_estimate_is_read_among_the_features(plait):
    assert plait("train", "--with-lexical", "ex", "--out", "m").code == 0
    assert plait("train", "ex", "--out", "n").code == 0
    with_counts = json.loads(plait("eval", "-m", "m", "--against", "n", "ex", "--json").out)
    assert with_counts["log_loss"] < with_counts["against"]["log_loss"]
    assert plait("table", "-m", "m", "ex", "-o", "rows").code == 0
    assert plait("predict", "-m", "m", "ex", "-o", "-").out.count("\n") == 420
    refused = plait("train", "--model", "primal", "--with-lexical", "ex", "--out", "o")
    assert refused.code == 2
    assert "--with-lexical belongs to --model dual; found --model primal" in refused.err
    assert not os.path.exists("o")


def test_features_are_left_out_step_by_step(plait):
    words = ["select", "ex", "ex", "--shares", "1,0.5", "--information", "mi"]
    points = json.loads(plait(*words, "--json").out)
    assert [(point["share"], point["features"]) for point in points] == [(1, 6), (0.5, 3)]
    plait("train", "--model", "bayes-map", "ex", "--out", "m")
    assert points[0]["error_rate"] == json.loads(plait("eval", "-m", "m", "ex", "--json").out)["error_rate"]
    assert len(plait(*words).out.splitlines()) == 3
    assert "apart by commas" in plait("select", "ex", "ex", "--shares", "1,2").err


@pytest.mark.parametrize(("kind", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_curves_are_drawn(plait, kind, start):
    pytest.importorskip("matplotlib")
    plait("train", "ex", "--out", "m")
    plait("train", "ex", "--out", "n", "--epsilon", "1")
    assert plait("plot", "m", "n", "-o", f"active.{kind}").code == 0
    assert plait("select", "ex", "ex", "--shares", "1,0.5", "--plot", f"selection.{kind}").code == 0
    for name in ("active", "selection"):
        with open(f"{name}.{kind}", "rb") as picture:
            assert picture.read(5).startswith(start)


def test_what_cannot_be_drawn_is_refused(plait):
    plait("train", "--model", "bayes", "ex", "--out", "m")
    assert "m has no active set" in plait("plot", "m", "-o", "a.png").err
    assert "ends in .png or .svg" in plait("plot", "m", "-o", "a.pdf").err
    assert not os.path.exists("a.png")
