"""Risk, entropy and their derivatives by enumeration, in decimals of 60 digits.

Derivatives are those of sums over derivations, by the rules of calculus: p(d) is exp(gamma score(d)) / Z, and its
derivative by a parameter is p(d) times that of gamma score(d), less the mean of these. No covariance is formed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction

from reference.hypergraph import Features, Graph, dense, enumerate_derivations, features_of

_DIGITS = Context(prec=60, Emax=10**9, Emin=-(10**9))


@dataclass(frozen=True)
class Forest:
    """A hypergraph with features, a loss and a base score of each edge."""

    graph: Graph
    features: Sequence[Features]
    losses: Sequence[Fraction]
    base: Sequence[Fraction]


@dataclass(frozen=True)
class Found:
    """Sums over forests; gradients by weights, then by gamma."""

    empty: int
    risk: float
    entropy: float
    expected_score: float
    risk_gradient: list[float]
    entropy_gradient: list[float]
    scale: float
    """The largest size of a term of a gradient: what rounding is relative to."""


def evaluate(forests: Sequence[Forest], theta: Sequence[Fraction], gamma: Fraction) -> Found:
    """Return sums over all forests."""
    parts = [_of_forest(forest, theta, gamma) for forest in forests]
    size = len(theta) + 1

    def total(values: list[Decimal]) -> float:
        sum_ = Decimal(0)
        for value in values:
            sum_ = _DIGITS.add(sum_, value)
        return float(sum_)

    found = [part for part in parts if part is not None]
    return Found(
        empty=len(parts) - len(found),
        risk=total([part[0] for part in found]),
        entropy=total([part[1] for part in found]),
        expected_score=total([part[2] for part in found]),
        risk_gradient=[total([part[3][i] for part in found]) for i in range(size)],
        entropy_gradient=[total([part[4][i] for part in found]) for i in range(size)],
        scale=max([1.0, *(float(part[5]) for part in found)]),
    )


_Part = tuple[Decimal, Decimal, Decimal, list[Decimal], list[Decimal], Decimal]


def _of_forest(forest: Forest, theta: Sequence[Fraction], gamma: Fraction) -> _Part | None:
    derivations = enumerate_derivations(forest.graph)
    if not derivations:
        return None
    size = len(theta)
    rows = [dense(features_of(d, forest.features), size) for d in derivations]
    scores = [
        sum((forest.base[e] for e in d), Fraction(0))
        + sum((t * f for t, f in zip(theta, row, strict=True)), Fraction(0))
        for d, row in zip(derivations, rows, strict=True)
    ]
    losses = [sum((forest.losses[e] for e in d), Fraction(0)) for d in derivations]
    weights = [_DIGITS.exp(_decimal(gamma * score)) for score in scores]
    z = _sum(weights)
    p = [_DIGITS.divide(weight, z) for weight in weights]
    logs = [_DIGITS.subtract(_decimal(gamma * score), _DIGITS.ln(z)) for score in scores]
    risk = _dot(p, [_decimal(loss) for loss in losses])
    entropy = -_dot(p, logs)
    expected = _dot(p, [_decimal(score) for score in scores])
    of_risk, of_entropy = [], []
    largest = Decimal(0)
    for i in range(size + 1):
        # The derivative of gamma score(d), and from it that of p(d).
        slopes = [_decimal(gamma * row[i] if i < size else score) for row, score in zip(rows, scores, strict=True)]
        mean = _dot(p, slopes)
        dp = [_DIGITS.multiply(q, _DIGITS.subtract(slope, mean)) for q, slope in zip(p, slopes, strict=True)]
        of_risk.append(_dot(dp, [_decimal(loss) for loss in losses]))
        # d(-p ln p) = -(1 + ln p) dp
        of_entropy.append(-_dot(dp, [_DIGITS.add(log, Decimal(1)) for log in logs]))
        for q, slope, loss, log in zip(p, slopes, losses, logs, strict=True):
            size_ = abs(float(q)) * max(1.0, abs(float(slope))) * max(1.0, abs(float(loss)), abs(float(log)))
            largest = max(largest, Decimal(size_))
    return risk, entropy, expected, of_risk, of_entropy, largest


def _decimal(number: Fraction) -> Decimal:
    return _DIGITS.divide(Decimal(number.numerator), Decimal(number.denominator))


def _sum(values: Sequence[Decimal]) -> Decimal:
    total = Decimal(0)
    for value in values:
        total = _DIGITS.add(total, value)
    return total


def _dot(left: Sequence[Decimal], right: Sequence[Decimal]) -> Decimal:
    return _sum([_DIGITS.multiply(a, b) for a, b in zip(left, right, strict=True)])
