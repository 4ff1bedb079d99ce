"""``plait fast_align``: the options and formats of fast_align, on plait's aligner."""

from __future__ import annotations

import math
import sys
from typing import Any

import click
import numpy as np

from plait.align import AlignmentModel
from plait.alignments import Alignments
from plait.bitext import Bitext
from plait.cli.drop_in import arriving_lines, idle_options, is_given, train
from plait.cli.groups import GroupedCommand, option
from plait.cli.run_options import threads_option
from plait.diagonal import DiagonalModel, Result
from plait.errors import TextError
from plait.io.atomic import OutputFile, OutputGroup
from plait.io.link_order import lines_by_target
from plait.io.options import make_builder
from plait.io.streams import display_name
from plait.option_ranges import MAX_SEED
from plait.progress import Reporter, reporter
from plait.translation_table import TranslationTable

STANDARD, ADVANCED, OURS = "Options of fast_align", "Advanced options of fast_align", "Options of plait"
EXAMPLES = """
plait fast_align -i corpus.fr-en -d -o -v > forward.align
plait fast_align -i corpus.fr-en -d -o -v -r > reverse.align
plait fast_align -i corpus.fr-en -d -o -v -s -p forward.table > forward.scored
plait fast_align -i new.fr-en -d -f forward.table
"""


@click.command(cls=GroupedCommand, has_config=False, examples=EXAMPLES, short_help="In place of fast_align.")
@option(
    STANDARD, "-i", "--input", required=True, metavar="FILE", help="Lines 'source ||| target'; '-' for standard input."
)
@option(STANDARD, "-v", "--variational_bayes", is_flag=True, help="Accepted; the model has its own prior.")
@option(
    STANDARD, "-d", "--favor_diagonal", is_flag=True, help="With -f and -s: positions near the diagonal are likelier."
)
@option(STANDARD, "-o", "--optimize_tension", is_flag=True, help="Accepted; the model learns its distances.")
@option(STANDARD, "-r", "--reverse", is_flag=True, help="At most one link for each source word, not each target word.")
@option(STANDARD, "-s", "--print_scores", is_flag=True, help="Append ' ||| ' and the log-probability to each line.")
@option(
    STANDARD,
    "-p",
    "--conditional_probabilities",
    metavar="FILE",
    help="Write word pairs and the logarithms of their probabilities; a file that exists is replaced.",
)
@option(
    STANDARD,
    "-f",
    "--force_align",
    metavar="FILE",
    help="Train nothing: align with the probabilities of -p, line by line, and write text, links and score.",
)
@option(ADVANCED, "-I", "--iterations", type=int, default=5, help="Accepted; presets have their own number.")
@option(
    ADVANCED,
    "-q",
    "--p0",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.08,
    help="Probability of NULL. Without the option, training keeps that of the preset.",
)
@option(ADVANCED, "-N", "--no_null_word", is_flag=True, help="With -f and -s: no NULL word.")
@option(ADVANCED, "-a", "--alpha", type=float, default=0.01, help="Accepted; the model has its own prior.")
@option(
    ADVANCED,
    "-T",
    "--diagonal_tension",
    type=click.FloatRange(min=0),
    default=4.0,
    help="With -f and -s: how sharp the diagonal is.",
)
@option(
    ADVANCED,
    "-m",
    "--mean_srclen_multiplier",
    type=click.FloatRange(min=0, min_open=True),
    default=1.0,
    help="With -f: predicted words for each given word, of the length's probability in the score.",
)
@option(
    ADVANCED,
    "-t",
    "--beam_threshold",
    type=click.FloatRange(max=0),
    default=-4.0,
    help="With -p: leave out pairs whose logarithm is this much below the best of their word.",
)
@option(ADVANCED, "-b", "--thread_buffer_size", type=int, default=10_000, help="Accepted; blocks have a fixed size.")
@option(OURS, "--preset", default="default", metavar="NAME", help="Settings of training; see plait align.")
@option(OURS, "--seed", type=click.IntRange(0, MAX_SEED), help="Seed; that of the preset by default.")
@threads_option(OURS)
def command(**options: Any) -> None:
    """Align a corpus with the options and formats of fast_align.

    Trains plait's aligner and writes the links of one direction to standard output, 'i-j' in the order of the words
    that the direction predicts. 'plait align' does both directions and their symmetrisation in one run.
    """
    told: list[str] = []
    with reporter("auto") as progress:
        for note in _notes(options):
            progress.note(note)
        if options["force_align"] is None:
            _align(options, progress, told)
    if options["force_align"] is not None:
        _force_align(options)
    for line in told:
        click.echo(line, err=True)


def _notes(options: dict[str, Any]) -> list[str]:
    is_forced = options["force_align"] is not None
    is_diagonal = is_forced or options["print_scores"]
    reasons: dict[str, tuple[str, ...]] = {
        "the model learns priors and distances from the text": ("variational_bayes", "alpha", "optimize_tension"),
        "training has a preset (--preset)": ("iterations",),
        "blocks have a fixed size": ("thread_buffer_size",),
    }
    if not is_diagonal:
        reasons["the model has its own distances and NULL"] = ("favor_diagonal", "diagonal_tension", "no_null_word")
    if not is_forced:
        reasons["it is measured in training"] = ("mean_srclen_multiplier",)
    else:
        reasons["-f trains nothing"] = ("preset", "seed", "conditional_probabilities", "beam_threshold")
    return idle_options("fast_align", reasons)


def _align(options: dict[str, Any], progress: Reporter, told: list[str]) -> None:
    """Train, and write the links of one direction; add what fast_align would tell."""
    table_file = options["conditional_probabilities"]
    with OutputGroup(force=True) as outputs:
        out = outputs.open("-")
        table_out = None if table_file is None else outputs.open(table_file)
        progress("reading", 0, 1)
        text = Bitext.read_joint(options["input"])
        settings = {name: options[name] for name in ("seed", "p0") if is_given(name)}
        needs_table = table_out is not None or options["print_scores"]
        model = train(
            text, options["preset"], progress, options["threads"], posteriors=True if needs_table else None, **settings
        )
        multiplier = _mean_length_ratio(text, reverse=options["reverse"])
        told.append(f"expected target length = source length * {multiplier:g}")
        links = model.reverse if options["reverse"] else model.forward
        lines = _links_lines(links, options)
        if needs_table:
            table = _table(model, text, reverse=options["reverse"])
            if table_out is not None:
                # What fast_align's force_align.py takes from standard error, to give it back with -T.
                told.append(f"     final tension: {options['diagonal_tension']:g}")
                table.write_to(table_out, beam=options["beam_threshold"])
            if options["print_scores"]:
                result = _diagonal(table, options).apply(text)
                scores = _with_lengths(result, text, multiplier, reverse=options["reverse"])
                lines = [b"%s ||| %s" % pair for pair in zip(lines, scores, strict=True)]
        _write(out, lines)


def _force_align(options: dict[str, Any]) -> None:
    """Align line by line with a table that was made before; each line is answered at once."""
    model = _diagonal(TranslationTable.read(options["force_align"]), options)
    click.echo(f"Loaded {len(model.table.logs)} translation parameters.", err=True)
    done = 0
    out = sys.stdout.buffer
    for lines in arriving_lines(options["input"]):
        text = _text(lines, done, options["input"])
        result = model.apply(text)
        scores = _with_lengths(result, text, options["mean_srclen_multiplier"], reverse=options["reverse"])
        for n, (links, score) in enumerate(zip(_links_lines(result.links, options), scores, strict=True)):
            words = [*text.source(n), "|||", *text.target(n), "|||"]
            out.write(
                b" ".join([*(word.encode() for word in words), *([links] if links else []), b"||| " + score]) + b"\n"
            )
        out.flush()
        done += len(lines)


def _text(lines: list[bytes], done: int, path: str) -> Bitext:
    builder = make_builder({"keep_text": True})
    try:
        builder.feed_joint(b"\n".join(lines) + b"\n")
        builder.end_joint()
    except TextError as problem:
        raise TextError(
            line=problem.line + done,
            column=problem.column,
            problem=problem.problem,
            found=problem.found,
            path=display_name(path),
        ) from None
    return Bitext(builder.finish())


def _diagonal(table: TranslationTable, options: dict[str, Any]) -> DiagonalModel:
    return DiagonalModel(
        table,
        tension=options["diagonal_tension"] if options["favor_diagonal"] else None,
        p0=options["p0"],
        has_null=not options["no_null_word"],
        reverse=options["reverse"],
    )


def _table(model: AlignmentModel, text: Bitext, *, reverse: bool) -> TranslationTable:
    posteriors = model.reverse_posteriors if reverse else model.forward_posteriors
    links = model.reverse if reverse else model.forward
    return TranslationTable.from_posteriors(text, links if posteriors is None else posteriors, reverse=reverse)


def _links_lines(links: Alignments, options: dict[str, Any]) -> list[bytes]:
    """Return a line for each pair, in the order of the predicted words."""
    threads = options["threads"]
    lines = links.to_pharaoh(threads=threads) if options["reverse"] else lines_by_target(links, threads=threads)
    return lines.split(b"\n")[:-1]


def _mean_length_ratio(text: Bitext, *, reverse: bool) -> float:
    """Return the mean ratio of predicted to given words; 1 without a pair that can be used."""
    given, predicted = text.source_lengths[text.usable], text.target_lengths[text.usable]
    if reverse:
        given, predicted = predicted, given
    return float(np.mean(predicted / given)) if len(given) else 1.0


def _with_lengths(result: Result, text: Bitext, multiplier: float, *, reverse: bool) -> list[bytes]:
    """Return the scores as fast_align writes them: with the Poisson probability of the length, six digits."""
    given, predicted = (side.tolist() for side in (text.source_lengths, text.target_lengths))
    if reverse:
        given, predicted = predicted, given
    scores = []
    for score, n, m in zip(result.scores.tolist(), given, predicted, strict=True):
        mean = 0.05 + n * multiplier
        scores.append(b"%.6g" % (score + m * math.log(mean) - math.lgamma(m + 1) - mean))
    return scores


def _write(out: OutputFile, lines: list[bytes]) -> None:
    if lines:
        out.write(b"\n".join(lines) + b"\n")
