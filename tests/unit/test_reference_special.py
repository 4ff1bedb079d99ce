"""The twin's special functions against known values."""

from __future__ import annotations

import math

import pytest

from reference.special import digamma, dirichlet_divergence, log_dirichlet_normaliser

EULER = 0.57721566490153286


@pytest.mark.parametrize(
    ("x", "value"),
    [
        (1.0, -EULER),
        (0.5, -EULER - 2 * math.log(2)),
        (0.25, -EULER - math.pi / 2 - 3 * math.log(2)),
        (2.0, 1 - EULER),
        (10.0, sum(1 / k for k in range(1, 10)) - EULER),
        (1000.0, sum(1 / k for k in range(1, 1000)) - EULER),
    ],
)
def test_digamma_at_known_points(x: float, value: float) -> None:
    assert digamma(x) == pytest.approx(value, rel=1e-13)


@pytest.mark.parametrize("x", [1e-4, 0.003, 0.2, 1.7, 9.99, 10.01, 123.4])
def test_digamma_is_the_slope_of_log_gamma(x: float) -> None:
    h = x * 1e-5
    slope = (math.lgamma(x + h) - math.lgamma(x - h)) / (2 * h)
    assert digamma(x) == pytest.approx(slope, rel=1e-7, abs=1e-7)


def test_dirichlet_normaliser_of_the_flat_simplex() -> None:
    # The triangle of three probabilities has "area" 1 / 2! under Dirichlet(1, 1, 1).
    assert log_dirichlet_normaliser([1.0, 1.0, 1.0]) == pytest.approx(-math.log(2))


def test_divergence_of_beta_distributions() -> None:
    # KL(Beta(2, 1) || Beta(1, 1)) = integral of 2x ln 2x = ln 2 - 1/2.
    assert dirichlet_divergence([2.0, 1.0], [1.0, 1.0]) == pytest.approx(math.log(2) - 0.5)
    assert dirichlet_divergence([0.3, 0.7, 2.0], [0.3, 0.7, 2.0]) == pytest.approx(0.0, abs=1e-14)
