"""``plait phrases score``: a phrase table of extracted phrase pairs."""

from __future__ import annotations

from typing import Any

import click

from plait.cli.groups import GroupedCommand, option
from plait.cli.phrases_options import sorting, whole_table
from plait.phrases.options import DOMAIN_FEATURES, KINDS
from plait.phrases.scoring import score_files
from plait.progress import reporter

INPUT, SCORES, DOMAINS, OUTPUT, RUN = "Input", "Scores", "Domains", "Output", "Run"
EXAMPLES = """
plait lexicon -s train.fr -t train.en -a train.align -o lex --format moses
plait phrases score extract.gz phrase-table.gz --lex lex
plait phrases score extract.gz phrase-table.gz --lex lex --smoothing good-turing --compat moses
plait phrases score extract.gz phrase-table.gz --no-lex --min-count 2 --count-bins 1,2,3,6,10 --sparse-count-bins
plait phrases score extract.gz phrase-table.gz --lex lex --domains domains.txt --domain-feature indicator
"""


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="Make a phrase table.")
@click.argument("extract", type=str)
@click.argument("out", type=str)
@option(
    SCORES,
    "--lex",
    metavar="PREFIX",
    help="Lexical tables PREFIX.e2f and PREFIX.f2e, of plait lexicon --format moses; for a half, the name of one.",
)
@option(SCORES, "--no-lex", is_flag=True, help="Leave lexical weights out.")
@whole_table(SCORES, OUTPUT)
@option(SCORES, "--unaligned", is_flag=True, help="Add 2.718 to the number of words without links, for both sides.")
@option(
    SCORES,
    "--source-function-words",
    metavar="FILE",
    help="Add 2.718 to the number of source words without links that are in this list, a word a line.",
)
@option(SCORES, "--target-function-words", metavar="FILE", help="The same for target words.")
@option(
    DOMAINS,
    "--domains",
    metavar="FILE",
    help="Parts of the corpus, lines 'last-sentence name'. EXTRACT then has numbers of sentence pairs (phrases extract "
    "--sentence-ids 0).",
)
@option(
    DOMAINS,
    "--domain-feature",
    type=click.Choice(DOMAIN_FEATURES),
    help="Scores: for each domain whether the phrase pair is in it, how much of its count (as exp) comes from it, or "
    "for each subset of the domains whether it is the one the phrase pair is in.",
)
@option(DOMAINS, "--sparse-domain-feature", type=click.Choice(DOMAIN_FEATURES), help="The same as sparse features.")
@option(OUTPUT, "--no-links", is_flag=True, help="Leave the links of phrase pairs out.")
@option(
    OUTPUT,
    "--table",
    "kind",
    type=click.Choice(KINDS),
    default="both",
    help="The whole table, or one half as Moses' score writes it: direct from extract, inverse from extract.inv.",
)
@option(
    INPUT,
    "--sorted",
    "is_sorted",
    is_flag=True,
    help="Lines with the same first phrase stand together: sort nothing and keep their order. For a half.",
)
@option(INPUT, "--sentence-ids", is_flag=True, help="The fourth field is the number of the sentence pair.")
@option(
    INPUT,
    "--hierarchical",
    is_flag=True,
    help="Lines are rules with gaps [X][X] and a left-hand side, as extract-rules writes them.",
)
@option(OUTPUT, "--compat", type=click.Choice(["moses"]), help="Single precision, and counts with six digits.")
@sorting(OUTPUT, RUN)
def command(extract: str, out: str, **options: Any) -> None:
    """Make a phrase table OUT of the phrase pairs in EXTRACT, as 'plait phrases extract' writes them, in any order.

    A line is 'source ||| target ||| p(s|t) lex(s|t) p(t|s) lex(t|s) ||| i-j .. ||| c(t) c(s) c(s,t) ||| |||'. Both
    directions come from the one file; OUT.inv of the extraction is not needed. What does not fit into --memory is
    sorted on the disk.
    """
    if (options["lex"] is None) != options["no_lex"]:
        raise click.UsageError("give lexical tables with --lex PREFIX, or leave lexical weights out with --no-lex")
    with reporter(options["progress"]) as report:
        done = score_files(
            extract,
            out,
            lexical=options["lex"],
            links=not options["no_links"],
            kind=options["kind"],
            smoothing=options["smoothing"],
            scale=options["scale"],
            only_direct=options["only_direct"],
            phrase_count=options["phrase_count"],
            low_count=options["low_count"],
            unaligned=options["unaligned"],
            source_function_words=options["source_function_words"],
            target_function_words=options["target_function_words"],
            count_bins=options["count_bins"],
            sparse_count_bins=options["sparse_count_bins"],
            domains=options["domains"],
            domain_feature=options["domain_feature"],
            sparse_domain_feature=options["sparse_domain_feature"],
            sentence_ids=options["sentence_ids"],
            min_count=options["min_count"],
            min_inverse=options["min_inverse"],
            min_direct=options["min_direct"],
            is_sorted=options["is_sorted"],
            hierarchical=options["hierarchical"],
            compat=options["compat"],
            memory=options["memory"],
            temp=options["temp"],
            force=options["force"],
            threads=options["threads"],
            progress=report,
        )
        if done.missing:
            report.note(
                f"{done.missing:,} times, a pair of linked words was not in the lexical tables and counted as certain; "
                "make them from the same alignment as the phrase pairs"
            )
        report.summarize(f"{done.pairs:,} phrase pairs", {"pairs": done.pairs})
