"""Special functions, from their textbook definitions."""

from __future__ import annotations

import math
from collections.abc import Sequence


def log(x: float) -> float:
    """Natural logarithm with log(0) = -inf."""
    return math.log(x) if x > 0 else -math.inf


def log_sum_exp(logs: Sequence[float]) -> float:
    """Log of the sum of the numbers whose logs are given; -inf when all of them are zero."""
    top = max(logs)
    return top if top == -math.inf else top + math.log(sum(math.exp(x - top) for x in logs))


def digamma(x: float) -> float:
    """psi(x), the derivative of ln Gamma(x), for x > 0 (Abramowitz and Stegun 1964, 6.3.5 and 6.3.18)."""
    assert x > 0
    shift = 0.0
    while x < 10.0:  # psi(x) = psi(x + 1) - 1 / x, until the asymptotic series is exact to double precision
        shift -= 1.0 / x
        x += 1.0
    y = 1.0 / (x * x)
    series = y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y * (1 / 132 - y * (691 / 32760 - y / 12))))))
    return shift + math.log(x) - 0.5 / x - series


def log_dirichlet_normaliser(alpha: Sequence[float]) -> float:
    """Log of the integral of prod_k x_k ** (alpha_k - 1) over the simplex (the normaliser in eq. 13)."""
    return sum(math.lgamma(a) for a in alpha) - math.lgamma(sum(alpha))


def dirichlet_divergence(posterior: Sequence[float], prior: Sequence[float]) -> float:
    """KL(Dirichlet(posterior) || Dirichlet(prior)), in nats."""
    total = sum(posterior)
    expected_log_ratio = sum((q - p) * (digamma(q) - digamma(total)) for q, p in zip(posterior, prior, strict=True))
    return log_dirichlet_normaliser(prior) - log_dirichlet_normaliser(posterior) + expected_log_ratio
