"""Two semirings at once, and what is true of the best derivations only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from plait.errors import ConfigError
from plait.semiring.protocol import Property, Semiring, declares, has_star
from plait.semiring.values import diverges, refuse

__all__ = ["Lexicographic", "Product"]


@dataclass(frozen=True)
class Product:
    """Pairs of a value of each of two semirings, with all operations by component.

    The laws hold as those of the components do.

    Parameters
    ----------
    first, second
        The semirings.

    Examples
    --------
    >>> from plait.semiring import Counting, Real
    >>> semiring = Product(Counting(), Real())
    >>> semiring.times(semiring.plus((1, 0.5), (1, 0.25)), (2, 0.5))
    (4, 0.375)
    """

    first: Semiring[Any]
    second: Semiring[Any]
    dtype: ClassVar[None] = None
    is_path: ClassVar[bool] = False

    @property
    def zero(self) -> tuple[Any, Any]:
        """Both zeros."""
        return self.first.zero, self.second.zero

    @property
    def one(self) -> tuple[Any, Any]:
        """Both ones."""
        return self.first.one, self.second.one

    @property
    def is_commutative(self) -> bool:
        """As both are."""
        return self._declare("is_commutative")

    @property
    def is_idempotent(self) -> bool:
        """As both are."""
        return self._declare("is_idempotent")

    @property
    def is_closed(self) -> bool:
        """As both are."""
        return self._declare("is_closed")

    @property
    def has_star(self) -> bool:
        """As both have."""
        return has_star(self.first) and has_star(self.second)

    def plus(self, a: tuple[Any, Any], b: tuple[Any, Any]) -> tuple[Any, Any]:
        """Return both sums."""
        return self.first.plus(a[0], b[0]), self.second.plus(a[1], b[1])

    def times(self, a: tuple[Any, Any], b: tuple[Any, Any]) -> tuple[Any, Any]:
        """Return both products."""
        return self.first.times(a[0], b[0]), self.second.times(a[1], b[1])

    def star(self, a: tuple[Any, Any]) -> tuple[Any, Any]:
        """Return both closures.

        Raises
        ------
        DataError
            One diverges.
        ConfigError
            One of the semirings has none.
        """
        return star_of(self.first, a[0]), star_of(self.second, a[1])

    def check(self, value: Any) -> tuple[Any, Any]:
        """Return a pair of values.

        Raises
        ------
        DataError
            It is none.
        """
        if not isinstance(value, tuple) or len(value) != 2:
            refuse(self, "a pair", value)
        return checked(self.first, value[0]), checked(self.second, value[1])

    def _declare(self, name: Property) -> bool:
        return declares(self.first, name) and declares(self.second, name)


@dataclass(frozen=True)
class Lexicographic:
    """Pairs of a weight and a value: ``plus`` keeps the pair with the better weight, and adds values of equal ones.

    With `Counting` for the values it says how many derivations are best; with a second semiring whose sums select, it
    breaks ties. ``times`` is by component. The weights must cancel, as those of `Viterbi` and `Tropical` do: the
    better of two stays better when both are multiplied. Pairs with the weight zero are the one zero. In floating
    point, weights that differ by less than rounding can become equal.

    Parameters
    ----------
    weights
        A semiring whose sums select, with division.
    values
        Any semiring.

    Raises
    ------
    ConfigError
        Sums of weights do not select, or they have no division.

    Examples
    --------
    >>> from plait.semiring import Counting, Tropical
    >>> semiring = Lexicographic(Tropical(), Counting())
    >>> semiring.plus((2.0, 1), (3.0, 5)), semiring.plus((2.0, 1), (2.0, 5))
    ((2.0, 1), (2.0, 6))
    """

    weights: Semiring[Any]
    values: Semiring[Any]
    dtype: ClassVar[None] = None
    is_closed: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Check the weights."""
        if not (declares(self.weights, "is_path") and hasattr(self.weights, "divide")):
            expected = "a semiring whose sums select (is_path), with division"
            raise ConfigError(name="weights", expected=expected, found=repr(self.weights))

    @property
    def zero(self) -> tuple[Any, Any]:
        """Both zeros."""
        return self.weights.zero, self.values.zero

    @property
    def one(self) -> tuple[Any, Any]:
        """Both ones."""
        return self.weights.one, self.values.one

    @property
    def is_commutative(self) -> bool:
        """As both are."""
        return declares(self.weights, "is_commutative") and declares(self.values, "is_commutative")

    @property
    def is_idempotent(self) -> bool:
        """As the values are."""
        return declares(self.values, "is_idempotent")

    @property
    def is_path(self) -> bool:
        """As the values are."""
        return declares(self.values, "is_path")

    @property
    def has_star(self) -> bool:
        """As the values have."""
        return has_star(self.values)

    def plus(self, a: tuple[Any, Any], b: tuple[Any, Any]) -> tuple[Any, Any]:
        """Return the pair with the better weight, or both added up."""
        if a[0] == b[0]:
            return a[0], self.values.plus(a[1], b[1])
        return a if self.weights.plus(a[0], b[0]) == a[0] else b

    def times(self, a: tuple[Any, Any], b: tuple[Any, Any]) -> tuple[Any, Any]:
        """Return both products."""
        weight = self.weights.times(a[0], b[0])
        return self.zero if weight == self.weights.zero else (weight, self.values.times(a[1], b[1]))

    def star(self, a: tuple[Any, Any]) -> tuple[Any, Any]:
        """Return one for weights worse than one; for the weight one, with the closure of the value.

        Raises
        ------
        DataError
            The weight is better than one, or the closure of the value diverges.
        ConfigError
            The values have none.
        """
        one = self.weights.one
        if a[0] == one:
            return one, star_of(self.values, a[1])
        if self.weights.plus(a[0], one) != one:
            raise diverges(self, a, "weights that are not better than one")
        return self.one

    def check(self, value: Any) -> tuple[Any, Any]:
        """Return a weight and a value.

        Raises
        ------
        DataError
            They are none.
        """
        if not isinstance(value, tuple) or len(value) != 2:
            refuse(self, "a weight and a value", value)
        weight = checked(self.weights, value[0])
        return self.zero if weight == self.weights.zero else (weight, checked(self.values, value[1]))


def star_of(semiring: Any, value: Any) -> Any:
    """Return the closure in a semiring that may have none.

    Raises
    ------
    ConfigError
        It has none.
    """
    if not has_star(semiring):
        raise ConfigError(f"{semiring!r} has no sums of all powers; give it a method star, or use another semiring")
    return semiring.star(value)


def checked(semiring: Any, value: Any) -> Any:
    """Return the value as the semiring's own check has it, if there is one."""
    check = getattr(semiring, "check", None)
    return value if check is None else check(value)
