"""``plait phrases score``: a phrase table of extracted phrase pairs."""

from __future__ import annotations

from typing import Any

import click

from plait.cli.groups import GroupedCommand, option
from plait.cli.phrases_options import sorting
from plait.phrases.tables import KINDS, SMOOTHINGS, score_files
from plait.progress import reporter

SCORES, OUTPUT, RUN = "Scores", "Output", "Run"
EXAMPLES = """
plait lexicon -s train.fr -t train.en -a train.align -o lex --format moses
plait phrases score extract.gz phrase-table.gz --lex lex
plait phrases score extract.gz phrase-table.gz --lex lex --smoothing good-turing --compat moses
plait phrases score extract.gz phrase-table.gz --no-lex
"""


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="Make a phrase table.")
@click.argument("extract", type=str)
@click.argument("out", type=str)
@option(
    SCORES,
    "--lex",
    metavar="PREFIX",
    help="Lexical tables PREFIX.e2f and PREFIX.f2e, of plait lexicon --format moses; for a half, the name of one.",
)
@option(SCORES, "--no-lex", is_flag=True, help="Leave lexical weights out.")
@option(
    SCORES,
    "--smoothing",
    type=click.Choice(SMOOTHINGS),
    default="none",
    help="Of relative frequencies.",
)
@option(SCORES, "--only-direct", is_flag=True, help="Write only p(target | source) and its lexical weight.")
@option(SCORES, "--phrase-count", is_flag=True, help="Add the constant 2.718.")
@option(SCORES, "--low-count", is_flag=True, help="Add exp(-1 / count).")
@option(OUTPUT, "--no-links", is_flag=True, help="Leave the links of phrase pairs out.")
@option(
    OUTPUT,
    "--table",
    "kind",
    type=click.Choice(KINDS),
    default="both",
    help="The whole table, or one half as Moses' score writes it: direct from extract, inverse from extract.inv.",
)
@option(OUTPUT, "--compat", type=click.Choice(["moses"]), help="Single precision, and counts with six digits.")
@sorting(OUTPUT, RUN)
def command(extract: str, out: str, **options: Any) -> None:
    """Make a phrase table OUT of the phrase pairs in EXTRACT, as 'plait phrases extract' writes them, in any order.

    A line is 'source ||| target ||| p(s|t) lex(s|t) p(t|s) lex(t|s) ||| i-j .. ||| c(t) c(s) c(s,t) ||| |||'. Both
    directions come from the one file; OUT.inv of the extraction is not needed. What does not fit into --memory is
    sorted on the disk.
    """
    if (options["lex"] is None) != options["no_lex"]:
        raise click.UsageError("give lexical tables with --lex PREFIX, or leave lexical weights out with --no-lex")
    with reporter(options["progress"]) as report:
        done = score_files(
            extract,
            out,
            lexical=options["lex"],
            kind=options["kind"],
            smoothing=options["smoothing"],
            links=not options["no_links"],
            only_direct=options["only_direct"],
            phrase_count=options["phrase_count"],
            low_count=options["low_count"],
            compat=options["compat"],
            memory=options["memory"],
            temp=options["temp"],
            force=options["force"],
            threads=options["threads"],
            progress=report,
        )
        if done.missing:
            report.note(
                f"{done.missing:,} times, a pair of linked words was not in the lexical tables and counted as certain; "
                "make them from the same alignment as the phrase pairs"
            )
        report.summarize(f"{done.pairs:,} phrase pairs", {"pairs": done.pairs})
