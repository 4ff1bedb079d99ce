"""``plait reorder``: reordering models, one subcommand for each step."""

from __future__ import annotations

import click

from plait.cli.lazy_group import LazyGroup

COMMANDS = {
    "examples": "plait.cli.reorder_examples",
    "train": "plait.cli.reorder_train",
    "eval": "plait.cli.reorder_eval",
    "predict": "plait.cli.reorder_predict",
    "table": "plait.cli.reorder_table",
    "select": "plait.cli.reorder_select",
    "plot": "plait.cli.reorder_plot",
}


@click.group(
    cls=LazyGroup,
    modules=COMMANDS,
    short_help="Reordering models: train, measure, predict, tables.",
)
def command() -> None:
    """Learn how phrases are reordered, from a text with links.

    A line of examples is 'source ||| target ||| class ||| features', words apart by spaces. `examples` writes such
    lines; any further word in the last column is a feature too, so that a script can add its own.

    \b
    Examples:
      plait reorder examples -s train.en -t train.de -a out.align -o examples.gz
      plait reorder train --model dual examples.gz --out reorder.plait
      plait reorder eval -m reorder.plait held-out.gz --json
      plait reorder table -m reorder.plait examples.gz -o reordering-table.gz
    """
