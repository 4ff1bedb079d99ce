"""Numbers of derivations, exact."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from plait.semiring.values import refuse

__all__ = ["CheckedCounting", "Counting"]


@dataclass(frozen=True)
class Counting:
    """Natural numbers without a limit, and infinity (``math.inf``), which is what a cycle makes of a count.

    Zero times infinity is zero. All laws hold exactly.

    Examples
    --------
    >>> k = Counting()
    >>> k.times(2**100, k.plus(1, 2))
    3802951800684688204490109616128
    >>> k.star(0), k.star(3), k.times(0, k.star(3))
    (1, inf, 0)
    """

    zero: ClassVar[int] = 0
    one: ClassVar[int] = 1
    dtype: ClassVar[None] = None
    is_commutative: ClassVar[bool] = True
    is_idempotent: ClassVar[bool] = False
    is_path: ClassVar[bool] = False
    is_closed: ClassVar[bool] = True

    def plus(self, a: int | float, b: int | float) -> int | float:
        """Return the sum."""
        # Large integers cannot be added to a float.
        return math.inf if math.inf in (a, b) else a + b

    def times(self, a: int | float, b: int | float) -> int | float:
        """Return the product."""
        if a == 0 or b == 0:
            return 0
        return math.inf if math.inf in (a, b) else a * b

    def star(self, a: int | float) -> int | float:
        """Return infinity, or 1 for zero."""
        return math.inf if a else 1

    def check(self, value: Any) -> int | float:
        """Return a count.

        Raises
        ------
        DataError
            It is neither a natural number nor infinity.
        """
        if isinstance(value, float) and value == math.inf:
            return math.inf
        return _natural(self, value, "a natural number or infinity")


@dataclass(frozen=True)
class CheckedCounting:
    """Natural numbers below 2**64 - 1, and `MORE` for all others and infinity.

    The quotient of `Counting` that takes all counts from 2**64 - 1 on for one: min(n, 2**64 - 1) keeps sums and
    products. So a count that is not `MORE` is exact, however it came about, and all laws hold exactly.

    Attributes
    ----------
    MORE
        2**64 - 1, for at least that many.

    Examples
    --------
    >>> k = CheckedCounting()
    >>> k.times(2**32, 2**31)
    9223372036854775808
    >>> k.times(2**32, 2**32) == k.MORE
    True
    >>> k.plus(np.array([1, 2**64 - 2], np.uint64), np.array([1, 2], np.uint64)) == [2, k.MORE]
    array([ True,  True])
    """

    MORE: ClassVar[int] = 2**64 - 1
    zero: ClassVar[int] = 0
    one: ClassVar[int] = 1
    dtype: ClassVar[np.dtype[Any]] = np.dtype(np.uint64)
    is_commutative: ClassVar[bool] = True
    is_idempotent: ClassVar[bool] = False
    is_path: ClassVar[bool] = False
    is_closed: ClassVar[bool] = True

    def plus(self, a: Any, b: Any) -> Any:
        """Return the sum, or `MORE`."""
        if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
            a, b = np.asarray(a, np.uint64), np.asarray(b, np.uint64)
            return np.where(a > self.MORE - b, np.uint64(self.MORE), a + b)
        return min(int(a) + int(b), self.MORE)

    def times(self, a: Any, b: Any) -> Any:
        """Return the product, or `MORE`."""
        if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
            a, b = np.asarray(a, np.uint64), np.asarray(b, np.uint64)
            most = self.MORE // np.maximum(b, np.uint64(1))
            return np.where((b > 0) & (a > most), np.uint64(self.MORE), a * b)
        return min(int(a) * int(b), self.MORE)

    def star(self, a: int) -> int:
        """Return `MORE`, or 1 for zero."""
        return self.MORE if a else 1

    def check(self, value: Any) -> Any:
        """Return a count, or an array of them.

        Raises
        ------
        DataError
            It is no natural number.
        """
        if isinstance(value, np.ndarray) and value.dtype.kind in "iu":
            if (value < 0).any():
                refuse(self, "natural numbers", int(value.min()))
            return value.astype(np.uint64)
        return min(_natural(self, value, "a natural number"), self.MORE)


def _natural(semiring: object, value: Any, expected: str) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        refuse(semiring, expected, value)
    if number < 0:
        refuse(semiring, expected, value)
    return number
