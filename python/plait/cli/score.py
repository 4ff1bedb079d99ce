"""``plait score``: how well the sides of each sentence pair explain each other."""

from __future__ import annotations

import warnings
from typing import Any

import click
import numpy as np

from plait.align import Aligner, Scores, fit, load, unused_pairs
from plait.bitext import MAX_LENGTH, Bitext, ReadOptions
from plait.cli.align_saved import fold_as
from plait.cli.groups import GroupedCommand, option
from plait.cli.run_options import progress_option, threads_option
from plait.cli.word_options import stems
from plait.errors import AlignmentWarning
from plait.io.atomic import OutputFile
from plait.io.link_blocks import check_one_standard_input
from plait.presets import PRESETS
from plait.progress import Callback, reporter

INPUT, MODEL, OUTPUT, RUN = "Input", "Model", "Output", "Run"
EXAMPLES = """
plait score -s train.en -t train.fr -o train.scores
plait score -m en-fr.plait -s crawl.en -t crawl.fr -o crawl.scores.gz
cat crawl.en-fr | plait score -m en-fr.plait --pairs - -o - | cut -f 3
"""
HEADER = "forward\treverse\tmean\tsource_words\ttarget_words\n"
# Lines in one piece of output.
_LINES = 1 << 16


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="Score sentence pairs, for filtering.")
@option(INPUT, "-s", "--source", metavar="FILE", help="Source side, one sentence a line; '-' for standard input.")
@option(INPUT, "-t", "--target", metavar="FILE", help="Target side, line by line parallel to the source.")
@option(INPUT, "--pairs", metavar="FILE", help="Both sides in one file of 'source ||| target' lines; '-' for stdin.")
@option(INPUT, "--lowercase", is_flag=True, help="Fold words by lower-casing; a saved model does what it needs.")
@stems(INPUT)
@option(
    INPUT,
    "--max-length",
    metavar="N",
    type=click.IntRange(1, MAX_LENGTH),
    default=MAX_LENGTH,
    help="Pairs with a side of more tokens get no scores.",
)
@option(
    INPUT,
    "--on-error",
    metavar="WHAT",
    type=click.Choice(["strict", "skip", "replace"]),
    default="strict",
    help="Lines that cannot be read: strict stops, skip leaves them without scores, replace puts U+FFFD for bad bytes.",
)
@option(MODEL, "-m", "--model", metavar="FILE", help="A model of plait align --save; without it, train on the text.")
@option(
    MODEL,
    "--preset",
    metavar="NAME",
    type=click.Choice([name for name, config in PRESETS.items() if config.model == "hmm"], case_sensitive=False),
    help="Settings to train with without -m; default by default.",
)
@option(OUTPUT, "-o", "--out", metavar="FILE", required=True, help="The scores; '-' for standard output.")
@option(OUTPUT, "--force", is_flag=True, help="Replace an output that exists.")
@threads_option()
@progress_option()
def command(**options: Any) -> None:
    """Score each sentence pair by how well its sides explain each other, to sort out bad pairs.

    Writes a header and a line for each pair, with tabs between: 'forward' is the natural logarithm of
    P(target | source), 'reverse' that of P(source | target), 'mean' the mean of both, each divided by the
    words it generates, and then the numbers of words. All are at most 0, and higher is better. A pair that
    cannot be scored (an empty side, too long, or without any alignment) has 'nan' for all three.
    """
    _check_usage(options)
    with reporter(options["progress"]) as progress, OutputFile(options["out"], force=options["force"]) as out:
        model = None
        if options["model"] is not None:
            model = load(options["model"])
            fold_as(model, options, options["model"])
        progress("reading", 0, 1)
        text = _read(options)
        config = PRESETS["default"] if model is None else model.config
        unused = unused_pairs(text, config, lack="scores")
        if unused is not None:
            progress.note(unused)
        progress.tokens = text.counts.source_tokens + text.counts.target_tokens
        if model is None:
            model = _trained(text, options, progress)
        scores = model.score(text, threads=options["threads"], progress=progress)
        progress("writing", 0, 1)
        out.write(HEADER.encode())
        for start in range(0, len(text), _LINES):
            out.write(_lines(scores, slice(start, start + _LINES)))


def _lines(scores: Scores, rows: slice) -> bytes:
    columns = [
        *(np.char.mod("%.6g", values[rows]) for values in (scores.forward, scores.reverse, scores.mean)),
        *(lengths[rows].astype(np.str_) for lengths in (scores.source_lengths, scores.target_lengths)),
    ]
    return "".join("\t".join(row) + "\n" for row in zip(*columns, strict=True)).encode()


def _trained(text: Bitext, options: dict[str, Any], progress: Callback) -> Aligner:
    """Train on the text that is scored."""
    with warnings.catch_warnings():
        # Told before, in the words of this command.
        warnings.simplefilter("ignore", AlignmentWarning)
        # The links are not wanted, so the cheapest ones do.
        return fit(
            text,
            options["preset"] or "default",
            symmetrize="intersection",
            threads=options["threads"],
            progress=progress,
        )


def _read(options: dict[str, Any]) -> Bitext:
    how = ReadOptions(
        lowercase=options["lowercase"],
        stem_source=options["stem_source"],
        stem_target=options["stem_target"],
        max_length=options["max_length"],
        on_error=options["on_error"],
    )
    if options["pairs"] is not None:
        return Bitext.read_joint(options["pairs"], **how)
    return Bitext.read(options["source"], options["target"], **how)


def _check_usage(options: dict[str, Any]) -> None:
    sides = [options["source"], options["target"]]
    given = [path for path in sides if path is not None]
    if len(given) != (2 if options["pairs"] is None else 0):
        raise click.UsageError("give the text either as -s FILE and -t FILE or as --pairs FILE")
    if options["model"] is not None and options["preset"] is not None:
        raise click.UsageError("--preset is for training, but a saved model (-m) is trained already; leave out one")
    check_one_standard_input(list(filter(None, [*sides, options["pairs"], options["model"]])))
