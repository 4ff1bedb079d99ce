"""``plait crf eval``: precision, recall and F of a model on labelled sequences."""

from __future__ import annotations

import json
from typing import Any

import click

from plait.cli.crf_options import INPUT, OUTPUT, model_option
from plait.cli.groups import GroupedCommand, option
from plait.cli.run_options import json_option, threads_option
from plait.crf import ChainCRF, Evaluation, Scores, Sequences, evaluate
from plait.crf.reading import FORMATS
from plait.errors import DataError
from plait.io.streams import display_name

EXAMPLES = """
plait crf eval -m chunks.plait test.txt
plait crf eval -m chunks.plait test.txt --json
"""


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="Precision, recall and F of a model on labelled data.")
@click.argument("file", metavar="FILE")
@model_option()
@option(
    INPUT,
    "--format",
    "format_",
    type=click.Choice(FORMATS),
    help="The format of FILE; by default that of the training data.",
)
@option(
    OUTPUT,
    "--unit",
    type=click.Choice(["auto", "chunk", "label"]),
    default="auto",
    help="What is counted: chunks of B-, I- and O, as conlleval does, or labels; auto looks at the labels.",
)
@json_option()
@threads_option(independent="Results do")
def command(file: str, **options: Any) -> None:
    """Label the sequences of FILE and compare with the labels there; '-' is standard input."""
    model = ChainCRF.load(options["model"])
    model.threads = options["threads"]
    data = Sequences.read(file, format=options["format_"] or model.format or "conll", model=model)
    if not data.positions:
        raise DataError(f"{display_name(file)}: there is no position to evaluate; the file is empty or has no text")
    found = evaluate(data.labels(), model.predict(data), unit=options["unit"])
    if options["as_json"]:
        click.echo(json.dumps(found.as_dict(), ensure_ascii=False))
    else:
        click.echo(_table(found), nl=False)


def _table(found: Evaluation) -> str:
    lines = [
        f"{found.positions} positions, accuracy {100 * found.accuracy:.2f}%",
        f"{'all':>17}: {_row(found.all)}",
        *(f"{name:>17}: {_row(scores)}" for name, scores in found.by_type.items()),
    ]
    return "\n".join(lines) + "\n"


def _row(scores: Scores) -> str:
    return (
        f"precision {100 * scores.precision:6.2f}%  recall {100 * scores.recall:6.2f}%  F1 {100 * scores.f1:6.2f}  "
        f"({scores.gold} gold, {scores.found} found, {scores.correct} correct)"
    )
