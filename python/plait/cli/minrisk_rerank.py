"""``plait minrisk rerank``: the best translations of forests under trained weights."""

from __future__ import annotations

import time
from typing import Any

import click

from plait.cli.forest_options import input_options
from plait.cli.groups import GroupedCommand, option
from plait.cli.minrisk_inputs import ForestFiles
from plait.cli.minrisk_options import forest_options, gain_of, gain_option, ignored, run_options
from plait.hypergraph.forest import Forest
from plait.io.atomic import OutputFile
from plait.minrisk import Translation, read_weights, rerank
from plait.minrisk.reranking import Method
from plait.progress import Reporter, duration, reporter

WEIGHTS, CHOICE, OUTPUT = "Weights", "Choice", "Output"
EXAMPLES = """
plait minrisk rerank test/ -w trained.txt -o out.en
plait minrisk rerank lists.gz -w trained.txt --method mbr --gamma 0.5 -o out.en
plait minrisk rerank test/ -w reranker.txt --baseline weights.txt -k 100 -o best100.txt
"""


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="The best translations under trained weights.")
@click.argument("forests", metavar="FOREST...", nargs=-1, required=True)
@option(
    WEIGHTS, "-w", "--weights", metavar="FILE", required=True, help="Lines 'name weight', as of `plait minrisk train`."
)
@option(WEIGHTS, "--baseline", metavar="FILE", help="The weights of the baseline that the weights were trained with.")
@option(
    CHOICE,
    "--method",
    type=click.Choice(["viterbi", "mbr"]),
    default="viterbi",
    help="viterbi: the best score; mbr: the largest expected gain of linear BLEU (minimum Bayes risk).",
)
@option(CHOICE, "-k", metavar="K", type=click.IntRange(min=1), help="A list of the K best distinct translations.")
@option(
    CHOICE,
    "--gamma",
    metavar="X",
    type=click.FloatRange(min=0, min_open=True),
    default=1.0,
    help="mbr: what scores are multiplied by; the file of weights tells that of training.",
)
@gain_option(CHOICE)
@option(
    CHOICE,
    "--mbr-edges",
    metavar="N",
    type=click.IntRange(min=1),
    default=2000,
    help="mbr: prune forests to so many edges first.",
)
@option(
    CHOICE,
    "--posteriors",
    type=click.Choice(["presence", "counts"]),
    default="presence",
    help="mbr: what an n-gram is worth: the probability that a translation has it, or its expected number (quicker).",
)
@forest_options()
@input_options(has_sentence=False)
@option(OUTPUT, "-o", "--out", metavar="FILE", default="-", help="Where translations go; '-' is standard output.")
@option(OUTPUT, "--force", is_flag=True, help="Replace an output that exists.")
@run_options()
def command(forests: tuple[str, ...], **options: Any) -> None:
    """Write the best translation of each forest under trained weights, one a line.

    Forests are files, or folders of files. A forest without derivations has an empty line. With -k the output is an
    n-best list as of Moses: 'id ||| words |||  ||| score'.
    """
    started = time.perf_counter()
    weights = read_weights(options["weights"])
    baseline = None if options["baseline"] is None else read_weights(options["baseline"])
    files = ForestFiles(forests, options, is_kept=False)
    k = options["k"]
    method: Method = "kbest" if options["method"] == "viterbi" and k else options["method"]
    with reporter(options["progress"]) as progress, OutputFile(options["out"], force=options["force"]) as out:
        names: list[str] = []
        found = rerank(
            _told(files, names, progress),
            weights,
            method=method,
            k=k or 1,
            baseline=baseline,
            ignore=ignored(options["ignore"]),
            gamma=options["gamma"],
            gain=gain_of(options),
            posteriors=options["posteriors"],
            edges=options["mbr_edges"],
            limit=options["limit"],
            threads=options["threads"],
        )
        count = empty = 0
        for count, translations in enumerate(found, 1):
            empty += not translations
            out.write(
                _written(translations, names[count - 1], is_list=k is not None).encode("utf-8", "surrogateescape")
            )
        seconds = time.perf_counter() - started
        progress.summarize(
            f"{count:,} forests, {empty:,} without translation, {duration(seconds)}",
            {"forests": count, "empty": empty, "seconds": round(seconds, 3)},
        )


def _told(files: ForestFiles, names: list[str], progress: Reporter) -> Any:
    """Yield the forests, tell how far it is, and put their names into the list."""

    def all_of_them() -> Any:
        for done, file in enumerate(files.files):
            progress("reranking", done, len(files.files))
            for forest in files.of(file):
                names.append(_name(forest, len(names)))
                yield forest

    return all_of_them()


def _name(forest: Forest, number: int) -> str:
    name = forest.properties.get("id", "")
    return name if len(name.split()) == 1 else str(number)


def _written(translations: list[Translation], name: str, *, is_list: bool) -> str:
    if not is_list:
        return " ".join(translations[0].words if translations else ()) + "\n"
    return "".join(f"{name} ||| {' '.join(found.words)} |||  ||| {found.score:.10g}\n" for found in translations)
