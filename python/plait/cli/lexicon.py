"""``plait lexicon``: which words translate which, as a table of a corpus with links or of a saved model."""

from __future__ import annotations

from typing import Any

import click

from plait.alignments import Alignments
from plait.bitext import Bitext
from plait.cli.groups import GroupedCommand, option
from plait.cli.run_options import threads_option
from plait.errors import DataError
from plait.io.lexical_tables import WRITE_FORMATS
from plait.io.link_blocks import check_one_standard_input
from plait.io.streams import display_name
from plait.io.weights import read_weights
from plait.lexicon import Lexicon, of_model
from plait.lexicon_arrays import Direction

INPUT, SAVED, CHOICE, OUTPUT, RUN = "Corpus with links", "Saved model", "Entries", "Output", "Run"
EXAMPLES = """
plait lexicon -s train.en -t train.fr -a out.align -o lex.tsv
plait lexicon -s train.en -t train.fr -a out.align -o lex --format moses
plait lexicon -s train.en -t train.fr -a out.align -o lex.s2t.gz --format marian --top 100 --threshold 0.001
plait lexicon -m model.plait -o - --threshold 0.1 | head
"""


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="Write lexical tables and shortlists.")
@option(INPUT, "-s", "--source", metavar="FILE", help="Source side of the text that was aligned.")
@option(INPUT, "-t", "--target", metavar="FILE", help="Target side, line by line parallel to the source.")
@option(INPUT, "-a", "--alignments", metavar="FILE", help="Links, a line 'i-j ..' for each sentence pair.")
@option(INPUT, "--lowercase", is_flag=True, help="Fold words by lower-casing before they are counted.")
@option(INPUT, "--weighted", is_flag=True, help="Count a link as much as its probability (i-j:p), instead of 1.")
@option(
    INPUT,
    "--sentence-weights",
    metavar="FILE",
    help="A number for each sentence pair, which all that is counted in it is multiplied by.",
)
@option(SAVED, "-m", "--model", metavar="FILE", help="A saved model instead of a corpus.")
@option(
    CHOICE,
    "--threshold",
    metavar="P",
    type=click.FloatRange(0, 1),
    default=0.0,
    help="Leave out what is less probable: in a shortlist in its direction, else in both directions.",
)
@option(
    CHOICE,
    "--top",
    metavar="N",
    type=click.IntRange(min=1),
    help="Keep the N most probable translations of each word, all by default.",
)
@option(
    OUTPUT,
    "-o",
    "--out",
    metavar="FILE",
    required=True,
    help="The table; '-' for standard output; .gz .bz2 .xz .zst compress. For moses the start of two names: "
    "'lex' for lex.e2f and lex.f2e.",
)
@option(
    OUTPUT,
    "--format",
    "format_",
    metavar="FORMAT",
    type=click.Choice(WRITE_FORMATS),
    default="tsv",
    help="tsv or jsonl (counts, and probabilities of both directions), moses (lex.e2f and lex.f2e) or marian (a "
    "shortlist for translating from source to target).",
)
@option(OUTPUT, "--reverse", is_flag=True, help="marian: for translating from target to source.")
@option(OUTPUT, "--save", metavar="FILE", help="The whole lexicon as a model file, for -m and for Python.")
@option(OUTPUT, "--force", is_flag=True, help="Replace outputs that exist.")
@threads_option()
def command(**options: Any) -> None:
    """Write which words translate which: lexical tables for Moses, shortlists for Marian, TSV and JSON Lines.

    The entries come from a corpus and its links (-s, -t, -a), as Moses and Marian count them, or from a saved model
    (-m). Symmetrised links are best. A word without links counts as one that NULL translates.
    """
    _check_usage(options)
    lexicon = of_model(options["model"]) if options["model"] is not None else _of_links(options)
    if options["save"] is not None:
        lexicon.save(options["save"], force=options["force"])
    direction: Direction = "either"
    if options["format_"] == "marian":
        direction = "reverse" if options["reverse"] else "forward"
    lexicon.pruned(options["threshold"], top=options["top"], direction=direction).write(
        options["out"],
        options["format_"],
        reverse=options["reverse"],
        force=options["force"],
        threads=options["threads"],
    )


def _check_usage(options: dict[str, Any]) -> None:
    corpus = [options[name] for name in ("source", "target", "alignments")]
    if options["model"] is None and None in corpus:
        raise click.UsageError("give a corpus with its links (-s, -t and -a), or a saved model (-m)")
    of_corpus = [options[name] for name in ("lowercase", "weighted", "sentence_weights")]
    if options["model"] is not None and (corpus != [None] * 3 or any(of_corpus)):
        raise click.UsageError("a saved model (-m) has its own words; leave out -s, -t, -a and their options")
    if options["reverse"] and options["format_"] != "marian":
        raise click.UsageError("--reverse is for shortlists (--format marian); other tables have both directions")
    if options["out"] == "-" and options["format_"] == "moses":
        raise click.UsageError("--format moses writes two files; give the start of their names instead of '-'")
    check_one_standard_input([path for path in [*corpus, options["sentence_weights"]] if path is not None])


def _of_links(options: dict[str, Any]) -> Lexicon:
    """Count the links of a corpus; errors name the file of the links."""
    text = Bitext.read(options["source"], options["target"], lowercase=options["lowercase"])
    alignments = Alignments.read(options["alignments"], threads=options["threads"])
    try:
        alignments.check_within(text.source_lengths, text.target_lengths)
    except DataError as problem:
        raise DataError(f"{display_name(options['alignments'])}: {problem}") from None
    weights = None
    if options["sentence_weights"] is not None:
        weights = read_weights(options["sentence_weights"], expected=len(alignments), of=options["alignments"])
    return Lexicon.from_links(text, alignments, weighted=options["weighted"], sentence_weights=weights)
