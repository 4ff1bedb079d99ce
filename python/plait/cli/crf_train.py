"""``plait crf train``: weights from labelled sequences."""

from __future__ import annotations

import contextlib
import os
import time
import warnings
from collections.abc import Callable
from typing import Any

import click

from plait.cli.crf_options import INPUT, OUTPUT
from plait.cli.groups import F, GroupedCommand, option
from plait.cli.run_options import progress_option, threads_option
from plait.crf import ChainCRF, PenaltyChoice, Sequences, choose_penalty, evaluate, files
from plait.crf.fitting import ALGORITHMS
from plait.crf.persistence import metadata_of
from plait.crf.reading import FORMATS, read_template
from plait.crf.weight_files import read_sequence_weights
from plait.errors import ConvergenceWarning, DataError
from plait.io.atomic import OutputFile
from plait.io.streams import display_name
from plait.progress import Reporter, duration, reporter

WEIGHTS, SEARCH = "Weights", "Search"
_UNITS = {"lbfgs": "iterations", "sgd": "passes", "adagrad": "passes", "perceptron": "passes"}


def _penalty(context: click.Context, parameter: click.Parameter, value: str | float) -> float | str:
    """Return a number, or "auto"."""
    return "auto" if value == "auto" else click.FLOAT(value, parameter, context)


EXAMPLES = """
plait crf train -t template --l2 0.5 -o chunks.plait train.txt
plait crf train -t template --l2 auto -o chunks.plait train.txt
plait crf train --format crfsuite --l1 0.5 --l2 0.01 -o names.plait train.crfsuite.gz
plait crf train -t template --dev dev.txt --patience 20 --start old.plait -o new.plait more.txt
plait crf train -t template --algorithm adagrad --l2 0.5 -o chunks.plait train.txt
plait crf train --format crfsuite --candidates 0= --warm-start-candidates 40 -o units.plait units.crfsuite
plait crf train -t template --weights trust.txt -o chunks.plait train.txt
plait crf train -t template --checkpoint run.state -o chunks.plait train.txt
"""


def _count(panel: str, name: str, *, least: int, **settings: Any) -> Callable[[F], F]:
    """Return an option that is a whole number from ``least``."""
    return option(panel, name, type=click.IntRange(min=least), **{"metavar": "N", **settings})


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="Train on labelled sequences.")
@click.argument("train", metavar="TRAIN")
@option(
    INPUT,
    "--format",
    "format_",
    type=click.Choice(FORMATS),
    default="conll",
    help="conll: columns, the label last. crfsuite: label TAB attribute TAB attribute:value ...",
)
@option(
    INPUT,
    "-t",
    "--template",
    metavar="FILE",
    help="CRF++'s templates for columns; by default five cells around and two pairs in each column.",
)
@option(
    INPUT,
    "--weights",
    metavar="FILE",
    help="A number from 0 a line for each sequence of TRAIN: it counts as if it stood there so often.",
)
@option(INPUT, "--dev", metavar="FILE", help="Labelled sequences to evaluate on, after each iteration and at the end.")
@option(
    WEIGHTS,
    "--l2",
    metavar="C",
    callback=_penalty,
    default="1",
    help="Factor of the sum of squared weights: CRFsuite's c2. auto: of 4, 2, 1 .. 1/128 the one with the best "
    "labels of --dev, or without it of fifths of TRAIN in turn; 10 to 40 times the time.",
)
@option(WEIGHTS, "--l1", metavar="C", type=float, default=0.0, help="Factor of the sum of absolute weights: c1.")
@option(
    WEIGHTS,
    "--states",
    type=click.Choice(["observed", "all"]),
    default="observed",
    help="Pairs of an attribute and a label that have a weight.",
)
@option(
    WEIGHTS,
    "--transitions",
    type=click.Choice(["observed", "all", "none"]),
    help="Pairs of neighbouring labels that have a weight; by default observed ones, none without a B alone in the "
    "templates.",
)
@option(WEIGHTS, "--min-count", metavar="N", type=float, default=0.0, help="Observed pairs that are rarer have none.")
@option(
    SEARCH,
    "--algorithm",
    type=click.Choice(ALGORITHMS),
    default="lbfgs",
    help="lbfgs: the minimum; with --l1 its variant OWL-QN. sgd, adagrad: gradient descent, sooner near it. "
    "perceptron: averaged; the fastest, and its scores are no probabilities.",
)
@_count(
    SEARCH,
    "--max-iterations",
    least=0,
    help="The most iterations, 1000 by default; or passes: sgd and adagrad 30, perceptron 10.",
)
@option(SEARCH, "--epsilon", metavar="E", type=float, default=1e-5, help="Stop at this norm of the gradient, relative.")
@option(
    SEARCH,
    "--delta",
    metavar="D",
    type=float,
    default=1e-5,
    help="Stop when the objective falls by less than this share ...",
)
@_count(SEARCH, "--period", least=0, default=10, help="... in this many iterations; 0 never stops so.")
@_count(SEARCH, "--memory", metavar="M", least=1, default=6, help="Pairs of vectors to remember.")
@_count(
    SEARCH,
    "--warm-passes",
    least=0,
    default=0,
    help="lbfgs: passes of gradient descent before it begins; 10 save iterations on most data.",
)
@option(
    SEARCH,
    "--candidates",
    metavar="PREFIX",
    help="Choose among the labels seen with attributes that begin with PREFIX (0= for 0=word), in training and in "
    "tag: another model, sooner trained.",
)
@_count(
    SEARCH,
    "--warm-start-candidates",
    least=0,
    default=0,
    help="In N first iterations let weights of pairs of labels count between candidates only; then train over all, "
    "to the same minimum as without.",
)
@option(
    SEARCH,
    "--posterior-beam",
    metavar="EPS",
    type=click.FloatRange(min=0),
    default=0.0,
    help="Leave out labels that cost log Z at most EPS a position, as is shown for each sequence, until that "
    "converges; then train over all. 0 never.",
)
@_count(SEARCH, "--batch", least=1, default=16, help="sgd, adagrad: sequences between two changes of weights.")
@option(
    SEARCH,
    "--rate",
    metavar="R",
    type=click.FloatRange(min=0, min_open=True),
    help="sgd, adagrad: the first rate; by default it is found on 1000 sequences.",
)
@_count(SEARCH, "--seed", least=0, default=1, help="Of the orders of passes.")
@_count(
    SEARCH,
    "--patience",
    least=1,
    help="With --dev: stop when its score was no better for N iterations, and keep the best weights.",
)
@option(
    SEARCH,
    "--dev-score",
    type=click.Choice(["f1", "accuracy"]),
    default="f1",
    help="F1 of chunks where labels are B-X, I-X and O, else as accuracy: the share of right labels.",
)
@_count(SEARCH, "--dev-every", least=1, default=1, help="Iterations between two scores.")
@option(SEARCH, "--start", metavar="FILE", help="Begin with the weights of this model; what is new in TRAIN is added.")
@option(OUTPUT, "-o", "--out", metavar="MODEL", required=True, help="The model; .gz .bz2 .xz .zst compress.")
@option(OUTPUT, "--single", is_flag=True, help="Store weights in single precision: half the size.")
@option(OUTPUT, "--force", is_flag=True, help="Replace a model that exists.")
@option(
    OUTPUT,
    "--checkpoint",
    metavar="FILE",
    help="Keep the state of training in FILE, once a minute and at an interrupt; where it is there, go on from it, to "
    "the same model. It is removed at the end.",
)
@option(
    OUTPUT,
    "--checkpoint-seconds",
    metavar="S",
    type=click.FloatRange(min=0),
    default=60.0,
    help="Time between two checkpoints; 0 for one after each iteration.",
)
@threads_option(independent="Results do")
@progress_option()
def command(train: str, **options: Any) -> None:
    """Train a linear-chain conditional random field on the labelled sequences of TRAIN.

    The objective is -log p + l2 |w|^2 + l1 |w|, as CRFsuite's with c2 and c1, over all labels, without
    approximation; with --candidates over candidates.
    """
    if options["patience"] is not None and options["dev"] is None:
        raise click.UsageError("--patience needs --dev: the sequences whose labels are watched")
    if options["warm_start_candidates"] and options["candidates"] is None:
        raise click.UsageError("--warm-start-candidates needs --candidates: the attributes whose labels to begin with")
    if options["l2"] == "auto" and options["algorithm"] == "perceptron":
        raise click.UsageError("--l2 auto needs another --algorithm: a perceptron has no penalty")
    started = time.perf_counter()
    start = None if options["start"] is None else ChainCRF.load(options["start"])
    template = None if options["template"] is None else read_template(options["template"])
    with reporter(options["progress"]) as progress:
        # The output is opened before the work begins, so that a bad path is told at once.
        with OutputFile(options["out"], force=options["force"]) as out:
            progress("reading", 0, 1)
            data = _with_positions(
                Sequences.read(train, format=options["format_"], template=template, extends=start), train
            )
            if options["weights"] is not None:
                data = data.with_weights(read_sequence_weights(options["weights"], sequences=len(data), of=train))
            model = _model(options, data)
            dev = None
            if options["dev"] is not None:
                dev = _with_positions(
                    Sequences.read(options["dev"], format=options["format_"], model=data), options["dev"]
                )
            choice: PenaltyChoice | None = None
            if options["l2"] == "auto":
                choice = choose_penalty(model, data, held_out=dev, start=start, progress=progress)
                model.l2 = choice.l2
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", ConvergenceWarning)
                _fit(model, data, start, dev, options, progress)
            for warning in caught:
                progress.note(str(warning.message))
            found = None if dev is None else evaluate(dev.labels(), model.predict(dev)).as_dict()
            files.write_to(out, model.core, metadata_of(model), single=options["single"])
        if options["checkpoint"] is not None:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(options["checkpoint"])
        seconds = time.perf_counter() - started
        facts = {
            "sequences": len(data),
            "positions": data.positions,
            "labels": len(data.label_names),
            "weights": model.core.feature_count,
            "iterations": model.n_iter_,
            "objective": model.objective_,
            "stopped_by": model.stopped_by_,
            "phases": model.phases_,
            "l2": model.l2,
            "l2_scores": None if choice is None else [[l2, score] for l2, score in choice.scores.items()],
            "dev": found,
            "seconds": round(seconds, 3),
        }
        shown = "" if found is None else f", F1 {100 * found['f1']:.2f} on {options['dev']}"
        chosen = "" if choice is None else f", l2 {model.l2:g} of {len(choice.scores)} tried"
        reached = (
            f"{100 * model.history_[-1]:.2f}% of labels wrong in the last one"
            if model.objective_ is None and model.n_iter_
            else f"objective {model.objective_:.4f}"
            if model.objective_ is not None
            else "no pass"
        )
        progress.summarize(
            f"{model.core.feature_count:,} weights for {len(data.label_names):,} labels after {model.n_iter_} "
            f"{_UNITS[model.algorithm]} ({model.stopped_by_}), {reached}{chosen}{shown}, {duration(seconds)}",
            facts,
        )


def _fit(
    model: ChainCRF,
    data: Sequences,
    start: ChainCRF | None,
    dev: Sequences | None,
    options: dict[str, Any],
    progress: Reporter,
) -> None:
    try:
        model.fit(
            data,
            start=start,
            held_out=dev,
            patience=options["patience"],
            held_out_score=options["dev_score"],
            held_out_every=options["dev_every"],
            checkpoint=options["checkpoint"],
            checkpoint_seconds=options["checkpoint_seconds"],
            progress=progress,
        )
    except KeyboardInterrupt:
        if options["checkpoint"] is not None and os.path.exists(options["checkpoint"]):
            progress.note(f"the same command goes on from {display_name(options['checkpoint'])}")
        raise


def _with_positions(data: Sequences, path: str) -> Sequences:
    """Return sequences of a file, which must have a position: one of empty lines has none."""
    if not data.positions:
        raise DataError(f"{display_name(path)}: there are no labelled positions; the file is empty or has no text")
    return data


def _model(options: dict[str, Any], data: Sequences) -> ChainCRF:
    transitions = options["transitions"]
    if transitions is None:
        # A template without B asks for none; B with cells asks for weights of its attributes with pairs.
        lines = [] if data.template is None else [line.strip() for line in data.template.splitlines()]
        asks = data.template is None or any(line.startswith("B") and "%" not in line for line in lines)
        transitions = "observed" if asks else "none"
    model = ChainCRF(
        algorithm=options["algorithm"],
        l1=options["l1"],
        # Until it is chosen, the default.
        l2=1.0 if options["l2"] == "auto" else options["l2"],
        states=options["states"],
        transitions=transitions,
        min_count=options["min_count"],
        max_iterations=options["max_iterations"],
        epsilon=options["epsilon"],
        delta=options["delta"],
        period=options["period"],
        memory=options["memory"],
        warm_passes=options["warm_passes"],
        posterior_beam=options["posterior_beam"],
        candidates=options["candidates"],
        warm_start_candidates=options["warm_start_candidates"],
        batch=options["batch"],
        rate=options["rate"],
        seed=options["seed"],
        threads=options["threads"],
    )
    model.format = options["format_"]
    return model
