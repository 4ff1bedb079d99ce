"""``plait forest``: one file in, numbers, forests or drawings out."""

from __future__ import annotations

import json
import math

import pytest

from command_line import run

LATTICE = "((('the',-1,1),('a',-2,1),),(('house',-1,1),('home',-3,1),),)\n"
MOSES = (
    "# target ||| features ||| source-covered\n2 3\n1\n<s> |||  ||| 0\n2\n[0] a ||| f=1.5 loss=1 ||| 1\n"
    "[0] b ||| f=0.5 ||| 1\n"
)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lattice.plf").write_text(LATTICE)
    (tmp_path / "two.plf").write_text(LATTICE + "((('x',1,1),),)\n")
    (tmp_path / "graph.hg").write_text(MOSES)
    (tmp_path / "cyclic.fst").write_text("0 0 a a 0.7\n0 1 b b 0.3\n1\n")
    return tmp_path


def test_info_prints_one_object(files, capfdbinary):
    found = json.loads(run(capfdbinary, "forest", "info", "lattice.plf", "--json").out)
    assert found["sentences"] == 1
    assert (found["nodes"], found["edges"], found["axioms"]) == (3, 4, 1)
    assert found["derivations"] == "4"
    assert found["acyclic"] is True
    assert found["roots"] == [0]
    cyclic = json.loads(run(capfdbinary, "forest", "info", "cyclic.fst", "--json").out)
    assert (cyclic["derivations"], cyclic["acyclic"]) == ("infinity", False)


def test_info_sums_over_forests(files, capfdbinary):
    found = json.loads(run(capfdbinary, "forest", "info", "two.plf", "--json").out)
    assert (found["sentences"], found["nodes"], found["edges"], found["derivations"]) == (2, 5, 5, "5")
    assert [each["derivations"] for each in found["forests"]] == ["4", "1"]
    second = json.loads(run(capfdbinary, "forest", "info", "two.plf", "--sentence", 1, "--json").out)
    assert (second["sentence"], second["derivations"]) == (1, "1")
    lines = run(capfdbinary, "forest", "info", "two.plf").out
    assert "two.plf: 2 forest(s)\n0: 3 nodes, 4 edges, 1 axioms, 4 derivations" in lines
    outside = run(capfdbinary, "forest", "info", "two.plf", "--sentence", 2)
    assert outside.code == 1
    assert "there are 2 forests, from 0" in outside.err


def test_counts_of_any_length_are_exact(files, capfdbinary):
    # A node that stands twice in the tail of the next, 2^(2^15) derivations: 9,865 digits.
    edges = ['"edges":[{"tail":[]},{"tail":[]}],"node":{"in_edges":[0,1]}']
    edges += [f'"edges":[{{"tail":[{n},{n}]}}],"node":{{"in_edges":[{n + 2}]}}' for n in range(15)]
    text = "{" + ",".join(edges) + "}"
    (files / "large.json").write_text(text + "\n" + text)
    found = json.loads(run(capfdbinary, "forest", "info", "large.json", "--json").out)
    each = found["forests"][0]["derivations"]
    assert len(each) == 9865
    assert each[-20:] == str(pow(2, 2**15, 10**20)).zfill(20)
    assert found["derivations"][-20:] == str(pow(2, 2**15 + 1, 10**20)).zfill(20)
    assert len(found["derivations"]) == 9865


def test_convert_goes_by_suffixes_and_refuses_what_does_not_fit(files, capfdbinary):
    assert run(capfdbinary, "forest", "convert", "lattice.plf", "copy.json.gz").code == 0
    assert run(capfdbinary, "forest", "convert", "copy.json.gz", "copy.plait").code == 0
    back = run(capfdbinary, "forest", "convert", "copy.plait", "-", "--to", "plf")
    assert back.out == LATTICE
    weighted = run(capfdbinary, "forest", "convert", "lattice.plf", "-", "--to", "openfst", "--weights", "2")
    assert weighted.out == "0\t1\tthe\tthe\t2\n0\t1\ta\ta\t4\n1\t2\thouse\thouse\t2\n1\t2\thome\thome\t6\n2\n"
    without = run(capfdbinary, "forest", "convert", "lattice.plf", "-", "--to", "openfst")
    assert without.code == 1
    assert "give the forest weights" in without.err
    refused = run(capfdbinary, "forest", "convert", "lattice.plf", "x.slf")
    assert refused.code == 1
    assert "edge 0: SLF has the features" in refused.err
    exists = run(capfdbinary, "forest", "convert", "lattice.plf", "copy.plait")
    assert exists.code == 1
    assert "exists" in exists.err
    unknown = run(capfdbinary, "forest", "convert", "lattice.plf", "copy.xyz")
    assert unknown.code == 1
    assert "tells none" in unknown.err


def test_expect_gives_the_quantities_of_minimum_risk_training(files, capfdbinary):
    words = ("forest", "expect", "graph.hg", "--weights", "1,0", "--scale", "-1", "--loss-feature", "loss", "--json")
    found = json.loads(run(capfdbinary, *words).out)
    a, b = math.exp(-1.5), math.exp(-0.5)
    p = a / (a + b)
    assert found["log_z"] == pytest.approx(math.log(a + b), abs=1e-12)
    assert found["entropy"] == pytest.approx(-p * math.log(p) - (1 - p) * math.log(1 - p), abs=1e-12)
    assert found["risk"] == pytest.approx(p, abs=1e-12)
    assert found["features"] == ["f", "loss"]
    # d p / d w = p (1 - p) (-1.5 + 0.5).
    assert found["grad_risk"][0] == pytest.approx(-p * (1 - p), abs=1e-12)
    assert found["grad_entropy"][0] == pytest.approx(-p * (1 - p) * math.log((1 - p) / p), abs=1e-12)
    by_number = json.loads(run(capfdbinary, *words[:-2], "1", "--json").out)
    assert by_number["risk"] == found["risk"]
    (files / "weights").write_text("# ours\nf= 1\nother 5\n")
    by_file = json.loads(run(capfdbinary, *words[:4], "weights", *words[5:]).out)
    assert by_file["grad_risk"] == found["grad_risk"]


@pytest.mark.parametrize(
    ("words", "code", "what"),
    [
        (("graph.hg",), 1, "give weights of the features with --weights"),
        (("graph.hg", "--weights", "1,2,3"), 1, "at most one for each of 2 features"),
        (("graph.hg", "--weights", "1"), 0, "features without a weight, which count for nothing: loss"),
        (("graph.hg", "--weights", "nofile"), 2, "neither a list of numbers"),
        (("graph.hg", "--weights", "bad"), 1, "bad:1:1"),
        (("graph.hg", "--weights", "1", "--loss-feature", "9"), 1, "--loss-feature"),
        (("cyclic.fst",), 1, "cycle"),
        (("lattice.plf", "--format", "slf"), 1, "lattice.plf:1:1"),
        (("nothing.plf",), 1, "nothing.plf"),
    ],
)
def test_expect_says_what_is_missing(words, code, what, files, capfdbinary):
    (files / "bad").write_text("f one\n")
    outcome = run(capfdbinary, "forest", "expect", *words)
    assert (outcome.code, what in outcome.err) == (code, True), outcome


def test_expect_sums_over_forests(files, capfdbinary):
    whole = json.loads(run(capfdbinary, "forest", "expect", "two.plf", "--weights", "1", "--json").out)
    parts = [
        json.loads(run(capfdbinary, "forest", "expect", "two.plf", "--weights", "1", "--sentence", n, "--json").out)
        for n in range(2)
    ]
    for name in ("log_z", "entropy"):
        assert whole[name] == pytest.approx(sum(part[name] for part in parts), abs=1e-12)
    assert whole["forests"] == parts
    assert "log_z" in run(capfdbinary, "forest", "expect", "two.plf", "--weights", "1").out


def test_kbest_lists_derivations_and_distinct_strings(files, capfdbinary):
    (files / "same.hg").write_text("1 3\n3\na ||| f=1\na ||| f=2\nb ||| f=0\n")
    found = run(capfdbinary, "forest", "kbest", "same.hg", "-k", 5, "--weights", "1")
    assert found.out.splitlines() == [
        "0 ||| a ||| f= 2 ||| 2",
        "0 ||| a ||| f= 1 ||| 1",
        "0 ||| b ||| f= 0 ||| 0",
    ]
    unique = run(capfdbinary, "forest", "kbest", "same.hg", "-k", 5, "--weights", "1", "--unique", "--json")
    records = [json.loads(line) for line in unique.out.splitlines()]
    assert [(record["words"], record["score"]) for record in records] == [("a", 2.0), ("b", 0.0)]
    assert records[0]["edges"] == [1]
    best = run(capfdbinary, "forest", "kbest", "lattice.plf", "--weights", "1")
    assert best.out == "0 ||| the house ||| LatticeCost_0= -2 ||| -2\n"


def test_prune_keeps_the_best(files, capfdbinary):
    words = ("forest", "prune", "lattice.plf", "small.plf", "--weights", "1")
    assert run(capfdbinary, *words, "--beam", 1).code == 0
    assert (files / "small.plf").read_text() == "((('the',-1,1),('a',-2,1),),(('house',-1,1),),)\n"
    none = run(capfdbinary, *words, "--force")
    assert none.code == 2
    assert "give a bound" in none.err


def test_draw_writes_text_for_graphviz(files, capfdbinary):
    found = run(capfdbinary, "forest", "draw", "lattice.plf")
    assert found.out.startswith("digraph forest {")
    assert found.out.count("shape=box") == 5
    several = run(capfdbinary, "forest", "draw", "two.plf")
    assert several.code == 1
    assert "--sentence" in several.err
    large = run(capfdbinary, "forest", "draw", "lattice.plf", "--max-edges", 2)
    assert large.code == 1
    assert "prune it first" in large.err
