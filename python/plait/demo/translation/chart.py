"""Translation with bracketing transduction grammar: charts with language model states, pruned into forests."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from plait.demo.translation.language_model import BigramModel
from plait.demo.translation.phrase_table import PhraseOption, PhraseTable
from plait.hypergraph import Forest, Hypergraph, SparseFeatures, prune

__all__ = ["FEATURES", "Beams", "translate"]

FEATURES = ("LanguageModel", "TargetGivenSource", "SourceGivenTarget", "WordPenalty", "Swaps")
"""Features of a derivation: three natural logarithms of probabilities, minus the number of target words, and minus the
number of swapped neighbours."""

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

# What a node is made by. Wu's normal form: a monotone part is not the right half of a monotone one, and a swapped
# part not that of a swapped one, so that each order of phrases has one derivation.
_PHRASE, _MONOTONE, _SWAPPED, _ROOT = 0, 1, 2, 3


@dataclass(frozen=True)
class Beams:
    """How much of a chart is kept.

    Attributes
    ----------
    nodes, edges
        Of each span of the source, the best.
    widest_swap
        Source words of the longest span whose halves may be swapped.
    forest_edges
        Of the whole forest, those that are in the best derivations.
    """

    nodes: int = 20
    edges: int = 120
    widest_swap: int = 10
    forest_edges: int = 1500


def translate(
    source: Sequence[str],
    table: PhraseTable,
    model: BigramModel,
    weights: Mapping[str, float],
    beams: Beams,
    *,
    name: str,
) -> Forest:
    """Return the forest of the translations of a sentence.

    Parameters
    ----------
    source
        Its words, at least one.
    table, model
        What was learned.
    weights
        Of `FEATURES`: they decide what is pruned.
    beams
        How much is kept.
    name
        The ``id`` in the properties of the forest.

    Returns
    -------
    Forest
        A derivation splits the source into phrases, translates each by an option of the table, and joins neighbours in
        the order of the source or swapped. Nodes know their first and last target word, so that the language model
        is a feature of edges: of a phrase for the pairs within it, of a joint for the pair at the joint, of an edge of
        the root for the first and the last word. Yields are target words.

    Notes
    -----
    O(words**3 * nodes**2) time with the beam of nodes. Ties are broken by position: equal input, equal bits.

    References
    ----------
    Wu (1997), Stochastic Inversion Transduction Grammars and Bilingual Parsing of Parallel Corpora, section 6 for the
    normal form; Chiang (2007), Hierarchical Phrase-Based Translation, section 5.3.
    """
    chart = _Chart(source, table, model, np.array([weights[feature] for feature in FEATURES]), beams)
    return chart.forest(name)


@dataclass(frozen=True, eq=False)
class _Items:
    """The nodes of some spans: numbers, best scores, first and last words, what they were made by.

    ``bounds``: the nodes of the span of width ``k`` are ``bounds[k - 1]:bounds[k]``.
    """

    nodes: Ints
    scores: Floats
    firsts: Ints
    lasts: Ints
    kinds: Ints
    bounds: tuple[int, ...]

    def with_wider(self, wider: _Items) -> _Items:
        """Return the nodes of these spans and of the one that is wider by a word."""
        nodes, scores, firsts, lasts, kinds = map(np.concatenate, zip(self.columns(), wider.columns(), strict=True))
        return _Items(nodes, scores, firsts, lasts, kinds, (*self.bounds, self.bounds[-1] + len(wider.nodes)))

    def columns(self) -> tuple[Any, ...]:
        return (self.nodes, self.scores, self.firsts, self.lasts, self.kinds)


def _no_items() -> _Items:
    none = np.empty(0, np.int64)
    return _Items(none, np.empty(0), none, none, none, (0,))


@dataclass(frozen=True, eq=False)
class _Edges:
    """Edges into one span, best scores first once they are sorted.

    ``left`` and ``right`` are nodes; of a phrase, ``left`` is the number of its option and ``right`` is -1.
    """

    scores: Floats
    firsts: Ints
    lasts: Ints
    kinds: Ints
    left: Ints
    right: Ints
    language: Floats

    @classmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
        columns = zip(*(part.columns() for part in parts), strict=True)
        return cls(*(np.concatenate(column) for column in columns))

    def __getitem__(self, rows: Ints) -> Self:
        return type(self)(*(column[rows] for column in self.columns()))

    def columns(self) -> tuple[Any, ...]:
        return (self.scores, self.firsts, self.lasts, self.kinds, self.left, self.right, self.language)


class _Chart:
    """All spans of one sentence, the short ones first."""

    def __init__(
        self, source: Sequence[str], table: PhraseTable, model: BigramModel, weights: Floats, beams: Beams
    ) -> None:
        self.length, self.weights, self.beams = len(source), weights, beams
        options: list[PhraseOption] = []
        self.by_span: dict[tuple[int, int], list[int]] = {}
        for start in range(self.length):
            for end in range(start + 1, min(start + table.longest, self.length) + 1):
                found = table.of(source[start:end])
                self.by_span[start, end] = list(range(len(options), len(options) + len(found)))
                options += found
        self.words = tuple(dict.fromkeys(word for option in options for word in option.target))
        ids = {word: number for number, word in enumerate(self.words)}
        self.option_words = [[ids[word] for word in option.target] for option in options]
        self.option_features = np.array(
            [(o.target_given_source, o.source_given_target, -float(len(o.target))) for o in options]
        )
        self.bigrams = model.matrix(self.words, self.words)
        self.starts, self.ends = model.starts(self.words), model.ends(self.words)
        # What the first word of a part will cost, about: nodes of a span are compared with it.
        self.promise = weights[0] * model.alone(self.words)
        # The nodes of all spans that start, and of all that end, at a place.
        self.starting: defaultdict[int, _Items] = defaultdict(_no_items)
        self.ending: defaultdict[int, _Items] = defaultdict(_no_items)
        self.heads: list[Ints] = []
        self.edges: list[_Edges] = []
        self.spans: list[tuple[int, int]] = []
        for width in range(1, self.length + 1):
            for start in range(self.length - width + 1):
                self._fill(start, start + width)
        self._close()

    def _fill(self, start: int, end: int) -> None:
        parts = [self._phrases(start, end)]
        if end - start > 1:
            left, right = self.starting[start], self.ending[end]
            pairs = _pairs(left.bounds, right.bounds)
            parts.append(self._joined(left, right, pairs, _MONOTONE))
            if end - start <= self.beams.widest_swap:
                parts.append(self._joined(left, right, pairs, _SWAPPED))
        edges = _Edges.concatenate(parts)
        edges = edges[_best(edges.scores + self.promise[edges.firsts], self.beams.edges)]
        self._keep(edges, (start, end))

    def _keep(self, edges: _Edges, span: tuple[int, int]) -> None:
        """Make nodes of the states of sorted edges: the best ones, with their edges."""
        size = len(self.words)
        states = (edges.firsts * size + edges.lasts) * 3 + edges.kinds
        _, where, inverse = np.unique(states, return_index=True, return_inverse=True)
        order = np.argsort(where, kind="stable")
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        places = rank[inverse]
        best = where[order[: self.beams.nodes]]
        first = len(self.spans)
        kept = places < self.beams.nodes
        made = _Items(
            np.arange(first, first + len(best)),
            edges.scores[best],
            edges.firsts[best],
            edges.lasts[best],
            edges.kinds[best],
            (0, len(best)),
        )
        self.starting[span[0]] = self.starting[span[0]].with_wider(made)
        self.ending[span[1]] = self.ending[span[1]].with_wider(made)
        self.heads.append(places[kept] + first)
        self.edges.append(edges[np.flatnonzero(kept)])
        self.spans += [span] * len(best)

    def _phrases(self, start: int, end: int) -> _Edges:
        numbers = np.array(self.by_span.get((start, end), []), np.int64)
        targets = [self.option_words[number] for number in numbers]
        language = np.array([sum(self.bigrams[v, w] for v, w in pairwise(target)) for target in targets], np.float64)
        return _Edges(
            self.weights[0] * language + (self.option_features[numbers] * self.weights[1:4]).sum(axis=1),
            np.array([target[0] for target in targets], np.int64),
            np.array([target[-1] for target in targets], np.int64),
            np.full(len(numbers), _PHRASE),
            numbers,
            np.full(len(numbers), -1),
            language,
        )

    def _joined(self, left: _Items, right: _Items, pairs: tuple[Ints, Ints], kind: int) -> _Edges:
        """Join the pairs of nodes of which the right one is of a kind that may stand there."""
        chosen = np.flatnonzero(right.kinds[pairs[1]] != kind)
        at_left, at_right = pairs[0][chosen], pairs[1][chosen]
        before, after = (left, right) if kind == _MONOTONE else (right, left)
        at_before, at_after = (at_left, at_right) if kind == _MONOTONE else (at_right, at_left)
        language = self.bigrams[before.lasts[at_before], after.firsts[at_after]]
        scores = left.scores[at_left] + right.scores[at_right] + self.weights[0] * language
        if kind == _SWAPPED:
            scores = scores - self.weights[4]
        return _Edges(
            scores,
            before.firsts[at_before],
            after.lasts[at_after],
            np.full(len(at_left), kind),
            left.nodes[at_left],
            right.nodes[at_right],
            language,
        )

    def _close(self) -> None:
        """Add the root over the nodes of the whole sentence."""
        top = self.starting[0]
        widest = slice(*top.bounds[-2:])
        nodes, scores, firsts, lasts, kinds = (column[widest] for column in top.columns())
        language = self.starts[firsts] + self.ends[lasts]
        self.heads.append(np.full_like(nodes, len(self.spans)))
        self.edges.append(
            _Edges(
                scores + self.weights[0] * language,
                firsts,
                lasts,
                np.full_like(kinds, _ROOT),
                nodes,
                np.full_like(nodes, -1),
                language,
            )
        )

    def forest(self, name: str) -> Forest:
        """Return the best part of the chart."""
        heads, edges = np.concatenate(self.heads), _Edges.concatenate(self.edges)
        spans = np.array([*self.spans, (0, self.length)], np.int64)
        is_joint = (edges.kinds == _MONOTONE) | (edges.kinds == _SWAPPED)
        has_tail = np.column_stack([edges.kinds != _PHRASE, is_joint])
        graph = Hypergraph(
            heads,
            _starts(has_tail.sum(axis=1)),
            np.column_stack([edges.left, edges.right])[has_tail],
            nodes=len(spans),
            root=len(spans) - 1,
        )
        features = self._features(edges)
        pruned = prune(graph, (features * self.weights).sum(axis=1), edges=self.beams.forest_edges)
        kept = pruned.edges.astype(np.int64)
        items = [self._yield(*row) for row in zip(edges.kinds[kept].tolist(), edges.left[kept].tolist(), strict=True)]
        return Forest(
            graph=pruned.graph,
            features=_sparse(features[kept]),
            words=self.words,
            item_starts=_starts([len(row) for row in items]),
            items=np.array([item for row in items for item in row], np.int32),
            node_columns={"span": spans[pruned.nodes]},
            properties={"id": name},
        )

    def _features(self, edges: _Edges) -> Floats:
        """Return the features of edges, shape (edges, features)."""
        found = np.zeros((len(edges.kinds), len(FEATURES)))
        found[:, 0] = edges.language
        phrases = np.flatnonzero(edges.kinds == _PHRASE)
        found[phrases, 1:4] = self.option_features[edges.left[phrases]]
        found[edges.kinds == _SWAPPED, 4] = -1.0
        return found

    def _yield(self, kind: int, left: int) -> Sequence[int]:
        if kind == _PHRASE:
            return self.option_words[left]
        return {_ROOT: (-1,), _MONOTONE: (-1, -2), _SWAPPED: (-2, -1)}[kind]


def _pairs(left: Sequence[int], right: Sequence[int]) -> tuple[Ints, Ints]:
    """Return the places of all pairs of nodes of two spans that make up one span, by the width of the left one."""
    at_left, at_right = [], []
    for width in range(1, len(left)):
        first = np.arange(left[width - 1], left[width])
        second = np.arange(right[-width - 1], right[-width])
        at_left.append(np.repeat(first, len(second)))
        at_right.append(np.tile(second, len(first)))
    return np.concatenate(at_left), np.concatenate(at_right)


def _best(scores: Floats, count: int) -> Ints:
    """Return the rows of the highest scores, the best first; of equal ones the first."""
    rows = np.arange(len(scores))
    if len(scores) > count:
        # With all that are as good as the last one: which of them a partition picks is not said.
        rows = np.flatnonzero(scores >= np.partition(scores, len(scores) - count)[len(scores) - count])
    return rows[np.argsort(-scores[rows], kind="stable")][:count]


def _starts(lengths: npt.ArrayLike) -> npt.NDArray[np.uint64]:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.uint64)


def _sparse(features: Floats) -> SparseFeatures:
    """Return the features that are not 0."""
    rows, columns = np.nonzero(features)
    starts = _starts(np.bincount(rows, minlength=len(features)))
    return SparseFeatures(starts, columns.astype(np.uint32), features[rows, columns], FEATURES)
