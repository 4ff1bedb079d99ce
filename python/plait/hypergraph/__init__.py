"""Hypergraphs (packed forests, lattices) and dynamic programming over them.

A hypergraph packs many derivations. Weights, features and labels are arrays beside it, by edge, so that one
forest serves many weightings. All logarithms are natural; entropies are in nats.
"""

from plait.hypergraph.derivations import Derivation, Derivations
from plait.hypergraph.distribution import Distribution, distributions
from plait.hypergraph.envelope import Envelope, envelope
from plait.hypergraph.features import SparseFeatures
from plait.hypergraph.forest import Forest
from plait.hypergraph.forest_files import read_forests, write_forests
from plait.hypergraph.forest_formats import FORMATS
from plait.hypergraph.generic import edge_outside, inside, inside_outside, outside
from plait.hypergraph.intersect import (
    NO_STATE,
    OTHER_WORDS,
    Automaton,
    Intersection,
    NgramForest,
    intersect,
    with_ngrams,
)
from plait.hypergraph.kbest import KBest, kbest
from plait.hypergraph.ngram_matches import NgramMatches, match_all_ngrams, match_ngrams
from plait.hypergraph.prune import Pruned, prune, restrict
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
from plait.hypergraph.sample import sample
from plait.hypergraph.structure import Hypergraph
from plait.hypergraph.viterbi import MaxMarginals, max_marginals, viterbi
from plait.hypergraph.yields import Yields

__all__ = [
    "FORMATS",
    "NO_STATE",
    "OTHER_WORDS",
    "Automaton",
    "Derivation",
    "Derivations",
    "Distribution",
    "Envelope",
    "Forest",
    "Hypergraph",
    "Intersection",
    "KBest",
    "MaxMarginals",
    "NgramForest",
    "NgramMatches",
    "Pruned",
    "SparseFeatures",
    "Yields",
    "covariance",
    "cross_entropy",
    "distributions",
    "edge_outside",
    "entropy",
    "envelope",
    "expectations",
    "grad_cross_entropy",
    "grad_entropy",
    "grad_kl_divergence",
    "grad_log_z",
    "grad_risk",
    "hessian_log_z",
    "inside",
    "inside_outside",
    "intersect",
    "kbest",
    "kl_divergence",
    "log_z",
    "match_all_ngrams",
    "match_ngrams",
    "max_marginals",
    "outside",
    "posteriors",
    "prune",
    "read_forests",
    "restrict",
    "risk",
    "sample",
    "variance",
    "viterbi",
    "with_ngrams",
    "write_forests",
]
