"""Rows of sparse features: what is put in and left out."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from plait.hypergraph.features import SparseFeatures
from plait.hypergraph.ngram_matches import NgramMatches

__all__ = ["with_matches", "with_values", "without_negative"]


def with_matches(own: SparseFeatures, found: NgramMatches, features: npt.NDArray[np.int64]) -> SparseFeatures:
    """Return features with those of the n-grams that edges complete, each as often as it is."""
    ids = features[found.ngrams]
    is_feature = ids >= 0
    if not is_feature.any():
        return own
    width = len(own.names)
    keys, counts = np.unique(found.rows()[is_feature] * width + ids[is_feature], return_counts=True)
    return with_values(own, keys // width, keys % width, counts.astype(np.float64), own.names)


def with_values(
    own: SparseFeatures,
    rows: npt.NDArray[np.int64],
    ids: npt.NDArray[np.int64],
    values: npt.NDArray[np.float64],
    names: tuple[str, ...],
) -> SparseFeatures:
    """Return features with more at the end of some rows; `rows` rise."""
    ends = own.starts[1:].astype(np.int64)[rows]
    more = np.bincount(rows, minlength=len(own.starts) - 1)
    starts = own.starts + np.concatenate([[0], np.cumsum(more)]).astype(np.uint64)
    return SparseFeatures(
        starts, np.insert(own.ids, ends, ids.astype(np.uint32)), np.insert(own.values, ends, values), names
    )


def without_negative(
    starts: npt.NDArray[np.uint64],
    ids: npt.NDArray[np.int64],
    values: npt.NDArray[np.float64],
    names: tuple[str, ...],
) -> SparseFeatures:
    """Return the features whose id is not negative."""
    keep = ids >= 0
    before = np.concatenate([[0], np.cumsum(keep)])
    return SparseFeatures(
        before[starts.astype(np.int64)].astype(np.uint64), ids[keep].astype(np.uint32), values[keep], names
    )
