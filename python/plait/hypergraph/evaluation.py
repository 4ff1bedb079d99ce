"""The three ways to work in a semiring: in the core, with calls for whole arrays, with calls for single values."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from plait import _core
from plait.errors import DataError
from plait.hypergraph.structure import Hypergraph
from plait.hypergraph.vectorised import LevelSchedule, reduce_rows
from plait.semiring import (
    Boolean,
    CheckedCounting,
    Counting,
    Log,
    Real,
    Semiring,
    SignedLog,
    SignedLogValue,
    Tropical,
    Viterbi,
    declares,
    has_star,
)
from plait.semiring.product import checked

__all__ = ["Evaluation", "Values", "evaluation", "plain", "unpacked"]

Values = Any
"""An array where the semiring has a dtype, else a list."""

_NATIVE = (Boolean, CheckedCounting, Counting, Log, Real, SignedLog, Tropical, Viterbi)

# With fewer edges in a round, the calls for an array cost more than those for its elements.
_LEAST_EDGES_OF_ROUND = 8


class Evaluation(Protocol):
    """A way to work in a semiring; values between its methods are in a form of its own."""

    semiring: Any

    def read(self, values: Any, count: int, name: str) -> Values:
        """Return checked values in that form."""

    def inside(self, weights: Values) -> Values:
        """Return the inside weights of the nodes."""

    def outside(self, weights: Values, below: Values) -> Values:
        """Return the outside weights of the nodes from the inside weights."""

    def edge_outside(self, below: Values, above: Values) -> Values:
        """Return the outside weights of the edges from those of the nodes."""

    def dot(self, weights: Values, values: Values) -> Any:
        """Return the sum of products."""

    def shown(self, values: Values) -> Values:
        """Return values in the user's form."""


def evaluation(graph: Hypergraph, semiring: Semiring[Any]) -> Evaluation:
    """Return the quickest way to work in a semiring."""
    if type(semiring) in _NATIVE:
        return Native(graph, semiring)
    if getattr(semiring, "dtype", None) is not None and graph.is_acyclic:
        arrays = InArrays(graph, semiring)
        if np.ndim(semiring.zero) or graph.edges >= _LEAST_EDGES_OF_ROUND * arrays.schedule.rounds:
            return arrays
    return ByValue(graph, semiring)


class ByValue:
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


class InArrays:
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


class Native(ByValue):
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
            return InArrays(self.graph, self.semiring).dot(weights, values)
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


def unpacked(values: Values) -> Sequence[Any]:
    """Return numbers of Python for those of numpy, one by one."""
    return values.tolist() if isinstance(values, np.ndarray) and values.ndim == 1 else list(values)


def plain(value: Any) -> Any:
    """Return a number of Python for one of numpy."""
    return value.item() if isinstance(value, np.generic) else value
