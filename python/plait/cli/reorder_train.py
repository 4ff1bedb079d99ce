"""``plait reorder train``: a reordering model from examples."""

from __future__ import annotations

import time
import warnings
from typing import Any

import click

from plait import models
from plait.cli.groups import GroupedCommand, option
from plait.cli.run_options import progress_option
from plait.errors import ConvergenceWarning
from plait.io.atomic import OutputFile
from plait.progress import Reporter, duration, reporter
from plait.reorder.bayes import NaiveBayes
from plait.reorder.classifier import Classifier
from plait.reorder.dual import DualLogistic
from plait.reorder.examples import Examples
from plait.reorder.files import KIND, contents
from plait.reorder.information import mutual_information, selected
from plait.reorder.lexicalised import Lexicalised
from plait.reorder.primal import PrimalLogistic
from plait.reorder.stacked import StackedLogistic
from plait.reorder.tally import ExampleCounts

CHOICE, INPUT, LOGISTIC, DUAL, OTHERS, OUTPUT = (
    "Model",
    "Features",
    "Logistic regression (dual, primal)",
    "Training in the dual",
    "Other models",
    "Output",
)
EXAMPLES = """
plait reorder train --model dual examples.gz --out dual.plait
plait reorder train --model dual --with-lexical examples.gz --out stacked.plait
plait reorder train --model dual --method block --tol 1e-6 examples.gz --out exact.plait
plait reorder train --model bayes-map --select-share 0.5 examples.gz --out bayes.plait
plait reorder train --model lexical examples.gz --out lexical.plait
"""
MODELS = ("dual", "primal", "bayes-map", "bayes", "lexical")


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="Train a model on examples.")
@click.argument("examples", type=str)
@option(OUTPUT, "--out", "-o", metavar="FILE", required=True, help="The model file; '-' for standard output.")
@option(OUTPUT, "--force", is_flag=True, help="Replace a file that exists.")
@option(
    CHOICE,
    "--model",
    type=click.Choice(MODELS),
    default="dual",
    help="dual or primal: logistic regression; bayes-map or bayes: naive Bayes; lexical: relative frequencies.",
)
@option(
    INPUT,
    "--threshold",
    metavar="N",
    type=click.IntRange(min=0),
    default=10,
    help="Drop features that occur so often or less.",
)
@option(INPUT, "--identity", is_flag=True, help="The phrase pair is a feature too.")
@option(
    INPUT,
    "--select-threshold",
    metavar="X",
    type=float,
    help="Keep features with at least so much information, in nats.",
)
@option(
    INPUT,
    "--select-share",
    metavar="S",
    type=click.FloatRange(0, 1, min_open=True),
    help="Keep this share of the features, those with the most information.",
)
@option(
    INPUT,
    "--information",
    metavar="WHAT",
    type=click.Choice(["mi", "nmi"]),
    default="mi",
    help="mi: mutual information; nmi: normalised as in the paper, which favours rare features.",
)
@option(LOGISTIC, "--sigma2", metavar="S", type=float, default=0.1, help="Variance of the prior on weights.")
@option(
    LOGISTIC,
    "--iterations",
    metavar="N",
    type=click.IntRange(min=1),
    help="The most passes: 100 for dual, 10 for primal.",
)
@option(LOGISTIC, "--no-bias", is_flag=True, help="No constant feature.")
@option(LOGISTIC, "--rate", metavar="R", type=float, default=0.1, help="primal: the first learning rate.")
@option(LOGISTIC, "--seed", metavar="N", type=click.IntRange(0, 2**64 - 1), default=1, help="Of the order of examples.")
@option(
    DUAL,
    "--with-lexical",
    is_flag=True,
    help="How often the phrase pair had which class is among the features, the example itself left out.",
)
@option(
    DUAL,
    "--epsilon",
    metavar="E",
    type=float,
    default=0.1,
    help="An example rests when it violates optimality by at most this, in log-odds.",
)
@option(DUAL, "--no-shrink", is_flag=True, help="No example ever rests.")
@option(DUAL, "--no-unshrink", is_flag=True, help="Examples that rest never come back: Algorithm 1 as printed.")
@option(DUAL, "--tol", metavar="X", type=float, default=1e-3, help="Relative duality gap at which training ends.")
@option(DUAL, "--max-trial", metavar="N", type=click.IntRange(min=1), default=12, help="The most step sizes to try.")
@option(
    DUAL,
    "--start",
    metavar="E",
    type=float,
    help="What the true class lacks to 1 at the start; min(0.001, 1/n) by default.",
)
@option(
    DUAL,
    "--method",
    metavar="METHOD",
    type=click.Choice(["eg", "block"]),
    default="eg",
    help="eg: exponentiated gradient; block: the optimum of one example after the other.",
)
@option(OTHERS, "--alpha", metavar="A", type=float, help="Dirichlet prior: 2 for bayes-map, 1 for bayes by default.")
@option(OTHERS, "--smoothing", metavar="X", type=float, default=0.5, help="lexical: what is added to counts.")
@option(OTHERS, "--proportional", is_flag=True, help="lexical: add in proportion to the classes of all examples.")
@progress_option()
def command(**options: Any) -> None:
    """Train a reordering model on lines of examples, '-' for standard input.

    Training in the dual tells the duality gap: how far, at most, the objective is above its minimum. It holds the
    examples in memory, as primal does; the other models count them in one pass.
    """
    started = time.perf_counter()
    model = _model(options)
    with reporter(options["progress"]) as progress:
        # Opened before the work begins, so that a bad path is told at once.
        with OutputFile(options["out"], force=options["force"]) as out:
            # A list, so that its only reference can be handed over.
            read = [_read(options, progress)]
            facts = _facts(read[0])
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", ConvergenceWarning)
                if isinstance(model, DualLogistic | PrimalLogistic):
                    model.fit(read.pop(), progress=progress)
                else:
                    model.fit(read.pop())
            for warning in caught:
                progress.note(str(warning.message))
            models.write_to(out, KIND, *contents(model))
        _summarize(model, facts, progress, time.perf_counter() - started)


def _model(options: dict[str, Any]) -> Classifier:
    kind = options["model"]
    if options["with_lexical"] and kind != "dual":
        raise click.UsageError(f"--with-lexical belongs to --model dual; found --model {kind}")
    if kind == "dual":
        return (StackedLogistic if options["with_lexical"] else DualLogistic)(
            options["sigma2"],
            epsilon=options["epsilon"],
            shrink=not options["no_shrink"],
            unshrink=not options["no_unshrink"],
            tol=options["tol"],
            max_iter=options["iterations"] or 100,
            max_trial=options["max_trial"],
            start=options["start"],
            method=options["method"],
            fit_intercept=not options["no_bias"],
            seed=options["seed"],
        )
    if kind == "primal":
        return PrimalLogistic(
            options["sigma2"],
            rate=options["rate"],
            max_iter=options["iterations"] or 10,
            fit_intercept=not options["no_bias"],
            seed=options["seed"],
        )
    if kind == "lexical":
        return Lexicalised(options["smoothing"], proportional=options["proportional"])
    return NaiveBayes(options["alpha"], inference="map" if kind == "bayes-map" else "bayesian")


def _read(options: dict[str, Any], progress: Reporter) -> Examples | ExampleCounts:
    if options["select_threshold"] is not None and options["select_share"] is not None:
        raise click.UsageError("features are selected by --select-threshold or by --select-share; give one of the two")
    progress("reading", 0, 1)
    is_selected = options["select_threshold"] is not None or options["select_share"] is not None
    wanted: dict[str, Any] = {
        "threshold": options["threshold"],
        "identity": options["identity"],
        "pairs": options["model"] == "lexical" or options["with_lexical"],
        "progress": progress,
    }
    examples: Examples | ExampleCounts
    if options["model"] in ("dual", "primal"):
        examples = Examples.read(options["examples"], **wanted)
    else:
        examples = ExampleCounts.read(options["examples"], values=is_selected, **wanted)
    if not is_selected:
        return examples
    information = mutual_information(examples, normalized=options["information"] == "nmi")
    return examples.select(selected(information, threshold=options["select_threshold"], share=options["select_share"]))


def _facts(examples: Examples | ExampleCounts) -> dict[str, Any]:
    return {
        "examples": len(examples),
        "features": len(examples.vocabulary),
        "dropped": examples.dropped,
        "classes": list(examples.classes),
    }


def _summarize(model: Classifier, facts: dict[str, Any], progress: Reporter, seconds: float) -> None:
    text = f"{facts['examples']:,} examples, {facts['features']:,} features, {len(facts['classes'])} classes"
    facts = {**facts, "seconds": round(seconds, 3)}
    if isinstance(model, DualLogistic):
        shares = (model.active_ / facts["examples"]).round(6).tolist()
        facts |= {
            "passes": model.n_iter_,
            "active": shares,
            "objective": model.objective_,
            "gap": model.gap_,
            "converged": model.converged_,
        }
        text += (
            f"; {model.n_iter_} passes, the last over {100 * shares[-1]:.1f}% of them, relative gap {model.gap_:.2g}"
        )
    elif isinstance(model, PrimalLogistic):
        facts |= {"passes": model.n_iter_, "losses": model.losses_}
        text += f"; {model.n_iter_} passes, mean loss of the last {model.losses_[-1]:.4f} nats"
    progress.summarize(f"{text}; {duration(seconds)}", facts)
