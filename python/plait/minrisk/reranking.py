"""New choices among the translations of forests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from plait.errors import ConfigError
from plait.hypergraph.derivations import Derivations
from plait.hypergraph.forest import Forest
from plait.hypergraph.kbest import KBest
from plait.hypergraph.structure import Hypergraph
from plait.hypergraph.viterbi import viterbi
from plait.hypergraph.yields import Yields
from plait.minrisk.mbr import DEFAULT_LIMIT, expected_gains
from plait.minrisk.weights_files import match_weights

__all__ = ["METHODS", "Translation", "rerank"]

METHODS = ("viterbi", "kbest", "mbr")
Method = Literal["viterbi", "kbest", "mbr"]

TROMBLE_THETAS = tuple([-0.1, *(1 / (4 * 10 * 0.85 * 0.72**n) for n in range(4))])
"""Tromble et al. (2008), section 4.1: 10 words, a unigram precision of 0.85, and 0.72 of it for each further word."""


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
    gamma: float = 1.0,
    thetas: npt.ArrayLike = TROMBLE_THETAS,
    posteriors: Literal["presence", "counts"] = "presence",
    edges: int | None = None,
    limit: int = DEFAULT_LIMIT,
    threads: int | None = None,
) -> Iterator[list[Translation]]:
    r"""Yield, for each forest, its best translations under feature weights.

    Parameters
    ----------
    forests : iterable of Forest
        Each is looked at once.
    weights : mapping of str to float
        As for `plait.minrisk.match_weights`: names that a forest does not have are no harm, unless it has none of them.
    method : {"viterbi", "kbest", "mbr"}
        The yield of the best derivation; the k best yields, each with the score of its best derivation; or the yields
        of the largest expected gain: see `plait.minrisk.expected_gains`.
    k : int
        How many distinct translations, for "kbest" and "mbr"; fewer if there are fewer.
    gamma : float
        For "mbr": the sharpness of the distribution, as trained.
    thetas, posteriors, edges, limit, threads
        For "mbr": as for `plait.minrisk.expected_gains`. Those of Tromble et al. (2008) by default.

    Yields
    ------
    list of Translation
        Best first; empty for a forest without derivations.

    Raises
    ------
    plait.errors.ConfigError
        An option has a value that is none, or no weight is that of a feature.
    plait.errors.DataError, plait.errors.ResourceError
        As for the searches.

    Examples
    --------
    >>> from pathlib import Path
    >>> from plait.hypergraph import read_forests
    >>> from plait.minrisk import rerank
    >>> _ = Path("lists.txt").write_text("0 ||| the house ||| lm= -2 ||| 0\n0 ||| a house ||| lm= -1 ||| 0\n")
    >>> [[best]] = rerank(read_forests("lists.txt", "nbest"), {"lm": 1.0})
    >>> " ".join(best.words), best.score
    ('a house', -1.0)
    """
    if method not in METHODS:
        raise ConfigError(name="method", expected=f"one of {', '.join(METHODS)}", found=repr(method))
    if k < 1:
        raise ConfigError(name="k", expected="at least 1", found=k)
    if not 0 < gamma < np.inf:
        raise ConfigError(name="gamma", expected="finite and above 0", found=gamma)
    matched: tuple[tuple[str, ...], npt.NDArray[np.float64]] | None = None
    for forest in forests:
        # The forests of one file share their names.
        if matched is None or matched[0] is not forest.features.names:
            matched = (forest.features.names, match_weights(weights, forest.features.names).values)
        scores = forest.features.scores(matched[1])
        if method == "mbr":
            found = expected_gains(
                forest.graph,
                forest.yields,
                gamma * scores,
                thetas,
                posteriors=posteriors,
                edges=edges,
                limit=limit,
                threads=threads,
            )
            rows = forest.yields.rows(found.edges)
            yield _best(found.graph, rows, found.gains, k, forest.words)
        else:
            yield _best(forest.graph, forest.yields, scores, k if method == "kbest" else 1, forest.words)


def _best(
    graph: Hypergraph, yields: Yields, weights: npt.NDArray[np.float64], k: int, words: tuple[str, ...]
) -> list[Translation]:
    """Return the k best distinct yields."""
    if k == 1:
        best = viterbi(graph, weights)
        starts = np.array([0, 0 if best is None else len(best.edges)], np.uint64)
        found = Derivations(starts, best.edges, np.array([best.weight])) if best is not None else None
    else:
        found = KBest(graph, weights, unique_by=yields).take(k)
    if found is None:
        return []
    lines = yields.of_all(graph, found)
    return [
        Translation(tuple(words[word] for word in line.tolist()), derivation.weight)
        for derivation, line in zip(found, lines, strict=True)
    ]
