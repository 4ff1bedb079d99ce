"""``plait ngram``: n-gram models, one subcommand for each thing to do with them."""

from __future__ import annotations

import click

from plait.cli.lazy_group import LazyGroup

COMMANDS = {
    "train": "plait.cli.ngram_train",
    "score": "plait.cli.ngram_score",
    "convert": "plait.cli.ngram_convert",
}


@click.group(
    cls=LazyGroup,
    modules=COMMANDS,
    short_help="N-gram models: estimate, score, convert to and from ARPA.",
)
def command() -> None:
    """Estimate n-gram models with interpolated modified Kneser-Ney smoothing, and use those of any ARPA file.

    Text has a sentence a line, tokens between spaces; compressed or not.

    \b
    Examples:
      plait ngram train -n 5 -o model.arpa.gz train.txt
      plait ngram score -m model.arpa.gz test.txt
      plait ngram convert model.arpa.gz model.plait
    """
