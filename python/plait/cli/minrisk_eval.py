"""``plait minrisk eval``: BLEU of translations, and whether it is better than that of others."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import click

from plait.cli.groups import GroupedCommand, option
from plait.cli.minrisk_inputs import read_lines, read_references
from plait.errors import DataError
from plait.io.link_blocks import check_one_standard_input
from plait.io.streams import display_name
from plait.minrisk import TOKENIZERS, Quality, evaluate

TEXT, STATISTICS, OUTPUT = "Text", "Statistics", "Output"
EXAMPLES = """
plait minrisk eval out.en -r test.en
plait minrisk eval out.en -r test.en.0 -r test.en.1 --baseline old.en --bootstrap 10000
plait minrisk eval out.en -r test.en --json > bleu.json
"""


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="BLEU with intervals, and against a baseline.")
@click.argument("translations", metavar="FILE")
@option(
    TEXT,
    "-r",
    "--reference",
    "references",
    metavar="FILE",
    multiple=True,
    required=True,
    help="A reference for each line; several times for several references.",
)
@option(TEXT, "--baseline", metavar="FILE", help="Translations of another system: the difference and its p-value.")
@option(
    TEXT,
    "--tokenize",
    type=click.Choice(TOKENIZERS),
    default="none",
    help="How words are cut: none takes what stands between spaces; the others are those of sacrebleu (extra bleu).",
)
@option(
    STATISTICS,
    "--bootstrap",
    "resamples",
    metavar="N",
    type=click.IntRange(min=0),
    default=1000,
    help="Resamples of the sentences for intervals and p-values; 0 for none.",
)
@option(
    STATISTICS,
    "--confidence",
    metavar="P",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    help="Of the intervals.",
)
@option(STATISTICS, "--seed", metavar="N", type=click.IntRange(min=0), default=1, help="Of the resamples.")
@option(OUTPUT, "--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(translations: str, **options: Any) -> None:
    """Score translations with BLEU, from 0 to 100.

    FILE has a sentence a line, as many as each reference. With the extra bleu the figure is that of sacrebleu; without
    it plait computes the same. Intervals are percentiles over resampled sentences.
    """
    baseline = options["baseline"]
    if baseline is not None and not options["resamples"]:
        raise click.UsageError("--baseline needs resamples: --bootstrap must be above 0")
    check_one_standard_input([translations, *options["references"], *([] if baseline is None else [baseline])])
    streams = read_references(options["references"])
    found = evaluate(
        _lines(translations, streams, options),
        streams,
        baseline=None if baseline is None else _lines(baseline, streams, options),
        tokenize=options["tokenize"],
        resamples=options["resamples"],
        confidence=options["confidence"],
        seed=options["seed"],
    )
    if options["as_json"]:
        click.echo(json.dumps(asdict(found), ensure_ascii=False))
    else:
        click.echo("\n".join(_report(found)))


def _lines(path: str, streams: list[list[str]], options: dict[str, Any]) -> list[str]:
    lines = read_lines(path)
    if len(lines) != len(streams[0]):
        raise DataError(
            f"{display_name(path)} has {len(lines)} lines, and {display_name(options['references'][0])} "
            f"{len(streams[0])}; there must be a translation of each sentence, an empty line where there is none"
        )
    return lines


def _report(found: Quality) -> list[str]:
    precisions = "/".join(f"{100 * precision:.1f}" for precision in found.precisions)
    lines = [
        f"BLEU        {100 * found.bleu:.2f}{_interval(found.estimate)}",
        f"            {precisions} (brevity penalty {found.brevity_penalty:.3f}, {found.words:,} words, "
        f"{found.reference_words:,} in references, {found.sentences:,} sentences)",
    ]
    if found.comparison is not None:
        lines += [
            f"baseline    {100 * found.comparison.baseline:.2f}",
            f"difference  {100 * found.comparison.difference:+.2f}{_interval(found.comparison)}"
            f"   p {found.comparison.p_value:.4f}",
        ]
    if found.estimate is not None:
        lines.append(
            f"{100 * found.estimate.confidence:g} % intervals from {found.estimate.resamples:,} resamples "
            f"(seed {found.estimate.seed})" + ("; two-sided p-values" if found.comparison is not None else "")
        )
    return [*lines, found.signature]


def _interval(estimate: Any) -> str:
    if estimate is None:
        return ""
    return f"   [{100 * estimate.interval.low:.2f}, {100 * estimate.interval.high:.2f}]"
