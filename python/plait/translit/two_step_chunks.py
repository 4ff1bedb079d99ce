"""Word pairs that are cut into chunks, as arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.errors import ConfigError, DataError
from plait.translit.alignment import Chunk, ChunkAlignment, Unaligned
from plait.translit.symbols import join, shown

__all__ = ["Chunks", "Flat", "check_rare", "common_chunks", "flatten", "sampled"]

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


def check_rare(**shares: float) -> None:
    """Refuse what is no share."""
    for name, share in shares.items():
        if not 0 <= share < 1:
            raise ConfigError(name=name, expected="from 0 to below 1", found=share)


def common_chunks(aligned: ChunkAlignment, rare: float, unusual: float = 0.0) -> tuple[list[Chunks], list[Unaligned]]:
    """Return the pairs whose chunks are all common, and those that are left out, with reasons.

    Parameters
    ----------
    aligned
        Pairs of words cut into chunks.
    rare
        A target chunk is rare when it stands in the chunks fewer times than this share of the number of pairs.
    unusual
        A target chunk is unusual for a source chunk when it stands with it fewer times than this share of all times
        that the source chunk stands, in pairs without rare chunks.

    Raises
    ------
    plait.errors.DataError
        No pair is left.
    """
    cut = [(number, pair) for number, pair in enumerate(aligned) if pair]
    times = Counter(target for _, pair in cut for _, target in pair)
    least = rare * len(cut)
    common, rarely = _apart(cut, lambda unit: times[unit[1]] < least)
    together = Counter(unit for _, pair in common for unit in pair)
    alone = Counter(source for _, pair in common for source, _ in pair)
    kept, unusually = _apart(common, lambda unit: together[unit] < unusual * alone[unit[0]])
    data, left_out = aligned.pairs, list(aligned.unaligned)

    def leave_out(number: int, why: str) -> None:
        source, target = data[number]
        left_out.append(Unaligned(number, f"pair {number}, {shown(source)} to {shown(target)}: {why} to keep it"))

    for number, (_, target) in rarely:
        chunk = shown(join(target, data.target_units))
        leave_out(
            number, f"its target chunk {chunk} stands only {times[target]} times in {len(cut):,} pairs; lower rare"
        )
    for number, (source, target) in unusually:
        chunk, become = shown(join(source, data.source_units)), shown(join(target, data.target_units))
        count = f"{together[source, target]} of {alone[source]:,} times"
        leave_out(number, f"its chunk {chunk} becomes {become} only {count}; lower unusual")
    if not kept:
        what = f"; {left_out[0].reason}" if left_out else ""
        raise DataError(f"none of the {len(aligned)} pairs can be cut into common chunks{what}")
    return [pair for _, pair in kept], sorted(left_out)


def _apart(
    pairs: list[tuple[int, list[Chunk]]], is_odd: Callable[[Chunk], bool]
) -> tuple[list[tuple[int, list[Chunk]]], list[tuple[int, Chunk]]]:
    """Return the numbered pairs without odd units, and the first odd unit of each other one."""
    kept, others = [], []
    for number, pair in pairs:
        odd = next(filter(is_odd, pair), None)
        if odd is None:
            kept.append((number, pair))
        else:
            others.append((number, odd))
    return kept, others


def sampled(chunks: Sequence[Chunks], most: int) -> Sequence[Chunks]:
    """Return at most so many pairs, evenly spread."""
    if len(chunks) <= most:
        return chunks
    return [chunks[place * len(chunks) // most] for place in range(most)]


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
