"""``plait reorder select``: what a model loses with fewer features."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import click

from plait.cli.groups import GroupedCommand, option
from plait.errors import ConfigError
from plait.io.atomic import OutputFile
from plait.reorder.bayes import NaiveBayes
from plait.reorder.classifier import Classifier
from plait.reorder.dual import DualLogistic
from plait.reorder.examples import Examples
from plait.reorder.selection import selection_curve
from plait.reorder.tally import ExampleCounts

SHARES = "1,0.9,0.75,0.5,0.25,0.1,0.05"
EXAMPLES = """
plait reorder select examples.gz held-out.gz
plait reorder select examples.gz held-out.gz --information nmi --shares 1,0.5,0.1 --json
plait reorder select examples.gz held-out.gz --plot selection.png
"""


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="Error rate by the share of features kept.")
@click.argument("examples", type=str)
@click.argument("held_out", type=str)
@option(
    "Model",
    "--model",
    metavar="MODEL",
    type=click.Choice(["bayes-map", "bayes", "dual"]),
    default="bayes-map",
    help="bayes-map, bayes or dual.",
)
@option(
    "Model",
    "--threshold",
    metavar="N",
    type=click.IntRange(min=0),
    default=10,
    help="Drop features that occur so often or less.",
)
@option(
    "Selection",
    "--information",
    metavar="WHAT",
    type=click.Choice(["mi", "nmi"]),
    default="mi",
    help="mi: mutual information; nmi: normalised as in the paper, which favours rare features.",
)
@option("Selection", "--shares", metavar="S,..", default=SHARES, help="Shares of the features to keep.")
@option("Output", "--json", "as_json", is_flag=True, help="Write one array of JSON.")
@option("Output", "--plot", metavar="FILE", help="A picture, .png or .svg; needs pip install 'plait[plot]'.")
@option("Output", "--force", is_flag=True, help="Replace a picture that exists.")
def command(**options: Any) -> None:
    """Train on the features with the most information, fewer and fewer, and measure on held-out examples."""
    if options["examples"] == options["held_out"] == "-":
        raise click.UsageError("standard input can be read once only; give files")
    shares = [_share(text) for text in options["shares"].split(",")]
    model = _model(options["model"])
    train: Examples | ExampleCounts
    if options["model"] == "dual":
        train = Examples.read(options["examples"], threshold=options["threshold"])
    else:
        train = ExampleCounts.read(options["examples"], threshold=options["threshold"], values=True)
    held_out = Examples.read(options["held_out"], vocabulary=train.vocabulary, classes=train.classes)
    points = selection_curve(model, train, held_out, shares, normalized=options["information"] == "nmi")
    if options["plot"] is not None:
        from plait.viz.figures import render
        from plait.viz.reordering import selection_figure

        with OutputFile(options["plot"], force=options["force"]) as out:
            out.write(render(selection_figure(points), _kind(options["plot"])))
    if options["as_json"]:
        click.echo(json.dumps([dataclasses.asdict(point) for point in points]))
        return
    click.echo(f"{'share':>6} {'features':>10} {'least':>10} {'error rate':>11} {'log-loss':>9}")
    for point in points:
        click.echo(
            f"{point.share:6.3g} {point.features:10,} {point.least:10.3g} {100 * point.error_rate:10.2f}% "
            f"{point.log_loss:9.4f}"
        )


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = 0.0
    if not 0 < share <= 1:
        raise ConfigError(name="--shares", expected="numbers above 0 and at most 1, apart by commas", found=repr(text))
    return share


def _model(name: str) -> Classifier:
    if name == "dual":
        return DualLogistic()
    return NaiveBayes(inference="map" if name == "bayes-map" else "bayesian")


def _kind(path: str) -> str:
    kind = path.rpartition(".")[2]
    if kind not in ("png", "svg"):
        raise ConfigError(name="--plot", expected="a name that ends in .png or .svg", found=repr(path))
    return kind
