"""Slow twins of what is done with links: symmetrisation, combination, scores, phrase pairs.

Sets and whole passes, nothing clever.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

Pair = tuple[int, int]
Links = frozenset[Pair]

STRAIGHT = ((-1, 0), (0, -1), (1, 0), (0, 1))
CORNERS = ((-1, -1), (-1, 1), (1, -1), (1, 1))
"""Distances of target and source position, in the order of symal."""


def symmetrized(forward: Links, reverse: Links, method: str, variant: str) -> Links:
    """A heuristic by its definition."""
    if method == "intersection":
        return forward & reverse
    if method == "union":
        return forward | reverse
    steps = STRAIGHT + (CORNERS if "diag" in method else ())
    grow = _grow_as_symal if variant == "symal" else _grow_as_atools
    current = grow(set(forward & reverse), forward | reverse, steps)
    if "final" in method:
        for direction in (forward, reverse):
            for link in _ordered(direction, variant):
                sources, targets = {i for i, _ in current}, {j for _, j in current}
                free = (link[0] not in sources, link[1] not in targets)
                if all(free) if method.endswith("and") else any(free):
                    current.add(link)
    return frozenset(current)


def _ordered(links: Links | set[Pair], variant: str) -> list[Pair]:
    return sorted(links, key=lambda link: (link[1], link[0])) if variant == "symal" else sorted(links)


def _may_join(link: Pair, current: set[Pair]) -> bool:
    """Whether one of the words of a link is unaligned."""
    return all(i != link[0] for i, _ in current) or all(j != link[1] for _, j in current)


def _grow_as_symal(current: set[Pair], union: Links, steps: Sequence[Pair]) -> set[Pair]:
    grown = True
    while grown:
        grown = False
        place: Pair | None = None
        # A walk over a set that grows on the way: the next element is looked for anew each time.
        while ahead := [link for link in _ordered(current, "symal") if place is None or link[::-1] > place]:
            i, j = ahead[0]
            place = (j, i)
            for dj, di in steps:
                link = (i + di, j + dj)
                if link in union and _may_join(link, current):
                    current.add(link)
                    grown = True
    return current


def _grow_as_atools(current: set[Pair], union: Links, steps: Sequence[Pair]) -> set[Pair]:
    grown = True
    while grown:
        grown = False
        for i, j in sorted(union - current):
            touches = any((i + di, j + dj) in current for dj, di in steps)
            if touches and _may_join((i, j), current):
                current.add((i, j))
                grown = True
    return current


def soft(forward: dict[Pair, float], reverse: dict[Pair, float], threshold: float) -> dict[Pair, float]:
    """The links whose mean posterior is above the threshold, with the mean."""
    means = {link: (forward.get(link, 0.0) + reverse.get(link, 0.0)) / 2 for link in {*forward, *reverse}}
    return {link: mean for link, mean in means.items() if mean > threshold}


def vote(alignments: Sequence[Links], threshold: float) -> Links:
    """The links that more than a share of the alignments have."""
    votes = Counter(link for links in alignments for link in links)
    return frozenset(link for link, count in votes.items() if count > threshold * len(alignments))


def rates(corpus: Sequence[tuple[Links, Links, Links]]) -> dict[str, float | None]:
    """AER, precision, recall and F1 of (links, sure, possible) sentence pairs; None where undefined."""
    links = sum(len(a) for a, _, _ in corpus)
    sure = sum(len(s) for _, s, _ in corpus)
    sure_hits = sum(len(a & s) for a, s, _ in corpus)
    possible_hits = sum(len(a & (p | s)) for a, s, p in corpus)
    precision = possible_hits / links if links else None
    recall = sure_hits / sure if sure else None
    f1 = None
    if precision is not None and recall is not None:
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    aer = 1 - (sure_hits + possible_hits) / (links + sure) if links + sure else None
    return {"aer": aer, "precision": precision, "recall": recall, "f1": f1}


def phrase_spans(links: Links, source: int, target: int, longest: int) -> list[tuple[Pair, Pair]]:
    """Pairs of spans (start, end) with a link inside and no link half inside."""

    def spans(length: int) -> list[Pair]:
        return [(a, b) for a in range(length) for b in range(a + 1, min(length, a + longest) + 1)]

    found = []
    for s in spans(source):
        for t in spans(target):
            ends = {(s[0] <= i < s[1], t[0] <= j < t[1]) for i, j in links}
            if (True, True) in ends and not ends & {(True, False), (False, True)}:
                found.append((s, t))
    return found
