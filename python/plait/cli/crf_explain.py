"""``plait crf explain``: the terms behind the labels of sequences."""

from __future__ import annotations

import json
from typing import Any

import click

from plait.cli.crf_options import INPUT, OUTPUT, model_option
from plait.cli.groups import GroupedCommand, option
from plait.cli.run_options import threads_option
from plait.crf import ChainCRF, Explanation, Sequences
from plait.crf.reading import FORMATS
from plait.io.atomic import OutputFile

EXAMPLES = """
plait crf explain -m chunks.plait new.txt
plait crf explain -m chunks.plait --given --json gold.txt > terms.jsonl
"""


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="Show why: weights, scores and probabilities.")
@click.argument("file", metavar="FILE")
@model_option()
@option(
    INPUT,
    "--format",
    "format_",
    type=click.Choice(FORMATS),
    help="The format of FILE; by default that of the training data. A label at the end (conll) may be missing.",
)
@option(INPUT, "--given", is_flag=True, help="Explain the labels of FILE, not the most likely ones.")
@option(OUTPUT, "-o", "--out", metavar="FILE", default="-", help="Where it goes; '-' is standard output.")
@option(OUTPUT, "--json", "as_json", is_flag=True, help="A JSON object a sequence, with all terms and marginals.")
@option(OUTPUT, "--force", is_flag=True, help="Replace an output that exists.")
@threads_option(independent="Results do")
def command(file: str, **options: Any) -> None:
    """Print what makes the probability of the labels of each sequence of FILE; '-' is standard input.

    For each position: its label, the probability of that label, what its attributes add up to and the weight of the
    pair with the label before; below, the attributes with the largest weights. An empty line follows each sequence.
    """
    model = ChainCRF.load(options["model"])
    model.threads = options["threads"]
    data = Sequences.read(file, format=options["format_"] or model.format or "conll", model=model)
    found = model.explain(data, given=options["given"])
    with OutputFile(options["out"], force=options["force"]) as out:
        for one in found:
            text = json.dumps(_as_dict(one), ensure_ascii=False) if options["as_json"] else f"{one}\n"
            out.write(f"{text}\n".encode())


def _as_dict(found: Explanation) -> dict[str, Any]:
    return {
        "labels": found.labels,
        "log_probability": found.log_probability,
        "score": found.score,
        "log_z": found.log_z,
        "transitions": found.transition_scores.tolist(),
        "terms": [[term._asdict() for term in found.terms(position)] for position in range(len(found.labels))],
        "marginals": [dict(zip(found.classes, row, strict=True)) for row in found.marginals.tolist()],
    }
