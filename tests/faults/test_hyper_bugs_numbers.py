"""What went wrong in other libraries of hypergraphs and lattices: numbers, closures, laws.

`test_hyper_bugs_table.py` says which of our reports each test belongs to.
"""

from __future__ import annotations

import json
import math
from fractions import Fraction

import numpy as np
import pytest

from command_line import run
from plait.errors import CycleError, DataError
from plait.hypergraph import (
    Distribution,
    Hypergraph,
    inside,
    kbest,
    outside,
    viterbi,
)
from plait.semiring import (
    Boolean,
    CheckedCounting,
    Counting,
    FirstOrder,
    Log,
    Rational,
    Real,
    Scaled,
    ScaledValue,
    SecondOrder,
    SignedLog,
    SignedLogValue,
    Tropical,
    Viterbi,
)
from plait.semiring import KBest as KBestWeights
from plait.testing import LawError, check_semiring

LOOP = Hypergraph.from_edges([(0, [0]), (0, [])], root=0)
"""One edge around and one out."""


@pytest.mark.parametrize("semiring", [SignedLog(), Scaled()])
def test_zero_has_one_form_and_differences_of_equals_are_zero(semiring):
    zero = semiring.zero
    for number in (1.0, -1.0, 1e-300, 0.1, 5e-324):
        x = semiring.value(number)
        assert semiring.plus(x, -x) == semiring.plus(-x, x) == zero
        for product in (semiring.times(-x, zero), semiring.times(zero, -zero), -semiring.times(zero, x)):
            assert product == zero
            assert hash(product) == hash(zero)
            assert math.copysign(1, product[0]) == 1
    assert semiring.value(-0.0) == semiring.value(0.0) == zero
    assert math.copysign(1, semiring.value(-0.0)[0]) == 1


def test_differences_of_equals_are_zero_in_sums_over_derivations():
    graph = Hypergraph.from_edges([(0, []), (0, []), (1, [0]), (1, [])])
    k = SignedLog()
    x = k.value(0.3)
    assert inside(graph, [x, -x, k.value(-5.0), k.zero], k) == [k.zero, k.zero]
    assert inside(graph, [0.3, -0.3, -5.0, 0.0], Real()).tolist() == [0, 0]
    # A weight of -0.0 is an edge that is not there.
    assert Distribution(graph, [-0.0, 0.0, 1.0, 2.0], is_log=False).edge_posteriors.tolist() == [0, 0, 0, 1]


def test_equality_is_exact():
    for semiring in (SignedLog(), Scaled()):
        tiny, zero = semiring.value(1e-20), semiring.zero
        assert tiny != zero
        assert semiring.times(tiny, tiny) != zero
        assert {semiring.value(0.1 + 0.2), semiring.value(0.3)} != {semiring.value(0.3)}
        assert hash(semiring.value(1e-20)) == hash(tiny)
    # What a fixpoint up to a tolerance has as 90909.9.
    p = 0.999999
    for weights, semiring in (
        ([p, 1.0], Real()),
        ([Fraction(999_999, 1_000_000), Fraction(1)], Rational()),
    ):
        assert inside(LOOP, weights, semiring)[0] == pytest.approx(1e6, rel=1e-9)
    assert math.exp(inside(LOOP, [math.log(p), 0.0], Log())[0]) == pytest.approx(1e6, rel=1e-9)
    assert float(Scaled().star(Scaled().value(p))) == pytest.approx(1e6, rel=1e-9)


@pytest.mark.parametrize(
    "semiring",
    [
        Boolean(),
        CheckedCounting(),
        Counting(),
        KBestWeights(3),
        Log(),
        Rational(),
        Real(),
        Scaled(),
        SignedLog(),
        Tropical(),
        Viterbi(),
        FirstOrder(Rational()),
        SecondOrder(Rational()),
    ],
    ids=lambda semiring: type(semiring).__name__,
)
def test_a_loop_of_weight_zero_is_no_loop(semiring):
    """0* = 1 in every semiring: also by itself and in an acyclic part of a cyclic graph."""
    assert semiring.star(semiring.zero) == semiring.one
    zero, one = semiring.zero, semiring.one
    assert list(inside(LOOP, [zero, one], semiring)) == [one]
    assert list(outside(LOOP, [zero, one], semiring)) == [one]
    # 1 <- 0 <-> 2, where nothing comes back from 2.
    graph = Hypergraph.from_edges([(0, []), (1, [0]), (0, [2]), (2, [0])], root=1)
    assert list(inside(graph, [one, one, zero, one], semiring)) == [one, one, one]


@pytest.mark.parametrize(
    ("semiring", "read", "write"),
    [
        (Real(), float, float),
        (SignedLog(), SignedLog().value, float),
        (Scaled(), Scaled().value, float),
        (Rational(), Fraction, float),
    ],
    ids=lambda x: type(x).__name__ if hasattr(x, "plus") else "",
)
def test_loops_of_negative_weight(semiring, read, write):
    for weight, total in ((-0.5, 2 / 3), (-0.75, 4 / 7), (0.5, 2.0)):
        assert write(semiring.star(read(weight))) == pytest.approx(total, rel=1e-15)
        assert write(inside(LOOP, [read(weight), read(1.0)], semiring)[0]) == pytest.approx(total, rel=1e-15)


def test_the_closure_of_a_cost_is_that_of_its_weight():
    """-ln p = 0.7: -ln(1 - p) and not ln(1 - 0.7) = -1.204."""
    assert Log().star(-0.7) == pytest.approx(0.6863410028083853, rel=1e-14)
    assert inside(LOOP, [-0.7, 0.0], Log())[0] == pytest.approx(0.6863410028083853, rel=1e-14)
    assert inside(LOOP, [0.7, 0.0], Tropical())[0] == 0


@pytest.mark.timeout(5)
@pytest.mark.parametrize(
    ("semiring", "weight"),
    [
        (Log(), 0.0),
        (Log(), 0.1),
        (Log(), 800.0),
        (Real(), 1.0),
        (Real(), 2.0),
        (Real(), -1.0),
        (Rational(), Fraction(2)),
        (SignedLog(), SignedLogValue(1, math.log(2))),
        (Scaled(), ScaledValue(0.5, 2)),
        (Viterbi(), 0.1),
        (Tropical(), -0.1),
    ],
    ids=repr,
)
def test_a_sum_that_diverges_is_an_error_at_once(semiring, weight):
    with pytest.raises(DataError, match="diverges"):
        semiring.star(weight)
    with pytest.raises(CycleError, match="does not converge; the weights around it must be smaller") as caught:
        inside(LOOP, [weight, semiring.one], semiring)
    assert caught.value.cycle == (0,)


@pytest.mark.timeout(5)
def test_endless_derivations_end_nothing_but_an_error(tmp_path, monkeypatch, capfdbinary):
    """S -> S S | S | a, in all semirings: refused with the cycle; S -> S | a: infinity, a closure, or the few best."""
    ambiguous = Hypergraph.from_edges([(0, [0, 0]), (0, [0]), (0, [])], root=0)
    for semiring, weights in ((Boolean(), None), (Counting(), None), (Log(), [-3.0] * 3), (Tropical(), [1.0] * 3)):
        with pytest.raises(CycleError, match="only linear cycles have a closure") as caught:
            inside(ambiguous, weights, semiring)
        assert caught.value.cycle == (0,)
    assert inside(LOOP, None, Counting()) == [math.inf]
    assert inside(LOOP, None, CheckedCounting())[0] == CheckedCounting.MORE
    assert inside(LOOP, [math.log(0.25), 0.0], Log())[0] == pytest.approx(math.log(4 / 3))
    assert inside(LOOP, [(-1.0,), (-2.0,)], KBestWeights(3)) == [(-2.0, -3.0, -4.0)]
    for search in (viterbi, lambda graph, weights: kbest(graph, weights, 3)):
        with pytest.raises(CycleError, match="nodes 0 <- 0 form a cycle"):
            search(LOOP, [-1.0, 0.0])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loop.fst").write_text("0 0 a a 0.5\n0\n")
    assert json.loads(run(capfdbinary, "forest", "info", "loop.fst", "--json").out)["derivations"] == "infinity"
    for command in ("kbest", "expect"):
        outcome = run(capfdbinary, "forest", command, "loop.fst")
        assert (outcome.code, "0 <- 0" in outcome.err) == (1, True)


def test_swapped_identities_are_found():
    class MinMax:
        zero, one = math.inf, -math.inf

        @staticmethod
        def plus(a, b):
            return min(a, b)

        @staticmethod
        def times(a, b):
            return max(a, b)

    class Swapped(MinMax):
        zero, one = -1e9, 1e9

    check_semiring(MinMax(), [0.0, 3.0, 7.0])
    with pytest.raises(LawError):
        check_semiring(Swapped(), [0.0, 3.0, 7.0])


def test_whether_there_is_a_derivation_is_no_matter_of_its_weight():
    steps = 2000
    graph = Hypergraph.from_edges([(0, []), *((n, [n - 1]) for n in range(1, steps))])
    tiny = np.full(steps, 1e-3)
    # It underflows, as Real says of itself: so it is not what tells whether there is a derivation.
    assert inside(graph, tiny, Real())[-1] == 0
    assert inside(graph, tiny > 0, Boolean())[-1]
    assert inside(graph, np.log(tiny), Log())[-1] == pytest.approx(steps * math.log(1e-3))
    assert graph.useful_nodes().all()
    assert viterbi(graph, np.log(tiny)) is not None
    broken = tiny > 0
    broken[1000] = False
    assert inside(graph, broken, Boolean()).tolist() == [n < 1000 for n in range(steps)]
