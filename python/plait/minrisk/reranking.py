"""New choices among the translations of forests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Literal

import numpy as np
import numpy.typing as npt

from plait.errors import ConfigError, DataError, ResourceError
from plait.hypergraph.forest import Forest
from plait.hypergraph.kbest import KBest
from plait.hypergraph.structure import Hypergraph
from plait.hypergraph.viterbi import viterbi
from plait.hypergraph.yields import Yields
from plait.minrisk.annotate import DEFAULT_GAIN, Annotator
from plait.minrisk.feature_index import FeatureIndex
from plait.minrisk.linear_bleu import LinearBleu
from plait.minrisk.mbr import DEFAULT_LIMIT, expected_gains
from plait.minrisk.ngram_features import PREFIX, NgramFeatures, yields_without
from plait.minrisk.risk_forest import RiskForest
from plait.minrisk.weights_files import match_weights

__all__ = ["METHODS", "Translation", "best_yields", "edge_scores", "rerank"]

METHODS = ("viterbi", "kbest", "mbr")
Method = Literal["viterbi", "kbest", "mbr"]


@dataclass(frozen=True)
class Translation:
    """One translation; frozen.

    Attributes
    ----------
    words : tuple of str
    score : float
        The score of its best derivation, or its expected gain.
    """

    words: tuple[str, ...]
    score: float


def rerank(
    forests: Iterable[Forest],
    weights: Mapping[str, float],
    *,
    method: Method = "viterbi",
    k: int = 1,
    baseline: Mapping[str, float] | None = None,
    ignore: Iterable[str] = (),
    gamma: float = 1.0,
    gain: LinearBleu | None = None,
    posteriors: Literal["presence", "counts"] = "presence",
    edges: int | None = None,
    limit: int = DEFAULT_LIMIT,
    threads: int | None = None,
) -> Iterator[list[Translation]]:
    r"""Yield, for each forest, its best translations under feature weights.

    Parameters
    ----------
    forests : iterable of Forest
        Gone through once.
    weights : mapping of str to float
        Features that a forest has and weights have not weigh 0, and the other way round. The names of
        `plait.minrisk.NgramFeatures` make features of n-grams, unless the first forest has them, as one of
        `plait.minrisk.Annotator` does.
    method : {"viterbi", "kbest", "mbr"}
        The yield of the best derivation; the k best yields, each with the score of its best derivation; or the yields
        of the largest expected gain: see `plait.minrisk.expected_gains`.
    k : int
        How many distinct translations, for "kbest" and "mbr"; fewer if there are fewer.
    baseline : mapping of str to float, optional
        Weights whose score is the feature ``baseline``, as for `plait.minrisk.Annotator`.
    ignore : iterable of str
        Words that are not there, such as ``<s>``.
    gamma : float
        For "mbr": the sharpness of the distribution, as trained.
    gain : LinearBleu, optional
        For "mbr": the gain; by default that of `plait.minrisk.Annotator`.
    posteriors, edges, limit, threads
        For "mbr": as for `plait.minrisk.expected_gains`. The limit also counts where there are features of n-grams.

    Yields
    ------
    list of Translation
        Best first; empty for a forest without derivations.

    Raises
    ------
    plait.errors.ConfigError
        An option has a value that is none; no weight is that of a feature.
    plait.errors.DataError, plait.errors.ResourceError
        A forest cannot be used; the message begins with its number, from 0.

    Examples
    --------
    >>> from pathlib import Path
    >>> from plait.hypergraph import read_forests
    >>> from plait.minrisk import rerank
    >>> _ = Path("lists.txt").write_text("0 ||| the house ||| lm= -2 ||| 0\n0 ||| a house ||| lm= -1 ||| 0\n")
    >>> lists = [forest.with_weights(None) for forest in read_forests("lists.txt", "nbest")]
    >>> [[best]] = rerank(lists, {"lm": 1.0})
    >>> " ".join(best.words), best.score
    ('a house', -1.0)
    """
    if method not in METHODS:
        raise ConfigError(name="method", expected=f"one of {', '.join(METHODS)}", found=repr(method))
    if k < 1:
        raise ConfigError(name="k", expected="at least 1", found=k)
    if not 0 < gamma < np.inf:
        raise ConfigError(name="gamma", expected="finite and above 0", found=gamma)
    thetas = (DEFAULT_GAIN if gain is None else gain).thetas
    vector = np.array(list(weights.values()), np.float64)
    absent = frozenset(ignore)
    first, rest = _first(forests)
    # Forests that come from an annotator have their n-grams as features already.
    present = set() if first is None else set(first.features.names)
    annotator = Annotator(
        FeatureIndex(weights, is_frozen=True),
        ngrams=NgramFeatures.from_names(name for name in weights if name not in present),
        baseline=baseline,
        ignore=absent,
        limit=limit,
    )
    checked = _checked(rest, weights, baseline)
    for n, (risk, forest, _) in enumerate(annotator.annotate_all(checked, threads=threads)):
        yields, scores = yields_without(forest, absent), edge_scores(risk, vector)
        graph = forest.graph
        try:
            if method == "mbr":
                found = expected_gains(
                    graph,
                    yields,
                    gamma * scores,
                    thetas,
                    posteriors=posteriors,
                    edges=edges,
                    limit=limit,
                    threads=threads,
                )
                graph, yields, scores = found.graph, yields.rows(found.edges), found.gains
            yield best_yields(graph, yields, scores, 1 if method == "viterbi" else k, forest.words)
        except (DataError, ResourceError) as problem:
            raise type(problem)(f"forest {n}: {problem}") from None


def edge_scores(forest: RiskForest, weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the score of each edge, shape (edges,), from weights of all features by their numbers."""
    scores = forest.features.scores(weights[: len(forest.features.names)])
    return scores if forest.base is None else scores + forest.base


def best_yields(
    graph: Hypergraph, yields: Yields, weights: npt.NDArray[np.float64], k: int, words: tuple[str, ...]
) -> list[Translation]:
    """Return the k best distinct yields under the log weights of edges."""
    if k == 1:
        best = viterbi(graph, weights)
        if best is None:
            return []
        line = yields.of(graph, best)
        return [Translation(tuple(words[word] for word in line.tolist()), best.weight)]
    found = KBest(graph, weights, unique_by=yields).take(k)
    lines = yields.of_all(graph, found)
    return [
        Translation(tuple(words[word] for word in line.tolist()), derivation.weight)
        for derivation, line in zip(found, lines, strict=True)
    ]


def _first(forests: Iterable[Forest]) -> tuple[Forest | None, Iterable[Forest]]:
    """Return the first forest, if there is one, and all of them."""
    iterator = iter(forests)
    first = next(iterator, None)
    return first, iterator if first is None else chain([first], iterator)


def _checked(
    forests: Iterable[Forest], weights: Mapping[str, float], baseline: Mapping[str, float] | None
) -> Iterator[Forest]:
    """Refuse weights of other forests: where only features of forests weigh anything, one must be there."""
    are_plain = baseline is None and not any(name.startswith(PREFIX) for name in weights)
    names: tuple[str, ...] | None = None
    for forest in forests:
        # The forests of one file share their names.
        if are_plain and forest.features.names is not names:
            names = forest.features.names
            match_weights(weights, names)
        yield forest
