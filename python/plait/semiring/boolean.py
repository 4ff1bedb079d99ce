"""Truth values: whether there is a derivation at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from plait.semiring.values import plain, refuse

__all__ = ["Boolean"]


@dataclass(frozen=True)
class Boolean:
    """Truth values: ``plus`` is or, ``times`` is and. All laws hold exactly.

    Examples
    --------
    >>> Boolean().plus(False, True), Boolean().times(False, True), Boolean().star(False)
    (True, False, True)
    """

    zero: ClassVar[bool] = False
    one: ClassVar[bool] = True
    dtype: ClassVar[np.dtype[Any]] = np.dtype(np.bool_)
    is_commutative: ClassVar[bool] = True
    is_idempotent: ClassVar[bool] = True
    is_path: ClassVar[bool] = True
    is_closed: ClassVar[bool] = True

    def plus(self, a: Any, b: Any) -> Any:
        """Return whether either is true."""
        return plain(np.logical_or(a, b))

    def times(self, a: Any, b: Any) -> Any:
        """Return whether both are true."""
        return plain(np.logical_and(a, b))

    def star(self, a: Any) -> Any:
        """Return true."""
        return plain(np.ones_like(a, dtype=np.bool_)[()])

    def check(self, value: Any) -> Any:
        """Return a truth value, or an array of them.

        Raises
        ------
        DataError
            It is something else.
        """
        if isinstance(value, np.ndarray) and value.dtype == self.dtype:
            return value
        if not isinstance(value, bool | np.bool_):
            refuse(self, "true or false", value)
        return bool(value)
