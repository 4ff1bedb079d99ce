"""Slow twin of rules with gaps (Chiang 2007): every initial phrase pair, every set of smaller ones inside of it.

Limits are those of Moses' extract-rules, by their definitions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, pairwise

from reference.phrases import Block, Link, blocks


def rules(
    source: Sequence[str],
    target: Sequence[str],
    links: Sequence[Link],
    *,
    max_span: int = 10,
    min_gap_source: int = 2,
    min_gap_target: int = 1,
    min_words: int = 1,
    max_symbols_source: int = 5,
    max_symbols_target: int = 999,
    max_gaps: int = 2,
    neighbours: bool = False,
    whole_counts: bool = False,
) -> dict[str, Fraction]:
    """Return the count of each rule, by its line without the count."""
    initial = [
        block
        for block in blocks(len(source), len(target), links)
        if block[1] - block[0] < max_span and block[3] - block[2] < max_span
    ]
    linked = {j for _, j in links}
    counts: dict[str, Fraction] = defaultdict(Fraction)
    for block in initial:
        inside = [
            gap
            for gap in initial
            if _is_inside(gap, block)
            and gap[1] - gap[0] + 1 >= min_gap_source
            and gap[3] - gap[2] + 1 >= min_gap_target
        ]
        found = []
        for number in range(max_gaps + 1):
            for gaps in combinations(inside, number):
                ordered = sorted(gaps, key=lambda gap: gap[2])
                sources = _symbols(block[0], block[1], [gap[:2] for gap in ordered])
                targets = _symbols(block[2], block[3], [gap[2:] for gap in ordered])
                if sources is None or targets is None:
                    continue
                if len(sources) > max_symbols_source or len(targets) > max_symbols_target:
                    continue
                words = [sum(isinstance(symbol, int) for symbol in side) for side in (sources, targets)]
                if gaps and min(words) < min_words:
                    continue
                if gaps and any(words) and not any(symbol in linked for symbol in targets if isinstance(symbol, int)):
                    continue
                if not neighbours and any(
                    not isinstance(a, int) and not isinstance(b, int) for a, b in pairwise(sources)
                ):
                    continue
                found.append(_line(source, target, links, sources, targets, ordered))
        for line in found:
            counts[line] += 1 if whole_counts else Fraction(1, len(found))
    return counts


def _is_inside(gap: Block, block: Block) -> bool:
    """Whether a phrase pair is inside of another one, with another target span."""
    return (
        block[0] <= gap[0] and gap[1] <= block[1] and block[2] <= gap[2] and gap[3] <= block[3] and gap[2:] != block[2:]
    )


def _symbols(first: int, last: int, gaps: Sequence[tuple[int, ...]]) -> list[int | tuple[int, ...]] | None:
    """Return words by position and gaps in order; nothing when gaps overlap."""
    symbols: list[int | tuple[int, ...]] = []
    for at in range(first, last + 1):
        here = [gap for gap in gaps if gap[0] <= at <= gap[1]]
        if len(here) > 1:
            return None
        if not here:
            symbols.append(at)
        elif here[0][0] == at:
            symbols.append(here[0])
    return symbols


def _line(source, target, links, sources, targets, gaps) -> str:  # type: ignore[no-untyped-def]
    left = " ".join(source[s] if isinstance(s, int) else "[X][X]" for s in sources)
    right = " ".join(target[s] if isinstance(s, int) else "[X][X]" for s in targets)
    places = [
        (sources.index(i), targets.index(j))
        for i, j in sorted(set(links), key=lambda link: (link[1], link[0]))
        if i in sources and j in targets
    ]
    places += [(sources.index(gap[:2]), targets.index(gap[2:])) for gap in gaps]
    return f"{left} [X] ||| {right} [X] ||| {' '.join(f'{i}-{j}' for i, j in places)}"
