"""``plait forest info``: what a file of forests holds."""

from __future__ import annotations

import json
from typing import Any

import click
import numpy as np

from plait.cli.forest_options import chosen, input_options, read
from plait.cli.groups import GroupedCommand, option
from plait.hypergraph.distribution import Distribution
from plait.hypergraph.forest import Forest
from plait.io.streams import display_name

OUTPUT = "Output"
EXAMPLES = """
plait forest info forest.json.gz
plait forest info nbest.txt --sentence 3 --json
plait forest info forests.hg.items --sign costs
"""


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="Sizes of forests, and exact numbers of derivations.")
@click.argument("forests", metavar="FILE")
@input_options()
@option(OUTPUT, "--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(forests: str, **options: Any) -> None:
    """Print the size of each forest: nodes, edges, features, the exact number of derivations, and their entropy.

    The entropy, in nats, is that of the weights in the file; without any, all derivations weigh the same.
    Edges are those of the file. Axioms, told apart, are edges without tail that the file states as a property of a
    node: where a lattice ends, what a format takes as given. Of several forests, the sums stand first.
    """
    found = [facts(number, forest) for number, forest in chosen(read(forests, options), forests, options)]
    if options["as_json"]:
        click.echo(json.dumps(summary(found), ensure_ascii=False))
        return
    click.echo(f"{display_name(forests, standard='standard input')}: {len(found)} forest(s)")
    for fact in found:
        name = f"{fact['sentence']}" + (f" (id {fact['id']})" if fact["id"] is not None else "")
        cyclic = "" if fact["acyclic"] else ", cyclic"
        click.echo(
            f"{name}: {fact['nodes']} nodes, {fact['edges']} edges, {fact['axioms']} axioms, "
            f"{_short(fact['derivations'])} derivations{_entropy(fact['entropy'])}, arity {fact['arity']}, "
            f"{fact['features']} features"
            f"{', weights' if fact['weights'] else ''}{cyclic}"
        )


def facts(number: int, forest: Forest) -> dict[str, Any]:
    """Return what is printed of one forest."""
    useful = forest.graph.useful_nodes()
    return {
        "sentence": number,
        "id": forest.properties.get("id"),
        "nodes": forest.nodes,
        "edges": forest.edges - len(forest.axioms),
        "axioms": len(forest.axioms),
        "derivations": forest.derivations_text,
        "entropy": entropy(forest),
        "acyclic": forest.graph.is_acyclic,
        "roots": [forest.graph.root],
        "arity": forest.graph.arity,
        "useful_nodes": int(useful.sum()),
        "features": len(forest.features.names),
        "feature_values": len(forest.features.ids),
        "words": len(forest.words),
        "weights": forest.weights is not None,
    }


def entropy(forest: Forest) -> float | None:
    """Return the entropy of the distribution over derivations; None where they are infinitely many."""
    if not forest.graph.is_acyclic:
        return None
    return Distribution(forest.graph, np.zeros(forest.edges) if forest.weights is None else forest.weights).entropy


def summary(found: list[dict[str, Any]]) -> dict[str, Any]:
    """Return one object: that of the only forest, or the sums of all with those of each."""
    if len(found) == 1:
        return {"sentences": 1, **found[0]}
    sums = {key: sum(fact[key] for fact in found) for key in ("nodes", "edges", "axioms", "feature_values")}
    return {
        "sentences": len(found),
        **sums,
        "derivations": _sum([fact["derivations"] for fact in found]),
        "acyclic": all(fact["acyclic"] for fact in found),
        "roots": [root for fact in found for root in fact["roots"]],
        "features": max((fact["features"] for fact in found), default=0),
        "words": max((fact["words"] for fact in found), default=0),
        "forests": found,
    }


def _sum(counts: list[str]) -> str:
    """Add decimal numbers of any length."""
    if "infinity" in counts:
        return "infinity"
    # Python reads and writes integers of 4,300 digits at most; longer ones go through pieces.
    pieces: list[int] = []
    size = 4_000
    for count in counts:
        parts = [int(count[max(0, end - size) : end]) for end in range(len(count), 0, -size)]
        pieces += [0] * (len(parts) - len(pieces))
        for n, part in enumerate(parts):
            pieces[n] += part
    digits, carry = "", 0
    for piece in pieces:
        carry, part = divmod(piece + carry, 10**size)
        digits = f"{part:0{size}d}" + digits
    return (str(carry) + digits).lstrip("0") or "0"


def _entropy(nats: float | None) -> str:
    return "" if nats is None else f" (entropy {nats:.6g})"


def _short(digits: str) -> str:
    """Return a number that a line has room for."""
    return digits if len(digits) <= 20 else f"{digits[0]}.{digits[1:6]}e{len(digits) - 1}"
