"""The arrays of a lexicon: what they must be, and which entries are the best of their row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from plait.errors import ConfigError, DataError

if TYPE_CHECKING:
    from plait.lexicon import Lexicon

Direction = Literal["either", "forward", "reverse"]


def check(lexicon: Lexicon) -> None:
    """Refuse arrays that are not those of a lexicon."""
    offsets, targets, counts = lexicon.offsets, lexicon.targets, lexicon.counts
    for name, array, dtype in (
        ("offsets", offsets, np.uint64),
        ("targets", targets, np.uint32),
        ("counts", counts, np.float32),
    ):
        if array.dtype != dtype or array.ndim != 1:
            raise DataError(
                f"{name} of a lexicon must be {np.dtype(dtype)} with 1 dimension; found {array.dtype} with {array.ndim}"
            )
    rows, columns, entries = len(lexicon.source_vocabulary) + 1, len(lexicon.target_vocabulary) + 1, len(targets)
    if len(offsets) != rows + 1 or offsets[0] != 0 or (offsets[1:] < offsets[:-1]).any() or offsets[-1] != entries:
        raise DataError(f"offsets of a lexicon must rise from 0 to its {entries} entries in {rows + 1} steps")
    if len(counts) != entries:
        raise DataError(f"a lexicon of {entries} entries needs as many counts; found {len(counts)}")
    if entries and targets.max() >= columns:
        raise DataError(f"targets of a lexicon must be at most {columns - 1}, which is NULL; found {targets.max()}")
    falls = np.flatnonzero(targets[1:] <= targets[:-1]) + 1
    if not np.isin(falls, offsets.astype(np.int64)).all():
        raise DataError("targets of a lexicon must rise within each row; sort them, and add up repeats")
    if not (np.isfinite(counts) & (counts >= 0)).all():
        raise DataError("counts of a lexicon must be finite and at least 0")


def check_totals(totals: npt.NDArray[np.float64], words: int, name: str) -> None:
    """Refuse totals that are not those of so many words and NULL."""
    if totals.dtype != np.float64 or totals.shape != (words + 1,) or not (np.isfinite(totals) & (totals >= 0)).all():
        raise DataError(f"{name} of a lexicon must be {words + 1} finite float64 of at least 0")


def ratio(counts: npt.NDArray[np.float32], totals: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return counts over totals; 0 where both are."""
    return np.divide(counts, totals, out=np.zeros(len(counts)), where=totals > 0)


def probable(lexicon: Lexicon, threshold: float, top: int | None, direction: Direction) -> npt.NDArray[np.bool_]:
    """Return which entries stay when a lexicon is pruned; see `plait.lexicon.Lexicon.pruned`."""
    if not 0 <= threshold <= 1:
        raise ConfigError(name="threshold", expected="a number from 0 to 1", found=threshold)
    if top is not None and top < 1:
        raise ConfigError(name="top", expected="1 or more", found=top)
    sources = lexicon.sources
    stays = np.zeros(len(lexicon), dtype=np.bool_)
    if direction in ("either", "forward"):
        stays |= _best(sources, lexicon.targets, lexicon.forward(), threshold, top)
    if direction in ("either", "reverse"):
        stays |= _best(lexicon.targets, sources, lexicon.reverse(), threshold, top)
    if direction not in ("either", "forward", "reverse"):
        raise ConfigError(name="direction", expected="either, forward or reverse", found=repr(direction))
    return stays


def _best(
    rows: npt.NDArray[np.uint32],
    others: npt.NDArray[np.uint32],
    probabilities: npt.NDArray[np.float64],
    threshold: float,
    top: int | None,
) -> npt.NDArray[np.bool_]:
    """Return which entries have the probability, and are among the best of their row."""
    stays = probabilities >= threshold
    if top is not None:
        order = np.lexsort((others, -probabilities, rows))
        ordered = rows[order]
        rank = np.arange(len(ordered)) - np.searchsorted(ordered, ordered)
        stays[order] &= rank < top
    return stays
