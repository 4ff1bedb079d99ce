"""N-best lists put together: segments without translations, rounds of lists, duplicates."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from plait import _core
from plait.errors import DataError
from plait.minrisk.nbest_lists import NbestLists
from plait.minrisk.statistics_files import Statistics

__all__ = ["distinct", "merged_statistics", "with_empty"]


def with_empty(lists: NbestLists, segments: int) -> NbestLists:
    """Return the lists of all segments in order, with the empty translation where there is none."""
    if len(np.unique(lists.segments)) != len(lists):
        raise DataError("lists must be of different segments; make a problem of each file and accumulate them")
    if len(lists) and int(lists.segments.max()) >= segments:
        found = int(lists.segments.max())
        raise DataError(f"there are references of {segments} segments, numbered from 0; found a list of {found}")
    counts = np.zeros(segments, np.int64)
    counts[lists.segments] = np.diff(lists.starts).astype(np.int64)
    if len(lists) == segments and bool((counts > 0).all() and (np.diff(lists.segments) > 0).all()):
        return lists
    firsts = np.zeros(segments, np.int64)
    firsts[lists.segments] = lists.starts[:-1].astype(np.int64)
    # The row behind the last is the empty translation.
    rows = np.concatenate(
        [
            np.arange(first, first + count) if count else [len(lists.texts)]
            for first, count in zip(firsts, counts, strict=True)
        ]
        or [np.empty(0, np.int64)]
    ).astype(np.int64)
    features = np.concatenate([lists.features, np.zeros((1, len(lists.feature_names)))])
    texts = (*lists.texts, "")
    starts = np.zeros(segments + 1, np.uint64)
    np.cumsum(np.maximum(counts, 1), out=starts[1:])
    return NbestLists(
        lists.feature_names, np.arange(segments), starts, features[rows], tuple(texts[row] for row in rows.tolist())
    )


def distinct(found: Statistics) -> Statistics:
    """Return the hypotheses without those whose features equal those of one before in their list."""
    starts, rows = _core.distinct_rows(found.starts, np.ascontiguousarray(found.features))
    return Statistics(found.feature_names, found.segments, starts, found.features[rows], found.statistics[rows])


def merged_statistics(old: Statistics, new: Statistics) -> Statistics:
    """Return the hypotheses of both by segment, old ones first; a feature that one of them does not have is 0 there."""
    names = tuple(dict.fromkeys((*old.feature_names, *new.feature_names)))
    features = np.concatenate([_widened(part, names) for part in (old, new)])
    owners = [np.repeat(part.segments, np.diff(part.starts).astype(np.int64)) for part in (old, new)]
    rows = np.concatenate(owners)
    # Stable: old hypotheses before new ones.
    places = np.argsort(rows, kind="stable")
    segments = np.unique(np.concatenate([old.segments, new.segments]))
    starts = np.append(np.searchsorted(rows[places], segments), len(rows)).astype(np.uint64)
    statistics = np.concatenate([old.statistics, new.statistics])[places]
    return Statistics(names, segments, starts, features[places], statistics)


def _widened(part: Statistics, names: tuple[str, ...]) -> npt.NDArray[np.float64]:
    if part.feature_names == names:
        return part.features
    places = {name: n for n, name in enumerate(names)}
    features = np.zeros((len(part.features), len(names)))
    features[:, [places[name] for name in part.feature_names]] = part.features
    return features
