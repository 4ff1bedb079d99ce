"""Options and steps that the subcommands of ``plait crf`` share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

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
