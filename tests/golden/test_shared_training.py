"""Training on forests and lists of real decoders."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from command_line import run
from plait.minrisk import read_weights

pytest.importorskip("scipy")
pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif("PLAIT_DATA" not in os.environ, reason="needs the shared data: set PLAIT_DATA to their folder"),
]
DATA = Path(os.environ.get("PLAIT_DATA", "."))


def trained(capfdbinary, *words):
    outcome = run(capfdbinary, "minrisk", "train", *words, "--progress", "json")
    assert outcome.code == 0, outcome.err
    return json.loads(outcome.err.splitlines()[-1])


@pytest.mark.timeout(120)
def test_annealing_finds_what_mert_finds_and_minimum_risk_alone_does_not(tmp_path, capfdbinary):
    """Two sentences of cdec with four references; from weights of 0, minimum risk ends in another valley."""
    folder = DATA / "hyper" / "cdec-json"
    words = [folder / "zh0.json.gz", folder / "zh1.json.gz"]
    for number in range(4):
        words += ["-r", folder / f"zh.ref.{number}"]
    direct = trained(capfdbinary, *words, "-o", tmp_path / "mr.txt")
    annealed = trained(capfdbinary, *words, "--method", "da", "-o", tmp_path / "da.txt")
    mert = trained(capfdbinary, *words, "--method", "mert", "--restarts", 5, "-o", tmp_path / "mert.txt")
    assert annealed["risk"] < direct["risk"]
    assert direct["bleu"] < annealed["bleu"]
    assert annealed["bleu"] == pytest.approx(mert["bleu"], abs=0.01)
    assert annealed["bleu"] > 0.6
    assert list(read_weights(tmp_path / "da.txt")) == list(read_weights(tmp_path / "mert.txt"))


@pytest.mark.timeout(120)
@pytest.mark.parametrize("method", ["mr", "mert"])
def test_lists_of_several_runs_of_moses_train(method, tmp_path, capfdbinary):
    """Ten sentences, five runs with lists of up to 100 translations each, and 14 features."""
    folder = DATA / "nbest" / "moses-mert.extractor-txt" / "data"
    lists = sorted(folder.glob("nbest.*.gz"))
    assert len(lists) == 5
    l2 = ("--l2", 0.001) if method == "mr" else ("--restarts", 3)
    found = trained(
        capfdbinary, *lists, "-r", folder / "reference", "--method", method, *l2, "-o", tmp_path / "weights.txt"
    )
    assert (found["features"], found["forests"]) == (14, 10)
    scored = trained(capfdbinary, lists[0], "-r", folder / "reference", "-o", tmp_path / "one.txt")
    assert scored["forests"] == 10
    assert found["bleu"] > 0.2
