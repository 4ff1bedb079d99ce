"""Forests made flat: lists of their best translations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.errors import DataError
from plait.hypergraph.features import SparseFeatures
from plait.hypergraph.forest import Forest, shared_names
from plait.hypergraph.kbest import KBest
from plait.hypergraph.structure import Hypergraph

__all__ = ["is_flat", "merged_lists", "nbest_forest"]


def nbest_forest(forest: Forest, weights: npt.ArrayLike, n: int, *, unique: bool = False) -> Forest:
    r"""Return a forest whose derivations are the n best of another, each of one edge.

    Parameters
    ----------
    forest : Forest
        Acyclic.
    weights : array_like of float64, shape (edges,)
        Log weights of the edges, such as ``forest.scores(weights)``.
    n : int
        All derivations, if there are fewer.
    unique : bool
        Only the best derivation of each string of words.

    Returns
    -------
    Forest
        Edges in falling order, with the sums of features and weights over the edges of their derivations, and their
        words: what an n-best list in a file becomes. Without labels.

    Raises
    ------
    CycleError, DataError, ResourceError
        As for `plait.hypergraph.KBest`.

    Notes
    -----
    O(features of the derivations) beyond the search.

    Examples
    --------
    >>> from pathlib import Path
    >>> from plait.hypergraph import read_forests
    >>> from plait.minrisk import nbest_forest
    >>> _ = Path("lattice.plf").write_text("((('the',-1,1),('a',-2,1),),(('house',-1,1),('home',-3,1),),)\n")
    >>> (lattice,) = read_forests("lattice.plf")
    >>> two = nbest_forest(lattice, lattice.scores([1.0]), 2)
    >>> [" ".join(two.yield_of(edge)) for edge in range(two.edges)], two.features.values.tolist()
    (['the house', 'a house'], [-2.0, -3.0])
    """
    found = KBest(forest.graph, weights, unique_by=forest.yields if unique else None).take(n)
    count = len(found)
    lines = forest.yields.of_all(forest.graph, found)
    lengths = np.diff(forest.features.starts).astype(np.int64)
    edges = found.edges.astype(np.int64)
    rows = np.repeat(np.arange(count), np.diff(found.starts).astype(np.int64))
    # Where the features of each edge of each derivation stand.
    uses = lengths[edges]
    first = np.repeat(forest.features.starts[:-1].astype(np.int64)[edges], uses)
    at = first + np.arange(len(first)) - np.repeat(np.cumsum(uses) - uses, uses)
    width = max(len(forest.features.names), 1)
    keys, inverse = np.unique(np.repeat(rows, uses) * width + forest.features.ids[at], return_inverse=True)
    values = np.bincount(inverse, weights=forest.features.values[at], minlength=len(keys)).astype(np.float64)
    starts = np.searchsorted(keys, np.arange(count + 1) * width).astype(np.uint64)
    features = SparseFeatures(starts, (keys % width).astype(np.uint32), values, forest.features.names)
    items = np.concatenate([*lines, np.empty(0, np.int32)]).astype(np.int32)
    return replace(
        forest,
        graph=Hypergraph([0] * count, [0] * (count + 1), [], nodes=1, root=0),
        features=features,
        item_starts=np.cumsum([0, *map(len, lines)]).astype(np.uint64),
        items=items,
        weights=None if forest.weights is None else found.sums(forest.weights),
        axioms=np.empty(0, np.uint32),
        node_columns=MappingProxyType({}),
        edge_columns=MappingProxyType({}),
    )


def is_flat(forest: Forest) -> bool:
    """Return whether each edge is a whole derivation, as in an n-best list."""
    return not len(forest.graph.tails) and bool((forest.graph.heads == forest.graph.root).all())


def merged_lists(forests: Sequence[Forest]) -> Forest:
    """Return one list of the translations of several, such as those of several runs of a decoder.

    Parameters
    ----------
    forests : sequence of Forest
        Flat, at least one. They have weights all or none.

    Returns
    -------
    Forest
        Translations in the order of the lists, without those whose words, features and weight are those of one before;
        without labels. Properties are those of the first list.

    Raises
    ------
    DataError
        A forest is not flat, or some have weights and some have not.
    """
    if not all(map(is_flat, forests)):
        raise DataError("only n-best lists can be merged; make forests flat with nbest_forest first")
    if len({forest.weights is None for forest in forests}) > 1:
        raise DataError("some lists have weights and some have not; take them away with forest.with_weights(None)")
    several = shared_names(forests)
    kept: dict[tuple[bytes, ...], int] = {}
    rows = [row for forest in several for row in _rows(forest)]
    for number, row in enumerate(rows):
        kept.setdefault(tuple(part.tobytes() for part in row), number)
    chosen = [rows[number] for number in kept.values()]
    count = len(chosen)

    def joined(part: int, dtype: npt.DTypeLike) -> tuple[npt.NDArray[np.uint64], npt.NDArray[Any]]:
        values = [row[part] for row in chosen]
        starts = np.cumsum([0, *map(len, values)]).astype(np.uint64)
        return starts, np.concatenate([*values, np.empty(0, dtype)]).astype(dtype)

    item_starts, items = joined(0, np.int32)
    starts, ids = joined(1, np.uint32)
    return replace(
        several[0],
        graph=Hypergraph([0] * count, [0] * (count + 1), [], nodes=1, root=0),
        features=SparseFeatures(starts, ids, joined(2, np.float64)[1], several[0].features.names),
        item_starts=item_starts,
        items=items,
        weights=None if several[0].weights is None else joined(3, np.float64)[1],
        axioms=np.empty(0, np.uint32),
        node_columns=MappingProxyType({}),
        edge_columns=MappingProxyType({}),
    )


def _rows(forest: Forest) -> list[tuple[npt.NDArray[Any], ...]]:
    """Return the words, ids and values of features, and weights of each edge."""
    items = [forest.items[a:b] for a, b in pairwise(forest.item_starts.astype(np.int64).tolist())]
    bounds = list(pairwise(forest.features.starts.astype(np.int64).tolist()))
    weights = np.empty((forest.edges, 0)) if forest.weights is None else forest.weights[:, None]
    return [
        (words, forest.features.ids[a:b], forest.features.values[a:b], weight)
        for words, (a, b), weight in zip(items, bounds, weights, strict=True)
    ]
