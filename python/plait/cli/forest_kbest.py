"""``plait forest kbest``: the k best derivations, with words, scores and features."""

from __future__ import annotations

import json
from typing import Any

import click
import numpy as np

from plait.cli.forest_options import chosen, edge_weights, input_options, read, weight_options
from plait.cli.groups import GroupedCommand, option
from plait.hypergraph.derivations import Derivations
from plait.hypergraph.forest import Forest
from plait.hypergraph.kbest import KBest
from plait.io.atomic import OutputFile

OUTPUT, WHAT = "Output", "Derivations"
EXAMPLES = """
plait forest kbest forest.json.gz -k 10 --weights weights.txt
plait forest kbest forests.hg.items -k 100 --unique --weights 1,1.07,0.75,0.59,-2.84 --scale -1 -o nbest.txt
plait forest kbest lattice.fst -k 5 --json
"""


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="The k best derivations, or distinct strings.")
@click.argument("forests", metavar="FILE")
@option(WHAT, "-k", metavar="K", type=click.IntRange(min=1), default=1, help="How many; all, if there are fewer.")
@option(WHAT, "--unique", is_flag=True, help="Only the best derivation of each string of words.")
@input_options()
@weight_options("the order")
@option(OUTPUT, "--json", "as_json", is_flag=True, help="One JSON object a line: words, score, features, edges.")
@option(OUTPUT, "-o", "--out", metavar="FILE", default="-", help="Where the list goes; '-' is standard output.")
@option(OUTPUT, "--force", is_flag=True, help="Replace an output that exists.")
def command(forests: str, **options: Any) -> None:
    """Print the K best derivations of each forest, best first, as an n-best list of Moses.

    A line is 'id ||| words ||| features ||| score'; the score is a natural logarithm. Derivations are exact and
    distinct; ties are broken the same way each time.
    """
    with OutputFile(options["out"], force=options["force"]) as out:
        for number, forest in chosen(read(forests, options), forests, options):
            _write(number, forest, options, out)


def _write(number: int, forest: Forest, options: dict[str, Any], out: OutputFile) -> None:
    unique_by = forest.yields if options["unique"] else None
    found = KBest(forest.graph, edge_weights(forest, options, may_be_equal=True), unique_by=unique_by).take(
        options["k"]
    )
    strings = forest.yields.of_all(forest.graph, found)
    name = forest.properties.get("id", "")
    if len(name.split()) != 1:
        name = str(number)
    for n, (derivation, words) in enumerate(zip(found, strings, strict=True)):
        text = " ".join(forest.words[word] for word in words)
        features = _features(forest, found, n)
        if options["as_json"]:
            record = {
                "sentence": number,
                "id": name,
                "words": text,
                "score": derivation.weight,
                "features": features,
                "edges": derivation.edges.tolist(),
            }
            out.write((json.dumps(record, ensure_ascii=False) + "\n").encode())
        else:
            shown = " ".join(f"{key}= {value:.10g}" for key, value in features.items())
            out.write(f"{name} ||| {text} ||| {shown} ||| {derivation.weight:.10g}\n".encode())


def _features(forest: Forest, found: Derivations, number: int) -> dict[str, float]:
    """Return the sums of the features of a derivation that are in it, in the order of their ids."""
    features = forest.features
    edges = found[number].edges
    starts = features.starts.astype(np.int64)
    rows = [np.arange(starts[edge], starts[edge + 1]) for edge in edges.tolist()]
    at = np.concatenate([np.empty(0, np.int64), *rows])
    ids, inverse = np.unique(features.ids[at], return_inverse=True)
    sums = np.bincount(inverse, weights=features.values[at], minlength=len(ids))
    return {features.names[id_]: float(value) for id_, value in zip(ids.tolist(), sums, strict=True)}
