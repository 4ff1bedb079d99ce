"""Options whose value is a list of numbers with commas between them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import click

__all__ = ["numbers", "whole_numbers"]

N = TypeVar("N", int, float)


def numbers(text: str) -> tuple[float, ...]:
    """Return the numbers of ``3,0.5``; the word ``none`` is the empty list."""
    return _parts(text, float, "numbers, as in '8,2.5'")


def whole_numbers(text: str) -> tuple[int, ...]:
    """Return the numbers of ``7,5,4``; the word ``none`` is the empty list."""
    return _parts(text, int, "whole numbers, as in '7,5,4'")


def _parts(text: str, number: Callable[[str], N], expected: str) -> tuple[N, ...]:
    if text.strip() == "none":
        return ()
    try:
        return tuple(number(part) for part in text.split(","))
    except ValueError:
        raise click.BadParameter(f"{text!r} is no list of {expected}, nor 'none'") from None
