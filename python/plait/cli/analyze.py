"""``plait analyze``: the figures of the paper's analysis for alignments side by side."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any, Literal

import click

from plait.alignments import Alignments
from plait.analysis_report import SIDES, to_json, to_markdown, to_table
from plait.analyze import Analysis, analyze
from plait.bitext import Bitext
from plait.cli.groups import GroupedCommand, option
from plait.cli.run_options import threads_option
from plait.errors import DataError
from plait.io.link_blocks import check_one_standard_input
from plait.io.streams import display_name
from plait.metrics import GOLD_FORMATS, Gold, read_gold

INPUT, GOLD, FIGURES, OUTPUT, RUN = "Input", "Gold standard", "Figures", "Output", "Run"
# Wider than any table: a table in a file is not folded.
_UNFOLDED = 10_000
EXAMPLES = """
plait analyze -s train.en -t train.fr em5.align gs5.align
plait analyze -s train.en -t train.fr out.align --forward f.align --reverse r.align
plait analyze -s test.en -t test.fr out.align --gold test.gold --markdown
plait analyze -s train.en -t train.fr em5.align gs5.align --plot figures
"""


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="Print what alignments look like, side by side.")
@click.argument("alignments", type=str, nargs=-1, required=True)
@option(
    INPUT, "-s", "--source", metavar="FILE", type=str, required=True, help="Source side of the text that was aligned."
)
@option(
    INPUT,
    "-t",
    "--target",
    metavar="FILE",
    type=str,
    required=True,
    help="Target side, line by line parallel to the source.",
)
@option(INPUT, "--lowercase", is_flag=True, help="Fold words by lower-casing before they are counted.")
@option(
    INPUT,
    "--forward",
    metavar="FILE",
    type=str,
    multiple=True,
    help="Links of P(target | source) for the agreement of both directions; one for each ALIGNMENT, in order.",
)
@option(INPUT, "--reverse", metavar="FILE", type=str, multiple=True, help="Links of P(source | target); as --forward.")
@option(
    INPUT,
    "--name",
    metavar="NAME",
    type=str,
    multiple=True,
    help="What an ALIGNMENT is called, in order; else its file name.",
)
@option(GOLD, "--gold", metavar="FILE", type=str, help="Gold standard of the text, for AER, precision and recall.")
@option(GOLD, "--gold-format", type=click.Choice(GOLD_FORMATS), default="auto", help="As for 'plait eval --format'.")
@option(
    GOLD,
    "--gold-start",
    type=int,
    help="The pair of the text that the gold standard starts with, from 0, or from the end when negative; "
    "without it, the gold standard must cover the text.",
)
@option(
    FIGURES,
    "--side",
    type=click.Choice(SIDES),
    default="source",
    help="Whose words the fertilities and singletons are about.",
)
@option(
    FIGURES,
    "--max-phrase-length",
    type=click.IntRange(min=1),
    default=7,
    help="The longest phrase that counts, in words on each side.",
)
@option(OUTPUT, "--json", "as_json", is_flag=True, help="Print all figures of both sides as JSON.")
@option(OUTPUT, "--markdown", is_flag=True, help="Print a Markdown table.")
@option(
    OUTPUT,
    "--plot",
    metavar="FOLDER",
    type=str,
    help="Folder for pictures as PNG and SVG; needs pip install 'plait[plot]'.",
)
@option(OUTPUT, "--force", is_flag=True, help="Replace pictures that exist.")
@threads_option(independent="The figures do")
def command(alignments: tuple[str, ...], **options: Any) -> None:
    """Print what alignments of one text look like, side by side.

    Fertilities, dictionary size, rare words, agreement of both directions, and how well phrases cover the
    vocabulary: the figures of Mermer et al. (2013), section V-A. ALIGNMENTS are files of lines 'i-j ..'. For
    the fertilities of a model give the links of one direction, for the phrase figures symmetrised ones.
    """
    _check_usage(alignments, options)
    text = Bitext.read(options["source"], options["target"], lowercase=options["lowercase"])
    if not text.usable.any():
        raise DataError("no sentence pair has words on both sides; check the files given with -s and -t")
    gold = None if options["gold"] is None else read_gold(options["gold"], options["gold_format"])
    names = options["name"] or _names(alignments)
    given = zip(options["forward"], options["reverse"], strict=True)
    directions: list[tuple[str, str] | None] = [*given] or [None] * len(alignments)
    analyses = [
        _analyze(text, path, pair, gold, name, options)
        for path, pair, name in zip(alignments, directions, names, strict=True)
    ]
    _print(analyses, options)
    if options["plot"] is not None:
        from plait.viz.figures import write_figures

        # Pictures are about one side; both means the paper's choice.
        side: Literal["source", "target"] = "target" if options["side"] == "target" else "source"
        for path in write_figures(analyses, options["plot"], side=side, force=options["force"]):
            click.echo(f"wrote {display_name(path)}", err=True)


def _check_usage(alignments: Sequence[str], options: dict[str, Any]) -> None:
    if options["as_json"] and options["markdown"]:
        raise click.UsageError("--json and --markdown exclude each other")
    if len(options["forward"]) != len(options["reverse"]):
        raise click.UsageError("--forward and --reverse go together")
    for name in ("forward", "name"):
        if options[name] and len(options[name]) != len(alignments):
            raise click.UsageError(
                f"--{name} must be given once for each ALIGNMENT, or not at all; "
                f"found {len(options[name])} for {len(alignments)}"
            )
    inputs = [options["source"], options["target"], options["gold"], *alignments]
    check_one_standard_input([path for path in (*inputs, *options["forward"], *options["reverse"]) if path])


def _names(paths: Sequence[str]) -> list[str]:
    """Return the file names without their folders where that leaves them distinct."""
    short = [os.path.basename(path) for path in paths]
    return short if len(set(short)) == len(set(paths)) else list(paths)


def _analyze(
    text: Bitext,
    path: str,
    directions: tuple[str, str] | None,
    gold: Gold | None,
    name: str,
    options: dict[str, Any],
) -> Analysis:
    """Read an alignment and analyse it; errors name the file."""
    read = [_read(file, text) for file in (path, *(directions or ()))]
    alignments, forward, reverse = read if directions else (read[0], None, None)
    return analyze(
        text,
        alignments,
        forward=forward,
        reverse=reverse,
        gold=gold,
        gold_start=options["gold_start"],
        max_phrase_length=options["max_phrase_length"],
        name=name,
        threads=options["threads"],
    )


def _read(path: str, text: Bitext) -> Alignments:
    alignments = Alignments.read(path)
    try:
        alignments.check_within(text.source_lengths, text.target_lengths)
    except DataError as problem:
        raise DataError(f"{display_name(path)}: {problem}") from None
    return alignments


def _print(analyses: list[Analysis], options: dict[str, Any]) -> None:
    if options["as_json"]:
        click.echo(to_json(analyses), nl=False)
    elif options["markdown"]:
        click.echo(to_markdown(analyses, side=options["side"]), nl=False)
    else:
        from rich.console import Console

        stream = sys.stdout
        Console(file=stream, width=None if stream.isatty() else _UNFOLDED).print(
            to_table(analyses, side=options["side"])
        )
