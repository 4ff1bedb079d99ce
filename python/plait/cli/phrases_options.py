"""What the steps of ``plait phrases`` that sort have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from plait.cli.groups import option, together
from plait.cli.run_options import progress_option, threads_option
from plait.phrases.options import SCALES, SMOOTHINGS
from plait.phrases.temporary import DEFAULT_MEMORY

BIN_HELP = (
    "Upper bounds of ranges of the count, rising, with commas: 1,2,3,6,10. A score for each range and one for what is "
    "above, 2.718 where the count is, else 1."
)

F = TypeVar("F", bound=Callable[..., Any])


def sorting(output: str, run: str) -> Callable[[F], F]:
    """Declare ``force`` under one heading; ``memory``, ``temp``, ``threads`` and ``progress`` under another."""
    return together(
        option(
            run,
            "--memory",
            metavar="MIB",
            type=click.IntRange(1, 2048),
            default=DEFAULT_MEMORY,
            help="Mebibytes of lines that are sorted in memory; more go to the disk. Twice that may be in use.",
        ),
        option(run, "--temp", metavar="FOLDER", help="Where temporary files go; beside the output by default."),
        running(output, run),
    )


def running(output: str, run: str) -> Callable[[F], F]:
    """Declare ``force`` under one heading; ``threads`` and ``progress`` under another."""
    return together(
        option(output, "--force", is_flag=True, help="Replace files that exist."),
        threads_option(run, independent="The result does"),
        progress_option(run),
    )


def bounds(context: click.Context, parameter: click.Parameter, value: str | None) -> tuple[int, ...]:
    """Return whole numbers that have commas in between."""
    parts = [] if value is None else value.split(",")
    if not all(part.strip().isdigit() for part in parts):
        raise click.BadParameter(f"{value!r} is not whole numbers with commas in between, such as 1,2,3,6,10")
    return tuple(int(part) for part in parts)


def whole_table(scores: str, output: str) -> Callable[[F], F]:
    """Declare what is said of whole tables: further scores under one heading; scale and pruning under another."""
    return together(
        option(scores, "--smoothing", type=click.Choice(SMOOTHINGS), default="none", help="Of relative frequencies."),
        option(scores, "--only-direct", is_flag=True, help="Write only p(target | source) and its lexical weight."),
        option(scores, "--phrase-count", is_flag=True, help="Add the constant 2.718."),
        option(scores, "--low-count", is_flag=True, help="Add exp(-1 / count)."),
        option(scores, "--count-bins", metavar="BOUNDS", callback=bounds, help=BIN_HELP),
        option(
            scores,
            "--sparse-count-bins",
            is_flag=True,
            help="Write the range of the count as a sparse feature instead.",
        ),
        option(
            output,
            "--scale",
            type=click.Choice(SCALES),
            default="plain",
            help="Scores as they are, as natural logarithms, or as their negations.",
        ),
        option(
            output,
            "--min-count",
            metavar="N",
            type=click.FloatRange(min=0),
            default=0.0,
            help="Leave out phrase pairs that count less; probabilities stay as they are.",
        ),
        option(
            output,
            "--min-inverse",
            metavar="P",
            type=click.FloatRange(0, 1),
            default=0.0,
            help="Leave out phrase pairs with a lower p(source | target).",
        ),
        option(
            output,
            "--min-direct",
            metavar="P",
            type=click.FloatRange(0, 1),
            default=0.0,
            help="Leave out phrase pairs with a lower p(target | source).",
        ),
    )
