"""Numbers at the door: what is no value of a semiring is refused by name; one number and an array of them are alike."""

from __future__ import annotations

import math
import numbers
from typing import Any, NoReturn

import numpy as np

from plait.errors import DataError

__all__ = ["diverges", "divides_by_zero", "floats", "plain", "refuse"]


def refuse(semiring: object, expected: str, found: object) -> NoReturn:
    """Raise the error for what is no value of a semiring."""
    raise DataError(f"a value of {semiring!r} must be {expected}; found {found!r}")


def diverges(semiring: object, value: object, condition: str) -> DataError:
    """Return the error for a sum of all powers that does not exist."""
    return DataError(f"the sum of all powers of {value!r} in {semiring!r} diverges; it exists for {condition}")


def divides_by_zero(semiring: object, value: object) -> DataError:
    """Return the error for a division by zero."""
    return DataError(f"{value!r} cannot be divided by the zero of {semiring!r}; leave out what has no weight")


def plain(result: Any) -> Any:
    """Return an array as it is, and a number of numpy as one of Python."""
    return result if isinstance(result, np.ndarray) else result.item()


def floats(semiring: object, value: Any, *, infinity: float | None = None) -> Any:
    """Return finite numbers, or those and one infinity, as a float or an array of float64.

    Parameters
    ----------
    semiring
        For the message.
    value
        A number, or an array of them.
    infinity
        The one that is allowed.

    Raises
    ------
    DataError
        It is something else.
    """
    expected = "finite numbers" if infinity is None else f"finite numbers or {infinity}"
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        array = value.astype(np.float64)
        wrong = ~np.isfinite(array)
        if infinity is not None:
            wrong &= array != infinity
        if wrong.any():
            refuse(semiring, expected, float(array[wrong].flat[0]))
        return array
    if not isinstance(value, numbers.Real | np.bool_):
        refuse(semiring, expected, value)
    try:
        number = float(value)
    except OverflowError:
        refuse(semiring, expected, value)
    if not math.isfinite(number) and number != infinity:
        refuse(semiring, expected, number)
    return number
