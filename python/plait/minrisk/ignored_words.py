"""Yields without the words that do not count, such as those around a sentence."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["items_without"]


def items_without(
    starts: npt.NDArray[np.uint64], items: npt.NDArray[np.int32], is_absent: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int32]]:
    """Return yields without some words.

    Parameters
    ----------
    starts, items
        As `plait.hypergraph.Yields` has them.
    is_absent : ndarray of bool, shape (words,)
        Whether a word is left out. Tail nodes stay, so an edge without items is one without a tail.

    Returns
    -------
    tuple of (ndarray of uint64, ndarray of int32)
        Starts and items.
    """
    if not is_absent.any():
        return starts, items
    keep = items < 0
    keep[~keep] = ~is_absent[items[~keep]]
    before = np.concatenate([[0], np.cumsum(keep)])
    return before[starts.astype(np.int64)].astype(np.uint64), items[keep]
