"""Which chunks of the two words of a pair belong together."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from plait import _core
from plait.errors import AlignmentWarning, ConfigError, DataError
from plait.progress import Callback
from plait.threads import resolve_threads
from plait.translit.pairs import Pair, WordPairs
from plait.translit.symbols import shown

__all__ = ["Chunk", "ChunkAlignment", "ChunkLimits", "Unaligned", "align_chunks", "choose_limits"]

Chunk = tuple[tuple[str, ...], tuple[str, ...]]
"""Source symbols and the target symbols that they become."""

Ragged = tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32]]


class Unaligned(NamedTuple):
    """A pair without alignment.

    Attributes
    ----------
    pair
        Its number among the pairs.
    reason
        The words, their lengths, why there is none, and what to do.
    """

    pair: int
    reason: str


class ChunkLimits(NamedTuple):
    """Which pairs of chunks there may be.

    Attributes
    ----------
    max_source, max_target
        The most symbols of a chunk.
    many_to_many
        Whether both chunks of a pair may have several symbols.
    deletions
        Whether a source symbol may become nothing.
    insertions
        Whether a target symbol may come from nothing.
    """

    max_source: int
    max_target: int
    many_to_many: bool
    deletions: bool
    insertions: bool


@dataclass(frozen=True, eq=False)
class ChunkAlignment:
    """Pairs of words cut into pairs of chunks (units).

    Attributes
    ----------
    pairs
        The pairs.
    limits
        What was allowed.
    unit_sources, unit_targets : (uint64[u + 1], uint32[...])
        Starts and symbols of the source and target chunks of each unit; units are numbered by first occurrence.
    starts : uint64[n + 1]
        Where the units of each pair start.
    units : uint32[m]
        The units of all pairs. A pair without alignment has none.
    scores : float64[n]
        The natural logarithm of the weight of the alignment; NaN without one.
    unaligned
        Pairs without alignment, and why.
    history
        The log-likelihood that each pass of training began with.
    """

    pairs: WordPairs
    limits: ChunkLimits
    unit_sources: Ragged
    unit_targets: Ragged
    starts: npt.NDArray[np.uint64]
    units: npt.NDArray[np.uint32]
    scores: npt.NDArray[np.float64]
    unaligned: list[Unaligned]
    history: list[float]

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.pairs)

    def unit(self, number: int) -> Chunk:
        """Return the chunks of a unit."""
        source = self._chunk(self.unit_sources, self.pairs.source_names, number)
        return source, self._chunk(self.unit_targets, self.pairs.target_names, number)

    def chunks(self, number: int) -> list[Chunk]:
        """Return the pairs of chunks of a pair of words, in order; none if it has no alignment."""
        run = slice(int(self.starts[number]), int(self.starts[number + 1]))
        return [self.unit(unit) for unit in self.units[run].tolist()]

    def __iter__(self) -> Iterator[list[Chunk]]:
        """Go through the chunks of all pairs."""
        known = [self.unit(number) for number in range(len(self.unit_sources[0]) - 1)]
        ids = self.units.tolist()
        for start, stop in itertools.pairwise(self.starts.tolist()):
            yield [known[unit] for unit in ids[start:stop]]

    def lines(self) -> Iterator[str]:
        r"""Return a line for each pair, as m2m-aligner writes them: ``c:h|a|b:k|``, a tab, the target in chunks.

        Symbols of a chunk are separated by ``:``, chunks end with ``|``; an empty chunk is ``_``. A pair without
        alignment has an empty line.
        """
        for chunks in self:
            sides = ("".join((":".join(chunk[side]) or "_") + "|" for chunk in chunks) for side in (0, 1))
            yield "\t".join(sides) if chunks else ""

    @staticmethod
    def _chunk(ragged: Ragged, names: list[str], number: int) -> tuple[str, ...]:
        starts, symbols = ragged
        return tuple(names[symbol] for symbol in symbols[int(starts[number]) : int(starts[number + 1])].tolist())


def choose_limits(
    pairs: WordPairs,
    *,
    max_source: int | None = None,
    max_target: int | None = None,
    many_to_many: bool | None = None,
    deletions: bool | None = None,
    insertions: bool | None = None,
) -> ChunkLimits:
    """Return limits for pairs; what is None is chosen by the lengths of the words.

    Notes
    -----
    Where source words have at least 1.6 times as many symbols as their targets (letters and Chinese characters), up to
    6 source symbols become one, and nothing is deleted. With target words that much longer it is the other way round.
    Otherwise 2 to 1, 1 to 2 and deletions. With fewer than `FEW_PAIRS` pronunciations there is no 2 to 1: of two
    letters that are one phone, such as "sh", one becomes it and the other nothing, and few counts are divided less.
    """
    ratio = len(pairs.source_symbols) / max(1, len(pairs.target_symbols))
    if ratio >= LOGOGRAPHIC_RATIO:
        usual = ChunkLimits(6, 1, False, False, False)
    elif ratio * LOGOGRAPHIC_RATIO <= 1:
        usual = ChunkLimits(1, 6, False, False, False)
    else:
        are_few = pairs.target_units == "words" and len(pairs) < FEW_PAIRS
        usual = ChunkLimits(1 if are_few else 2, 2, False, True, False)
    return ChunkLimits(
        usual.max_source if max_source is None else max_source,
        usual.max_target if max_target is None else max_target,
        usual.many_to_many if many_to_many is None else many_to_many,
        usual.deletions if deletions is None else deletions,
        usual.insertions if insertions is None else insertions,
    )


LOGOGRAPHIC_RATIO = 1.6
FEW_PAIRS = 3000
"""Pairs of a word and its phones below which a chunk has one letter."""


def align_chunks(
    pairs: WordPairs | Iterable[Pair],
    *,
    max_source: int | None = None,
    max_target: int | None = None,
    many_to_many: bool | None = None,
    deletions: bool | None = None,
    insertions: bool | None = None,
    method: Literal["em", "viterbi"] = "em",
    iterations: int = 50,
    soft_iterations: int = 5,
    sparsity: float = 0.0,
    length_penalty: float = 0.0,
    tolerance: float = 1e-5,
    unaligned: Literal["warn", "ignore", "error"] = "warn",
    threads: int | None = None,
    progress: Callback | None = None,
) -> ChunkAlignment:
    r"""Cut pairs of words into pairs of chunks, by expectation maximisation over all ways to do so.

    Parameters
    ----------
    pairs
        `WordPairs`, or what `WordPairs.from_items` takes.
    max_source, max_target, many_to_many, deletions, insertions
        See `ChunkLimits`; by default chosen by the lengths of the words (`choose_limits`).
    method
        "em": each pass counts all ways by their probability. "viterbi": after some passes only the best way counts.
    iterations
        The most passes.
    soft_iterations
        With "viterbi": the passes that count all ways, before the others.
    sparsity
        Pseudo-count of each unit in variational Bayes: below 1, rare units lose most of their weight. 0 for maximum
        likelihood.
    length_penalty
        Natural logarithm of what each symbol beyond the first of the longer chunk costs.
    tolerance
        Passes end when the log-likelihood changes by less than this share of itself.
    unaligned
        What to do about pairs without alignment: "warn", "ignore", or "error". They are listed in any case.
    threads
        Threads; all that may be used by default. The result does not depend on it.
    progress
        Called with stage, done, total and figures (the log-likelihood).

    Returns
    -------
    ChunkAlignment
        The most likely alignment of each pair, units that begin at smaller positions first among equals.

    Raises
    ------
    plait.errors.DataError
        There are no pairs; or some have no alignment and ``unaligned`` is "error".
    plait.errors.ConfigError
        An option is out of range.

    Warns
    -----
    plait.errors.AlignmentWarning
        Some pairs have no alignment; the message tells of the first.

    Notes
    -----
    Time of a pass and memory (4 bytes) are linear in the number of arcs: for words of I and J symbols and k allowed
    shapes of chunk pairs, at most I J k. See ``docs/design/chunk_alignment.md``.

    References
    ----------
    Jiampojamarn, Kondrak and Sherif (2007). Li, Zhang and Su (2004).

    Examples
    --------
    >>> from plait.translit import align_chunks
    >>> pairs = [("phil", "fil"), ("sophia", "sofia"), ("phi", "fi"), ("sip", "sip")]
    >>> found = align_chunks(pairs, max_target=1, deletions=False)
    >>> next(found.lines())
    'p:h|i|l|\tf|i|l|'
    """
    data = WordPairs.from_items(pairs)
    if unaligned not in ("warn", "ignore", "error"):
        raise ConfigError(name="unaligned", expected="'warn', 'ignore' or 'error'", found=repr(unaligned))
    limits = choose_limits(
        data,
        max_source=max_source,
        max_target=max_target,
        many_to_many=many_to_many,
        deletions=deletions,
        insertions=insertions,
    )
    unit_sources, unit_targets, (starts, units), scores, skipped, history = _core.align_words(
        (data.source_starts, data.source_symbols),
        (data.target_starts, data.target_symbols),
        max_source=whole("max_source", limits.max_source),
        max_target=whole("max_target", limits.max_target),
        many_to_many=limits.many_to_many,
        deletions=limits.deletions,
        insertions=limits.insertions,
        method=method,
        iterations=whole("iterations", iterations),
        soft_iterations=whole("soft_iterations", soft_iterations),
        sparsity=sparsity,
        length_penalty=length_penalty,
        tolerance=tolerance,
        threads=resolve_threads(threads),
        progress=progress,
    )
    left_out = [Unaligned(pair, _explain(data, limits, pair, reason)) for pair, reason in skipped]
    found = ChunkAlignment(data, limits, unit_sources, unit_targets, starts, units, scores, left_out, history)
    _tell(found, unaligned)
    return found


def whole(name: str, value: int) -> int:
    """Return a whole number that is not negative.

    Raises
    ------
    plait.errors.ConfigError
        It is something else.
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 0 <= value < 2**32:
        raise ConfigError(name=name, expected="a whole number from 0 to 2^32 - 1", found=repr(value))
    return int(value)


def _explain(pairs: WordPairs, limits: ChunkLimits, pair: int, reason: str) -> str:
    source, target = pairs[pair]
    lengths = [int(starts[pair + 1]) - int(starts[pair]) for starts in (pairs.source_starts, pairs.target_starts)]
    remedy = {
        "empty source": "the source is empty; give the source word some symbols",
        "empty target": "the target is empty; give the target word some symbols",
        "limits": f"with chunks of at most {limits.max_source} to {limits.max_target} symbols"
        f"{', deletions' if limits.deletions else ''}{', insertions' if limits.insertions else ''} there is no way to "
        "cut it; raise max_source or max_target, or allow deletions or insertions",
        "too long": "the words are too long; leave it out or cut it into words",
    }[reason]
    return (
        f"pair {pair} (item {pairs.items[pair]}), {shown(source)} to {shown(target)}, "
        f"{lengths[0]} to {lengths[1]} symbols: {remedy}"
    )


def _tell(found: ChunkAlignment, how: str) -> None:
    """Warn of pairs without alignment, or refuse them."""
    if not found.unaligned or how == "ignore":
        return
    text = f"{len(found.unaligned)} of {len(found)} pairs have no alignment; {found.unaligned[0].reason}"
    if how == "error":
        raise DataError(text)
    warnings.warn(text, AlignmentWarning, stacklevel=3)
