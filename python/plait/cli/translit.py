"""``plait translit``: transliteration and grapheme-to-phoneme conversion, one subcommand for each step."""

from __future__ import annotations

import click

from plait.cli.lazy_group import LazyGroup

COMMANDS = {
    "train": "plait.cli.translit_train",
    "decode": "plait.cli.translit_decode",
    "eval": "plait.cli.translit_eval",
    "tune": "plait.cli.translit_tune",
}


@click.group(
    cls=LazyGroup,
    modules=COMMANDS,
    short_help="Transliteration, pronunciations: train, decode, evaluate, tune.",
)
def command() -> None:
    """Turn words of one script into another, or into phones, by what pairs of words teach.

    Files have a word pair on each line, SOURCE TAB TARGET[|TARGET...], or are XML of the NEWS shared tasks; compressed
    or not. Targets with spaces between their symbols are pronunciations.

    \b
    Examples:
      plait translit train --train train.tsv --dev dev.tsv -o names.plait
      plait translit decode -m names.plait -n 5 words.txt
      plait translit eval -m names.plait test.tsv --json
    """
