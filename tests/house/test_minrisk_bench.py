"""The benchmark of minimum risk measures what it says, and runs."""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from plait.hypergraph import Hypergraph

BENCHES = Path(__file__).parents[2] / "benches"
pytestmark = pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="the harness reads /proc")


@pytest.fixture
def bench(monkeypatch):
    """Import a module of the harness."""
    monkeypatch.syspath_prepend(str(BENCHES))
    return importlib.import_module


def test_made_forests_have_the_shape_of_a_translation_forest(bench):
    made = bench("risk_forests")
    first, second = made.forests(2)
    assert len(first["heads"]) != len(second["heads"])
    for forest in (first, second):
        edges = len(forest["heads"])
        assert 1_900 < forest["nodes"] < 2_200
        assert 13_500 < edges < 15_500
        structure = (forest["heads"], forest["tail_starts"], forest["tails"])
        graph = Hypergraph(*structure, nodes=forest["nodes"], root=forest["root"])
        # All of it is part of a derivation, and nothing has to be ordered.
        assert graph.useful_nodes().all()
        assert graph.node_order().tolist() == list(range(forest["nodes"]))
        arities = np.diff(forest["tail_starts"].astype(int))
        assert set(arities.tolist()) == {0, 1, 2}
        assert np.mean(arities == 2) == pytest.approx(0.7, abs=0.05)
        assert len(forest["starts"]) == edges + 1
        assert forest["starts"][-1] == len(forest["ids"]) == len(forest["values"])
        assert 7 < len(forest["ids"]) / edges < 9
        assert forest["ids"].max() < made.DENSE + made.SPARSE
        assert len(forest["losses"]) == edges


def test_systems_must_agree(bench):
    compare, failed = bench("minimum_risk").compare, bench("measure").Failed

    def result(risk, gradient=(1.0, 2.0)):
        return {"found": {"risk": risk, "objective": 3.0, "gradient": list(gradient)}}

    compare([("plait, in memory", 5, result(1.0)), ("plait, in file", 5, result(1.0)), ("torch", 5, result(1 + 1e-12))])
    # Other forests have another risk.
    compare([("plait, in memory", 5, result(1.0)), ("plait, in memory", 10, result(2.0))])
    with pytest.raises(failed, match="do not find the same"):
        compare([("plait, in memory", 5, result(1.0)), ("plait, in file", 5, result(1 + 1e-15))])
    with pytest.raises(failed, match="torch finds"):
        compare([("plait, in memory", 5, result(1.0)), ("torch", 5, result(1.0, (1.0, 2.1)))])


def test_gradients_are_measured(tmp_path):
    command = [sys.executable, str(BENCHES / "run.py"), "minrisk", "--forest-counts", "1", "2", "--cpus", "1"]
    subprocess.run([*command, "--repeat", "1", "--out", str(tmp_path)], check=True, capture_output=True)
    rows = json.loads((tmp_path / "minrisk.json").read_text(encoding="utf-8"))["rows"]
    assert [(row["tool"], row["forests"]) for row in rows] == [
        ("plait, in memory", 1),
        ("plait, in file", 1),
        ("plait, in memory", 2),
        ("plait, in file", 2),
    ]
    assert all(row["ms/forest"] > 0 and row["peak MB"] > 10 and row["edges"] > 10_000 for row in rows)
