"""``plait ngram train|score|convert``."""

import gzip
import json
import math
import re

import pytest

from command_line import run

TEXT = "the cat sat\nthe dog sat\na dog barks\nthe cat barks\n"


@pytest.fixture
def ngram(capfdbinary, tmp_path, monkeypatch):
    """Run `plait ngram` in a folder with a text and a model."""
    (tmp_path / "train").write_text(TEXT)
    monkeypatch.chdir(tmp_path)

    def call(*words, **keywords):
        return run(capfdbinary, "ngram", *words, **keywords)

    made = call("train", "-n", 2, "-o", "m.plait", "train")
    assert made.code == 0, made.err
    return call


def fields(line):
    """The numbers of a line, for its words what stands for them."""
    return [float(field) if re.fullmatch(r"-?[\d.]+", field) else float(len(field)) for field in line.split()]


def test_training_sums_up_and_warns_of_small_counts(ngram):
    result = ngram("train", "--progress", "json", "-o", "n.plait", "train")
    assert result.code == 0
    lines = [json.loads(line) for line in result.err.splitlines()]
    assert any("discounts of order 3" in line.get("warning", "") for line in lines)
    assert lines[-1]["ngrams"] == [9, 11, 11]


def test_the_same_command_makes_the_same_file(ngram, tmp_path):
    for name, threads in (("a.arpa", 1), ("b.arpa", 2)):
        assert ngram("train", "-n", 3, "--threads", threads, "-o", name, "train").code == 0
    assert (tmp_path / "a.arpa").read_bytes() == (tmp_path / "b.arpa").read_bytes()


def test_text_sentences_and_tokens_are_scored_alike(ngram):
    figures = json.loads(ngram("score", "-m", "m.plait", "train", "--json").out)
    sentences = [float(line) for line in ngram("score", "-m", "m.plait", "train", "--by", "sentence").out.splitlines()]
    result = ngram("score", "-m", "m.plait", "train", "--by", "token", "--base", 10)
    tokens = [[float(log) for log in line.split()] for line in result.out.splitlines()]
    assert [len(logs) for logs in tokens] == [4, 4, 4, 4]
    assert figures["log_probability"] == pytest.approx(sum(sentences), rel=1e-8)
    assert figures["log_probability"] == pytest.approx(math.log(10) * sum(map(sum, tokens)), rel=1e-8)
    assert figures["perplexity"] == pytest.approx(math.exp(-sum(sentences) / 16), rel=1e-8)
    shown = ngram("score", "-m", "m.plait", "-", stdin=b"the mouse\n").out
    assert shown.startswith("1 sentences, 2 words, 1 unknown\n")


def test_models_are_converted_there_and_back(ngram, tmp_path):
    assert ngram("convert", "m.plait", "m.arpa.gz").code == 0
    assert ngram("convert", "m.arpa.gz", "n.plait").code == 0
    text = gzip.decompress((tmp_path / "m.arpa.gz").read_bytes()).decode()
    again = ngram("convert", "n.plait", "-").out
    # Logarithms go to base 10 and back: the last digit may change.
    for line, other in zip(text.splitlines(), again.splitlines(), strict=True):
        assert fields(line) == pytest.approx(fields(other), rel=1e-15)
    assert ngram("train", "-n", 2, "-o", "-", "train").out == text
    single = ngram("convert", "m.plait", "-", "--single").out
    assert len(single) < len(text)
    assert single.startswith("\\data\\\nngram 1=9\nngram 2=11\n\n\\1-grams:\n")


def test_what_cannot_be_is_refused(ngram, tmp_path):
    assert ngram("train", "--single", "-o", "x.plait", "train").code == 2
    assert ngram("train", "--discount-fallback", "1,1", "-o", "x.plait", "train").code == 2
    assert ngram("train", "--prune", "x", "-o", "x.plait", "train").code == 2
    assert ngram("score", "-m", "m.plait", "--json", "--by", "token", "train").code == 2
    bad = ngram("train", "--prune", "1", "-o", "x.plait", "train")
    assert (bad.code, "prune must be" in bad.err) == (1, True)
    bad = ngram("score", "-m", "train", "train")
    assert (bad.code, bad.err.startswith("plait: train:5:1: an ARPA file has a line \\data\\")) == (1, True)
    assert ngram("train", "-o", "m.plait", "train").code == 1
    assert not (tmp_path / "x.plait").exists()
