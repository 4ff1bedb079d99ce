"""Inside, outside and INSIDE-OUTSIDE in any semiring."""

from __future__ import annotations

from typing import Any

from plait import _core
from plait.errors import ConfigError, DataError
from plait.hypergraph.evaluation import Evaluation, Values, evaluation, plain, unpacked
from plait.hypergraph.features import SparseFeatures, feature_arrays
from plait.hypergraph.structure import Hypergraph
from plait.semiring import Real, Scalar, Semiring, declares
from plait.semiring.modules import Module
from plait.semiring.product import checked

__all__ = ["edge_outside", "inside", "inside_outside", "outside"]


def inside(graph: Hypergraph, weights: Any, semiring: Semiring[Any]) -> Values:
    """Return the inside weight of each node: the sum of the weights of its derivations.

    Parameters
    ----------
    graph : Hypergraph
    weights : array_like or sequence, shape (edges,), or None
        The weight of each edge, a value of the semiring; None for one everywhere.
    semiring : Semiring
        One of `plait.semiring`, or any object with ``zero``, ``one``, ``plus`` and ``times``
        (`plait.semiring.Semiring`). Products are taken in prefix order, an edge and then its tail from left to right,
        so that ``times`` need not be commutative.

    Returns
    -------
    ndarray, shape (nodes,), or list
        An array where the semiring has a ``dtype``. By node; that of ``graph.root`` is the total weight.

    Raises
    ------
    CycleError
        There is a cycle, and the semiring has no ``star`` or is not commutative; or the cycle is not linear (an edge
        derives its head from two tail nodes), or the sum over its repetitions diverges.
    DataError
        What is given is no value of the semiring; there are not as many as edges.

    Notes
    -----
    Figure 2 of Li and Eisner 2009. One product for each edge and tail node, one sum for each edge; cycles by
    elimination, component by component (docs/design/hypergraphs.md).

    - Boolean, CheckedCounting, Counting, Log, Real, SignedLog, Tropical and Viterbi run in the core, without the
      interpreter. For all that follows from logarithms of weights, `Distribution` is faster.
    - A semiring with a ``dtype`` is called with whole arrays: ``plus(a, b)`` and ``times(a, b)`` by element, or by
      row where ``zero`` is itself an array. A ``plus_reduce(values, starts)``, which adds up runs of rows, is used if
      there is one. The hypergraph is worked off level by level, so this pays for many edges to a level.
    - All others are called value by value. An exception that they raise ends the work and comes out as it is.

    Examples
    --------
    >>> from plait.hypergraph import Hypergraph, inside
    >>> from plait.semiring import Counting, Real
    >>> forest = Hypergraph.from_edges([(0, []), (0, []), (1, [0, 0])])
    >>> inside(forest, [2.0, 3.0, 1.0], Real())
    array([ 5., 25.])
    >>> inside(forest, None, Counting())
    [2, 4]

    A loop, and the strings of a forest:

    >>> inside(Hypergraph.from_edges([(0, []), (0, [0])], root=0), [1.0, 0.75], Real())
    array([4.])
    >>> class Strings:
    ...     zero, one = frozenset(), frozenset([""])
    ...     plus = staticmethod(frozenset.union)
    ...     def times(self, a, b):
    ...         return frozenset(x + y for x in a for y in b)
    >>> sorted(inside(forest, [frozenset("a"), frozenset("b"), frozenset("-")], Strings())[1])
    ['-aa', '-ab', '-ba', '-bb']
    """
    work = evaluation(graph, semiring)
    return work.shown(work.inside(work.read(weights, graph.edges, "weights")))


def outside(graph: Hypergraph, weights: Any, semiring: Semiring[Any], *, inside: Values | None = None) -> Values:
    """Return the outside weight of each node: the derivative of the total weight by its inside weight.

    It is the sum over the derivations of the root with a place for the node left open; a node that stands twice in a
    tail has two places there.

    Parameters
    ----------
    graph : Hypergraph
    weights : array_like or sequence, shape (edges,), or None
        As for `inside`.
    semiring : Semiring
        As for `inside`; it says that it is commutative (``is_commutative = True``).
    inside : array_like or sequence, shape (nodes,), optional
        What `inside` gave, where it is there already.

    Returns
    -------
    ndarray, shape (nodes,), or list

    Raises
    ------
    ConfigError
        The semiring does not say that it is commutative.
    CycleError, DataError
        As for `inside`. A cycle that the root reaches but that has no derivation can diverge here and not there.

    Notes
    -----
    Figure 3 of Li and Eisner 2009, with products over the other positions of a tail rather than over its other nodes.
    By prefixes and suffixes; nothing is divided. At most three products and one sum for each tail node.

    Examples
    --------
    >>> from plait.hypergraph import Hypergraph, outside
    >>> from plait.semiring import Real
    >>> forest = Hypergraph.from_edges([(0, []), (0, []), (1, [0, 0])])
    >>> outside(forest, [2.0, 3.0, 1.0], Real())
    array([10.,  1.])
    """
    _require_commutative(semiring)
    work = evaluation(graph, semiring)
    edges = work.read(weights, graph.edges, "weights")
    below = work.inside(edges) if inside is None else work.read(inside, graph.nodes, "inside")
    return work.shown(work.outside(edges, below))


def edge_outside(graph: Hypergraph, weights: Any, semiring: Semiring[Any]) -> Values:
    """Return the outside weight of each edge: the derivative of the total weight by that of the edge.

    Parameters
    ----------
    graph : Hypergraph
    weights : array_like or sequence, shape (edges,), or None
        As for `inside`.
    semiring : Semiring
        As for `outside`.

    Returns
    -------
    ndarray, shape (edges,), or list
        Times the weight of the edge, over the total weight: the expected number of its uses.

    Raises
    ------
    ConfigError, CycleError, DataError
        As for `outside`.

    Examples
    --------
    >>> from plait.hypergraph import Hypergraph, edge_outside
    >>> from plait.semiring import Real
    >>> forest = Hypergraph.from_edges([(0, []), (0, []), (1, [0, 0])])
    >>> edge_outside(forest, [2.0, 3.0, 1.0], Real())
    array([10., 10., 25.])
    """
    work = evaluation(graph, semiring)
    return work.shown(_both(work, graph, weights)[1])


def inside_outside(
    graph: Hypergraph, weights: Any, values: Any, semiring: Semiring[Any], *, module: Module | None = None
) -> tuple[Any, Any]:
    """Return the total of an expectation semiring, with inside and outside in the weights alone.

    The total of pairs <k, x> of weights and elements of a module over all derivations, as `inside` finds it in
    `plait.semiring.FirstOrder`: but elements are only added up once, at the end, so that they may be long and sparse.

    Parameters
    ----------
    graph : Hypergraph
    weights : array_like or sequence, shape (edges,), or None
        k of each edge, as for `inside`.
    values : array_like or sequence, shape (edges,)
        x of each edge, an element of the module: for the expectation of something that adds up along derivations,
        k times what the edge adds; for a gradient, the gradient of k. With `Real` and no module, also vectors of
        numbers, as a matrix of shape (edges, components), as `SparseFeatures`, or as a ``csr_array`` of SciPy.
    semiring : Semiring
        That of the weights; commutative. With `FirstOrder`, results are of second order (section 4.4 of the paper).
    module : Module, optional
        That of the values (`plait.semiring.Scalar`, `Dense`, `Sparse`); by default the semiring itself.

    Returns
    -------
    total
        The sum of the weights of all derivations.
    sum
        The sum over derivations of each edge's x times the weights of all other edges: an element of the module, or
        an array of shape (components,).

    Raises
    ------
    ConfigError
        As for `outside`; or the module is over another semiring.
    CycleError, DataError
        As for `outside`.

    Notes
    -----
    INSIDE-OUTSIDE, Figure 4 of Li and Eisner 2009: the cost of `inside`, `outside` and one product and sum for each
    edge and component of its value.

    Examples
    --------
    The expected length of the strings of a forest, times their total weight:

    >>> import numpy as np
    >>> from plait.hypergraph import Hypergraph, inside_outside
    >>> from plait.semiring import Real, Sparse
    >>> forest = Hypergraph.from_edges([(0, []), (0, []), (1, [0, 0])])
    >>> inside_outside(forest, [2.0, 3.0, 1.0], [2.0, 3.0, 0.0], Real())
    (25.0, 50.0)

    By letter:

    >>> inside_outside(forest, [2.0, 3.0, 1.0], [{"a": 2.0}, {"b": 3.0}, {}], Real(), module=Sparse(Real()))
    (25.0, {'a': 20.0, 'b': 30.0})
    >>> inside_outside(forest, [2.0, 3.0, 1.0], np.array([[2.0, 0.0], [0.0, 3.0], [0.0, 0.0]]), Real())
    (25.0, array([20., 30.]))
    """
    if module is not None and module.scalars != semiring:
        raise ConfigError(name="module", expected=f"over {semiring!r}", found=repr(module))
    work = evaluation(graph, semiring)
    below, around = _both(work, graph, weights)
    total = work.shown(below)[graph.root]
    if module is None and type(semiring) is Real and _are_vectors(values):
        return plain(total), _core.feature_sums(around, feature_arrays(values))
    if module is None or isinstance(module, Scalar):
        elements = work.read(values, graph.edges, "values")
        return plain(total), plain(work.dot(around, elements))
    if len(values) != graph.edges:
        raise DataError(f"values must be one for each of {graph.edges} edges; found {len(values)}")
    result = module.zero
    for weight, value in zip(unpacked(work.shown(around)), values, strict=True):
        result = module.plus(result, module.scale(weight, checked(module, value)))
    return plain(total), result


def _are_vectors(values: Any) -> bool:
    return isinstance(values, SparseFeatures) or len(getattr(values, "shape", ())) == 2


def _both(work: Evaluation, graph: Hypergraph, weights: Any) -> tuple[Values, Values]:
    """Return the inside weights of the nodes and the outside weights of the edges."""
    _require_commutative(work.semiring)
    edges = work.read(weights, graph.edges, "weights")
    below = work.inside(edges)
    return below, work.edge_outside(below, work.outside(edges, below))


def _require_commutative(semiring: Semiring[Any]) -> None:
    if not declares(semiring, "is_commutative"):
        raise ConfigError(
            f"outside weights need a commutative semiring, which {semiring!r} does not say it is; "
            "set its is_commutative to True if a b is always b a"
        )
