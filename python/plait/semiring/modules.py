"""Modules: what stands beside a weight.

A module over a semiring P has elements that can be added to each other and multiplied by values of P: P itself
(`Scalar`), arrays of values of P (`Dense`), dictionaries (`Sparse`). The values of expectation semirings are pairs of
a weight and an element of a module (Li and Eisner 2009, section 4.1).
"""

from __future__ import annotations

import operator
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from plait.errors import ConfigError
from plait.semiring.product import checked
from plait.semiring.protocol import Semiring
from plait.semiring.values import refuse

__all__ = ["Dense", "Module", "Scalar", "Sparse"]


class Module(Protocol):
    """Elements with a sum and products with the values of a semiring.

    ``plus`` is associative and commutative with the identity ``zero``. For all scalars p, q and elements r, s:
    p (r + s) = p r + p s, (p + q) r = p r + q r, (p q) r = p (q r), 1 r = r, 0 r = 0 and p 0 = 0; the same from the
    right, and (p r) q = p (r q). `plait.testing.check_module` tests that.
    """

    @property
    def scalars(self) -> Semiring[Any]:
        """The semiring of the scalars."""

    @property
    def zero(self) -> Any:
        """The identity of ``plus``."""

    def plus(self, r: Any, s: Any, /) -> Any:
        """Return the sum."""

    def scale(self, p: Any, r: Any, /) -> Any:
        """Return a scalar times an element."""

    def scale_right(self, r: Any, p: Any, /) -> Any:
        """Return an element times a scalar: the same, where scalars commute."""


@dataclass(frozen=True)
class Scalar:
    """A semiring as a module over itself.

    Parameters
    ----------
    scalars
        The semiring.

    Examples
    --------
    >>> from plait.semiring import Real
    >>> Scalar(Real()).scale(0.5, 3.0)
    1.5
    """

    scalars: Semiring[Any]

    @property
    def zero(self) -> Any:
        """The zero of the semiring."""
        return self.scalars.zero

    def plus(self, r: Any, s: Any) -> Any:
        """Return the sum."""
        return self.scalars.plus(r, s)

    def scale(self, p: Any, r: Any) -> Any:
        """Return the product p r."""
        return self.scalars.times(p, r)

    def scale_right(self, r: Any, p: Any) -> Any:
        """Return the product r p."""
        return self.scalars.times(r, p)

    def check(self, element: Any) -> Any:
        """Return a value of the semiring.

        Raises
        ------
        DataError
            It is none.
        """
        return checked(self.scalars, element)


@dataclass(frozen=True)
class Dense:
    """Arrays of values of a semiring, of one shape; sums and products by component.

    An element is a numpy array of the semiring's ``dtype``, or of objects where it has none. It is not changed in
    place.

    Parameters
    ----------
    scalars
        The semiring.
    shape
        The length of vectors, or the shape of matrices and the like.

    Raises
    ------
    ConfigError
        A length is negative or no whole number.

    Examples
    --------
    >>> from plait.semiring import Log, Real
    >>> Dense(Real(), 2).scale(0.5, np.array([1.0, 3.0]))
    array([0.5, 1.5])
    >>> Dense(Log(), 2).zero
    array([-inf, -inf])
    """

    scalars: Semiring[Any]
    shape: tuple[int, ...]

    def __init__(self, scalars: Semiring[Any], shape: int | tuple[int, ...]) -> None:
        lengths = shape if isinstance(shape, tuple) else (shape,)
        try:
            lengths = tuple(operator.index(length) for length in lengths)
        except TypeError:
            raise ConfigError(name="shape", expected="a length or lengths", found=repr(shape)) from None
        if min(lengths, default=0) < 0:
            raise ConfigError(name="shape", expected="lengths of at least 0", found=repr(shape))
        object.__setattr__(self, "scalars", scalars)
        object.__setattr__(self, "shape", lengths)

    @property
    def zero(self) -> np.ndarray[Any, Any]:
        """An array of zeros, new at each access."""
        return self._filled([self.scalars.zero] * int(np.prod(self.shape)))

    def plus(self, r: np.ndarray[Any, Any], s: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Return the sums."""
        return self._mapped(self.scalars.plus, r, s)

    def scale(self, p: Any, r: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Return the products with p from the left."""
        return self._mapped(self.scalars.times, p, r)

    def scale_right(self, r: np.ndarray[Any, Any], p: Any) -> np.ndarray[Any, Any]:
        """Return the products with p from the right."""
        return self._mapped(self.scalars.times, r, p)

    def check(self, element: Any) -> np.ndarray[Any, Any]:
        """Return an array of values of the semiring.

        Raises
        ------
        DataError
            It has another shape, or values that are none.
        """
        array = np.asarray(element) if self._dtype is not None else _objects(element, self.shape)
        if array.shape != self.shape:
            refuse(self, f"of shape {self.shape}", element)
        if self._dtype is not None:
            return np.asarray(checked(self.scalars, array), self._dtype)
        return self._filled([checked(self.scalars, value) for value in array.flat])

    def outer(self, r: np.ndarray[Any, Any], s: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Return the products of each component of r and each of s, in the shape of both together."""
        lengths = r.shape + s.shape
        pairs = r.reshape(r.shape + (1,) * s.ndim), s.reshape((1,) * r.ndim + s.shape)
        first, second = (np.broadcast_to(array, lengths) for array in pairs)
        return Dense(self.scalars, lengths)._mapped(self.scalars.times, first, second)

    @property
    def _dtype(self) -> Any:
        return getattr(self.scalars, "dtype", None)

    def _filled(self, values: list[Any]) -> np.ndarray[Any, Any]:
        if self._dtype is not None:
            return np.array(values, self._dtype).reshape(self.shape)
        array = np.empty(len(values), object)
        # One by one: an array would take tuples apart.
        for place, value in enumerate(values):
            array[place] = value
        return array.reshape(self.shape)

    def _mapped(self, operation: Any, a: Any, b: Any) -> np.ndarray[Any, Any]:
        if self._dtype is not None:
            return np.asarray(operation(a, b), self._dtype)
        count = int(np.prod(self.shape))
        first, second = (x.flat if isinstance(x, np.ndarray) else [x] * count for x in (a, b))
        return self._filled([operation(x, y) for x, y in zip(first, second, strict=True)])


def _objects(element: Any, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Return what is given for an array of objects, tuples in it left whole."""
    if isinstance(element, np.ndarray) or len(shape) != 1:
        return np.asarray(element, object)
    array = np.empty(len(element), object)
    for place, value in enumerate(element):
        array[place] = value
    return array


@dataclass(frozen=True)
class Sparse:
    """Vectors with few components that are not zero: dictionaries from names to values of a semiring.

    No value is zero. An element is not changed in place. Pairs of names make matrices.

    Parameters
    ----------
    scalars
        The semiring.

    Examples
    --------
    >>> from plait.semiring import Real
    >>> module = Sparse(Real())
    >>> module.plus({"the": 1.0, "cat": 2.0}, {"cat": -2.0, "mat": 1.0})
    {'the': 1.0, 'mat': 1.0}
    """

    scalars: Semiring[Any]

    @property
    def zero(self) -> dict[Hashable, Any]:
        """No component."""
        return {}

    def plus(self, r: Mapping[Hashable, Any], s: Mapping[Hashable, Any]) -> dict[Hashable, Any]:
        """Return the sum; its names are in the order of r, then of s."""
        total = dict(r)
        for name, value in s.items():
            total[name] = self.scalars.plus(total[name], value) if name in total else value
        return self._without_zeros(total)

    def scale(self, p: Any, r: Mapping[Hashable, Any]) -> dict[Hashable, Any]:
        """Return the products with p from the left."""
        return self._without_zeros({name: self.scalars.times(p, value) for name, value in r.items()})

    def scale_right(self, r: Mapping[Hashable, Any], p: Any) -> dict[Hashable, Any]:
        """Return the products with p from the right."""
        return self._without_zeros({name: self.scalars.times(value, p) for name, value in r.items()})

    def check(self, element: Any) -> dict[Hashable, Any]:
        """Return names with values of the semiring, without those that are zero.

        Raises
        ------
        DataError
            It is no such thing.
        """
        if not isinstance(element, Mapping):
            refuse(self, "a dictionary from names to values", element)
        return self._without_zeros({name: checked(self.scalars, value) for name, value in element.items()})

    def outer(self, r: Mapping[Hashable, Any], s: Mapping[Hashable, Any]) -> dict[Hashable, Any]:
        """Return the products of each component of r and each of s, by pairs of names."""
        pairs = ((one, other) for one in r for other in s)
        return self._without_zeros({(one, other): self.scalars.times(r[one], s[other]) for one, other in pairs})

    def _without_zeros(self, components: dict[Hashable, Any]) -> dict[Hashable, Any]:
        zero = self.scalars.zero
        return {name: value for name, value in components.items() if value != zero}
