"""The kit finds broken laws: each one is broken once, and known mistakes of programs are among them."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import strategies as st

from plait.errors import ConfigError
from plait.semiring import (
    Boolean,
    Counting,
    Dense,
    FirstOrder,
    KBest,
    Log,
    Multiplication,
    Product,
    Rational,
    Real,
    Scalar,
    Scaled,
    SecondOrder,
    SignedLog,
    Sparse,
    Tropical,
    Viterbi,
)
from plait.semiring.log import log_add
from plait.testing import (
    Exact,
    LawError,
    Linear,
    Logarithmic,
    check_bilinear,
    check_homomorphism,
    check_module,
    check_semiring,
    search_semiring,
    tolerance_of,
)
from plait.testing.tolerances import FIRST, SCALAR, SECOND


class Integers:
    """Whole numbers: sound, and with star, division and check."""

    zero, one, is_commutative = 0, 1, True

    def plus(self, a, b):
        return a + b

    def times(self, a, b):
        return a * b

    def star(self, a):
        if a:
            raise ValueError("diverges")
        return 1

    def divide(self, a, b):
        return a // b

    def check(self, value):
        return int(value)


VALUES = [2, 3, -3, 5]


def test_what_is_sound_passes():
    counts = check_semiring(Integers(), VALUES)
    assert counts["(a b) c = a (b c)"] == 6**3
    assert counts["a* = 1 + a a*"] == 1
    assert counts["(a b) / b = a"] == 6 * 5
    search_semiring(Integers(), st.integers(-5, 5), max_examples=20)


def keep_left(a, b):
    """A product with the identity 1 that keeps its left factor."""
    return b if a == 1 else 0 if 0 in (a, b) else a


def no_quotient():
    raise ValueError("there is none")


BROKEN = {
    "0 + 0 = 0": {"zero": 7},
    "1 1 = 1": {"one": 2},
    "0 is not 1": {"one": 0},
    "a + 0 = a": {"plus": lambda _, a, b: a + b + (b == 0 and a > 1)},
    "0 + a = a": {"plus": lambda _, a, b: a + b + (a == 0 and b > 1)},
    "a 1 = a": {"times": lambda _, a, b: a * b + (b == 1 and a > 1)},
    "1 a = a": {"times": lambda _, a, b: a * b + (a == 1 and b > 1)},
    "a 0 = 0": {"times": lambda _, a, b: a * b + (b == 0 and a > 1)},
    "0 a = 0": {"times": lambda _, a, b: a * b + (a == 0 and b > 1)},
    "a + b = b + a": {"plus": lambda _, a, b: a if a and b else a + b},
    "(a + b) + c = a + (b + c)": {"plus": lambda _, a, b: (a + b) / 2 if a and b else a + b},
    "a b = b a": {"times": lambda _, a, b: keep_left(a, b), "divide": lambda _, a, b: no_quotient()},
    "a + a = a": {"is_idempotent": True},
    "a + b is a or b": {"is_path": True},
    "0* = 1": {"star": lambda _, a: 0},
    "a* = 1 + a a*": {"star": lambda _, a: 1},
    "a* is defined": {"is_closed": True},
    "(a b) / b = a": {"divide": lambda _, a, b: a // b + (a > 7)},
    "1 / 0 is an error": {"divide": lambda _, a, b: a // b if b else 0},
    "check(a) = a": {"check": lambda _, a: abs(a)},
}


@pytest.mark.parametrize("law", BROKEN)
def test_each_broken_law_is_found_and_named(law):
    semiring = type("Broken", (Integers,), BROKEN[law])()
    with pytest.raises(LawError) as caught:
        check_semiring(semiring, VALUES)
    assert caught.value.law == law
    assert f"breaks the law {law}\n" in str(caught.value)
    assert f"left side:  {caught.value.left!r}" in str(caught.value)
    with pytest.raises(LawError):
        search_semiring(semiring, st.sampled_from(VALUES))


class Quaternionish:
    """Numbers with vectors: bilinear, with a one, but the product of vectors is that across, not associative."""

    zero, one = (0, 0, 0, 0), (1, 0, 0, 0)

    def plus(self, a, b):
        return tuple(x + y for x, y in zip(a, b, strict=True))

    def times(self, a, b):
        across = np.cross(a[1:], b[1:]).tolist()
        return (a[0] * b[0], *(a[0] * y + b[0] * x + z for x, y, z in zip(a[1:], b[1:], across, strict=True)))


def test_products_that_do_not_associate():
    with pytest.raises(LawError) as caught:
        check_semiring(Quaternionish(), [(0, 1, 0, 0), (0, 0, 1, 0)])
    assert caught.value.law == "(a b) c = a (b c)"


class Maps:
    """Maps of four numbers that keep 0, with sums by component: (f + g) h = f h + g h, but not the other."""

    zero, one = (0, 0, 0, 0), (0, 1, 2, 3)

    def plus(self, f, g):
        return tuple((x + y) % 4 for x, y in zip(f, g, strict=True))

    def times(self, f, g):
        return tuple(f[x] for x in g)


class Reversed(Maps):
    def times(self, f, g):
        return super().times(g, f)


@pytest.mark.parametrize(
    ("semiring", "law"), [(Maps(), "a (b + c) = a b + a c"), (Reversed(), "(a + b) c = a c + b c")]
)
def test_products_that_distribute_from_one_side(semiring, law):
    with pytest.raises(LawError) as caught:
        check_semiring(semiring, [(0, 1, 0, 2), (0, 3, 3, 1)])
    assert caught.value.law == law


class TropicalOnly(Tropical):
    """A closure that solves its equation, but not the least solution."""

    def star(self, a):
        return -math.inf if a < 0 else -5.0 if a == 0 else 0.0


class Sets:
    """Sets of strings of at most one letter: longer ones are dropped."""

    zero, one = frozenset(), frozenset({""})

    def plus(self, a, b):
        return a | b

    def times(self, a, b):
        return frozenset(x + y for x in a for y in b if len(x + y) <= 2)

    def star(self, a):
        # As if every string began with the first letter.
        return self.plus(self.one, self.plus(a, self.times(a, frozenset(x for x in a if x != "b"))))


def test_closures_that_are_not_the_sum_of_powers():
    with pytest.raises(LawError) as caught:
        check_semiring(TropicalOnly(), [3.0], tolerance=Exact())
    assert caught.value.law == "(a + b)* = (a* b)* a*"
    with pytest.raises(LawError) as caught:
        check_semiring(Sets(), [frozenset("ab")])
    assert caught.value.law == "a* = 1 + a a*"


# Mistakes that programs have made.


class MinMax:
    """Identities that are swapped."""

    zero, one = -1e9, 1e9
    plus, times = staticmethod(min), staticmethod(max)


class FiniteZero(Log):
    """A zero that is a large negative number, as if it were below all others."""

    zero = -1e9


class ClosureOfNothing(SignedLog):
    """A closure of zero that is zero."""

    def star(self, a):
        return super().star(a) if a.sign else self.zero


class SinglePrecision(Log):
    """Sums in single precision."""

    star = property()

    def plus(self, a, b):
        total = super().plus(a, b)
        return total if total in (a, b) else float(np.float32(total))


class EarlyStop(Log):
    """A closure that stops when little changes."""

    def star(self, a):
        if a >= 0:
            raise ValueError("diverges")
        total, power = self.one, a
        while power > -7:
            total, power = log_add(total, power), power + a
        return total


@pytest.mark.parametrize(
    ("semiring", "law"),
    [
        (MinMax(), "a 1 = a"),
        (FiniteZero(), "0 + 0 = 0"),
        (ClosureOfNothing(), "0* = 1"),
        (SinglePrecision(), "(a + b) c = a c + b c"),
        (EarlyStop(), "a* = 1 + a a*"),
    ],
)
def test_mistakes_of_programs_are_found(semiring, law):
    values = [-1.5, -0.3] if not isinstance(semiring, SignedLog) else [semiring.value(-0.5)]
    with pytest.raises(LawError) as caught:
        check_semiring(semiring, values)
    assert caught.value.law == law


@dataclass(frozen=True, eq=False)
class Tolerant:
    """A number that equals those near it."""

    x: float

    def __eq__(self, other):
        return abs(self.x - other.x) <= 1e-8

    def __hash__(self):
        return hash(self.x)


@dataclass(frozen=True, eq=False)
class HashedAlike(Tolerant):
    """One whose hash does not give it away."""

    def __hash__(self):
        return 0


class OfObjects:
    """Whole numbers in objects of a class."""

    def __init__(self, kind):
        self.kind = kind
        self.zero, self.one = kind(0.0), kind(1.0)

    def plus(self, a, b):
        return self.kind(a.x + b.x)

    def times(self, a, b):
        return self.kind(a.x * b.x)


def test_equality_with_a_tolerance_is_none():
    with pytest.raises(LawError) as caught:
        check_semiring(OfObjects(Tolerant), [Tolerant(1e-20)])
    assert caught.value.law == "equal values have equal hashes"
    with pytest.raises(LawError) as caught:
        check_semiring(OfObjects(HashedAlike), [HashedAlike(6e-9), HashedAlike(1.2e-8)])
    assert caught.value.law == "a == b and b == c make a == c"


class InPlace:
    """Sums that change their left argument."""

    zero, one = np.zeros(1), np.ones(1)

    def plus(self, a, b):
        a += b
        return a

    def times(self, a, b):
        return a * b


def test_operations_that_change_their_arguments():
    with pytest.raises(LawError) as caught:
        check_semiring(InPlace(), [np.array([2.0])])
    assert caught.value.law == "operations leave their arguments alone"


# Rounding


def test_rounding_is_allowed_for_and_no_more():
    values = [1e16, 1.0, -1e16, 0.1, 0.2, 0.3]
    check_semiring(Real(), values)
    with pytest.raises(LawError):
        check_semiring(Real(), values, tolerance=Exact())
    with pytest.raises(LawError):
        check_semiring(Real(), values, tolerance=0)
    check_semiring(Real(), values, tolerance=1e-14)
    check_semiring(Real(), [0.1, 0.2, 0.3], tolerance=Exact(), equal=lambda a, b: math.isclose(a, b, rel_tol=1e-12))


@pytest.mark.parametrize("tolerance", [-1.0, math.nan, math.inf])
def test_a_tolerance_is_a_number(tolerance):
    with pytest.raises(ConfigError, match="tolerance must be a Tolerance, or a number of at least 0; found"):
        check_semiring(Real(), [], tolerance=tolerance)


@pytest.mark.parametrize(
    ("semiring", "tolerance"),
    [
        (Boolean(), Exact()),
        (Integers(), Exact()),
        (Product(Counting(), Boolean()), Exact()),
        (Real(), Linear(SCALAR)),
        (Scaled(), Linear(SCALAR)),
        (Viterbi(), Logarithmic(SCALAR)),
        (KBest(2, Tropical()), Logarithmic(FIRST)),
        (FirstOrder(Real()), Linear(FIRST)),
        (FirstOrder(FirstOrder(Real())), Linear(SECOND)),
        (SecondOrder(SignedLog()), Logarithmic(SECOND)),
        (FirstOrder(Rational()), Exact()),
    ],
)
def test_semirings_of_plait_have_a_tolerance(semiring, tolerance):
    assert tolerance_of(semiring) == tolerance


def test_parts_are_compared_by_name_and_place():
    tolerance = Linear(8)

    def same(found, expected):
        return tolerance.same(found, expected, (found, expected), ())

    assert same((1.0, {"a": 1.0}), (1.0 + 2**-52, {"a": 1.0}))
    assert not same((1.0, {"a": 1.0}), (1.0, {"a": 1.1}))
    assert not same((1.0, {"a": 1.0}), (1.0, {}))
    assert not same((1.0,), (1.0, 2.0))
    assert same(np.array([1.0, 2.0]), np.array([1.0, 2.0]))
    assert not same(np.array([1.0, 2.0]), np.array([1.0, 3.0]))
    assert not same(np.array([1.0, 2.0]), np.array([1.0]))
    assert not same("a", "b")
    # What cancelled on one side only.
    sizes = ({"a": 1.0}, {"a": 1.0})
    assert tolerance.same({"a": 1e-16}, {}, sizes, ())
    assert not tolerance.same({"a": 1e-10}, {}, sizes, ())


# Modules, maps, homomorphisms


class Halved(Scalar):
    """A module whose one is a half."""

    def scale(self, p, r):
        return p * r / 2


class OneSided(Scalar):
    """A module with another action from the right."""

    def scale_right(self, r, p):
        return r * p * p if p not in (0, 1) else r * p


class Sticky(Dense):
    """Vectors of which the second component forgets its sum."""

    def plus(self, r, s):
        total = super().plus(r, s)
        total[1] = r[1] if r[1] else s[1]
        return total


@pytest.mark.parametrize(
    ("module", "elements", "law"),
    [
        (Halved(Real()), [1.0, 4.0], "1 r = r"),
        (OneSided(Real()), [1.0, 4.0], "r (p + q) = r p + r q"),
        (Sticky(Real(), 2), [np.array([1.0, 2.0]), np.array([1.0, 4.0])], "r + s = s + r"),
    ],
)
def test_modules_that_are_none(module, elements, law):
    with pytest.raises(LawError) as caught:
        check_module(module, [2.0, 4.0], elements, tolerance=Exact())
    assert caught.value.law == law


class Affine(Multiplication):
    def multiply(self, r, s):
        return r * s + 1


class Magnitudes(Multiplication):
    def multiply(self, r, s):
        return r * abs(s)


@pytest.mark.parametrize(("kind", "law"), [(Affine, "r 0 = 0"), (Magnitudes, "r (s + y) = r s + r y")])
def test_maps_that_are_not_bilinear(kind, law):
    with pytest.raises(LawError) as caught:
        check_bilinear(kind(Scalar(Real())), [2.0], [1.0, 3.0], [1.0, -3.0])
    assert caught.value.law == law


def test_the_support_of_what_underflows_is_no_homomorphism():
    with pytest.raises(LawError) as caught:
        check_homomorphism(bool, Real(), Boolean(), [1e-200])
    assert caught.value.law == "f(a b) = f(a) f(b)"
    with pytest.raises(LawError, match=r"f\(1\) = 1"):
        check_homomorphism(lambda x: 2 * x, Real(), Real(), [1.0])


def test_elements_that_are_not_sparse_any_more_are_found():
    class Keeps(Sparse):
        def _without_zeros(self, components):
            return components

    with pytest.raises(LawError):
        check_module(Keeps(Real()), [2.0], [{"a": 1.0}])


def test_search_says_what_it_needs(monkeypatch):
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    with pytest.raises(ConfigError, match="pip install hypothesis"):
        search_semiring(Real(), None)


def test_many_values_are_chosen_from():
    counts = check_semiring(Counting(), range(2, 50), most=300)
    assert counts["(a b) c = a (b c)"] == 300
    assert counts["a + 0 = a"] == 50
