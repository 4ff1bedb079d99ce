"""``plait demo minrisk`` as users call it."""

import json
import os
import sys

import pytest

TINY = (
    *("--seeds", 1, "--training", 300, "--sentences", 10, "--test", 10, "--large", 15, "--nbest", 8, "--rounds", 1),
    *("--iterations", 10, "--bootstrap", 50),
)


def test_the_table_has_the_rows_of_the_paper_and_what_became_of_its_claims(plait):
    found = plait("demo", "minrisk", *TINY)
    assert found.code == 0, found.err
    for row in (
        "wrong weights",
        "MERT, n-best",
        "MR, n-best",
        "MR+DA, n-best",
        "MR, forests",
        "MR+DA, forests",
        "MR, forests, large",
    ):
        assert row in found.out
    assert "what the paper found" in found.out
    assert "plait demo minrisk --save" in found.out
    assert not [name for name in os.listdir() if "seed" in name]


def test_saved_files_lead_to_the_figures_of_the_table(plait):
    found = plait("demo", "minrisk", *TINY, "--save", "kept", "--json")
    assert found.code == 0, found.err
    results = json.loads(found.out)
    here = "kept/seed-1"
    assert {"dev.plait", "dev.ref", "dev.src", "test.plait", "train.plait", "mr-large.weights"} <= set(os.listdir(here))
    for row in results["rows"]:
        baseline = ("--baseline", f"{here}/da-hypergraph.weights") if row["scheme"] == "mr-large" else ()
        ranked = plait(
            "minrisk",
            "rerank",
            f"{here}/test.plait",
            "-w",
            f"{here}/{row['scheme']}.weights",
            *baseline,
            "-o",
            "out",
            "--force",
        )
        assert ranked.code == 0, ranked.err
        quality = plait("minrisk", "eval", "out", "-r", f"{here}/test.ref", "--json", "--bootstrap", 0)
        assert quality.code == 0, quality.err
        assert json.loads(quality.out)["bleu"] == pytest.approx(row["test"]["mean"]), row["scheme"]
    refused = plait("demo", "minrisk", *TINY, "--save", "kept")
    assert refused.code == 1
    assert "not empty" in refused.err


def test_what_it_suggests_works(plait):
    found = plait("demo", "minrisk", *TINY, "--save", "kept")
    suggested = [line.split()[1:] for line in found.out.splitlines() if line.startswith("  plait minrisk")]
    assert [words[1] for words in suggested] == ["train", "rerank", "eval"]
    for words in suggested:
        done = plait(*words)
        assert done.code == 0, done.err


def test_options_of_the_other_demo_do_not_go_lost(plait):
    refused = plait("demo", "--sentences", 50, "minrisk")
    assert refused.code == 2
    assert "--sentences" in refused.err
    assert "minrisk" in refused.err
    assert os.path.exists("plait-demo.html") is False


def test_a_subcommand_that_is_none_is_bad_usage(plait):
    assert plait("demo", "minrisky").code == 2
    assert plait("demo", "minrisk", "--seeds", 0).code == 2


def test_without_scipy_it_says_what_to_install_at_once(plait, monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy", None)
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    refused = plait("demo", "minrisk")
    assert refused.code == 1
    assert "plait[minrisk]" in refused.err
