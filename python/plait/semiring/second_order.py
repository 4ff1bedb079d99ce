"""Weights with two quantities and their product: covariances, Hessians and gradients of expectations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from plait.errors import ConfigError
from plait.semiring.bilinear import Bilinear, Multiplication
from plait.semiring.first_order import FirstOrder, FirstOrderValue
from plait.semiring.modules import Module, Scalar
from plait.semiring.product import checked, star_of
from plait.semiring.protocol import Semiring, declares, has_star
from plait.semiring.values import refuse

__all__ = ["Lifted", "SecondOrder", "SecondOrderValue", "lift", "lower"]


class SecondOrderValue(NamedTuple):
    """A weight, two elements of modules, and one of the module of their products.

    Attributes
    ----------
    p
        The weight.
    r
        The weight times a first quantity that adds up along derivations, or its derivative.
    s
        The weight times a second quantity, or another derivative.
    t
        The weight times the product of both, or the second derivative.
    """

    p: Any
    r: Any
    s: Any
    t: Any


@dataclass(frozen=True)
class SecondOrder:
    """The second-order expectation semiring of a bilinear map R x S -> T (Li and Eisner 2009, Table 2, section 4.1).

    With weights <p, p r, p s, p r s> on the edges, the sum over all derivations has the sums of p r, p s and p r s;
    with <p, grad p, grad p, Hessian of p> the last is the Hessian of Z. Sums are by component,

    - <p1, r1, s1, t1> <p2, r2, s2, t2> =
      <p1 p2, p1 r2 + p2 r1, p1 s2 + p2 s1, p1 t2 + p2 t1 + r1 s2 + r2 s1>, one = <1, 0, 0, 0>,
    - <p, r, s, t>* = <p*, p* p* r, p* p* s, p* p* (2 p* r s + t)>.

    The laws hold as those of the weights and the modules do.

    Parameters
    ----------
    weights
        The semiring of p, commutative.
    map
        The bilinear map, over that semiring; by default the product of two scalars.

    Raises
    ------
    ConfigError
        The map is over another semiring, or that does not commute.

    Examples
    --------
    A loop of probability 3/4 is gone round three times on average, with variance 12.

    >>> from fractions import Fraction
    >>> from plait.semiring import Rational
    >>> k, p = SecondOrder(Rational()), Fraction(3, 4)
    >>> total = k.times(k.star(k.value(p, p, p, p)), k.value(1 - p))
    >>> int(total.p), int(total.r), int(total.t - total.r**2)
    (1, 3, 12)
    """

    weights: Semiring[Any]
    map: Bilinear
    dtype: ClassVar[None] = None
    is_commutative: ClassVar[bool] = True
    is_path: ClassVar[bool] = False

    def __init__(self, weights: Semiring[Any], map: Bilinear | None = None) -> None:
        map = Multiplication(Scalar(weights)) if map is None else map
        if map.left.scalars != weights or not declares(weights, "is_commutative"):
            expected = f"a bilinear map over {weights!r}, which must be commutative (is_commutative)"
            raise ConfigError(name="map", expected=expected, found=repr(map))
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "map", map)

    @property
    def zero(self) -> SecondOrderValue:
        """All zeros."""
        return self.value(self.weights.zero)

    @property
    def one(self) -> SecondOrderValue:
        """<1, 0, 0, 0>."""
        return self.value(self.weights.one)

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

    def value(self, p: Any, r: Any = None, s: Any = None, t: Any = None) -> SecondOrderValue:
        """Return a weight and elements (by default zero) as a value."""
        return SecondOrderValue(
            p,
            self.map.left.zero if r is None else r,
            self.map.right.zero if s is None else s,
            self.map.product.zero if t is None else t,
        )

    def plus(self, a: SecondOrderValue, b: SecondOrderValue) -> SecondOrderValue:
        """Return all sums."""
        return SecondOrderValue(
            self.weights.plus(a.p, b.p),
            self.map.left.plus(a.r, b.r),
            self.map.right.plus(a.s, b.s),
            self.map.product.plus(a.t, b.t),
        )

    def times(self, a: SecondOrderValue, b: SecondOrderValue) -> SecondOrderValue:
        """Return the product of Table 2."""
        products = self.map.product
        t = _crossed(products, a.p, a.t, b.p, b.t)
        t = products.plus(t, self.map.multiply(a.r, b.s))
        return SecondOrderValue(
            self.weights.times(a.p, b.p),
            _crossed(self.map.left, a.p, a.r, b.p, b.r),
            _crossed(self.map.right, a.p, a.s, b.p, b.s),
            products.plus(t, self.map.multiply(b.r, a.s)),
        )

    def star(self, a: SecondOrderValue) -> SecondOrderValue:
        """Return the closure of Table 2.

        Raises
        ------
        DataError
            The closure of the weight diverges.
        ConfigError
            The weights have none.
        """
        p = star_of(self.weights, a.p)
        square = self.weights.times(p, p)
        products = self.map.product
        once = products.scale(p, self.map.multiply(a.r, a.s))
        return SecondOrderValue(
            p,
            self.map.left.scale(square, a.r),
            self.map.right.scale(square, a.s),
            products.scale(square, products.plus(products.plus(a.t, once), once)),
        )

    def check(self, value: Any) -> SecondOrderValue:
        """Return a weight and three elements as a value.

        Raises
        ------
        DataError
            They are none.
        """
        if not isinstance(value, tuple) or len(value) != 4:
            refuse(self, "a weight and three elements", value)
        homes = (self.weights, self.map.left, self.map.right, self.map.product)
        return SecondOrderValue(*(checked(home, part) for home, part in zip(homes, value, strict=True)))


def _crossed(module: Module, p1: Any, r1: Any, p2: Any, r2: Any) -> Any:
    """Return p1 r2 + p2 r1."""
    return module.plus(module.scale(p1, r2), module.scale(p2, r1))


@dataclass(frozen=True)
class Lifted:
    """The module S x T over the first-order semiring of R, for a bilinear map R x S -> T (Li and Eisner 2009, 4.3).

    <p, r> <s, t> = <p s, p t + r s>. ``FirstOrder(FirstOrder(P, R), Lifted(map))`` is ``SecondOrder(P, map)`` in other
    words: `lift` and `lower` go between them and keep all operations. It splits a second-order weight so that inside
    and outside weights are needed only in the first order, and what stands in S and T enters linearly (section 4.4).

    Parameters
    ----------
    map
        The bilinear map.

    Examples
    --------
    >>> from plait.semiring import Real
    >>> second = SecondOrder(Real())
    >>> lifted = FirstOrder(FirstOrder(Real()), Lifted(second.map))
    >>> a, b = second.value(0.5, 1.0, 2.0, 3.0), second.value(0.25, 4.0, 5.0, 6.0)
    >>> lower(lifted.times(lift(a), lift(b))) == second.times(a, b)
    True
    """

    map: Bilinear

    @property
    def scalars(self) -> FirstOrder:
        """The first-order semiring of R."""
        return FirstOrder(self.map.left.scalars, self.map.left)

    @property
    def zero(self) -> tuple[Any, Any]:
        """Both zeros."""
        return self.map.right.zero, self.map.product.zero

    def plus(self, x: tuple[Any, Any], y: tuple[Any, Any]) -> tuple[Any, Any]:
        """Return both sums."""
        return self.map.right.plus(x[0], y[0]), self.map.product.plus(x[1], y[1])

    def scale(self, k: FirstOrderValue, x: tuple[Any, Any]) -> tuple[Any, Any]:
        """Return <p s, p t + r s>."""
        s, t = x
        products = self.map.product
        return self.map.right.scale(k.p, s), products.plus(products.scale(k.p, t), self.map.multiply(k.r, s))

    def scale_right(self, x: tuple[Any, Any], k: FirstOrderValue) -> tuple[Any, Any]:
        """Return the same: scalars commute."""
        return self.scale(k, x)

    def check(self, element: Any) -> tuple[Any, Any]:
        """Return a pair of elements.

        Raises
        ------
        DataError
            It is none.
        """
        if not isinstance(element, tuple) or len(element) != 2:
            refuse(self, "a pair of elements", element)
        return checked(self.map.right, element[0]), checked(self.map.product, element[1])


def lift(value: SecondOrderValue) -> FirstOrderValue:
    """Return a second-order value as a first-order one over a first-order weight: <<p, r>, <s, t>>."""
    return FirstOrderValue(FirstOrderValue(value.p, value.r), (value.s, value.t))


def lower(value: FirstOrderValue) -> SecondOrderValue:
    """Return the second-order value that `lift` makes this one of."""
    return SecondOrderValue(*value.p, *value.r)
