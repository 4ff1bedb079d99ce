"""The laws of a semiring, tested on values.

Checked are the two monoids, annihilation and distributivity; and as far as the semiring has or declares them,
commutativity, idempotence, selection, closures, division, ``check`` and equality of values. Identities, annihilation
and what selects are compared without any tolerance: they are exact in floating point too, where zero is a true zero.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from plait.errors import ConfigError
from plait.semiring import Semiring, declares, has_star
from plait.testing.laws import UNDEFINED, Judge, combinations, is_hashable, judge_of
from plait.testing.tolerances import Exact, Tolerance, same_value

__all__ = ["check", "check_homomorphism", "search"]


def check(
    semiring: Semiring[Any],
    values: Iterable[Any],
    *,
    tolerance: float | Tolerance | None = None,
    equal: Callable[[Any, Any], bool] | None = None,
    most: int = 2000,
) -> dict[str, int]:
    """Test the laws of a semiring on all combinations of some values, and of its zero and one.

    Parameters
    ----------
    semiring
        Any object with ``zero``, ``one``, ``plus`` and ``times``; see `plait.semiring.Semiring` for what else it may
        have. What it declares is tested, what it does not is not.
    values
        Values of the semiring. Good ones are at the ends of its range, equal, opposite, and far apart.
    tolerance
        What rounding may do to associativity, distributivity and the like: a `Tolerance`, or the relative error of
        one side of a law for values that are real numbers. By default that of the arithmetic for semirings of plait,
        and none for others.
    equal
        What counts as equal; by default ``==``, with arrays, tuples and dictionaries compared part by part.
    most
        How many triples of values are tested at most, a fixed choice of all.

    Returns
    -------
    dict
        How often each law was tested; closures that diverge are left out.

    Raises
    ------
    LawError
        A law is broken; the message has the law, the values and both sides.

    Examples
    --------
    A zero that is only a large negative number is none:

    >>> from plait.semiring.log import log_add
    >>> class Careless:
    ...     zero, one = -1e9, 0.0
    ...     plus = staticmethod(log_add)
    ...     def times(self, a, b):
    ...         return a + b
    ...     def __repr__(self):
    ...         return "Careless()"
    >>> check(Careless(), [-1.5])
    Traceback (most recent call last):
        ...
    plait.testing.laws.LawError: Careless() breaks the law 0 + 0 = 0
      left side:  -999999999.3068528
      right side: -1000000000.0
    """
    judge = judge_of(semiring, semiring, tolerance, equal)
    samples = [semiring.zero, semiring.one, *values]
    _constants(semiring, judge)
    for (a,) in combinations(samples, 1, most):
        _alone(semiring, judge, a)
    for a, b in combinations(samples, 2, most):
        _pair(semiring, judge, a, b)
    for a, b, c in combinations(samples, 3, most):
        _triple(semiring, judge, a, b, c)
    return dict(judge.counts)


def search(
    semiring: Semiring[Any],
    strategy: Any,
    *,
    tolerance: float | Tolerance | None = None,
    equal: Callable[[Any, Any], bool] | None = None,
    max_examples: int = 100,
) -> None:
    """Let hypothesis look for values that break a law, and make them small.

    Parameters
    ----------
    semiring, tolerance, equal
        As for `check`.
    strategy
        A hypothesis strategy for values.
    max_examples
        How many triples of values are tried.

    Raises
    ------
    LawError
        A law is broken.
    ConfigError
        Hypothesis is not installed.

    Examples
    --------
    >>> from hypothesis import strategies as st
    >>> from plait.semiring import Tropical
    >>> search(Tropical(), st.floats(0, 1e6), max_examples=20)
    """
    try:
        import hypothesis
    except ImportError:
        raise ConfigError("search needs hypothesis: install it with pip install hypothesis, or use check") from None

    judge = judge_of(semiring, semiring, tolerance, equal)
    _constants(semiring, judge)

    # One error at a time: several are an exception group, and no LawError.
    @hypothesis.settings(max_examples=max_examples, deadline=None, database=None, report_multiple_bugs=False)
    @hypothesis.given(strategy, strategy, strategy)
    def test(a: Any, b: Any, c: Any) -> None:
        _alone(semiring, judge, a)
        _pair(semiring, judge, a, b)
        _triple(semiring, judge, a, b, c)

    test()


def check_homomorphism(
    function: Callable[[Any], Any],
    source: Semiring[Any],
    target: Semiring[Any],
    values: Sequence[Any],
    *,
    tolerance: float | Tolerance | None = None,
) -> dict[str, int]:
    """Test that a function from one semiring to another keeps zero, one, sums and products.

    Parameters
    ----------
    function
        From values of ``source`` to values of ``target``.
    source, target
        The semirings.
    values
        Values of ``source``.
    tolerance
        As for `check`, of ``target``.

    Returns
    -------
    dict
        How often each law was tested.

    Raises
    ------
    LawError
        A law is broken.

    Examples
    --------
    >>> from plait.semiring import Boolean, Counting
    >>> check_homomorphism(bool, Counting(), Boolean(), [0, 1, 2])["f(a b) = f(a) f(b)"]
    9
    """
    judge = judge_of(target, target, tolerance)
    judge.exactly("f(0) = 0", {}, function(source.zero), target.zero)
    judge.exactly("f(1) = 1", {}, function(source.one), target.one)
    for a, b in combinations(values, 2, len(values) ** 2):
        images = function(a), function(b)
        named = {"a": a, "b": b, "f(a)": images[0], "f(b)": images[1]}
        for law, joined, operation in (
            ("f(a + b) = f(a) + f(b)", source.plus(a, b), target.plus),
            ("f(a b) = f(a) f(b)", source.times(a, b), target.times),
        ):
            found, expected = function(joined), operation(*images)
            size = operation(*(judge.tolerance.magnitude(image) for image in images))
            judge.truly(law, named, judge.tolerance.same(found, expected, (size, size), images), found, expected)
    return dict(judge.counts)


def _constants(k: Any, judge: Judge) -> None:
    """Test zero and one."""
    zero, one = k.zero, k.one
    judge.exactly("0 + 0 = 0", {}, k.plus(zero, zero), zero)
    judge.exactly("1 1 = 1", {}, k.times(one, one), one)
    differ = not (judge.equal or same_value)(zero, one)
    judge.truly("0 is not 1", {}, differ, zero, one)
    if has_star(k):
        judge.exactly("0* = 1", {"0": zero}, _star_of_zero(k), one)
    if hasattr(k, "divide"):
        judge.truly("1 / 0 is an error", {}, *_refuses(k, one, zero))


def _star_of_zero(k: Any) -> Any:
    try:
        return k.star(k.zero)
    except UNDEFINED as problem:
        return problem


def _refuses(k: Any, a: Any, b: Any) -> tuple[bool, Any, str]:
    try:
        return False, k.divide(a, b), "an error"
    except UNDEFINED as problem:
        return True, problem, "an error"


def _alone(k: Any, judge: Judge, a: Any) -> None:
    """Test what has one value in it."""
    named, zero, one = {"a": a}, k.zero, k.one
    kept = copy.deepcopy((a, zero, one))
    judge.exactly("a = a", named, a, kept[0])
    judge.exactly("a + 0 = a", named, k.plus(a, zero), kept[0])
    judge.exactly("0 + a = a", named, k.plus(zero, a), kept[0])
    after = (a, zero, one)
    judge.truly("operations leave their arguments alone", named, same_value(after, kept), after, kept)
    judge.exactly("a 1 = a", named, k.times(a, one), a)
    judge.exactly("1 a = a", named, k.times(one, a), a)
    judge.exactly("a 0 = 0", named, k.times(a, zero), zero)
    judge.exactly("0 a = 0", named, k.times(zero, a), zero)
    if declares(k, "is_idempotent"):
        judge.exactly("a + a = a", named, k.plus(a, a), a)
    if hasattr(k, "check"):
        judge.exactly("check(a) = a", named, k.check(a), a)
    if has_star(k):
        _closure(k, judge, a)


def _closure(k: Any, judge: Judge, a: Any) -> None:
    named, one = {"a": a}, k.one
    if declares(k, "is_closed"):
        judge.truly("a* is defined", named, *_has_closure(k, a))
    judge.nearly("a* = 1 + a a*", named, k.star, lambda x: k.plus(one, k.times(x, k.star(x))), of="a")
    judge.nearly("a* = 1 + a* a", named, k.star, lambda x: k.plus(one, k.times(k.star(x), x)), of="a")


def _has_closure(k: Any, a: Any) -> tuple[bool, Any, str]:
    try:
        return True, k.star(a), "a value"
    except UNDEFINED as problem:
        return False, problem, "a value"


def _pair(k: Any, judge: Judge, a: Any, b: Any) -> None:
    """Test what has two values in it."""
    named = {"a": a, "b": b}
    judge.nearly("a + b = b + a", named, k.plus, lambda x, y: k.plus(y, x), of="ab")
    if declares(k, "is_commutative"):
        judge.nearly("a b = b a", named, k.times, lambda x, y: k.times(y, x), of="ab")
    if declares(k, "is_path"):
        total, same = k.plus(a, b), judge.equal or same_value
        judge.truly("a + b is a or b", named, same(total, a) or same(total, b), total, (a, b))
    if hasattr(k, "divide") and not (judge.equal or same_value)(b, k.zero):
        judge.nearly("(a b) / b = a", named, lambda x, y: k.divide(k.times(x, y), y), lambda x, _: x, of="ab")
    if has_star(k) and isinstance(judge.tolerance, Exact):
        _closures(k, judge, named)
    _equality(judge, named)


def _closures(k: Any, judge: Judge, named: dict[str, Any]) -> None:
    """Test what follows for closures; ill-conditioned where they nearly diverge, so only without rounding."""

    def both(a: Any, b: Any) -> Any:
        star = k.star(a)
        return k.times(k.star(k.times(star, b)), star)

    def around(a: Any, b: Any) -> Any:
        return k.plus(k.one, k.times(k.times(a, k.star(k.times(b, a))), b))

    judge.nearly("(a + b)* = (a* b)* a*", named, lambda a, b: k.star(k.plus(a, b)), both, of="ab")
    judge.nearly("(a b)* = 1 + a (b a)* b", named, lambda a, b: k.star(k.times(a, b)), around, of="ab")


def _equality(judge: Judge, named: dict[str, Any]) -> None:
    """Test that equality is one, and that hashes agree with it."""
    a, b = named.values()
    forth, back = _equal(a, b), _equal(b, a)
    judge.truly("a == b is b == a", named, forth == back, forth, back)
    if forth and is_hashable(a) and is_hashable(b):
        judge.truly("equal values have equal hashes", named, hash(a) == hash(b), hash(a), hash(b))


def _equal(a: Any, b: Any) -> bool:
    """Return whether values are equal, as they see it themselves; arrays see it by component."""
    try:
        return bool(a == b)
    except ValueError:
        return same_value(a, b)


def _triple(k: Any, judge: Judge, a: Any, b: Any, c: Any) -> None:
    """Test what has three values in it."""
    named, plus, times = {"a": a, "b": b, "c": c}, k.plus, k.times
    laws = (
        ("(a + b) + c = a + (b + c)", lambda x, y, z: plus(plus(x, y), z), lambda x, y, z: plus(x, plus(y, z))),
        ("(a b) c = a (b c)", lambda x, y, z: times(times(x, y), z), lambda x, y, z: times(x, times(y, z))),
        (
            "a (b + c) = a b + a c",
            lambda x, y, z: times(x, plus(y, z)),
            lambda x, y, z: plus(times(x, y), times(x, z)),
        ),
        (
            "(a + b) c = a c + b c",
            lambda x, y, z: times(plus(x, y), z),
            lambda x, y, z: plus(times(x, z), times(y, z)),
        ),
    )
    for law, left, right in laws:
        judge.nearly(law, named, left, right, of="abc")
    chain, whole = (_equal(a, b), _equal(b, c)), _equal(a, c)
    judge.truly("a == b and b == c make a == c", named, whole or not all(chain), chain, whole)
