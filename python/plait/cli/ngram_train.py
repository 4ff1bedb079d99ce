"""``plait ngram train``: a model from text."""

from __future__ import annotations

import time
import warnings
from typing import Any

import click

from plait.cli.groups import GroupedCommand, option
from plait.cli.number_lists import numbers, whole_numbers
from plait.cli.run_options import progress_option, threads_option
from plait.errors import NgramWarning
from plait.io.atomic import OutputFile
from plait.ngram import NgramModel, files
from plait.ngram.model import is_arpa_name
from plait.progress import duration, reporter

SMOOTHING, OUTPUT = "Smoothing", "Output"
EXAMPLES = """
plait ngram train -n 5 -o model.arpa.gz train.txt
plait ngram train -n 3 --prune 0,0,1 -o model.plait train.txt.gz
zcat train.txt.gz | plait ngram train -n 4 --single -o - - > model.arpa
"""


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="Estimate a model from text.")
@click.argument("train", metavar="TRAIN")
@option(
    SMOOTHING,
    "-n",
    "--order",
    metavar="N",
    type=click.IntRange(1, 64),
    default=3,
    help="The length of the longest n-grams.",
)
@option(
    SMOOTHING,
    "--closed",
    is_flag=True,
    help="There are no words but those of TRAIN; by default <unk> has a share of the uniform distribution.",
)
@option(
    SMOOTHING,
    "--discount-fallback",
    metavar="D1,D2,D3",
    default="0.5,1,1.5",
    help="Discounts of an order whose counts of counts give none; a warning tells which.",
)
@option(
    SMOOTHING,
    "--prune",
    metavar="C1,C2,..",
    default="0",
    help="For each order, leave n-grams out with this count or less; the last goes for higher orders, the first is 0.",
)
@option(
    OUTPUT,
    "-o",
    "--out",
    metavar="MODEL",
    required=True,
    help="The model: ARPA if the name ends in .arpa or is '-', a model of plait otherwise; .gz .bz2 .xz .zst compress.",
)
@option(OUTPUT, "--single", is_flag=True, help="ARPA with numbers of single precision, as other programs write.")
@option(OUTPUT, "--force", is_flag=True, help="Replace a model that exists.")
@threads_option(independent="Results do")
@progress_option()
def command(train: str, **options: Any) -> None:
    """Estimate an n-gram model from the sentences of TRAIN; '-' is standard input.

    Smoothing is interpolated modified Kneser-Ney, with the definitions of KenLM's lmplz.
    """
    started = time.perf_counter()
    is_arpa = options["out"] == "-" or is_arpa_name(options["out"])
    if options["single"] and not is_arpa:
        raise click.UsageError("--single is for ARPA; give the output a name that ends in .arpa")
    fallback = numbers(options["discount_fallback"])
    if len(fallback) != 3:
        raise click.UsageError("--discount-fallback has three numbers, such as 0.5,1,1.5")
    model = NgramModel(
        options["order"],
        closed=options["closed"],
        discount_fallback=fallback,
        prune=whole_numbers(options["prune"]),
        threads=options["threads"],
    )
    with reporter(options["progress"]) as progress:
        # The output is opened before the work begins, so that a bad path is told at once.
        with OutputFile(options["out"], force=options["force"]) as out:
            progress("reading", 0, 1)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", NgramWarning)
                model.fit(train, progress=progress)
            for warning in caught:
                progress.note(str(warning.message))
            if is_arpa:
                files.write_arpa(out, model.core, single=options["single"])
            else:
                model.write_to(out)
        seconds = time.perf_counter() - started
        facts = {
            "order": model.order,
            "ngrams": model.counts,
            "discounts": [report.discounts for report in model.reports_],
            "seconds": round(seconds, 3),
        }
        shown = " + ".join(f"{count:,}" for count in model.counts)
        progress.summarize(f"{shown} n-grams, {duration(seconds)}", facts)
