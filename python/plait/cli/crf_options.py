"""Options and steps that the subcommands of ``plait crf`` share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from plait.cli.groups import option

F = TypeVar("F", bound=Callable[..., Any])

INPUT, MODEL, OUTPUT, RUN = "Input", "Model", "Output", "Run"


def model_option() -> Callable[[F], F]:
    """Declare the model to use."""
    return option(
        MODEL,
        "-m",
        "--model",
        metavar="FILE",
        required=True,
        help="A model of `plait crf train`, of CRFsuite or of CRF++.",
    )


def threads_option() -> Callable[[F], F]:
    """Declare the number of threads."""
    return option(
        RUN,
        "--threads",
        metavar="N",
        type=click.IntRange(min=1),
        help="Threads; all that may be used by default. Results do not depend on it.",
    )


def json_option() -> Callable[[F], F]:
    """Declare output as JSON."""
    return option(OUTPUT, "--json", "as_json", is_flag=True, help="Figures as one JSON object.")
