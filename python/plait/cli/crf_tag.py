"""``plait crf tag``: labels for new sequences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from plait.cli.crf_options import INPUT, MODEL, OUTPUT, model_option
from plait.cli.groups import GroupedCommand, option
from plait.cli.run_options import threads_option
from plait.crf import ChainCRF, Labelling, Sequences
from plait.crf.reading import FORMATS, make_reader
from plait.errors import TextError
from plait.io.atomic import OutputFile
from plait.io.streams import display_name, read_blocks

EXAMPLES = """
plait crf tag -m chunks.plait new.txt -o new.tagged
plait crf tag -m chunks.plait new.txt -n 5
zcat new.txt.gz | plait crf tag -m chunks.plait --marginals -
"""


@click.command(
    cls=GroupedCommand, examples=EXAMPLES, short_help="Label sequences: the best, the n best, probabilities."
)
@click.argument("file", metavar="FILE")
@model_option()
@option(
    INPUT,
    "--format",
    "format_",
    type=click.Choice(FORMATS),
    help="The format of FILE; by default that of the training data. A label at the end (conll) may be missing.",
)
@option(MODEL, "-n", "--nbest", metavar="N", type=click.IntRange(min=1), help="The N best labellings of each sequence.")
@option(MODEL, "--marginals", is_flag=True, help="Add the probability of each label at its position.")
@option(
    MODEL,
    "--candidates",
    metavar="PREFIX",
    help="Choose among the labels seen in training with attributes that begin with PREFIX, whatever the model was "
    "trained over.",
)
@option(MODEL, "--all-labels", is_flag=True, help="Choose among all labels, with a model of candidates too.")
@option(OUTPUT, "-o", "--out", metavar="FILE", default="-", help="Where labels go; '-' is standard output.")
@option(OUTPUT, "--force", is_flag=True, help="Replace an output that exists.")
@threads_option(independent="Results do")
def command(file: str, **options: Any) -> None:
    """Label the sequences of FILE; '-' is standard input.

    Each line of columns is printed with a tab and its label behind, each line of attributes as its label. With -n, a
    line '# K PROBABILITY' stands before each of a sequence's labellings, K from 0.
    """
    if options["nbest"] is not None and options["marginals"]:
        raise click.UsageError(
            "-n and --marginals exclude each other: the probabilities are of labellings, or of labels"
        )
    if options["candidates"] is not None and options["all_labels"]:
        raise click.UsageError("--candidates and --all-labels exclude each other")
    model = ChainCRF.load(options["model"])
    model.threads = options["threads"]
    if options["candidates"] is not None:
        model.candidates_, model.needs_allowed_ = options["candidates"], False
    if options["all_labels"]:
        model.candidates_, model.needs_allowed_ = None, False
    format_ = options["format_"] or model.format or "conll"
    data, text = _read(file, format_, model)
    with OutputFile(options["out"], force=options["force"]) as out:
        for part in _output(model, data, _lines(text, keeps=format_ == "conll"), options):
            out.write(part.encode())


def _read(file: str, format_: Any, model: ChainCRF) -> tuple[Sequences, bytes]:
    """Return sequences, and the bytes they were made of."""
    reader = make_reader(format_, None, model, is_fixed=True)
    blocks = []
    try:
        for block in read_blocks(file):
            reader.feed(block)
            blocks.append(block)
        return Sequences(*reader.finish()), b"".join(blocks)
    except TextError as problem:
        raise problem.at(display_name(file)) from None


def _lines(text: bytes, *, keeps: bool) -> Iterator[str]:
    """Return what stands before the label on each line that is a position."""
    for line in text.decode("utf-8-sig").split("\n"):
        line = line.removesuffix("\r")
        if line.strip(" \t"):
            yield line + "\t" if keeps else ""


def _output(model: ChainCRF, data: Sequences, lines: Iterator[str], options: dict[str, Any]) -> Iterator[str]:
    if options["nbest"] is not None:
        for found in model.predict_nbest(data, options["nbest"]):
            own = [next(lines) for _ in found[0].labels]
            for number, labelling in enumerate(found):
                yield f"# {number} {labelling.probability:.6g}\n" + _sequence(own, labelling)
        return
    labels = model.predict(data)
    marginals = model.marginals(data) if options["marginals"] else [None] * len(labels)
    numbers = {name: number for number, name in enumerate(model.classes_)}
    for found_labels, matrix in zip(labels, marginals, strict=True):
        rows = []
        for position, label in enumerate(found_labels):
            shown = "" if matrix is None else f"\t{matrix[position, numbers[label]]:.6g}"
            rows.append(f"{next(lines)}{label}{shown}\n")
        yield "".join(rows) + "\n"


def _sequence(lines: list[str], labelling: Labelling) -> str:
    rows = [f"{line}{label}\n" for line, label in zip(lines, labelling.labels, strict=True)]
    return "".join(rows) + "\n"
