"""Semirings that users bring: exceptions, interrupts, arrays, cycles."""

import math
import operator
import signal
import threading
from fractions import Fraction

import numpy as np
import pytest

from plait.errors import ConfigError, CycleError, DataError
from plait.hypergraph import Hypergraph, edge_outside, inside, inside_outside, outside
from plait.hypergraph.vectorised import LevelSchedule, reduce_rows
from plait.semiring import (
    Boolean,
    CheckedCounting,
    Counting,
    FirstOrder,
    KBest,
    Log,
    Rational,
    Real,
    Sparse,
    Tropical,
    Viterbi,
)

F = Fraction
TWICE = Hypergraph.from_edges([(0, []), (0, []), (1, [0, 0])])
LOOP = Hypergraph.from_edges([(0, []), (0, [0])], root=0)


class Numbers:
    zero, one = 0, 1
    is_commutative = True
    plus = staticmethod(operator.add)
    times = staticmethod(operator.mul)


class Mistake(Exception):
    pass


@pytest.mark.parametrize("broken", ["plus", "times", "__eq__"])
def test_exceptions_come_out_as_they_are(broken):
    mistake = Mistake("of the user")

    def fail(*_):
        raise mistake

    calls = []

    class Value:
        def __init__(self, number):
            self.number = number

        def __add__(self, other):
            calls.append("+")
            return Value(self.number + other.number)

        def __mul__(self, other):
            return Value(self.number * other.number)

        __eq__ = fail if broken == "__eq__" else object.__eq__
        __hash__ = object.__hash__

    class Broken(Numbers):
        zero, one = Value(0), Value(1)
        plus = fail if broken == "plus" else staticmethod(operator.add)
        times = fail if broken == "times" else staticmethod(operator.mul)

    with pytest.raises(Mistake) as raised:
        outside(TWICE, [Value(2), Value(3), Value(1)], Broken())
    assert raised.value is mistake
    assert [entry.name for entry in raised.traceback][-1] == "fail"


def test_nothing_is_called_after_an_exception():
    calls = []

    class Broken(Numbers):
        def times(self, a, b):
            calls.append((a, b))
            raise Mistake

    edges = [(0, [])] + [(n, [n - 1] * 4) for n in range(1, 50)]
    with pytest.raises(Mistake):
        inside(Hypergraph.from_edges(edges), None, Broken())
    assert calls == [(1, 1)]


@pytest.mark.parametrize("missing", ["zero", "one", "plus", "times"])
def test_a_semiring_has_four_names(missing):
    names = {name: getattr(Numbers, name) for name in ("zero", "one", "plus", "times") if name != missing}
    incomplete = type("Incomplete", (), names)
    with pytest.raises(AttributeError, match=missing):
        inside(TWICE, [1, 1, 1], incomplete)


@pytest.mark.parametrize("plus", [math.gcd, lambda a, b: math.gcd(a, b)], ids=["builtin", "function"])
def test_an_interrupt_ends_the_work(plus):
    class Slow(Numbers):
        times = staticmethod(max)

    Slow.plus = staticmethod(plus)
    # Long divisions of some ten microseconds each: several seconds, if nothing ends them.
    numbers = [3**9000, 3**4500 * 5**3000]
    graph = Hypergraph.from_edges([(0, [])] + [(1, [0])] * 300_000)
    weights = [1, *(numbers[n % 2] for n in range(graph.edges - 1))]
    timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        inside(graph, weights, Slow())
    timer.join()


def test_values_are_checked():
    with pytest.raises(DataError, match="nan"):
        inside(TWICE, [1.0, math.nan, 1.0], Real())
    with pytest.raises(DataError, match="natural"):
        inside(TWICE, [1, -1, 1], Counting())
    for semiring in (Real(), Log(), Counting(), Rational(), Numbers()):
        with pytest.raises(DataError, match="3"):
            inside(TWICE, [semiring.one] * 2, semiring)
        with pytest.raises(DataError, match="2"):
            outside(TWICE, [semiring.one] * 3, semiring, inside=[semiring.one])
    with pytest.raises(DataError, match="3"):
        inside_outside(TWICE, [1.0] * 3, [{}], Real(), module=Sparse(Real()))
    with pytest.raises(ConfigError, match="over"):
        inside_outside(TWICE, [1.0] * 3, [{}] * 3, Real(), module=Sparse(Log()))


def test_arrays_lose_nothing():
    class Whole(Numbers):
        dtype = np.dtype(np.uint64)

    wide = Hypergraph.from_edges([(0, [])] * 3 + [(1, [0])] * 30)
    ones = np.ones(wide.edges, np.int64)
    assert inside(wide, ones, Whole()).tolist() == [3, 90]
    for wrong in (-ones, ones / 2):
        with pytest.raises(DataError, match="must be of type uint64"):
            inside(wide, wrong, Whole())
    large = [2**64 - 2] + [0] * (wide.edges - 1)
    assert inside(wide, large, CheckedCounting())[0] == 2**64 - 2
    assert inside(Hypergraph.from_edges([], nodes=1, root=0), [], CheckedCounting()).tolist() == [0]


def test_a_node_twice_in_a_tail():
    assert inside(TWICE, [2.0, 3.0, 1.0], Real()).tolist() == [5.0, 25.0]
    assert outside(TWICE, [2.0, 3.0, 1.0], Real()).tolist() == [10.0, 1.0]
    assert outside(TWICE, [2, 3, 1], Numbers()) == [10, 1]
    assert edge_outside(TWICE, [2, 3, 1], Numbers()) == [10, 10, 25]


def test_weights_of_one_count():
    forest = Hypergraph.from_edges([(0, [])] + [(n, [n - 1, n - 1]) for n in range(1, 12) for _ in range(2)])
    trees = 1
    for _ in range(11):
        trees = 2 * trees * trees
    assert inside(forest, None, Counting())[-1] == trees
    assert inside(forest, None, Numbers())[-1] == trees
    assert inside(forest, None, Boolean()).all()


class TestCycles:
    def test_in_the_core(self):
        assert inside(LOOP, [1.0, 0.75], Real()).tolist() == [4.0]
        assert outside(LOOP, [1.0, 0.75], Real()).tolist() == [4.0]
        assert inside(LOOP, [0.0, math.log(0.75)], Log())[0] == pytest.approx(math.log(4))
        assert inside(LOOP, [1, 1], Counting()) == [math.inf]
        assert inside(LOOP, [True, True], Boolean()).tolist() == [True]
        assert inside(LOOP, [-1.0, -2.0], Viterbi()).tolist() == [-1.0]
        assert inside(LOOP, [1.0, 2.0], Tropical()).tolist() == [1.0]

    def test_in_python(self):
        assert inside(LOOP, [F(1), F(3, 4)], Rational()) == [4]
        assert edge_outside(LOOP, [F(1), F(3, 4)], Rational()) == [4, 16]
        # E[length] = p / (1 - p).
        k = FirstOrder(Rational())
        z, r = inside(LOOP, [k.check((F(1), F(0))), k.check((F(3, 4), F(3, 4)))], k)[0]
        assert r / z == 3
        assert inside_outside(LOOP, [F(1), F(3, 4)], [F(0), F(3, 4)], Rational()) == (4, 12)
        best = KBest(3, Tropical())
        assert [tuple(v) for v in inside(LOOP, [(1.0,), (2.0,)], best)] == [(1.0, 3.0, 5.0)]

    @pytest.mark.parametrize(
        ("semiring", "weights"), [(Real(), [1.0, 1.0]), (Log(), [0.0, 0.1]), (Rational(), [F(1), F(1)])]
    )
    def test_that_diverge(self, semiring, weights):
        with pytest.raises(CycleError, match=r"0 <- 0 form a cycle: .*converge") as raised:
            inside(LOOP, weights, semiring)
        assert raised.value.cycle == (0,)
        if isinstance(semiring, Rational):
            assert "diverges" in str(raised.value.__cause__)

    def test_without_a_star(self):
        with pytest.raises(CycleError, match="closed semirings"):
            inside(LOOP, [1, 1], Numbers())

    def test_stars_that_fail(self):
        class Failing(Numbers):
            def star(self, a):
                raise Mistake

        with pytest.raises(Mistake):
            inside(LOOP, [1, 1], Failing())


class Vectors:
    """Floats whose calls with arrays are counted."""

    zero, one = 0.0, 1.0
    dtype = np.dtype(float)
    is_commutative = True

    def __init__(self):
        self.calls = []

    def plus(self, a, b):
        self.calls.append(np.size(a))
        return a + b

    def times(self, a, b):
        self.calls.append(np.size(a))
        return a * b


def test_arrays_are_used_where_levels_are_wide():
    width = 500
    edges = [(n, []) for n in range(width)] + [(width, [n, (n + 1) % width]) for n in range(width)]
    graph = Hypergraph.from_edges(edges)
    semiring = Vectors()
    found = inside(graph, np.full(graph.edges, 2.0), semiring)
    assert found[-1] == 8.0 * width
    # Two products for the tails, and sums of pairs.
    assert len(semiring.calls) == 2 + math.ceil(math.log2(width))
    chain = Hypergraph.from_edges([(0, [])] + [(n, [n - 1]) for n in range(1, 50)])
    semiring = Vectors()
    assert inside(chain, np.full(50, 0.5), semiring)[-1] == 0.5**50
    assert set(semiring.calls) == {1}
    assert LevelSchedule(chain).rounds == 50


def test_runs_are_summed():
    values = np.arange(10.0)
    starts = np.array([0, 1, 4, 9])
    expected = [0.0, 6.0, 30.0, 9.0]
    assert reduce_rows(Vectors(), values, starts).tolist() == expected
    by_ufunc = type("ByUfunc", (Vectors,), {"plus": np.add})()
    assert reduce_rows(by_ufunc, values, starts).tolist() == expected
    wrong = type("Wrong", (Vectors,), {"plus_reduce": lambda self, values, starts: values})()
    with pytest.raises(DataError, match="must give 4 rows; found 10"):
        reduce_rows(wrong, values, starts)
