"""``plait phrases extract``: the phrase pairs of word-aligned text, with their orientations."""

from __future__ import annotations

from typing import Any

import click

from plait.cli.groups import GroupedCommand, option
from plait.cli.run_options import progress_option, threads_option
from plait.phrases.files import extract_files
from plait.progress import reporter

WHAT, OUTPUT, RUN = "Phrase pairs", "Output", "Run"
EXAMPLES = """
plait phrases extract train.en train.fr train.align extract.gz
plait phrases extract train.en train.fr train.align extract.gz 7 --model wbe-msd --model hier-mslr
plait phrases extract train.en train.fr train.align extract 7 --orientation --compat moses
"""


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="Write the phrase pairs of word-aligned text.")
@click.argument("target", type=str)
@click.argument("source", type=str)
@click.argument("alignment", type=str)
@click.argument("out", type=str)
@click.argument("max_length", metavar="[MAXLEN]", type=click.IntRange(min=1), default=7)
@option(WHAT, "--orientation", is_flag=True, help="Write orientations; of the model wbe-msd when there is no --model.")
@option(
    WHAT,
    "--model",
    "models",
    metavar="MODEL",
    multiple=True,
    help="Write the orientations of this model, (wbe|phrase|hier)-(msd|mslr|mono); again for more models. All are "
    "found in one pass.",
)
@option(
    WHAT,
    "--single-words",
    is_flag=True,
    help="Make phrase pairs also of the two words of a link that shares a word with another one (Moses' "
    "--SingleWordHeuristic).",
)
@option(
    WHAT,
    "--compat",
    type=click.Choice(["moses"]),
    help="Byte for byte what Moses writes, its 'next' orientations by phrase and hier included, which look at the "
    "wrong corner of blocks.",
)
@option(
    OUTPUT,
    "--weights",
    metavar="FILE",
    help="A number for each sentence pair, written behind its phrase pairs, which then count as much.",
)
@option(
    OUTPUT,
    "--sentence-ids",
    metavar="OFFSET",
    type=click.IntRange(min=0),
    help="Write the number of the sentence pair, from 1, plus OFFSET behind each phrase pair.",
)
@option(OUTPUT, "--only-orientations", is_flag=True, help="Write no phrase pairs, only OUT.o.")
@option(OUTPUT, "--force", is_flag=True, help="Replace files that exist.")
@threads_option(independent="The files do")
@progress_option()
def command(target: str, source: str, alignment: str, out: str, max_length: int, **options: Any) -> None:
    """Write the phrase pairs of word-aligned text, up to MAXLEN (7) words a side, in the formats of Moses.

    TARGET and SOURCE are text, one sentence a line, in this order as for Moses' extract; ALIGNMENT has links 'i-j',
    source-target, from 0. One of the files may be '-', standard input. OUT gets lines 'source ||| target ||| i-j ..',
    OUT.inv the same turned around, and, with --orientation or --model, OUT.o the orientations 'previous next' of each
    phrase pair. With a name such as extract.gz they are extract.gz, extract.inv.gz and extract.o.gz. Memory does not
    grow with the text. No file appears before all are complete.
    """
    models = options["models"] or (("wbe-msd",) if options["orientation"] or options["only_orientations"] else ())
    with reporter(options["progress"]) as report:
        done = extract_files(
            target,
            source,
            alignment,
            out,
            max_length=max_length,
            models=models,
            weights=options["weights"],
            phrases=not options["only_orientations"],
            single_words=options["single_words"],
            sentence_ids=options["sentence_ids"],
            compat=options["compat"],
            force=options["force"],
            threads=options["threads"],
            progress=report,
        )
        report.summarize(
            f"{done.pairs:,} phrase pairs of {done.sentences:,} sentence pairs",
            {"pairs": done.pairs, "sentences": done.sentences},
        )
