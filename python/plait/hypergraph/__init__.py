"""Hypergraphs (packed forests, lattices) and dynamic programming over them.

A hypergraph packs many derivations. Weights, features and labels are arrays beside it, by edge, so that one
forest serves many weightings. All logarithms are natural; entropies are in nats.
"""

from plait.hypergraph.distribution import Distribution, distributions
from plait.hypergraph.features import SparseFeatures
from plait.hypergraph.forest import Forest
from plait.hypergraph.forest_files import read_forests, write_forests
from plait.hypergraph.forest_formats import FORMATS
from plait.hypergraph.generic import edge_outside, inside, inside_outside, outside
from plait.hypergraph.quantities import (
    covariance,
    cross_entropy,
    entropy,
    expectations,
    grad_cross_entropy,
    grad_entropy,
    grad_kl_divergence,
    grad_log_z,
    grad_risk,
    hessian_log_z,
    kl_divergence,
    log_z,
    posteriors,
    risk,
    variance,
)
from plait.hypergraph.structure import Hypergraph

__all__ = [
    "FORMATS",
    "Distribution",
    "Forest",
    "Hypergraph",
    "SparseFeatures",
    "covariance",
    "cross_entropy",
    "distributions",
    "edge_outside",
    "entropy",
    "expectations",
    "grad_cross_entropy",
    "grad_entropy",
    "grad_kl_divergence",
    "grad_log_z",
    "grad_risk",
    "hessian_log_z",
    "inside",
    "inside_outside",
    "kl_divergence",
    "log_z",
    "outside",
    "posteriors",
    "read_forests",
    "risk",
    "variance",
    "write_forests",
]
