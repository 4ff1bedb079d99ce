"""Formal sums of strings: derivations themselves, for tests and explanations."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from plait.errors import ConfigError
from plait.semiring.counting import Counting
from plait.semiring.product import checked, star_of
from plait.semiring.protocol import Semiring, declares, has_star
from plait.semiring.values import diverges, refuse

__all__ = ["Derivation"]

Strings = dict[tuple[Hashable, ...], Any]


@dataclass(frozen=True)
class Derivation:
    """Polynomials in letters that do not commute: strings of letters, each with a coefficient of a semiring.

    A value is a dictionary from strings (tuples) to coefficients that are not zero. ``plus`` adds coefficients,
    ``times`` concatenates strings. With `Counting` the values are multisets of strings, with `Boolean` sets. With one
    letter to an edge, a sum holds each derivation as its string in prefix order. All laws hold exactly where those of
    the coefficients do.

    Parameters
    ----------
    coefficients
        A commutative semiring.

    Raises
    ------
    ConfigError
        The coefficients do not commute.

    Examples
    --------
    >>> k = Derivation()
    >>> a, b = k.letter("a"), k.letter("b")
    >>> k.times(k.plus(a, b), k.plus(a, b))
    {('a', 'a'): 1, ('a', 'b'): 1, ('b', 'a'): 1, ('b', 'b'): 1}
    >>> k.plus(a, a)
    {('a',): 2}
    """

    coefficients: Semiring[Any] = field(default_factory=Counting)
    dtype: ClassVar[None] = None
    is_commutative: ClassVar[bool] = False
    is_path: ClassVar[bool] = False
    is_closed: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Check the coefficients."""
        if not declares(self.coefficients, "is_commutative"):
            expected = "a commutative semiring (is_commutative)"
            raise ConfigError(name="coefficients", expected=expected, found=repr(self.coefficients))

    @property
    def zero(self) -> Strings:
        """No string."""
        return {}

    @property
    def one(self) -> Strings:
        """The empty string."""
        return {(): self.coefficients.one}

    @property
    def is_idempotent(self) -> bool:
        """As the coefficients are."""
        return declares(self.coefficients, "is_idempotent")

    @property
    def has_star(self) -> bool:
        """As the coefficients have."""
        return has_star(self.coefficients)

    def letter(self, letter: Hashable) -> Strings:
        """Return the string of one letter."""
        return {(letter,): self.coefficients.one}

    def plus(self, a: Strings, b: Strings) -> Strings:
        """Return both, with the coefficients of the same string added."""
        total = dict(a)
        for string, coefficient in b.items():
            self._add(total, string, coefficient)
        return total

    def times(self, a: Strings, b: Strings) -> Strings:
        """Return all concatenations of a string of the one and a string of the other."""
        total: Strings = {}
        for left, first in a.items():
            for right, second in b.items():
                self._add(total, left + right, self.coefficients.times(first, second))
        return total

    def star(self, a: Strings) -> Strings:
        """Return the closure of the coefficient, where the empty string is the only one.

        Raises
        ------
        DataError
            There is another string, which has infinitely many powers.
        ConfigError
            The coefficients have none.
        """
        if any(string for string in a):
            raise diverges(self, a, "sums of the empty string only")
        return {(): star_of(self.coefficients, a.get((), self.coefficients.zero))}

    def check(self, value: Any) -> Strings:
        """Return strings with their coefficients as a value, without those that are zero.

        Raises
        ------
        DataError
            It is something else.
        """
        if not isinstance(value, Mapping) or not all(isinstance(string, tuple) for string in value):
            refuse(self, "a dictionary from tuples to coefficients", value)
        total: Strings = {}
        for string, coefficient in value.items():
            self._add(total, string, checked(self.coefficients, coefficient))
        return total

    def _add(self, total: Strings, string: tuple[Hashable, ...], coefficient: Any) -> None:
        zero = self.coefficients.zero
        coefficient = self.coefficients.plus(total.pop(string, zero), coefficient)
        if coefficient != zero:
            total[string] = coefficient
