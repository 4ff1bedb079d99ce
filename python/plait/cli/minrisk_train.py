"""``plait minrisk train``: weights of features that make good translations the best ones."""

from __future__ import annotations

import os
import time
from typing import Any

import click

from plait import __version__
from plait.cli.forest_options import input_options
from plait.cli.groups import GroupedCommand, option
from plait.cli.minrisk_methods import Outcome, by_bleu, by_gradients
from plait.cli.minrisk_options import forest_options, gain_option, run_options
from plait.cli.minrisk_usage import check_usage
from plait.io.atomic import OutputFile
from plait.io.streams import display_name
from plait.minrisk.weights_files import weights_text
from plait.progress import duration, reporter

METHOD, PENALTY, FEATURES, DEVELOPMENT = "Method", "Penalty", "Features", "Development"
DATA, GAIN, OUTPUT = "Data", "Gain", "Output"
EXAMPLES = """
plait minrisk train forests/ -r dev.en --init weights.txt -o trained.txt
plait minrisk train forests/ -r dev.en.0 -r dev.en.1 --init weights.txt --method da --checkpoint run -o trained.txt
plait minrisk train lists.gz -r dev.en --init weights.txt --method mert -o trained.txt
plait minrisk train forests/ -r dev.en --baseline weights.txt --ngrams 1-2 --min-count 3 --l2 0.1 -o reranker.txt
"""


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="Minimum risk, annealing or MERT on forests or lists.")
@click.argument("forests", metavar="FOREST...", nargs=-1, required=True)
@option(
    DATA,
    "-r",
    "--reference",
    "references",
    metavar="FILE",
    multiple=True,
    required=True,
    help="A tokenised reference for each forest, one a line; several times for several references.",
)
@option(
    METHOD,
    "--method",
    type=click.Choice(["mr", "da", "mert"]),
    default="mr",
    help="Minimum risk, the same with deterministic annealing, or minimum error rate training.",
)
@option(
    METHOD,
    "--temperature",
    metavar="T",
    type=click.FloatRange(min=0),
    help="mr: what a nat of entropy is worth, in units of loss; 0 by default. da: the highest temperature; 10.",
)
@option(
    METHOD,
    "--lowest",
    metavar="T",
    type=click.FloatRange(min=0, min_open=True),
    default=0.01,
    help="da: the lowest temperature before 0.",
)
@option(
    METHOD,
    "--cooling",
    metavar="X",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.5,
    help="da: what each temperature is multiplied by for the next.",
)
@option(
    METHOD,
    "--gamma",
    metavar="X",
    type=click.FloatRange(min=0, min_open=True),
    default=1.0,
    help="What scores are multiplied by; da: while the temperature falls.",
)
@option(
    METHOD,
    "--sharpest",
    metavar="X",
    type=click.FloatRange(min=0, min_open=True),
    default=8.0,
    help="da: the largest gamma, reached by doubling at temperature 0.",
)
@option(METHOD, "--train-gamma", is_flag=True, help="Make gamma a parameter, too.")
@option(
    METHOD,
    "--iterations",
    metavar="N",
    type=click.IntRange(min=1),
    default=100,
    help="The most iterations; da: of the last stage, a fifth of them for each other one.",
)
@option(
    METHOD,
    "--restarts",
    metavar="N",
    type=click.IntRange(min=0),
    default=20,
    help="mert: random starts after the given one.",
)
@option(
    METHOD, "--seed", metavar="N", type=click.IntRange(min=0), default=1, help="mert: of random starts and directions."
)
@option(
    PENALTY,
    "--l2",
    metavar="C",
    type=click.FloatRange(min=0),
    default=0.0,
    help="Half of C times the square of each weight is added to the risk.",
)
@option(
    PENALTY,
    "--l2-ngrams",
    metavar="C",
    type=click.FloatRange(min=0),
    help="C for the n-grams of --ngrams; that of --l2 by default.",
)
@option(
    PENALTY,
    "--l2-center",
    type=click.Choice(["zero", "start"]),
    default="zero",
    help="Where weights are drawn to: 0, or where training starts.",
)
@option(PENALTY, "--average", is_flag=True, help="Take the mean of the risk over sentences, not the sum.")
@option(PENALTY, "--freeze", metavar="NAMES", help="Features, with commas between, whose weights stay.")
@option(FEATURES, "--init", metavar="FILE", help="Weights where training starts; all 0 by default.")
@option(
    FEATURES,
    "--baseline",
    metavar="FILE",
    help="Weights of a baseline: its score becomes the feature 'baseline' in place of the features of the forests.",
)
@option(FEATURES, "--keep-features", is_flag=True, help="Keep the features of the forests beside that of the baseline.")
@option(FEATURES, "--ngrams", metavar="N|N-M", help="Add a feature for each n-gram of target words of these orders.")
@option(
    FEATURES,
    "--ngrams-from",
    type=click.Choice(["forests", "references"]),
    default="forests",
    help="Where n-grams are counted: forests that can say them, or references.",
)
@option(FEATURES, "--min-count", metavar="N", type=click.IntRange(min=1), default=2, help="Leave rarer n-grams out.")
@option(FEATURES, "--top", metavar="N", type=click.IntRange(min=1), help="Take the N most frequent n-grams at most.")
@gain_option(GAIN, "; auto takes those of the best translations under the weights of --baseline or --init")
@forest_options()
@option(
    "Forests",
    "--nbest",
    metavar="K",
    type=click.IntRange(min=1),
    help="Train on the K best of each forest under the weights of --baseline or --init.",
)
@option("Forests", "--unique", is_flag=True, help="--nbest: only distinct strings of words.")
@option(
    "Forests",
    "--edges",
    metavar="N",
    type=click.IntRange(min=1),
    help="Prune forests to N edges first, under the same weights.",
)
@input_options(has_sentence=False)
@option(
    DEVELOPMENT,
    "--dev",
    metavar="FOREST",
    multiple=True,
    help="Forests that weights are judged on, by BLEU of the best translations; those of training by default.",
)
@option(DEVELOPMENT, "--dev-reference", "dev_references", metavar="FILE", multiple=True, help="References of --dev.")
@option(
    DEVELOPMENT,
    "--select",
    type=click.Choice(["last", "best"]),
    default="last",
    help="The weights at the end, or those of the iteration with the best BLEU.",
)
@option(OUTPUT, "-o", "--out", metavar="FILE", default="-", help="Where weights go; '-' is standard output.")
@option(OUTPUT, "--force", is_flag=True, help="Replace an output that exists.")
@option(
    OUTPUT,
    "--checkpoint",
    metavar="FILE",
    help="Keep the state of training in FILE and FILE.journal; where it is there, go on from it, to the same weights.",
)
@option(OUTPUT, "--spool", metavar="FILE", help="Keep the forests of training in a file, not in memory.")
@run_options()
def command(forests: tuple[str, ...], **options: Any) -> None:
    """Train the weights of features on forests or n-best lists with references.

    Forests are files, or folders of files, in the order of the lines of references. Minimum risk minimises the
    expected loss of linear BLEU by gradients; annealing does so in stages, from a high temperature, where all
    derivations count alike, to 0, and is less bound to where it starts; MERT searches the weights whose best
    translations have the largest BLEU, for some tens of features at most. The output has lines 'name<TAB>weight'.
    """
    check_usage(options)
    started = time.perf_counter()
    with reporter(options["progress"]) as progress, OutputFile(options["out"], force=options["force"]) as out:
        # The output is opened before the work begins, so that a bad path is told at once.
        work = by_bleu if options["method"] == "mert" else by_gradients
        try:
            found: Outcome = work(forests, options, progress)
        except KeyboardInterrupt:
            if options["checkpoint"] is not None and os.path.exists(options["checkpoint"]):
                progress.note(f"the same command goes on from {display_name(options['checkpoint'])}")
            raise
        comments = [f"plait {__version__}, --method {options['method']}", *found.comments]
        out.write(weights_text(found.weights, comments=comments))
        seconds = time.perf_counter() - started
        progress.summarize(f"{found.summary}, {duration(seconds)}", {**found.facts, "seconds": round(seconds, 3)})
