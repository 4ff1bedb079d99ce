"""The laws of all semirings of plait, and maps between them, on adversarial values."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import semiring_strategies as made
from plait.semiring import (
    Boolean,
    CheckedCounting,
    Counting,
    Dense,
    Derivation,
    FirstOrder,
    Hull,
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
    SecondOrder,
    SignedLog,
    Sparse,
    Tropical,
    Viterbi,
    lift,
    lower,
)
from plait.testing import (
    Exact,
    Logarithmic,
    check_bilinear,
    check_homomorphism,
    check_module,
    check_semiring,
    search_semiring,
)
from plait.testing.tolerances import FIRST, SCALAR

P, K, U = Rational(), SignedLog(), 2.0**-53
GRADIENT = Multiplication(Sparse(P))
DENSE_OUTER = Outer(Dense(P, 2), Dense(P, 3))
SPARSE_OUTER = Outer(Sparse(P), Sparse(P))
LOGS = made.signed_logarithms()
SETS = Derivation(Boolean())


def ranked(weights, values, zero):
    """Pairs of which those with an infinite weight are the zero."""
    return st.tuples(weights, values).map(lambda pair: pair if math.isfinite(pair[0]) else (math.inf, zero))


def fractions(*shape):
    return made.arrays(shape, made.fractions(), object)


SEMIRINGS = [
    (Boolean(), st.booleans()),
    (Counting(), made.counts()),
    (CheckedCounting(), made.words()),
    (Rational(), made.fractions()),
    (Real(), made.numbers_in_range()),
    (Log(), made.logarithms()),
    (SignedLog(), LOGS),
    (Scaled(), made.scaled()),
    (Viterbi(), made.logarithms()),
    (Tropical(), made.logarithms().map(lambda x: -x)),
    (KBest(1), made.lists(1, Viterbi(), made.whole(-math.inf))),
    (KBest(3), made.lists(3, Viterbi(), made.logarithms())),
    (KBest(2, Tropical()), made.lists(2, Tropical(), made.whole(math.inf))),
    (Hull(), made.hulls(st.floats(-1e6, 1e6) | st.integers(-3, 3).map(float))),
    (Product(Boolean(), Counting()), st.tuples(st.booleans(), made.counts())),
    (Product(Boolean(), Tropical()), st.tuples(st.booleans(), made.whole(math.inf))),
    (Lexicographic(Tropical(), Counting()), ranked(made.whole(math.inf), made.counts(), 0)),
    (Lexicographic(Tropical(), Viterbi()), ranked(made.whole(math.inf), made.whole(-math.inf), -math.inf)),
    (Derivation(), made.strings(Counting(), st.integers(0, 3))),
    (SETS, made.strings(Boolean(), st.booleans())),
    (Derivation(P), made.strings(P, made.fractions())),
    (FirstOrder(P), made.first_order(made.fractions(), made.fractions())),
    (FirstOrder(P, Sparse(P)), made.first_order(made.fractions(), made.sparse(P, made.fractions()))),
    (FirstOrder(P, Dense(P, 2)), made.first_order(made.fractions(), fractions(2))),
    (FirstOrder(SETS), made.first_order(*[made.strings(Boolean(), st.booleans())] * 2)),
    (FirstOrder(K, Sparse(K)), made.first_order(LOGS, made.sparse(K, LOGS))),
    (FirstOrder(Real(), Dense(Real(), 2)), made.first_order(made.doubles(), made.arrays((2,), made.doubles(), float))),
    (SecondOrder(P), made.second_order(*[made.fractions()] * 4)),
    (SecondOrder(K), made.second_order(*[LOGS] * 4)),
    (
        SecondOrder(P, GRADIENT),
        made.second_order(*[made.fractions()] * 2, *[made.sparse(P, made.fractions())] * 2),
    ),
    (SecondOrder(P, DENSE_OUTER), made.second_order(made.fractions(), fractions(2), fractions(3), fractions(2, 3))),
    (
        SecondOrder(P, SPARSE_OUTER),
        made.second_order(
            made.fractions(), *[made.sparse(P, made.fractions())] * 2, made.matrices(P, made.fractions())
        ),
    ),
]
INTEGRAL = [
    (Viterbi(), made.whole(-math.inf)),
    (Tropical(), made.whole(math.inf)),
    (KBest(3), made.lists(3, Viterbi(), st.integers(-5, 1).map(float))),
    (Hull(), made.hulls(made.fractions())),
    (Hull(), made.hulls(st.integers(-4, 4).map(float))),
]


@pytest.mark.parametrize(("semiring", "values"), SEMIRINGS, ids=lambda x: repr(x) if hasattr(x, "plus") else "")
def test_a_semiring_keeps_its_laws(semiring, values):
    search_semiring(semiring, values, max_examples=60)


@pytest.mark.parametrize(("semiring", "values"), INTEGRAL, ids=lambda x: repr(x) if hasattr(x, "plus") else "")
def test_whole_numbers_keep_them_exactly(semiring, values):
    search_semiring(semiring, values, tolerance=Exact(), max_examples=60)


def test_reals_keep_them_wherever_nothing_overflows():
    # Division is left out: what underflows cannot be brought back.
    class Undivided(Real):
        divide = property()

    search_semiring(Undivided(), made.doubles())


STRINGS = made.strings(Boolean(), st.booleans())
VECTORS = made.sparse(P, made.fractions())
MODULES = [
    (Scalar(P), made.fractions(), made.fractions()),
    (Dense(P, 2), made.fractions(), fractions(2)),
    (Sparse(P), made.fractions(), VECTORS),
    (Scalar(SETS), STRINGS, STRINGS),
    (Dense(SETS, 2), STRINGS, made.arrays((2,), STRINGS, object)),
    (Sparse(K), LOGS, made.sparse(K, LOGS)),
    (
        Lifted(SPARSE_OUTER),
        made.first_order(made.fractions(), VECTORS),
        st.tuples(VECTORS, made.matrices(P, made.fractions())),
    ),
]


@pytest.mark.parametrize(
    ("module", "scalars", "elements"), MODULES, ids=lambda x: repr(x) if hasattr(x, "plus") else ""
)
@settings(max_examples=15)
@given(data=st.data())
def test_a_module_keeps_its_laws(module, scalars, elements, data):
    p, r = data.draw(scalars), data.draw(st.tuples(elements, elements))
    check_module(module, [p], r, most=20)


MAPS = [
    (GRADIENT, made.fractions(), VECTORS),
    (DENSE_OUTER, fractions(2), fractions(3)),
    (SPARSE_OUTER, VECTORS, VECTORS),
]


@pytest.mark.parametrize(("map", "left", "right"), MAPS, ids=lambda x: repr(x) if hasattr(x, "multiply") else "")
@settings(max_examples=15)
@given(p=made.fractions(), data=st.data())
def test_a_bilinear_map_keeps_its_laws(map, left, right, p, data):
    check_bilinear(map, [p], [data.draw(left)], data.draw(st.lists(right, min_size=2, max_size=2)), most=20)


SECOND = SecondOrder(P, SPARSE_OUTER)
SECOND_VALUES = SEMIRINGS[-1][1]


@given(SECOND_VALUES, SECOND_VALUES)
def test_second_order_is_first_order_twice(a, b):
    lifted = FirstOrder(FirstOrder(P, Sparse(P)), Lifted(SPARSE_OUTER))
    assert lower(lift(a)) == a
    check_homomorphism(lift, SECOND, lifted, [a, b])
    if abs(a.p) < 1:
        assert lift(SECOND.star(a)) == lifted.star(lift(a))


@given(SECOND_VALUES, SECOND_VALUES)
def test_projections_and_swaps_keep_operations(a, b):
    def swap(x):
        return x._replace(r=x.s, s=x.r, t={(t, s): value for (s, t), value in x.t.items()})

    check_homomorphism(lambda x: FirstOrder(P, Sparse(P)).value(x.p, x.r), SECOND, FirstOrder(P, Sparse(P)), [a, b])
    check_homomorphism(lambda x: x.p, SECOND, P, [a, b])
    check_homomorphism(swap, SECOND, SECOND, [a, b])
    check_homomorphism(SECOND.value, P, SECOND, [a.p, b.p])


@given(made.counts(), made.counts())
def test_counts_say_whether_there_are_any_and_fit_words_or_do_not(a, b):
    check_homomorphism(bool, Counting(), Boolean(), [a, b])
    check_homomorphism(lambda n: min(n, 2**64 - 1), Counting(), CheckedCounting(), [a, b])


@given(st.fractions(0, 100, max_denominator=1000), st.fractions(0, 100, max_denominator=1000))
def test_rationals_become_reals_and_logarithms(a, b):
    check_homomorphism(float, P, Real(), [a, b])
    check_homomorphism(lambda x: math.log(x) if x else -math.inf, P, Log(), [a, b])
    check_homomorphism(lambda x: K.value(float(x)), P, K, [a, -b], tolerance=Logarithmic(FIRST))


@given(made.doubles(), made.doubles())
def test_scaled_numbers_are_fractions_rounded(a, b):
    k = Scaled()
    x, y = k.value(a), k.value(b)
    assert float(x) == a

    def exact(value):
        return Fraction(value.mantissa) * Fraction(2) ** value.exponent

    for found, expected in ((k.plus(x, y), exact(x) + exact(y)), (k.times(x, y), exact(x) * exact(y))):
        assert abs(exact(found) - expected) <= abs(expected) * Fraction(U)
    assert k.plus(x, -x) == k.zero


@given(made.signed_logarithms(2000), made.signed_logarithms(2000))
def test_signed_logarithms_are_numbers(a, b):
    def number(x):
        if not x.sign:
            return Fraction(0)
        # The exponential of a large logarithm, by its parts.
        exponent = round(x.ln / math.log(2))
        return x.sign * Fraction(math.exp(x.ln - exponent * math.log(2))) * Fraction(2) ** exponent

    reach = 1 + sum(abs(x.ln) for x in (a, b) if x.sign)
    bound = Fraction(2 * SCALAR * U * reach)
    assert abs(number(K.plus(a, b)) - number(a) - number(b)) <= bound * (abs(number(a)) + abs(number(b)))
    assert abs(number(K.times(a, b)) - number(a) * number(b)) <= bound * abs(number(a) * number(b))
    assert K.plus(a, -a) == K.zero


@given(st.lists(st.integers(-6, 1)), st.lists(st.integers(-6, 1)), st.integers(1, 5))
def test_lists_are_the_start_of_all(a, b, k):
    semiring, everything = KBest(k), KBest(10_000)
    a, b = ([float(x) for x in side] for side in (a, b))

    def best(weights):
        return tuple(sorted(weights, reverse=True)[:k])

    assert semiring.plus(best(a), best(b)) == best(a + b)
    assert semiring.times(best(a), best(b)) == best([x + y for x in a for y in b])
    if max(a, default=0) <= 0:
        power, total = everything.one, everything.zero
        for _ in range(k):
            # A product of more factors has as many better ones as it has factors.
            total, power = everything.plus(total, power), everything.times(power, best(a))
        assert semiring.star(best(a)) == total[:k]


@pytest.mark.parametrize("semiring", [Boolean(), CheckedCounting(), Real(), Log(), Viterbi(), Tropical()], ids=repr)
@given(data=st.data())
def test_arrays_are_many_numbers(semiring, data):
    strategies = {Boolean(): st.booleans(), CheckedCounting(): made.words(), Real(): made.numbers_in_range()}
    costs = made.logarithms().map(lambda x: -x)
    values = strategies.get(semiring, costs if isinstance(semiring, Tropical) else made.logarithms())
    pairs = data.draw(st.lists(st.tuples(values, values), max_size=5))
    a, b = (semiring.check(np.array([pair[side] for pair in pairs], semiring.dtype)) for side in (0, 1))
    for operation in (semiring.plus, semiring.times):
        found = operation(a, b)
        expected = np.array([operation(x, y) for x, y in pairs], semiring.dtype)
        assert found.dtype == semiring.dtype
        if isinstance(semiring, Log):
            np.testing.assert_allclose(found, expected, rtol=4 * U, atol=4 * U)
        else:
            np.testing.assert_array_equal(found, expected)


def test_a_geometric_series_is_a_closure():
    # Powers until no bit changes.
    for p in (0.5, -0.5, 0.999, -0.999):
        total, power = Fraction(0), Fraction(1)
        while power and abs(power) > Fraction(1, 10**25):
            total, power = total + power, Fraction(int(power * Fraction(p) * 10**40), 10**40)
        assert Real().star(p) == pytest.approx(float(total), rel=1e-14)
        assert float(K.star(K.value(p))) == pytest.approx(float(total), rel=1e-14)
        assert float(Scaled().star(Scaled().value(p))) == pytest.approx(float(total), rel=1e-14)


def test_the_laws_are_tested_on_what_was_given():
    counts = check_semiring(FirstOrder(P), [FirstOrder(P).value(Fraction(1, 2), Fraction(3))])
    assert counts["(a + b) + c = a + (b + c)"] == 27
    assert counts["a* = 1 + a a*"] == 2
    assert counts["(a + b)* = (a* b)* a*"] > 0
