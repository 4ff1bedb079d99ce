"""``plait forest convert``: forests from one format to another."""

from __future__ import annotations

from typing import Any

import click

from plait.cli.forest_options import SIGNS, WEIGHTS, chosen, edge_weights, input_options, read, weight_options
from plait.cli.groups import GroupedCommand, option
from plait.hypergraph.forest import Forest
from plait.hypergraph.forest_files import write_forests
from plait.hypergraph.forest_formats import FORMATS, format_to_write
from plait.io.link_blocks import check_one_standard_input

OUTPUT = "Output"
EXAMPLES = """
plait forest convert forest.json.gz forest.plait
plait forest convert lattice.slf lattice.fst --weights 1,1
plait forest convert lattices.plf - --sentence 2 --to lazy
plait forest convert nbest.txt nbest.json.gz --weights-as score
"""


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="Convert forests and lattices between formats.")
@click.argument("source", metavar="FILE")
@click.argument("target", metavar="OUT")
@input_options()
@weight_options("formats that hold one weight for each edge")
@option(WEIGHTS, "--weights-as", metavar="NAME", help="Turn weights of edges into a feature, for formats of features.")
@option(WEIGHTS, "--drop-weights", is_flag=True, help="Leave weights of edges out.")
@option(
    OUTPUT,
    "--to",
    metavar="FORMAT",
    type=click.Choice(FORMATS),
    help=f"One of {', '.join(FORMATS)}; the suffix of OUT tells by default.",
)
@option(OUTPUT, "--rules-out", metavar="FILE", help="joshua: the rules; FILE.rules beside FILE.items by default.")
@option(
    OUTPUT, "--sign-out", type=click.Choice(SIGNS), default="log-probabilities", help="joshua: how weights are stored."
)
@option(OUTPUT, "--symbols-out", metavar="FILE", help="openfst: write a table of symbols, too.")
@option(OUTPUT, "--force", is_flag=True, help="Replace outputs that exist.")
def command(source: str, target: str, **options: Any) -> None:
    """Convert the forests of FILE to another format.

    What a format cannot hold is an error that names the edge and what to do; nothing is left out in silence but labels
    that the other format has no place for. OUT is '-' for standard output; .gz .bz2 .xz .zst compress.
    """
    if options["weights_as"] is not None and options["drop_weights"]:
        raise click.UsageError("--weights-as and --drop-weights exclude each other")
    check_one_standard_input([source, *filter(None, [options["rules"], options["weights"]])])
    format_to_write(target, options["to"])
    forests = [_weighted(forest, options) for _, forest in chosen(read(source, options), source, options)]
    write_forests(
        target,
        forests,
        format=options["to"],
        rules=options["rules_out"],
        sign=options["sign_out"],
        symbols=options["symbols_out"],
        acceptor=options["acceptor"],
        force=options["force"],
    )


def _weighted(forest: Forest, options: dict[str, Any]) -> Forest:
    if options["drop_weights"]:
        return forest.with_weights(None)
    if options["weights"] is not None or options["scale"] != 1:
        forest = forest.with_weights(edge_weights(forest, options))
    return forest if options["weights_as"] is None else forest.with_weights_as(options["weights_as"])
