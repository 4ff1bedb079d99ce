"""What the verbs that write links have in common: where the links go, in which form, and on how many threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from plait.cli.groups import option, together
from plait.cli.run_options import threads_option

F = TypeVar("F", bound=Callable[..., Any])


def links_out(output: str, run: str, *, force: str) -> Callable[[F], F]:
    """Declare ``out``, ``format_``, ``probabilities`` and ``force`` under one heading, ``threads`` under another."""
    return together(
        option(
            output,
            "-o",
            "--out",
            metavar="FILE",
            type=str,
            required=True,
            help="Links, a line for each sentence pair; '-' for standard output; .gz .bz2 .xz .zst compress.",
        ),
        option(
            output,
            "--format",
            "format_",
            type=click.Choice(["pharaoh", "jsonl"]),
            default="pharaoh",
            help="pharaoh: i-j; jsonl: JSON objects with links and, if present, probabilities.",
        ),
        option(
            output, "--probabilities", is_flag=True, help="Pharaoh links with their probabilities, i-j:p, if present."
        ),
        option(output, "--force", is_flag=True, help=force),
        threads_option(run, independent="The links do"),
    )
