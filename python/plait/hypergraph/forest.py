"""Forests: a hypergraph with features, yields, labels and whatever else its file says."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.errors import ConfigError, DataError
from plait.hypergraph.features import SparseFeatures
from plait.hypergraph.intersect import Intersection
from plait.hypergraph.ngram_matches import NgramMatches
from plait.hypergraph.prune import Pruned
from plait.hypergraph.structure import Hypergraph
from plait.hypergraph.yields import Yields

__all__ = ["NO_INTEGER", "NO_TEXT", "Column", "Forest"]

NO_TEXT = 2**32 - 1
"""In a column of texts: no text."""

NO_INTEGER = -(2**63)
"""In a column of whole numbers: no number."""

Column = npt.NDArray[np.uint32] | npt.NDArray[np.int64]
"""Ids of `Forest.texts`, uint32, shape (rows,); or whole numbers, int64, shape (rows, width)."""


def _nothing() -> Mapping[str, Any]:
    return MappingProxyType({})


@dataclass(frozen=True, eq=False)
class Forest:
    """A hypergraph with what belongs to its edges and nodes, all by their numbers in `graph`; frozen.

    Attributes
    ----------
    graph : Hypergraph
        The structure.
    features : SparseFeatures
        The features of each edge.
    words : tuple of str
        The words of yields, by id.
    item_starts : ndarray of uint64, shape (edges + 1,)
        The yield of edge ``e`` is ``items[item_starts[e]:item_starts[e + 1]]``.
    items : ndarray of int32
        An item that is not negative is a word; the item -(k + 1) is the yield of tail node k, from 0. An edge without
        items yields its tail in order.
    weights : ndarray of float64, shape (edges,), optional
        The natural logarithm of the weight of each edge, where a file gives weights and not only features.
    axioms : ndarray of uint32
        Edges without tail that a file states as a property of their node; rising. The node that a lattice ends in has
        one, and so has a node without edges in a format that takes it as given.
    texts : tuple of str
        The texts of columns, by id.
    node_columns, edge_columns : mapping of str to Column
        What else the file says of each node and edge: categories, rules, spans. The page on formats lists the names.
    properties : mapping of str to str
        What the file says of the whole forest, such as the id of its sentence.

    Raises
    ------
    DataError
        On construction: an array has another shape than its graph asks for, or a number that is out of range.

    Notes
    -----
    The forests of one file share words, names of features and texts.
    """

    graph: Hypergraph
    features: SparseFeatures
    words: tuple[str, ...]
    item_starts: npt.NDArray[np.uint64]
    items: npt.NDArray[np.int32]
    weights: npt.NDArray[np.float64] | None = None
    axioms: npt.NDArray[np.uint32] = field(default_factory=lambda: np.empty(0, np.uint32))
    texts: tuple[str, ...] = ()
    node_columns: Mapping[str, Column] = field(default_factory=_nothing)
    edge_columns: Mapping[str, Column] = field(default_factory=_nothing)
    properties: Mapping[str, str] = field(default_factory=_nothing)

    def __post_init__(self) -> None:
        edges, features = self.graph.edges, self.features
        _check_rows("features", features.starts, edges, len(features.ids))
        _check_rows("yields", self.item_starts, edges, len(self.items))
        _check(len(features.values) == len(features.ids), "features must be as many ids as values")
        _check_below("features.ids", features.ids, len(features.names))
        _check(bool(np.isfinite(features.values).all()), "features must be finite")
        _check_below("items", self.items, len(self.words))
        arities = np.diff(self.graph.tail_starts).astype(np.int64)
        rows = np.repeat(np.arange(edges), np.diff(self.item_starts).astype(np.int64))
        positions = -1 - self.items.astype(np.int64)
        _check(bool((positions < arities[rows]).all()), "an item -(k + 1) must be one of the tail nodes k of its edge")
        if self.weights is not None:
            _check(self.weights.shape == (edges,), f"weights must be one for each of {edges} edges")
            sound = ~np.isnan(self.weights) & (self.weights < np.inf)
            _check(bool(sound.all()), "weights are logarithms below infinity")
        _check_below("axioms", self.axioms, edges)
        _check(bool((np.diff(self.axioms.astype(np.int64)) > 0).all()), "axioms must rise")
        for columns, count in ((self.node_columns, self.graph.nodes), (self.edge_columns, edges)):
            for name, column in columns.items():
                _check(len(column) == count, f"the column {name!r} must have {count} rows")
                if column.ndim == 1:
                    _check_below(f"column {name!r}", column[column != NO_TEXT], len(self.texts))

    def __repr__(self) -> str:
        identity = f"id={self.properties['id']!r}, " if "id" in self.properties else ""
        return (
            f"Forest({identity}nodes={self.nodes}, edges={self.edges}, features={len(self.features.names)}, "
            f"words={len(self.words)})"
        )

    def __reduce__(self) -> tuple[object, ...]:
        # Read-only views of mappings are what pickle and copy refuse.
        parts = {part.name: getattr(self, part.name) for part in fields(self)}
        return _unpickle, (type(self), {name: dict(x) if isinstance(x, Mapping) else x for name, x in parts.items()})

    def _repr_html_(self) -> str:
        from plait.hypergraph.drawing import forest_table

        return forest_table(self)

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return self.graph.nodes

    @property
    def edges(self) -> int:
        """The number of edges, axioms among them."""
        return self.graph.edges

    @cached_property
    def derivations(self) -> int | float:
        """The exact number of derivations, an int; infinity where a derivation can go around a cycle."""
        found = self.graph._core.derivations()
        return math.inf if found is None else int.from_bytes(found[0], "little")

    @property
    def derivations_text(self) -> str:
        """The number of derivations in decimal digits, however many, or ``infinity``."""
        found = self.graph._core.derivations()
        return "infinity" if found is None else found[1]

    def node_texts(self, name: str) -> list[str | None]:
        """Return a column of texts for each node; all None where there is no such column."""
        return self._texts(self.node_columns.get(name), self.nodes)

    def edge_texts(self, name: str) -> list[str | None]:
        """Return a column of texts for each edge; all None where there is no such column."""
        return self._texts(self.edge_columns.get(name), self.edges)

    def _texts(self, column: Column | None, rows: int) -> list[str | None]:
        if column is None or column.ndim != 1:
            return [None] * rows
        return [None if number == NO_TEXT else self.texts[number] for number in column.tolist()]

    def yield_of(self, edge: int) -> tuple[str | int, ...]:
        """Return the yield of an edge: words, and numbers k of tail nodes, from 0."""
        items = self.items[int(self.item_starts[edge]) : int(self.item_starts[edge + 1])].tolist()
        if not items:
            return tuple(range(len(self.graph.tail(edge))))
        return tuple(self.words[item] if item >= 0 else -1 - item for item in items)

    @cached_property
    def yields(self) -> Yields:
        """The yields, for `plait.hypergraph.kbest` and its like."""
        return Yields(self.item_starts, self.items)

    def scores(self, weights: npt.ArrayLike | Mapping[str, float]) -> npt.NDArray[np.float64]:
        """Return the log weight of each edge in a log-linear model.

        Parameters
        ----------
        weights : array_like of float64, or mapping of str to float
            A weight for each feature. A feature that the mapping, or a shorter array, does not have weighs 0.

        Returns
        -------
        ndarray of float64, shape (edges,)
            The weighted sum of the features.

        Raises
        ------
        ConfigError
            There are more weights than features, or a name is that of none.
        """
        names = self.features.names
        if isinstance(weights, Mapping):
            unknown = sorted(set(weights) - set(names))
            if unknown:
                raise ConfigError(name="weights", expected="for features of the forest", found=unknown[0])
            return self.features.scores([weights.get(name, 0.0) for name in names])
        given = np.asarray(weights, np.float64)
        if given.ndim != 1 or len(given) > len(names):
            raise ConfigError(
                name="weights", expected=f"at most one for each of {len(names)} features", found=given.shape
            )
        return self.features.scores(np.concatenate([given, np.zeros(len(names) - len(given))]))

    def with_weights(self, weights: npt.ArrayLike | None) -> Forest:
        """Return the forest with these log weights of edges, or without weights.

        Raises
        ------
        DataError
            There are not as many as edges, or one is NaN or infinite.
        """
        return replace(self, weights=None if weights is None else np.ascontiguousarray(weights, np.float64))

    def with_weights_as(self, name: str) -> Forest:
        """Return the forest with its weights turned into a feature, for formats that have features only.

        Raises
        ------
        ConfigError
            There are no weights, or there is a feature of this name.
        DataError
            A weight is zero: its logarithm is no feature.
        """
        if self.weights is None:
            raise ConfigError("the forest has no weights that could become a feature")
        old = self.features
        if name in old.names:
            raise ConfigError(name="name", expected="that of no feature", found=name)
        ends = old.starts[1:].astype(np.int64)
        features = SparseFeatures(
            (old.starts + np.arange(self.edges + 1)).astype(np.uint64),
            np.insert(old.ids, ends, np.uint32(len(old.names))),
            np.insert(old.values, ends, self.weights),
            (*old.names, name),
        )
        return replace(self, features=features, weights=None)

    def part(self, made: Pruned | Intersection | NgramMatches) -> Forest:
        """Return the forest of a hypergraph that was made of this one's.

        Parameters
        ----------
        made : Pruned, Intersection or NgramMatches
            What `plait.hypergraph.prune` or its like makes of `graph`. Weights are those of the old edges, without
            those of an automaton.
        """
        graph, nodes, edges = made.graph, made.nodes, made.edges
        features = self.features
        feature_starts, feature_rows = gathered(features.starts, edges)
        item_starts, item_rows = gathered(self.item_starts, edges)
        is_axiom = np.zeros(self.edges, np.bool_)
        is_axiom[self.axioms] = True
        return replace(
            self,
            graph=graph,
            features=SparseFeatures(
                feature_starts, features.ids[feature_rows], features.values[feature_rows], features.names
            ),
            item_starts=item_starts,
            items=self.items[item_rows],
            weights=None if self.weights is None else self.weights[edges],
            axioms=np.flatnonzero(is_axiom[edges]).astype(np.uint32),
            node_columns={name: column[nodes] for name, column in self.node_columns.items()},
            edge_columns={name: column[edges] for name, column in self.edge_columns.items()},
        )

    def to_dot(self, *, max_edges: int = 500) -> str:
        """Return a drawing in the language of Graphviz.

        Parameters
        ----------
        max_edges : int
            The most edges that are drawn.

        Raises
        ------
        ConfigError
            There are more edges.
        """
        from plait.hypergraph.drawing import to_dot

        return to_dot(self, max_edges=max_edges)


def _unpickle(cls: type[Forest], parts: dict[str, Any]) -> Forest:
    values: dict[str, Any] = {name: MappingProxyType(x) if isinstance(x, dict) else x for name, x in parts.items()}
    return cls(**values)


def gathered(
    starts: npt.NDArray[np.uint64], numbers: npt.NDArray[np.uint32]
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]:
    """Return the starts of some rows, and where what they hold stands."""
    lengths = np.diff(starts)[numbers]
    new = np.zeros(len(numbers) + 1, np.uint64)
    np.cumsum(lengths, out=new[1:])
    shift = (starts[:-1][numbers] - new[:-1]).astype(np.int64)
    return new, np.arange(int(new[-1])) + np.repeat(shift, lengths.astype(np.int64))


def _check(holds: bool, problem: str) -> None:
    if not holds:
        raise DataError(f"{problem}; make the forest again")


def _check_rows(what: str, starts: npt.NDArray[np.uint64], edges: int, values: int) -> None:
    is_sound = len(starts) == edges + 1 and starts[0] == 0 and starts[-1] == values
    _check(
        is_sound and bool((starts[1:] >= starts[:-1]).all()),
        f"the starts of {what} must rise from 0 to {values}, for {edges} edges",
    )


def _check_below(what: str, ids: npt.NDArray[np.integer], count: int) -> None:
    if len(ids) and ids.max() >= count:
        raise DataError(f"{what} must be below {count}; found {ids.max()}; make the forest again")


def shared_names(forests: Sequence[Forest]) -> list[Forest]:
    """Return the forests with the same words, names of features and texts, as those of one file have."""
    if not forests:
        return []
    first = forests[0]
    is_shared = all(
        forest.words is first.words and forest.texts is first.texts and forest.features.names is first.features.names
        for forest in forests
    )
    if is_shared:
        return list(forests)
    names, words, texts = _Merged(), _Merged(), _Merged()
    parts = [
        (forest, names.ids(forest.features.names), words.ids(forest.words), texts.ids(forest.texts))
        for forest in forests
    ]
    all_names, all_words, all_texts = names.values(), words.values(), texts.values()
    merged = []
    for forest, name_ids, word_ids, text_ids in parts:
        old = forest.features
        items = forest.items.copy()
        items[items >= 0] = word_ids[items[items >= 0]]
        merged.append(
            replace(
                forest,
                features=SparseFeatures(old.starts, name_ids[old.ids].astype(np.uint32), old.values, all_names),
                words=all_words,
                items=items,
                texts=all_texts,
                node_columns={name: _mapped(column, text_ids) for name, column in forest.node_columns.items()},
                edge_columns={name: _mapped(column, text_ids) for name, column in forest.edge_columns.items()},
            )
        )
    return merged


class _Merged:
    """Texts of several lists, each once."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}

    def ids(self, texts: tuple[str, ...]) -> npt.NDArray[np.int64]:
        return np.array([self._ids.setdefault(text, len(self._ids)) for text in texts], np.int64)

    def values(self) -> tuple[str, ...]:
        return tuple(self._ids)


def _mapped(column: Column, ids: npt.NDArray[np.int64]) -> Column:
    if column.ndim != 1:
        return column
    mapped = column.copy()
    present = column != NO_TEXT
    mapped[present] = ids[column[present]]
    return mapped
