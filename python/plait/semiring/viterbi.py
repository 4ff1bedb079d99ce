"""The best derivation, by logarithms of probabilities."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from plait.semiring.values import diverges, divides_by_zero, floats, plain

__all__ = ["Viterbi"]


@dataclass(frozen=True)
class Viterbi:
    """Natural logarithms of weights; ``plus`` is the maximum, ``times`` adds the logarithms; zero is -infinity.

    ``times`` rounds once, with relative error 2**-53 of the sum; the other laws are exact, distributivity too, as
    rounding is monotone.

    Examples
    --------
    >>> k = Viterbi()
    >>> k.plus(-1.5, -2.0), k.times(-1.5, -2.0), k.star(-1.5)
    (-1.5, -3.5, 0.0)
    """

    zero: ClassVar[float] = -math.inf
    one: ClassVar[float] = 0.0
    dtype: ClassVar[np.dtype[Any]] = np.dtype(np.float64)
    is_commutative: ClassVar[bool] = True
    is_idempotent: ClassVar[bool] = True
    is_path: ClassVar[bool] = True
    is_closed: ClassVar[bool] = False

    def plus(self, a: Any, b: Any) -> Any:
        """Return the larger one."""
        return plain(np.maximum(a, b))

    def times(self, a: Any, b: Any) -> Any:
        """Return the sum of two logarithms."""
        return a + b

    def star(self, a: float) -> float:
        """Return one: no power is better.

        Raises
        ------
        DataError
            The weight is above 1, and there is no best power.
        """
        if a > 0:
            raise diverges(self, a, "logarithms of at most 0")
        return 0.0

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
