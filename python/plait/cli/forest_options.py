"""Options of ``plait forest`` that several subcommands share, and what they mean."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any

import click
import numpy as np

from plait.cli.groups import F, option, together
from plait.cli.number_lists import numbers
from plait.errors import ConfigError, DataError
from plait.hypergraph.forest import Forest
from plait.hypergraph.forest_files import read_forests
from plait.hypergraph.forest_formats import FORMATS
from plait.io.streams import display_name
from plait.minrisk.weights_files import read_weights

__all__ = ["chosen", "edge_weights", "input_options", "named_weights", "read", "weight_options"]

INPUT, WEIGHTS = "Input", "Weights"
SIGNS = ("costs", "log-probabilities")


def input_options(*, has_sentence: bool = True) -> Callable[[F], F]:
    """Declare how the input is read; ``has_sentence``: whether one of several forests can be chosen."""
    sentence = option(
        INPUT, "--sentence", metavar="K", type=click.IntRange(min=0), help="Take forest K of the file, from 0."
    )
    return together(
        option(INPUT, "--format", "format_", metavar="FORMAT", type=click.Choice(FORMATS), help=_FORMAT_HELP),
        *([sentence] if has_sentence else []),
        option(
            INPUT, "--rules", metavar="FILE", help="joshua: the file of rules; FILE.rules beside FILE.items by default."
        ),
        option(
            INPUT,
            "--sign",
            type=click.Choice(SIGNS),
            help="joshua: what stored best weights are; without it, forests have no weights.",
        ),
        option(INPUT, "--input-symbols", metavar="FILE", help="openfst: the table of input symbols."),
        option(INPUT, "--output-symbols", metavar="FILE", help="openfst: the table of output symbols."),
        option(INPUT, "--acceptor", is_flag=True, help="openfst: arcs have one label."),
    )


_FORMAT_HELP = f"One of {', '.join(FORMATS)}; the start of the file tells by default."


def weight_options(purpose: str) -> Callable[[F], F]:
    """Declare what makes the log weights of edges."""
    return together(
        option(
            WEIGHTS,
            "--weights",
            metavar="LIST|FILE",
            help=f"Weights of the features, for {purpose}: numbers with commas between, for the first features, or a "
            "file of lines 'name weight'. The weights of edges in the file by default.",
        ),
        option(
            WEIGHTS,
            "--scale",
            metavar="X",
            type=float,
            default=1.0,
            help="Multiply log weights; -1 where features are costs.",
        ),
    )


def read(path: str, options: dict[str, Any]) -> list[Forest]:
    """Read the forests of the file."""
    return read_forests(
        path,
        options["format_"],
        rules=options["rules"],
        sign=options["sign"],
        input_symbols=options["input_symbols"],
        output_symbols=options["output_symbols"],
        acceptor=options["acceptor"],
    )


def chosen(forests: list[Forest], path: str, options: dict[str, Any]) -> list[tuple[int, Forest]]:
    """Return the forest of ``--sentence``, or all, with their numbers."""
    number = options["sentence"]
    if number is None:
        return list(enumerate(forests))
    if number >= len(forests):
        raise DataError(f"{display_name(path)}: there are {len(forests)} forests, from 0; found --sentence {number}")
    return [(number, forests[number])]


def named_weights(text: str, names: tuple[str, ...]) -> list[float]:
    """Return the weights of ``--weights`` for the first features, or for all.

    Raises
    ------
    click.BadParameter
        It is neither a list of numbers nor a file.
    plait.errors.DataError
        A line of the file is none of a weight, or names a feature twice.
    """
    if not re.fullmatch(r"[-+0-9.eE,\s]+", text):
        return _weights_of_file(text, names)
    found = list(numbers(text))
    if len(found) > len(names):
        raise ConfigError(name="--weights", expected=f"at most one for each of {len(names)} features", found=len(found))
    # Once for all forests of a run.
    told = click.get_current_context().meta
    if len(found) < len(names) and "plait.rest" not in told:
        told["plait.rest"] = ", ".join(names[len(found) :][:5])
        click.echo(f"plait: features without a weight, which count for nothing: {told['plait.rest']}", err=True)
    return found


def _weights_of_file(path: str, names: tuple[str, ...]) -> list[float]:
    if path != "-" and not os.path.exists(path):
        raise click.BadParameter(
            f"{path!r} is neither a list of numbers with commas between nor a file", param_hint="--weights"
        )
    found = read_weights(path)
    return [found.get(name, 0.0) for name in names]


def edge_weights(forest: Forest, options: dict[str, Any], *, may_be_equal: bool = False) -> Any:
    """Return the log weight of each edge, as the options ask for it.

    Where there is nothing to make weights of, it is an error, or all weights are 1 and the user is told.
    """
    if options["weights"] is not None:
        scores = forest.scores(named_weights(options["weights"], forest.features.names))
    elif forest.weights is not None:
        scores = forest.weights
    elif may_be_equal:
        told = click.get_current_context().meta
        if "plait.equal" not in told:
            told["plait.equal"] = True
            click.echo("plait: no weights; all derivations weigh the same, see --weights", err=True)
        return np.zeros(forest.edges)
    else:
        raise ConfigError(
            "the forest has features and no weights of edges; give weights of the features with --weights"
        )
    return scores * options["scale"]
