"""``plait translit train``: a system from word pairs."""

from __future__ import annotations

import time
import warnings
from typing import Any, Literal

import click

from plait import models
from plait.cli.groups import GroupedCommand, option
from plait.cli.run_options import progress_option, threads_option
from plait.cli.translit_options import INPUT, MODEL, OUTPUT, entries_of, format_options
from plait.errors import AlignmentWarning, ConvergenceWarning
from plait.io.atomic import OutputFile
from plait.progress import duration, reporter
from plait.translit import Interpolation, JointSourceChannel, TwoStepCRF
from plait.translit.loading import kind_of
from plait.translit.tuning import GOALS
from plait.translit.two_step import FEATURES

SYSTEMS = ("joint", "two-step", "jscm", "joint+jscm", "two-step+jscm", "joint+jscm+backward")
# Of the joint source-channel models among them.
DIRECTIONS: dict[str, Literal["forward", "backward"]] = {"jscm": "forward", "backward": "backward"}
CHUNKS, FIELDS, DECODING = "Chunks", "Random fields", "Decoding"
EXAMPLES = """
plait translit train --train train.tsv --dev dev.tsv -o names.plait
plait translit train --system joint --max-source 6 --max-target 1 --no-deletions --train train.tsv -o zh.plait
plait translit train --system joint+jscm+backward --train few.tsv --dev dev.tsv -o small.plait
plait translit train --system jscm --order 6 --train lexicon.tsv -o phones.plait
"""


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="Train a system on word pairs.")
@option(INPUT, "--train", metavar="FILE", required=True, help="Word pairs: SOURCE TAB TARGET[|TARGET...].")
@option(
    INPUT,
    "--dev",
    metavar="FILE",
    help="More of them: what can be chosen is chosen here (weights of two systems, thresholds of n-grams).",
)
@format_options()
@option(
    INPUT,
    "--source-units",
    type=click.Choice(["auto", "characters", "clusters", "words"]),
    default="auto",
    help="Symbols of sources: code points (auto), characters with their combining marks, or what spaces divide.",
)
@option(
    INPUT,
    "--target-units",
    type=click.Choice(["auto", "characters", "clusters", "words"]),
    default="auto",
    help="The same of targets; auto: words when most targets have a space.",
)
@option(
    MODEL,
    "--system",
    type=click.Choice(SYSTEMS),
    default="joint+jscm",
    help="joint: two random fields, segmentations summed. two-step: the best segmentation only. jscm: an n-gram model "
    "of chunk pairs. backward: the same from the ends of words, of use where pairs are few. With +: all, weighted.",
)
@option(
    CHUNKS,
    "--max-source",
    metavar="N",
    type=click.IntRange(min=1),
    help="Longest source chunk; by default chosen by the lengths of words.",
)
@option(CHUNKS, "--max-target", metavar="N", type=click.IntRange(min=1), help="Longest target chunk; likewise.")
@option(CHUNKS, "--deletions/--no-deletions", default=None, help="Source chunks without target; likewise.")
@option(CHUNKS, "--align", type=click.Choice(["em", "viterbi"]), default="em", help="All alignments, or the best one.")
@option(CHUNKS, "--align-iterations", metavar="N", type=click.IntRange(min=1), default=50, help="The most of them.")
@option(
    FIELDS,
    "--features",
    type=click.Choice(["auto", *FEATURES]),
    default="auto",
    help="paper: windows of two symbols, neighbouring chunks. letters: longer strings, letters around chunks. "
    "auto: paper where letters become Chinese characters, otherwise letters.",
)
@option(
    FIELDS,
    "--l2-segmenter",
    metavar="C",
    type=float,
    help="Factor of its squared weights; by default 0.5, with --dev the best of some.",
)
@option(FIELDS, "--l2-converter", metavar="C", type=float, help="The same of the converter.")
@option(
    FIELDS,
    "--rivals",
    type=click.Choice(["auto", "all", "seen"]),
    default="auto",
    help="What the converter learns to tell a target chunk from: all, or those seen with the source chunk, which is "
    "many times faster. auto: all where letters become Chinese characters.",
)
@option(
    FIELDS,
    "--rare",
    metavar="SHARE",
    type=click.FloatRange(min=0, max=1, max_open=True),
    default=1e-4,
    help="Leave pairs out whose target chunks are rarer than this share of the pairs; 0 keeps all.",
)
@option(
    FIELDS,
    "--unusual",
    metavar="SHARE",
    type=click.FloatRange(min=0, max=1, max_open=True),
    default=1e-3,
    help="Leave pairs out where a source chunk becomes what it becomes in less than this share of its cases, if rivals "
    "are those seen with it; 0 keeps all.",
)
@option(FIELDS, "--max-iterations", metavar="N", type=click.IntRange(min=0), default=300, help="The most iterations.")
@option(
    "N-grams",
    "--order",
    metavar="N",
    type=click.IntRange(min=1),
    help="Order; by default 3 for letters to Chinese characters, or 6.",
)
@option(DECODING, "--segmentations", metavar="N", type=click.IntRange(min=1), default=10, help="The most to take.")
@option(DECODING, "--conversions", metavar="N", type=click.IntRange(min=1), default=10, help="Of each segmentation.")
@option(
    DECODING,
    "--measure",
    type=click.Choice(GOALS),
    help="What weights of systems raise on --dev: acc by default of two systems, likelihood of more.",
)
@option(OUTPUT, "-o", "--out", metavar="MODEL", required=True, help="The model; .gz .bz2 .xz .zst compress.")
@option(OUTPUT, "--force", is_flag=True, help="Replace a model that exists.")
@threads_option(independent="Results do")
@progress_option()
def command(**options: Any) -> None:
    """Train a transliteration system, or one that gives pronunciations, on word pairs.

    Pairs are cut into pairs of chunks; the system learns to cut and to convert. Pairs that cannot be cut with the
    longest chunks allowed are counted and left out.
    """
    started = time.perf_counter()
    model = _system(options)
    with reporter(options["progress"]) as progress:
        # The output is opened before the work begins, so that a bad path is told at once.
        with OutputFile(options["out"], force=options["force"]) as out:
            progress("reading", 0, 1)
            pairs = [(e.source, list(e.targets)) for e in entries_of(options["train"], options)]
            dev = None if options["dev"] is None else entries_of(options["dev"], options)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", ConvergenceWarning)
                warnings.simplefilter("always", AlignmentWarning)
                held_out = None if dev is None else [(e.source, list(e.targets)) for e in dev]
                model.fit(pairs, dev=held_out, progress=progress)
            for warning in caught:
                progress.note(str(warning.message))
            value = None
            if dev is not None:
                value = model.score([e.source for e in dev], [e.targets for e in dev])
            models.write_to(out, kind_of(model), *model.stored())
        seconds = time.perf_counter() - started
        weights = list(model.weights) if isinstance(model, Interpolation) else None
        facts = {
            "system": options["system"],
            "words": len(pairs),
            "weights": weights,
            "dev_acc": value,
            "seconds": round(seconds, 3),
        }
        mixed = "" if weights is None else ", weights " + " ".join(f"{weight:.3f}" for weight in weights)
        shown = "" if value is None else f", ACC {value:.4f} on {options['dev']}"
        progress.summarize(f"{options['system']} on {len(pairs):,} words{mixed}{shown}, {duration(seconds)}", facts)


def _system(options: dict[str, Any]) -> Any:
    chunks = {
        "max_source": options["max_source"],
        "max_target": options["max_target"],
        "deletions": options["deletions"],
        "method": options["align"],
        "iterations": options["align_iterations"],
        "source_units": options["source_units"],
        "target_units": options["target_units"],
        "threads": options["threads"],
    }
    parts: list[Any] = []
    for name in options["system"].split("+"):
        if name in DIRECTIONS:
            parts.append(JointSourceChannel(order=options["order"], direction=DIRECTIONS[name], **chunks))
        else:
            parts.append(
                TwoStepCRF(
                    features=options["features"],
                    l2_segmenter=options["l2_segmenter"],
                    l2_converter=options["l2_converter"],
                    rivals=options["rivals"],
                    rare=options["rare"],
                    unusual=options["unusual"],
                    max_iterations=options["max_iterations"],
                    segmentations=1 if name == "two-step" else options["segmentations"],
                    conversions=options["conversions"],
                    **chunks,
                )
            )
    return parts[0] if len(parts) == 1 else Interpolation(parts, measure=options["measure"])
