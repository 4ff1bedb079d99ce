"""``plait crf``: labels for the positions of sequences, one subcommand for each thing to do with them."""

from __future__ import annotations

import click

from plait.cli.lazy_group import LazyGroup

COMMANDS = {
    "train": "plait.cli.crf_train",
    "tag": "plait.cli.crf_tag",
    "eval": "plait.cli.crf_eval",
    "explain": "plait.cli.crf_explain",
    "dump": "plait.cli.crf_dump",
    "convert": "plait.cli.crf_convert",
}


@click.group(
    cls=LazyGroup,
    modules=COMMANDS,
    short_help="Linear-chain conditional random fields: train, tag, evaluate.",
)
def command() -> None:
    """Label the positions of sequences with linear-chain conditional random fields.

    Files have columns as those of CoNLL's shared tasks, with CRF++'s templates, or attributes as those of CRFsuite;
    compressed or not.

    \b
    Examples:
      plait crf train -t template --l2 0.5 -o chunks.plait train.txt
      plait crf tag -m chunks.plait new.txt
      plait crf eval -m chunks.plait test.txt --json
    """
