"""``plait ngram score``: log-probabilities and perplexity of text."""

from __future__ import annotations

import json
import math
from typing import Any

import click

from plait.cli.groups import GroupedCommand, option
from plait.cli.run_options import json_option, threads_option
from plait.io.atomic import OutputFile
from plait.ngram import NgramModel, Perplexity

MODEL, OUTPUT = "Model", "Output"
EXAMPLES = """
plait ngram score -m model.plait test.txt
plait ngram score -m model.arpa.gz test.txt --json
plait ngram score -m model.plait test.txt --by sentence -o test.scores
"""


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="Log-probabilities and perplexity of text.")
@click.argument("file", metavar="FILE")
@option(
    MODEL, "-m", "--model", metavar="MODEL", required=True, help="A model of `plait ngram train`, or any ARPA file."
)
@option(
    OUTPUT,
    "--by",
    type=click.Choice(["text", "sentence", "token"]),
    default="text",
    help="text: perplexity of all. sentence: a logarithm a line. token: those of the words and the end of each line.",
)
@option(
    OUTPUT,
    "--base",
    type=click.Choice(["e", "10"]),
    default="e",
    help="The base of logarithms of sentences and tokens; other programs use 10.",
)
@option(OUTPUT, "-o", "--out", metavar="FILE", default="-", help="Where scores go; '-' is standard output.")
@option(OUTPUT, "--force", is_flag=True, help="Replace an output that exists.")
@json_option()
@threads_option(independent="Results do")
def command(file: str, **options: Any) -> None:
    """Score the sentences of FILE; '-' is standard input.

    A word that the model does not know has the probability of <unk>. The end of a sentence counts as a word.
    """
    if options["as_json"] and options["by"] != "text":
        raise click.UsageError("--json is for the figures of the whole text")
    model = NgramModel.load(options["model"], threads=options["threads"])
    with OutputFile(options["out"], force=options["force"]) as out:
        if options["by"] == "text":
            found = model.perplexity(file)
            text = json.dumps(_finite(found.as_dict())) + "\n" if options["as_json"] else _table(found)
            out.write(text.encode())
            return
        base = 1.0 if options["base"] == "e" else math.log(10)
        for logs in model.score(file):
            shown = logs.tolist() if options["by"] == "token" else [math.fsum(logs.tolist())]
            out.write((" ".join(f"{log / base:.9g}" for log in shown) + "\n").encode())


def _finite(figures: dict[str, Any]) -> dict[str, Any]:
    """Return figures with None for what JSON has no number for."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in figures.items()
    }


def _table(found: Perplexity) -> str:
    return (
        f"{found.sentences} sentences, {found.words} words, {found.unknown} unknown\n"
        f"log-probability {found.log_probability:.6g} (base e), perplexity {found.perplexity:.6g}, "
        f"without unknown words {found.perplexity_of_known:.6g}\n"
    )
