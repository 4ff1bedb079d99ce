"""``plait eval``: alignment error rate with bootstrap intervals."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Any

import click

from plait.alignments import Alignments
from plait.bitext import Bitext
from plait.cli.groups import GroupedCommand, option
from plait.errors import DataError, UnequalLengthError
from plait.io.link_blocks import check_one_standard_input
from plait.io.streams import display_name
from plait.metrics import (
    GOLD_FORMATS,
    Bootstrap,
    Gold,
    PairedBootstrap,
    Scores,
    bootstrap,
    paired_bootstrap,
    read_gold,
    score,
)

GOLD, TEXT, STATISTICS, OUTPUT = "Gold standard", "Text", "Statistics", "Output"
LABELS = {"aer": "AER", "precision": "precision", "recall": "recall", "f1": "F1"}
EXAMPLES = """
plait eval out.align test.gold
plait eval out.align test.wa.nonullalign --format naacl --sentences 447
plait eval out.align test.gold --compare other.align --bootstrap 10000
plait eval out.align test.gold --json > scores.json
"""


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="Score links against a gold standard.")
@click.argument("alignment", type=str)
@click.argument("gold", type=str)
@option(
    GOLD,
    "--format",
    "format_",
    type=click.Choice(GOLD_FORMATS),
    default="auto",
    help="pharaoh: i-j sure, i?j or ipj possible; naacl: 'sentence i j S|P', from 1; blinker: a folder or a file "
    "of 'i j', from 1; auto looks at the file.",
)
@option(
    GOLD,
    "--sentences",
    type=click.IntRange(min=1),
    help="Number of sentence pairs of a NAACL file, when the last ones have no link.",
)
@option(
    GOLD, "--base", type=click.IntRange(0, 1), default=0, help="The number of the first word in Pharaoh gold lines."
)
@option(
    TEXT,
    "-s",
    "--source",
    metavar="FILE",
    type=str,
    help="Source side, to check that no link lies outside of its sentence.",
)
@option(TEXT, "-t", "--target", metavar="FILE", type=str, help="Target side.")
@option(
    STATISTICS,
    "--compare",
    metavar="FILE",
    type=str,
    help="Links of another system: differences with intervals and p-values.",
)
@option(
    STATISTICS,
    "--bootstrap",
    "resamples",
    type=click.IntRange(min=0),
    default=1000,
    help="Resamples of the sentence pairs for intervals and p-values; 0 for none.",
)
@option(
    STATISTICS,
    "--confidence",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    help="Of the intervals.",
)
@option(STATISTICS, "--seed", type=click.IntRange(min=0), default=1, help="Of the resamples.")
@option(OUTPUT, "--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(alignment: str, gold: str, **options: Any) -> None:
    """Score links against a gold standard: AER, precision, recall and F1.

    ALIGNMENT is a file of lines 'i-j ..', counted from 0, with one line for each sentence pair of the file
    GOLD; one of the inputs may be '-', standard input. AER is 1 - (|A & S| + |A & P|) / (|A| + |S|) for links
    A, sure links S and possible links P. Intervals are percentiles over resampled sentence pairs.
    """
    compared = options["compare"]
    if (options["source"] is None) != (options["target"] is None):
        raise click.UsageError("-s and -t go together")
    if compared is not None and not options["resamples"]:
        raise click.UsageError("--compare needs resamples: --bootstrap must be above 0")
    check_one_standard_input([path for path in (alignment, gold, compared) if path is not None])
    standard = read_gold(gold, options["format_"], sentences=options["sentences"], base=options["base"])
    links = _read(alignment, gold, standard, options)
    if compared is None:
        if options["resamples"]:
            result: Bootstrap | Scores = bootstrap(links, standard, **_resampling(options))
        else:
            result = score(links, standard)
        lines = _scores_as_lines(result)
        data = {"scores": asdict(result)} if isinstance(result, Scores) else asdict(result)
        data |= {"alignment": alignment, "gold": gold}
    else:
        paired = paired_bootstrap(links, _read(compared, gold, standard, options), standard, **_resampling(options))
        lines = _pair_as_lines(paired, alignment, compared)
        data = asdict(paired) | {"alignment": alignment, "compare": compared, "gold": gold}
    if options["as_json"]:
        click.echo(json.dumps(_without_nan(data), indent=2, ensure_ascii=False))
    else:
        click.echo("\n".join(lines))


def _resampling(options: dict[str, Any]) -> dict[str, Any]:
    return {name: options[name] for name in ("resamples", "confidence", "seed")}


def _read(path: str, gold_path: str, gold: Gold, options: dict[str, Any]) -> Alignments:
    """Read links that must fit the gold standard and, if given, the text."""
    links = Alignments.read(path)
    if len(links) != len(gold):
        both = [(display_name(path), len(links)), (display_name(gold_path), len(gold))]
        (shorter, short), (longer, long) = sorted(both, key=lambda pair: pair[1])
        problem = UnequalLengthError(shorter=shorter, shorter_len=short, longer=longer, longer_len=long)
        if len(gold) < len(links) and options["format_"] != "pharaoh" and options["sentences"] is None:
            raise DataError(
                f"{problem} (if the gold standard is a NAACL file whose last pairs have no link: --sentences)"
            )
        raise problem
    if options["source"] is not None:
        text = Bitext.read(options["source"], options["target"])
        for what, name in ((links, path), (gold, gold_path)):
            try:
                what.check_within(text.source_lengths, text.target_lengths)
            except DataError as problem:
                raise DataError(f"{display_name(name)}: {problem}") from None
    return links


def _scores_as_lines(result: Bootstrap | Scores) -> list[str]:
    scores = result if isinstance(result, Scores) else result.scores
    lines = []
    for rate, label in LABELS.items():
        line = f"{label:<10}{_percent(getattr(scores, rate)):>8}"
        if isinstance(result, Bootstrap):
            interval = result.intervals[rate]
            line += f"   [{_percent(interval.low)}, {_percent(interval.high)}]"
        lines.append(line)
    lines.append(
        f"{scores.links:,} links, {scores.sure:,} sure and {scores.possible - scores.sure:,} possible gold links, "
        f"{scores.sentences:,} sentence pairs"
    )
    if isinstance(result, Bootstrap):
        lines.append(f"{_footnote(result)}; all rates in percent")
    return lines


def _pair_as_lines(result: PairedBootstrap, a: str, b: str) -> list[str]:
    lines = [f"A: {display_name(a)}", f"B: {display_name(b)}", f"{'':<10}{'A':>8}{'B':>8}{'A - B':>9}"]
    for rate, label in LABELS.items():
        interval, p_value = result.intervals[rate], result.p_values[rate]
        lines.append(
            f"{label:<10}{_percent(getattr(result.a, rate)):>8}{_percent(getattr(result.b, rate)):>8}"
            f"{_percent(result.differences[rate], sign='+'):>9}   "
            f"[{_percent(interval.low, sign='+')}, {_percent(interval.high, sign='+')}]   "
            f"p {'-' if math.isnan(p_value) else f'{p_value:.4f}'}"
        )
    lines.append(f"{_footnote(result)} of the differences; two-sided p-values; all rates in percent")
    return lines


def _footnote(result: Bootstrap | PairedBootstrap) -> str:
    return f"{100 * result.confidence:g} % intervals from {result.resamples:,} resamples (seed {result.seed})"


def _percent(rate: float, *, sign: str = "") -> str:
    return "-" if math.isnan(rate) else f"{100 * rate:{sign}.2f}"


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nan(entry) for key, entry in value.items()}
    if isinstance(value, float) and math.isnan(value):
        return None
    return value
