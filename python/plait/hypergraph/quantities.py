"""The quantities of Li and Eisner (2009), section 6, one call each.

Each function makes a `Distribution` and asks it; where several quantities are wanted of the same weights, make one and
ask it yourself. Weights are natural logarithms; ``-inf`` is an edge that is not there.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from plait.errors import DataError
from plait.hypergraph.distribution import Distribution
from plait.hypergraph.features import Features
from plait.hypergraph.structure import Hypergraph

__all__ = [
    "covariance",
    "cross_entropy",
    "entropy",
    "expectations",
    "grad_cross_entropy",
    "grad_entropy",
    "grad_kl_divergence",
    "grad_log_z",
    "grad_risk",
    "hessian_log_z",
    "kl_divergence",
    "log_z",
    "posteriors",
    "risk",
    "variance",
]

Vector = npt.NDArray[np.float64]


def log_z(graph: Hypergraph, weights: npt.ArrayLike) -> float:
    """Return ln of the total weight of all derivations."""
    return Distribution(graph, weights).log_z


def posteriors(graph: Hypergraph, weights: npt.ArrayLike) -> Vector:
    """Return the expected number of uses of each edge, shape (edges,): alpha(v) k_e prod beta(u) / Z."""
    return Distribution(graph, weights).edge_posteriors


def expectations(graph: Hypergraph, weights: npt.ArrayLike, features: Features) -> Vector:
    """Return the expectation of each feature, shape (features,) (Figure 4 of the paper)."""
    return Distribution(graph, weights).expectations(features)


def covariance(
    graph: Hypergraph,
    weights: npt.ArrayLike,
    features: Features,
    others: Features | None = None,
    *,
    threads: int | None = None,
) -> Vector:
    """Return the covariances of features, shape (features, others); see `Distribution.covariance`."""
    return Distribution(graph, weights).covariance(features, others, threads=threads)


def variance(graph: Hypergraph, weights: npt.ArrayLike, values: npt.ArrayLike) -> float:
    """Return the variance of the sum of one value an edge."""
    return Distribution(graph, weights).variance(values)


def entropy(graph: Hypergraph, weights: npt.ArrayLike) -> float:
    """Return the entropy of the distribution over derivations, in nats (eq. 5)."""
    return Distribution(graph, weights).entropy


def cross_entropy(graph: Hypergraph, weights: npt.ArrayLike, other_weights: npt.ArrayLike) -> float:
    """Return the cross-entropy -sum p(d) ln q(d), in nats (eq. 6); infinity where a derivation of p is none of q."""
    p, q = Distribution(graph, weights), Distribution(graph, other_weights)
    return p.entropy + p.kl_divergence(q)


def kl_divergence(graph: Hypergraph, weights: npt.ArrayLike, other_weights: npt.ArrayLike) -> float:
    """Return the Kullback-Leibler divergence KL(p || q), in nats."""
    return Distribution(graph, weights).kl_divergence(Distribution(graph, other_weights))


def risk(graph: Hypergraph, weights: npt.ArrayLike, loss: npt.ArrayLike) -> float:
    """Return the expectation of a loss that is a sum over edges, shape (edges,) (eq. 9)."""
    return Distribution(graph, weights).expectation(loss)


def grad_log_z(graph: Hypergraph, weights: npt.ArrayLike, features: Features) -> Vector:
    """Return the gradient of ln Z, shape (features,), where features are the gradients of the log weights."""
    return Distribution(graph, weights).expectations(features)


def hessian_log_z(graph: Hypergraph, weights: npt.ArrayLike, features: Features) -> Vector:
    """Return the Hessian of ln Z of a log-linear model, shape (features, features): the covariance of its features."""
    return Distribution(graph, weights).covariance(features)


def grad_risk(graph: Hypergraph, weights: npt.ArrayLike, loss: npt.ArrayLike, features: Features) -> Vector:
    """Return the gradient of the risk, shape (features,) (eq. 11).

    Parameters
    ----------
    graph : Hypergraph
    weights : array_like of float64, shape (edges,)
        Log weights.
    loss : array_like of float64, shape (edges,)
        Does not depend on the parameters.
    features : array_like, SparseFeatures or CSR matrix
        The gradient of each edge's log weight: its features, in a log-linear model.
    """
    return Distribution(graph, weights).covariance_with(loss, features)


def grad_entropy(graph: Hypergraph, weights: npt.ArrayLike, features: Features) -> Vector:
    """Return the gradient of the entropy, shape (features,) (eq. 10), where features are gradients of log weights."""
    p = Distribution(graph, weights)
    return p.covariance_with(p.surprisals(), features)


def grad_cross_entropy(
    graph: Hypergraph, weights: npt.ArrayLike, other_weights: npt.ArrayLike, features: Features
) -> Vector:
    """Return the gradient of the cross-entropy with respect to the parameters of p, shape (features,).

    With respect to those of q it is the difference of two expectations: ``expectations(graph, other_weights, f) -
    expectations(graph, weights, f)``, with the gradients of the log weights of q as features.
    """
    p, q = Distribution(graph, weights), Distribution(graph, other_weights)
    _refuse_infinity(p, q)
    return p.covariance_with(q.surprisals(), features)


def grad_kl_divergence(
    graph: Hypergraph, weights: npt.ArrayLike, other_weights: npt.ArrayLike, features: Features
) -> Vector:
    """Return the gradient of KL(p || q) with respect to the parameters of p, shape (features,).

    Parameters
    ----------
    graph : Hypergraph
    weights, other_weights : array_like of float64, shape (edges,)
        Log weights of p and q; a derivation of p must be one of q, too.
    features : array_like, SparseFeatures or CSR matrix
        The gradients of the log weights of p.
    """
    p, q = Distribution(graph, weights), Distribution(graph, other_weights)
    _refuse_infinity(p, q)
    return p.covariance_with(q.surprisals() - p.surprisals(), features)


def _refuse_infinity(p: Distribution, q: Distribution) -> None:
    missing = (p.edge_posteriors > 0) & (q.local == 0)
    if missing.any():
        edge = int(missing.argmax())
        raise DataError(f"a derivation of p is none of q: edge {edge} has no weight there; give it one")
