"""Sparse rows for the core, from whatever a user has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from plait.errors import DataError

if TYPE_CHECKING:
    from plait import _core

__all__ = ["Entries", "Rows", "as_entries", "as_rows"]

# Counts become repeated features when that makes at most so many entries of one: four bytes each instead of twelve.
_LARGEST_EXPANSION = 2.0

# What arrays the core reads as they are.
_PLACES = (np.dtype(np.int32), np.dtype(np.int64))
_VALUES = (np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.int64))


@dataclass(frozen=True, eq=False)
class Rows:
    """The features of examples in compressed rows.

    Attributes
    ----------
    offsets : uint64[n + 1]
        Row ``i`` has the entries from ``offsets[i]`` to ``offsets[i + 1]``.
    features : uint32[entries]
        Features, rising within a row. Without values a feature is there as often as it counts.
    values : float64[entries] or None
        Values, if they are not counts of one.
    columns
        Number of features there could be.
    """

    offsets: npt.NDArray[np.uint64]
    features: npt.NDArray[np.uint32]
    values: npt.NDArray[np.float64] | None
    columns: int

    @property
    def core(self) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32], npt.NDArray[np.float64] | None, int]:
        """What functions of the core take."""
        return self.offsets, self.features, self.values, self.columns

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.offsets) - 1

    def counted(self, counts: _core.FeatureCounts, labels: npt.NDArray[np.uint32]) -> _core.FeatureCounts:
        """Return counts of these rows too; one pass checks and counts."""
        return counts.counted(self.core, labels)

    def select(self, kept: npt.NDArray[np.intp]) -> Rows:
        """Return the rows with these features only, renumbered in their order; ``kept`` rises."""
        places = np.full(self.columns, -1, dtype=np.int64)
        places[kept] = np.arange(len(kept))
        moved = places[self.features]
        stays = moved >= 0
        before = np.concatenate([[0], np.cumsum(stays)])
        return Rows(
            before[self.offsets.astype(np.int64)].astype(np.uint64),
            moved[stays].astype(np.uint32),
            None if self.values is None else self.values[stays],
            len(kept),
        )

    def with_values(self) -> Rows:
        """Return the same rows with a value for each feature, each feature once."""
        if self.values is not None:
            return self
        ends = self.offsets.astype(np.int64)
        row_of_entry = np.repeat(np.arange(len(self)), ends[1:] - ends[:-1])
        is_first = np.ones(len(self.features), dtype=bool)
        is_first[1:] = (self.features[1:] != self.features[:-1]) | (row_of_entry[1:] != row_of_entry[:-1])
        starts = np.flatnonzero(is_first)
        counts = np.diff(np.append(starts, len(self.features)))
        before = np.concatenate([[0], np.cumsum(is_first)])
        offsets = before[ends].astype(np.uint64)
        return Rows(offsets, self.features[starts], counts.astype(np.float64), self.columns)

    def to_csr(self) -> Any:
        """Return a SciPy sparse array of float64; needs SciPy."""
        from scipy.sparse import csr_array  # type: ignore[import-untyped]

        full = self.with_values()
        assert full.values is not None
        places = full.features.astype(np.int64), full.offsets.astype(np.int64)
        return csr_array((full.values.copy(), *places), shape=(len(self), self.columns))


@dataclass(frozen=True, eq=False)
class Entries:
    """The arrays of a SciPy matrix in compressed rows, which counting reads where they are.

    Attributes
    ----------
    matrix
        The matrix.
    owner
        Who wants it, for messages.
    """

    matrix: Any
    owner: str

    @property
    def columns(self) -> int:
        """Number of features there could be."""
        return int(self.matrix.shape[1])

    def __len__(self) -> int:
        """Return the number of rows."""
        return int(self.matrix.shape[0])

    def counted(self, counts: _core.FeatureCounts, labels: npt.NDArray[np.uint32]) -> _core.FeatureCounts:
        """Return counts of these rows too; one pass checks and counts."""
        indptr, indices, data = self.matrix.indptr, self.matrix.indices, self.matrix.data
        stop = int(indptr[-1])
        try:
            return counts.counted((indptr, indices[:stop], data[:stop], self.columns), labels)
        except DataError:
            # Order matters to some counts, and a negative value may meet another in its row: look again, at leisure.
            return counts.counted(as_rows(self.matrix, self.owner).core, labels)


def as_entries(X: Any, owner: str) -> Rows | Entries:
    """Return rows for counting: those of a SciPy matrix as they are, whatever else as `as_rows` does."""
    if getattr(X, "format", None) != "csr" or not hasattr(X, "tocsr"):
        return as_rows(X, owner)
    arrays = X.indptr, X.indices, X.data
    known = X.indptr.dtype == X.indices.dtype and X.indptr.dtype in _PLACES and X.data.dtype in _VALUES
    if not known or not all(array.flags.c_contiguous and array.flags.aligned for array in arrays):
        return as_rows(X, owner)
    _check_shape(X.shape, owner)
    return Entries(X, owner)


def as_rows(X: Any, owner: str) -> Rows:
    """Return the rows of examples, of a SciPy sparse matrix, or of an array.

    Parameters
    ----------
    X
        `plait.reorder.Examples`, `Rows`, a SciPy sparse matrix or array, or anything that NumPy makes a matrix of.
    owner
        Who wants them, for messages.

    Raises
    ------
    DataError
        It is no matrix of finite real numbers with a row and a column; the message begins as scikit-learn's does.
    TypeError
        An entry is no number at all.
    """
    rows = getattr(X, "rows", X) if not hasattr(X, "tocsr") else X
    if isinstance(rows, Rows):
        return rows
    return _from_csr(X, owner) if hasattr(X, "tocsr") else _from_dense(X, owner)


def _from_csr(X: Any, owner: str) -> Rows:
    _check_shape(X.shape, owner)
    _check_kind(X.dtype)
    matrix = X.tocsr()
    if not matrix.has_canonical_format or not matrix.data.all():
        matrix = matrix.copy()
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
    _check_finite(matrix.data)
    # Ids are not negative, so that int32 may be read as uint32.
    small = matrix.indices.dtype == np.int32
    features = matrix.indices.view(np.uint32) if small else matrix.indices.astype(np.uint32)
    return _compact(matrix.indptr.astype(np.uint64), features, matrix.data, matrix.shape[1])


def _from_dense(X: Any, owner: str) -> Rows:
    matrix = np.asarray(X)
    if matrix.dtype == np.object_ or matrix.dtype.kind in "US":
        try:
            matrix = matrix.astype(np.float64)
        except ValueError as problem:
            raise DataError(f"the features must be numbers: {problem}; vectorise them first") from problem
        except TypeError as problem:
            raise TypeError(f"the features must be numbers: {problem}; vectorise them first") from problem
    _check_kind(matrix.dtype)
    if matrix.ndim != 2:
        raise DataError(
            f"Expected 2D array, got {matrix.ndim}D array instead; Reshape your data: one row for each example "
            "(X.reshape(1, -1) for one example)"
        )
    _check_shape(matrix.shape, owner)
    _check_finite(matrix)
    places, features = np.nonzero(matrix)
    offsets = np.searchsorted(places, np.arange(len(matrix) + 1)).astype(np.uint64)
    return _compact(offsets, features.astype(np.uint32), matrix[places, features], matrix.shape[1])


def _compact(
    offsets: npt.NDArray[np.uint64], features: npt.NDArray[np.uint32], data: npt.NDArray[Any], columns: int
) -> Rows:
    """Return rows without values when those are small counts."""
    if (data == 1).all():
        return Rows(offsets, features, None, columns)
    values = data.astype(np.float64)
    is_count = bool((values >= 1).all()) and values.sum() <= _LARGEST_EXPANSION * len(values)
    if is_count and np.array_equal(values, np.rint(values)):
        times = values.astype(np.int64)
        ends = np.concatenate([[0], np.cumsum(times)])
        return Rows(ends[offsets.astype(np.int64)].astype(np.uint64), np.repeat(features, times), None, columns)
    return Rows(offsets, features, values, columns)


def _check_kind(dtype: np.dtype[Any]) -> None:
    if dtype.kind == "c":
        raise DataError(f"Complex data not supported: features are real numbers; found {dtype}")
    if dtype.kind not in "biuf":
        raise DataError(f"features must be numbers; found {dtype}")


def _check_shape(shape: tuple[int, ...], owner: str) -> None:
    for count, what in zip(shape, ("sample", "feature"), strict=True):
        if count == 0:
            raise DataError(
                f"Found array with 0 {what}(s) (shape={tuple(shape)}) while a minimum of 1 is required by {owner}."
            )


def _check_finite(data: npt.NDArray[Any]) -> None:
    if data.dtype.kind == "f" and not np.isfinite(data).all():
        what = "NaN" if np.isnan(data).any() else "infinity"
        raise DataError(f"Input X contains {what}; features must be finite numbers, leave out what is not known")
