"""Hypergraphs whose yields an automaton reads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plait import _core
from plait.errors import ConfigError
from plait.hypergraph.kbest import whole
from plait.hypergraph.ngram_matches import DEFAULT_LIMIT, NgramMatches, check_words, float_column
from plait.hypergraph.structure import Hypergraph
from plait.hypergraph.yields import Yields, whole_numbers

__all__ = ["NO_STATE", "OTHER_WORDS", "Automaton", "Intersection", "NgramForest", "intersect", "with_ngrams"]

OTHER_WORDS = -1
"""Instead of a word on an arc: every word that the state has no arc for."""

NO_STATE = 2**32 - 1
"""The state after the root, which has no one state."""


@dataclass(frozen=True, eq=False)
class Automaton:
    """A deterministic weighted automaton over words; frozen.

    Parameters
    ----------
    sources, targets : array_like of uint32, shape (arcs,)
        The states that each arc leaves and enters.
    words : array_like of int32, shape (arcs,)
        Its word, or `OTHER_WORDS`. A state has at most one arc for a word.
    weights : array_like of float64, shape (arcs,), optional
        Natural logarithms of weights; all 0 by default. -inf is an arc that is not there.
    ends : array_like of float64, shape (states,)
        ln of the weight of ending in each state; -inf where that is not allowed.
    start : int
        The state before the first word.
    """

    sources: npt.ArrayLike
    words: npt.ArrayLike
    targets: npt.ArrayLike
    ends: npt.ArrayLike
    weights: npt.ArrayLike | None = None
    start: int = 0


@dataclass(frozen=True, eq=False)
class Intersection:
    """The derivations that an automaton accepts; frozen.

    Parameters
    ----------
    graph : Hypergraph
        Its derivations are in one-to-one correspondence with those that the automaton accepts.
    nodes, edges : ndarray of uint32
        The old number of each new node and edge.
    weights : ndarray of float64, shape (edges,)
        ln of the weight that the automaton gives to the words of each edge, and to the end after edges into the root:
        to be added to ``old_weights[edges]``.
    states : ndarray of uint32, shape (nodes, 2)
        The states before and after each node; `NO_STATE` after the root.
    """

    graph: Hypergraph
    nodes: npt.NDArray[np.uint32]
    edges: npt.NDArray[np.uint32]
    weights: npt.NDArray[np.float64]
    states: npt.NDArray[np.uint32]


def intersect(graph: Hypergraph, yields: Yields, automaton: Automaton, *, limit: int = DEFAULT_LIMIT) -> Intersection:
    """Return the hypergraph of the derivations whose yields an automaton accepts, with its weights.

    Parameters
    ----------
    graph : Hypergraph
        Acyclic.
    yields : Yields
        Every edge has each of its tail nodes exactly once.
    automaton : Automaton
        A language model, a set of references, a constraint.
    limit : int
        The most edges of the result, also of those that turn out to be of no use.

    Returns
    -------
    Intersection

    Raises
    ------
    CycleError
        The hypergraph has a cycle.
    DataError
        A yield or the automaton is not as it must be; the message says where.
    ResourceError
        The limit is reached: prune first, or raise it.

    Notes
    -----
    Bar-Hillel, Perles and Shamir (1961), from the left and from the root down, so that only states are
    met that some yield leads to. An edge becomes at most states^(arity + 2) edges. For n-grams, `with_ngrams` makes
    fewer.

    Examples
    --------
    >>> import numpy as np
    >>> from plait.hypergraph import Automaton, Hypergraph, Yields, intersect, log_z
    >>> words = Hypergraph.from_edges([(0, []), (0, []), (1, [0, 0])])
    >>> yields = Yields.from_rows([[5], [6], [-1, -2]])
    >>> has_six = Automaton([0, 0, 1], [6, -1, -1], [1, 0, 1], ends=[-np.inf, 0.0])
    >>> found = intersect(words, yields, has_six)
    >>> round(np.exp(log_z(found.graph, found.weights)))  # derivations with a 6 among four
    3
    """
    sources = whole_numbers(automaton.sources, "the sources of the arcs", np.uint32)
    arcs = (
        sources,
        whole_numbers(automaton.words, "the words of the arcs", np.int32),
        whole_numbers(automaton.targets, "the targets of the arcs", np.uint32),
        np.zeros(sources.size)
        if automaton.weights is None
        else float_column(automaton.weights, "the weights of the arcs"),
    )
    if not 0 <= automaton.start <= NO_STATE:
        raise ConfigError(name="start", expected="the number of a state", found=automaton.start)
    ends = float_column(automaton.ends, "the weights of the ends")
    core, nodes, edges, weights, states = _core.hypergraph_intersect(
        graph._core, yields.arrays, automaton.start, arcs, ends, whole(limit, "limit")
    )
    return Intersection(Hypergraph.from_core(core), nodes, edges, weights, states)


@dataclass(frozen=True, eq=False)
class NgramForest(NgramMatches):
    """A hypergraph whose edges know all n-grams that they complete; frozen.

    Parameters
    ----------
    graph, nodes, edges, starts, ngrams, table
        As for `NgramMatches`. The table has the n-grams that some yield has, and no others.
    boundaries : tuple of (ndarray of uint64, ndarray of int32)
        For each new node: a yield shorter than order - 1 words, or the first and the last order - 1 words of longer
        ones.
    """

    boundaries: tuple[npt.NDArray[np.uint64], npt.NDArray[np.int32]]


def with_ngrams(
    graph: Hypergraph,
    yields: Yields,
    order: int,
    *,
    begin: int | None = None,
    end: int | None = None,
    limit: int = DEFAULT_LIMIT,
) -> NgramForest:
    """Split the nodes of a hypergraph by the first and last words of their yields, so that n-grams belong to edges.

    Parameters
    ----------
    graph : Hypergraph
        Acyclic.
    yields : Yields
        Every edge has each of its tail nodes exactly once.
    order : int
        The most words of an n-gram; all shorter ones are counted, too.
    begin, end : int, optional
        Words that stand before and after every yield.
    limit : int
        The most edges of the result.

    Returns
    -------
    NgramForest
        Over the edges of each derivation, the n-grams are those of its yield, exactly.

    Raises
    ------
    CycleError, DataError, ResourceError
        As for `intersect`.
    ConfigError
        The order is below 1.

    Notes
    -----
    Chiang (2007), section 5.3. Time for each new edge is O(order^2 (items + order arity)); there may be
    as many new edges as old ones times words^(2 (order - 1) arity): prune first. Where only some words
    matter, such as those of a reference, give all others one number: n-grams with it can be ignored, and nodes
    that differ in them alone stay one; or ask `match_ngrams`, which makes fewer nodes still.

    Examples
    --------
    >>> from plait.hypergraph import Hypergraph, Yields, with_ngrams
    >>> forest = Hypergraph.from_edges([(0, []), (0, []), (1, [0, 0])])
    >>> found = with_ngrams(forest, Yields.from_rows([[5], [6], [-1, -2]]), 2)
    >>> found.graph.edges, sorted(found.words())
    (6, [(5,), (5, 5), (5, 6), (6,), (6, 5), (6, 6)])
    """
    if not 1 <= order < 2**31:
        raise ConfigError(name="order", expected="at least 1", found=order)
    check_words(begin, end)
    found = _core.hypergraph_ngrams(
        graph._core, yields.arrays, order, begin=begin, end=end, limit=whole(limit, "limit")
    )
    return NgramForest(Hypergraph.from_core(found[0]), *found[1:])
