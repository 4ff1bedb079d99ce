"""What the steps of ``plait phrases`` that sort have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from plait.cli.groups import option, together
from plait.phrases.temporary import DEFAULT_MEMORY

F = TypeVar("F", bound=Callable[..., Any])


def sorting(output: str, run: str) -> Callable[[F], F]:
    """Declare ``force`` under one heading; ``memory``, ``temp``, ``threads`` and ``progress`` under another."""
    return together(
        option(output, "--force", is_flag=True, help="Replace files that exist."),
        option(
            run,
            "--memory",
            metavar="MIB",
            type=click.IntRange(1, 2048),
            default=DEFAULT_MEMORY,
            help="Mebibytes of lines that are sorted in memory; more go to the disk. Twice that may be in use.",
        ),
        option(run, "--temp", metavar="FOLDER", help="Where temporary files go; beside the output by default."),
        option(
            run,
            "--threads",
            metavar="N",
            type=click.IntRange(min=1),
            help="Threads; all that may be used by default. The result does not depend on it.",
        ),
        option(
            run,
            "--progress",
            type=click.Choice(["auto", "none", "json"]),
            default="auto",
            help="A bar when standard error is a terminal (auto), nothing, or JSON Lines.",
        ),
    )
