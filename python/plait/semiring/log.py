"""Non-negative numbers as their natural logarithms: nothing underflows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from plait.semiring.values import diverges, divides_by_zero, floats

__all__ = ["Log", "log_add", "log_complement"]


@dataclass(frozen=True)
class Log:
    """Natural logarithms of weights; ``plus`` adds the weights, ``times`` adds the logarithms; zero is -infinity.

    Identities and annihilation are exact. Otherwise the error is absolute and grows with the size of the logarithms:
    one operation is wrong by at most 2**-52 (1 + max abs(ln)).

    Examples
    --------
    >>> k = Log()
    >>> k.plus(math.log(0.25), math.log(0.5)) == math.log(0.75)
    True
    >>> k.plus(k.zero, k.zero)
    -inf
    >>> round(k.star(-0.7), 10)
    0.6863410028
    """

    zero: ClassVar[float] = -math.inf
    one: ClassVar[float] = 0.0
    dtype: ClassVar[np.dtype[Any]] = np.dtype(np.float64)
    is_commutative: ClassVar[bool] = True
    is_idempotent: ClassVar[bool] = False
    is_path: ClassVar[bool] = False
    is_closed: ClassVar[bool] = False

    def plus(self, a: Any, b: Any) -> Any:
        """Return the logarithm of the sum of two weights."""
        if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
            return np.logaddexp(a, b)
        return log_add(a, b)

    def times(self, a: Any, b: Any) -> Any:
        """Return the sum of two logarithms."""
        return a + b

    def star(self, a: float) -> float:
        """Return -ln(1 - exp(a)).

        Raises
        ------
        DataError
            The series diverges: the weight is not below 1.
        """
        if not a < 0:
            raise diverges(self, a, "logarithms below 0")
        # No -0.
        return -log_complement(a) + 0.0

    def divide(self, a: float, b: float) -> float:
        """Return the difference of two logarithms.

        Raises
        ------
        DataError
            The weight b is zero.
        """
        if b == -math.inf:
            raise divides_by_zero(self, a)
        return a - b

    def check(self, value: Any) -> Any:
        """Return a logarithm of a weight, or an array of them.

        Raises
        ------
        DataError
            It is something else, as NaN or +infinity.
        """
        return floats(self, value, infinity=-math.inf)


def log_add(a: float, b: float) -> float:
    """Return ln(exp(a) + exp(b)), for -infinity too.

    Examples
    --------
    >>> log_add(-1000.0, -1000.0) == math.log(2) - 1000
    True
    """
    low, high = (a, b) if a < b else (b, a)
    # -inf - -inf is no number.
    return high if low == -math.inf else high + math.log1p(math.exp(low - high))


def log_complement(a: float) -> float:
    """Return ln(1 - exp(a)) for a < 0 (Maechler 2012 on which of two formulas is exact where).

    Examples
    --------
    >>> log_complement(-1e-20) == math.log(1e-20)
    True
    """
    return math.log(-math.expm1(a)) if a > -math.log(2) else math.log1p(-math.exp(a))
