"""BLEU of translations with intervals and comparisons."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from plait.errors import ConfigError, DataError, UnequalLengthError
from plait.minrisk import bleu, bleu_statistics, bootstrap_bleu, compare_bleu, evaluate

WORDS = "the a cat dog sat ran on under mat house big small".split()


def made_lines(seed, *, sentences=80, noise=0.0, like=None):
    """Lines of random words; or those of another list with some words changed."""
    generator = np.random.default_rng(seed)
    if like is None:
        return [" ".join(generator.choice(WORDS, size=generator.integers(6, 14))) for _ in range(sentences)]
    return [
        " ".join(str(generator.choice(WORDS)) if generator.random() < noise else word for word in line.split())
        for line in like
    ]


def statistics(lines, references):
    return bleu_statistics(lines, [references])


def test_a_clear_difference_is_significant_and_none_is_not():
    references = made_lines(1)
    good, bad = (made_lines(seed, like=references, noise=noise) for seed, noise in ((2, 0.1), (3, 0.3)))
    also_good = made_lines(4, like=references, noise=0.1)
    clear = compare_bleu(statistics(good, references), statistics(bad, references))
    assert clear.difference > 0.1
    assert clear.interval.low > 0
    assert clear.p_value <= 2 / 1001
    turned = compare_bleu(statistics(bad, references), statistics(good, references))
    assert turned.difference == -clear.difference
    assert turned.p_value == clear.p_value
    assert turned.interval.high == pytest.approx(-clear.interval.low, abs=1e-12)
    alike = compare_bleu(statistics(good, references), statistics(also_good, references))
    assert alike.interval.low < 0 < alike.interval.high
    assert alike.p_value > 0.05
    same = compare_bleu(statistics(good, references), statistics(good, references))
    assert (same.difference, same.p_value) == (0.0, 1.0)


def test_false_alarms_are_as_rare_as_promised():
    references = made_lines(1, sentences=60)
    alarms = 0
    for seed in range(40):
        one, other = (made_lines(100 + 2 * seed + n, like=references, noise=0.2) for n in range(2))
        found = compare_bleu(statistics(one, references), statistics(other, references), resamples=200)
        alarms += found.p_value < 0.05
    # Binomial(40, 0.05): 8 or more once in 1,500 times.
    assert alarms < 8


def test_intervals_hold_the_value_and_shrink_with_sentences():
    references = made_lines(1, sentences=400)
    lines = made_lines(2, like=references, noise=0.2)
    few = bootstrap_bleu(statistics(lines[:40], references[:40]))
    many = bootstrap_bleu(statistics(lines, references))
    for found in (few, many):
        assert found.interval.low < found.bleu < found.interval.high
    ratio = (few.interval.high - few.interval.low) / (many.interval.high - many.interval.low)
    assert 2 < ratio < 5
    assert bootstrap_bleu(statistics(lines, references), seed=1) == many
    assert bootstrap_bleu(statistics(lines, references), seed=2) != many


def test_what_cannot_be_resampled_is_refused():
    rows = statistics(["a b"], ["a b"])
    for options, name in (({"resamples": 0}, "resamples"), ({"confidence": 1.0}, "confidence")):
        with pytest.raises(ConfigError, match=name):
            bootstrap_bleu(rows, **options)
        with pytest.raises(ConfigError, match=name):
            compare_bleu(rows, rows, **options)
    with pytest.raises(DataError, match="same sentences"):
        compare_bleu(rows, np.concatenate([rows, rows]))


def test_sacrebleu_and_plait_say_the_same(monkeypatch):
    pytest.importorskip("sacrebleu")
    references = made_lines(1)
    lines = made_lines(2, like=references, noise=0.2)
    second = made_lines(3, like=references, noise=0.1)
    with_sacrebleu = evaluate(lines, [references, second], resamples=50)
    assert with_sacrebleu.signature.startswith("sacrebleu nrefs:2|")
    assert "tok:none" in with_sacrebleu.signature
    # An entry of None makes an import fail.
    monkeypatch.setitem(sys.modules, "sacrebleu.metrics", None)
    without = evaluate(lines, [references, second], resamples=50)
    assert without.signature.startswith("plait")
    assert without.bleu == pytest.approx(with_sacrebleu.bleu, abs=1e-12)
    assert without.estimate == with_sacrebleu.estimate
    with pytest.raises(ConfigError, match=r"plait\[bleu\]"):
        evaluate(lines, [references], tokenize="13a")


def test_words_are_cut_as_asked():
    pytest.importorskip("sacrebleu")
    lines, references = ["Hello, world. It is me."] * 3, [["Hello , world . It was me ."] * 3]
    raw = evaluate(lines, references, resamples=10)
    cut = evaluate(lines, references, tokenize="13a", resamples=10)
    assert (raw.words, cut.words) == (15, 24)
    assert cut.bleu > raw.bleu
    assert cut.estimate.bleu == pytest.approx(cut.bleu, abs=1e-12)
    assert "tok:13a" in cut.signature
    with pytest.raises(ConfigError, match="tokenize"):
        evaluate(lines, references, tokenize="magic")


def test_the_parts_of_bleu_are_told():
    found = evaluate(["the cat sat on a mat", "a"], [["the cat sat on the mat", "a dog"]], resamples=0)
    assert (found.words, found.reference_words, found.sentences) == (7, 8, 2)
    assert found.precisions == (6 / 7, 3 / 5, 2 / 4, 1 / 3)
    assert found.brevity_penalty == pytest.approx(np.exp(1 - 8 / 7))
    expected = found.brevity_penalty * np.exp(np.mean(np.log(found.precisions)))
    assert found.bleu == pytest.approx(expected, abs=1e-12)
    assert found.bleu == pytest.approx(
        bleu(bleu_statistics(["the cat sat on a mat", "a"], [["the cat sat on the mat", "a dog"]])), abs=1e-12
    )
    assert (found.estimate, found.comparison) == (None, None)


def test_words_in_lists_are_as_good_as_lines():
    lines, references = made_lines(1), made_lines(2)
    as_lists = evaluate([line.split() for line in lines], [[line.split() for line in references]], resamples=0)
    assert as_lists == evaluate(lines, [references], resamples=0)


def test_streams_must_be_as_long():
    with pytest.raises(UnequalLengthError):
        evaluate(["a", "b"], [["a"]])
    with pytest.raises(UnequalLengthError):
        evaluate(["a", "b"], [["a", "b"]], baseline=["a"])
