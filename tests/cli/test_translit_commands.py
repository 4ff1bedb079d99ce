"""``plait translit train|decode|eval|tune``."""

# Cyrillic letters are meant.
# ruff: noqa: RUF001

import json

import pytest

from command_line import run

TRAIN = "anna\tанна\nnina\tнина|нінa\nivan\tиван\nvanya\tваня\nyana\tяна\nmisha\tмиша\nmasha\tмаша\nsam\tсам\n"
DEV = "yasha\tяша\nvanina\tванина\nmanya\tманя|манья\n"


@pytest.fixture
def translit(capfdbinary, tmp_path, monkeypatch):
    """Run `plait translit` in a folder with word pairs."""
    (tmp_path / "train.tsv").write_text(TRAIN)
    (tmp_path / "dev.tsv").write_text(DEV)
    monkeypatch.chdir(tmp_path)

    def call(*words, **keywords):
        return run(capfdbinary, "translit", *words, **keywords)

    return call


def train(translit, system, name, *options):
    penalties = ("--l2-segmenter", 0.01, "--l2-converter", 0.01)
    result = translit("train", "--system", system, "--train", "train.tsv", *penalties, "-o", name, *options)
    assert result.code == 0, result.err
    return result


@pytest.mark.parametrize("system", ["joint", "two-step", "jscm", "joint+jscm", "two-step+jscm", "joint+jscm+backward"])
def test_each_system_is_trained_decoded_and_measured(translit, system):
    result = train(translit, system, "m.plait", "--dev", "dev.tsv", "--progress", "json")
    facts = json.loads(result.err.splitlines()[-1])
    assert facts["words"] == 8
    assert 0 <= facts["dev_acc"] <= 1
    assert (facts["weights"] is None) == ("+" not in system)
    lines = translit("decode", "-m", "m.plait", "-n", 3, "-", stdin=b"yasha\nmanya\n").out.splitlines()
    rows = [line.split("\t") for line in lines]
    assert {row[0] for row in rows} == {"yasha", "manya"}
    assert all(0 <= float(row[2]) <= 1 for row in rows)
    found = json.loads(translit("eval", "-m", "m.plait", "dev.tsv", "--json", "--resamples", 20).out)
    assert found["acc"] == pytest.approx(facts["dev_acc"])
    assert set(found) == {"words", "acc", "f_score", "mrr", "map_ref", "intervals", "decodings_per_word"}
    assert (found["decodings_per_word"] is None) == (system == "jscm")
    assert "ACC" in translit("eval", "-m", "m.plait", "dev.tsv").out


def test_two_models_become_one(translit, tmp_path):
    train(translit, "joint", "a.plait")
    train(translit, "jscm", "b.plait")
    result = translit("tune", "a.plait", "b.plait", "--dev", "dev.tsv", "-o", "both.plait", "--json")
    assert result.code == 0, result.err
    facts = json.loads(result.out)
    assert sum(facts["weights"]) == pytest.approx(1)
    found = json.loads(translit("eval", "-m", "both.plait", "dev.tsv", "--json", "--resamples", 0).out)
    assert found["acc"] == facts["value"]
    (tmp_path / "strange.tsv").write_text("anna\tzzz\n")
    strange = ("tune", "both.plait", "--dev", "strange.tsv", "--measure", "likelihood", "-o", "strange.plait", "--json")
    assert json.loads(translit(*strange).out, parse_constant=pytest.fail)["value"] is None
    again = translit("tune", "both.plait", "--dev", "dev.tsv", "--measure", "mrr", "-o", "mrr.plait")
    assert again.out.startswith("weights ")
    assert "mrr" in again.out
    one = translit("tune", "a.plait", "--dev", "dev.tsv", "-o", "x.plait")
    assert one.code == 1
    assert "two or more" in one.err
    assert not (tmp_path / "x.plait").exists()


def test_the_curve_is_drawn(translit, tmp_path):
    pytest.importorskip("matplotlib")
    train(translit, "joint+jscm", "m.plait")
    result = translit("tune", "m.plait", "--dev", "dev.tsv", "-o", "n.plait", "--plot", "c.svg")
    assert result.code == 0, result.err
    assert b"<svg" in (tmp_path / "c.svg").read_bytes()
    assert translit("tune", "m.plait", "--dev", "dev.tsv", "-o", "o.plait", "--plot", "c.txt").code == 1


def test_the_same_command_makes_the_same_file(translit, tmp_path):
    for name, threads in (("a", 1), ("b", 2)):
        train(translit, "joint+jscm", name, "--threads", threads, "--dev", "dev.tsv")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_results_of_news_and_a_share_of_the_mass(translit):
    train(translit, "joint", "m.plait")
    assert "<SourceName>anna</SourceName>" in translit("decode", "-m", "m.plait", "--news", "-", stdin=b"anna\n").out
    few = translit("decode", "-m", "m.plait", "-n", 10, "--mass", 0.5, "-", stdin=b"anna\n").out.splitlines()
    many = translit("decode", "-m", "m.plait", "-n", 10, "-", stdin=b"anna\n").out.splitlines()
    assert few == many[: len(few)]
    result = translit("decode", "-m", "m.plait", "--mass", 3.0, "-", stdin=b"anna\n")
    assert result.code == 1
    assert result.out == ""


def test_unknown_symbols_are_told_and_bad_input_named(translit):
    train(translit, "joint+jscm", "m.plait")
    result = translit("decode", "-m", "m.plait", "-", stdin=b"qaq\n")
    assert "'q' (2)" in result.err
    assert result.out.startswith("qaq\t")
    empty = translit("decode", "-m", "m.plait", "-", stdin=b"anna\n\n")
    assert empty.code == 1
    assert "standard input:2:1" in empty.err
    bad = translit("train", "--train", "-", "-o", "x.plait", stdin=b"anna\n")
    assert bad.code == 1
    assert "standard input:1:1: a source and a target are needed" in bad.err
    assert translit("eval", "-m", "train.tsv", "dev.tsv").code == 1
