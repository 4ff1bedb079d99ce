"""Hypergraphs without edges that are not good enough."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plait import _core
from plait.errors import ConfigError, DataError
from plait.hypergraph.distribution import Distribution
from plait.hypergraph.features import edge_values
from plait.hypergraph.kbest import whole
from plait.hypergraph.structure import Hypergraph

__all__ = ["Pruned", "prune", "restrict"]


@dataclass(frozen=True, eq=False)
class Pruned:
    """A part of a hypergraph; frozen.

    Parameters
    ----------
    graph : Hypergraph
        Nodes and edges that were kept, numbered anew in the order of their old numbers.
    nodes, edges : ndarray of uint32
        The old number of each: ``weights[edges]`` are the weights of the new edges.
    """

    graph: Hypergraph
    nodes: npt.NDArray[np.uint32]
    edges: npt.NDArray[np.uint32]


def prune(
    graph: Hypergraph,
    weights: npt.ArrayLike,
    *,
    beam: float | None = None,
    posterior: float | None = None,
    density: float | None = None,
    edges: int | None = None,
) -> Pruned:
    """Return a smaller hypergraph, with the best derivation and others that are good enough.

    Parameters
    ----------
    graph : Hypergraph
        Acyclic.
    weights : array_like of float64, shape (edges,)
        Natural logarithms; -inf is an edge that is not there.
    beam : float, optional
        Edges are kept if the best derivation through them is at most so many nats below the best of all.
    posterior : float, optional
        Edges are kept if they are expected so many times in a derivation or more; those are dropped whose derivations
        all have an edge that is dropped.
    density : float, optional
        At most so many times the edges of the best derivation: those of the widest beam that allows.
    edges : int, optional
        At most so many edges: those of the widest beam that allows. Edges that are equally good go together.

    Returns
    -------
    Pruned
        With several bounds, each must be met. The best derivation is always kept, also where it alone exceeds the
        bound; without any derivation, the root alone is left.

    Raises
    ------
    CycleError, DataError
        As for `viterbi`, and for `Distribution` with ``posterior``.
    ConfigError
        No bound is given, or one is negative or NaN.

    Notes
    -----
    O(edges + tail nodes), and a sort of the edges for ``density`` and ``edges``.

    Examples
    --------
    >>> from plait.hypergraph import Hypergraph, prune
    >>> forest = Hypergraph.from_edges([(0, []), (0, []), (1, [0, 0]), (1, [])])
    >>> small = prune(forest, [-2.0, -1.0, -0.5, -9.0], beam=1.0)
    >>> small.graph, small.edges.tolist()
    (Hypergraph(nodes=2, edges=3, root=1), [0, 1, 2])
    """
    if beam is None and posterior is None and density is None and edges is None:
        raise ConfigError("prune needs a bound: beam, posterior, density or edges")
    column = edge_values(weights, graph.edges, "weights")
    expected = None
    if posterior is not None:
        expected = (np.ascontiguousarray(Distribution(graph, column).edge_posteriors), float(posterior))
    core, kept_nodes, kept_edges = _core.hypergraph_prune(
        graph._core,
        column,
        beam=beam,
        posterior=expected,
        edges=None if edges is None else min(whole(edges, "edges"), graph.edges),
        density=density,
    )
    return Pruned(Hypergraph.from_core(core), kept_nodes, kept_edges)


def restrict(graph: Hypergraph, is_kept: npt.ArrayLike) -> Pruned:
    """Return the hypergraph of the derivations that only have edges of a choice.

    Parameters
    ----------
    graph : Hypergraph
        Cycles are allowed.
    is_kept : array_like of bool, shape (edges,)

    Returns
    -------
    Pruned
        Nodes and edges that are in no such derivation are dropped; without any, the root alone is left. So
        ``restrict(graph, np.ones(graph.edges, bool))`` trims a hypergraph.

    Examples
    --------
    >>> from plait.hypergraph import Hypergraph, restrict
    >>> forest = Hypergraph.from_edges([(0, []), (1, []), (2, [0]), (2, [1])])
    >>> restrict(forest, [True, True, False, True]).nodes.tolist()
    [1, 2]
    """
    claims = np.asarray(is_kept)
    if claims.dtype != np.bool_ or claims.shape != (graph.edges,):
        raise DataError(f"is_kept must be one bool for each of the {graph.edges} edges; found shape {claims.shape}")
    core, nodes, edges = _core.hypergraph_restrict(graph._core, np.ascontiguousarray(claims))
    return Pruned(Hypergraph.from_core(core), nodes, edges)
