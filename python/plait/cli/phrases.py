"""``plait phrases``: from word-aligned text to phrase tables and reordering tables, a subcommand for each step."""

from __future__ import annotations

import click

from plait.cli.lazy_group import LazyGroup

COMMANDS = {
    "extract": "plait.cli.phrases_extract",
    "score": "plait.cli.phrases_score",
    "consolidate": "plait.cli.phrases_consolidate",
    "reordering": "plait.cli.phrases_reordering",
    "rules": "plait.cli.phrases_rules",
}


@click.group(
    cls=LazyGroup,
    modules=COMMANDS,
    short_help="Phrase pairs, phrase tables, reordering tables.",
)
def command() -> None:
    """Extract phrase pairs from word-aligned text and make the tables of a phrase-based system.

    The files are those of Moses: extract, extract.inv, extract.o, phrase-table, reordering-table.

    \b
    Examples:
      plait phrases extract train.en train.fr train.align extract.gz --model hier-msd
      plait phrases score extract.gz phrase-table.gz --lex lex
      plait phrases reordering extract.o.gz reordering-table. --model hier-msd-bidirectional-fe
    """
