"""The statistics files of Moses: FEATSTAT, the features of n-best lists, and SCORESTAT, their BLEU statistics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from plait import _core
from plait.errors import DataError, TextError
from plait.io.atomic import OutputGroup
from plait.io.streams import Path, display_name, read_blocks

__all__ = ["Statistics", "read_statistics", "write_statistics"]


@dataclass(frozen=True, eq=False)
class Statistics:
    """The contents of a pair of files; frozen.

    Attributes
    ----------
    feature_names : tuple of str
        The name of each feature.
    segments : ndarray of uint64, shape (lists,)
        The segment of each list.
    starts : ndarray of uint64, shape (lists + 1,)
        The hypotheses of list ``n`` are ``starts[n]:starts[n + 1]``.
    features : ndarray of float64, shape (hypotheses, features)
    statistics : ndarray of int64, shape (hypotheses, 2 order + 1)
        As `plait.minrisk.bleu_statistics` makes them.
    """

    feature_names: tuple[str, ...]
    segments: npt.NDArray[np.uint64]
    starts: npt.NDArray[np.uint64]
    features: npt.NDArray[np.float64]
    statistics: npt.NDArray[np.int64]


def read_statistics(features: Path, scores: Path) -> Statistics:
    """Read a pair of files in text form.

    Parameters
    ----------
    features
        FEATSTAT, plain or compressed; "-" for standard input.
    scores
        SCORESTAT.

    Returns
    -------
    Statistics
        O(values) time; 8 bytes a value.

    Raises
    ------
    plait.errors.TextError
        A file does not fit its format; the message has file, line, column, what was found and a remedy.
    DataError
        The files are not of the same lists.
    """
    segments, starts, names, rows = _read(features, "features")
    score_segments, score_starts, _, numbers = _read(scores, "scores")
    if not np.array_equal(segments, score_segments) or not np.array_equal(starts, score_starts):
        first, other = display_name(features), display_name(scores)
        for n in range(min(len(segments), len(score_segments))):
            here = int(segments[n]), int(starts[n + 1] - starts[n])
            there = int(score_segments[n]), int(score_starts[n + 1] - score_starts[n])
            if here != there:
                raise DataError(
                    f"block {n + 1} of {first} has {here[1]} hypotheses of segment {here[0]}, that of {other} has "
                    f"{there[1]} of segment {there[0]}; make both with one run of the extractor"
                )
        raise DataError(
            f"{first} has {len(segments)} blocks and {other} has {len(score_segments)}; make both with one run of the "
            "extractor"
        )
    return Statistics(tuple(names), segments, starts, rows, numbers)


def _read(path: Path, kind: Literal["features", "scores"]) -> tuple[Any, Any, list[str], Any]:
    reader = _core.StatisticsReader(kind == "scores")
    try:
        for block in read_blocks(path):
            reader.feed(block)
        return reader.finish()
    except TextError as problem:
        raise problem.at(display_name(path)) from None


def write_statistics(statistics: Statistics, features: Path, scores: Path, *, force: bool = False) -> None:
    """Write a pair of files in text form, whole or not at all.

    Parameters
    ----------
    statistics : Statistics
        What to write. Numbers are written in the fewest digits that give them back.
    features, scores
        FEATSTAT and SCORESTAT; the suffixes ``.gz .bz2 .xz .zst`` choose a compression.
    force : bool
        Whether files that exist may be replaced.

    Raises
    ------
    plait.errors.ConfigError
        A file exists, and ``force`` is false.
    DataError
        The name of a feature is no word.
    """
    for name in statistics.feature_names:
        if not name or not name.isprintable() or " " in name:
            raise DataError(f"the name of a feature must be one word in a statistics file; found {name!r}")
    segments, starts = statistics.segments.tolist(), statistics.starts.tolist()
    texts = (
        _core.write_feature_statistics(segments, starts, list(statistics.feature_names), statistics.features),
        _core.write_score_statistics(segments, starts, statistics.statistics),
    )
    with OutputGroup(force) as group:
        files = [group.open(path) for path in (features, scores)]
        for file, text in zip(files, texts, strict=True):
            file.write(text)
