"""Products of elements of two modules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from plait.errors import ConfigError
from plait.semiring.modules import Dense, Module, Scalar, Sparse
from plait.semiring.protocol import declares

__all__ = ["Bilinear", "Multiplication", "Outer"]


class Bilinear(Protocol):
    """A map of two modules R, S over one commutative semiring into a third one, T, that is linear in each argument.

    For all scalars p and elements: (r + r') s = r s + r' s, r (s + s') = r s + r s', (p r) s = p (r s) and
    r (p s) = p (r s); so that a product with zero is zero (Li and Eisner 2009, section 4.1).
    `plait.testing.check_bilinear` tests that.
    """

    @property
    def left(self) -> Module:
        """The module R of the first arguments."""

    @property
    def right(self) -> Module:
        """The module S of the second arguments."""

    @property
    def product(self) -> Module:
        """The module T of the products."""

    def multiply(self, r: Any, s: Any, /) -> Any:
        """Return the product of two elements."""


@dataclass(frozen=True)
class Multiplication:
    """A scalar times an element of a module.

    With `Scalar` it is the product of two scalars; with vectors, what the gradient of an expectation needs.

    Parameters
    ----------
    module
        The module of the second arguments and of the products.

    Raises
    ------
    ConfigError
        Its scalars do not commute.

    Examples
    --------
    >>> from plait.semiring import Real
    >>> Multiplication(Sparse(Real())).multiply(0.5, {"cat": 4.0})
    {'cat': 2.0}
    """

    module: Module

    def __post_init__(self) -> None:
        """Check the scalars."""
        check_scalars(self.module)

    @property
    def left(self) -> Scalar:
        """The scalars."""
        return Scalar(self.module.scalars)

    @property
    def right(self) -> Module:
        """The module."""
        return self.module

    @property
    def product(self) -> Module:
        """The module."""
        return self.module

    def multiply(self, r: Any, s: Any) -> Any:
        """Return r s."""
        return self.module.scale(r, s)


@dataclass(frozen=True)
class Outer:
    """The outer product of two dense or two sparse vectors: all products of a component of each.

    Parameters
    ----------
    left, right
        The modules of the two vectors: both `Dense` or both `Sparse`, over one semiring.

    Raises
    ------
    ConfigError
        They are something else, or their scalars do not commute.

    Examples
    --------
    >>> import numpy as np
    >>> from plait.semiring import Real
    >>> Outer(Dense(Real(), 2), Dense(Real(), 2)).multiply(np.array([1.0, 2.0]), np.array([3.0, 5.0]))
    array([[ 3.,  5.],
           [ 6., 10.]])
    >>> Outer(Sparse(Real()), Sparse(Real())).multiply({"a": 2.0}, {"b": 3.0})
    {('a', 'b'): 6.0}
    """

    left: Dense | Sparse
    right: Dense | Sparse

    def __post_init__(self) -> None:
        """Check the modules."""
        kinds = {type(self.left), type(self.right)}
        if kinds not in ({Dense}, {Sparse}) or self.left.scalars != self.right.scalars:
            expected = "two Dense or two Sparse modules over one semiring"
            raise ConfigError(name="left and right", expected=expected, found=f"{self.left!r} and {self.right!r}")
        check_scalars(self.left)

    @property
    def product(self) -> Module:
        """The module of matrices: arrays of both shapes together, or dictionaries of pairs of names."""
        if isinstance(self.left, Dense) and isinstance(self.right, Dense):
            return Dense(self.left.scalars, self.left.shape + self.right.shape)
        return Sparse(self.left.scalars)

    def multiply(self, r: Any, s: Any) -> Any:
        """Return the outer product."""
        return self.left.outer(r, s)


def check_scalars(module: Module) -> None:
    """Refuse scalars that do not commute, or do not say that they do.

    Raises
    ------
    ConfigError
        They do not.
    """
    if not declares(module.scalars, "is_commutative"):
        expected = "a module over a commutative semiring (is_commutative)"
        raise ConfigError(name="the module", expected=expected, found=repr(module))
