"""Numbers of either sign with a wide exponent: nothing underflows, and no logarithm is taken."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from plait.semiring.values import diverges, divides_by_zero, floats, refuse

__all__ = ["Scaled", "ScaledValue"]


class ScaledValue(NamedTuple):
    """A number mantissa * 2**exponent.

    Attributes
    ----------
    mantissa
        Of magnitude 1/2 to below 1; 0.0 for zero.
    exponent
        Without a limit; 0 for zero.
    """

    mantissa: float
    exponent: int

    def __float__(self) -> float:
        """Return the number itself: 0 or infinity where a double cannot hold it."""
        try:
            return math.ldexp(self.mantissa, self.exponent)
        except OverflowError:
            return math.copysign(math.inf if self.exponent > 0 else 0.0, self.mantissa)

    def __neg__(self) -> ScaledValue:
        return ScaledValue(-self.mantissa if self.mantissa else 0.0, self.exponent)

    @property
    def ln(self) -> float:
        """The natural logarithm of the magnitude."""
        return math.log(abs(self.mantissa)) + self.exponent * math.log(2) if self.mantissa else -math.inf


# Beyond this difference of exponents a term changes no bit of a sum.
_NEGLIGIBLE = 64


@dataclass(frozen=True)
class Scaled:
    """The field of real numbers as mantissas with wide exponents (Li and Eisner 2009, footnote 6).

    Each operation rounds once, with relative error 2**-53; a number and its negative sum to zero exactly; identities
    and annihilation are exact.

    Examples
    --------
    >>> k = Scaled()
    >>> tiny = k.times(k.value(1e-300), k.value(1e-300))
    >>> float(k.divide(tiny, k.value(1e-299)))
    1e-301
    """

    zero: ClassVar[ScaledValue] = ScaledValue(0.0, 0)
    one: ClassVar[ScaledValue] = ScaledValue(0.5, 1)
    dtype: ClassVar[None] = None
    is_commutative: ClassVar[bool] = True
    is_idempotent: ClassVar[bool] = False
    is_path: ClassVar[bool] = False
    is_closed: ClassVar[bool] = False

    def value(self, number: float, exponent: int = 0) -> ScaledValue:
        """Return number * 2**exponent as a value.

        Raises
        ------
        DataError
            The number is not finite.
        """
        return _normal(floats(self, number), exponent)

    def plus(self, a: ScaledValue, b: ScaledValue) -> ScaledValue:
        """Return the sum."""
        if not (a.mantissa and b.mantissa):
            return a if a.mantissa else b
        low, high = (a, b) if a.exponent < b.exponent else (b, a)
        shift = high.exponent - low.exponent
        if shift > _NEGLIGIBLE:
            return high
        return _normal(high.mantissa + math.ldexp(low.mantissa, -shift), high.exponent)

    def times(self, a: ScaledValue, b: ScaledValue) -> ScaledValue:
        """Return the product."""
        return _normal(a.mantissa * b.mantissa, a.exponent + b.exponent)

    def star(self, a: ScaledValue) -> ScaledValue:
        """Return 1 / (1 - a).

        Raises
        ------
        DataError
            The series diverges: a is not between -1 and 1.
        """
        if a.exponent > 0:
            raise diverges(self, a, "numbers between -1 and 1")
        return _normal(1 / (1 - float(a)), 0)

    def divide(self, a: ScaledValue, b: ScaledValue) -> ScaledValue:
        """Return the quotient.

        Raises
        ------
        DataError
            b is zero.
        """
        if not b.mantissa:
            raise divides_by_zero(self, a)
        return _normal(a.mantissa / b.mantissa, a.exponent - b.exponent)

    def check(self, value: Any) -> ScaledValue:
        """Return a mantissa and an exponent as a value, with a mantissa as it should be.

        Raises
        ------
        DataError
            They are none.
        """
        if not isinstance(value, tuple) or len(value) != 2 or not isinstance(value[1], int):
            refuse(self, "a mantissa and a whole exponent", value)
        return self.value(value[0], value[1])


def _normal(number: float, exponent: int) -> ScaledValue:
    mantissa, shift = math.frexp(number)
    return ScaledValue(mantissa, exponent + shift) if mantissa else Scaled.zero
