"""``plait reorder plot``: the active sets of training as a picture."""

from __future__ import annotations

from typing import Any

import click

from plait.cli.groups import GroupedCommand, option
from plait.errors import ConfigError
from plait.io.atomic import OutputFile
from plait.reorder.dual import DualLogistic
from plait.reorder.files import load

EXAMPLES = """
plait reorder train --epsilon 0.1 examples.gz --out e0.1.plait
plait reorder train --epsilon 1.0 examples.gz --out e1.0.plait
plait reorder plot e0.1.plait e1.0.plait -o active.png
"""


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="Draw how the active set shrank in training.")
@click.argument("models", type=str, nargs=-1, required=True)
@option("Output", "-o", "--out", metavar="FILE", required=True, help="The picture, .png or .svg.")
@option("Output", "--force", is_flag=True, help="Replace a picture that exists.")
def command(**options: Any) -> None:
    """Draw the share of active examples by pass, a line for each MODEL of plait reorder train --model dual.

    Needs pip install 'plait[plot]'.
    """
    kind = options["out"].rpartition(".")[2]
    if kind not in ("png", "svg"):
        raise ConfigError(name="--out", expected="a name that ends in .png or .svg", found=repr(options["out"]))
    models = {}
    for path in options["models"]:
        model = load(path)
        if not isinstance(model, DualLogistic):
            raise ConfigError(f"{path} has no active set; give a model of plait reorder train --model dual")
        models[path] = model
    from plait.viz.figures import render
    from plait.viz.reordering import active_figure

    with OutputFile(options["out"], force=options["force"]) as out:
        out.write(render(active_figure(models), kind))
