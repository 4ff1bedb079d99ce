"""The arrays of links, made of what users have: lists, and arrays of other types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from plait.errors import DataError

_Scalar = TypeVar("_Scalar", bound=np.generic)
LinkArrays = tuple[npt.NDArray[np.int32], npt.NDArray[np.uint64], npt.NDArray[np.float32] | None]
"""Links, where each pair starts in them, and their probabilities: those of `plait.alignments.Alignments`."""


def arrays_of_lists(
    lists: Iterable[Iterable[tuple[int, int]]], probabilities: Iterable[Iterable[float]] | None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint64], npt.NDArray[np.float32] | None]:
    """Return the links of each pair sorted, the most probable of repeated ones; see `Alignments.from_lists`."""
    rows: list[tuple[int, int]] = []
    values: list[float] = []
    ends = [0]
    for links, weights in _strict_pairs(lists, probabilities):
        best: dict[tuple[int, int], float] = {}
        for (i, j), p in zip(links, weights, strict=True):
            link = (int(i), int(j))
            # A NaN must survive to be refused.
            best[link] = p if link not in best or not p <= best[link] else best[link]
        rows += sorted(best)
        values += (best[link] for link in sorted(best))
        ends.append(len(rows))
    return (
        np.array(rows, dtype=np.int64).reshape(-1, 2),
        np.array(ends, dtype=np.uint64),
        None if probabilities is None else np.array(values, dtype=np.float32),
    )


def checked(values: npt.ArrayLike, dtype: type[_Scalar], name: str, dimensions: int) -> npt.NDArray[_Scalar]:
    """Return values as a fresh C-contiguous array; refuse those that the type cannot hold."""
    given = np.asarray(values)
    if given.size == 0 and dimensions == 2:
        given = given.reshape(-1, 2)
    if given.ndim != dimensions:
        raise DataError(f"{name} must have {dimensions} dimension(s); found {given.ndim}")
    with np.errstate(invalid="ignore", over="ignore"):
        array = np.array(given, dtype=dtype, order="C")
    if np.issubdtype(dtype, np.integer) and not np.array_equal(array, given):
        raise DataError(f"{name} must be whole numbers that fit {np.dtype(dtype)}; found {given.dtype}")
    return array


def _strict_pairs(
    lists: Iterable[Iterable[tuple[int, int]]], probabilities: Iterable[Iterable[float]] | None
) -> Iterator[tuple[Sequence[tuple[int, int]], Sequence[float]]]:
    """Yield the links of each pair with their probabilities (1 without); refuse unequal lengths."""
    links = [list(one) for one in lists]
    if probabilities is None:
        yield from ((one, [1.0] * len(one)) for one in links)
        return
    weights = [list(one) for one in probabilities]
    if len(links) != len(weights):
        raise DataError(f"there are links of {len(links)} sentence pairs but probabilities of {len(weights)}")
    for n, (one, values) in enumerate(zip(links, weights, strict=True), start=1):
        if len(one) != len(values):
            raise DataError(f"sentence pair {n} has {len(one)} links but {len(values)} probabilities")
        yield one, values
