"""The best derivation, and the best through each edge."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from plait import _core
from plait.hypergraph.derivations import Derivation
from plait.hypergraph.features import edge_values
from plait.hypergraph.structure import Hypergraph

__all__ = ["MaxMarginals", "max_marginals", "viterbi"]


def viterbi(graph: Hypergraph, weights: npt.ArrayLike) -> Derivation | None:
    """Return the derivation with the largest weight.

    Parameters
    ----------
    graph : Hypergraph
        Acyclic.
    weights : array_like of float64, shape (edges,)
        Natural logarithms; -inf is an edge that is not there.

    Returns
    -------
    Derivation or None
        None if the root has no derivation. Of derivations with equal weights, the one with the smallest edge number
        at the root, then at the first tail node, and so on in prefix order.

    Raises
    ------
    CycleError
        The hypergraph has a cycle.
    DataError
        A weight is NaN or +infinity, or there are not as many as edges.
    ResourceError
        The derivation has more than 2**28 edges: where tails have the same node twice, it may be of any size.

    Notes
    -----
    O(edges + tail nodes) time, 12 bytes a node; no recursion. The weight is a sum in prefix order of the nodes, each
    rounded once for an edge or tail node.

    Examples
    --------
    >>> from plait.hypergraph import Hypergraph, viterbi
    >>> forest = Hypergraph.from_edges([(0, []), (0, []), (1, [0, 0])])
    >>> best = viterbi(forest, [-2.0, -1.0, -0.5])
    >>> best.edges.tolist(), best.weight
    ([2, 1, 1], -2.5)
    """
    found = _core.hypergraph_viterbi(graph._core, edge_values(weights, graph.edges, "weights"))
    return None if found is None else Derivation(*found)


class MaxMarginals(NamedTuple):
    """The weight of the best derivation that uses each edge and each node."""

    edges: npt.NDArray[np.float64]
    """Natural logarithms, shape (edges,); -inf where no derivation uses the edge."""
    nodes: npt.NDArray[np.float64]
    """Natural logarithms, shape (nodes,)."""


def max_marginals(graph: Hypergraph, weights: npt.ArrayLike) -> MaxMarginals:
    """Return the weight of the best derivation through each edge and each node.

    Parameters
    ----------
    graph : Hypergraph
        Acyclic.
    weights : array_like of float64, shape (edges,)
        Natural logarithms; -inf is an edge that is not there.

    Returns
    -------
    MaxMarginals
        No value is above the weight of the best derivation, and those of its edges and nodes are equal to it.

    Raises
    ------
    CycleError, DataError
        As for `viterbi`.

    Notes
    -----
    Inside and outside (Li and Eisner 2009, Figures 2 and 3) with the maximum for a sum; O(edges + tail nodes).

    Examples
    --------
    >>> from plait.hypergraph import Hypergraph, max_marginals
    >>> forest = Hypergraph.from_edges([(0, []), (0, []), (1, [0, 0])])
    >>> max_marginals(forest, [-2.0, -1.0, -0.5]).edges.tolist()
    [-3.5, -2.5, -2.5]
    """
    return MaxMarginals(*_core.hypergraph_max_marginals(graph._core, edge_values(weights, graph.edges, "weights")))
