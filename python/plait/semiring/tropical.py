"""The cheapest derivation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from plait.semiring.values import diverges, divides_by_zero, floats, plain

__all__ = ["Tropical"]


@dataclass(frozen=True)
class Tropical:
    """Costs; ``plus`` is the minimum, ``times`` adds; zero is infinity.

    ``times`` rounds once, with relative error 2**-53 of the sum; the other laws are exact, distributivity too, as
    rounding is monotone.

    Examples
    --------
    >>> k = Tropical()
    >>> k.plus(1.5, 2.0), k.times(1.5, 2.0), k.star(1.5)
    (1.5, 3.5, 0.0)
    """

    zero: ClassVar[float] = math.inf
    one: ClassVar[float] = 0.0
    dtype: ClassVar[np.dtype[Any]] = np.dtype(np.float64)
    is_commutative: ClassVar[bool] = True
    is_idempotent: ClassVar[bool] = True
    is_path: ClassVar[bool] = True
    is_closed: ClassVar[bool] = False

    def plus(self, a: Any, b: Any) -> Any:
        """Return the smaller one."""
        return plain(np.minimum(a, b))

    def times(self, a: Any, b: Any) -> Any:
        """Return the sum of two costs."""
        return a + b

    def star(self, a: float) -> float:
        """Return one: no power is cheaper.

        Raises
        ------
        DataError
            The cost is below 0, and there is no cheapest power.
        """
        if a < 0:
            raise diverges(self, a, "costs of at least 0")
        return 0.0

    def divide(self, a: float, b: float) -> float:
        """Return the difference of two costs.

        Raises
        ------
        DataError
            The cost b is infinite.
        """
        if b == math.inf:
            raise divides_by_zero(self, a)
        return a - b

    def check(self, value: Any) -> Any:
        """Return a cost, or an array of them.

        Raises
        ------
        DataError
            It is something else, as NaN or -infinity.
        """
        return floats(self, value, infinity=math.inf)
