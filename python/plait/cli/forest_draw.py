"""``plait forest draw``: a forest as text for Graphviz."""

from __future__ import annotations

from typing import Any

import click

from plait.cli.forest_options import chosen, input_options, read
from plait.cli.groups import GroupedCommand, option
from plait.errors import ConfigError
from plait.io.atomic import OutputFile

OUTPUT = "Output"
EXAMPLES = """
plait forest draw lattice.plf --sentence 0 | dot -Tsvg > lattice.svg
plait forest draw forest.json -o forest.dot --max-edges 2000
"""


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="Draw a forest with Graphviz.")
@click.argument("forest", metavar="FILE")
@input_options()
@option(OUTPUT, "-o", "--out", metavar="FILE", default="-", help="Where the text goes; '-' is standard output.")
@option(OUTPUT, "--max-edges", metavar="N", type=click.IntRange(min=0), default=500, help="The most edges to draw.")
@option(OUTPUT, "--force", is_flag=True, help="Replace an output that exists.")
def command(forest: str, **options: Any) -> None:
    """Write a drawing of a forest in the language of Graphviz, for its program dot.

    Ellipses are nodes, boxes are edges with their words; arrows lead from the tail through the box to the head.
    """
    found = chosen(read(forest, options), forest, options)
    if len(found) != 1:
        raise ConfigError(f"the file holds {len(found)} forests; choose one with --sentence")
    with OutputFile(options["out"], force=options["force"]) as out:
        out.write(found[0][1].to_dot(max_edges=options["max_edges"]).encode())
