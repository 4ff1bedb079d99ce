"""``plait forest prune``: smaller forests, with the best derivations."""

from __future__ import annotations

from typing import Any

import click

from plait.cli.forest_options import chosen, edge_weights, input_options, read, weight_options
from plait.cli.groups import GroupedCommand, option
from plait.hypergraph.forest import Forest
from plait.hypergraph.forest_files import write_forests
from plait.hypergraph.forest_formats import FORMATS, format_to_write
from plait.hypergraph.prune import prune

OUTPUT, BOUND = "Output", "Bounds"
EXAMPLES = """
plait forest prune forest.json.gz small.json.gz --weights weights.txt --beam 5
plait forest prune forests.hg.items small.plait --weights 1,1.07,0.75 --scale -1 --posterior 0.001
plait forest prune lattice.fst small.fst --density 4
"""


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="Drop the edges of bad derivations.")
@click.argument("source", metavar="FILE")
@click.argument("target", metavar="OUT")
@option(
    BOUND,
    "--beam",
    metavar="NATS",
    type=click.FloatRange(min=0),
    help="Keep edges whose best derivation is at most so far below the best of all.",
)
@option(
    BOUND, "--posterior", metavar="P", type=click.FloatRange(min=0), help="Keep edges with at least this posterior."
)
@option(
    BOUND,
    "--density",
    metavar="D",
    type=click.FloatRange(min=0),
    help="Keep at most D times the edges of the best derivation.",
)
@option(BOUND, "--edges", metavar="N", type=click.IntRange(min=0), help="Keep at most N edges.")
@input_options()
@weight_options("the distribution")
@option(
    OUTPUT,
    "--to",
    metavar="FORMAT",
    type=click.Choice(FORMATS),
    help=f"One of {', '.join(FORMATS)}; the suffix of OUT tells by default.",
)
@option(OUTPUT, "--force", is_flag=True, help="Replace outputs that exist.")
def command(source: str, target: str, **options: Any) -> None:
    """Write forests without the edges that no good derivation has.

    The best derivation is always kept. With several bounds, each must be met. Features and weights of edges stay what
    they are.
    """
    bounds = {name: options[name] for name in ("beam", "posterior", "density", "edges")}
    if all(bound is None for bound in bounds.values()):
        raise click.UsageError("give a bound: --beam, --posterior, --density or --edges")
    format_to_write(target, options["to"])

    def pruned(forest: Forest) -> Forest:
        return forest.part(prune(forest.graph, edge_weights(forest, options), **bounds))

    forests = [pruned(forest) for _, forest in chosen(read(source, options), source, options)]
    write_forests(target, forests, format=options["to"], force=options["force"])
