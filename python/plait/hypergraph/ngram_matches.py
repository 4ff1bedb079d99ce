"""Forests whose edges know which n-grams they complete."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from plait import _core
from plait.errors import ConfigError, DataError
from plait.hypergraph.kbest import whole
from plait.hypergraph.structure import Hypergraph
from plait.hypergraph.yields import Yields, whole_numbers
from plait.threads import resolve_threads

__all__ = ["DEFAULT_LIMIT", "NgramMatches", "NgramTable", "match_all_ngrams", "match_ngrams"]

DEFAULT_LIMIT = 10_000_000
"""Edges of a result before the work is given up."""

NgramTable = tuple[npt.NDArray[np.uint64], npt.NDArray[np.int32]]
"""Starts and words: n-gram ``n`` is ``words[starts[n]:starts[n + 1]]``."""


@dataclass(frozen=True, eq=False)
class NgramMatches:
    """A hypergraph whose edges know which n-grams they complete; frozen.

    Parameters
    ----------
    graph : Hypergraph
        With the same derivations as the old one.
    nodes, edges : ndarray of uint32
        The old number of each new node and edge.
    starts : ndarray of uint64, shape (edges + 1,)
        Edge ``e`` completes the n-grams ``ngrams[starts[e]:starts[e + 1]]``, each as often as it stands there.
    ngrams : ndarray of uint32
        Numbers of n-grams.
    table : tuple of (ndarray of uint64, ndarray of int32)
        Starts and words: n-gram ``n`` is ``words[starts[n]:starts[n + 1]]``.
    """

    graph: Hypergraph
    nodes: npt.NDArray[np.uint32]
    edges: npt.NDArray[np.uint32]
    starts: npt.NDArray[np.uint64]
    ngrams: npt.NDArray[np.uint32]
    table: NgramTable

    def words(self) -> list[tuple[int, ...]]:
        """Return the words of each n-gram."""
        starts, words = self.table[0].astype(np.int64), self.table[1].tolist()
        return [tuple(words[i:j]) for i, j in pairwise(starts)]

    def sums(self, values: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return, for each new edge, the sum of a value an n-gram over those that it completes.

        Parameters
        ----------
        values : array_like of float64, shape (n-grams,)

        Returns
        -------
        ndarray of float64, shape (edges,)
            Weights or losses of edges, such as those of linear BLEU (Tromble et al. 2008).
        """
        column = float_column(values, "values")
        if column.size != len(self.table[0]) - 1:
            raise DataError(f"values must be one for each of {len(self.table[0]) - 1} n-grams; found {column.size}")
        sums = np.bincount(self.rows(), weights=column[self.ngrams], minlength=self.graph.edges)
        return sums.astype(np.float64, copy=False)

    def rows(self) -> npt.NDArray[np.int64]:
        """Return the new edge that each of `ngrams` belongs to."""
        return np.repeat(np.arange(self.graph.edges), np.diff(self.starts).astype(np.int64))


def match_ngrams(
    graph: Hypergraph,
    yields: Yields,
    ngrams: Iterable[Sequence[int]] | NgramTable,
    *,
    begin: int | None = None,
    end: int | None = None,
    limit: int = DEFAULT_LIMIT,
) -> NgramMatches:
    """Split the nodes of a hypergraph so that each of its edges completes the same n-grams of a set in all derivations.

    Parameters
    ----------
    graph : Hypergraph
        Acyclic.
    yields : Yields
        Every edge has each of its tail nodes exactly once.
    ngrams : iterable of sequences of int, or pair of arrays
        The set: n-grams of words, of any lengths, each once. As arrays: the starts, uint64, and the words of all,
        int32, as in the table of the result.
    begin, end : int, optional
        Words that stand before and after every yield.
    limit : int
        The most edges of the result.

    Returns
    -------
    NgramMatches
        Over the edges of each derivation, the n-grams are those of the set that its yield has, exactly, and as often.
        Their numbers are those of the rows of ``ngrams``.

    Raises
    ------
    CycleError, DataError, ResourceError
        As for `plait.hypergraph.intersect`; also for an n-gram that is empty or there twice.

    Notes
    -----
    Ours: see the page on linear BLEU. Two yields of a node are kept apart only if some words around them would make
    another n-gram of the set with one than with the other. With the n-grams of a reference that is far less
    than with all n-grams (`plait.hypergraph.with_ngrams`), and never more. Time for each new edge is
    O(items + order arity + matches).

    Examples
    --------
    >>> from plait.hypergraph import Hypergraph, Yields, match_ngrams
    >>> forest = Hypergraph.from_edges([(0, []), (0, []), (0, []), (1, [0, 0])])
    >>> yields = Yields.from_rows([[5], [6], [7], [-1, -2]])
    >>> found = match_ngrams(forest, yields, [[5], [6, 7]])
    >>> found.graph.nodes, found.graph.edges  # 5, 6 and 7 are each of another use
    (4, 12)
    """
    cases = [(graph, yields, ngrams)]
    return match_all_ngrams(cases, begin=begin, end=end, limit=limit, threads=1)[0]


def match_all_ngrams(
    cases: Iterable[tuple[Hypergraph, Yields, Iterable[Sequence[int]] | NgramTable]],
    *,
    begin: int | None = None,
    end: int | None = None,
    limit: int = DEFAULT_LIMIT,
    threads: int | None = None,
) -> list[NgramMatches]:
    """Return what `match_ngrams` makes of many hypergraphs, on all cores.

    Parameters
    ----------
    cases : iterable of (Hypergraph, Yields, n-grams)
        Each as for `match_ngrams`.
    begin, end, limit
        As for `match_ngrams`; the limit is that of each.
    threads : int, optional
        All CPUs by default. The result is the same for any number.

    Returns
    -------
    list of NgramMatches
        In the order of the cases. All are in memory at once: hand over as many as fit.

    Raises
    ------
    CycleError, DataError, ResourceError
        As for `match_ngrams`, of the first case that fails.
    """
    check_words(begin, end)
    arrays = [(graph._core, items.arrays, ngram_table(ngrams)) for graph, items, ngrams in cases]
    found = _core.hypergraph_match_ngrams(
        arrays,
        begin=begin,
        end=end,
        limit=whole(limit, "limit"),
        threads=resolve_threads(threads),
    )
    return [
        NgramMatches(Hypergraph.from_core(core), nodes, edges, starts, numbers, table)
        for (core, nodes, edges, starts, numbers), (_, _, table) in zip(found, arrays, strict=True)
    ]


def ngram_table(ngrams: Iterable[Sequence[int]] | NgramTable) -> NgramTable:
    """Return n-grams as arrays."""
    if isinstance(ngrams, tuple) and len(ngrams) == 2 and isinstance(ngrams[0], np.ndarray):
        starts, words = ngrams
    else:
        rows = [list(row) for row in ngrams]
        starts = np.cumsum([0, *map(len, rows)], dtype=np.uint64)
        flat = [word for row in rows for word in row]
        words = np.array(flat) if flat else np.empty(0, np.int64)
    return (
        whole_numbers(starts, "the starts of the n-grams", np.uint64),
        whole_numbers(words, "the words of the n-grams", np.int32),
    )


def check_words(begin: int | None, end: int | None) -> None:
    """Refuse what is no word before or after yields."""
    for name, word in (("begin", begin), ("end", end)):
        if word is not None and not 0 <= word < 2**31:
            raise ConfigError(name=name, expected="a word, at least 0", found=word)


def float_column(values: npt.ArrayLike, name: str) -> npt.NDArray[np.float64]:
    """Return real numbers in one dimension."""
    array = np.asarray(values)
    if array.ndim != 1 or (array.dtype.kind not in "fiub" and array.size):
        raise DataError(f"{name} must be real numbers in one dimension; found {array.dtype}, shape {array.shape}")
    return np.ascontiguousarray(array, np.float64)
