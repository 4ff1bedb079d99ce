"""``plait reorder eval``: how good a model is on held-out examples."""

from __future__ import annotations

import json
from typing import Any

import click

from plait.cli.groups import GroupedCommand, option
from plait.cli.reorder_model import read_for
from plait.reorder.evaluation import Comparison, Evaluation, compare, evaluate
from plait.reorder.files import load

EXAMPLES = """
plait reorder eval -m reorder.plait held-out.gz
plait reorder eval -m dual.plait --against lexical.plait held-out.gz --json
"""


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="Error rate, log-loss, confusion on examples.")
@click.argument("examples", type=str)
@option("Input", "-m", "--model", metavar="FILE", required=True, help="A model of plait reorder train.")
@option("Input", "--against", metavar="FILE", help="Another model, to compare with on the same examples.")
@option("Output", "--json", "as_json", is_flag=True, help="Write one object of JSON.")
def command(**options: Any) -> None:
    """Measure a model on examples whose classes are known, '-' for standard input.

    The majority error is that of always saying the most frequent class. Log-loss is the mean of -log p(true class) in
    nats.
    """
    if options["against"] is not None and options["examples"] == "-":
        raise click.UsageError("two models read the examples twice; give a file instead of '-'")
    model = load(options["model"])
    examples = read_for(model, options["examples"])
    found = evaluate(model, examples)
    other: Evaluation | None = None
    comparison: Comparison | None = None
    if options["against"] is not None:
        second = load(options["against"])
        others = read_for(second, options["examples"])
        other, comparison = evaluate(second, others), compare(model, second, examples, others)
    if options["as_json"]:
        record = found.to_dict()
        if other is not None and comparison is not None:
            record["against"] = other.to_dict() | {
                "first_only": comparison.first_only,
                "second_only": comparison.second_only,
                "p_value": comparison.p_value,
            }
        click.echo(json.dumps(record))
        return
    click.echo(_text(found))
    if other is not None and comparison is not None:
        click.echo(f"\nagainst {options['against']}\n{_text(other)}")
        counts = f"{comparison.first_only:,} / {comparison.second_only:,}"
        click.echo(f"right in one only  {counts}, p = {comparison.p_value:.3g} (McNemar)")


def _text(found: Evaluation) -> str:
    lines = [
        f"examples        {found.examples:,}",
        f"error rate      {100 * found.error_rate:.2f}%",
        f"majority error  {100 * found.majority_error:.2f}%",
        f"log-loss        {found.log_loss:.4f} nats",
        "",
    ]
    width = max(map(len, [*found.classes, "true class"]))
    cell = max(8, *map(len, found.classes))
    names = " ".join(name.rjust(cell) for name in found.classes)
    lines.append(f"{'true class'.ljust(width)} {names}   recall")
    for name, row, recall in zip(found.classes, found.confusion.tolist(), found.recall.tolist(), strict=True):
        counts = " ".join(str(count).rjust(cell) for count in row)
        lines.append(f"{name.ljust(width)} {counts}  {100 * recall:6.2f}%")
    return "\n".join(lines)
