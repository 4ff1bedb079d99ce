"""Word pairs that are cut into chunks, as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.errors import DataError

__all__ = ["Chunks", "Flat", "flatten"]

Chunks = Sequence[tuple[Sequence[str], Sequence[str]]]
"""A word pair cut into chunks: source symbols and target symbols of each. No source side is empty."""


@dataclass(frozen=True)
class Flat:
    """Chunks as arrays.

    Attributes
    ----------
    sources, targets
        Symbols by number, in the order of their first occurrence.
    longest
        Symbols of the longest source chunk.
    is_logographic
        Whether each chunk becomes one target symbol.
    arrays
        Word offsets, source symbols, chunk offsets, lengths and labels of chunks, label offsets, target symbols.
    """

    sources: list[str]
    targets: list[str]
    longest: int
    is_logographic: bool
    arrays: tuple[npt.NDArray[Any], ...]


def flatten(chunks: Iterable[Chunks]) -> Flat:
    """Return chunks as arrays.

    Raises
    ------
    plait.errors.DataError
        There is no pair, a pair has no chunk, or a source side is empty.
    """
    sources: dict[str, int] = {}
    targets: dict[str, int] = {}
    labels: dict[tuple[str, ...], int] = {}
    symbols: list[int] = []
    lengths: list[int] = []
    tags: list[int] = []
    word_starts, chunk_starts = [0], [0]
    for number, pair in enumerate(chunks):
        for source, target in pair:
            if not source:
                raise DataError(f"pair {number} (from 0) has a chunk without source symbols; join it to a neighbour")
            symbols += [sources.setdefault(symbol, len(sources)) for symbol in source]
            lengths.append(len(source))
            tags.append(labels.setdefault(tuple(target), len(labels)))
        if len(lengths) == chunk_starts[-1]:
            raise DataError(f"pair {number} (from 0) has no chunk; leave it out")
        word_starts.append(len(symbols))
        chunk_starts.append(len(lengths))
    if len(word_starts) == 1:
        raise DataError("there is no pair to train on; give at least one")
    label_symbols = [targets.setdefault(symbol, len(targets)) for label in labels for symbol in label]
    label_starts = np.cumsum([0, *map(len, labels)])
    return Flat(
        list(sources),
        list(targets),
        max(lengths),
        all(len(label) == 1 for label in labels),
        (
            np.asarray(word_starts, dtype=np.uint64),
            np.asarray(symbols, dtype=np.uint32),
            np.asarray(chunk_starts, dtype=np.uint64),
            np.asarray(lengths, dtype=np.uint32),
            np.asarray(tags, dtype=np.uint32),
            label_starts.astype(np.uint64),
            np.asarray(label_symbols, dtype=np.uint32),
        ),
    )
