"""``plait crf convert``: models of plait, CRFsuite and CRF++ from one format to another."""

from __future__ import annotations

import os
from typing import Any

import click

from plait.cli.crf_options import OUTPUT
from plait.cli.groups import GroupedCommand, option
from plait.crf import ChainCRF, write_crfsuite

EXAMPLES = """
plait crf convert chunks.plait chunks.crfsuite
plait crf convert old.crfsuite new.plait
plait crf convert --to plait model.txt chunks.plait
"""


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="Models of CRFsuite and CRF++, and for CRFsuite.")
@click.argument("model", metavar="MODEL")
@click.argument("out", metavar="OUT")
@option(
    OUTPUT,
    "--to",
    "format_",
    type=click.Choice(["auto", "plait", "crfsuite"]),
    default="auto",
    help="The format of OUT; by default crfsuite for a name that ends with .crfsuite, else plait.",
)
@option(OUTPUT, "--single", is_flag=True, help="plait: store weights in single precision, half the size.")
@option(OUTPUT, "--force", is_flag=True, help="Replace an output that exists.")
def command(model: str, out: str, **options: Any) -> None:
    """Read MODEL, of whatever format, and write it to OUT.

    Read are plait's models, CRFsuite's (those of python-crfsuite, sklearn-crfsuite and chaine too), and CRF++'s, binary
    or text; the format is told by the content. The new model has the same weights, so the same labels and
    probabilities. Not all formats hold all: templates and figures of training are lost in CRFsuite's.
    """
    to_crfsuite = options["format_"] == "crfsuite" or (
        options["format_"] == "auto" and os.fspath(out).endswith(".crfsuite")
    )
    if to_crfsuite and options["single"]:
        raise click.UsageError("--single is for plait's format; CRFsuite stores weights in double precision")
    found = ChainCRF.load(model)
    if to_crfsuite:
        write_crfsuite(found, out, force=options["force"])
    else:
        found.save(out, force=options["force"], single=options["single"])
    weights = sum(weight != 0 for weight in found.core.stored()["weights"])
    lost = " (templates have no place in it)" if to_crfsuite and found.template is not None else ""
    click.echo(
        f"{weights:,} weights that are not 0, for {len(found.classes_):,} labels: "
        f"{out} in the format of {'CRFsuite' if to_crfsuite else 'plait'}{lost}",
        err=True,
    )
