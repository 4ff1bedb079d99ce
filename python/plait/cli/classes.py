"""``plait classes``: word classes of a text, in mkcls's format."""

from __future__ import annotations

import time
from typing import Any

import click

from plait.bitext import ReadOptions
from plait.classes import MAX_CLASSES, MAX_RUNS, cluster, read_text
from plait.cli.groups import GroupedCommand, option
from plait.cli.run_options import progress_option, threads_option
from plait.errors import DataError
from plait.io.atomic import OutputFile
from plait.progress import duration, reporter

INPUT, CLASSES, OUTPUT, RUN = "Input", "Classes", "Output", "Run"
EXAMPLES = """
plait classes -c 50 train.en -o train.en.classes
plait classes train.en.gz -o en.classes.gz --lowercase --runs 10
zcat news.en.gz | plait classes - -c 200 -o - --runs 1 | sort -k 2n
"""


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="Group the words of a text into classes.")
@click.argument("text", type=str)
@option(INPUT, "--lowercase", is_flag=True, help="Fold words by lower-casing.")
@option(
    INPUT,
    "--stem",
    metavar="N",
    type=int,
    default=0,
    help="Keep the first N characters of words; -N: the last; 0: all.",
)
@option(
    INPUT,
    "--on-error",
    metavar="WHAT",
    type=click.Choice(["strict", "skip", "replace"]),
    default="strict",
    help="Lines that are not UTF-8: strict stops, skip leaves them out, replace puts U+FFFD for bad bytes.",
)
@option(
    CLASSES,
    "-c",
    "--classes",
    metavar="C",
    type=click.IntRange(1, MAX_CLASSES),
    default=50,
    help="Number of classes.",
)
@option(
    CLASSES,
    "--iterations",
    metavar="N",
    type=click.IntRange(min=1),
    default=50,
    help="The most visits to each word in a run; a run ends when no word moves.",
)
@option(
    CLASSES,
    "--runs",
    metavar="N",
    type=click.IntRange(1, MAX_RUNS),
    default=4,
    help="Searches from different starts; the most likely classes are kept.",
)
@option(
    CLASSES,
    "--seed",
    metavar="N",
    type=click.IntRange(min=0),
    default=1,
    help="Seed of the starts of all runs but the first two.",
)
@option(
    OUTPUT,
    "-o",
    "--out",
    metavar="FILE",
    required=True,
    help="Classes, a line 'word TAB number' for each word; '-' for standard output; .gz .bz2 .xz .zst compress.",
)
@option(OUTPUT, "--force", is_flag=True, help="Replace an output that exists.")
@threads_option(independent="The classes do", each="a run")
@progress_option()
def command(text: str, **options: Any) -> None:
    """Group the words of a text into classes of words that stand in the same places.

    TEXT has a sentence a line; '-' is standard input. As those of mkcls, the classes maximise the likelihood of the
    text under the class bigram model, and are found by moving one word at a time. Numbers start at 2, with the class
    that has the most tokens. Memory: 12 bytes a token and 16 a distinct pair of neighbours.
    """
    started = time.perf_counter()
    how = ReadOptions(
        lowercase=options["lowercase"],
        stem_source=options["stem"],
        stem_target=options["stem"],
        on_error=options["on_error"],
    )
    with reporter(options["progress"]) as progress:
        # The output is opened before the work begins, so that a bad path is told at once.
        with OutputFile(options["out"], force=options["force"]) as out:
            progress("reading", 0, 1)
            bitext = read_text(text, **how)
            found = cluster(
                bitext,
                options["classes"],
                side="source",
                iterations=options["iterations"],
                runs=options["runs"],
                seed=options["seed"],
                threads=options["threads"],
                progress=progress,
            )
            if not found:
                raise DataError("the text has no words; check that it is the right file")
            out.write(found.to_bytes())
        seconds = time.perf_counter() - started
        facts = {
            "words": len(found),
            "classes": found.count,
            "tokens": bitext.counts.source_tokens,
            "perplexity": found.perplexity,
            "iterations": len(found.history) - 1,
            "skipped": bitext.counts.skipped,
            "replaced": bitext.counts.replaced,
            "seconds": round(seconds, 3),
        }
        progress.summarize(
            f"{len(found):,} words in {found.count:,} classes, perplexity {found.perplexity:.2f} "
            f"after {len(found.history) - 1} iterations, {duration(seconds)}",
            facts,
        )
