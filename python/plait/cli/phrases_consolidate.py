"""``plait phrases consolidate``: a phrase table from its two halves."""

from __future__ import annotations

from typing import Any

import click

from plait.cli.groups import GroupedCommand, option
from plait.cli.phrases_options import running, whole_table
from plait.phrases.scoring import consolidate_files
from plait.progress import reporter

SCORES, OUTPUT, RUN = "Scores", "Output", "Run"
EXAMPLES = """
plait phrases score extract half.f2e --table direct --lex lex.f2e
plait phrases score extract.inv half.e2f.unsorted --table inverse --lex lex.e2f
LC_ALL=C sort half.e2f.unsorted > half.e2f
plait phrases consolidate half.f2e half.e2f phrase-table.gz
plait phrases consolidate moses.half.f2e.gz moses.half.e2f.gz phrase-table.gz --smoothing good-turing
"""


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="Join the halves of a phrase table.")
@click.argument("direct", type=str)
@click.argument("inverse", type=str)
@click.argument("out", type=str)
@whole_table(SCORES, OUTPUT)
@option(
    SCORES,
    "--counts",
    metavar="FILE",
    help="Counts of counts, for --smoothing: DIRECT.coc by default, which both Moses and 'phrases score' write.",
)
@option(OUTPUT, "--compat", type=click.Choice(["moses"]), help="Single precision, and counts with six digits.")
@running(OUTPUT, RUN)
def command(direct: str, inverse: str, out: str, **options: Any) -> None:
    """Join the halves DIRECT and INVERSE to a phrase table OUT: the job of Moses' consolidate.

    The halves are those of 'plait phrases score --table direct' and '--table inverse', or of Moses' score, with the
    same phrase pairs in the same order; sort both by their bytes. A table made by 'plait phrases score' in one step
    needs no halves.
    """
    with reporter(options["progress"]) as report:
        done = consolidate_files(
            direct,
            inverse,
            out,
            smoothing=options["smoothing"],
            counts=options["counts"],
            scale=options["scale"],
            only_direct=options["only_direct"],
            phrase_count=options["phrase_count"],
            low_count=options["low_count"],
            count_bins=options["count_bins"],
            sparse_count_bins=options["sparse_count_bins"],
            min_count=options["min_count"],
            min_inverse=options["min_inverse"],
            min_direct=options["min_direct"],
            compat=options["compat"],
            force=options["force"],
            threads=options["threads"],
            progress=report,
        )
        report.summarize(f"{done.pairs:,} phrase pairs", {"pairs": done.pairs})
