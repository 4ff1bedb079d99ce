"""From forests and references to what minimum-risk training needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, repeat
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from plait.errors import ConfigError, DataError, ResourceError
from plait.hypergraph.features import SparseFeatures
from plait.hypergraph.forest import Forest, gathered
from plait.hypergraph.ngram_matches import DEFAULT_LIMIT, NgramMatches, match_all_ngrams
from plait.minrisk.bleu import Line
from plait.minrisk.feature_index import FeatureIndex
from plait.minrisk.feature_rows import with_matches, with_values
from plait.minrisk.forest_errors import ForestErrors
from plait.minrisk.linear_bleu import LinearBleu
from plait.minrisk.ngram_features import NgramFeatures
from plait.minrisk.risk_forest import RiskForest
from plait.minrisk.search_terms import SearchTerms, Wanted
from plait.minrisk.weights_files import match_weights

__all__ = ["BASELINE", "Annotated", "Annotator", "annotate", "annotate_all"]

BASELINE = "baseline"
"""The name of the feature that holds the score of a baseline."""

DEFAULT_GAIN = LinearBleu.from_precisions(0.85, 0.7, 10)
"""The precisions that Joshua takes for those of a system, unless told otherwise."""

_Result = TypeVar("_Result")

# Forests that are matched at a time: enough for all cores, few enough to keep in memory.
_BLOCK_FORESTS = 64
_BLOCK_EDGES = 200_000


class Annotated(NamedTuple):
    """A forest for training, and the same one for everything else."""

    risk: RiskForest
    """Features by the numbers of the index, losses, base scores."""
    forest: Forest
    """With the nodes, edges and features of `risk`, and the words and labels of the forest that was given: what
    `plait.minrisk.rerank` takes with trained weights."""
    edges: npt.NDArray[np.uint32]
    """The edge of the forest that was given, for each edge."""


class Annotator:
    """Turns forests into `RiskForest` objects, always in the same way.

    Parameters
    ----------
    index : FeatureIndex
        The numbers of features. A growing one takes up the names of the n-grams at once, then those of forests as they
        come.
    gain : LinearBleu, optional
        What losses are made of: by default the one of ``from_precisions(0.85, 0.7, 10)``, the values of Joshua.
    ngrams : NgramFeatures, optional
        Features to add. Those that a frozen index does not know are left out.
    baseline : array_like or mapping of str to float, optional
        Weights of a baseline, as for `plait.hypergraph.Forest.scores`: the score that they give an edge becomes its
        feature ``baseline``.
    keep_features : bool
        Whether features that the forest has are kept.
    ignore : iterable of str
        Words that are not there, neither in yields nor in references: ``("<s>", "</s>")`` for forests of cdec and
        Joshua.
    limit : int
        The most edges of a result.

    Raises
    ------
    ConfigError
        ``baseline`` is asked for, and ``ngrams`` or a kept feature has its name.

    Notes
    -----
    Nodes are split by the n-grams of references and features that their yields can still be part of
    (`plait.hypergraph.match_ngrams`), so that the loss of a derivation, the sum over its edges, is that of its yield.
    What `plait.hypergraph.Forest.weights` says of edges becomes the base score, which no weight changes. Where a file
    holds both features and the score that a decoder made of them, as n-best lists do, take
    ``forest.with_weights(None)``, lest the decoder's weights stay in force beside those that are trained.
    """

    def __init__(
        self,
        index: FeatureIndex,
        *,
        gain: LinearBleu | None = None,
        ngrams: NgramFeatures | None = None,
        baseline: npt.ArrayLike | Mapping[str, float] | None = None,
        keep_features: bool = True,
        ignore: Iterable[str] = (),
        limit: int = DEFAULT_LIMIT,
    ) -> None:
        self.index = index
        self._gain = DEFAULT_GAIN if gain is None else gain
        self._baseline = baseline
        self._baseline_id = -1 if baseline is None else int(index.ids([BASELINE])[0])
        self._keep_features = keep_features
        self._limit = limit
        selected = () if ngrams is None else ngrams.ngrams
        ids = index.ids(() if ngrams is None else ngrams.names)
        known = [(ngram, number) for ngram, number in zip(selected, ids.tolist(), strict=True) if number >= 0]
        self._terms = SearchTerms(known, frozenset(ignore))

    def annotate(self, forest: Forest, references: Sequence[Line] | None = None) -> Annotated:
        """Return a forest for training.

        Parameters
        ----------
        forest : Forest
            Acyclic; every edge has each of its tail nodes exactly once in its yield.
        references : sequence of str or sequence of sequences of str, optional
            Tokenised translations, one at least, each with a word at least. An n-gram counts if one of them has it.
            Without references all losses are 0.

        Returns
        -------
        Annotated

        Raises
        ------
        CycleError
            The forest has a cycle.
        DataError
            There are no references, or one has no words; the forest has no words although n-grams are looked for; a
            yield is not as it must be.
        ResourceError
            The limit is reached: prune first, or raise it.
        """
        wanted = self._wanted(forest, references)
        return self._annotated(forest, wanted, _match([(forest, wanted)], self._limit, 1)[0])

    def annotate_all(
        self,
        forests: Iterable[Forest],
        references: Iterable[Sequence[Line] | None] | None = None,
        *,
        threads: int | None = None,
    ) -> Iterator[Annotated]:
        """Return forests for training one by one, made on all cores; see `annotate`.

        Parameters
        ----------
        forests : iterable of Forest
        references : iterable, optional
            Those of each forest, as many as there are forests; see `annotate`.
        threads : int, optional
            All CPUs by default. The result is the same for any number.

        Returns
        -------
        iterator of Annotated
            In the order of the forests; some tens are in memory at a time.

        Raises
        ------
        CycleError, DataError, ResourceError
            As `annotate`; the message begins with the number of the forest, from 0.
        """
        return self._all(self._annotated, forests, references, threads)

    def risks(
        self,
        forests: Iterable[Forest],
        references: Iterable[Sequence[Line] | None] | None = None,
        *,
        threads: int | None = None,
    ) -> Iterator[RiskForest]:
        """Return what `annotate_all` does without the forests with words: for training alone, in less time."""
        return self._all(self._risk, forests, references, threads)

    def _all(
        self,
        finish: Callable[[Forest, Wanted, NgramMatches | None], _Result],
        forests: Iterable[Forest],
        references: Iterable[Sequence[Line] | None] | None,
        threads: int | None,
    ) -> Iterator[_Result]:
        first = 0
        for block in _blocks(forests, references):
            cases = []
            for n, (forest, lines) in enumerate(block, first):
                with ForestErrors(n):
                    cases.append((forest, self._wanted(forest, lines)))
            matches = _match(cases, self._limit, threads, first)
            for n, ((forest, wanted), found) in enumerate(zip(cases, matches, strict=True), first):
                with ForestErrors(n):
                    result = finish(forest, wanted, found)
                yield result
            first += len(block)

    def _wanted(self, forest: Forest, references: Sequence[Line] | None) -> Wanted:
        lines = [references] if isinstance(references, str) else references
        thetas = None if lines is None else self._gain.ngrams(self._terms.checked(lines))
        return self._terms.of(forest, thetas)

    def _annotated(self, forest: Forest, wanted: Wanted, found: NgramMatches | None) -> Annotated:
        risk = self._risk(forest, wanted, found)
        if found is None:
            edges = np.arange(forest.edges, dtype=np.uint32)
        else:
            forest, edges = forest.part(found), found.edges
        return Annotated(risk, replace(forest, features=risk.features), edges)

    def _risk(self, forest: Forest, wanted: Wanted, found: NgramMatches | None) -> RiskForest:
        own = self._features(forest)
        losses = np.zeros(forest.edges)
        if wanted.has_references:
            losses -= self._gain.thetas[0] * wanted.lengths
        if found is None:
            return RiskForest(forest.graph, own, losses, forest.weights)
        starts, rows = gathered(own.starts, found.edges)
        own = SparseFeatures(starts, own.ids[rows], own.values[rows], own.names)
        base = None if forest.weights is None else forest.weights[found.edges]
        losses = losses[found.edges] - found.sums(wanted.thetas)
        return RiskForest(found.graph, with_matches(own, found, wanted.features), losses, base)

    def _features(self, forest: Forest) -> SparseFeatures:
        """Return the features of the old edges: their own, and the score of the baseline."""
        empty = SparseFeatures(np.zeros(forest.edges + 1, np.uint64), np.empty(0, np.uint32), np.empty(0), ())
        own = self.index.renumber(forest.features if self._keep_features else empty)
        if self._baseline is None:
            return own
        if self._keep_features and BASELINE in forest.features.names:
            raise ConfigError(
                f"the forest has a feature {BASELINE!r} already; leave its features out with keep_features=False, or "
                "ask for no baseline"
            )
        if self._baseline_id < 0:
            return own
        scores = forest.scores(_known(self._baseline, forest.features.names))
        rows = np.flatnonzero(scores)
        return with_values(own, rows, np.full(len(rows), self._baseline_id), scores[rows], self.index.names)


def annotate(
    forest: Forest,
    references: Sequence[Line] | None = None,
    *,
    index: FeatureIndex,
    gain: LinearBleu | None = None,
    ngrams: NgramFeatures | None = None,
    baseline: npt.ArrayLike | Mapping[str, float] | None = None,
    keep_features: bool = True,
    ignore: Iterable[str] = (),
    limit: int = DEFAULT_LIMIT,
) -> RiskForest:
    """Return a forest with losses and features for minimum-risk training.

    Parameters
    ----------
    forest : Forest
        Its `plait.hypergraph.Forest.weights` become the base score: see the notes of `Annotator`.
    references : sequence of str or sequence of sequences of str, optional
        As for `Annotator.annotate`.
    index, gain, ngrams, baseline, keep_features, ignore, limit
        As for `Annotator`, which is better for many forests, as is `annotate_all`.

    Returns
    -------
    RiskForest
        Its derivations are those of the forest, one to one.

    Raises
    ------
    CycleError, DataError, ResourceError, ConfigError
        As `Annotator` and `Annotator.annotate`.

    Examples
    --------
    >>> import numpy as np
    >>> from plait.hypergraph import Forest, Hypergraph, SparseFeatures
    >>> from plait.minrisk import FeatureIndex, LinearBleu, annotate
    >>> forest = Forest(
    ...     Hypergraph.from_edges([(0, []), (0, [])]),
    ...     SparseFeatures(np.array([0, 1, 1], np.uint64), np.array([0], np.uint32), np.array([2.5]), ("lm",)),
    ...     words=("the", "cat", "dog"),
    ...     item_starts=np.array([0, 2, 4], np.uint64),
    ...     items=np.array([0, 1, 0, 2], np.int32),
    ... )
    >>> index = FeatureIndex()
    >>> gain = LinearBleu([-1.0, 1.0, 1.0])
    >>> found = annotate(forest, ["the cat"], index=index, gain=gain)
    >>> found.losses.tolist(), index.names
    ([-1.0, 1.0], ('lm',))
    """
    annotator = Annotator(
        index, gain=gain, ngrams=ngrams, baseline=baseline, keep_features=keep_features, ignore=ignore, limit=limit
    )
    return annotator.annotate(forest, references).risk


def annotate_all(
    forests: Iterable[Forest],
    references: Iterable[Sequence[Line] | None] | None = None,
    *,
    index: FeatureIndex,
    gain: LinearBleu | None = None,
    ngrams: NgramFeatures | None = None,
    baseline: npt.ArrayLike | Mapping[str, float] | None = None,
    keep_features: bool = True,
    ignore: Iterable[str] = (),
    limit: int = DEFAULT_LIMIT,
    threads: int | None = None,
) -> Iterator[RiskForest]:
    """Return many forests with losses and features one by one, made on all cores.

    Parameters
    ----------
    forests, references, threads
        As for `Annotator.annotate_all`.
    index, gain, ngrams, baseline, keep_features, ignore, limit
        As for `Annotator`.

    Returns
    -------
    iterator of RiskForest
        In the order of the forests: what `plait.minrisk.TrainingSet.build` goes through.

    Raises
    ------
    CycleError, DataError, ResourceError, ConfigError
        As `Annotator` and `Annotator.annotate_all`.
    """
    annotator = Annotator(
        index, gain=gain, ngrams=ngrams, baseline=baseline, keep_features=keep_features, ignore=ignore, limit=limit
    )
    return annotator.risks(forests, references, threads=threads)


def _known(weights: npt.ArrayLike | Mapping[str, float], names: tuple[str, ...]) -> npt.ArrayLike | Mapping[str, float]:
    """Leave out weights of features that a forest does not have: where each has a file, each has its own names."""
    if not isinstance(weights, Mapping):
        return weights
    return dict(zip(names, match_weights(weights, names).values.tolist(), strict=True))


def _match(
    cases: Sequence[tuple[Forest, Wanted]], limit: int, threads: int | None, first: int | None = None
) -> list[NgramMatches | None]:
    """Return the matches of each case; None where nothing is looked for."""
    active = [(forest.graph, wanted.yields, wanted.table) for forest, wanted in cases if wanted.table is not None]
    if not active:
        return [None] * len(cases)
    try:
        found = iter(match_all_ngrams(active, limit=limit, threads=threads))
    except (DataError, ResourceError):
        if first is None:
            raise
        # Once more, one by one, to say which it is.
        for n, (forest, wanted) in enumerate(cases, first):
            if wanted.table is not None:
                with ForestErrors(n):
                    match_all_ngrams([(forest.graph, wanted.yields, wanted.table)], limit=limit, threads=1)
        raise
    return [None if wanted.table is None else next(found) for _, wanted in cases]


def _blocks(
    forests: Iterable[Forest], references: Iterable[Sequence[Line] | None] | None
) -> Iterator[list[tuple[Forest, Sequence[Line] | None]]]:
    block: list[tuple[Forest, Sequence[Line] | None]] = []
    edges = 0
    end = object()
    lines: Iterator[object] = repeat(None) if references is None else chain(references, repeat(end))
    number = -1
    for number, (forest, line) in enumerate(zip(forests, lines, strict=False)):
        if line is end:
            raise DataError(f"the references end before forest {number} (from 0); give those of every forest")
        block.append((forest, line))  # type: ignore[arg-type]  # a marker of the end is no line
        edges += forest.edges
        if len(block) >= _BLOCK_FORESTS or edges >= _BLOCK_EDGES:
            yield block
            block, edges = [], 0
    if block:
        yield block
    if references is not None and next(lines) is not end:
        raise DataError(
            f"the forests end after {number + 1}, but there are more references; give those of every forest"
        )
