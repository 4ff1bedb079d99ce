"""The chi-squared tests themselves: known quantiles, power, and false alarms."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from reference.chi_squared import bonferroni, fit_probability, same_probability, upper_tail


@pytest.mark.parametrize(
    ("statistic", "degrees", "tail"),
    [
        # Upper 5 %, 1 % and 0.1 % points of the printed tables.
        (3.841458821, 1, 0.05),
        (5.991464547, 2, 0.05),
        (11.344866730, 3, 0.01),
        (18.466826953, 4, 0.001),
        (43.772971825, 30, 0.05),
        (45.572704252, 17, 0.0002),
    ],
)
def test_upper_tail(statistic: float, degrees: int, tail: float) -> None:
    assert upper_tail(statistic, degrees) == pytest.approx(tail, rel=1e-6)


def test_tail_of_nothing() -> None:
    assert upper_tail(0.0, 3) == 1.0
    assert upper_tail(0.0, 0) == 1.0


def test_right_distributions_pass_and_wrong_ones_fail() -> None:
    rng = np.random.default_rng(5)
    law = {k: p for k, p in enumerate([0.5, 0.3, 0.15, 0.049, 0.001])}
    draws = Counter(rng.choice(5, size=4000, p=list(law.values())).tolist())
    assert fit_probability(draws, law) > 1e-3
    shifted = {**law, 0: 0.45, 1: 0.35}
    assert fit_probability(draws, shifted) < 1e-6
    assert fit_probability({**draws, 9: 1}, law) == 0.0, "an impossible outcome"


def test_false_alarms_are_as_rare_as_stated() -> None:
    rng = np.random.default_rng(6)
    law = {k: p for k, p in enumerate([0.6, 0.25, 0.1, 0.04, 0.008, 0.002])}
    p_values = [
        fit_probability(Counter(rng.choice(6, size=2000, p=list(law.values())).tolist()), law) for _ in range(400)
    ]
    # 400 tests at 10 %: 40 alarms expected, standard deviation 6.
    assert 20 <= sum(p < 0.1 for p in p_values) <= 62


def test_two_samples() -> None:
    rng = np.random.default_rng(7)
    first = Counter(rng.binomial(5, 0.3, size=3000).tolist())
    assert same_probability(first, Counter(rng.binomial(5, 0.3, size=2000).tolist())) > 1e-3
    assert same_probability(first, Counter(rng.binomial(5, 0.36, size=2000).tolist())) < 1e-6


def test_bonferroni() -> None:
    assert bonferroni([0.5, 0.01, 0.2]) == pytest.approx(0.03)
    assert bonferroni([0.9, 0.8]) == 1.0
