"""``plait minrisk``: weights of features that make good translations the best ones, and what they choose."""

from __future__ import annotations

import click

from plait.cli.lazy_group import LazyGroup

COMMANDS = {
    "train": "plait.cli.minrisk_train",
    "rerank": "plait.cli.minrisk_rerank",
    "eval": "plait.cli.minrisk_eval",
}


@click.group(
    cls=LazyGroup,
    modules=COMMANDS,
    short_help="Train weights for minimum risk, rerank, score with BLEU.",
)
def command() -> None:
    """Train the weights of a translation system on its forests or n-best lists, choose translations, and score them.

    Forests and lists are those of `plait forest`. Training minimises the expected loss of linear BLEU, with or without
    deterministic annealing, or searches the largest BLEU of the best translations (MERT).

    \b
    Examples:
      plait minrisk train forests/ -r dev.en --init weights.txt -o trained.txt
      plait minrisk rerank test/ -w trained.txt -o out.en
      plait minrisk eval out.en -r test.en
    """
