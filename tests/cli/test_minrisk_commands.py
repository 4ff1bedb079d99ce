"""``plait minrisk``: training, reranking and scoring, from files to files."""

from __future__ import annotations

import json

import numpy as np
import pytest

from command_line import run
from minrisk_corpus import write_task
from plait.hypergraph import read_forests
from plait.minrisk import read_weights

pytest.importorskip("scipy")


@pytest.fixture(scope="module")
def task(tmp_path_factory):
    folder = tmp_path_factory.mktemp("task")
    write_task(folder)
    write_task(folder, name="dev", seed=2)
    (folder / "bad.txt").write_text("good\t-1\nnoise\t1\npenalty\t0.5\n")
    return folder


@pytest.fixture
def files(task, tmp_path, monkeypatch):
    """The task, from a folder of one's own."""
    monkeypatch.chdir(tmp_path)
    for path in task.iterdir():
        (tmp_path / path.name).symlink_to(path)
    return tmp_path


def done(capfdbinary, *words):
    outcome = run(capfdbinary, "minrisk", *words)
    assert outcome.code == 0, outcome.err
    return outcome


def bleu(capfdbinary, weights, name="dev", *more):
    done(capfdbinary, "rerank", f"{name}.plait", "-w", weights, "-o", "out.txt", "--force", *more)
    return json.loads(done(capfdbinary, "eval", "out.txt", "-r", f"{name}.ref", "--json").out)["bleu"]


@pytest.mark.parametrize(
    "method",
    [("--method", "mr"), ("--method", "da"), ("--method", "mert", "--restarts", 3), ("--nbest", 30, "--unique")],
    ids=" ".join(["mr", "da", "mert", "nbest"]).split(),
)
def test_each_method_makes_bad_weights_good(method, files, capfdbinary):
    before = bleu(capfdbinary, "bad.txt")
    l2 = () if "mert" in method else ("--l2", 0.1)
    done(capfdbinary, "train", "train.plait", "-r", "train.ref", "--init", "bad.txt", "-o", "w.txt", *method, *l2)
    after = bleu(capfdbinary, "w.txt")
    weights = read_weights("w.txt")
    assert list(weights) == ["good", "noise", "penalty"]
    if "--nbest" not in method:
        assert before < 0.1
        assert after > 0.3
        assert weights["good"] > abs(weights["noise"])
        assert weights["penalty"] < 0
    assert after > before


def test_folders_and_files_are_the_same_forests(files, capfdbinary):
    words = ("-r", "train.ref", "--l2", "0.1", "--progress", "json")
    by_file = done(capfdbinary, "train", "train.plait", *words, "-o", "file.txt")
    by_folder = done(capfdbinary, "train", "train", *words, "-o", "folder.txt", "--spool", "spool", "--threads", 3)
    assert (files / "file.txt").read_bytes() == (files / "folder.txt").read_bytes()
    facts = [json.loads(outcome.err.splitlines()[-1]) for outcome in (by_file, by_folder)]
    for each in facts:
        assert (each["stage"], each["forests"], each["empty"], each["features"]) == ("done", 12, 0, 3)
        assert each["converged"] is True
    # Forests in memory also say how good their best translations are.
    assert facts[0]["bleu"] > 0.5
    assert facts[1]["bleu"] is None
    figures = [json.loads(line) for line in by_file.err.splitlines() if '"risk"' in line]
    assert {"risk", "entropy", "objective"} < figures[0].keys()
    assert figures[-2]["stage"] == "stage 1/1"
    assert figures[-2]["BLEU"] == facts[0]["bleu"]


def test_ids_of_lists_are_numbers_of_sentences(files, capfdbinary):
    lines = []
    references = (files / "train.ref").read_text().splitlines()
    for number in (1, 4, 7):
        words = references[number].split()
        lines.append(f"{number} ||| {' '.join(words)} ||| good= 1 ||| 0\n")
        lines.append(f"{number} ||| {' '.join(reversed(words))} ||| good= 0.5 ||| 0\n")
    (files / "lists.txt").write_text("".join(lines))
    (files / "turned.txt").write_text("good\t-1\n")
    for method in ("mr", "mert"):
        found = done(
            capfdbinary, "train", "lists.txt", "-r", "train.ref", "--method", method, "-o", f"{method}.txt",
            "--progress", "json", "--init", "turned.txt",
        )  # fmt: skip
        assert json.loads(found.err.splitlines()[-1])["bleu"] == pytest.approx(1.0)
        assert read_weights(f"{method}.txt")["good"] > 0


def test_development_data_choose_the_weights(files, capfdbinary):
    found = done(
        capfdbinary, "train", "train.plait", "-r", "train.ref", "--init", "bad.txt", "--dev", "dev.plait",
        "--dev-reference", "dev.ref", "--select", "best", "-o", "w.txt", "--progress", "json",
    )  # fmt: skip
    facts = json.loads(found.err.splitlines()[-1])
    assert bleu(capfdbinary, "w.txt") == pytest.approx(facts["bleu"], abs=1e-12)
    last = done(
        capfdbinary, "train", "train.plait", "-r", "train.ref", "--init", "bad.txt", "--dev", "dev.plait",
        "--dev-reference", "dev.ref", "-o", "last.txt", "--progress", "json",
    )  # fmt: skip
    assert json.loads(last.err.splitlines()[-1])["bleu"] <= facts["bleu"]


def test_a_reranker_has_the_baseline_and_ngrams(files, capfdbinary):
    done(capfdbinary, "train", "train.plait", "-r", "train.ref", "--l2", 1, "-o", "base.txt")
    done(
        capfdbinary, "train", "train.plait", "-r", "train.ref", "--baseline", "base.txt", "--ngrams", "1-2",
        "--min-count", 1, "--top", 200, "--l2", 0.05, "--l2-ngrams", 0.1, "-o", "reranker.txt",
    )  # fmt: skip
    weights = read_weights("reranker.txt")
    assert weights["baseline"] > 0
    assert len(weights) == 201
    assert all(name == "baseline" or name.startswith("ngram:") for name in weights)
    reranked = bleu(capfdbinary, "reranker.txt", "train", "--baseline", "base.txt")
    assert reranked > bleu(capfdbinary, "base.txt", "train")
    without = run(capfdbinary, "minrisk", "rerank", "train.plait", "-w", "reranker.txt")
    assert without.code == 0


def test_lists_of_the_best_are_read_again(files, capfdbinary):
    done(capfdbinary, "rerank", "dev.plait", "-w", "bad.txt", "-k", 5, "-o", "lists.txt")
    lists = read_forests("lists.txt", "nbest")
    assert [forest.edges for forest in lists] == [5] * 12
    assert [forest.properties["id"] for forest in lists] == [str(n) for n in range(12)]
    best = done(capfdbinary, "rerank", "dev.plait", "-w", "bad.txt").out.splitlines()
    assert [" ".join(forest.yield_of(0)) for forest in lists] == best
    mbr = done(capfdbinary, "rerank", "dev.plait", "-w", "bad.txt", "--method", "mbr", "-k", 2, "--mbr-edges", 30).out
    assert len(mbr.splitlines()) == 24


def test_mbr_beats_viterbi_where_weights_are_unsure(files, capfdbinary):
    (files / "weak.txt").write_text("good\t1\npenalty\t-0.3\n")
    viterbi = bleu(capfdbinary, "weak.txt")
    mbr = bleu(capfdbinary, "weak.txt", "dev", "--method", "mbr", "--gamma", 2, "--mbr-edges", 30)
    assert mbr >= viterbi - 0.05


def test_eval_compares_with_a_baseline(files, capfdbinary):
    (files / "good.txt").write_text("good\t1\npenalty\t-1\n")
    for name in ("good", "bad"):
        done(capfdbinary, "rerank", "dev.plait", "-w", f"{name}.txt", "-o", f"{name}.out")
    words = ("eval", "good.out", "-r", "dev.ref", "--baseline", "bad.out", "--bootstrap", 200)
    found = json.loads(done(capfdbinary, *words, "--json").out)
    assert found["comparison"]["difference"] == pytest.approx(found["bleu"] - found["comparison"]["baseline"], abs=1e-9)
    assert found["comparison"]["p_value"] < 0.05
    text = done(capfdbinary, *words).out
    assert f"BLEU        {100 * found['bleu']:.2f}" in text
    assert "difference  +" in text
    assert "two-sided p-values" in text
    plain = done(capfdbinary, "eval", "good.out", "-r", "dev.ref", "--bootstrap", 0).out
    assert "resamples" not in plain


def test_training_goes_on_from_a_checkpoint(files, capfdbinary):
    words = ("train", "train.plait", "-r", "train.ref", "--method", "da", "--lowest", 1, "--iterations", 15)
    done(capfdbinary, *words, "-o", "whole.txt")
    done(capfdbinary, *words, "-o", "first.txt", "--checkpoint", "run")
    done(capfdbinary, *words, "-o", "second.txt", "--checkpoint", "run")
    whole = (files / "whole.txt").read_bytes()
    assert (files / "first.txt").read_bytes() == (files / "second.txt").read_bytes() == whole
    other = run(capfdbinary, "minrisk", *words, "-o", "x.txt", "--checkpoint", "run", "--l2", 1)
    assert (other.code, "l2 was" in other.err) == (1, True)
    assert not (files / "x.txt").exists()


def test_weights_of_other_features_are_told(files, capfdbinary):
    (files / "more.txt").write_text("good\t1\nunknown one\t2\nanother\t0\n")
    found = done(capfdbinary, "train", "train.plait", "-r", "train.ref", "--init", "more.txt", "-o", "w.txt")
    assert "2 weights are of no feature of the forests, and left out: unknown one, another" in found.err


@pytest.mark.parametrize(
    ("words", "code", "what"),
    [
        (("train", "train.plait"), 2, "--reference"),
        (("train", "train.plait", "-r", "train.ref", "--restarts", 3), 2, "--restarts is for --method mert only"),
        (
            ("train", "train.plait", "-r", "train.ref", "--method", "mert", "--l2", 1),
            2,
            "--l2 is for --method mr and",
        ),
        (("train", "train.plait", "-r", "train.ref", "--nbest", 3), 2, "--nbest needs --init or --baseline"),
        (("train", "train.plait", "-r", "train.ref", "--top", 3), 2, "--top needs --ngrams"),
        (("train", "train.plait", "-r", "train.ref", "--dev", "dev"), 2, "--dev needs --dev-reference"),
        (("train", "train.plait", "-r", "train.ref", "--ngrams", "two"), 2, "no order"),
        (("train", "train.plait", "-r", "train.ref", "--precisions", "1,2"), 2, "three numbers"),
        (("train", "train.plait", "-r", "train.ref", "--freeze", "other"), 1, "names of features"),
        (("train", "train.plait", "-r", "dev.ref", "-r", "short.ref"), 1, "short.ref has 1 lines"),
        (("train", "train.plait", "-r", "short.ref"), 1, "there are 12 forests, and 1 lines of references"),
        (("train", "train.plait", "-r", "empty.ref"), 1, "empty.ref: there are no references"),
        (("train", "train.plait", "-r", "blank.ref"), 1, "line 3 of blank.ref: no reference has a word"),
        (("train", "nothing", "-r", "train.ref"), 1, "the folder has no files"),
        (("train", "absent", "-r", "train.ref"), 1, "absent"),
        (("rerank", "dev.plait"), 2, "--weights"),
        (("rerank", "dev.plait", "-w", "strange.txt"), 1, "no weight is that of a feature"),
        (("eval", "train.ref", "-r", "short.ref"), 1, "train.ref has 12 lines"),
        (("eval", "train.ref", "-r", "train.ref", "--baseline", "train.ref", "--bootstrap", 0), 2, "needs resamples"),
        (("eval", "latin.txt", "-r", "short.ref"), 1, "latin.txt:1:2: the text must be UTF-8"),
    ],
)
def test_what_is_wrong_is_told(words, code, what, files, capfdbinary):
    (files / "short.ref").write_text("a b\n")
    (files / "empty.ref").write_text("")
    (files / "blank.ref").write_text("a b\n" * 2 + " \n" + "a b\n" * 9)
    (files / "nothing").mkdir()
    (files / "strange.txt").write_text("other 1\n")
    (files / "latin.txt").write_bytes(b"a\xe9\n")
    outcome = run(capfdbinary, "minrisk", *words)
    assert (outcome.code, what in outcome.err) == (code, True), outcome
    assert not np.any([path.name.startswith(".") for path in files.iterdir()])
