"""Options that verbs have in common, whatever they do: on how many threads, with which signs of life, in which form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from plait.cli.groups import option

F = TypeVar("F", bound=Callable[..., Any])


def threads_option(group: str = "Run", *, independent: str = "", each: str = "") -> Callable[[F], F]:
    """Declare the number of threads.

    Parameters
    ----------
    group
        The heading it stands under.
    independent
        What does not depend on it, with its verb: ``The links do``.
    each
        What one thread does, if there can be no more than that many.
    """
    said = f"Threads, one for {each}" if each else "Threads"
    rest = f" {independent} not depend on it." if independent else ""
    return option(
        group,
        "--threads",
        metavar="N",
        type=click.IntRange(min=1),
        help=f"{said}; all that may be used by default.{rest}",
    )


def progress_option(group: str = "Run") -> Callable[[F], F]:
    """Declare how progress is shown: a name that `plait.progress.reporter` takes."""
    return option(
        group,
        "--progress",
        metavar="HOW",
        type=click.Choice(["auto", "bar", "json", "none"]),
        default="auto",
        help="On standard error: bar, json (an object a line), none, or auto: a bar on a terminal. "
        "All but none end with a line that sums up.",
    )


def json_option(group: str = "Output") -> Callable[[F], F]:
    """Declare output as JSON: ``as_json``."""
    return option(group, "--json", "as_json", is_flag=True, help="Figures as one JSON object.")
