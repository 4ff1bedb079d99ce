"""``plait forest expect``: partition functions, entropies, risks and their gradients."""

from __future__ import annotations

import json
from typing import Any

import click
import numpy as np

from plait.cli.forest_options import chosen, edge_weights, input_options, named_weights, read, weight_options
from plait.cli.groups import GroupedCommand, option
from plait.errors import ConfigError
from plait.hypergraph.distribution import Distribution
from plait.hypergraph.features import SparseFeatures
from plait.hypergraph.forest import Forest

OUTPUT, WHAT = "Output", "Quantities"
EXAMPLES = """
plait forest expect forest.json.gz --weights weights.txt
plait forest expect forests.hg.items --weights 1,1.07,0.75,0.59,-2.84 --scale -1 --loss-feature 5 --sentence 0 --json
"""


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="log Z, entropy, risk, and their gradients.")
@click.argument("forests", metavar="FILE")
@input_options()
@weight_options("the log-linear model")
@option(
    WHAT,
    "--loss-feature",
    metavar="N|NAME",
    help="The feature, by number from 0 or by name, whose sum is the loss of a derivation.",
)
@option(OUTPUT, "--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(forests: str, **options: Any) -> None:
    """Print log Z and the entropy of the distribution over derivations; with a loss, the risk and the gradients.

    The log weight of an edge is the weighted sum of its features, times --scale. Logarithms are natural, entropies in
    nats, gradients with respect to the weights. Of several forests, the sums stand first: the objective of
    minimum-risk training over all of them.
    """
    found = [quantities(number, forest, options) for number, forest in chosen(read(forests, options), forests, options)]
    result = found[0] if len(found) == 1 else _sums(found)
    if options["as_json"]:
        click.echo(json.dumps(result, ensure_ascii=False))
        return
    click.echo(describe(result))


def quantities(number: int, forest: Forest, options: dict[str, Any]) -> dict[str, Any]:
    """Return what is printed of one forest."""
    distribution = Distribution(forest.graph, edge_weights(forest, options))
    result: dict[str, Any] = {"sentence": number, "log_z": distribution.log_z, "entropy": distribution.entropy}
    if options["weights"] is None:
        if options["loss_feature"] is not None:
            result["risk"] = distribution.expectation(_loss(forest, options["loss_feature"]))
        return result
    names = forest.features.names
    count = len(named_weights(options["weights"], names))
    scale = options["scale"]

    def gradient(values: Any) -> list[float]:
        return [float(x) * scale for x in distribution.covariance_with(values, forest.features)[:count]]

    result["features"] = list(names[:count])
    result["expectations"] = distribution.expectations(forest.features)[:count].tolist()
    # dH = -Cov(gradient, ln p) = Cov(gradient, -ln p), as the expectation of d ln p is 0.
    result["grad_entropy"] = gradient(distribution.surprisals())
    if options["loss_feature"] is not None:
        loss = _loss(forest, options["loss_feature"])
        result["risk"] = distribution.expectation(loss)
        result["grad_risk"] = gradient(loss)
    return result


def describe(result: dict[str, Any]) -> str:
    """Return the quantities as lines for a person: single numbers, then a line for each feature."""
    lines = [f"{name:<12} {value:.12g}" for name, value in result.items() if isinstance(value, int | float)]
    vectors = [name for name in ("expectations", "grad_entropy", "grad_risk") if name in result]
    if vectors:
        names = result["features"]
        width = max(map(len, ("feature", *names)))
        lines.append(" ".join([f"{'feature':<{width}}", *(f"{name:>18}" for name in vectors)]))
        for n, name in enumerate(names):
            lines.append(" ".join([f"{name:<{width}}", *(f"{result[vector][n]:>18.12g}" for vector in vectors)]))
    return "\n".join(lines)


def _loss(forest: Forest, name: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the value of the loss on each edge."""
    names = forest.features.names
    if name in names:
        number = names.index(name)
    elif name.isascii() and name.isdigit() and int(name) < len(names):
        number = int(name)
    else:
        raise ConfigError(name="--loss-feature", expected=f"the name of a feature, or below {len(names)}", found=name)
    unit = np.zeros(len(names))
    unit[number] = 1.0
    features: SparseFeatures = forest.features
    return features.scores(unit)


def _sums(found: list[dict[str, Any]]) -> dict[str, Any]:
    sums: dict[str, Any] = {"sentences": len(found)}
    for name in ("log_z", "entropy", "risk"):
        if found and name in found[0]:
            sums[name] = sum(each[name] for each in found)
    if found and "features" in found[0]:
        sums["features"] = found[0]["features"]
    for name in ("expectations", "grad_entropy", "grad_risk"):
        if found and name in found[0]:
            sums[name] = np.sum([each[name] for each in found], axis=0).tolist()
    return {**sums, "forests": found}
