"""How far rounding may lead the two sides of a law apart.

Each operation rounds with a relative error of at most u = 2**-53 (a logarithm: with an absolute error of 2 u times
1 + its size). So the sides differ by at most the number of roundings on the longest way through both, times u, times
the same expression on magnitudes (Higham 2002, section 3.1). The bound is never relative to a result, of which
cancellation may leave nothing.
"""

from __future__ import annotations

import itertools
import math
import numbers
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from plait.semiring import (
    FirstOrder,
    Hull,
    KBest,
    Log,
    Real,
    Scaled,
    ScaledValue,
    SecondOrder,
    SignedLog,
    SignedLogValue,
    Tropical,
    Viterbi,
)

__all__ = ["Envelopes", "Exact", "Linear", "Logarithmic", "Tolerance", "tolerance_of"]

UNIT = 2.0**-53
# The smallest number above zero: what underflow loses at most.
TINY = 5e-324

# Roundings in a law, both sides together: four on each side with scalars; a product of first-order values has three
# and their closure five; a product of second-order values has five and their closure thirteen.
SCALAR, FIRST, SECOND = 8, 16, 40


class Tolerance:
    """What counts as the same.

    A subclass says what a number is (`is_number`) and compares two of them (`near`). Tuples, dictionaries and arrays
    are compared part by part.
    """

    def is_number(self, value: Any) -> bool:
        """Return whether a value is to be compared as a whole."""
        raise NotImplementedError

    def near(self, found: Any, expected: Any, sizes: tuple[Any, Any], inputs: list[Any]) -> bool:
        """Return whether two numbers are the same, up to rounding.

        Parameters
        ----------
        found, expected
            The two sides of a law.
        sizes
            The two sides for the magnitudes of the inputs.
        inputs
            All numbers that the law was given.
        """
        raise NotImplementedError

    def magnitude(self, value: Any) -> Any:
        """Return a value with all signs taken away, part by part."""
        return self._mapped(self.unsigned, value)

    def unsigned(self, number: Any) -> Any:
        """Return a number without its sign."""
        return number

    def same(self, found: Any, expected: Any, sizes: tuple[Any, Any], inputs: tuple[Any, ...]) -> bool:
        """Return whether two values are the same part by part, up to rounding."""
        flat = [number for value in inputs for number in self._numbers(value)]
        return self._same(found, expected, sizes, flat)

    def _same(self, found: Any, expected: Any, sizes: tuple[Any, Any], inputs: list[Any]) -> bool:
        if self.is_number(found) and self.is_number(expected):
            one, other, *both = (
                side.item() if isinstance(side, np.generic) else side for side in (found, expected, *sizes)
            )
            return self.near(one, other, (both[0], both[1]), inputs)
        sides: tuple[Any, ...] = (found, expected, *sizes)
        if all(isinstance(side, Mapping) for side in sides):
            return self._same_components(found, expected, sizes, inputs)
        if isinstance(found, np.ndarray):
            if {np.shape(side) for side in sides} != {found.shape}:
                return False
            sides = tuple(list(side.flat) for side in sides)
        elif not all(isinstance(side, tuple | list) for side in sides):
            return same_value(found, expected)
        if len({len(side) for side in sides}) > 1:
            return False
        return all(self._same(a, b, (p, q), inputs) for a, b, p, q in zip(*sides, strict=True))

    def _same_components(self, found: Any, expected: Any, sizes: tuple[Any, Any], inputs: list[Any]) -> bool:
        """Return whether dictionaries are the same: what is not in one may have been rounded to zero."""
        for name in {*found, *expected}:
            size = tuple(side.get(name, found.get(name, expected.get(name))) for side in sizes)
            if name in found and name in expected:
                if not self._same(found[name], expected[name], (size[0], size[1]), inputs):
                    return False
            elif not self.negligible(found.get(name, expected.get(name)), (size[0], size[1]), inputs):
                return False
        return True

    def negligible(self, number: Any, sizes: tuple[Any, Any], inputs: list[Any]) -> bool:
        """Return whether a number is zero, up to rounding."""
        return False

    def _numbers(self, value: Any) -> Iterator[Any]:
        if self.is_number(value):
            # numpy's own numbers warn where they overflow.
            yield value.item() if isinstance(value, np.generic) else value
        elif isinstance(value, np.ndarray):
            yield from (number for part in value.flat for number in self._numbers(part))
        elif isinstance(value, Mapping):
            yield from (number for part in value.values() for number in self._numbers(part))
        elif isinstance(value, tuple | list):
            yield from (number for part in value for number in self._numbers(part))

    def _mapped(self, change: Callable[[Any], Any], value: Any) -> Any:
        if self.is_number(value):
            return change(value)
        if isinstance(value, np.ndarray):
            array = np.empty(value.shape, value.dtype)
            for place in np.ndindex(value.shape):
                array[place] = self._mapped(change, value[place])
            return array
        if isinstance(value, Mapping):
            return {name: self._mapped(change, part) for name, part in value.items()}
        if isinstance(value, tuple | list):
            parts = [self._mapped(change, part) for part in value]
            # A named tuple takes its parts one by one.
            return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
        return value


@dataclass(frozen=True)
class Exact(Tolerance):
    """No rounding: both sides are equal."""

    def is_number(self, value: Any) -> bool:
        """Return that each value is one whole."""
        return True

    def near(self, found: Any, expected: Any, sizes: tuple[Any, Any], inputs: list[Any]) -> bool:
        """Return whether they are equal."""
        return same_value(found, expected)


@dataclass(frozen=True)
class Linear(Tolerance):
    """Numbers as they are, floats or `plait.semiring.ScaledValue`: relative to the same expression on magnitudes.

    What underflow may have lost is allowed for; where a magnitude overflows nothing is said.

    Parameters
    ----------
    roundings
        On the longest way through both sides.
    unit
        The relative error of one operation.
    """

    roundings: int = SCALAR
    unit: float = UNIT

    def is_number(self, value: Any) -> bool:
        """Return whether it is a number."""
        return isinstance(value, numbers.Real | ScaledValue)

    def unsigned(self, number: Any) -> Any:
        """Return the magnitude."""
        if isinstance(number, ScaledValue):
            return ScaledValue(abs(number.mantissa), number.exponent)
        return abs(number)

    def near(self, found: Any, expected: Any, sizes: tuple[Any, Any], inputs: list[Any]) -> bool:
        """Return whether they differ by less than rounding may do."""
        if isinstance(found, ScaledValue):
            k = Scaled()
            found, expected = (_share(side, k.plus(*sizes)) for side in (found, expected))
            return bool(abs(found - expected) <= self.roundings * self.unit)
        size = max(sizes)
        if not math.isfinite(size):
            return True
        # An error of underflow can still be multiplied by the other inputs.
        growth = math.prod(max(1.0, abs(number)) for number in inputs)
        return bool(abs(found - expected) <= self.roundings * (self.unit * size + TINY * growth))

    def negligible(self, number: Any, sizes: tuple[Any, Any], inputs: list[Any]) -> bool:
        """Return whether a number is zero, up to rounding."""
        zero = Scaled.zero if isinstance(number, ScaledValue) else type(number)(0)
        return self.near(number, zero, sizes, inputs)


def _share(number: ScaledValue, whole: ScaledValue) -> float:
    return float(Scaled().divide(number, whole)) if whole.mantissa else float(number)


@dataclass(frozen=True)
class Logarithmic(Tolerance):
    """Logarithms (floats), with an error that grows with their sizes, and `plait.semiring.SignedLogValue`.

    Numbers with a sign are compared as numbers, relative to the same expression on magnitudes, with the error of
    their logarithms.

    Parameters
    ----------
    roundings
        On the longest way through both sides.
    unit
        The error of one operation, times 1 + the size of the logarithm.
    """

    roundings: int = SCALAR
    unit: float = 2 * UNIT

    def is_number(self, value: Any) -> bool:
        """Return whether it is a logarithm, with or without a sign."""
        return isinstance(value, numbers.Real | SignedLogValue)

    def unsigned(self, number: Any) -> Any:
        """Return a number with its sign taken away; a logarithm as it is."""
        return SignedLogValue(abs(number.sign), number.ln) if isinstance(number, SignedLogValue) else number

    def near(self, found: Any, expected: Any, sizes: tuple[Any, Any], inputs: list[Any]) -> bool:
        """Return whether they differ by less than rounding may do."""
        logarithms = [number.ln if isinstance(number, SignedLogValue) else number for number in inputs]
        reach = 1 + sum(abs(ln) for ln in logarithms if math.isfinite(ln))
        bound = self.roundings * self.unit * reach
        if isinstance(found, SignedLogValue):
            size = max(size.ln for size in sizes)
            if size == -math.inf:
                return bool(found == expected)
            found, expected = (float(SignedLogValue(side.sign, side.ln - size)) for side in (found, expected))
        return bool(found == expected or abs(found - expected) <= bound)

    def negligible(self, number: Any, sizes: tuple[Any, Any], inputs: list[Any]) -> bool:
        """Return whether a number with a sign is zero, up to rounding."""
        return isinstance(number, SignedLogValue) and self.near(number, SignedLog.zero, sizes, inputs)


@dataclass(frozen=True)
class Envelopes(Tolerance):
    """Envelopes of lines, compared as functions: rounding can move a line across the border of being on top somewhere.

    Parameters
    ----------
    roundings
        On the longest way through both sides.
    """

    roundings: int = SCALAR

    def is_number(self, value: Any) -> bool:
        """Return whether it is an envelope."""
        return isinstance(value, tuple)

    def near(self, found: Any, expected: Any, sizes: tuple[Any, Any], inputs: list[Any]) -> bool:
        """Return whether they differ nowhere by more than rounding may do."""
        if not found or not expected:
            return bool(found == expected)
        slope, intercept = (
            sum((Fraction(max(abs(line[k]) for line in envelope)) for envelope in inputs if envelope), Fraction(0))
            for k in (0, 1)
        )
        bound = self.roundings * Fraction(UNIT)
        # Between and beyond the corners both are straight.
        for x in (Fraction(0), Fraction(1), *_corners(found), *_corners(expected)):
            if abs(_maximum(found, x) - _maximum(expected, x)) > bound * (slope * abs(x) + intercept):
                return False
        ends = ((found[0].slope, expected[0].slope), (found[-1].slope, expected[-1].slope))
        return all(abs(Fraction(a) - Fraction(b)) <= bound * slope for a, b in ends)


def _corners(envelope: Any) -> Iterator[Fraction]:
    for a, b in itertools.pairwise(envelope):
        yield (Fraction(a.intercept) - Fraction(b.intercept)) / (Fraction(b.slope) - Fraction(a.slope))


def _maximum(envelope: Any, x: Fraction) -> Fraction:
    return max(Fraction(line.slope) * x + Fraction(line.intercept) for line in envelope)


def tolerance_of(semiring: Any) -> Tolerance:
    """Return the tolerance for a semiring: that of its arithmetic, for one of plait's; none for others.

    Examples
    --------
    >>> from plait.semiring import Counting, FirstOrder, SignedLog
    >>> tolerance_of(Counting())
    Exact()
    >>> tolerance_of(FirstOrder(SignedLog()))
    Logarithmic(roundings=16, unit=2.220446049250313e-16)
    """
    return _tolerance(semiring, SCALAR)


def _tolerance(semiring: Any, roundings: int) -> Tolerance:
    match semiring:
        case FirstOrder():
            return _tolerance(semiring.weights, FIRST if roundings == SCALAR else SECOND)
        case SecondOrder():
            return _tolerance(semiring.weights, SECOND)
        case KBest():
            return _tolerance(semiring.base, FIRST)
        case Real() | Scaled():
            return Linear(roundings)
        case Log() | SignedLog() | Viterbi() | Tropical():
            return Logarithmic(roundings)
        case Hull():
            return Envelopes(roundings)
        case _:
            return Exact()


def same_value(a: Any, b: Any) -> bool:
    """Return whether values are equal, arrays in them too."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and a.shape == b.shape and bool((a == b).all())
    if isinstance(a, tuple | list) and type(a) is type(b):
        return len(a) == len(b) and all(same_value(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same_value(a[name], b[name]) for name in a)
    return bool(a == b)
