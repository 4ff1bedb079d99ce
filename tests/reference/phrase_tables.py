"""Slow twins of phrase tables and reordering tables: dictionaries of all counts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from fractions import Fraction

CLASSES = {
    "msd": {"mono": 0, "swap": 1, "dleft": 2, "dright": 2, "other": 2},
    "mslr": {"mono": 0, "swap": 1, "dleft": 2, "dright": 3},
    "monotonicity": {"mono": 0, "swap": 1, "dleft": 1, "dright": 1, "other": 1, "nomono": 1},
    "leftright": {"mono": 0, "dright": 0, "swap": 1, "dleft": 1},
}
SIZES = {"msd": 3, "mslr": 4, "monotonicity": 2, "leftright": 2}


def split(lines: Sequence[str]) -> list[tuple[str, str, str, Fraction]]:
    """Source, target, third field and weight of each line."""
    found = []
    for line in lines:
        source, target, third, *weight = line.split(" ||| ")
        found.append((source, target, third, Fraction(float(weight[0])) if weight else Fraction(1)))
    return found


def relative_frequencies(lines: Sequence[str]) -> dict[tuple[str, str], tuple[float, float, str, tuple[float, ...]]]:
    """For each phrase pair p(s|t), p(t|s), the links, and the counts of target, source and pair."""
    pairs: Counter[tuple[str, str]] = Counter()
    sources: Counter[str] = Counter()
    targets: Counter[str] = Counter()
    links: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for source, target, third, weight in split(lines):
        pairs[source, target] += weight  # type: ignore[assignment]
        sources[source] += weight  # type: ignore[assignment]
        targets[target] += weight  # type: ignore[assignment]
        links[source, target][third] += weight  # type: ignore[assignment]
    table = {}
    for (source, target), count in pairs.items():
        by_target = {third: _by_target(third, target) for third in links[source, target]}
        best = max(links[source, target], key=lambda third: (links[source, target][third], by_target[third]))
        table[source, target] = (
            float(count / targets[target]),
            float(count / sources[source]),
            " ".join(f"{i}-{j}" for j, partners in enumerate(by_target[best]) for i in partners),
            (float(targets[target]), float(sources[source]), float(count)),
        )
    return table


def _by_target(third: str, target: str) -> list[list[int]]:
    partners: list[list[int]] = [[] for _ in target.split(" ")]
    for i, j in (map(int, link.split("-")) for link in third.split()):
        partners[j].append(i)
    return [sorted(words) for words in partners]


def orientation_probabilities(
    lines: Sequence[str], column: int, classes: str, prior: float, *, proportional: bool = False, by_pair: bool = True
) -> dict[str, list[float]]:
    """For each phrase pair, or source phrase, the probabilities of previous, then next."""
    counts: dict[str, list[list[Fraction]]] = {}
    size = SIZES[classes]
    totals = [[Fraction(0)] * size for _ in range(2)]
    for source, target, third, weight in split(lines):
        key = f"{source} ||| {target}" if by_pair else source
        rows = counts.setdefault(key, [[Fraction(0)] * size for _ in range(2)])
        for side, label in enumerate(third.split("|")[column].split()):
            rows[side][CLASSES[classes][label]] += weight
            totals[side][CLASSES[classes][label]] += weight
    result = {}
    for key, rows in counts.items():
        probabilities = []
        for row, total in zip(rows, totals, strict=True):
            priors = [prior * (float(t) + 0.1) / float(sum(total)) if proportional else prior for t in total]
            smoothed = [float(c) + p for c, p in zip(row, priors, strict=True)]
            probabilities += [value / sum(smoothed) for value in smoothed]
        result[key] = probabilities
    return result
