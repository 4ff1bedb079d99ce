"""``plait phrases reordering``: lexicalised reordering tables of extracted orientations."""

from __future__ import annotations

from typing import Any

import click

from plait.cli.groups import GroupedCommand, option
from plait.cli.phrases_options import sorting
from plait.phrases.tables import reordering_files
from plait.progress import reporter

TABLES, OUTPUT, RUN = "Tables", "Output", "Run"
EXAMPLES = """
plait phrases reordering extract.o.gz reordering-table. --model hier-msd-bidirectional-fe
plait phrases reordering extract.o.gz reordering-table. --model hier-mslr-backward-fe --model wbe-msd-backward-f
plait phrases reordering extract.o.gz reordering-table. --model msd-bidirectional-fe --smoothing 1 --proportional
"""


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="Make lexicalised reordering tables.")
@click.argument("orientations", type=str)
@click.argument("prefix", type=str)
@option(
    TABLES,
    "--model",
    "models",
    metavar="MODEL",
    multiple=True,
    required=True,
    help="A table: [wbe|phrase|hier-](msd|mslr|monotonicity|leftright)[-backward|forward|bidirectional][-fe|f]; again "
    "for more. Backward is about the previous phrase, forward about the next; f has a row for each source phrase.",
)
@option(
    TABLES,
    "--smoothing",
    metavar="N",
    type=click.FloatRange(min=0, min_open=True),
    default=0.5,
    help="What is added to the count of each class.",
)
@option(
    TABLES,
    "--proportional",
    is_flag=True,
    help="Add it in proportion to the frequency of the classes in all phrase pairs (0.5u of Moses).",
)
@option(OUTPUT, "--suffix", metavar="SUFFIX", default=".gz", help="End of the names; .gz .bz2 .xz .zst compress.")
@option(
    OUTPUT,
    "--compat",
    type=click.Choice(["moses"]),
    help="Byte for byte what Moses writes, mistakes included: a first row with the counts of all behind "
    "--proportional, tables by source (f) without their key.",
)
@sorting(OUTPUT, RUN)
def command(orientations: str, prefix: str, **options: Any) -> None:
    """Make reordering tables of ORIENTATIONS, the file OUT.o of 'plait phrases extract', in any order.

    Each table is a file whose name is PREFIX, the model and the suffix: 'reordering-table.hier-msd-backward-fe.gz'. A
    line is 'source ||| target ||| p ..', the probabilities of the classes (msd: mono, swap, other; mslr: mono, swap,
    dleft, dright) of the previous phrase, then of the next. What does not fit into --memory is sorted on the disk.
    """
    with reporter(options["progress"]) as report:
        names = reordering_files(
            orientations,
            prefix,
            options["models"],
            smoothing=options["smoothing"],
            proportional=options["proportional"],
            suffix=options["suffix"],
            compat=options["compat"],
            memory=options["memory"],
            temp=options["temp"],
            force=options["force"],
            threads=options["threads"],
            progress=report,
        )
        report.summarize(f"{len(names)} tables", {"tables": names})
