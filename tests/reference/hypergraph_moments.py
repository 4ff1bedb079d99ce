"""Expectations, entropies and their derivatives over a hypergraph, by enumeration of its derivations.

Expectations, covariances and Hessians are exact rationals. What has logarithms (entropy, cross-entropy, divergence and
their gradients) is summed in decimals of 60 digits over exact probabilities and rounded once, to the nearest double.

Gradients are those by parameters theta of log-linear weights: d ln(weight of edge e) / d theta_i = features[e][i].
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction

from reference.hypergraph import (
    Derivation,
    Features,
    Graph,
    dense,
    distribution,
    enumerate_derivations,
    features_of,
    product,
    total,
)

Vector = list[Fraction]
Matrix = list[list[Fraction]]

_DIGITS = Context(prec=60)


# The sums of the expectation semirings


def first_order(graph: Graph, p: Sequence[Fraction], r: Sequence[Fraction]) -> tuple[Fraction, Fraction]:
    """Return the sum, over derivations, of the product of <p, r>: r in one place and p in all others."""
    rbar = Fraction(0)
    for d in enumerate_derivations(graph):
        for i in range(len(d)):
            rbar += r[d[i]] * product(d[:i] + d[i + 1 :], p)
    return total(graph, p), rbar


def second_order(
    graph: Graph, p: Sequence[Fraction], r: Sequence[Fraction], s: Sequence[Fraction], t: Sequence[Fraction]
) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """Return the sum of the products of <p, r, s, t>: t in one place, or r and s in two, and p in all others."""
    tbar = first_order(graph, p, t)[1]
    for d in enumerate_derivations(graph):
        for i in range(len(d)):
            for j in range(len(d)):
                if i != j and r[d[i]] and s[d[j]]:
                    rest = [edge for place, edge in enumerate(d) if place not in (i, j)]
                    tbar += r[d[i]] * s[d[j]] * product(rest, p)
    return total(graph, p), first_order(graph, p, r)[1], first_order(graph, p, s)[1], tbar


def inside_outside(graph: Graph, k: Sequence[Fraction], x: Sequence[Features]) -> tuple[Fraction, dict[int, Fraction]]:
    """Return Z and the sum over derivations of their weight times their features (Li and Eisner 2009, Figure 4)."""
    sums: dict[int, Fraction] = {}
    for d in enumerate_derivations(graph):
        for name, value in features_of(d, x).items():
            sums[name] = sums.get(name, Fraction(0)) + product(d, k) * value
    return total(graph, k), sums


# Moments of features


def expectations(graph: Graph, weights: Sequence[Fraction], features: Sequence[Features], size: int) -> Vector:
    """Return E[f]."""
    mean = [Fraction(0)] * size
    for d, p in distribution(graph, weights).items():
        for i, value in enumerate(dense(features_of(d, features), size)):
            mean[i] += p * value
    return mean


def covariance(graph: Graph, weights: Sequence[Fraction], features: Sequence[Features], size: int) -> Matrix:
    """Return E[(f - E[f]) (f - E[f])'], which is the Hessian of ln Z by theta."""
    mean = expectations(graph, weights, features, size)
    matrix = [[Fraction(0)] * size for _ in range(size)]
    for d, p in distribution(graph, weights).items():
        centred = [value - m for value, m in zip(dense(features_of(d, features), size), mean, strict=True)]
        for i in range(size):
            for j in range(size):
                matrix[i][j] += p * centred[i] * centred[j]
    return matrix


def gradient_z(graph: Graph, weights: Sequence[Fraction], features: Sequence[Features], size: int) -> Vector:
    """Return dZ / d theta."""
    z = total(graph, weights)
    return [z * value for value in expectations(graph, weights, features, size)]


def hessian_z(graph: Graph, weights: Sequence[Fraction], features: Sequence[Features], size: int) -> Matrix:
    """Return d2 Z / d theta d theta', the sum of weight f f'."""
    matrix = [[Fraction(0)] * size for _ in range(size)]
    for d in enumerate_derivations(graph):
        weight, f = product(d, weights), dense(features_of(d, features), size)
        for i in range(size):
            for j in range(size):
                matrix[i][j] += weight * f[i] * f[j]
    return matrix


def hessian_log_z(graph: Graph, weights: Sequence[Fraction], features: Sequence[Features], size: int) -> Matrix:
    """Return d2 ln Z / d theta d theta', by the quotient rule from those of Z."""
    z = total(graph, weights)
    gradient = gradient_z(graph, weights, features, size)
    hessian = hessian_z(graph, weights, features, size)
    return [[hessian[i][j] / z - gradient[i] * gradient[j] / z**2 for j in range(size)] for i in range(size)]


def risk(graph: Graph, weights: Sequence[Fraction], loss: Sequence[Fraction]) -> Fraction:
    """Return E[L], L the sum of the losses of the edges of a derivation (eq. 9)."""
    return expectations(graph, weights, [{0: value} for value in loss], 1)[0]


def grad_risk(
    graph: Graph, weights: Sequence[Fraction], loss: Sequence[Fraction], features: Sequence[Features], size: int
) -> Vector:
    """Return d E[L] / d theta = Cov(L, f)."""
    both = [{**{i + 1: f for i, f in row.items()}, 0: lost} for row, lost in zip(features, loss, strict=True)]
    return covariance(graph, weights, both, size + 1)[0][1:]


# Entropies


def log(value: Fraction) -> Decimal:
    """Return the natural logarithm, to 60 digits."""
    numerator, denominator = (_DIGITS.ln(Decimal(n)) for n in value.as_integer_ratio())
    return _DIGITS.subtract(numerator, denominator)


def log_total(graph: Graph, weights: Sequence[Fraction]) -> float:
    """Return ln Z; -infinity if there is no derivation."""
    z = total(graph, weights)
    return float(log(z)) if z else -math.inf


def entropy(graph: Graph, weights: Sequence[Fraction]) -> float:
    """Return H(p) = - sum p ln p in nats; 0 ln 0 is 0 (eq. 5)."""
    return cross_entropy(graph, weights, weights)


def cross_entropy(graph: Graph, weights: Sequence[Fraction], others: Sequence[Fraction]) -> float:
    """Return H(p, q) = - sum p ln q in nats, q that of the other weights (eq. 6); infinite if q lacks what p has."""
    p, q = distribution(graph, weights), distribution(graph, others)
    if any(p[d] and not q[d] for d in p):
        return math.inf
    return float(-_mean(p, {d: log(q[d]) for d in p if p[d]}))


def kl_divergence(graph: Graph, weights: Sequence[Fraction], others: Sequence[Fraction]) -> float:
    """Return KL(p || q) = sum p ln (p / q) in nats."""
    p, q = distribution(graph, weights), distribution(graph, others)
    if any(p[d] and not q[d] for d in p):
        return math.inf
    return float(_mean(p, {d: log(p[d] / q[d]) for d in p if p[d]}))


def grad_entropy(graph: Graph, weights: Sequence[Fraction], features: Sequence[Features], size: int) -> list[float]:
    """Return dH(p) / d theta = - Cov(ln p, f) (eq. 10)."""
    p = distribution(graph, weights)
    found = _covariances(p, {d: log(p[d]) for d in p if p[d]}, features, size)
    return [float(-value) for value in found]


def grad_cross_entropy(
    graph: Graph, weights: Sequence[Fraction], others: Sequence[Fraction], features: Sequence[Features], size: int
) -> list[float]:
    """Return dH(p, q) / d theta, the parameters being those of p: - Cov_p(ln q, f)."""
    p, q = distribution(graph, weights), distribution(graph, others)
    found = _covariances(p, {d: log(q[d]) for d in p if p[d]}, features, size)
    return [float(-value) for value in found]


def grad_kl_divergence(
    graph: Graph, weights: Sequence[Fraction], others: Sequence[Fraction], features: Sequence[Features], size: int
) -> list[float]:
    """Return dKL(p || q) / d theta, the parameters being those of p: Cov_p(ln p - ln q, f)."""
    p, q = distribution(graph, weights), distribution(graph, others)
    found = _covariances(p, {d: log(p[d] / q[d]) for d in p if p[d]}, features, size)
    return [float(value) for value in found]


def grad_other(
    graph: Graph, weights: Sequence[Fraction], others: Sequence[Fraction], features: Sequence[Features], size: int
) -> Vector:
    """Return dH(p, q) / d theta = dKL(p || q) / d theta, the parameters being those of q: E_q[f] - E_p[f]."""
    ours, theirs = (expectations(graph, w, features, size) for w in (weights, others))
    return [b - a for a, b in zip(ours, theirs, strict=True)]


def _mean(p: dict[Derivation, Fraction], values: dict[Derivation, Decimal]) -> Decimal:
    """Return the sum of p times the values, of those derivations that have one."""
    found = Decimal(0)
    for d, value in values.items():
        found = _DIGITS.add(found, _DIGITS.multiply(_decimal(p[d]), value))
    return found


def _covariances(
    p: dict[Derivation, Fraction], values: dict[Derivation, Decimal], features: Sequence[Features], size: int
) -> list[Decimal]:
    """Return the covariance of a number with each feature: the mean of value (f - E[f])."""
    mean = _feature_means(p, features, size)
    found = []
    for i in range(size):
        weights = {d: p[d] * (features_of(d, features).get(i, 0) - mean[i]) for d in values}
        found.append(_mean(weights, values))
    return found


def _feature_means(p: dict[Derivation, Fraction], features: Sequence[Features], size: int) -> Vector:
    return [sum((p[d] * features_of(d, features).get(i, 0) for d in p), Fraction(0)) for i in range(size)]


def _decimal(value: Fraction) -> Decimal:
    numerator, denominator = value.as_integer_ratio()
    return _DIGITS.divide(Decimal(numerator), Decimal(denominator))
