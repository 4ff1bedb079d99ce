"""``plait reorder table``: a reordering table for a decoder, from any model."""

from __future__ import annotations

from typing import Any

import click

from plait.cli.groups import GroupedCommand, option
from plait.cli.reorder_model import read_for
from plait.reorder.files import load
from plait.reorder.table import write_table

EXAMPLES = """
plait reorder table -m reorder.plait examples.gz -o reordering-table.gz
plait reorder table -m backward.plait -m forward.plait backward.gz forward.gz -o reordering-table.gz
"""


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="A Moses reordering table from any model.")
@click.argument("examples", type=str, nargs=-1, required=True)
@option(
    "Input", "-m", "--model", "models", metavar="FILE", multiple=True, required=True, help="A model; one for each file."
)
@option(
    "Output",
    "-o",
    "--out",
    metavar="FILE",
    required=True,
    help="The table; '-' for standard output; .gz and so on compress.",
)
@option("Output", "--force", is_flag=True, help="Replace an output that exists.")
def command(**options: Any) -> None:
    """Write the probabilities of each phrase pair as Moses reads them: 'source ||| target ||| p p p'.

    They are the mean over the examples of the phrase pair, for a decoder that looks at no context. Of two models, the
    columns follow one another, as in a bidirectional table.
    """
    if len(options["models"]) != len(options["examples"]):
        raise click.UsageError(
            f"each model needs its examples; there are {len(options['models'])} models and "
            f"{len(options['examples'])} files"
        )
    if options["examples"].count("-") > 1:
        raise click.UsageError("standard input can be read once only; give files")
    parts = []
    for path, examples in zip(options["models"], options["examples"], strict=True):
        model = load(path)
        parts.append((model, read_for(model, examples, pairs=True)))
    write_table(options["out"], parts, force=options["force"])
