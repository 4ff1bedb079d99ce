"""``plait translit eval``: the measures of NEWS on words with references."""

from __future__ import annotations

import json
from typing import Any

import click

from plait.cli.groups import GroupedCommand, option
from plait.cli.run_options import json_option, threads_option
from plait.cli.translit_options import MODEL, OUTPUT, entries_of, format_options, model_option
from plait.metrics.transliteration import MEASURES, evaluate
from plait.translit import TwoStepCRF
from plait.translit.loading import load
from plait.translit.systems import splitter

EXAMPLES = """
plait translit eval -m names.plait test.tsv
plait translit eval -m names.plait test.tsv --json
"""
_SHOWN = {"acc": "ACC", "f_score": "mean F-score", "mrr": "MRR", "map_ref": "MAP_ref"}


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="ACC, F-score, MRR and MAP_ref on test words.")
@click.argument("file", metavar="FILE")
@model_option()
@option(MODEL, "-n", "--nbest", metavar="N", type=click.IntRange(min=1), default=10, help="Candidates of each word.")
@format_options()
@option(
    OUTPUT,
    "--resamples",
    metavar="N",
    type=click.IntRange(min=0),
    default=1000,
    help="Of the words, for 95% confidence intervals; 0 for none.",
)
@option(OUTPUT, "--seed", metavar="N", type=click.IntRange(min=0), default=1, help="Of the resamples.")
@json_option()
@threads_option(independent="Results do")
def command(file: str, **options: Any) -> None:
    """Transliterate the sources of FILE and compare with its targets ('-' is standard input).

    Decodings per word are those of both random fields that the best target takes with early stopping; without, they are
    one and the number of segmentations.
    """
    model = load(options["model"])
    model.threads = options["threads"]
    entries = entries_of(file, options)
    words = [entry.source for entry in entries]
    lists = model.nbest(words, options["nbest"])
    found = evaluate(
        [[candidate.target for candidate in own] for own in lists],
        [entry.targets for entry in entries],
        split=splitter(model),
    )
    facts: dict[str, Any] = found.as_dict()
    if options["resamples"]:
        intervals = found.intervals(resamples=options["resamples"], seed=options["seed"])
        facts["intervals"] = {name: [own.low, own.high] for name, own in intervals.items()}
    two_step = next((s for s in getattr(model, "systems", [model]) if isinstance(s, TwoStepCRF)), None)
    facts["decodings_per_word"] = None if two_step is None else two_step.decode(words).decodings_per_word
    if options["as_json"]:
        click.echo(json.dumps(facts, ensure_ascii=False))
        return
    lines = [f"{facts['words']} words"]
    for name in MEASURES:
        low_high = facts.get("intervals", {}).get(name)
        shown = "" if low_high is None else f"  ({low_high[0]:.4f} to {low_high[1]:.4f})"
        lines.append(f"{_SHOWN[name]:>14}: {facts[name]:.4f}{shown}")
    if two_step is not None:
        lines.append(f"{'decodings':>14}: {facts['decodings_per_word']:.2f} a word with early stopping")
    click.echo("\n".join(lines))
