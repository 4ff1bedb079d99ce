"""What minimum-risk training makes of bad data: an error that says where and what to do, or a safe, documented way."""

from __future__ import annotations

import json
import os
import signal
import sys
import time

import numpy as np
import pytest

import processes
from command_line import run
from minrisk_corpus import write_task
from minrisk_forests import NAMES, made_forests, made_training_set
from plait.errors import ConfigError, DataError, ModelFileError, ResourceError
from plait.hypergraph import Hypergraph, SparseFeatures, Yields
from plait.minrisk import (
    BestTranslations,
    RiskForest,
    Schedule,
    TrainingSet,
    expected_gains,
    read_weights,
    rerank,
    train,
)

pytest.importorskip("scipy")


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_task(tmp_path, sentences=4)
    return tmp_path


def refused(capfdbinary, *words):
    outcome = run(capfdbinary, "minrisk", *words)
    assert outcome.code == 1, outcome
    assert len(outcome.err.splitlines()) == 1
    return outcome.err


# --- empty forests ---


def test_a_forest_without_derivations_is_counted_and_has_an_empty_line(files, capfdbinary):
    (files / "train" / "1.json").write_text("{}\n")
    found = run(
        capfdbinary, "minrisk", "train", "train", "-r", "train.ref", "--l2", "0.1", "-o", "w", "--progress", "json"
    )
    assert found.code == 0, found.err
    facts = json.loads(found.err.splitlines()[-1])
    assert (facts["forests"], facts["empty"]) == (4, 1)
    lines = run(capfdbinary, "minrisk", "rerank", "train", "-w", "w").out.splitlines()
    assert [bool(line) for line in lines] == [True, False, True, True]
    for method in ("viterbi", "mbr"):
        lists = run(
            capfdbinary, "minrisk", "rerank", "train", "-w", "w", "-k", 2, "--method", method, "--mbr-edges", 20
        )
        assert [line.split()[0] for line in lists.out.splitlines()] == ["0", "0", "2", "2", "3", "3"]


def test_nothing_but_empty_forests_is_refused(files, capfdbinary):
    for name in range(4):
        (files / "train" / f"{name}.json").write_text("{}\n")
    message = refused(capfdbinary, "train", "train", "-r", "train.ref", "-o", "w")
    assert "there is nothing to train on: of 4 forests, none has a derivation" in message
    assert not (files / "w").exists()


# --- references ---


def test_references_that_end_early_are_told(files, capfdbinary):
    lines = (files / "train.ref").read_text().splitlines()
    (files / "short.ref").write_text("\n".join(lines[:3]) + "\n")
    for forests in ("train", "train.plait"):
        message = refused(capfdbinary, "train", forests, "-r", "short.ref", "-o", "w")
        assert "there are 4 forests, and 3 lines of references" in message
    message = refused(capfdbinary, "train", "train", "-r", "train.ref", "-r", "short.ref", "-o", "w")
    assert "short.ref has 3 lines, and train.ref 4" in message
    message = refused(
        capfdbinary, "train", "train", "-r", "train.ref", "--dev", "train", "--dev-reference", "short.ref", "-o", "w"
    )
    assert "3 lines of references of --dev" in message


def test_development_data_need_forests():
    with pytest.raises(DataError, match="no forests to judge"):
        BestTranslations([], [[]])


# --- numbers ---


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_feature_that_is_no_number_is_named(value):
    forest = made_forests(forests=1)[0]
    values = forest.features.values.copy()
    values[7] = value
    broken = SparseFeatures(forest.features.starts, forest.features.ids, values, NAMES)
    with pytest.raises(DataError, match=rf"edge \d+: the value of feature 'f\d' must be finite; found {value}"):
        RiskForest(forest.graph, broken, forest.losses)


@pytest.mark.parametrize("value", ["nan", "inf", "1e999"])
def test_a_feature_in_a_file_that_is_no_number_is_refused(value, files, capfdbinary):
    (files / "lists").write_text(f"0 ||| a b ||| lm= {value} ||| 0\n")
    message = refused(capfdbinary, "train", "lists", "-r", "train.ref", "-o", "w")
    assert message.startswith("plait: lists:1:")


def test_weights_that_overflow_exp_are_safe():
    """exp(1e6) is beyond all floats; products of mantissas and exponents are not."""
    forests = made_training_set()
    start = 1e6 * np.ones(len(NAMES))
    found = forests.evaluate(start)
    assert np.isfinite([found.objective, found.risk, found.entropy, *found.gradient]).all()
    assert found.entropy == pytest.approx(0.0, abs=1e-6)
    trained = train(forests, start, schedule=Schedule.minimum_risk(temperature=0.1), l2=1e-3)
    assert np.isfinite(trained.weights).all()
    # The penalty alone leads back to where gradients are.
    assert np.abs(trained.weights).max() < 1e4
    assert trained.history[0].objective < 0


def test_weights_beyond_what_can_be_computed_are_refused(files, capfdbinary):
    with pytest.raises(DataError, match=r"forest 0, edge \d+: .*1\.4e9.*smaller weights"):
        train(made_training_set(), 1e300 * np.ones(len(NAMES)))
    (files / "huge").write_text("good 1e300\n")
    message = refused(capfdbinary, "train", "train", "-r", "train.ref", "--init", "huge", "-o", "w")
    assert "forest 0" in message
    with pytest.raises(ConfigError, match="weights must be finite"):
        train(made_training_set(), np.full(len(NAMES), np.nan))


def test_scores_that_grow_without_bounds_end_with_a_remedy():
    class Growing:
        """An optimiser that goes to infinity."""

        settings = {"optimizer": "growing"}  # noqa: RUF012

        def minimize(self, function, start, *, bounds, iterations, after_iteration):
            point = start + 1.0
            while True:
                function(point)
                point = point * 1e3

    with pytest.raises(DataError, match=r"stage 1/1 \(T = 0, gamma = 1\): forest 0, edge .*\(l2\) holds them"):
        train(made_training_set(), optimizer=Growing())


# --- names ---


def test_weights_of_another_model_are_refused(files, capfdbinary):
    (files / "other").write_text("lm 1\ntm 2\n")
    for words in (
        ("train", "train", "-r", "train.ref", "--init", "other", "-o", "w"),
        ("rerank", "train", "-w", "other"),
    ):
        message = refused(capfdbinary, *words)
        assert "no weight is that of a feature: weights have 'lm', 'tm', features are 'good', " in message


def test_some_weights_of_another_model_are_told_and_left_out(files, capfdbinary):
    (files / "mixed").write_text("good 1\ntm 2\n")
    (files / "plain").write_text("good 1\n")
    one, other = (run(capfdbinary, "minrisk", "rerank", "train", "-w", name) for name in ("mixed", "plain"))
    assert one.out == other.out != ""
    found = run(capfdbinary, "minrisk", "train", "train", "-r", "train.ref", "--init", "mixed", "--l2", 1, "-o", "w")
    assert (found.code, "1 weights are of no feature of the forests, and left out: tm" in found.err) == (0, True)
    assert "tm" not in read_weights("w")


# --- extras ---


def test_without_scipy_the_extra_is_named(files, capfdbinary, monkeypatch):
    # An entry of None makes an import fail.
    for name in ("scipy", "scipy.optimize"):
        monkeypatch.setitem(sys.modules, name, None)
    message = refused(capfdbinary, "train", "train", "-r", "train.ref", "-o", "w")
    assert "pip install 'plait[minrisk]'" in message
    # MERT needs no gradients.
    assert run(capfdbinary, "minrisk", "train", "train", "-r", "train.ref", "--method", "mert", "-o", "w").code == 0


def test_without_sacrebleu_other_tokenisers_name_the_extra(files, capfdbinary, monkeypatch):
    monkeypatch.setitem(sys.modules, "sacrebleu.metrics", None)
    message = refused(capfdbinary, "eval", "train.ref", "-r", "train.ref", "--tokenize", "13a")
    assert "pip install 'plait[bleu]'" in message
    assert "BLEU        100.00" in run(capfdbinary, "minrisk", "eval", "train.ref", "-r", "train.ref").out


# --- size ---


def test_too_many_ngrams_are_told_with_a_remedy(files, capfdbinary):
    (files / "good").write_text("good 1\n")
    message = refused(capfdbinary, "rerank", "train.plait", "-w", "good", "--method", "mbr", "--limit", 10)
    assert "forest 0: " in message
    assert "prune" in message
    graph = Hypergraph.from_edges([(0, [])])
    with pytest.raises(ResourceError, match="prune"):
        expected_gains(graph, Yields.from_rows([[1, 2, 3]]), [0.0], [0.0, 1.0], limit=0)


def test_no_forest_has_no_translation():
    assert list(rerank([], {"lm": 1.0})) == []
    with pytest.raises(DataError, match="nothing to train on"):
        train(TrainingSet.build([], ["lm"]))


# --- checkpoints ---


def trained(capfdbinary, *more):
    return run(
        capfdbinary, "minrisk", "train", "train", "-r", "train.ref", "--method", "da", "--lowest", 2,
        "--iterations", 10, "-o", "w", "--force", "--checkpoint", "run", *more,
    )  # fmt: skip


def test_a_damaged_checkpoint_is_refused(files, capfdbinary):
    assert trained(capfdbinary).code == 0
    whole = (files / "run").read_bytes()
    for at in (len(whole) // 3, len(whole) - 5):
        damaged = bytearray(whole)
        damaged[at] ^= 16
        (files / "run").write_bytes(damaged)
        outcome = trained(capfdbinary)
        assert (outcome.code, outcome.err.startswith("plait: run: ")) == (1, True), outcome.err
    (files / "run").write_bytes(whole[:100])
    assert trained(capfdbinary).code == 1
    (files / "run").write_text("good 1\n")
    assert "run" in trained(capfdbinary).err
    (files / "run").unlink()
    (files / "run.journal").write_text("")
    assert "is there without its checkpoint" in trained(capfdbinary).err


def test_other_data_are_refused(files, capfdbinary):
    assert trained(capfdbinary).code == 0
    lines = (files / "train.ref").read_text().splitlines()
    (files / "train.ref").write_text("\n".join(reversed(lines)) + "\n")
    outcome = trained(capfdbinary)
    assert outcome.code == 1
    assert "run is the checkpoint of another run: " in outcome.err
    assert "use the same options and data, or another file" in outcome.err


def test_a_checkpoint_must_be_a_file_and_may_be_another_model(tmp_path):
    with pytest.raises(ConfigError, match="checkpoint"):
        train(made_training_set(forests=1), checkpoint="-")
    (tmp_path / "text").write_text("no model\n")
    with pytest.raises(ModelFileError, match="text"):
        train(made_training_set(forests=1), checkpoint=tmp_path / "text")


@pytest.mark.timeout(90)
@pytest.mark.parametrize("name", ["SIGINT", "SIGKILL"])
def test_the_command_line_goes_on_after_a_signal(name, files):
    words = (
        "minrisk", "train", "train", "-r", "train.ref", "--method", "da", "--iterations", 50,
        "--l2", "0.001", "--progress", "json",
    )  # fmt: skip
    assert processes.run(*words, "-o", "whole")[0] == 0
    stops = 0
    for stage in ("stage 2/", "stage 9/"):
        process = processes.start(*words, "-o", "w", "--checkpoint", "run")
        told = b""
        for line in process.stderr:
            told += line
            if stage.encode() in line:
                break
        process.send_signal(getattr(signal, name))
        _, err = process.communicate(timeout=20)
        assert process.returncode in (-9, 130, 143), told + err
        assert not (files / "w").exists()
        if name != "SIGKILL":
            assert b"the same command goes on from run" in err
        stops += 1
    assert processes.run(*words, "-o", "w", "--checkpoint", "run")[0] == 0
    assert (stops, (files / "w").read_bytes()) == (2, (files / "whole").read_bytes())


def test_two_runs_do_not_share_a_checkpoint(files):
    pytest.importorskip("fcntl")
    words = (
        "minrisk", "train", "train", "-r", "train.ref", "--method", "da", "--iterations", 100,
        "--l2", "0.001", "--progress", "json", "--checkpoint", "run",
    )  # fmt: skip
    with processes.start(*words, "-o", "one") as process:
        for line in process.stderr:
            if b"stage 1/" in line:
                break
        os.kill(process.pid, signal.SIGSTOP)
        try:
            time.sleep(0.05)
            code, _, err = processes.run(*words, "-o", "two")
        finally:
            os.kill(process.pid, signal.SIGCONT)
        process.kill()
        process.communicate(timeout=20)
    assert code == 1
    assert "another run works with this checkpoint" in err
