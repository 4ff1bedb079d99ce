"""``plait symmetrize``: one set of links from the files of both directions."""

from __future__ import annotations

from typing import Any

import click

from plait.cli.groups import GroupedCommand, option
from plait.cli.link_options import links_out
from plait.errors import DataError
from plait.io.atomic import OutputFile
from plait.io.link_blocks import read_in_step
from plait.symmetrize import METHODS, VARIANTS, symmetrize

METHOD, OUTPUT, RUN = "Method", "Output", "Run"
EXAMPLES = """
plait symmetrize forward.align reverse.align -o out.align
plait symmetrize forward.align reverse.align -o - --method intersection | head
plait symmetrize f.posteriors r.posteriors -o out.align --method soft --threshold 0.4
plait symmetrize forward.align reverse.align -o out.align --method grow-diag --variant atools
"""


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="Make one set of links of both directions.")
@click.argument("forward", type=str)
@click.argument("reverse", type=str)
@option(
    METHOD,
    "--method",
    type=click.Choice(METHODS),
    default="grow-diag-final-and",
    help="A heuristic, or soft: mean posterior above --threshold, for inputs with probabilities (i-j:p).",
)
@option(
    METHOD,
    "--threshold",
    type=click.FloatRange(0, 1),
    default=0.5,
    help="Mean posterior that a link must exceed with --method soft.",
)
@option(
    METHOD,
    "--variant",
    type=click.Choice(VARIANTS),
    default="symal",
    help="Whose order of growing: that of Moses or that of fast_align.",
)
@links_out(OUTPUT, RUN, force="Replace an output that exists.")
def command(forward: str, reverse: str, **options: Any) -> None:
    """Make one set of links of both directions of an aligner.

    FORWARD links each target word to at most one source word, REVERSE each source word to at most one target
    word. Both are files of lines 'i-j ..', written source-target and counted from 0; one of them may be '-',
    standard input. Memory does not grow with their size.
    """
    lines = 0
    with OutputFile(options["out"], force=options["force"]) as out:
        for first, second in read_in_step([forward, reverse], threads=options["threads"]):
            result = symmetrize(
                first,
                second,
                options["method"],
                threshold=options["threshold"],
                variant=options["variant"],
                threads=options["threads"],
            )
            result.write_to(out, format=options["format_"], probabilities=options["probabilities"])
            lines += len(result)
        if not lines:
            raise DataError("both inputs are empty; check that they are the links of the two directions")
