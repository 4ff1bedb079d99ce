"""Upper envelopes of lines: the best derivations for all weights along a line."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

from plait.semiring.values import diverges, refuse

__all__ = ["Hull", "Line"]


class Line(NamedTuple):
    """A straight line, ``slope * x + intercept``."""

    slope: Any
    intercept: Any


Envelope = tuple[Line, ...]


@dataclass(frozen=True)
class Hull:
    """Upper envelopes of lines: convex functions ``max(m * x + b)``, as the lines that are on top somewhere.

    A value is a tuple of lines by rising slope, each the only maximum on some open interval. ``plus`` is the maximum
    of two functions, ``times`` their sum. With a line for each edge, whose slope is the score of the edge under a
    direction and whose intercept is that under some weights, the total is the score of the best derivation for every
    point ``weights + x * direction``: what minimum error rate training needs (Dyer 2013; Macherey et al. 2008). A line
    as the point (slope, intercept) makes ``plus`` the upper convex hull of the union and ``times`` the Minkowski sum.

    Numbers are floats, or of any exact type such as fractions. Which lines are kept is decided in fractions, so that
    ``plus`` is exact; ``times`` rounds as the numbers do.

    Examples
    --------
    >>> semiring = Hull()
    >>> flat, steep = semiring.value([(0.0, 1.0)]), semiring.value([(2.0, 0.0), (1.0, 0.0)])
    >>> semiring.plus(flat, steep)
    (Line(slope=0.0, intercept=1.0), Line(slope=2.0, intercept=0.0))
    >>> semiring.times(flat, flat)
    (Line(slope=0.0, intercept=2.0),)
    """

    dtype: ClassVar[None] = None
    zero: ClassVar[Envelope] = ()
    one: ClassVar[Envelope] = (Line(0, 0),)
    is_commutative: ClassVar[bool] = True
    is_idempotent: ClassVar[bool] = True
    is_path: ClassVar[bool] = False
    is_closed: ClassVar[bool] = False

    def value(self, lines: Iterable[tuple[Any, Any]]) -> Envelope:
        """Return the envelope of lines in any order; O(n log n)."""
        envelope: list[Line] = []
        for line in sorted((Line(*line) for line in lines), key=lambda line: (line.slope, -line.intercept)):
            if envelope and envelope[-1].slope == line.slope:
                continue
            while len(envelope) > 1 and not _is_needed(envelope[-2], envelope[-1], line):
                envelope.pop()
            envelope.append(line)
        return tuple(envelope)

    def plus(self, a: Envelope, b: Envelope) -> Envelope:
        """Return the maximum of two functions."""
        return self.value((*a, *b))

    def times(self, a: Envelope, b: Envelope) -> Envelope:
        """Return the sum of two functions."""
        return self.value((p.slope + q.slope, p.intercept + q.intercept) for p in a for q in b)

    def star(self, a: Envelope) -> Envelope:
        """Return one, for functions that are nowhere above 0.

        Raises
        ------
        DataError
            It is above 0 somewhere, and powers rise without end there.
        """
        if any(line.slope != 0 or line.intercept > 0 for line in a):
            raise diverges(self, a, "functions that are nowhere above 0")
        return self.one

    def check(self, value: Any) -> Envelope:
        """Return the envelope of lines, given as pairs.

        Raises
        ------
        DataError
            It is no sequence of pairs of finite numbers.
        """
        if not isinstance(value, tuple | list) or not all(_is_line(line) for line in value):
            refuse(self, "a tuple of pairs (slope, intercept) of finite numbers", value)
        return self.value(value)


def _is_line(line: Any) -> bool:
    is_pair = isinstance(line, tuple | list) and len(line) == 2
    return is_pair and all(isinstance(x, numbers.Real) and math.isfinite(x) for x in line)


def _is_needed(a: Line, b: Line, c: Line) -> bool:
    """Return whether the middle one of three lines, by rising slope, is above the others somewhere."""
    (m1, b1), (m2, b2), (m3, b3) = ((Fraction(line.slope), Fraction(line.intercept)) for line in (a, b, c))
    return (b2 - b1) * (m3 - m1) > (b3 - b1) * (m2 - m1)
