"""Inside, outside and INSIDE-OUTSIDE in any semiring."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from plait import _core
from plait.errors import ConfigError, DataError
from plait.hypergraph.structure import Hypergraph
from plait.hypergraph.vectorised import LevelSchedule, reduce_rows
from plait.semiring import (
    Boolean,
    CheckedCounting,
    Counting,
    Log,
    Real,
    Scalar,
    Semiring,
    SignedLog,
    SignedLogValue,
    Tropical,
    Viterbi,
    declares,
    has_star,
)
from plait.semiring.modules import Module
from plait.semiring.product import checked

__all__ = ["edge_outside", "inside", "inside_outside", "outside"]

Values = Any
"""An array where the semiring has a dtype, else a list."""

_NATIVE = (Boolean, CheckedCounting, Counting, Log, Real, SignedLog, Tropical, Viterbi)

# With fewer edges in a round, the calls for an array cost more than those for its elements.
_LEAST_EDGES_OF_ROUND = 8


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
    evaluation = _evaluation(graph, semiring)
    return evaluation.shown(evaluation.inside(evaluation.read(weights, graph.edges, "weights")))


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
    evaluation = _evaluation(graph, semiring)
    edges = evaluation.read(weights, graph.edges, "weights")
    below = evaluation.inside(edges) if inside is None else evaluation.read(inside, graph.nodes, "inside")
    return evaluation.shown(evaluation.outside(edges, below))


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
    evaluation = _evaluation(graph, semiring)
    return evaluation.shown(_both(evaluation, graph, weights)[1])


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
        k times what the edge adds; for a gradient, the gradient of k.
    semiring : Semiring
        That of the weights; commutative. With `FirstOrder`, results are of second order (section 4.4 of the paper).
    module : Module, optional
        That of the values (`plait.semiring.Scalar`, `Dense`, `Sparse`); by default the semiring itself.

    Returns
    -------
    total
        The sum of the weights of all derivations.
    sum
        The sum over derivations of each edge's x times the weights of all other edges; an element of the module.

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

    >>> from plait.hypergraph import Hypergraph, inside_outside
    >>> from plait.semiring import Real, Sparse
    >>> forest = Hypergraph.from_edges([(0, []), (0, []), (1, [0, 0])])
    >>> inside_outside(forest, [2.0, 3.0, 1.0], [2.0, 3.0, 0.0], Real())
    (25.0, 50.0)

    By letter:

    >>> inside_outside(forest, [2.0, 3.0, 1.0], [{"a": 2.0}, {"b": 3.0}, {}], Real(), module=Sparse(Real()))
    (25.0, {'a': 20.0, 'b': 30.0})
    """
    if module is not None and module.scalars != semiring:
        raise ConfigError(name="module", expected=f"over {semiring!r}", found=repr(module))
    evaluation = _evaluation(graph, semiring)
    below, around = _both(evaluation, graph, weights)
    total = evaluation.shown(below)[graph.root]
    if module is None or isinstance(module, Scalar):
        elements = evaluation.read(values, graph.edges, "values")
        return _plain(total), _plain(evaluation.dot(around, elements))
    if len(values) != graph.edges:
        raise DataError(f"values must be one for each of {graph.edges} edges; found {len(values)}")
    result = module.zero
    for weight, value in zip(_unpacked(evaluation.shown(around)), values, strict=True):
        result = module.plus(result, module.scale(weight, checked(module, value)))
    return _plain(total), result


def _both(evaluation: _Evaluation, graph: Hypergraph, weights: Any) -> tuple[Values, Values]:
    """Return the inside weights of the nodes and the outside weights of the edges."""
    _require_commutative(evaluation.semiring)
    edges = evaluation.read(weights, graph.edges, "weights")
    below = evaluation.inside(edges)
    return below, evaluation.edge_outside(below, evaluation.outside(edges, below))


def _require_commutative(semiring: Semiring[Any]) -> None:
    if not declares(semiring, "is_commutative"):
        raise ConfigError(
            f"outside weights need a commutative semiring, which {semiring!r} does not say it is; "
            "set its is_commutative to True if a b is always b a"
        )


class _Evaluation(Protocol):
    """A way to work in a semiring; values between its methods are in a form of its own."""

    semiring: Any

    def read(self, values: Any, count: int, name: str) -> Values:
        """Return checked values in that form."""

    def inside(self, weights: Values) -> Values: ...

    def outside(self, weights: Values, below: Values) -> Values: ...

    def edge_outside(self, below: Values, above: Values) -> Values: ...

    def dot(self, weights: Values, values: Values) -> Any:
        """Return the sum of products."""

    def shown(self, values: Values) -> Values:
        """Return values in the user's form."""


def _evaluation(graph: Hypergraph, semiring: Semiring[Any]) -> _Evaluation:
    if type(semiring) in _NATIVE:
        return _Native(graph, semiring)
    if getattr(semiring, "dtype", None) is not None and graph.is_acyclic:
        arrays = _InArrays(graph, semiring)
        if np.ndim(semiring.zero) or graph.edges >= _LEAST_EDGES_OF_ROUND * arrays.schedule.rounds:
            return arrays
    return _ByValue(graph, semiring)


class _ByValue:
    """Calls of the semiring's methods, one for each operation."""

    def __init__(self, graph: Hypergraph, semiring: Any) -> None:
        self.graph, self.semiring = graph, semiring

    @cached_property
    def is_closed(self) -> bool:
        """Whether cycles can be closed."""
        return has_star(self.semiring) and declares(self.semiring, "is_commutative")

    def read(self, values: Any, count: int, name: str) -> Values:
        return [checked(self.semiring, value) for value in _sequence(self.semiring, values, count, name)]

    def inside(self, weights: Values) -> Values:
        return _core.user_inside(self.graph._core, weights, self.semiring, self.is_closed)

    def outside(self, weights: Values, below: Values) -> Values:
        return _core.user_outside(self.graph._core, weights, below, self.semiring, self.is_closed)

    def edge_outside(self, below: Values, above: Values) -> Values:
        return _core.user_edge_outside(self.graph._core, below, above, self.semiring)

    def dot(self, weights: Values, values: Values) -> Any:
        total = self.semiring.zero
        for weight, value in zip(weights, values, strict=True):
            total = self.semiring.plus(total, self.semiring.times(weight, value))
        return total

    def shown(self, values: Values) -> Values:
        dtype = getattr(self.semiring, "dtype", None)
        return values if dtype is None else np.array(values, dtype)


class _InArrays:
    """Calls of the semiring's methods with arrays."""

    def __init__(self, graph: Hypergraph, semiring: Any) -> None:
        self.graph, self.semiring = graph, semiring

    @cached_property
    def schedule(self) -> LevelSchedule:
        """Made when first needed."""
        return LevelSchedule(self.graph)

    def read(self, values: Any, count: int, name: str) -> Values:
        return _array(self.semiring, values, count, name)

    def inside(self, weights: Values) -> Values:
        return self.schedule.inside(weights, self.semiring)

    def outside(self, weights: Values, below: Values) -> Values:
        return self.schedule.outside(weights, below, self.semiring)

    def edge_outside(self, below: Values, above: Values) -> Values:
        return self.schedule.edge_outside(below, above, self.semiring)

    def dot(self, weights: Values, values: Values) -> Any:
        if not len(weights):
            return self.semiring.zero
        products = self.semiring.times(weights, values)
        return reduce_rows(self.semiring, products, np.zeros(1, np.intp))[0]

    def shown(self, values: Values) -> Values:
        return values


class _Native(_ByValue):
    """The core's own semirings."""

    @property
    def name(self) -> str:
        """What the core calls the semiring."""
        return type(self.semiring).__name__

    def read(self, values: Any, count: int, name: str) -> Values:
        if self.semiring.dtype is not None:
            return _array(self.semiring, values, count, name)
        read = super().read(values, count, name)
        if isinstance(self.semiring, SignedLog):
            logs = np.array([value.ln for value in read], np.float64)
            return logs, np.array([value.sign < 0 for value in read], np.bool_)
        return read

    def inside(self, weights: Values) -> Values:
        return _core.native_inside(self.graph._core, self.name, weights)

    def outside(self, weights: Values, below: Values) -> Values:
        return _core.native_outside(self.graph._core, self.name, weights, below)

    def edge_outside(self, below: Values, above: Values) -> Values:
        return _core.native_edge_outside(self.graph._core, self.name, below, above)

    def dot(self, weights: Values, values: Values) -> Any:
        if self.semiring.dtype is not None:
            return _InArrays(self.graph, self.semiring).dot(weights, values)
        return super().dot(self.shown(weights), self.shown(values))

    def shown(self, values: Values) -> Values:
        if isinstance(self.semiring, SignedLog):
            logs, signs = (part.tolist() for part in values)
            return [
                SignedLogValue(0 if ln == -np.inf else -1 if is_negative else 1, ln)
                for ln, is_negative in zip(logs, signs, strict=True)
            ]
        return values


def _sequence(semiring: Any, values: Any, count: int, name: str) -> Sequence[Any]:
    if values is None:
        return [semiring.one] * count
    found = values.tolist() if isinstance(values, np.ndarray) and values.dtype != object else list(values)
    if len(found) != count:
        raise DataError(f"{name} must be {count}, one for each; found {len(found)}")
    return found


def _array(semiring: Any, values: Any, count: int, name: str) -> Any:
    """Return an array of as many values, or rows, as asked."""
    shape = (count, *np.shape(semiring.zero))
    if values is None:
        ones = np.empty(shape, semiring.dtype)
        ones[...] = semiring.one
        return ones
    array = _checked_array(semiring, values)
    if array.shape != shape and not (array.size == 0 and count == 0):
        raise DataError(f"{name} must have shape {shape}; found {array.shape}")
    return np.ascontiguousarray(array).reshape(shape)


def _checked_array(semiring: Any, values: Any) -> Any:
    """Return values as an array of the semiring's type, without any loss."""
    dtype = np.dtype(semiring.dtype)
    if not isinstance(values, np.ndarray):
        values = list(values)
        if dtype.kind in "iu":
            # One by one: numpy makes floats of large integers.
            return np.array([checked(semiring, value) for value in values], dtype)
        # An empty list would be an array of floats.
        values = np.asarray(values) if values else np.empty(0, dtype)
    array = np.asarray(checked(semiring, values))
    is_natural = array.dtype.kind == "i" and dtype.kind == "u" and not (array < 0).any()
    if not (is_natural or np.can_cast(array.dtype, dtype, "same_kind")):
        raise DataError(f"a value of {semiring!r} must be of type {dtype}; found an array of {array.dtype}")
    return array.astype(dtype, copy=False)


def _unpacked(values: Values) -> Sequence[Any]:
    """Return numbers of Python for those of numpy, one by one."""
    return values.tolist() if isinstance(values, np.ndarray) and values.ndim == 1 else list(values)


def _plain(value: Any) -> Any:
    """Return a number of Python for one of numpy."""
    return value.item() if isinstance(value, np.generic) else value
