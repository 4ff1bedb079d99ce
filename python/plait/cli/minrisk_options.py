"""Options that the commands of ``plait minrisk`` share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from plait.cli.groups import F, option, together
from plait.cli.number_lists import numbers
from plait.cli.run_options import progress_option, threads_option
from plait.minrisk import LinearBleu

__all__ = ["forest_options", "gain_of", "gain_option", "ignored", "run_options"]

FORESTS, RUN = "Forests", "Run"
PRECISIONS = "0.85,0.7,10"


def forest_options() -> Callable[[F], F]:
    """Declare how forests are taken."""
    return together(
        option(
            FORESTS,
            "--keep-base",
            is_flag=True,
            help="Add the weights of edges that a file has, as the scores of n-best lists, to what features score.",
        ),
        option(
            FORESTS,
            "--ignore",
            metavar="WORDS",
            default="<s>,</s>",
            help="Words, with commas between, that are no part of translations; 'none' for none.",
        ),
        option(
            FORESTS,
            "--limit",
            metavar="EDGES",
            type=click.IntRange(min=1),
            default=10_000_000,
            help="The most edges that a forest may have once its n-grams are told apart.",
        ),
    )


def gain_option(group: str, more: str = "") -> Callable[[F], F]:
    """Declare the gain; ``more`` is said of it, too."""
    return together(
        option(
            group,
            "--precisions",
            metavar="P,R,T",
            default=PRECISIONS,
            help="Linear BLEU: the precision of words, its ratio for each further word of an n-gram, and a number of "
            f"words that scales all{more}.",
        ),
        option(
            group,
            "--thetas",
            metavar="LIST",
            help="Linear BLEU: what a word gains, then an n-gram of each order; in place of --precisions.",
        ),
    )


def gain_of(options: dict[str, Any]) -> LinearBleu:
    """Return the gain of ``--precisions`` or ``--thetas``."""
    if options["thetas"] is not None:
        return LinearBleu(numbers(options["thetas"]))
    text = options["precisions"]
    found = numbers(text)
    if len(found) != 3:
        raise click.BadParameter(f"{text!r} is not three numbers, as in '{PRECISIONS}'", param_hint="--precisions")
    return LinearBleu.from_precisions(*found)


def ignored(text: str) -> tuple[str, ...]:
    """Return the words of ``--ignore``."""
    return () if text == "none" else tuple(word for word in text.split(",") if word)


def run_options() -> Callable[[F], F]:
    """Declare threads and progress."""
    return together(
        threads_option(independent="Results do"),
        progress_option(),
    )
