"""The laws of modules and bilinear maps, tested on scalars and elements."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from plait.semiring import Bilinear, Module
from plait.testing.laws import Judge, combinations, judge_of
from plait.testing.tolerances import Tolerance

__all__ = ["check_bilinear", "check_module"]


def check_module(
    module: Module,
    scalars: Iterable[Any],
    elements: Iterable[Any],
    *,
    tolerance: float | Tolerance | None = None,
    most: int = 2000,
) -> dict[str, int]:
    """Test the laws of a module on all combinations of some scalars and elements.

    Parameters
    ----------
    module
        See `plait.semiring.Module`.
    scalars, elements
        Values of its semiring, and elements; zeros and the one are added.
    tolerance
        As for `check_semiring`.
    most
        How many combinations are tested at most for each law.

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
    >>> from plait.semiring import Real, Sparse
    >>> counts = check_module(Sparse(Real()), [0.5, 2.0], [{"the": 1.0}, {"the": -1.0, "cat": 2.0}])
    >>> counts["p (r + s) = p r + p s"]
    36
    """
    m, k = module, module.scalars
    judge = judge_of(module, k, tolerance)
    scalars = [k.zero, k.one, *scalars]
    elements = [m.zero, *elements]
    for (r,) in combinations(elements, 1, most):
        named = {"r": r}
        judge.exactly("r + 0 = r", named, m.plus(r, m.zero), r)
        judge.exactly("1 r = r", named, m.scale(k.one, r), r)
        judge.exactly("r 1 = r", named, m.scale_right(r, k.one), r)
        judge.exactly("0 r = 0", named, m.scale(k.zero, r), m.zero)
        judge.exactly("r 0 = 0", named, m.scale_right(r, k.zero), m.zero)
    for (p,) in combinations(scalars, 1, most):
        judge.exactly("p 0 = 0", {"p": p}, m.scale(p, m.zero), m.zero)
        judge.exactly("0 p = 0", {"p": p}, m.scale_right(m.zero, p), m.zero)
    for r, s, t in combinations(elements, 3, most):
        named = {"r": r, "s": s, "t": t}
        judge.nearly("r + s = s + r", named, m.plus, lambda x, y: m.plus(y, x), of="rs")
        judge.nearly(
            "(r + s) + t = r + (s + t)",
            named,
            lambda x, y, z: m.plus(m.plus(x, y), z),
            lambda x, y, z: m.plus(x, m.plus(y, z)),
            of="rst",
        )
    _actions(module, judge, scalars, elements, most)
    return dict(judge.counts)


def _actions(m: Module, judge: Judge, scalars: list[Any], elements: list[Any], most: int) -> None:
    """Test products with scalars, from both sides."""
    k = m.scalars
    laws: list[tuple[str, str, Callable[..., Any], Callable[..., Any]]] = [
        (
            "p (r + s) = p r + p s",
            "prs",
            lambda p, r, s: m.scale(p, m.plus(r, s)),
            lambda p, r, s: m.plus(m.scale(p, r), m.scale(p, s)),
        ),
        (
            "(r + s) p = r p + s p",
            "prs",
            lambda p, r, s: m.scale_right(m.plus(r, s), p),
            lambda p, r, s: m.plus(m.scale_right(r, p), m.scale_right(s, p)),
        ),
        (
            "(p + q) r = p r + q r",
            "pqr",
            lambda p, q, r: m.scale(k.plus(p, q), r),
            lambda p, q, r: m.plus(m.scale(p, r), m.scale(q, r)),
        ),
        (
            "r (p + q) = r p + r q",
            "pqr",
            lambda p, q, r: m.scale_right(r, k.plus(p, q)),
            lambda p, q, r: m.plus(m.scale_right(r, p), m.scale_right(r, q)),
        ),
        (
            "(p q) r = p (q r)",
            "pqr",
            lambda p, q, r: m.scale(k.times(p, q), r),
            lambda p, q, r: m.scale(p, m.scale(q, r)),
        ),
        (
            "r (p q) = (r p) q",
            "pqr",
            lambda p, q, r: m.scale_right(r, k.times(p, q)),
            lambda p, q, r: m.scale_right(m.scale_right(r, p), q),
        ),
        (
            "(p r) q = p (r q)",
            "pqr",
            lambda p, q, r: m.scale_right(m.scale(p, r), q),
            lambda p, q, r: m.scale(p, m.scale_right(r, q)),
        ),
    ]
    for p, q in combinations(scalars, 2, most):
        for r, s in combinations(elements, 2, max(1, most // len(scalars) ** 2)):
            named = {"p": p, "q": q, "r": r, "s": s}
            for law, of, left, right in laws:
                # The second of two that a law has not is not gone through.
                if ("q" in of or q is scalars[0]) and ("s" in of or s is elements[0]):
                    judge.nearly(law, named, left, right, of=of)


def check_bilinear(
    map: Bilinear,
    scalars: Iterable[Any],
    left: Iterable[Any],
    right: Iterable[Any],
    *,
    tolerance: float | Tolerance | None = None,
    most: int = 2000,
) -> dict[str, int]:
    """Test that a map is linear in each of its two arguments.

    Parameters
    ----------
    map
        See `plait.semiring.Bilinear`.
    scalars, left, right
        Values of its semiring, and elements of its modules; zeros and the one are added.
    tolerance
        As for `check_semiring`.
    most
        How many combinations are tested at most for each law.

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
    >>> from plait.semiring import Outer, Real, Sparse
    >>> outer = Outer(Sparse(Real()), Sparse(Real()))
    >>> check_bilinear(outer, [0.5], [{"a": 1.0}], [{"b": 2.0}])["(r + x) s = r s + x s"]
    8
    """
    one, two, product, multiply = map.left, map.right, map.product, map.multiply
    k = one.scalars
    judge = judge_of(map, k, tolerance)
    firsts, seconds = [one.zero, *left], [two.zero, *right]
    for r in firsts:
        judge.exactly("r 0 = 0", {"r": r}, multiply(r, two.zero), product.zero)
    for s in seconds:
        judge.exactly("0 s = 0", {"s": s}, multiply(one.zero, s), product.zero)
    scaled = [k.zero, k.one, *scalars]
    for r, x in combinations(firsts, 2, most):
        for s, y in combinations(seconds, 2, max(1, most // len(firsts) ** 2)):
            for p in scaled:
                named = {"p": p, "r": r, "x": x, "s": s, "y": y}
                for law, of, left_side, right_side in _bilinear_laws(map):
                    # What a law does not have in it is not gone through.
                    first = {"p": scaled[0], "x": firsts[0], "y": seconds[0]}
                    if all(name in of or named[name] is start for name, start in first.items()):
                        judge.nearly(law, named, left_side, right_side, of=of)
    return dict(judge.counts)


def _bilinear_laws(map: Bilinear) -> list[tuple[str, str, Callable[..., Any], Callable[..., Any]]]:
    one, two, product, multiply = map.left, map.right, map.product, map.multiply
    return [
        (
            "(r + x) s = r s + x s",
            "rxs",
            lambda r, x, s: multiply(one.plus(r, x), s),
            lambda r, x, s: product.plus(multiply(r, s), multiply(x, s)),
        ),
        (
            "r (s + y) = r s + r y",
            "rsy",
            lambda r, s, y: multiply(r, two.plus(s, y)),
            lambda r, s, y: product.plus(multiply(r, s), multiply(r, y)),
        ),
        (
            "(p r) s = p (r s)",
            "prs",
            lambda p, r, s: multiply(one.scale(p, r), s),
            lambda p, r, s: product.scale(p, multiply(r, s)),
        ),
        (
            "r (p s) = p (r s)",
            "prs",
            lambda p, r, s: multiply(r, two.scale(p, s)),
            lambda p, r, s: product.scale(p, multiply(r, s)),
        ),
    ]
