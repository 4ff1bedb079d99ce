"""What derivations say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self, TypeVar

import numpy as np
import numpy.typing as npt

from plait import _core
from plait.errors import DataError
from plait.hypergraph.derivations import Derivation, Derivations
from plait.hypergraph.structure import Hypergraph

__all__ = ["Yields", "whole_numbers"]

_Whole = TypeVar("_Whole", np.uint64, np.int32, np.uint32)


@dataclass(frozen=True, eq=False)
class Yields:
    """The yield of each edge: words, and the yields of its tail nodes; frozen.

    Parameters
    ----------
    starts : array_like of uint64, shape (edges + 1,)
        The items of edge ``e`` are ``items[starts[e]:starts[e + 1]]``.
    items : array_like of int32
        A word if not negative; ``-1`` is the yield of the first tail node, ``-2`` of the second. An edge without
        items has the yields of its tail in order.

    Examples
    --------
    >>> from plait.hypergraph import Hypergraph, Yields, viterbi
    >>> forest = Hypergraph.from_edges([(0, []), (1, []), (2, [0, 1])])
    >>> yields = Yields.from_rows([[7], [8], [-2, 9, -1]])
    >>> best = viterbi(forest, [0.0, 0.0, 0.0])
    >>> yields.of(forest, best).tolist()
    [8, 9, 7]
    """

    starts: npt.ArrayLike
    items: npt.ArrayLike

    @classmethod
    def from_rows(cls, rows: Iterable[Sequence[int]]) -> Self:
        """Return the yields of edges given as one sequence of items for each."""
        lists = [list(row) for row in rows]
        starts = np.cumsum([0, *map(len, lists)], dtype=np.uint64)
        return cls(starts, np.array([item for row in lists for item in row], dtype=np.int64))

    def rows(self, edges: npt.ArrayLike) -> Self:
        """Return the yields of a choice of edges, in the order of the choice: those of a hypergraph made of another."""
        starts, items = self.arrays
        chosen = np.asarray(edges)
        lengths = np.diff(starts)[chosen].astype(np.int64)
        new = np.zeros(len(chosen) + 1, np.int64)
        np.cumsum(lengths, out=new[1:])
        at = np.arange(new[-1]) + np.repeat(starts[:-1][chosen].astype(np.int64) - new[:-1], lengths)
        return type(self)(new.astype(np.uint64), items[at])

    @cached_property
    def arrays(self) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int32]]:
        """Starts and items as the core takes them."""
        return whole_numbers(self.starts, "the starts of the yields", np.uint64), whole_numbers(
            self.items, "the items of the yields", np.int32
        )

    def of(self, graph: Hypergraph, derivation: Derivation | npt.ArrayLike) -> npt.NDArray[np.int32]:
        """Return the words of a derivation.

        Parameters
        ----------
        graph : Hypergraph
        derivation : Derivation or array_like of int
            Or its edges in prefix order.

        Returns
        -------
        ndarray of int32
            O(edges of the hypergraph + items), without recursion: for many derivations, ask `of_all` once.

        Raises
        ------
        DataError
            The edges are no derivation of the hypergraph, or an item names no tail node.
        """
        edges = derivation.edges if isinstance(derivation, Derivation) else np.asarray(derivation)
        starts = np.array([0, edges.size], np.uint64)
        return self.of_all(graph, Derivations(starts, edges, np.zeros(1)))[0]

    def of_all(self, graph: Hypergraph, derivations: Derivations) -> list[npt.NDArray[np.int32]]:
        """Return the words of each derivation; O(edges of the hypergraph + items)."""
        edges = whole_numbers(derivations.edges, "the edges of a derivation", np.uint32)
        starts, words = _core.hypergraph_yields(graph._core, *self.arrays, derivations.starts, edges)
        return np.split(words, starts[1:-1].astype(np.int64)) if len(derivations) else []


def whole_numbers(values: npt.ArrayLike, name: str, dtype: type[_Whole]) -> npt.NDArray[_Whole]:
    """Whole numbers as an array of a type that holds them all."""
    array = np.asarray(values)
    if array.ndim != 1 or (array.dtype.kind not in "iu" and array.size):
        raise DataError(f"{name} must be whole numbers in one dimension; found {array.dtype}, shape {array.shape}")
    limits = np.iinfo(dtype)
    if array.size and not (limits.min <= int(array.min()) and int(array.max()) <= limits.max):
        raise DataError(f"{name} must be from {limits.min} to {limits.max}")
    return np.ascontiguousarray(array, dtype)
