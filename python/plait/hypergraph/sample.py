"""Derivations at random."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from plait import _core
from plait.hypergraph.derivations import Derivations
from plait.hypergraph.distribution import Distribution
from plait.hypergraph.features import edge_values
from plait.hypergraph.kbest import whole
from plait.hypergraph.structure import Hypergraph
from plait.threads import resolve_threads

__all__ = ["sample"]


def sample(
    graph: Hypergraph, weights: npt.ArrayLike, n: int, *, seed: int = 0, threads: int | None = None
) -> Derivations:
    """Draw derivations, each with probability in proportion to its weight, independent of each other.

    Parameters
    ----------
    graph : Hypergraph
        Acyclic.
    weights : array_like of float64, shape (edges,)
        Natural logarithms; -inf is an edge that is not there.
    n : int
        How many.
    seed : int
        From 0. Sample s is a function of seed and s: the first of n + 1 samples are those of n.
    threads : int, optional
        All CPUs by default. No bit of the result depends on it.

    Returns
    -------
    Derivations
        None of them if the root has no derivation.

    Raises
    ------
    CycleError, DataError
        As for `Distribution`.
    ResourceError
        A derivation has more than 2**28 edges.

    Notes
    -----
    From the root down, an edge into v is chosen with probability ``k_e prod beta(u) / beta(v)``; beta are the inside
    weights. O(edges) once, then O(log(edges into a node)) for each edge that is drawn.

    Examples
    --------
    >>> from plait.hypergraph import Hypergraph, sample
    >>> import numpy as np
    >>> coin = Hypergraph.from_edges([(0, []), (0, [])])
    >>> drawn = sample(coin, np.log([0.25, 0.75]), 10_000)
    >>> bool(abs(drawn.sums([0, 1]).mean() - 0.75) < 0.02)
    True
    """
    column = edge_values(weights, graph.edges, "weights")
    local = Distribution(graph, column).local
    count = whole(n, "n")
    starts, edges = _core.hypergraph_sample(graph._core, local, count, whole(seed, "seed"), resolve_threads(threads))
    drawn = Derivations(starts, edges, np.zeros(len(starts) - 1))
    return Derivations(starts, edges, drawn.sums(column))
