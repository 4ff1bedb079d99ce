"""Values beside the edges of a hypergraph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeGuard

import numpy as np
import numpy.typing as npt

from plait.errors import DataError

__all__ = ["Features", "SparseFeatures", "edge_values", "feature_arrays"]


class CompressedRows(Protocol):
    """A sparse matrix by rows, as SciPy's ``csr_array``."""

    indptr: npt.NDArray[np.integer]
    indices: npt.NDArray[np.integer]
    data: npt.NDArray[np.number]
    shape: tuple[int, int]


@dataclass(frozen=True, eq=False)
class SparseFeatures:
    """The features of each edge that are not 0; frozen.

    Parameters
    ----------
    starts : ndarray of uint64, shape (edges + 1,)
        The row of edge ``e`` is ``starts[e]:starts[e + 1]`` of ``ids`` and ``values``.
    ids : ndarray of uint32
        Numbers of features.
    values : ndarray of float64
        Their values.
    names : tuple of str
        The name of each feature: their number is that of the features.
    """

    starts: npt.NDArray[np.uint64]
    ids: npt.NDArray[np.uint32]
    values: npt.NDArray[np.float64]
    names: tuple[str, ...]

    def scores(self, weights: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return the scalar product of each edge's features with a weight for each feature.

        Parameters
        ----------
        weights : array_like of float64, shape (features,)

        Returns
        -------
        ndarray of float64, shape (edges,)
            Log weights of edges, for a log-linear model.
        """
        factors = np.asarray(weights, np.float64)
        if factors.shape != (len(self.names),):
            raise DataError(f"weights must be one for each of {len(self.names)} features; found shape {factors.shape}")
        terms = self.values * factors[self.ids]
        edges = len(self.starts) - 1
        rows = np.repeat(np.arange(edges), np.diff(self.starts).astype(np.int64))
        return np.bincount(rows, weights=terms, minlength=edges).astype(np.float64, copy=False)


Features = npt.ArrayLike | SparseFeatures | CompressedRows
"""One value an edge, shape (edges,); a matrix, shape (edges, features); or one of the sparse forms."""

CoreFeatures = (
    npt.NDArray[np.float64] | tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32], npt.NDArray[np.float64], int]
)


def feature_arrays(features: Features) -> CoreFeatures:
    """Return features as the core takes them: a matrix, or (starts, ids, values, count)."""
    if isinstance(features, SparseFeatures):
        return (
            np.ascontiguousarray(features.starts, np.uint64),
            np.ascontiguousarray(features.ids, np.uint32),
            np.ascontiguousarray(features.values, np.float64),
            len(features.names),
        )
    if _is_compressed(features):
        rows, count = features.shape
        if rows != len(features.indptr) - 1:
            raise DataError("features must be a sparse matrix by rows (CSR), with a row for each edge")
        arrays = (features.indptr.astype(np.uint64), features.indices.astype(np.uint32))
        return *arrays, np.ascontiguousarray(features.data, np.float64), int(count)
    matrix = _floats(features, "features")
    if matrix.ndim == 1:
        matrix = matrix[:, None]
    if matrix.ndim != 2:
        raise DataError(f"features must have one row for each edge; found shape {matrix.shape}")
    return np.ascontiguousarray(matrix)


def _is_compressed(features: object) -> TypeGuard[CompressedRows]:
    return hasattr(features, "indptr") and hasattr(features, "indices")


def edge_values(values: npt.ArrayLike, edges: int, name: str) -> npt.NDArray[np.float64]:
    """Return one number for each edge."""
    array = _floats(values, name)
    if array.shape != (edges,):
        raise DataError(f"{name} must be one for each of the {edges} edges; found shape {array.shape}")
    return np.ascontiguousarray(array)


def _floats(values: object, name: str) -> npt.NDArray[np.float64]:
    array = np.asarray(values)
    if array.dtype.kind not in "fiub":
        raise DataError(f"{name} must be real numbers; found an array of {array.dtype}")
    return array.astype(np.float64, copy=False)
