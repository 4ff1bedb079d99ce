"""The weights of the k best derivations."""

from __future__ import annotations

import functools
import heapq
import operator
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, ClassVar

from plait.errors import ConfigError
from plait.semiring.protocol import Semiring, declares
from plait.semiring.values import diverges, refuse
from plait.semiring.viterbi import Viterbi

__all__ = ["KBest"]


@dataclass(frozen=True)
class KBest:
    """Tuples of at most k weights, best first, of a semiring whose sums select (`Viterbi`, `Tropical`).

    Equal weights stand in a tuple as often as there are derivations. ``plus`` merges two tuples, ``times`` has the
    best products of a weight of one and a weight of the other; both keep k. No weight is the zero of the base, so
    that the tuple of no derivation is empty. As products are monotone, cutting early loses nothing: the tuple for k
    is the start of that for k + 1. The laws hold as those of the base do; for k = 1 it is the base.

    Parameters
    ----------
    k
        At least 1.
    base
        A semiring that is a path semiring.

    Raises
    ------
    ConfigError
        k is below 1, or sums of the base do not select.

    Examples
    --------
    >>> semiring = KBest(3)
    >>> two, one = semiring.value([-1.0, -3.0]), semiring.value([-2.0])
    >>> semiring.plus(two, one), semiring.times(two, one)
    ((-1.0, -2.0, -3.0), (-3.0, -5.0))
    >>> semiring.star(one)
    (0.0, -2.0, -4.0)
    """

    k: int
    base: Semiring[Any] = field(default_factory=Viterbi)
    dtype: ClassVar[None] = None
    is_path: ClassVar[bool] = False
    is_closed: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Check the settings."""
        try:
            is_natural = operator.index(self.k) >= 1
        except TypeError:
            is_natural = False
        if not is_natural:
            raise ConfigError(name="k", expected="a whole number of at least 1", found=repr(self.k))
        if not declares(self.base, "is_path"):
            raise ConfigError(name="base", expected="a semiring whose sums select (is_path)", found=repr(self.base))

    @property
    def zero(self) -> tuple[Any, ...]:
        """No weight."""
        return ()

    @property
    def one(self) -> tuple[Any, ...]:
        """The one of the base, alone."""
        return (self.base.one,)

    @property
    def is_commutative(self) -> bool:
        """As the base."""
        return declares(self.base, "is_commutative")

    @property
    def is_idempotent(self) -> bool:
        """Only for k = 1: more have room for a weight twice."""
        return self.k == 1

    def value(self, weights: Iterable[Any]) -> tuple[Any, ...]:
        """Return weights in any order as a value."""
        kept = [weight for weight in weights if weight != self.base.zero]
        return tuple(sorted(kept, key=functools.cmp_to_key(self._compare))[: self.k])

    def plus(self, a: tuple[Any, ...], b: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the k best of both."""
        merged = heapq.merge(a, b, key=functools.cmp_to_key(self._compare))
        return tuple(weight for weight, _ in zip(merged, range(self.k), strict=False))

    def times(self, a: tuple[Any, ...], b: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the k best products: k ln k are looked at.

        The i-th weight of one times the j-th of the other has i j - 1 others before it, so that it counts only where
        i j is at most k.
        """
        pairs = ((left, right) for above, left in enumerate(a, 1) for right in b[: self.k // above])
        return self.value(self.base.times(left, right) for left, right in pairs)

    def star(self, a: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the k best of all powers: the sum of the powers below k.

        Each product of k factors has k shorter ones that are at least as good.

        Raises
        ------
        DataError
            A weight is better than one, and there is no best power.
        """
        if a and self._compare(a[0], self.base.one) < 0:
            raise diverges(self, a, "weights that are not better than one")
        total = self.one
        for _ in range(self.k - 1):
            total, before = self.plus(self.one, self.times(a, total)), total
            if total == before:
                break
        return total

    def check(self, value: Any) -> tuple[Any, ...]:
        """Return weights as a value, sorted and cut.

        Raises
        ------
        DataError
            It is no sequence of weights of the base.
        """
        if not isinstance(value, tuple | list):
            refuse(self, "a tuple of weights", value)
        check = getattr(self.base, "check", lambda weight: weight)
        return self.value(check(weight) for weight in value)

    def _compare(self, a: Any, b: Any) -> int:
        """Return a negative number where a is better."""
        if a == b:
            return 0
        return -1 if self.base.plus(a, b) == a else 1
