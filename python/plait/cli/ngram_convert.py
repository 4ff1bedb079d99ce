"""``plait ngram convert``: models to ARPA files and back."""

from __future__ import annotations

from typing import Any

import click

from plait.cli.groups import GroupedCommand, option
from plait.io.atomic import OutputFile
from plait.ngram import NgramModel, files
from plait.ngram.model import is_arpa_name

OUTPUT = "Output"
EXAMPLES = """
plait ngram convert model.arpa.gz model.plait
plait ngram convert model.plait model.arpa --single
plait ngram convert model.plait - | head
"""


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="Convert models to and from ARPA.")
@click.argument("model", metavar="MODEL")
@click.argument("out", metavar="OUT")
@option(OUTPUT, "--single", is_flag=True, help="ARPA with numbers of single precision, as other programs write.")
@option(OUTPUT, "--force", is_flag=True, help="Replace an output that exists.")
def command(model: str, out: str, **options: Any) -> None:
    """Write MODEL as OUT: ARPA if the name ends in .arpa or is '-', a model of plait otherwise.

    MODEL is a model of plait or the ARPA file of any program; what it is, its content tells.
    """
    is_arpa = out == "-" or is_arpa_name(out)
    if options["single"] and not is_arpa:
        raise click.UsageError("--single is for ARPA; give the output a name that ends in .arpa")
    found = NgramModel.load(model)
    with OutputFile(out, force=options["force"]) as file:
        if is_arpa:
            files.write_arpa(file, found.core, single=options["single"])
        else:
            found.write_to(file)
