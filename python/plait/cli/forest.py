"""``plait forest``: packed forests and lattices in files, one subcommand for each thing to do with them."""

from __future__ import annotations

import click

from plait.cli.lazy_group import LazyGroup

COMMANDS = {
    "info": "plait.cli.forest_info",
    "convert": "plait.cli.forest_convert",
    "kbest": "plait.cli.forest_kbest",
    "expect": "plait.cli.forest_expect",
    "prune": "plait.cli.forest_prune",
    "draw": "plait.cli.forest_draw",
}


@click.group(
    cls=LazyGroup,
    modules=COMMANDS,
    short_help="Packed forests and lattices: sizes, formats, k best, sums.",
)
def command() -> None:
    """Look at packed forests and lattices, convert them, and compute with them.

    Files of cdec, Moses, lazy, Joshua, Travatar, Egret, HTK and OpenFst, lattices in PLF, n-best lists, and plait's
    own; compressed or not. The start of a file tells its format; --format names it where it does not.

    \b
    Examples:
      plait forest info forest.json.gz
      plait forest convert forest.json.gz forest.plait
      plait forest expect forest.json.gz --weights weights.txt --json
    """
