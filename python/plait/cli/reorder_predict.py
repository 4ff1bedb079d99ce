"""``plait reorder predict``: the orientation of each example."""

from __future__ import annotations

from typing import Any

import click
import numpy as np

from plait import _core
from plait.cli.groups import GroupedCommand, option
from plait.cli.reorder_model import read_for
from plait.io.atomic import OutputFile
from plait.io.tables import rows_in_blocks
from plait.reorder.files import load

EXAMPLES = """
plait reorder predict -m reorder.plait examples.gz -o predicted.tsv
plait reorder predict -m reorder.plait - -o - < examples | cut -f 1 | sort | uniq -c
"""


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="The orientation of each example.")
@click.argument("examples", type=str)
@option("Input", "-m", "--model", metavar="FILE", required=True, help="A model of plait reorder train.")
@option(
    "Output",
    "-o",
    "--out",
    metavar="FILE",
    required=True,
    help="The lines; '-' for standard output; .gz and so on compress.",
)
@option("Output", "--header", is_flag=True, help="Begin with a line that names the columns.")
@option("Output", "--force", is_flag=True, help="Replace an output that exists.")
def command(**options: Any) -> None:
    """Write the most probable class of each example, and the probability of each class, with tabs between.

    The class in the examples is not looked at; ? will do. Classes are in the order that --header shows.
    """
    model = load(options["model"])
    with OutputFile(options["out"], force=options["force"]) as out:
        examples = read_for(model, options["examples"])
        proba = model.predict_proba(examples)
        names = model.classes_.tolist()
        words, best = _core.Words(names), proba.argmax(axis=1).astype(np.uint32)

        def fields(rows: slice) -> list[_core.Field]:
            line: list[_core.Field] = [(words, best[rows])]
            for column in proba[rows].T:
                line += ["\t", (np.ascontiguousarray(column), "general")]
            return line

        if options["header"]:
            out.write("\t".join(["class", *names]).encode() + b"\n")
        for block in rows_in_blocks(len(proba), fields):
            out.write(block)
