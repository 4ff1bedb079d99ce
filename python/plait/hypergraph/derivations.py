"""Derivations as sequences of edges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
import numpy.typing as npt

from plait.errors import DataError

__all__ = ["Derivation", "Derivations"]


@dataclass(frozen=True, eq=False)
class Derivation:
    """One derivation; frozen.

    Parameters
    ----------
    edges : ndarray of uint32
        The numbers of its edges in prefix order: an edge, then the derivations of its tail from left to right.
    weight : float
        The natural logarithm of its weight: the sum over its edges.
    """

    edges: npt.NDArray[np.uint32]
    weight: float

    def __len__(self) -> int:
        return len(self.edges)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Derivation):
            return NotImplemented
        return self.weight == other.weight and np.array_equal(self.edges, other.edges)

    def __hash__(self) -> int:
        return hash((self.weight, self.edges.tobytes()))


@dataclass(frozen=True, eq=False)
class Derivations(Sequence[Derivation]):
    """Derivations, end to end in three arrays; frozen. As a sequence, its items are of `Derivation`.

    Parameters
    ----------
    starts : ndarray of uint64, shape (derivations + 1,)
        Derivation ``d`` is ``edges[starts[d]:starts[d + 1]]``.
    edges : ndarray of uint32
        The numbers of the edges of all derivations, each in prefix order.
    weights : ndarray of float64, shape (derivations,)
        The natural logarithm of the weight of each.
    """

    starts: npt.NDArray[np.uint64]
    edges: npt.NDArray[np.uint32]
    weights: npt.NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.weights)

    @overload
    def __getitem__(self, index: int) -> Derivation: ...
    @overload
    def __getitem__(self, index: slice) -> list[Derivation]: ...
    def __getitem__(self, index: int | slice) -> Derivation | list[Derivation]:
        if isinstance(index, slice):
            return [self[n] for n in range(*index.indices(len(self)))]
        number = index + len(self) if index < 0 else index
        if not 0 <= number < len(self):
            raise IndexError(f"there are {len(self)} derivations; found {index}")
        return Derivation(self.edges[self.starts[number] : self.starts[number + 1]], float(self.weights[number]))

    def __repr__(self) -> str:
        return f"Derivations({len(self)}, edges={len(self.edges)})"

    def sums(self, values: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return the sum of a value an edge over each derivation: its length, its loss, a feature.

        Parameters
        ----------
        values : array_like of float64, shape (edges of the hypergraph,)

        Returns
        -------
        ndarray of float64, shape (derivations,)
        """
        column = np.asarray(values, np.float64)
        if column.ndim != 1 or (self.edges.size and int(self.edges.max()) >= column.size):
            raise DataError(f"values must be one for each edge of the hypergraph; found shape {column.shape}")
        rows = np.repeat(np.arange(len(self)), np.diff(self.starts).astype(np.int64))
        sums = np.bincount(rows, weights=column[self.edges], minlength=len(self))
        return sums.astype(np.float64, copy=False)
