"""Real numbers as they are, with the range of doubles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from plait.semiring.values import diverges, divides_by_zero, floats

__all__ = ["Real"]


@dataclass(frozen=True)
class Real:
    """The field of real numbers in double precision.

    Products of many probabilities underflow: use `Log` or `Scaled` for those. Identities and annihilation are exact;
    each operation rounds once, with relative error 2**-53.

    Examples
    --------
    >>> Real().plus(0.5, 0.25), Real().star(0.5)
    (0.75, 2.0)
    >>> Real().times(np.array([1.0, 2.0]), 0.5)
    array([0.5, 1. ])
    """

    zero: ClassVar[float] = 0.0
    one: ClassVar[float] = 1.0
    dtype: ClassVar[np.dtype[Any]] = np.dtype(np.float64)
    is_commutative: ClassVar[bool] = True
    is_idempotent: ClassVar[bool] = False
    is_path: ClassVar[bool] = False
    is_closed: ClassVar[bool] = False

    def plus(self, a: Any, b: Any) -> Any:
        """Return the sum."""
        if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
            # As quiet as numbers are about what has overflowed.
            with np.errstate(over="ignore", invalid="ignore"):
                return a + b
        return a + b

    def times(self, a: Any, b: Any) -> Any:
        """Return the product; zero with a zero, also where the other factor has overflowed."""
        if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
            with np.errstate(over="ignore", under="ignore", invalid="ignore"):
                return np.where((a == 0) | (b == 0), 0.0, a * b)
        return 0.0 if a == 0 or b == 0 else a * b

    def star(self, a: float) -> float:
        """Return 1 / (1 - a).

        Raises
        ------
        DataError
            The series diverges: a is not between -1 and 1.
        """
        if not -1 < a < 1:
            raise diverges(self, a, "numbers between -1 and 1")
        return 1 / (1 - a)

    def divide(self, a: float, b: float) -> float:
        """Return the quotient.

        Raises
        ------
        DataError
            b is zero.
        """
        if b == 0:
            raise divides_by_zero(self, a)
        return a / b

    def check(self, value: Any) -> Any:
        """Return a finite number, or an array of them.

        Raises
        ------
        DataError
            It is something else, as NaN or infinity.
        """
        return floats(self, value)
