"""What a joint source-channel model is made of: names of symbols, units, and training pairs as runs of units."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plait.errors import DataError
from plait.translit.alignment import ChunkAlignment, Ragged
from plait.translit.symbols import ChosenUnits, join, split

__all__ = ["Parts"]

_UNKNOWN = 2**31 - 1
_COPIED = 1 << 31


@dataclass(frozen=True, eq=False)
class Parts:
    """Names, units and training sequences.

    Attributes
    ----------
    source_units, target_units
        What symbols are.
    source_names, target_names
        The symbols by number.
    unit_sources, unit_targets : (uint64[u + 1], uint32[...])
        The chunks of each unit.
    sequences : (uint64[n + 1], uint32[...])
        Training pairs as runs of units.
    is_backward : bool
        Whether units, and the symbols in them, stand in the order from the end of a word to its start.
    """

    source_units: ChosenUnits
    target_units: ChosenUnits
    source_names: list[str]
    target_names: list[str]
    unit_sources: Ragged
    unit_targets: Ragged
    sequences: Ragged
    is_backward: bool = False

    @classmethod
    def of(cls, alignment: ChunkAlignment, discard: float, *, is_backward: bool = False) -> tuple[Parts, list[int]]:
        """Take the parts of an alignment; also return the pairs that were left out for being unlikely.

        Raises
        ------
        plait.errors.DataError
            No pair has an alignment.
        """
        data = alignment.pairs
        starts = alignment.starts.astype(np.int64)
        lengths = np.diff(starts)
        if not lengths.any():
            reason = alignment.unaligned[0].reason if alignment.unaligned else "there are no pairs"
            raise DataError(f"no pair of words can be aligned; {reason}")
        symbols = np.diff(data.source_starts.astype(np.int64)) + np.diff(data.target_starts.astype(np.int64))
        left_out = _unlikely(alignment.scores / np.maximum(symbols, 1), discard)
        keep = lengths > 0
        keep[left_out] = False
        units = alignment.units[np.repeat(keep, lengths)]
        kept_starts = np.concatenate([[0], np.cumsum(lengths[keep])]).astype(np.uint64)
        unit_sources, unit_targets = alignment.unit_sources, alignment.unit_targets
        sequences = kept_starts, units
        if (np.diff(unit_sources[0].astype(np.int64)) == 0).any():
            unit_sources, unit_targets, sequences = _without_insertions(unit_sources, unit_targets, sequences)
        if is_backward:
            unit_sources, unit_targets, sequences = map(_turned, (unit_sources, unit_targets, sequences))
        parts = cls(
            data.source_units,
            data.target_units,
            data.source_names,
            data.target_names,
            unit_sources,
            unit_targets,
            sequences,
            is_backward,
        )
        return parts, left_out.tolist()

    def encode_sources(
        self, words: Iterable[str]
    ) -> tuple[list[list[str]], npt.NDArray[np.uint64], npt.NDArray[np.uint32]]:
        """Return the symbols of words, and their numbers as ragged arrays.

        Raises
        ------
        plait.errors.DataError
            A text is given for a list, or a word is no text.
        """
        if isinstance(words, str):
            raise DataError(f"words must be a list of words; found the text {words!r}; give [{words!r}]")
        numbers = {name: number for number, name in enumerate(self.source_names)}
        symbols = []
        for at, word in enumerate(words):
            if not isinstance(word, str):
                raise DataError(f"word {at} must be a text; found {word!r}")
            symbols.append(self._ordered(split(word, self.source_units)))
        ids = [numbers.get(symbol, _UNKNOWN) for word in symbols for symbol in word]
        return symbols, _starts(symbols), np.array(ids, dtype=np.uint32)

    def encode_targets(self, words: Sequence[str], sources: list[list[str]], *, copies: bool) -> Ragged:
        """Return target words as ragged arrays.

        With ``copies``, symbols that are not known stand for those of the source.
        """
        numbers = {name: number for number, name in enumerate(self.target_names)}
        symbols = [self._ordered(split(word, self.target_units)) for word in words]
        ids: list[int] = []
        for word, source in zip(symbols, sources, strict=True):
            places: dict[str, Iterable[int]] = defaultdict(lambda: iter(()))
            if copies:
                for symbol in set(source):
                    places[symbol] = iter([at for at, other in enumerate(source) if other == symbol])
            for symbol in word:
                known = numbers.get(symbol)
                if known is None:
                    # The n-th copy of a symbol is that of its n-th occurrence: order is kept.
                    place = next(iter(places[symbol]), None)
                    known = _UNKNOWN if place is None else _COPIED | place
                ids.append(known)
        return _starts(symbols), np.array(ids, dtype=np.uint32)

    def decode_targets(
        self,
        sources: list[list[str]],
        counts: list[int],
        starts: npt.NDArray[np.uint64],
        ids: npt.NDArray[np.uint32],
    ) -> list[str]:
        """Return the texts of targets, ``counts[k]`` of them for the k-th word."""
        names = self.target_names
        flat, texts = ids.tolist(), []
        runs = itertools.pairwise(starts.tolist())
        has_copies = bool(len(ids)) and int(ids.max()) >= _COPIED
        for source, count in zip(sources, counts, strict=True):
            for start, stop in itertools.islice(runs, count):
                run = flat[start:stop]
                if has_copies:
                    symbols = [source[symbol - _COPIED] if symbol >= _COPIED else names[symbol] for symbol in run]
                else:
                    symbols = [names[symbol] for symbol in run]
                texts.append(join(self._ordered(symbols), self.target_units))
        return texts

    def _ordered(self, symbols: list[str]) -> list[str]:
        """Return symbols in the order in which units generate them; it is its own inverse."""
        return symbols[::-1] if self.is_backward else symbols


def _starts(words: Sequence[Sequence[str]]) -> npt.NDArray[np.uint64]:
    starts = np.zeros(len(words) + 1, dtype=np.uint64)
    np.cumsum(np.fromiter(map(len, words), dtype=np.uint64, count=len(words)), out=starts[1:])
    return starts


def _unlikely(scores: npt.NDArray[np.float64], share: float) -> npt.NDArray[np.int64]:
    """Return the pairs with the lowest scores, this share of those that have one; earlier pairs first among equals."""
    known = np.nonzero(np.isfinite(scores))[0]
    order = known[np.argsort(scores[known], kind="stable")]
    return np.sort(order[: int(share * len(order))])


def _without_insertions(unit_sources: Ragged, unit_targets: Ragged, sequences: Ragged) -> tuple[Ragged, Ragged, Ragged]:
    """Join target chunks that come from nothing to the unit before them, or the first unit after them.

    So every unit consumes source symbols, and decoding ends.
    """
    sources, targets = _runs(unit_sources), _runs(unit_targets)
    numbers: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
    starts = [0]
    ids: list[int] = []
    for run in _runs(sequences):
        joined: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
        waiting: tuple[int, ...] = ()
        for unit in run:
            source, target = sources[unit], targets[unit]
            if source:
                joined.append((source, waiting + target))
                waiting = ()
            elif joined:
                joined[-1] = (joined[-1][0], joined[-1][1] + target)
            else:
                waiting += target
        ids.extend(numbers.setdefault(unit, len(numbers)) for unit in joined)
        starts.append(len(ids))
    return (
        _ragged([source for source, _ in numbers]),
        _ragged([target for _, target in numbers]),
        (np.array(starts, dtype=np.uint64), np.array(ids, dtype=np.uint32)),
    )


def _turned(ragged: Ragged) -> Ragged:
    """Return runs whose values stand in the opposite order, each where it was."""
    return _ragged([run[::-1] for run in _runs(ragged)])


def _runs(ragged: Ragged) -> list[tuple[int, ...]]:
    flat = ragged[1].tolist()
    return [tuple(flat[start:stop]) for start, stop in itertools.pairwise(ragged[0].tolist())]


def _ragged(runs: list[tuple[int, ...]]) -> Ragged:
    starts = np.cumsum([0, *map(len, runs)]).astype(np.uint64)
    return starts, np.array([symbol for run in runs for symbol in run], dtype=np.uint32)
