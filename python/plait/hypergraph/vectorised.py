"""Sums over derivations level by level, for semirings whose operations work on whole arrays."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import numpy.typing as npt

from plait import _core
from plait.errors import DataError
from plait.hypergraph.structure import Hypergraph

__all__ = ["LevelSchedule", "reduce_rows"]

Array = npt.NDArray[Any]
Places = npt.NDArray[np.intp]


class LevelSchedule:
    """The edges of an acyclic hypergraph in rounds: what a round needs is there after those before it.

    The level of a node is the length of the longest way down from it. A Python step is taken for each level and
    position of a tail, however many edges it has: forests are wide and flat, lattices narrow and long.

    Parameters
    ----------
    graph : Hypergraph

    Raises
    ------
    CycleError
        The hypergraph has a cycle.
    """

    def __init__(self, graph: Hypergraph) -> None:
        self.graph = graph
        self._starts = graph.tail_starts.astype(np.intp)
        self._tails = graph.tails.astype(np.intp)
        self._arities = np.diff(self._starts)
        heads = graph.heads.astype(np.intp)
        levels = _core.node_levels(graph._core)
        edge_levels = levels[heads]
        # By level, then by head, then by number: the edges into a node side by side, in their order.
        order = np.lexsort((heads, edge_levels))
        bounds = np.searchsorted(edge_levels[order], np.arange(int(levels.max(initial=0)) + 2))
        self._rounds = [order[start:end] for start, end in itertools.pairwise(bounds) if end > start]
        self._heads = heads

    @property
    def rounds(self) -> int:
        """The number of levels that have edges."""
        return len(self._rounds)

    def inside(self, weights: Array, semiring: Any) -> Array:
        """Return the inside weight of each node.

        Parameters
        ----------
        weights : ndarray, shape (edges, ...)
        semiring
            As for `plait.hypergraph.inside`.

        Returns
        -------
        ndarray, shape (nodes, ...)
        """
        values = self._filled(semiring.zero, weights)
        for edges in self._rounds:
            products = weights[edges]
            for position in range(int(self._arities[edges].max())):
                longer = np.flatnonzero(self._arities[edges] > position)
                factors = values[self._tails[self._starts[edges[longer]] + position]]
                products = _replaced(products, longer, semiring.times(products[longer], factors))
            heads, starts = _runs(self._heads[edges])
            values[heads] = reduce_rows(semiring, products, starts)
        return values

    def outside(self, weights: Array, inside: Array, semiring: Any) -> Array:
        """Return the outside weight of each node.

        Parameters
        ----------
        weights : ndarray, shape (edges, ...)
        inside : ndarray, shape (nodes, ...)
        semiring
            As for `plait.hypergraph.outside`.

        Returns
        -------
        ndarray, shape (nodes, ...)
        """
        values = self._filled(semiring.zero, weights)
        values[self.graph.root] = semiring.one
        for edges in reversed(self._rounds):
            below, rests = self._rests(
                edges, semiring.times(values[self._heads[edges]], weights[edges]), inside, semiring
            )
            if below.size:
                order = np.argsort(below, kind="stable")
                nodes, starts = _runs(below[order])
                values[nodes] = semiring.plus(values[nodes], reduce_rows(semiring, rests[order], starts))
        return values

    def edge_outside(self, inside: Array, outside: Array, semiring: Any) -> Array:
        """Return the outside weight of each edge from those of the nodes.

        Parameters
        ----------
        inside, outside : ndarray, shape (nodes, ...)
        semiring
            As for `plait.hypergraph.edge_outside`.

        Returns
        -------
        ndarray, shape (edges, ...)
        """
        products = outside[self._heads]
        for position in range(self.graph.arity):
            longer = np.flatnonzero(self._arities > position)
            factors = inside[self._tails[self._starts[longer] + position]]
            products = _replaced(products, longer, semiring.times(products[longer], factors))
        return products

    def _rests(self, edges: Places, products: Array, inside: Array, semiring: Any) -> tuple[Places, Array]:
        """Return the tail nodes of edges, and for each the product with all other positions: prefixes and suffixes."""
        below, prefixes = [], []
        arity = int(self._arities[edges].max())
        for position in range(arity):
            longer = np.flatnonzero(self._arities[edges] > position)
            nodes = self._tails[self._starts[edges[longer]] + position]
            below.append((longer, nodes))
            prefixes.append(products[longer])
            products = _replaced(products, longer, semiring.times(products[longer], inside[nodes]))
        suffixes = self._filled(semiring.one, products, len(edges))
        rests = []
        for (longer, nodes), prefix in zip(reversed(below), reversed(prefixes), strict=True):
            rests.append(semiring.times(prefix, suffixes[longer]))
            suffixes = _replaced(suffixes, longer, semiring.times(inside[nodes], suffixes[longer]))
        if not rests:
            return np.empty(0, np.intp), products
        return np.concatenate([nodes for _, nodes in reversed(below)]), np.concatenate(rests)

    def _filled(self, value: Any, like: Array, count: int | None = None) -> Array:
        """Return so many rows of one value."""
        rows = np.empty((self.graph.nodes if count is None else count, *like.shape[1:]), like.dtype)
        rows[...] = value
        return rows


def reduce_rows(semiring: Any, values: Array, starts: Places) -> Array:
    """Return the sums of runs of rows, none of them empty.

    Parameters
    ----------
    semiring
        With ``plus_reduce(values, starts)``, that is called; if ``plus`` is a ufunc of numpy, its ``reduceat``. Else
        rows are added in pairs, then pairs of pairs: log2 of the longest run calls of ``plus``.
    values : ndarray, shape (rows, ...)
    starts : ndarray of intp, rising from 0
        Where each run starts.

    Returns
    -------
    ndarray, shape (len(starts), ...)

    Examples
    --------
    >>> import numpy as np
    >>> from plait.semiring import Real
    >>> reduce_rows(Real(), np.array([1.0, 2.0, 3.0, 4.0]), np.array([0, 3]))
    array([6., 4.])
    """
    reduce = getattr(semiring, "plus_reduce", None)
    if reduce is None and isinstance(semiring.plus, np.ufunc):
        reduce = semiring.plus.reduceat
    if reduce is not None:
        sums = np.asarray(reduce(values, starts))
        if len(sums) != len(starts):
            raise DataError(f"plus_reduce of {semiring!r} must give {len(starts)} rows; found {len(sums)}")
        return sums
    lengths = np.diff(starts, append=len(values))
    while (lengths > 1).any():
        place = np.arange(len(values)) - np.repeat(starts, lengths)
        first = place % 2 == 0
        has_second = np.flatnonzero(first & (place + 1 < np.repeat(lengths, lengths)))
        pairs = values[first]
        # Where the first of each pair has gone.
        moved = (np.cumsum(first) - 1)[has_second]
        values = _replaced(pairs, moved, semiring.plus(values[has_second], values[has_second + 1]))
        lengths = (lengths + 1) // 2
        starts = np.cumsum(lengths) - lengths
    return values


def _replaced(rows: Array, places: Places, values: Array) -> Array:
    """Return rows with others in some places."""
    if len(places) == len(rows):
        return values
    rows = rows.copy()
    rows[places] = values
    return rows


def _runs(values: Places) -> tuple[Places, Places]:
    """Return the values of runs of equal ones, and where each run starts."""
    starts = np.flatnonzero(np.diff(values, prepend=-1))
    return values[starts], starts
