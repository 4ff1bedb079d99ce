"""``plait view``: links as a page for the browser, or as grids in the terminal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, get_args

import click

from plait.alignments import Alignments
from plait.bitext import Bitext
from plait.cli.consoles import draws_ascii, open_console, print_pairs
from plait.cli.groups import GroupedCommand, option
from plait.errors import ConfigError, DataError, UnequalLengthError
from plait.io.link_blocks import check_one_standard_input
from plait.io.streams import display_name
from plait.metrics import GOLD_FORMATS, Gold, read_gold
from plait.viz.html import View, write_view

INPUT, SHOWN, OUTPUT = "Input", "What is shown", "Output"
EXAMPLES = """
plait view -s train.en -t train.de out.align -o view.html
plait view -s test.en -t test.de test.align --gold test.gold -o view.html
plait view -s test.en -t test.de one.align --other two.align -o compare.html --force
plait view -s test.en -t test.de test.align --terminal --first-line 17 --limit 3
"""
_PAGE_LIMIT = 10_000
_TERMINAL_LIMIT = 5


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="Show links as a page or in the terminal.")
@click.argument("alignment", type=str)
@option(INPUT, "-s", "--source", metavar="FILE", type=str, required=True, help="Source side, one sentence a line.")
@option(INPUT, "-t", "--target", metavar="FILE", type=str, required=True, help="Target side.")
@option(INPUT, "--gold", metavar="FILE", type=str, help="Links that people made, to compare with.")
@option(
    INPUT,
    "--gold-format",
    type=click.Choice(GOLD_FORMATS),
    default="auto",
    help="pharaoh: i-j sure, i?j or ipj possible; naacl: 'sentence i j S|P', from 1; blinker: a folder or a file.",
)
@option(INPUT, "--other", metavar="FILE", type=str, help="Links of a second system, drawn as dots.")
@option(SHOWN, "--first-line", type=click.IntRange(min=1), default=1, help="Show sentence pairs from this line on.")
@option(
    SHOWN,
    "--limit",
    type=click.IntRange(min=0),
    help=f"Show so many sentence pairs; 0: all. By default {_PAGE_LIMIT:,} on a page, {_TERMINAL_LIMIT} in a terminal.",
)
@option(SHOWN, "--title", metavar="WORDS", type=str, help="Heading of the page; by default the names of the files.")
@option(
    SHOWN,
    "--view",
    type=click.Choice(get_args(View)),
    default="grid",
    show_default=True,
    help="How the page draws a pair at first; its reader can switch.",
)
@option(OUTPUT, "-o", "--out", metavar="FILE", type=str, help="The HTML file; '-' for standard output.")
@option(OUTPUT, "--terminal", is_flag=True, help="Draw grids in the terminal.")
@option(OUTPUT, "--ascii", "ascii_only", is_flag=True, help="Draw with ASCII characters only.")
@option(OUTPUT, "--force", is_flag=True, help="Replace a file that exists.")
def command(alignment: str, **options: Any) -> None:
    """Show the links of a file ALIGNMENT as one HTML page, or in the terminal.

    ALIGNMENT has a line 'i-j ..' for each sentence pair, counted from 0; 'i-j:p' gives a probability, drawn as
    a shade. The page needs no network: leaf through it with the arrow keys, switch between grid, arcs and table,
    search it for words or links, and filter and order it by disagreement with the gold standard or the second system.
    """
    if options["out"] is None and not options["terminal"]:
        raise click.UsageError("say where the page goes with -o FILE.html, or use --terminal")
    paths = [options["source"], options["target"], alignment, options["gold"], options["other"]]
    check_one_standard_input([path for path in paths if path is not None])
    inputs = _read(alignment, options)
    first = options["first_line"] - 1
    if first >= len(inputs.text):
        raise ConfigError(f"--first-line is {first + 1:,}, but the text has {len(inputs.text):,} lines")
    if options["terminal"]:
        console = open_console(on_stderr=options["out"] == "-")
        print_pairs(
            console,
            inputs.text,
            inputs.alignments,
            range(first, _stop(first, options["limit"], _TERMINAL_LIMIT, len(inputs.text))),
            gold=inputs.gold,
            other=inputs.other,
            ascii_only=draws_ascii(console, options["ascii_only"]),
        )
    if options["out"] is not None:
        stop = _stop(first, options["limit"], _PAGE_LIMIT, len(inputs.text))
        write_view(
            options["out"],
            inputs.text,
            inputs.alignments,
            gold=inputs.gold,
            other=inputs.other,
            title=options["title"] or f"{display_name(options['source'])} and {display_name(options['target'])}",
            names=(display_name(alignment), display_name(options["other"] or "")),
            first=first,
            limit=stop - first,
            view=options["view"],
            force=options["force"],
        )
        if options["limit"] is None and stop < len(inputs.text):
            click.echo(
                f"plait: the page shows lines {first + 1:,} to {stop:,} of {len(inputs.text):,}; "
                "--first-line and --limit choose others",
                err=True,
            )


@dataclass(frozen=True)
class _Inputs:
    text: Bitext
    alignments: Alignments
    gold: Gold | None
    other: Alignments | None


def _read(alignment: str, options: dict[str, Any]) -> _Inputs:
    """Read the text and the links, which must run in parallel."""
    text = Bitext.read(options["source"], options["target"])
    links = Alignments.read(alignment)
    other = Alignments.read(options["other"]) if options["other"] is not None else None
    gold = None
    if options["gold"] is not None:
        # A NAACL file does not say how many sentence pairs there are; the text does.
        sentences = None if options["gold_format"] in {"pharaoh", "blinker"} else len(text)
        gold = read_gold(options["gold"], options["gold_format"], sentences=sentences)
    for path, value in ((alignment, links), (options["other"], other), (options["gold"], gold)):
        if value is None:
            continue
        if len(value) != len(text):
            both = [(display_name(path), len(value)), (display_name(options["source"]), len(text))]
            (shorter, short), (longer, long) = sorted(both, key=lambda pair: pair[1])
            raise UnequalLengthError(shorter=shorter, shorter_len=short, longer=longer, longer_len=long)
        try:
            value.check_within(text.source_lengths, text.target_lengths)
        except DataError as problem:
            raise DataError(f"{display_name(path)}: {problem}") from None
    return _Inputs(text, links, gold, other)


def _stop(first: int, limit: int | None, default: int, size: int) -> int:
    """Return the end of the shown pairs."""
    if limit == 0:
        return size
    return min(size, first + (limit or default))
