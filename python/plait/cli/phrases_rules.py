"""``plait phrases rules``: hierarchical rules of word-aligned text."""

from __future__ import annotations

from typing import Any

import click

from plait.cli.groups import GroupedCommand, option
from plait.cli.phrases_options import running
from plait.phrases.rules import RuleOptions, extract_rules_files
from plait.progress import reporter

LIMITS, OUTPUT, RUN = "Limits", "Output", "Run"
EXAMPLES = """
plait phrases rules train.en train.fr train.align rules.gz --glue-grammar glue-grammar
plait phrases score rules.gz rule-table.gz --lex lex --hierarchical
"""
DEFAULTS = RuleOptions()


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="Write hierarchical rules of word-aligned text.")
@click.argument("target", type=str)
@click.argument("source", type=str)
@click.argument("alignment", type=str)
@click.argument("out", type=str)
@option(
    LIMITS,
    "--max-span",
    metavar="N",
    type=click.IntRange(1, 100),
    default=DEFAULTS.max_span,
    help="Longest side of a phrase pair that rules are made of, in words.",
)
@option(
    LIMITS,
    "--min-gap-source",
    metavar="N",
    type=click.IntRange(min=1),
    default=DEFAULTS.min_gap_source,
    help="Fewest source words of a gap.",
)
@option(
    LIMITS,
    "--min-gap-target",
    metavar="N",
    type=click.IntRange(min=1),
    default=DEFAULTS.min_gap_target,
    help="Fewest target words of a gap.",
)
@option(
    LIMITS,
    "--min-words",
    metavar="N",
    type=click.IntRange(min=0),
    default=DEFAULTS.min_words,
    help="Fewest words of each side of a rule.",
)
@option(
    LIMITS,
    "--max-symbols-source",
    metavar="N",
    type=click.IntRange(min=1),
    default=DEFAULTS.max_symbols_source,
    help="Most words and gaps of the source side.",
)
@option(
    LIMITS,
    "--max-symbols-target",
    metavar="N",
    type=click.IntRange(min=1),
    default=DEFAULTS.max_symbols_target,
    help="Most words and gaps of the target side.",
)
@option(
    LIMITS,
    "--max-gaps",
    metavar="N",
    type=click.IntRange(min=0),
    default=DEFAULTS.max_gaps,
    help="Most gaps of a rule.",
)
@option(LIMITS, "--neighbours", is_flag=True, help="Allow gaps that are neighbours in the source.")
@option(OUTPUT, "--whole-counts", is_flag=True, help="Count each rule one, instead of its share of the phrase pair.")
@option(
    OUTPUT,
    "--weights",
    metavar="FILE",
    help="A number for each sentence pair, which the counts of its rules are multiplied by.",
)
@option(
    OUTPUT,
    "--glue-grammar",
    metavar="FILE",
    help="Also write the rules that join translations of parts, for Moses' chart decoder.",
)
@running(OUTPUT, RUN)
def command(target: str, source: str, alignment: str, out: str, **options: Any) -> None:
    """Write the rules with gaps of word-aligned text (Chiang 2007), in the format of Moses' extract-rules.

    TARGET and SOURCE are text, one sentence a line, in this order as for Moses; ALIGNMENT has links 'i-j',
    source-target, from 0. OUT gets lines 'source [X] ||| target [X] ||| i-j .. ||| count' with gaps [X][X], OUT.inv the
    same turned around. 'plait phrases score --hierarchical' makes a rule table of OUT. Memory does not grow with the
    text.
    """
    names = (
        "max_span",
        "min_gap_source",
        "min_gap_target",
        "min_words",
        "max_symbols_source",
        "max_symbols_target",
        "max_gaps",
        "neighbours",
        "whole_counts",
    )
    with reporter(options["progress"]) as report:
        done = extract_rules_files(
            target,
            source,
            alignment,
            out,
            options=RuleOptions(**{name: options[name] for name in names}),
            weights=options["weights"],
            glue_grammar=options["glue_grammar"],
            force=options["force"],
            threads=options["threads"],
            progress=report,
        )
        report.summarize(
            f"{done.pairs:,} rules of {done.sentences:,} sentence pairs",
            {"rules": done.pairs, "sentences": done.sentences},
        )
