"""``plait reorder examples``: phrase pairs of a corpus with links, as lines of examples."""

from __future__ import annotations

import time
from typing import Any

import click

from plait.alignments import Alignments
from plait.bitext import Bitext
from plait.cli.groups import GroupedCommand, option
from plait.cli.run_options import threads_option
from plait.errors import DataError, UnequalLengthError
from plait.io.link_blocks import check_one_standard_input
from plait.io.streams import display_name
from plait.progress import duration, reporter
from plait.reorder.examples import ExampleOptions, write_examples

INPUT, CHOICE, FEATURES, OUTPUT, RUN = "Corpus with links", "Orientations", "Features", "Output", "Run"
EXAMPLES = """
plait reorder examples -s train.en -t train.de -a out.align -o examples.gz
plait reorder examples -s train.en -t train.de -a out.align -o - --window 2 --mark-sides | head
plait reorder examples -s train.en -t train.de -a out.align -o next.gz --direction forward --classes mslr
"""


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="Phrase pairs as lines of examples.")
@option(INPUT, "-s", "--source", metavar="FILE", required=True, help="Source side of the text that was aligned.")
@option(INPUT, "-t", "--target", metavar="FILE", required=True, help="Target side, parallel to the source.")
@option(
    INPUT, "-a", "--alignments", metavar="FILE", required=True, help="Links, a line 'i-j ..' for each sentence pair."
)
@option(INPUT, "--lowercase", is_flag=True, help="Fold words by lower-casing.")
@option(
    CHOICE,
    "--model",
    metavar="MODEL",
    type=click.Choice(["wbe", "phrase", "hier"]),
    default="hier",
    help="Neighbours by links (wbe), by phrase pairs (phrase) or by blocks of any length (hier).",
)
@option(
    CHOICE,
    "--classes",
    metavar="SET",
    type=click.Choice(["msd", "mslr", "monotonicity"]),
    default="msd",
    help="msd: mono, swap, other; mslr: mono, swap, dleft, dright; monotonicity: mono, nomono.",
)
@option(
    CHOICE,
    "--direction",
    metavar="DIRECTION",
    type=click.Choice(["backward", "forward"]),
    default="backward",
    help="To the previous phrase of the target (backward) or to the next (forward).",
)
@option(
    CHOICE,
    "--max-length",
    metavar="N",
    type=click.IntRange(min=1),
    default=7,
    help="Longest side of a phrase pair, in words.",
)
@option(
    CHOICE,
    "--compat",
    metavar="WHAT",
    type=click.Choice(["strict", "moses"]),
    default="strict",
    help="The definitions of orientations: strict, or those of Moses' extract.",
)
@option(
    FEATURES,
    "--window",
    metavar="N",
    type=click.IntRange(min=0),
    default=1,
    help="Source words on each side of a phrase that are features.",
)
@option(FEATURES, "--mark-sides", is_flag=True, help="Tell words left and right, and at each distance, apart.")
@option(
    OUTPUT,
    "-o",
    "--out",
    metavar="FILE",
    required=True,
    help="The lines; '-' for standard output; .gz and so on compress.",
)
@option(OUTPUT, "--force", is_flag=True, help="Replace an output that exists.")
@threads_option()
def command(**options: Any) -> None:
    """Write the phrase pairs of a corpus, each with its orientation and features.

    Features are a:F&E for each link inside between words F and E, and c:F for source words next to the phrase (l1:F and
    r1:F with --mark-sides).
    """
    started = time.perf_counter()
    check_one_standard_input([options[name] for name in ("source", "target", "alignments")])
    how = ExampleOptions(
        max_length=options["max_length"],
        model=options["model"],
        classes=options["classes"],
        direction=options["direction"],
        window=options["window"],
        marks_sides=options["mark_sides"],
        compat=options["compat"],
    )
    text = Bitext.read(options["source"], options["target"], lowercase=options["lowercase"])
    links = Alignments.read(options["alignments"], threads=options["threads"])
    name = display_name(options["alignments"])
    try:
        count = write_examples(options["out"], text, links, force=options["force"], threads=options["threads"], **how)
    except UnequalLengthError as problem:
        raise problem.named({"the alignment": name, "the text": display_name(options["source"])}) from None
    except DataError as problem:
        raise DataError(f"{name}: {problem}") from None
    seconds = time.perf_counter() - started
    reporter("auto").summarize(
        f"{count:,} examples of {len(text):,} sentence pairs, {duration(seconds)}", {"examples": count}
    )
