"""``plait eflomal``: the options and formats of eflomal-align and eflomal-makepriors 2.0.0."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click
import numpy as np
import numpy.typing as npt

from plait.align import AlignmentModel
from plait.alignments import Alignments
from plait.bitext import Bitext
from plait.cli.drop_in import idle_options, is_given, train
from plait.cli.groups import GroupedCommand, option
from plait.cli.run_options import threads_option
from plait.diagonal import UNSEEN, DiagonalModel
from plait.errors import ConfigError
from plait.io.atomic import OutputFile, OutputGroup
from plait.io.link_order import lines_by_target
from plait.option_ranges import MAX_SEED
from plait.presets import preset as preset_named
from plait.prior_counts import unused_counts
from plait.priors import Priors
from plait.progress import Reporter, reporter
from plait.translation_table import TranslationTable

INPUT, OUTPUT, MODEL, OURS = "Input", "Output", "Model", "Options of plait"
EXAMPLES = """
plait eflomal align -s train.en -t train.fr -f forward.align -r reverse.align
plait eflomal -i corpus.en-fr -f forward.align -r reverse.align --overwrite
plait eflomal align -s train.en -t train.fr -F forward.scores -R reverse.scores
plait eflomal makepriors -s train.en -t train.fr -f forward.align -r reverse.align -p en-fr.priors
"""
MAKEPRIORS_EXAMPLES = """
plait eflomal makepriors -s train.en -t train.fr -f forward.align -r reverse.align -p en-fr.priors
plait eflomal makepriors -i corpus.en-fr -f out.align -r out.align -p en-fr.priors
"""

F = TypeVar("F", bound=Callable[..., Any])


def _corpus(function: F) -> F:
    """Declare where the text comes from."""
    for declaration in (
        option(INPUT, "-i", "--input", "joint", metavar="FILE", help="Lines 'source ||| target'; '-': standard input."),
        option(INPUT, "-t", "--target", metavar="FILE", help="Target side, parallel to the source."),
        option(INPUT, "-s", "--source", metavar="FILE", help="Source side, one sentence a line."),
    ):
        function = declaration(function)
    return function


@click.command(cls=GroupedCommand, has_config=False, examples=MAKEPRIORS_EXAMPLES)
@_corpus
@option(INPUT, "-f", "--forward-alignments", required=True, metavar="FILE", help="Forward or symmetrised links.")
@option(INPUT, "-r", "--reverse-alignments", required=True, metavar="FILE", help="Reverse or symmetrised links.")
@option(OUTPUT, "-p", "--priors", default="-", metavar="FILE", help="The priors; a file that exists is replaced.")
@option(OUTPUT, "-v", "--verbose", is_flag=True, help="Accepted; nothing is told.")
def makepriors(
    source: str | None,
    target: str | None,
    joint: str | None,
    forward_alignments: str,
    reverse_alignments: str,
    priors: str,
    verbose: bool,
) -> None:
    """Count the links of a corpus, for eflomal's -p, with the options and formats of eflomal-makepriors."""
    text = _read(source, target, joint)
    forward = Alignments.read(forward_alignments)
    same = os.path.realpath(forward_alignments) == os.path.realpath(reverse_alignments)
    reverse = forward if same else Alignments.read(reverse_alignments)
    Priors.from_links(text, forward, reverse).write(priors, force=True)


class EflomalCommand(GroupedCommand):
    """eflomal-align, with the names of eflomal's programs as optional first word."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Hand over to the program that the first word names."""
        if args and args[0] == "makepriors":
            return makepriors.make_context(f"{info_name} makepriors", args[1:], parent=parent, **extra)
        if args and args[0] in ("align", "score"):
            return super().make_context(f"{info_name} {args[0]}", args[1:], parent=parent, **extra)
        return super().make_context(info_name, args, parent=parent, **extra)


@click.command(cls=EflomalCommand, has_config=False, examples=EXAMPLES, short_help="In place of eflomal.")
@_corpus
@option(INPUT, "--source-prefix", type=click.IntRange(min=0), default=0, metavar="N", help="First N letters count.")
@option(INPUT, "--source-suffix", type=click.IntRange(min=0), default=0, metavar="N", help="Last N letters count.")
@option(INPUT, "--target-prefix", type=click.IntRange(min=0), default=0, metavar="N", help="First N letters count.")
@option(INPUT, "--target-suffix", type=click.IntRange(min=0), default=0, metavar="N", help="Last N letters count.")
@option(INPUT, "-p", "--priors", metavar="FILE", help="Counts of makepriors to start from.")
@option(OUTPUT, "-f", "--forward-links", metavar="FILE", help="Links, at most one for each target word.")
@option(OUTPUT, "-r", "--reverse-links", metavar="FILE", help="Links, at most one for each source word.")
@option(
    OUTPUT, "-F", "--forward-scores", metavar="FILE", help="Cost of each target side: nats for a word; low is good."
)
@option(
    OUTPUT, "-R", "--reverse-scores", metavar="FILE", help="Cost of each source side: nats for a word; low is good."
)
@option(OUTPUT, "--overwrite", is_flag=True, help="Replace files of links; those of scores are replaced anyway.")
@option(
    MODEL,
    "-m",
    "--model",
    type=click.IntRange(1, 3),
    default=3,
    metavar="N",
    help="1: Model 1, sampled; 2 and 3: plait's default model.",
)
@option(MODEL, "-M", "--score-model", type=int, default=0, metavar="N", help="Accepted; scores have one model.")
@option(
    MODEL,
    "--null-prior",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.2,
    metavar="X",
    help="Probability of NULL. Without the option, that of the preset.",
)
@option(
    MODEL, "-l", "--length", type=click.FloatRange(min=0, min_open=True), default=1.0, help="-m 1: relative sweeps."
)
@option(MODEL, "-1", "--ibm1-iters", type=click.IntRange(min=1), metavar="N", help="-m 1: number of sweeps.")
@option(MODEL, "-2", "--hmm-iters", type=int, metavar="N", help="Accepted; presets have their own number.")
@option(MODEL, "-3", "--fert-iters", type=int, metavar="N", help="Accepted; presets have their own number.")
@option(MODEL, "--n-samplers", type=int, default=3, metavar="N", help="Accepted; links come from many samples.")
@option(OURS, "--preset", "preset_name", default="default", metavar="NAME", help="-m 2, 3: settings; see plait align.")
@option(OURS, "--seed", type=click.IntRange(0, MAX_SEED), help="Seed; that of the preset by default.")
@threads_option(OURS)
@option("Other", "-v", "--verbose", is_flag=True, help="Progress on standard error.")
@option("Other", "--debug", is_flag=True, help="Accepted; nothing is debugged.")
def command(**options: Any) -> None:
    """Align a corpus with the options and formats of eflomal-align.

    Trains plait's aligner on lower-cased words, as eflomal does, and writes the links of each direction that is
    asked for. A first word 'align' or 'makepriors' names one of eflomal's programs; without it, align is meant.
    'plait align' symmetrises in the same run.
    """
    _check_usage(options)
    with reporter("bar" if options["verbose"] else "none") as progress:
        for note in _notes(options):
            progress.note(note)
        with OutputGroup(force=True) as outputs:
            names = ("forward_links", "reverse_links", "forward_scores", "reverse_scores")
            files = {name: outputs.open(options[name]) for name in names if options[name] is not None}
            progress("reading", 0, 1)
            text = _read(
                options["source"],
                options["target"],
                options["joint"],
                lowercase=True,
                stem_source=options["source_prefix"] or -options["source_suffix"],
                stem_target=options["target_prefix"] or -options["target_suffix"],
            )
            model = _train(text, options, progress)
            threads = options["threads"]
            if "forward_links" in files:
                files["forward_links"].write(lines_by_target(model.forward, threads=threads))
            if "reverse_links" in files:
                files["reverse_links"].write(model.reverse.to_pharaoh(threads=threads))
            _costs(model, text, options, files)


def _check_usage(options: dict[str, Any]) -> None:
    outputs = [options[name] for name in ("forward_links", "reverse_links", "forward_scores", "reverse_scores")]
    if not any(outputs):
        raise click.UsageError("give at least one output: -f and -r for links, -F and -R for scores")
    named = [name for name in outputs if name not in (None, "-")]
    if len(named) != len(set(named)) or outputs.count("-") > 1:
        raise click.UsageError("two outputs have the same name; give each its own")
    for name in (options["forward_links"], options["reverse_links"]):
        if name not in (None, "-") and os.path.isfile(name) and not options["overwrite"]:
            raise ConfigError(f"output file {name} exists; choose another name, or replace it with --overwrite")


def _notes(options: dict[str, Any]) -> list[str]:
    reasons: dict[str, tuple[str, ...]] = {
        "links come from many samples or from expectations": ("n_samplers",),
        "training has a preset (--preset)": ("hmm_iters", "fert_iters"),
        "scores have one model": ("score_model",),
        "there is no other program to debug": ("debug",),
    }
    if options["model"] == 1:
        reasons["-m 1 has its own settings"] = ("preset_name",)
    else:
        reasons["training has a preset (--preset) "] = ("length", "ibm1_iters")
    notes = idle_options("eflomal", reasons)
    for side in ("source", "target"):
        if options[f"{side}_prefix"] and options[f"{side}_suffix"]:
            notes.append(f"--{side}-suffix has no effect with --{side}-prefix")
    return notes


def _read(source: str | None, target: str | None, joint: str | None, **how: Any) -> Bitext:
    if joint is not None:
        return Bitext.read_joint(joint, **how)
    if source is None or target is None:
        raise click.UsageError("need to specify either -s and -t, or -i")
    return Bitext.read(source, target, **how)


def _train(text: Bitext, options: dict[str, Any], progress: Reporter) -> AlignmentModel:
    """Train the model that -m asks for."""
    settings: dict[str, Any] = {"seed": options["seed"]} if options["seed"] is not None else {}
    if is_given("null_prior"):
        settings["p0"] = options["null_prior"]
    name = options["preset_name"]
    if options["model"] == 1:
        name = "GS-5"
        # As many sweeps as eflomal makes of Model 1, half of them before the first sample.
        sweeps = options["ibm1_iters"] or max(2, round(options["length"] * 5000 / math.sqrt(max(len(text), 1))))
        settings |= {"burn_in": sweeps // 2, "samples": min(sweeps - sweeps // 2, 65_535)}
    if options["priors"] is not None:
        settings["prior"] = _prior(options)
        unused = unused_counts(settings["prior"], options["priors"])
        if unused is not None and preset_named(name).model == "hmm":
            progress.note(unused)
    needs_scores = options["forward_scores"] is not None or options["reverse_scores"] is not None
    # The HMM scores by itself, Models 1 and 2 through a table of their posteriors.
    needs_posteriors = needs_scores and preset_named(name).model != "hmm"
    return train(text, name, progress, options["threads"], posteriors=True if needs_posteriors else None, **settings)


def _costs(model: AlignmentModel, text: Bitext, options: dict[str, Any], files: Mapping[str, OutputFile]) -> None:
    """Write a line for each pair: minus the log-probability of a predicted word, on average; six digits.

    DEVIATION: eflomal sums the largest conditional given the current links, up to a factor that grows with the
    corpus; and a pair that it cannot align has the best score. Here the probability is that of the trained model over
    all alignments, and such a pair has the worst that a word can have.
    """
    names = [name for name in ("forward_scores", "reverse_scores") if name in files]
    if not names:
        return
    worst = -math.log(UNSEEN)
    if model.config.model == "hmm":
        scores = model.score(text, threads=options["threads"])
        per_word = {"forward_scores": scores.forward_per_word, "reverse_scores": scores.reverse_per_word}
    else:
        per_word = {name: _diagonal_scores(model, text, options, reverse=name == "reverse_scores") for name in names}
    for name in names:
        costs = np.where(text.usable & np.isfinite(per_word[name]), np.minimum(-per_word[name], worst), worst)
        files[name].write("".join(f"{cost:g}\n" for cost in costs.tolist()).encode())


def _diagonal_scores(
    model: AlignmentModel, text: Bitext, options: dict[str, Any], *, reverse: bool
) -> npt.NDArray[np.float64]:
    """Return the log-probability of a predicted word by fast_align's model: Models 1 and 2 have no scores."""
    posteriors = model.reverse_posteriors if reverse else model.forward_posteriors
    links = model.reverse if reverse else model.forward
    table = TranslationTable.from_posteriors(text, links if posteriors is None else posteriors, reverse=reverse)
    scores = DiagonalModel(table, p0=options["null_prior"], reverse=reverse).apply(text).scores
    return scores / np.maximum(text.source_lengths if reverse else text.target_lengths, 1)


def _prior(options: dict[str, Any]) -> Priors:
    """Return the counts of a priors file, their words folded like those of the text."""
    return Priors.read(options["priors"]).folded(
        lowercase=True,
        stem_source=options["source_prefix"] or -options["source_suffix"],
        stem_target=options["target_prefix"] or -options["target_suffix"],
    )
