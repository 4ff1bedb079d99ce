"""Options and steps that the subcommands of ``plait translit`` share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from plait.cli.groups import option
from plait.translit.files import FORMATS, Entry, read_entries

F = TypeVar("F", bound=Callable[..., Any])

INPUT, MODEL, OUTPUT, RUN = "Input", "Model", "Output", "Run"


def format_options() -> Callable[[F], F]:
    """Declare how files of word pairs are read."""

    def declare(function: F) -> F:
        for made in (
            option(
                INPUT,
                "--normalize",
                type=click.Choice(["NFC"]),
                help="Compose characters of all words; by default texts stay as they are.",
            ),
            option(
                INPUT,
                "--separator",
                metavar="BAR",
                default="|",
                help="What stands between several targets; '' when each line has one.",
            ),
            option(
                INPUT,
                "--format",
                "format_",
                type=click.Choice(FORMATS),
                default="auto",
                help="Of files of word pairs: lines with tabs, XML of NEWS, or by content.",
            ),
        ):
            function = made(function)
        return function

    return declare


def entries_of(path: str, options: dict[str, Any]) -> list[Entry]:
    """Read a file of word pairs as the options say; entries of the same source are one."""
    found = read_entries(
        path,
        format=options["format_"],
        separator=options["separator"] or None,
        normalize=options["normalize"],
    )
    targets: dict[str, dict[str, None]] = {}
    for entry in found:
        targets.setdefault(entry.source, {}).update(dict.fromkeys(entry.targets))
    return [Entry(source, tuple(own)) for source, own in targets.items()]


def model_option() -> Callable[[F], F]:
    """Declare the model to use."""
    return option(
        MODEL, "-m", "--model", metavar="FILE", required=True, help="A model of `plait translit train` or `tune`."
    )
