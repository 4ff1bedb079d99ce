"""Values of semirings that are hard on arithmetic, as hypothesis strategies."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from plait.semiring import Derivation, FirstOrderValue, Hull, KBest, Scaled, SecondOrderValue, SignedLogValue, Sparse

ENDS = [0.0, -0.0, 1.0, -1.0, 0.5, 5e-324, -5e-324, 2.0**-1022, 1 - 2.0**-53, 1 + 2.0**-52, 1e300, -1e300, 1e-300]

FRACTIONS = sorted(
    {Fraction(n, d) for d in range(1, 7) for n in range(-2 * d, 2 * d + 1)}, key=lambda x: (abs(x), x < 0)
)


def doubles():
    """Doubles of all sizes and signs, with the ends of every range."""
    return st.one_of(
        st.sampled_from(ENDS),
        st.floats(-2, 2),
        # Near 1 from below: closures are large.
        st.integers(0, 40).map(lambda n: 1 - 0.5**n),
        # About where a term changes no bit of a sum.
        st.integers(48, 68).map(lambda n: 1.5 * 0.5**n),
        st.builds(lambda m, e: m * 10.0**e, st.floats(-10, 10), st.integers(-300, 300)),
    )


def numbers_in_range():
    """Doubles whose products neither overflow nor underflow."""
    return doubles().filter(lambda x: x == 0 or 1e-150 < abs(x) < 1e150)


def logarithms(largest=1e6):
    """Logarithms of weights: of all sizes up to a million, and -infinity."""
    return st.one_of(
        st.just(-math.inf),
        st.just(0.0),
        st.floats(-5, 5),
        st.floats(-largest, largest),
        doubles().filter(lambda x: abs(x) < largest),
    )


def whole(zero):
    """Whole numbers as floats, which sums keep exact, and the zero of the semiring."""
    return st.one_of(st.just(zero), st.integers(-9, 9).map(float))


def signed_logarithms(largest=1e6):
    return st.builds(
        lambda sign, ln: SignedLogValue(0, -math.inf) if ln == -math.inf else SignedLogValue(sign, ln),
        st.sampled_from([1, -1]),
        logarithms(largest),
    )


def scaled():
    return st.builds(Scaled().value, doubles(), st.integers(-(10**30), 10**30) | st.integers(-3, 3))


def counts():
    return st.one_of(st.integers(0, 3), st.integers(0, 10**400), st.just(math.inf))


def words():
    """Natural numbers of up to 64 bits, many near the end of them."""
    return st.one_of(
        st.integers(0, 3),
        st.integers(2**32 - 4, 2**32 + 4),
        st.integers(2**64 - 4, 2**64 - 1),
        st.integers(0, 2**64 - 1),
    )


def fractions():
    return st.sampled_from(FRACTIONS)


def lists(k, base, weights):
    """Tuples of weights of a base, best first."""
    return st.lists(weights, max_size=5).map(KBest(k, base).value)


def strings(coefficients, values):
    """Sums of a few strings over three letters."""
    letters = st.lists(st.sampled_from("abc"), max_size=2).map(tuple)
    return st.dictionaries(letters, values, max_size=3).map(Derivation(coefficients).check)


def hulls(numbers):
    """Envelopes of a few lines."""
    return st.lists(st.tuples(numbers, numbers), max_size=5).map(Hull().value)


def sparse(scalars, values):
    return st.dictionaries(st.sampled_from("abcd"), values, max_size=3).map(Sparse(scalars).check)


def matrices(scalars, values):
    names = st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd"))
    return st.dictionaries(names, values, max_size=4).map(Sparse(scalars).check)


def arrays(shape, values, dtype):
    """Arrays of numbers."""
    count = math.prod(shape)
    return st.lists(values, min_size=count, max_size=count).map(lambda x: as_array(x, dtype).reshape(shape))


def as_array(values, dtype):
    array = np.empty(len(values), dtype)
    array[:] = values
    return array


def first_order(p, r):
    return st.builds(FirstOrderValue, p, r)


def second_order(p, r, s, t):
    return st.builds(SecondOrderValue, p, r, s, t)
