"""Bootstrap intervals and the paired comparison, against theory and by their promises."""

from __future__ import annotations

import math

import numpy as np
import pytest

from plait.alignments import Alignments
from plait.errors import ConfigError, UnequalLengthError
from plait.metrics import Gold, bootstrap, paired_bootstrap, score, sufficient_statistics


def corpus(hits):
    """One link a pair, right where ``hits`` says so, against one sure link a pair."""
    links = Alignments.from_lists([[(0, 0)] if hit else [(1, 1)] for hit in hits])
    gold = Alignments.from_lists([[(0, 0)]] * len(hits))
    return links, Gold(gold, gold)


def test_intervals_agree_with_theory():
    # Precision is then a mean of independent draws, whose bootstrap error is sqrt(p (1 - p) / n).
    links, gold = corpus([True] * 300 + [False] * 100)
    result = bootstrap(links, gold, resamples=4000)
    interval = result.intervals["precision"]
    error = math.sqrt(0.75 * 0.25 / 400)
    # The quantiles of 4000 draws have an error of about 0.03 standard errors.
    assert interval.low == pytest.approx(0.75 - 1.96 * error, abs=0.15 * error)
    assert interval.high == pytest.approx(0.75 + 1.96 * error, abs=0.15 * error)
    narrow = bootstrap(links, gold, resamples=4000, confidence=0.5).intervals["precision"]
    assert interval.low < narrow.low < 0.75 < narrow.high < interval.high


def test_the_seed_decides():
    links, gold = corpus([True, False] * 30)
    assert bootstrap(links, gold) == bootstrap(links, gold)
    assert bootstrap(links, gold, seed=2).intervals != bootstrap(links, gold).intervals
    drawn = bootstrap(links, gold, seed=None)
    assert bootstrap(links, gold, seed=drawn.seed) == drawn


def test_resampling_takes_whole_pairs():
    # One pair holds all errors: precision is 1 without it, whatever else is drawn.
    gold_links = Alignments.from_lists([[(0, 0)], [(0, 0)]])
    links = Alignments.from_lists([[(0, 0)], [(1, 1), (2, 2), (3, 3)]])
    interval = bootstrap(links, Gold(gold_links, gold_links)).intervals["precision"]
    assert (interval.low, interval.high) == (0.0, 1.0)


def test_a_clear_difference_is_significant_and_noise_is_not():
    better, gold = corpus([True] * 95 + [False] * 5)
    worse, _ = corpus([True] * 70 + [False] * 30)
    result = paired_bootstrap(better, worse, gold)
    assert result.differences["aer"] == pytest.approx(-0.25)
    assert result.intervals["aer"].high < 0
    assert result.p_values["aer"] == pytest.approx(2 / 1001), "never 0"
    assert result.a == score(better, gold)
    mirrored = paired_bootstrap(worse, better, gold)
    assert mirrored.differences["aer"] == pytest.approx(0.25)
    assert mirrored.p_values == result.p_values
    # As many pairs better as worse.
    left, _ = corpus([True, False] * 50)
    right, _ = corpus([False, True] * 50)
    assert paired_bootstrap(left, right, gold).p_values["aer"] > 0.5


def test_pairing_beats_two_separate_intervals():
    rng = np.random.default_rng(3)
    base = rng.random(200) < 0.5
    # Hard and easy pairs are shared; the better system wins 10 of 200.
    improved = base.copy()
    improved[np.flatnonzero(~base)[:10]] = True
    a, gold = corpus(base)
    b, _ = corpus(improved)
    assert bootstrap(a, gold).intervals["aer"].low < score(b, gold).aer, "the intervals overlap"
    assert paired_bootstrap(a, b, gold).intervals["aer"].low > 0


def test_false_alarms_are_as_rare_as_promised():
    # Two systems of equal quality: p below 0.1 in about a tenth of the trials. With 200 trials of probability 0.1, 40
    # or more have a chance below 1e-5.
    rng = np.random.default_rng(11)
    alarms = 0
    for seed in range(200):
        a, gold = corpus(rng.random(120) < 0.6)
        b, _ = corpus(rng.random(120) < 0.6)
        alarms += paired_bootstrap(a, b, gold, resamples=200, seed=seed).p_values["aer"] < 0.1
    assert 3 <= alarms < 40


def test_undefined_rates_are_nan():
    nothing = Alignments.from_lists([[], []])
    gold = Gold(Alignments.from_lists([[(0, 0)], []]), nothing)
    found = score(nothing, gold)
    assert (found.aer, found.recall) == (1.0, 0.0)
    assert math.isnan(found.precision)
    assert math.isnan(found.f1)
    result = bootstrap(nothing, gold)
    assert math.isnan(result.intervals["precision"].low)
    assert result.intervals["aer"].low == 1.0, "resamples without any link are left out"
    assert math.isnan(paired_bootstrap(nothing, nothing, gold).p_values["precision"])
    assert math.isnan(score(nothing, Gold(nothing, nothing)).aer)


def test_statistics_are_counts_of_each_pair():
    links = Alignments.from_lists([[(0, 0), (1, 1), (5, 5)], []])
    gold = Gold(Alignments.from_lists([[(0, 0), (2, 2)], [(1, 0)]]), Alignments.from_lists([[(1, 1)], []]))
    assert sufficient_statistics(links, gold).tolist() == [[3, 2, 3, 1, 2], [0, 1, 1, 0, 0]]


def test_positions_of_different_pairs_and_huge_ones_are_not_confused():
    far = 2**31 - 1
    links = Alignments.from_lists([[(0, far)], [(far, 0)]])
    gold = Alignments.from_lists([[(far, 0)], [(far, 0)]])
    assert score(links, Gold(gold, gold)).sure_hits == 1


def test_bad_arguments_are_refused():
    links, gold = corpus([True])
    with pytest.raises(ConfigError, match="resamples must be at least 1"):
        bootstrap(links, gold, resamples=0)
    for confidence in (0, 1, float("nan")):
        with pytest.raises(ConfigError, match="confidence must be between 0 and 1"):
            bootstrap(links, gold, confidence=confidence)
    with pytest.raises(UnequalLengthError, match="the gold standard ends after line 1, but the alignment has 2"):
        score(Alignments.from_lists([[], []]), gold)
