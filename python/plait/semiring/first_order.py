"""Weights with what is expected under them: first-order expectations and gradients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from plait.errors import ConfigError
from plait.semiring.modules import Module, Scalar
from plait.semiring.product import checked, star_of
from plait.semiring.protocol import Semiring, declares, has_star
from plait.semiring.values import refuse

__all__ = ["FirstOrder", "FirstOrderValue"]


class FirstOrderValue(NamedTuple):
    """A weight and an element of a module over the weights.

    Attributes
    ----------
    p
        The weight.
    r
        The weight times a quantity that adds up along derivations, or the gradient of the weight.
    """

    p: Any
    r: Any


@dataclass(frozen=True)
class FirstOrder:
    """The first-order expectation semiring (Eisner 2002; Li and Eisner 2009, Table 1 and section 4.1).

    With weights <p, p r> on the edges, the sum over all derivations is <Z, sum of p r>; with <p, grad p> it is
    <Z, grad Z>. Sums are by component,

    - <p, r> <q, s> = <p q, p s + r q>, one = <1, 0>,
    - <p, r>* = <p*, p* r p*>,

    in this order of factors, so that weights need not commute. The laws hold as those of the weights and the module
    do.

    Parameters
    ----------
    weights
        The semiring of p.
    module
        The module of r, over that semiring; by default the semiring itself.

    Raises
    ------
    ConfigError
        The module is over another semiring.

    Examples
    --------
    >>> from plait.semiring import Real, Sparse
    >>> k = FirstOrder(Real(), Sparse(Real()))
    >>> the, cat = k.value(0.5, {"the": 0.5}), k.value(0.25, {"cat": 0.25})
    >>> k.times(the, cat)
    FirstOrderValue(p=0.125, r={'cat': 0.125, 'the': 0.125})

    A loop of probability 3/4 is gone round three times on average.

    >>> k = FirstOrder(Real())
    >>> k.times(k.star(k.value(0.75, 0.75)), k.value(0.25))
    FirstOrderValue(p=1.0, r=3.0)
    """

    weights: Semiring[Any]
    module: Module
    dtype: ClassVar[None] = None
    is_path: ClassVar[bool] = False

    def __init__(self, weights: Semiring[Any], module: Module | None = None) -> None:
        module = Scalar(weights) if module is None else module
        if module.scalars != weights:
            raise ConfigError(name="module", expected=f"a module over {weights!r}", found=repr(module))
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "module", module)

    @property
    def zero(self) -> FirstOrderValue:
        """Both zeros."""
        return FirstOrderValue(self.weights.zero, self.module.zero)

    @property
    def one(self) -> FirstOrderValue:
        """<1, 0>."""
        return FirstOrderValue(self.weights.one, self.module.zero)

    @property
    def is_commutative(self) -> bool:
        """As the weights are."""
        return declares(self.weights, "is_commutative")

    @property
    def is_idempotent(self) -> bool:
        """As the weights are: r + r = (1 + 1) r."""
        return declares(self.weights, "is_idempotent")

    @property
    def is_closed(self) -> bool:
        """As the weights are."""
        return declares(self.weights, "is_closed")

    @property
    def has_star(self) -> bool:
        """As the weights have."""
        return has_star(self.weights)

    def value(self, p: Any, r: Any = None) -> FirstOrderValue:
        """Return a weight and an element (by default zero) as a value."""
        return FirstOrderValue(p, self.module.zero if r is None else r)

    def plus(self, a: FirstOrderValue, b: FirstOrderValue) -> FirstOrderValue:
        """Return both sums."""
        return FirstOrderValue(self.weights.plus(a.p, b.p), self.module.plus(a.r, b.r))

    def times(self, a: FirstOrderValue, b: FirstOrderValue) -> FirstOrderValue:
        """Return <p q, p s + r q>."""
        r = self.module.plus(self.module.scale(a.p, b.r), self.module.scale_right(a.r, b.p))
        return FirstOrderValue(self.weights.times(a.p, b.p), r)

    def star(self, a: FirstOrderValue) -> FirstOrderValue:
        """Return <p*, p* r p*>.

        Raises
        ------
        DataError
            The closure of the weight diverges.
        ConfigError
            The weights have none.
        """
        p = star_of(self.weights, a.p)
        return FirstOrderValue(p, self.module.scale_right(self.module.scale(p, a.r), p))

    def check(self, value: Any) -> FirstOrderValue:
        """Return a pair of a weight and an element as a value.

        Raises
        ------
        DataError
            It is none.
        """
        if not isinstance(value, tuple) or len(value) != 2:
            refuse(self, "a pair of a weight and an element", value)
        return FirstOrderValue(checked(self.weights, value[0]), checked(self.module, value[1]))
