"""Made forests of the shape of a Hiero translation forest, for the scenario ``minrisk``.

About as many nodes and edges as cdec's forest ``zh1`` has, on as many levels, with as many tail nodes: 2,000, 14,000
and 25,000 on 25 levels. A sentence has 27 words. Nodes stand for hypotheses of a span of up to ten of them, nine a
span, or of the glued beginning of the sentence; an edge joins two parts, or has a gap over a part. Nodes that the root
does not reach are left out. Nodes are numbered from the leaves up, edges stand by head.

An edge has five dense features of its own and up to six of 20,000 sparse ones, which stand for n-grams: nearly all
have the value 1, some are much more frequent than others, and a sentence has a thousand or two of them. Losses are
small numbers, half of them 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

Arrays = dict[str, Any]

DENSE = 5
SPARSE = 20_000
NGRAMS = 2_000
"""Draws of sparse features for a sentence, of which some are the same."""

WORDS, SPAN, STATES, EDGES = 27, 10, 9, 8
"""Words of a sentence, the longest span below the glue, nodes of a span, and edges into a node."""

UNARY = 0.285
"""The share of edges with one tail node, of those with any."""


TEMPERATURE = 0.1
"""T, where the objective is evaluated."""


def forests(count: int, *, words: int = WORDS) -> Iterator[Arrays]:
    """Yield forests of sentences of so many words, always the same ones."""
    rng = np.random.default_rng(7)
    # The next feature is rarer than the one before it, as n-grams are.
    chances = 1.0 / np.arange(20, SPARSE + 20)
    limits = np.cumsum(chances / chances.sum())
    for _ in range(count):
        made = structure(rng, words)
        yield {**made, **values(rng, limits, len(made["heads"]))}


def structure(rng: np.random.Generator, words: int) -> Arrays:
    """Draw heads and tails."""
    longest = min(SPAN, words)
    # Spans by width, then start; behind them the beginnings of the sentence, by width.
    widths = np.repeat(np.arange(1, longest + 1), words + 1 - np.arange(1, longest + 1))
    first_span = np.searchsorted(widths, np.arange(1, longest + 2))
    spans = len(widths)
    starts = np.arange(spans) - first_span[widths - 1]
    width = np.repeat(np.concatenate((widths, np.arange(1, words + 1))), STATES)
    start = np.repeat(np.concatenate((starts, np.zeros(words, int))), STATES)
    is_glue = np.arange(len(width)) >= spans * STATES
    # A single node covers the sentence.
    nodes = len(width) - STATES + 1
    leaves = words * STATES
    heads = np.concatenate((np.arange(leaves), np.repeat(np.arange(leaves, nodes), EDGES)))
    wide, at, glued = width[heads], start[heads], is_glue[heads]

    def draw(low: np.ndarray, high: np.ndarray) -> np.ndarray:
        return low + (rng.random(len(heads)) * (high - low)).astype(int)

    def node(start: np.ndarray, width: np.ndarray) -> np.ndarray:
        return (first_span[width - 1] + start) * STATES + draw(np.zeros(len(heads), int), np.full(len(heads), STATES))

    is_leaf = heads < leaves
    is_binary = (rng.random(len(heads)) >= UNARY) & ~is_leaf & (wide > 1)
    # The glue takes what a span can hold; longer beginnings have two parts.
    is_binary |= glued & (wide > longest)
    right = draw(np.ones(len(heads), int), np.minimum(wide, longest + 1).clip(2))
    left = (wide - right).clip(1)
    glue_node = (spans + left - 1) * STATES + draw(np.zeros(len(heads), int), np.full(len(heads), STATES))
    left_node = np.where(glued, glue_node, node(at, left.clip(1, longest)))
    right_node = node(at + left, np.minimum(right, words - at - left).clip(1))
    part = np.where(glued, np.minimum(wide, longest), draw((wide - 3).clip(1), wide.clip(2)))
    part_node = node(at + np.where(glued, 0, draw(np.zeros(len(heads), int), wide - part + 1)), part)
    first = np.where(is_binary, left_node, part_node)
    arities = np.where(is_leaf, 0, 1 + is_binary)
    return reached(nodes, heads, arities, np.stack((first, right_node), axis=1))


def reached(nodes: int, heads: np.ndarray, arities: np.ndarray, tails: np.ndarray) -> Arrays:
    """Leave out the nodes that the last one does not reach; heads rise, and stand behind their tails."""
    is_reached = np.zeros(nodes, bool)
    is_reached[-1] = True
    rows = np.searchsorted(heads, np.arange(nodes + 1))
    for node in range(nodes - 1, -1, -1):
        if is_reached[node]:
            row = slice(rows[node], rows[node + 1])
            for place in (0, 1):
                is_reached[tails[row, place][arities[row] > place]] = True
    kept = is_reached[heads]
    heads, arities, tails = heads[kept], arities[kept], tails[kept]
    number = np.cumsum(is_reached) - 1
    has_place = np.arange(2) < arities[:, None]
    return {
        "nodes": int(is_reached.sum()),
        "root": int(is_reached.sum()) - 1,
        "heads": number[heads].astype(np.uint32),
        "tail_starts": np.concatenate(([0], np.cumsum(arities))).astype(np.uint64),
        "tails": number[tails[has_place]].astype(np.uint32),
    }


def values(rng: np.random.Generator, limits: np.ndarray, edges: int) -> Arrays:
    """Draw features and losses."""
    counts = rng.integers(0, 7, edges)
    total = int(counts.sum())
    of_sentence = np.searchsorted(limits, rng.random(NGRAMS)).clip(0, SPARSE - 1) + DENSE
    sparse = of_sentence[(NGRAMS * rng.random(total) ** 2).astype(int)]
    rows = np.repeat(np.arange(edges), counts)
    order = np.lexsort((sparse, rows))
    rows, sparse = rows[order], sparse[order]
    # What is drawn twice counts twice.
    is_first = np.concatenate(([True], (np.diff(rows) > 0) | (np.diff(sparse) > 0)))[:total]
    sums = np.diff(np.append(np.flatnonzero(is_first), total)).astype(float)
    rows, sparse = rows[is_first], sparse[is_first]
    dense = rng.normal(-1.0, 1.0, (edges, DENSE))
    starts = np.concatenate(([0], np.cumsum(DENSE + np.bincount(rows, minlength=edges))))
    ids, numbers = np.empty(starts[-1], np.uint32), np.empty(starts[-1])
    dense_places = starts[:-1, None] + np.arange(DENSE)
    ids[dense_places], numbers[dense_places] = np.arange(DENSE), dense
    is_sparse = np.ones(starts[-1], bool)
    is_sparse[dense_places] = False
    ids[is_sparse], numbers[is_sparse] = sparse, sums
    losses = rng.normal(0.0, 0.05, edges) * (rng.random(edges) < 0.5)
    return {"starts": starts.astype(np.uint64), "ids": ids, "values": numbers, "losses": losses}


def weights() -> np.ndarray:
    """Return a weight for each feature, dense ones first."""
    rng = np.random.default_rng(8)
    return np.concatenate((rng.normal(0.3, 0.1, DENSE), rng.normal(0.0, 0.1, SPARSE)))
