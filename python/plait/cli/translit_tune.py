"""``plait translit tune``: weights of several systems."""

from __future__ import annotations

import json
import math
from typing import Any

import click

from plait import models
from plait.cli.groups import GroupedCommand, option
from plait.cli.run_options import json_option, threads_option
from plait.cli.translit_options import INPUT, MODEL, OUTPUT, entries_of, format_options
from plait.errors import ConfigError
from plait.io.atomic import OutputFile
from plait.translit import Interpolation
from plait.translit.interpolation import KIND
from plait.translit.loading import load
from plait.translit.systems import splitter
from plait.translit.tuning import GOALS, Curve, line, tune

EXAMPLES = """
plait translit tune joint.plait jscm.plait --dev dev.tsv -o both.plait
plait translit tune both.plait --dev dev.tsv --measure mrr -o mrr.plait --plot curve.png
"""


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="Choose the weights of several systems.")
@click.argument("model", metavar="MODEL...", nargs=-1, required=True)
@option(INPUT, "--dev", metavar="FILE", required=True, help="Word pairs to choose the weights on.")
@format_options()
@option(MODEL, "--measure", type=click.Choice(GOALS), default="acc", help="What the weights make largest.")
@option(MODEL, "--candidates", metavar="N", type=click.IntRange(min=1), default=10, help="Asked of each system.")
@option(
    MODEL,
    "--absent",
    type=click.Choice(["score", "zero"]),
    default="score",
    help="A candidate that a system's list lacks: ask the system, or take probability 0.",
)
@option(OUTPUT, "-o", "--out", metavar="FILE", required=True, help="The model of all systems together.")
@option(
    OUTPUT,
    "--plot",
    metavar="FILE",
    help="The measures for all weights of two systems, .png or .svg; needs pip install 'plait[plot]'.",
)
@option(OUTPUT, "--force", is_flag=True, help="Replace files that exist.")
@json_option()
@threads_option(independent="Results do")
def command(model: tuple[str, ...], **options: Any) -> None:
    """Choose weights of the systems MODEL (or of those that one MODEL holds) on word pairs that were held out.

    The best weight of two systems is found exactly, of more by a search over lines. Lists are made once.
    """
    systems: list[Any] = []
    for path in model:
        found = load(path)
        systems += found.systems if isinstance(found, Interpolation) else [found]
    mixed = Interpolation(
        systems, candidates=options["candidates"], absent=options["absent"], measure=options["measure"]
    )
    mixed.threads = options["threads"]
    kind = None if options["plot"] is None else options["plot"].rpartition(".")[2]
    if kind not in (None, "png", "svg"):
        raise ConfigError(name="--plot", expected="a name that ends in .png or .svg", found=repr(options["plot"]))
    if kind is not None and len(systems) != 2:
        raise ConfigError(name="--plot", expected="used with two systems", found=f"{len(systems)} systems")
    entries = entries_of(options["dev"], options)
    references = [entry.targets for entry in entries]
    with OutputFile(options["out"], force=options["force"]) as out:
        pool = mixed.pool([entry.source for entry in entries])
        tuned = tune(pool, references, measure=options["measure"], split=splitter(mixed))
        mixed.weights = tuned.weights
        models.write_to(out, KIND, *mixed.stored())
    if kind is not None:
        curves = {
            name: line(pool, references, measure=name, split=splitter(mixed)) for name in ("acc", "f_score", "mrr")
        }
        _plot(curves, tuned.weights[0], options["plot"], kind, force=options["force"])
    # No system has a right target of any word: a logarithm that JSON has no number for.
    value = tuned.value if math.isfinite(tuned.value) else None
    facts = {"weights": list(tuned.weights), "measure": options["measure"], "value": value, "words": len(entries)}
    if options["as_json"]:
        click.echo(json.dumps(facts))
    else:
        shown = " ".join(f"{weight:.4f}" for weight in tuned.weights)
        click.echo(f"weights {shown}: {options['measure']} {tuned.value:.4f} on {len(entries)} words")


def _plot(curves: dict[str, Curve], chosen: float, path: str, kind: str, *, force: bool) -> None:
    from plait.viz.figures import render
    from plait.viz.transliteration import weight_figure

    with OutputFile(path, force=force) as out:
        out.write(render(weight_figure(curves, chosen), kind))
