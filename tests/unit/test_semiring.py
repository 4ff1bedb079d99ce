"""Semirings in Python: values at the door, closures, equality, pickling, arrays."""

from __future__ import annotations

import dataclasses
import math
import pickle
import re
from fractions import Fraction

import numpy as np
import pytest

from plait.errors import ConfigError, DataError
from plait.semiring import (
    Boolean,
    CheckedCounting,
    Counting,
    Dense,
    Derivation,
    FirstOrder,
    FirstOrderValue,
    KBest,
    Lexicographic,
    Lifted,
    Log,
    Multiplication,
    Outer,
    Product,
    Rational,
    Real,
    Scalar,
    Scaled,
    ScaledValue,
    SecondOrder,
    SignedLog,
    SignedLogValue,
    Sparse,
    Tropical,
    Viterbi,
    declares,
    has_star,
)

INFINITY, NAN = math.inf, math.nan
ALL = [
    Boolean(),
    Counting(),
    CheckedCounting(),
    Real(),
    Log(),
    SignedLog(),
    Scaled(),
    Viterbi(),
    Tropical(),
    Rational(),
    KBest(3),
    KBest(2, Tropical()),
    Product(Counting(), Log()),
    Lexicographic(Viterbi(), Counting()),
    Derivation(),
    Derivation(Boolean()),
    FirstOrder(Log()),
    FirstOrder(Rational(), Sparse(Rational())),
    FirstOrder(Real(), Dense(Real(), 3)),
    SecondOrder(SignedLog()),
    SecondOrder(Real(), Outer(Dense(Real(), 2), Dense(Real(), 3))),
    SecondOrder(Real(), Multiplication(Sparse(Real()))),
    FirstOrder(FirstOrder(Real()), Lifted(Multiplication(Scalar(Real())))),
]


@pytest.mark.parametrize("semiring", ALL, ids=repr)
def test_semirings_are_frozen_equal_by_value_and_can_be_pickled(semiring):
    copy = pickle.loads(pickle.dumps(semiring))
    assert copy == semiring
    assert hash(copy) == hash(semiring)
    assert [other for other in ALL if other == semiring] == [semiring]
    field = next(iter(dataclasses.fields(semiring)), None)
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(semiring, field.name if field else "zero", 1)


# Values at the door


class Bare:
    """A semiring of someone else, with no more than it needs."""

    zero, one = 0, 1

    def plus(self, a, b):
        return a + b

    def times(self, a, b):
        return a * b

    def __repr__(self):
        return "Bare()"


REFUSED = [
    (Boolean(), 1, "a value of Boolean() must be true or false; found 1"),
    (Boolean(), np.array([0.5]), "must be true or false"),
    (Counting(), -1, "must be a natural number or infinity; found -1"),
    (Counting(), 1.5, "must be a natural number or infinity; found 1.5"),
    (Counting(), NAN, "must be a natural number or infinity; found nan"),
    (CheckedCounting(), -1, "must be a natural number; found -1"),
    (CheckedCounting(), INFINITY, "must be a natural number; found inf"),
    (CheckedCounting(), np.array([1, -2]), "must be natural numbers; found -2"),
    (Real(), NAN, "a value of Real() must be finite numbers; found nan"),
    (Real(), INFINITY, "must be finite numbers; found inf"),
    (Real(), 10**400, "must be finite numbers; found 1000"),
    (Real(), "1", "must be finite numbers; found '1'"),
    (Real(), np.array([1.0, NAN]), "must be finite numbers; found nan"),
    (Real(), np.array(["a"]), "must be finite numbers"),
    (Log(), NAN, "must be finite numbers or -inf; found nan"),
    (Log(), INFINITY, "must be finite numbers or -inf; found inf"),
    (Log(), np.array([-INFINITY, INFINITY]), "must be finite numbers or -inf; found inf"),
    (Viterbi(), INFINITY, "must be finite numbers or -inf; found inf"),
    (Tropical(), -INFINITY, "must be finite numbers or inf; found -inf"),
    (SignedLog(), (0, 1.5), "must be a sign (1, -1, or 0 for zero) and a logarithm (-inf for zero); found (0, 1.5)"),
    (SignedLog(), (1, -INFINITY), "must be a sign"),
    (SignedLog(), (1, NAN), "found nan"),
    (SignedLog(), 0.5, "must be a sign"),
    (Scaled(), (0.5, 1.5), "must be a mantissa and a whole exponent"),
    (Scaled(), (NAN, 1), "found nan"),
    (Rational(), "1/2", "must be a fraction; found '1/2'"),
    (Rational(), NAN, "must be finite numbers; found nan"),
    (KBest(2), 1.0, "must be a tuple of weights; found 1.0"),
    (KBest(2), (1.0, NAN), "found nan"),
    (Product(Counting(), Real()), (1, NAN), "a value of Real() must be finite numbers; found nan"),
    (Product(Counting(), Real()), 1, "must be a pair; found 1"),
    (Lexicographic(Tropical(), Real()), [1.0, 1.0], "must be a weight and a value"),
    (Derivation(), [("a",)], "must be a dictionary from tuples to coefficients"),
    (Derivation(), {"a": 1}, "must be a dictionary from tuples to coefficients"),
    (Derivation(), {("a",): -1}, "must be a natural number or infinity; found -1"),
    (FirstOrder(Real()), 0.5, "must be a pair of a weight and an element; found 0.5"),
    (FirstOrder(Real()), (0.5, NAN), "found nan"),
    (FirstOrder(Real(), Dense(Real(), 2)), (0.5, np.zeros(3)), "must be of shape (2,)"),
    (FirstOrder(Real(), Dense(Real(), 2)), (0.5, np.array([0.0, NAN])), "found nan"),
    (FirstOrder(Real(), Sparse(Real())), (0.5, [1.0]), "must be a dictionary from names to values"),
    (SecondOrder(Real()), (0.5, 1.0), "must be a weight and three elements"),
    (SecondOrder(Real()), (0.5, 1.0, 2.0, INFINITY), "found inf"),
    (Lifted(Multiplication(Scalar(Real()))), (1.0,), "must be a pair of elements"),
]


@pytest.mark.parametrize(("semiring", "value", "message"), REFUSED)
def test_what_is_no_value_is_refused(semiring, value, message):
    with pytest.raises(DataError, match=re.escape(message)):
        semiring.check(value)


ACCEPTED = [
    (Boolean(), np.True_, True),
    (Counting(), np.uint8(3), 3),
    (Counting(), INFINITY, INFINITY),
    (CheckedCounting(), 2**70, CheckedCounting.MORE),
    (Real(), 1, 1.0),
    (Real(), Fraction(1, 2), 0.5),
    (Log(), -INFINITY, -INFINITY),
    (SignedLog(), (-1, 2), SignedLogValue(-1, 2.0)),
    (Scaled(), (4.0, 1), ScaledValue(0.5, 4)),
    (Rational(), 0.5, Fraction(1, 2)),
    (Rational(), 3, Fraction(3)),
    (KBest(2), [-2.0, -INFINITY, -1.0, -3.0], (-1.0, -2.0)),
    (Lexicographic(Tropical(), Counting()), (INFINITY, 3), (INFINITY, 0)),
    (Derivation(), {("a",): 0, ("b",): 2}, {("b",): 2}),
    (FirstOrder(Real(), Sparse(Real())), (1, {"a": 0, "b": 2}), FirstOrderValue(1.0, {"b": 2.0})),
    (FirstOrder(Bare()), (3, 4), FirstOrderValue(3, 4)),
]


@pytest.mark.parametrize(("semiring", "value", "expected"), ACCEPTED)
def test_values_get_the_form_they_have_in_the_semiring(semiring, value, expected):
    found = semiring.check(value)
    assert found == expected
    assert type(found) is type(expected)


def test_arrays_get_the_dtype_they_have_in_the_semiring():
    for semiring, given in (
        (Real(), np.array([1, 2])),
        (CheckedCounting(), np.array([1, 2])),
        (Boolean(), np.array([True])),
        (Tropical(), np.array([INFINITY, 1], np.float32)),
    ):
        found = semiring.check(given)
        assert found.dtype == semiring.dtype
        np.testing.assert_array_equal(found, given)
    vectors = Dense(SignedLog(), 2).check([(1, 0.0), (0, -INFINITY)])
    assert vectors.tolist() == [SignedLogValue(1, 0.0), SignedLogValue(0, -INFINITY)]
    assert type(vectors[0]) is SignedLogValue


# Settings


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: KBest(0), "k must be a whole number of at least 1; found 0"),
        (lambda: KBest(1.5), "k must be a whole number of at least 1; found 1.5"),
        (lambda: KBest(2, Log()), "base must be a semiring whose sums select (is_path); found Log()"),
        (lambda: Lexicographic(Log(), Counting()), "weights must be a semiring whose sums select (is_path)"),
        (lambda: Lexicographic(Boolean(), Counting()), "with division; found Boolean()"),
        (lambda: Derivation(Derivation()), "coefficients must be a commutative semiring"),
        (lambda: Dense(Real(), -1), "shape must be lengths of at least 0; found -1"),
        (lambda: Dense(Real(), "a"), "shape must be a length or lengths; found 'a'"),
        (lambda: FirstOrder(Real(), Scalar(Log())), "module must be a module over Real(); found"),
        (lambda: SecondOrder(Real(), Multiplication(Scalar(Log()))), "map must be a bilinear map over Real()"),
        (lambda: SecondOrder(Derivation()), "the module must be a module over a commutative semiring"),
        (lambda: Multiplication(Scalar(Bare())), "the module must be a module over a commutative semiring"),
        (lambda: Outer(Dense(Real(), 1), Sparse(Real())), "left and right must be two Dense or two Sparse"),
        (lambda: Outer(Sparse(Log()), Sparse(Real())), "left and right must be two Dense or two Sparse"),
        (lambda: Product(Bare(), Real()).star((0, 0.5)), "Bare() has no sums of all powers; give it a method star"),
    ],
)
def test_settings_that_make_no_semiring_are_refused(make, message):
    with pytest.raises(ConfigError, match=re.escape(message)):
        make()


def test_what_is_declared_follows_from_the_parts():
    sets, numbers = Derivation(Boolean()), FirstOrder(Log())
    assert declares(sets, "is_idempotent")
    assert not declares(sets, "is_commutative")
    assert declares(numbers, "is_commutative")
    assert not declares(numbers, "is_idempotent")
    assert declares(FirstOrder(Boolean()), "is_closed")
    assert declares(SecondOrder(Boolean()), "is_idempotent")
    assert declares(Product(Boolean(), Counting()), "is_closed")
    assert not declares(Product(Boolean(), Log()), "is_closed")
    assert not declares(Bare(), "is_commutative")
    assert not has_star(Bare())
    assert not has_star(FirstOrder(Bare()))
    assert not has_star(Product(Real(), Bare()))
    assert has_star(FirstOrder(Real()))
    assert not FirstOrder(sets).is_commutative
    assert Lexicographic(Tropical(), Viterbi()).is_path
    assert KBest(1).is_idempotent
    assert not KBest(2).is_idempotent


# Closures and division


@pytest.mark.parametrize(
    ("semiring", "value"),
    [
        (Real(), 1.0),
        (Real(), -1.0),
        (Real(), 2.0),
        (Rational(), Fraction(1)),
        (Log(), 0.0),
        (Log(), 0.1),
        (SignedLog(), SignedLogValue(1, 0.0)),
        (SignedLog(), SignedLogValue(-1, 3.0)),
        (Scaled(), ScaledValue(0.5, 1)),
        (Scaled(), ScaledValue(-0.75, 4)),
        (Viterbi(), 0.1),
        (Tropical(), -0.1),
        (KBest(2), (0.1, -1.0)),
        (Lexicographic(Tropical(), Counting()), (-1.0, 2)),
        (Derivation(), {("a",): 1}),
        (FirstOrder(Real()), FirstOrderValue(1.5, 0.0)),
    ],
)
def test_a_closure_that_diverges_is_an_error(semiring, value):
    with pytest.raises(DataError, match=r"the sum of all powers of .* diverges; it exists for "):
        semiring.star(value)


def test_closures_have_their_values():
    # -ln(1 - exp(-0.7)), which another library has as -1.204.
    assert Log().star(-0.7) == pytest.approx(0.6863410028083853, rel=1e-14)
    assert Log().star(math.log(0.999999)) == pytest.approx(math.log(1e6), rel=1e-10)
    # Where 1 - exp(a) has no digit left.
    assert Log().star(-1e-20) == pytest.approx(20 * math.log(10), rel=1e-14)
    assert SignedLog().star(SignedLogValue(1, -1e-20)).ln == pytest.approx(20 * math.log(10), rel=1e-14)
    assert float(SignedLog().star(SignedLog().value(-0.5))) == pytest.approx(2 / 3)
    assert float(Scaled().star(Scaled().value(-0.5))) == 1 / 1.5
    assert Derivation().star({(): 2}) == {(): INFINITY}
    assert Lexicographic(Tropical(), Rational()).star((0.0, Fraction(1, 2))) == (0.0, 2)
    assert Lexicographic(Tropical(), Rational()).star((1.0, Fraction(3))) == (0.0, 1)
    for semiring in ALL:
        if has_star(semiring) and not isinstance(semiring, FirstOrder | SecondOrder):
            assert semiring.star(semiring.zero) == semiring.one
    np.testing.assert_array_equal(Boolean().star(np.array([False, True])), [True, True])


@pytest.mark.parametrize(
    "semiring", [Real(), Rational(), Log(), SignedLog(), Scaled(), Viterbi(), Tropical()], ids=repr
)
def test_nothing_is_divided_by_zero(semiring):
    with pytest.raises(DataError, match="cannot be divided by the zero of"):
        semiring.divide(semiring.one, semiring.zero)
    assert semiring.divide(semiring.zero, semiring.one) == semiring.zero


# Numbers


def test_overflow_and_underflow_do_not_make_numbers_that_are_none():
    real, signed, scaled = Real(), SignedLog(), Scaled()
    assert real.times(0.0, 1e300 * 1e300) == 0.0
    # Warnings are errors here.
    np.testing.assert_array_equal(real.plus(np.array([INFINITY, 1e308]), np.array([-INFINITY, 1e308])), [NAN, INFINITY])
    np.testing.assert_array_equal(real.times(np.array([0.0, 1e300]), np.array([INFINITY, 1e300])), [0.0, INFINITY])
    assert float(SignedLogValue(-1, 1e6)) == -INFINITY
    assert float(SignedLogValue(-1, -1e6)) == 0.0
    large = scaled.value(-1.5, 10**9)
    assert (float(large), float(scaled.divide(scaled.one, large))) == (-INFINITY, -0.0)
    assert large.ln == pytest.approx(10**9 * math.log(2))
    assert scaled.zero.ln == -INFINITY
    assert scaled.plus(large, scaled.one) == large
    assert scaled.plus(scaled.value(1.0, -70), scaled.one) == scaled.one
    # Half a unit in the last place, and a little more, is rounded up.
    assert float(scaled.plus(scaled.value(1 + 2**-52, -53), scaled.one)) == 1 + 2**-52
    with pytest.raises(DataError, match="found nan"):
        signed.value(NAN)
    with pytest.raises(DataError, match="found inf"):
        scaled.value(INFINITY)


def test_counts_of_any_size():
    counting, words = Counting(), CheckedCounting()
    assert counting.plus(10**400, INFINITY) == INFINITY
    assert counting.times(10**400, INFINITY) == INFINITY
    assert words.star(2) == words.MORE
    assert words.plus(np.uint64(5), 1) == 6
    top = np.array([words.MORE, 0, 2**33], np.uint64)
    np.testing.assert_array_equal(words.times(top, top), np.array([words.MORE, 0, words.MORE], np.uint64))


def test_strings_are_written_from_left_to_right():
    k = Derivation()
    assert k.times(k.letter("a"), k.letter("b")) == {("a", "b"): 1}


def test_matrices_of_objects():
    module = Dense(Rational(), (2, 1))
    ones = module.check([[1], [Fraction(1, 2)]])
    assert module.plus(ones, ones).tolist() == [[2], [1]]
    assert module.scale_right(ones, Fraction(1, 2)).shape == (2, 1)
    assert module.zero.tolist() == [[0], [0]]
    assert Dense(Rational(), 0).zero.shape == (0,)


def test_expectations_of_a_forest_by_hand():
    # A node of two edges, 1/2 and 1/3, each with a feature; the root takes it twice.
    k = FirstOrder(Rational(), Sparse(Rational()))
    edges = [k.value(Fraction(1, n), {name: Fraction(1, n)}) for n, name in ((2, "a"), (3, "b"))]
    node = k.plus(*edges)
    root = k.times(node, node)
    assert root.p == Fraction(25, 36)
    assert root.r == {"a": Fraction(5, 6), "b": Fraction(5, 9)}
