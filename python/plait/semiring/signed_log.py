"""Numbers of either sign as a sign and a logarithm: nothing underflows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from plait.semiring.log import log_add, log_complement
from plait.semiring.values import diverges, divides_by_zero, floats, refuse

__all__ = ["SignedLog", "SignedLogValue"]


class SignedLogValue(NamedTuple):
    """A number as its sign and the natural logarithm of its magnitude, as `numpy.linalg.slogdet` has it.

    Attributes
    ----------
    sign
        1 or -1; 0 for zero and only for it.
    ln
        ln of the magnitude; -infinity for zero.
    """

    sign: int
    ln: float

    def __float__(self) -> float:
        """Return the number itself: 0 or infinity where a double cannot hold it."""
        try:
            return self.sign * math.exp(self.ln)
        except OverflowError:
            return self.sign * math.inf

    def __neg__(self) -> SignedLogValue:
        return SignedLogValue(-self.sign, self.ln)


_ZERO = SignedLogValue(0, -math.inf)


@dataclass(frozen=True)
class SignedLog:
    """The field of real numbers as signs and logarithms (Li and Eisner 2009, Table 3).

    For the gradients and expectations that stand beside weights in logarithms. A number and its negative sum to zero
    exactly; identities and annihilation are exact. Otherwise an operation is wrong by at most
    2**-52 (1 + max abs(ln)) times the sum of the magnitudes of its terms.

    Examples
    --------
    >>> k = SignedLog()
    >>> x = k.value(-0.5)
    >>> float(k.plus(k.one, x))
    0.5
    >>> k.plus(x, -x) == k.zero
    True
    >>> round(float(k.star(x)), 10)
    0.6666666667
    """

    zero: ClassVar[SignedLogValue] = _ZERO
    one: ClassVar[SignedLogValue] = SignedLogValue(1, 0.0)
    dtype: ClassVar[None] = None
    is_commutative: ClassVar[bool] = True
    is_idempotent: ClassVar[bool] = False
    is_path: ClassVar[bool] = False
    is_closed: ClassVar[bool] = False

    def value(self, number: float) -> SignedLogValue:
        """Return a number as a value.

        Raises
        ------
        DataError
            It is not finite.
        """
        number = floats(self, number)
        return SignedLogValue(1 if number > 0 else -1, math.log(abs(number))) if number else _ZERO

    def plus(self, a: SignedLogValue, b: SignedLogValue) -> SignedLogValue:
        """Return the sum."""
        if not (a.sign and b.sign):
            return a if a.sign else b
        if a.sign == b.sign:
            return SignedLogValue(a.sign, log_add(a.ln, b.ln))
        if a.ln == b.ln:
            return _ZERO
        low, high = (a, b) if a.ln < b.ln else (b, a)
        return SignedLogValue(high.sign, high.ln + log_complement(low.ln - high.ln))

    def times(self, a: SignedLogValue, b: SignedLogValue) -> SignedLogValue:
        """Return the product."""
        return SignedLogValue(a.sign * b.sign, a.ln + b.ln)

    def star(self, a: SignedLogValue) -> SignedLogValue:
        """Return 1 / (1 - a).

        Raises
        ------
        DataError
            The series diverges: a is not between -1 and 1.
        """
        if not a.ln < 0:
            raise diverges(self, a, "numbers between -1 and 1")
        ln = -math.log1p(math.exp(a.ln)) if a.sign < 0 else -log_complement(a.ln)
        return SignedLogValue(1, ln + 0.0)

    def divide(self, a: SignedLogValue, b: SignedLogValue) -> SignedLogValue:
        """Return the quotient.

        Raises
        ------
        DataError
            b is zero.
        """
        if not b.sign:
            raise divides_by_zero(self, a)
        return SignedLogValue(a.sign * b.sign, a.ln - b.ln)

    def check(self, value: Any) -> SignedLogValue:
        """Return a sign and a logarithm as a value.

        Raises
        ------
        DataError
            They are none, as (0, 1.5) or NaN.
        """
        expected = "a sign (1, -1, or 0 for zero) and a logarithm (-inf for zero)"
        if not isinstance(value, tuple) or len(value) != 2 or value[0] not in (-1, 0, 1):
            refuse(self, expected, value)
        sign, ln = int(value[0]), floats(self, value[1], infinity=-math.inf)
        if (sign == 0) != (ln == -math.inf):
            refuse(self, expected, value)
        return SignedLogValue(sign, ln)
