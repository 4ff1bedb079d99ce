"""N-best lists of forests that grow from round to round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from plait.hypergraph import Forest, Hypergraph, SparseFeatures
from plait.minrisk import nbest_forest

__all__ = ["GrowingLists"]


class GrowingLists:
    """The best translations of forests under several weights, each once.

    Parameters
    ----------
    forests
        Where the translations come from.
    n
        How many distinct strings of each forest are drawn at a time.

    Attributes
    ----------
    lists : list of Forest
        Flat forests: an edge for each translation, in the order of their coming. Derivations of one string with
        different features are different translations, as where n-best lists are merged for MERT.
    """

    def __init__(self, forests: Sequence[Forest], n: int) -> None:
        self._forests, self._n = forests, n
        self._known: list[set[bytes]] = [set() for _ in forests]
        self.lists: list[Forest] = []

    def extend(self, weights: Mapping[str, float]) -> int:
        """Draw the n best under some weights; return how many of them are new."""
        drawn = [nbest_forest(forest, forest.scores(weights), self._n, unique=True) for forest in self._forests]
        new = []
        for flat, known in zip(drawn, self._known, strict=True):
            keys = [_key(flat, edge) for edge in range(flat.edges)]
            new.append([edge for edge, key in enumerate(keys) if key not in known])
            known.update(keys)
        rows = [_rows(flat, edges) for flat, edges in zip(drawn, new, strict=True)]
        self.lists = rows if not self.lists else [_joined(*pair) for pair in zip(self.lists, rows, strict=True)]
        return sum(map(len, new))


def _key(flat: Forest, edge: int) -> bytes:
    """Return what tells a translation from others: its words and features."""
    features = flat.features
    words = flat.items[int(flat.item_starts[edge]) : int(flat.item_starts[edge + 1])]
    row = slice(int(features.starts[edge]), int(features.starts[edge + 1]))
    # Sums of one set of features in another order differ in their last bits.
    return words.tobytes() + features.ids[row].tobytes() + np.round(features.values[row], 9).tobytes()


def _rows(flat: Forest, edges: Sequence[int]) -> Forest:
    """Return a flat forest of some edges of another."""
    kept = np.asarray(edges, np.int64)
    features = flat.features
    words = [flat.items[int(flat.item_starts[e]) : int(flat.item_starts[e + 1])] for e in edges]
    rows = [np.arange(int(features.starts[e]), int(features.starts[e + 1])) for e in edges]
    chosen = np.concatenate([*rows, np.empty(0, np.int64)]).astype(np.int64)
    return replace(
        flat,
        graph=_flat_graph(len(kept)),
        features=SparseFeatures(
            _starts([len(row) for row in rows]), features.ids[chosen], features.values[chosen], features.names
        ),
        item_starts=_starts([len(row) for row in words]),
        items=np.concatenate([*words, np.empty(0, np.int32)]).astype(np.int32),
    )


def _joined(first: Forest, second: Forest) -> Forest:
    """Return a flat forest with the edges of two, which share words and names."""
    return replace(
        first,
        graph=_flat_graph(first.edges + second.edges),
        features=SparseFeatures(
            np.concatenate([first.features.starts, first.features.starts[-1] + second.features.starts[1:]]),
            np.concatenate([first.features.ids, second.features.ids]),
            np.concatenate([first.features.values, second.features.values]),
            first.features.names,
        ),
        item_starts=np.concatenate([first.item_starts, first.item_starts[-1] + second.item_starts[1:]]),
        items=np.concatenate([first.items, second.items]),
    )


def _flat_graph(edges: int) -> Hypergraph:
    return Hypergraph([0] * edges, [0] * (edges + 1), [], nodes=1, root=0)


def _starts(lengths: Sequence[int]) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return np.cumsum([0, *lengths]).astype(np.uint64)
