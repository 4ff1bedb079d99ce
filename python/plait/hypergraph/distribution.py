"""The distribution that weights define over the derivations of a hypergraph."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from plait import _core
from plait.errors import DataError
from plait.hypergraph.features import Features, edge_values, feature_arrays
from plait.hypergraph.structure import Hypergraph
from plait.threads import resolve_threads

__all__ = ["Distribution", "distributions"]

Vector = npt.NDArray[np.float64]


class Distribution:
    """p(d), in proportion to the product of the weights of the edges of a derivation d; frozen.

    Everything that is asked of one weighting of one hypergraph follows from one inside pass: keep the object where
    more than one quantity is wanted.

    Parameters
    ----------
    graph : Hypergraph
        Acyclic.
    weights : array_like of float64, shape (edges,)
        The natural logarithm of each edge's weight; -inf is an edge that is not there.
    is_log : bool
        False for weights as they are: finite and not negative.

    Raises
    ------
    CycleError
        The hypergraph has a cycle.
    DataError
        A weight is NaN, +infinite, negative where weights are not logarithms, or of a size beyond 1.4e9 where they
        are; there are not as many as edges.

    Notes
    -----
    O(edges + tail nodes) time; 8 bytes an edge and 24 a node. Products are of mantissas with an exponent of two for
    each node, so that nothing under- or overflows, and no logarithm is taken of single edges (Li and Eisner 2009,
    footnote 6; docs/design/hypergraphs.md). The same bits for any number of threads and on every platform.

    Examples
    --------
    The forest of Figure 1 of the paper:

    >>> import numpy as np
    >>> from plait.hypergraph import Distribution, Hypergraph
    >>> the_mat, a_cat, x1, x2, goal = range(5)
    >>> forest = Hypergraph.from_edges(
    ...     [(the_mat, []), (a_cat, []), (x1, [the_mat, a_cat]), (x1, [the_mat, a_cat]),
    ...      (x2, [the_mat, a_cat]), (x2, [the_mat, a_cat]), (goal, [x1]), (goal, [x2])]
    ... )
    >>> p = Distribution(forest, [1/2, 1/3, 2, 1, 1, 3, 1, 1/2], is_log=False)
    >>> float(np.exp(p.log_z).round(12)), round(p.entropy, 12)
    (0.833333333333, 1.279854225834)
    """

    def __init__(self, graph: Hypergraph, weights: npt.ArrayLike, *, is_log: bool = True) -> None:
        self._weights = edge_values(weights, graph.edges, "weights")
        self._is_log = is_log
        self.graph = graph
        self._core = _core.Distribution(graph._core, self._weights, is_log)

    @classmethod
    def _wrap(cls, graph: Hypergraph, weights: Vector, is_log: bool, core: _core.Distribution) -> Distribution:
        self = cls.__new__(cls)
        self.graph, self._weights, self._is_log, self._core = graph, weights, is_log, core
        return self

    def __repr__(self) -> str:
        return f"Distribution({self.graph!r}, log_z={self.log_z:.6g})"

    @property
    def log_z(self) -> float:
        """The logarithm of the total weight Z of all derivations; -inf if there is none."""
        return self._core.log_z

    @cached_property
    def inside(self) -> Vector:
        """The logarithm of the inside weight of each node (Figure 2 of the paper); shape (nodes,)."""
        return self._core.inside()

    @cached_property
    def outside(self) -> Vector:
        """The logarithm of the outside weight of each node (Figure 3, over positions of the tail); shape (nodes,)."""
        return self._core.outside(self._weights, self._is_log)

    @cached_property
    def local(self) -> Vector:
        """The probability of each edge among those into its head; shape (edges,)."""
        return self._core.local()

    @cached_property
    def _posteriors(self) -> tuple[Vector, Vector]:
        return self._core.posteriors()

    @property
    def node_posteriors(self) -> Vector:
        """The expected number of uses of each node; shape (nodes,). A probability where no derivation uses it twice."""
        return self._posteriors[0]

    @property
    def edge_posteriors(self) -> Vector:
        """The expected number of uses of each edge; shape (edges,)."""
        return self._posteriors[1]

    @cached_property
    def entropy(self) -> float:
        """The entropy of p, in nats (eq. 5); 0 where there are no derivations."""
        return self._core.entropy()

    def surprisals(self) -> Vector:
        """Return -ln of `local`, shape (edges,): their sum over the edges of a derivation d is -ln p(d)."""
        return self._core.surprisals()

    def expectations(self, features: Features) -> Vector:
        """Return the expectation of each feature: of the sum of its values over the edges of a derivation.

        Parameters
        ----------
        features : array_like, SparseFeatures or CSR matrix
            A row for each edge.

        Returns
        -------
        ndarray of float64, shape (features,)
            O(edges + values) after one pass over the hypergraph, however many features there are (Figure 4).
        """
        return self._core.expectations(feature_arrays(features))

    def expectation(self, values: npt.ArrayLike) -> float:
        """Return the expectation of the sum of one value an edge, shape (edges,)."""
        column = edge_values(values, self.graph.edges, "values")
        return float(self._core.expectations(column[:, None])[0])

    def deviations(self, values: npt.ArrayLike) -> Vector:
        """Return how far the mean of a sum over edges is from its mean where an edge is used.

        Parameters
        ----------
        values : array_like of float64, shape (edges,)

        Returns
        -------
        ndarray of float64, shape (edges,)
            The mean over the derivations that use the edge less the mean over all; 0 where the edge is never used. The
            covariance with any other sum is the sum of `edge_posteriors` times this times the other's values.
        """
        return self._core.deviations(edge_values(values, self.graph.edges, "values"))[1]

    def variance(self, values: npt.ArrayLike) -> float:
        """Return the variance of the sum of one value an edge, shape (edges,)."""
        column = edge_values(values, self.graph.edges, "values")
        # What is left of rounding where there is nothing to vary.
        return max(0.0, float(self.edge_posteriors @ (self.deviations(column) * column)))

    def covariance(
        self, features: Features, others: Features | None = None, *, threads: int | None = None
    ) -> npt.NDArray[np.float64]:
        """Return the covariances of features (Case 2 and Table 2 of the paper).

        Parameters
        ----------
        features, others : array_like, SparseFeatures or CSR matrix
            A row for each edge; ``others`` are ``features`` by default.
        threads : int, optional
            All CPUs by default. No bit of the result depends on it.

        Returns
        -------
        ndarray of float64, shape (features, others)
            Two passes over the hypergraph for each of ``features``: let them be the fewer ones.
        """
        rows = feature_arrays(features)
        columns = rows if others is None else feature_arrays(others)
        found = self._core.covariance(rows, columns, resolve_threads(threads))
        # Rounding is not symmetric.
        return (found + found.T) / 2 if others is None else found

    def covariance_with(self, values: npt.ArrayLike, features: Features) -> Vector:
        """Return the covariance of each feature with the sum of one value an edge.

        Parameters
        ----------
        values : array_like of float64, shape (edges,)
        features : array_like, SparseFeatures or CSR matrix

        Returns
        -------
        ndarray of float64, shape (features,)
            O(edges + values): the route by the lifted semiring of section 4.4.
        """
        column = edge_values(values, self.graph.edges, "values")[:, None]
        covariances: Vector = self._core.covariance(column, feature_arrays(features), 1)[0]
        return covariances

    def kl_divergence(self, other: Distribution) -> float:
        """Return KL(p || other), in nats; both are over the same hypergraph object.

        Infinity where a derivation of p is none of the other.
        """
        if self.graph is not other.graph:
            raise DataError("both distributions must be over the same hypergraph; make both with the same object")
        return self._core.divergence(other._core)


def distributions(
    graphs: Sequence[Hypergraph], weights: Sequence[npt.ArrayLike], *, is_log: bool = True, threads: int | None = None
) -> list[Distribution]:
    """Return the distributions of many weighted hypergraphs, computed on all cores, posteriors included.

    Parameters
    ----------
    graphs : sequence of Hypergraph
    weights : sequence of array_like of float64
        Those of each hypergraph's edges.
    is_log : bool
        As for `Distribution`.
    threads : int, optional
        All CPUs by default. No bit of the results depends on it.

    Returns
    -------
    list of Distribution

    Raises
    ------
    CycleError, DataError
        As for `Distribution`; and where there are not as many weightings as hypergraphs.
    """
    if len(graphs) != len(weights):
        raise DataError(f"there must be weights for each of {len(graphs)} hypergraphs; found {len(weights)}")
    arrays = [edge_values(w, graph.edges, "weights") for graph, w in zip(graphs, weights, strict=True)]
    cores = _core.distributions([graph._core for graph in graphs], arrays, is_log, resolve_threads(threads))
    each = zip(graphs, arrays, cores, strict=True)
    return [Distribution._wrap(graph, array, is_log, core) for graph, array, core in each]
