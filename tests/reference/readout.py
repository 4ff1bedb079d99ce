"""From posteriors or samples to links."""

from __future__ import annotations

from collections.abc import Sequence

from reference.direction import Alignment, Direction, Table


def viterbi(table: Table) -> Alignment:
    """The most probable a_j of every token. Ties: NULL first, then the smallest position."""
    return [[row.index(max(row)) for row in rows] for rows in table]


def mode(samples: Sequence[Alignment]) -> Alignment:
    """The most frequent a_j of every token (Table I, step 8). Ties: NULL first, then smallest position."""
    table = frequencies(samples)
    return [[min(row, key=lambda a: (-row[a], a)) for row in rows] for rows in table]


def frequencies(samples: Sequence[Alignment]) -> list[list[dict[int, float]]]:
    """Share of the samples that each value of a_j has, for every token."""
    table: list[list[dict[int, float]]] = [[{} for _ in links] for links in samples[0]]
    for sample in samples:
        for rows, links in zip(table, sample, strict=True):
            for row, a in zip(rows, links, strict=True):
                row[a] = row.get(a, 0.0) + 1.0 / len(samples)
    return table


def source_target_links(direction: Direction, alignment: Alignment) -> list[list[tuple[int, int]]]:
    """Sorted 0-based (source, target) links of every pair; pairs that did not train have none."""
    result: list[list[tuple[int, int]]] = [[] for _ in range(direction.corpus_length)]
    for place, links in zip(direction.places, alignment, strict=True):
        pairs = [(a - 1, j) for j, a in enumerate(links) if a > 0]
        result[place] = sorted((j, i) if direction.is_reverse else (i, j) for i, j in pairs)
    return result


def source_target_posteriors(direction: Direction, table: Table) -> list[dict[tuple[int, int], float]]:
    """Probability of every 0-based (source, target) link of every pair of the corpus; NULL has no link."""
    result: list[dict[tuple[int, int], float]] = [{} for _ in range(direction.corpus_length)]
    for place, rows in zip(direction.places, table, strict=True):
        for j, row in enumerate(rows):
            for a, probability in enumerate(row[1:], start=1):
                key = (j, a - 1) if direction.is_reverse else (a - 1, j)
                result[place][key] = probability
    return result
