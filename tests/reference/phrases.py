"""Slow twin of phrase extraction: every pair of spans, by the definitions.

A span is a pair of first and last position. ``previous`` and ``next`` are found by looking at all blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

Link = tuple[int, int]
Block = tuple[int, int, int, int]
"""First and last source position, first and last target position."""

MONO, SWAP, LEFT, RIGHT = range(4)
"""The classes of "mslr": the last two are discontinuous."""

LABELS = {
    "msd": ("mono", "swap", "other", "other"),
    "mslr": ("mono", "swap", "dleft", "dright"),
    "mono": ("mono", "nomono", "nomono", "nomono"),
}


def blocks(source: int, target: int, links: Sequence[Link]) -> list[Block]:
    """All blocks, in the order of Moses: by target start and end, then falling source start, then source end."""
    found = []
    for j1 in range(target):
        for j2 in range(j1, target):
            for i1 in range(source - 1, -1, -1):
                for i2 in range(i1, source):
                    inside = [(i1 <= i <= i2, j1 <= j <= j2) for i, j in links]
                    if all(a == b for a, b in inside) and any(a for a, _ in inside):
                        found.append((i1, i2, j1, j2))
    return found


def within(found: Sequence[Block], limit: int) -> list[Block]:
    """The blocks whose sides are no longer than the limit."""
    return [block for block in found if block[1] - block[0] < limit and block[3] - block[2] < limit]


def orientations(
    source: int, target: int, links: Sequence[Link], limit: int, *, moses: bool = False
) -> list[tuple[Block, dict[str, tuple[int, int]]]]:
    """Each phrase pair with previous and next by each model."""
    every = blocks(source, target, links)
    short = within(every, limit)
    result = []
    for block in short:
        columns = {"wbe": (_by_words(block, source, target, links, -1), _by_words(block, source, target, links, 1))}
        for model, others in (("phrase", short), ("hier", every)):
            columns[model] = (
                _by_blocks(block, source, target, links, others, -1, moses),
                _by_blocks(block, source, target, links, others, 1, moses),
            )
        result.append((block, columns))
    return result


def _linked(source: int, target: int, links: Sequence[Link]) -> Callable[[int, int], bool]:
    """Links, and the cells before the first and after the last words."""
    return lambda i, j: (i, j) in links or (i, j) in ((-1, -1), (source, target))


def _near(block: Block, side: int) -> tuple[int, int, int]:
    """The row next to the block, the column in order and the one against it."""
    i1, i2, j1, j2 = block
    return (j1 - 1, i1 - 1, i2 + 1) if side < 0 else (j2 + 1, i2 + 1, i1 - 1)


def _by_words(block: Block, source: int, target: int, links: Sequence[Link], side: int) -> int:
    linked = _linked(source, target, links)
    row, mono, swap = _near(block, side)
    if linked(mono, row) != linked(swap, row):
        return MONO if linked(mono, row) else SWAP
    before = any(linked(i, row) for i in range(-1, block[0]))
    after = any(linked(i, row) for i in range(block[1] + 1, source + 1))
    in_order, against = (before, after) if side < 0 else (after, before)
    return LEFT if against and not in_order else RIGHT


def _by_blocks(
    block: Block, source: int, target: int, links: Sequence[Link], others: Sequence[Block], side: int, moses: bool
) -> int:
    linked = _linked(source, target, links)
    row, mono, swap = _near(block, side)
    # Blocks that end in the row before, or start in the row after; Moses looks at ends for both.
    touching = [b for b in others if (b[3] if side < 0 or moses else b[2]) == row]
    starts, ends = {b[0] for b in touching}, {b[1] for b in touching}
    in_order, against = (ends, starts) if side < 0 else (starts, ends)
    if (linked(mono, row) and not linked(swap, row)) or mono in in_order:
        return MONO
    if (linked(swap, row) and not linked(mono, row)) or swap in against:
        return SWAP
    limit = source - 1 if moses else source
    is_before = any(i < block[0] for i in ends)
    is_after = any(block[1] < i < limit for i in starts)
    far, other = (is_before, is_after) if side < 0 else (is_after, is_before)
    return LEFT if other and not far else RIGHT
