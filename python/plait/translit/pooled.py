"""Candidates of a two-step random field and a joint source-channel model, pooled in the compiled core."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from plait import _core
from plait.threads import resolve_threads
from plait.translit.alignment import whole
from plait.translit.joint_decoding import MAX_STEPS
from plait.translit.joint_source_channel import JointSourceChannel
from plait.translit.symbols import ChosenUnits
from plait.translit.tuning import Pool
from plait.translit.two_step import TwoStepCRF

__all__ = ["poolable", "pooled"]


def poolable(systems: Sequence[Any]) -> tuple[TwoStepCRF, JointSourceChannel] | None:
    """Return the systems if they are one of each kind, in this order, whose words have the same symbols.

    Of symbols that are joined to a text, that text must tell them; clusters may join to other clusters.
    """
    match systems:
        case [TwoStepCRF() as first, JointSourceChannel() as second]:
            parts = second.parts
            is_same = first.source_units_ == parts.source_units and first.target_units_ == parts.target_units
            # Symbols are handed over in one order.
            is_same = is_same and not parts.is_backward
            if is_same and parts.target_units != "clusters" and second.unknown == "skip":
                return first, second
    return None


def pooled(first: TwoStepCRF, second: JointSourceChannel, words: Sequence[str], candidates: int) -> Pool:
    """Return the candidates of both systems with the probabilities that each of them gives.

    They are those of ``nbest`` of each system and of `plait.translit.systems.probabilities_of` for candidates that the
    list of a system lacks, made at once: nothing is computed twice, and no texts are made in between.

    Parameters
    ----------
    first, second
        Trained systems that are poolable, see `poolable`.
    words
        Source words.
    candidates
        How many of each system.
    """
    parts = second.parts
    numbers = {name: number for number, name in enumerate(first.target_names)}
    common = [numbers.setdefault(name, len(numbers)) for name in parts.target_names]
    by_word, starts, symbols, ours, theirs, *listed = _core.pool_candidates(
        first.core,
        second.core,
        first.encode_sources(words),
        parts.encode_sources(words)[1:],
        np.asarray(common, dtype=np.uint32),
        segmentations=whole("segmentations", first.segmentations),
        conversions=whole("conversions", first.conversions),
        all_labels=first.wants_all(),
        n=candidates,
        looked_at=max(candidates, whole("candidates", second.candidates) * candidates),
        steps=MAX_STEPS,
        threads=resolve_threads(first.threads),
    )
    offsets = by_word.astype(np.int64)
    return Pool(
        offsets,
        np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)),
        _texts(list(numbers), starts, symbols, parts.target_units),
        np.stack([ours, np.exp(np.minimum(theirs, 0.0))], axis=1),
        np.stack(listed, axis=1),
    )


def _texts(
    names: list[str], starts: npt.NDArray[np.uint64], symbols: npt.NDArray[np.uint32], units: ChosenUnits
) -> list[str]:
    """Return the texts of runs of symbols: slices of one text."""
    between = " " if units == "words" else ""
    lengths = np.asarray([len(name) + len(between) for name in names], dtype=np.int64)
    places = np.concatenate([[0], np.cumsum(lengths[symbols])])[starts.astype(np.int64)].tolist()
    text = between.join(map(names.__getitem__, symbols.tolist()))
    # A run ends before what separates it from the next one.
    return [text[start : max(start, stop - len(between))] for start, stop in itertools.pairwise(places)]
