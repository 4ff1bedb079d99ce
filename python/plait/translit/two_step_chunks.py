"""Word pairs that are cut into chunks, as arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.errors import ConfigError, DataError
from plait.translit.alignment import ChunkAlignment, Unaligned
from plait.translit.symbols import join, shown

__all__ = ["Chunks", "Flat", "check_rare", "common_chunks", "flatten"]

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


def check_rare(rare: float) -> None:
    """Refuse what is no share of pairs."""
    if not 0 <= rare < 1:
        raise ConfigError(name="rare", expected="from 0 to below 1", found=rare)


def common_chunks(aligned: ChunkAlignment, rare: float) -> tuple[list[Chunks], list[Unaligned]]:
    """Return the pairs whose target chunks are all common, and those that are left out, with reasons.

    Parameters
    ----------
    aligned
        Pairs of words cut into chunks.
    rare
        A target chunk is rare when it stands in the chunks fewer times than this share of the number of pairs.

    Raises
    ------
    plait.errors.DataError
        No pair is left.
    """
    cut = [(number, pair) for number, pair in enumerate(aligned) if pair]
    times = Counter(target for _, pair in cut for _, target in pair)
    least = rare * len(cut)
    kept: list[Chunks] = []
    left_out = list(aligned.unaligned)
    for number, pair in cut:
        odd = next((target for _, target in pair if times[target] < least), None)
        if odd is None:
            kept.append(pair)
            continue
        source, target = aligned.pairs[number]
        chunk = join(odd, aligned.pairs.target_units)
        reason = (
            f"pair {number}, {shown(source)} to {shown(target)}: its target chunk {shown(chunk)} stands only "
            f"{times[odd]} times in {len(cut):,} pairs; lower rare to keep it"
        )
        left_out.append(Unaligned(number, reason))
    if not kept:
        what = f"; {left_out[0].reason}" if left_out else ""
        raise DataError(f"none of the {len(aligned)} pairs can be cut into common chunks{what}")
    return kept, sorted(left_out)


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
