"""What a semiring is to plait: four names, and a few more for what else is true of it."""

from __future__ import annotations

from typing import Any, Literal, Protocol, TypeVar

__all__ = ["Property", "Semiring", "declares", "has_star"]

V = TypeVar("V")

Property = Literal["is_commutative", "is_idempotent", "is_path", "is_closed"]
"""What a semiring can declare of itself."""


class Semiring(Protocol[V]):
    """Values with a sum and a product; any object with these four names is one.

    ``plus`` is associative and commutative with the identity ``zero``; ``times`` is associative with the two-sided
    identity ``one``, distributes over ``plus`` from both sides, and gives ``zero`` with ``zero`` (Li and Eisner 2009,
    section 2). `plait.testing.check_semiring` tests that. ``plus`` and ``times`` leave their arguments as they are.

    A semiring may offer more:

    star(a)
        1 + a + a a + ...; raises `ValueError` where that diverges.
    divide(a, b)
        The value that times b is a; raises `ValueError` where b is zero.
    check(value)
        The value in the one form the semiring uses; raises `plait.errors.DataError` for what is no value, as NaN.
    dtype
        The numpy dtype of arrays of values, on which ``plus`` and ``times`` work by element; None where values live
        in no array.
    is_commutative
        ``times`` is commutative. Outside weights need that.
    is_idempotent
        a + a is a.
    is_path
        a + b is a or b.
    is_closed
        ``star`` is defined for every value.

    What is not there counts as false. Frozen objects that are equal by value and can be pickled serve best.

    Examples
    --------
    >>> from plait.testing import check_semiring
    >>> class Bottleneck:  # the widest path: capacities
    ...     zero, one = 0.0, float("inf")
    ...     is_commutative = is_idempotent = is_path = True
    ...     def plus(self, a, b):
    ...         return max(a, b)
    ...     def times(self, a, b):
    ...         return min(a, b)
    >>> checked = check_semiring(Bottleneck(), [1.0, 2.0, 3.0])
    >>> checked["a (b + c) = a b + a c"]
    125
    """

    @property
    def zero(self) -> V:
        """The identity of ``plus``: the weight of no derivation."""

    @property
    def one(self) -> V:
        """The identity of ``times``: the weight of an empty product."""

    def plus(self, a: V, b: V, /) -> V:
        """Return the sum: the weight of alternatives."""

    def times(self, a: V, b: V, /) -> V:
        """Return the product, in this order: the weight of the parts of one derivation."""


def declares(semiring: Semiring[Any], name: Property) -> bool:
    """Return whether a semiring says that it has a property; one that says nothing has none.

    Examples
    --------
    >>> from plait.semiring import Log
    >>> declares(Log(), "is_commutative"), declares(Log(), "is_path")
    (True, False)
    """
    return bool(getattr(semiring, name, False))


def has_star(semiring: Semiring[Any]) -> bool:
    """Return whether a semiring has sums of all powers, for some values at least.

    A semiring made of others has the method in any case; its attribute ``has_star`` tells whether they have it.

    Examples
    --------
    >>> from plait.semiring import FirstOrder, Log
    >>> has_star(Log()), has_star(FirstOrder(Log()))
    (True, True)
    """
    return bool(getattr(semiring, "has_star", hasattr(semiring, "star")))
