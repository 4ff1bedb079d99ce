"""One law at a time: evaluate both sides, compare, and say what is wrong."""

from __future__ import annotations

import copy
import itertools
import math
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from plait.errors import ConfigError
from plait.testing.tolerances import Exact, Linear, Tolerance, same_value, tolerance_of

__all__ = ["UNDEFINED", "Judge", "LawError", "combinations", "is_hashable", "judge_of"]

# What an operation raises where it has no value: DataError and ConfigError of plait are ValueErrors.
UNDEFINED = (ValueError, ArithmeticError)


class LawError(AssertionError):
    """A law does not hold.

    Attributes
    ----------
    law
        Its name.
    values
        What it was tested on, by name.
    left, right
        The two sides.
    """

    def __init__(self, subject: object, law: str, values: dict[str, Any], left: Any, right: Any) -> None:
        lines = [f"{subject!r} breaks the law {law}"]
        lines += [f"  {name} = {value!r}" for name, value in values.items()]
        lines += [f"  left side:  {left!r}", f"  right side: {right!r}"]
        super().__init__("\n".join(lines))
        self.law = law
        self.values = values
        self.left = left
        self.right = right


@dataclass
class Judge:
    """Compares sides, and counts how often each law was tested.

    Attributes
    ----------
    subject
        What has the laws, for messages.
    tolerance
        What rounding may do.
    equal
        What counts as equal where nothing rounds; None for ``==``, part by part.
    counts
        How often each law was tested.
    """

    subject: object
    tolerance: Tolerance
    equal: Callable[[Any, Any], bool] | None = None
    counts: Counter[str] = field(default_factory=Counter)

    def exactly(self, law: str, values: dict[str, Any], left: Any, right: Any) -> None:
        """Compare two values, without any tolerance.

        Raises
        ------
        LawError
            They differ.
        """
        self.counts[law] += 1
        if not (self.equal or same_value)(left, right):
            raise LawError(self.subject, law, values, left, right)

    def nearly(
        self, law: str, values: dict[str, Any], left: Callable[..., Any], right: Callable[..., Any], *, of: str
    ) -> None:
        """Compare two expressions of the values with the names ``of``, up to rounding; not where one has no value.

        Raises
        ------
        LawError
            They differ, or an operation changed its arguments.
        """
        inputs = tuple(values[name] for name in of)
        # What has a hash does not change.
        kept = inputs if is_hashable(inputs) else copy.deepcopy(inputs)
        try:
            sides = sizes = left(*inputs), right(*inputs)
            if not isinstance(self.tolerance, Exact):
                magnitudes = tuple(self.tolerance.magnitude(value) for value in inputs)
                sizes = left(*magnitudes), right(*magnitudes)
        except UNDEFINED:
            return
        self.counts[law] += 1
        if kept is not inputs and not same_value(kept, inputs):
            raise LawError(self.subject, "operations leave their arguments alone", values, kept, inputs)
        if self.equal is not None and self.equal(*sides):
            return
        if not self.tolerance.same(*sides, sizes, inputs):
            raise LawError(self.subject, law, values, *sides)

    def truly(self, law: str, values: dict[str, Any], holds: bool, left: Any, right: Any) -> None:
        """Note that a condition on two values was tested.

        Raises
        ------
        LawError
            It does not hold.
        """
        self.counts[law] += 1
        if not holds:
            raise LawError(self.subject, law, values, left, right)


def judge_of(
    subject: object,
    semiring: Any,
    tolerance: float | Tolerance | None,
    equal: Callable[[Any, Any], bool] | None = None,
) -> Judge:
    """Return a judge for a subject whose arithmetic is that of a semiring.

    Raises
    ------
    ConfigError
        The tolerance is none.
    """
    if tolerance is None:
        tolerance = tolerance_of(semiring)
    elif not isinstance(tolerance, Tolerance):
        if not (math.isfinite(tolerance) and tolerance >= 0):
            expected = "a Tolerance, or a number of at least 0"
            raise ConfigError(name="tolerance", expected=expected, found=repr(tolerance))
        tolerance = Linear(roundings=1, unit=tolerance) if tolerance else Exact()
    return Judge(subject, tolerance, equal)


def is_hashable(value: Any) -> bool:
    """Return whether a value, and all that is in it, has a hash."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


def combinations(values: Sequence[Any], count: int, most: int) -> Iterator[tuple[Any, ...]]:
    """Yield all combinations of so many values, or a fixed choice of them where there are more than asked for."""
    total = len(values) ** count
    if total <= most:
        yield from itertools.product(values, repeat=count)
        return
    generator = random.Random(0)
    for number in generator.sample(range(total), most):
        places, rest = [], number
        for _ in range(count):
            rest, place = divmod(rest, len(values))
            places.append(values[place])
        yield tuple(places)
