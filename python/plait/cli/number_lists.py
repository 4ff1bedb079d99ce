"""Options whose value is a list of numbers with commas between them."""

from __future__ import annotations

from collections.abc import Callable

import click

__all__ = ["NUMBERS", "WHOLE_NUMBERS"]


class NumberList(click.ParamType):
    """Numbers with commas between them; the word ``none`` is the empty list."""

    def __init__(self, name: str, number: Callable[[str], int | float]) -> None:
        self.name = name
        self.number = number

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int | float, ...]:
        """Return the numbers."""
        if isinstance(value, tuple):
            return value
        if str(value).strip() == "none":
            return ()
        try:
            return tuple(self.number(part) for part in str(value).split(","))
        except ValueError:
            self.fail(f"{value!r} is no list of {self.name} like 7,5,4, nor 'none'.", param, ctx)


WHOLE_NUMBERS = NumberList("whole numbers", int)
NUMBERS = NumberList("numbers", float)
