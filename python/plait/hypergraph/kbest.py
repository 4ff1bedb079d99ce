"""The k best derivations, one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Self

import numpy.typing as npt

from plait import _core
from plait.errors import ConfigError
from plait.hypergraph.derivations import Derivation, Derivations
from plait.hypergraph.features import edge_values
from plait.hypergraph.structure import Hypergraph
from plait.hypergraph.yields import Yields

__all__ = ["KBest", "kbest"]

DEFAULT_LIMIT = 10_000_000
"""Derivations of nodes that are looked at for new yields before the search is given up."""


class KBest(Iterator[Derivation]):
    """The derivations of a hypergraph from the best on, found when they are asked for.

    Parameters
    ----------
    graph : Hypergraph
        Acyclic.
    weights : array_like of float64, shape (edges,)
        Natural logarithms; -inf is an edge that is not there.
    unique_by : Yields, optional
        Only the best derivation of each yield.
    limit : int
        With ``unique_by``: how many derivations of nodes are looked at before the search is given up.

    Raises
    ------
    CycleError
        The hypergraph has a cycle.
    DataError
        A weight is NaN or +infinity, there are not as many as edges, or a yield names no tail node.
    ResourceError
        From the search for the next: the limit is reached, or a derivation has more than 2**28 edges. What was found
        before stands.

    Notes
    -----
    Algorithm 3 of Huang and Chiang (2005): derivations are distinct and exact, their weights never rise.
    Ties are broken in the same way on each run: at a node, by the smaller edge number, then by what was found first;
    what comes first does not depend on how many are asked for. The first costs what `viterbi` costs; each further one
    at most one step at each node of the one before it. 16 bytes an edge into a visited node, 16 + 4 arity a
    candidate, about 100 a visited node.

    With ``unique_by``, the lists of all nodes are kept free of repeated yields, which is exact: of two derivations of
    a node with one yield, only the better is ever part of the best derivation of a whole yield.

    Examples
    --------
    >>> from itertools import islice
    >>> from plait.hypergraph import Hypergraph, KBest
    >>> forest = Hypergraph.from_edges([(0, []), (0, []), (1, [0, 0])])
    >>> [d.weight for d in islice(KBest(forest, [-2.0, -1.0, 0.0]), 3)]
    [-2.0, -3.0, -3.0]
    """

    def __init__(
        self,
        graph: Hypergraph,
        weights: npt.ArrayLike,
        *,
        unique_by: Yields | None = None,
        limit: int = DEFAULT_LIMIT,
    ) -> None:
        column = edge_values(weights, graph.edges, "weights")
        yields = None if unique_by is None else unique_by.arrays
        self._core = _core.KBest(graph._core, column, yields, whole(limit, "limit"))

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Derivation:
        found = self.take(1)
        if not found:
            raise StopIteration
        return found[0]

    def take(self, count: int) -> Derivations:
        """Return so many more derivations at once, fewer at the end."""
        return Derivations(*self._core.take(whole(count, "count")))


def kbest(
    graph: Hypergraph,
    weights: npt.ArrayLike,
    k: int,
    *,
    unique_by: Yields | None = None,
    limit: int = DEFAULT_LIMIT,
) -> Derivations:
    """Return the k best derivations.

    Parameters
    ----------
    graph, weights, unique_by, limit
        As for `KBest`, which finds as many as it is asked for.
    k : int
        All that there are, if they are fewer.

    Returns
    -------
    Derivations
        Those for k are the first of those for k + 1.

    Raises
    ------
    CycleError, DataError, ResourceError
        As for `KBest`.

    Examples
    --------
    Two of three derivations say the same:

    >>> from plait.hypergraph import Hypergraph, Yields, kbest
    >>> forest = Hypergraph.from_edges([(0, []), (0, []), (0, [])])
    >>> weights, yields = [-1.0, -2.0, -3.0], Yields.from_rows([[5], [5], [6]])
    >>> kbest(forest, weights, 2).weights.tolist()
    [-1.0, -2.0]
    >>> kbest(forest, weights, 2, unique_by=yields).weights.tolist()
    [-1.0, -3.0]
    """
    return KBest(graph, weights, unique_by=unique_by, limit=limit).take(whole(k, "k"))


def whole(value: int, name: str) -> int:
    """Return a number that the core can count to."""
    if not 0 <= value < 2**64:
        raise ConfigError(name=name, expected="at least 0 and below 2**64", found=value)
    return int(value)
