"""Fractions of integers without a limit: exact."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from plait.semiring.values import diverges, divides_by_zero, floats, refuse

__all__ = ["Rational"]


@dataclass(frozen=True)
class Rational:
    """The field of rational numbers. All laws hold exactly; numbers grow longer with the number of operations.

    Examples
    --------
    >>> k = Rational()
    >>> k.plus(Fraction(1, 3), Fraction(1, 6)), k.star(Fraction(1, 3))
    (Fraction(1, 2), Fraction(3, 2))
    """

    zero: ClassVar[Fraction] = Fraction(0)
    one: ClassVar[Fraction] = Fraction(1)
    dtype: ClassVar[None] = None
    is_commutative: ClassVar[bool] = True
    is_idempotent: ClassVar[bool] = False
    is_path: ClassVar[bool] = False
    is_closed: ClassVar[bool] = False

    def plus(self, a: Fraction, b: Fraction) -> Fraction:
        """Return the sum."""
        return a + b

    def times(self, a: Fraction, b: Fraction) -> Fraction:
        """Return the product."""
        return a * b

    def star(self, a: Fraction) -> Fraction:
        """Return 1 / (1 - a).

        Raises
        ------
        DataError
            The series diverges: a is not between -1 and 1.
        """
        if not -1 < a < 1:
            raise diverges(self, a, "numbers between -1 and 1")
        return 1 / (1 - a)

    def divide(self, a: Fraction, b: Fraction) -> Fraction:
        """Return the quotient.

        Raises
        ------
        DataError
            b is zero.
        """
        if not b:
            raise divides_by_zero(self, a)
        return a / b

    def check(self, value: Any) -> Fraction:
        """Return a number as a fraction; a float as the fraction that it is.

        Raises
        ------
        DataError
            It is no number, or not finite.
        """
        if isinstance(value, numbers.Rational):
            return Fraction(value)
        if not isinstance(value, float):
            refuse(self, "a fraction", value)
        return Fraction(floats(self, value))
