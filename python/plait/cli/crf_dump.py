"""``plait crf dump``: what a model has learnt, by weight."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import click

from plait.cli.crf_options import OUTPUT, model_option
from plait.cli.groups import GroupedCommand, option
from plait.cli.run_options import json_option
from plait.crf import ChainCRF
from plait.errors import ConfigError

EXAMPLES = """
plait crf dump -m chunks.plait
plait crf dump -m chunks.plait --label B-NP --top 10
plait crf dump -m chunks.plait --top 0 --json > weights.json
"""


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="Show a model: options, labels, weights.")
@model_option()
@option(
    OUTPUT,
    "--top",
    metavar="N",
    type=click.IntRange(min=0),
    default=20,
    help="The N pairs of each sort with the largest weights by size; 0 for all.",
)
@option(OUTPUT, "--label", metavar="NAME", help="Pairs with this label only: attributes, and labels before it.")
@json_option()
def command(**options: Any) -> None:
    """Print the options of a model, how its training ended, and its weights.

    Below the lines with '#' there is a line 'KIND TAB FIRST TAB LABEL TAB WEIGHT' for each pair; KIND is transition
    (two neighbouring labels) or state (an attribute and a label). Where templates B with cells ask for them, lines
    'triple TAB ATTRIBUTE TAB LABEL TAB LABEL TAB WEIGHT' follow (an attribute of the second of two labels).
    """
    model = ChainCRF.load(options["model"])
    label = options["label"]
    if label is not None and label not in model.classes_:
        raise ConfigError(name="--label", expected=f"one of {', '.join(model.classes_)}", found=repr(label))
    pairs: dict[str, list[tuple[tuple[str, ...], float]]] = {
        "transition": _top(model.transition_features_, label, options["top"]),
        "state": _top(model.state_features_, label, options["top"]),
        "triple": _top(model.triple_features_, label, options["top"]),
    }
    facts = {
        "options": model.get_params(),
        "labels": model.classes_,
        "attributes": len(model.core.attribute_names()),
        "weights": model.core.feature_count,
        "iterations": model.n_iter_,
        "objective": float(model.history_[-1]) if len(model.history_) else None,
        "stopped_by": model.stopped_by_,
    }
    if options["as_json"]:
        listed = {kind: [[*names, weight] for names, weight in found] for kind, found in pairs.items()}
        click.echo(json.dumps(facts | listed, ensure_ascii=False))
        return
    for name, value in facts.items():
        shown = " ".join(value) if isinstance(value, list) else value
        click.echo(f"# {name}: {shown}")
    for kind, found in pairs.items():
        for names, weight in found:
            click.echo("\t".join([kind, *names, f"{weight:.6f}"]))


def _top(weights: Mapping[Any, float], label: str | None, count: int) -> list[tuple[tuple[str, ...], float]]:
    """Return the largest by size, of one label or all; ties by name."""
    own = [item for item in weights.items() if label is None or item[0][-1] == label]
    ordered = sorted(own, key=lambda item: (-abs(item[1]), item[0]))
    return ordered[:count] if count else ordered
