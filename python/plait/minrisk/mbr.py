"""Minimum Bayes risk decoding with a linear gain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from plait import _core
from plait.errors import ConfigError, ResourceError
from plait.hypergraph.distribution import Distribution
from plait.hypergraph.features import edge_values
from plait.hypergraph.intersect import NgramForest, with_ngrams
from plait.hypergraph.prune import prune
from plait.hypergraph.structure import Hypergraph
from plait.hypergraph.yields import Yields
from plait.threads import resolve_threads

__all__ = ["GainForest", "expected_gains", "ngram_posteriors"]

Vector = npt.NDArray[np.float64]
DEFAULT_LIMIT = 10_000_000


@dataclass(frozen=True, eq=False)
class GainForest:
    """A hypergraph whose derivations weigh as much as their yields are expected to gain; frozen.

    Attributes
    ----------
    graph : Hypergraph
    nodes, edges : ndarray of uint32
        The old number of each new node and edge.
    gains : ndarray of float64, shape (edges,)
        The sum over the edges of a derivation is the expected gain of its yield; -inf is an edge that was not there.
    """

    graph: Hypergraph
    nodes: npt.NDArray[np.uint32]
    edges: npt.NDArray[np.uint32]
    gains: Vector


def ngram_posteriors(
    forest: NgramForest,
    weights: npt.ArrayLike,
    *,
    posteriors: Literal["presence", "counts"] = "presence",
    threads: int | None = None,
) -> Vector:
    """Return how probable each n-gram of a forest is.

    Parameters
    ----------
    forest : NgramForest
    weights : array_like of float64, shape (edges,)
        Natural logarithms, of the edges of ``forest.graph``.
    posteriors : {"presence", "counts"}
        The probability that a yield has the n-gram, or how many times it is expected to.
    threads : int, optional
        All CPUs by default. No bit of the result depends on it.

    Returns
    -------
    ndarray of float64, shape (n-grams,)
        All 0 where there is no derivation.

    Raises
    ------
    DataError
        As for `plait.hypergraph.Distribution`.

    Notes
    -----
    Tromble et al. (2008), section 3.1. Counts are one pass over the forest, O(edges); presence is one for each n-gram,
    from its lowest node to the root: at most O(n-grams edges). Where no yield has an n-gram twice, both are equal;
    otherwise counts are more.

    Examples
    --------
    >>> from plait.hypergraph import Hypergraph, Yields, with_ngrams
    >>> from plait.minrisk import ngram_posteriors
    >>> forest = with_ngrams(Hypergraph.from_edges([(0, []), (0, [])]), Yields.from_rows([[7, 7], [8]]), 1)
    >>> forest.words(), ngram_posteriors(forest, [0.0, 0.0]).tolist()
    ([(7,), (8,)], [0.5, 0.5])
    >>> ngram_posteriors(forest, [0.0, 0.0], posteriors="counts").tolist()
    [1.0, 0.5]
    """
    if posteriors not in ("presence", "counts"):
        raise ConfigError(name="posteriors", expected="presence or counts", found=repr(posteriors))
    count = len(forest.table[0]) - 1
    p = Distribution(forest.graph, weights)
    if p.log_z == -np.inf:
        return np.zeros(count)
    lengths = np.diff(forest.starts).astype(np.int64)
    edges = np.repeat(np.arange(forest.graph.edges, dtype=np.uint32), lengths)
    if posteriors == "counts":
        return np.bincount(forest.ngrams, weights=p.edge_posteriors[edges], minlength=count).astype(np.float64)
    order = np.argsort(forest.ngrams, kind="stable")
    starts = np.zeros(count + 1, np.uint64)
    np.cumsum(np.bincount(forest.ngrams, minlength=count), out=starts[1:])
    return _core.hypergraph_presence(
        forest.graph._core, p.local, starts, edges[order], threads=resolve_threads(threads)
    )


def expected_gains(
    graph: Hypergraph,
    yields: Yields,
    weights: npt.ArrayLike,
    thetas: npt.ArrayLike,
    *,
    posteriors: Literal["presence", "counts"] = "presence",
    edges: int | None = None,
    limit: int = DEFAULT_LIMIT,
    threads: int | None = None,
) -> GainForest:
    """Return a hypergraph in which the best derivation has the yield of minimum Bayes risk.

    Parameters
    ----------
    graph : Hypergraph
        Acyclic.
    yields : Yields
        Every edge has each of its tail nodes exactly once.
    weights : array_like of float64, shape (edges,)
        Natural logarithms, which make the distribution over derivations.
    thetas : array_like of float64, shape (order + 1,)
        The gain of a word, whatever it is, then that of an n-gram of each order, as of `plait.minrisk.LinearBleu`.
    posteriors : {"presence", "counts"}
        As for `ngram_posteriors`. With "presence", gains are those of the paper.
    edges : int, optional
        Prune the hypergraph to so many edges first.
    limit : int
        The most edges of the result.
    threads : int, optional
        All CPUs by default. No bit of the result depends on it.

    Returns
    -------
    GainForest

    Raises
    ------
    plait.errors.ResourceError
        The limit is reached: prune to fewer edges.
    plait.errors.ConfigError, plait.errors.DataError
        As for `plait.hypergraph.with_ngrams`.

    Notes
    -----
    Tromble et al. (2008), section 3: the gain of y' is ``theta_0 |y'| + sum_w theta_n #_w(y') p(w)`` over n-grams w,
    with the length n of w and the posterior probability p(w) that a yield has w. It is the expectation, over
    references y that are distributed as the derivations are, of the linear gain that `plait.minrisk.LinearBleu` has for
    one y.
    """
    values = np.asarray(thetas, np.float64)
    if values.ndim != 1 or len(values) < 2 or not np.isfinite(values).all():
        raise ConfigError(name="thetas", expected="finite, one for words and one for each order", found=thetas)
    column = edge_values(weights, graph.edges, "weights")
    if edges is not None and graph.edges > edges:
        small = prune(graph, column, edges=edges)
        old_nodes, old_edges = small.nodes, small.edges
        graph, yields, column = small.graph, yields.rows(small.edges), column[small.edges]
    else:
        old_nodes = np.arange(graph.nodes, dtype=np.uint32)
        old_edges = np.arange(graph.edges, dtype=np.uint32)
    try:
        found = with_ngrams(graph, yields, len(values) - 1, limit=limit)
    except ResourceError as problem:
        raise ResourceError(f"{problem}; prune the forest to fewer edges first, or raise the limit") from None
    inherited = column[found.edges]
    probabilities = ngram_posteriors(found, inherited, posteriors=posteriors, threads=threads)
    lengths = np.diff(found.table[0]).astype(np.int64)
    # Every word completes one unigram.
    gains = found.sums(values[lengths] * probabilities + np.where(lengths == 1, values[0], 0.0))
    gains[inherited == -np.inf] = -np.inf
    return GainForest(found.graph, old_nodes[found.nodes], old_edges[found.edges], gains)
