"""Slow twins of the counts behind lexical tables and priors."""

from __future__ import annotations

from collections import Counter

Sentences = list[list[str]]
Links = list[list[tuple[int, int]]]


def lexical_counts(sources: Sentences, targets: Sentences, links: Links) -> Counter[tuple[str | None, str | None]]:
    """Links between words; a word without links is linked to None. Pairs with an empty side are left out."""
    counts: Counter[tuple[str | None, str | None]] = Counter()
    for source, target, pair in zip(sources, targets, links, strict=True):
        if not source or not target:
            continue
        for i, j in pair:
            counts[source[i], target[j]] += 1
        for i, word in enumerate(source):
            if all(link[0] != i for link in pair):
                counts[word, None] += 1
        for j, word in enumerate(target):
            if all(link[1] != j for link in pair):
                counts[None, word] += 1
    return counts


def jumps(pair: list[tuple[int, int]], length: int) -> list[int]:
    """Where a walk over the linked targets of a pair moves among its source words, from -1 to behind the last."""
    found = []
    position = -1
    for target in sorted({j for _, j in pair}):
        stop = sorted(i for i, j in pair if j == target)
        found.append(stop[0] - position)
        position = stop[-1]
    return [*found, length - position]


def priors_lines(sources: Sentences, targets: Sentences, forward: Links, reverse: Links) -> list[str]:
    """The lines of a priors file."""
    kinds = ("LEX", "FERF", "FERR", "HMMF", "HMMR")
    counts: dict[str, Counter[tuple[str | int, ...]]] = {kind: Counter() for kind in kinds}
    for source, target, there, back in zip(sources, targets, forward, reverse, strict=True):
        counts["LEX"].update((source[i], target[j]) for i, j in there)
        for i, fertility in Counter(i for i, _ in there).items():
            counts["FERF"][source[i], fertility] += 1
        for j, fertility in Counter(j for _, j in back).items():
            counts["FERR"][target[j], fertility] += 1
        counts["HMMF"].update((jump,) for jump in jumps(there, len(source)))
        counts["HMMR"].update((jump,) for jump in jumps([(j, i) for i, j in back], len(target)))
    return ["\t".join(map(str, (kind, *key, n))) for kind in kinds for key, n in sorted(counts[kind].items())]
