"""``plait combine``: one alignment from several alignments of the same corpus."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import click

from plait.alignments import ByteSink
from plait.cli.groups import GroupedCommand, option
from plait.cli.link_options import links_out
from plait.combine import METHODS, combine
from plait.errors import DataError, UnequalLengthError
from plait.io.atomic import OutputFile, OutputGroup
from plait.io.link_blocks import check_one_standard_input, read_in_step
from plait.io.streams import display_name, read_blocks

METHOD, TEXT, OUTPUT, RUN = "Method", "Replicated text, with --method concatenate", "Output", "Run"
EXAMPLES = """
plait combine em5.align em20.align em80.align -o out.align
plait combine a.posteriors b.posteriors -o out.align --method average --threshold 0.4
plait combine em5.align em20.align em80.align -o em-co.align --method concatenate \\
    -s train.en -t train.fr --source-out em-co.en --target-out em-co.fr
"""


@click.command(cls=GroupedCommand, examples=EXAMPLES, short_help="Combine several alignments of one corpus.")
@click.argument("alignments", type=str, nargs=-1, required=True)
@option(
    METHOD,
    "--method",
    type=click.Choice(METHODS),
    default="vote",
    help="vote: links that more than --threshold of the alignments have; average: links whose mean probability "
    "(i-j:p) is above --threshold; concatenate: all alignments one after the other, for a corpus that is replicated.",
)
@option(
    METHOD,
    "--threshold",
    type=click.FloatRange(0, 1),
    default=0.5,
    help="What a link must exceed: the share of votes, or the mean probability.",
)
@option(TEXT, "-s", "--source", metavar="FILE", type=str, help="Source side of the corpus.")
@option(TEXT, "-t", "--target", metavar="FILE", type=str, help="Target side of the corpus.")
@option(TEXT, "--source-out", metavar="FILE", type=str, help="The source side, once for each alignment.")
@option(TEXT, "--target-out", metavar="FILE", type=str, help="The target side, once for each alignment.")
@links_out(OUTPUT, RUN, force="Replace outputs that exist.")
def command(alignments: tuple[str, ...], **options: Any) -> None:
    """Combine several alignments of the same corpus.

    ALIGNMENTS are files of lines 'i-j ..', one line for each sentence pair; one of them may be '-', standard
    input. Mermer et al. (2013) concatenate: EM(Co) is EM-5 + EM-20 + EM-80, GS(Co) is GS-5 + GS-80 + GS-N.
    Memory does not grow with the size of the files.
    """
    texts = _texts(options)
    check_one_standard_input(alignments)
    with OutputGroup(force=options["force"]) as outputs:
        out = outputs.open(options["out"])
        copies = [(path, outputs.open(place)) for path, place in texts]
        lines = _concatenate(alignments, out, options) if options["method"] == "concatenate" else None
        if lines is None:
            lines = _merge(alignments, out, options)
        if not lines:
            raise DataError("the alignments are empty; check that they hold the links of the corpus")
        for path, copy in copies:
            _replicate(path, copy, lines, len(alignments))


def _texts(options: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the texts to replicate and where to."""
    pairs = [(options["source"], options["source_out"]), (options["target"], options["target_out"])]
    if any((path is None) != (place is None) for path, place in pairs):
        raise click.UsageError("-s goes with --source-out, and -t with --target-out")
    texts = [(path, place) for path, place in pairs if path is not None]
    if texts and options["method"] != "concatenate":
        raise click.UsageError("only --method concatenate replicates the text")
    if any(path == "-" for path, _ in texts):
        raise click.UsageError("a text is read once for each alignment: give a file, not standard input")
    return texts


def _merge(alignments: Sequence[str], out: ByteSink, options: dict[str, Any]) -> int:
    """Write the combination of the same pairs of all files; return their number."""
    lines = 0
    for blocks in read_in_step(alignments, threads=options["threads"]):
        result = combine(blocks, options["method"], threshold=options["threshold"], threads=options["threads"])
        result.write_to(out, format=options["format_"], probabilities=options["probabilities"])
        lines += len(result)
    return lines


def _concatenate(alignments: Sequence[str], out: ByteSink, options: dict[str, Any]) -> int:
    """Write one file after the other; return the number of pairs of each."""
    counts: list[tuple[str, int]] = []
    for path in alignments:
        lines = 0
        for (block,) in read_in_step([path], threads=options["threads"]):
            block.write_to(out, format=options["format_"], probabilities=options["probabilities"])
            lines += len(block)
        counts.append((display_name(path), lines))
        _check_equal(counts[0], counts[-1])
    return counts[0][1]


def _replicate(path: str, copy: OutputFile, lines: int, times: int) -> None:
    """Write a text several times after checking that it has a line for each pair."""
    for _ in range(times):
        found = 0
        for block in _whole_lines(path):
            found += block.count(b"\n")
            copy.write(block)
        _check_equal((display_name(path), found), ("the alignment", lines))


def _whole_lines(path: str | os.PathLike[str]) -> Iterator[bytes]:
    """Yield a text's blocks, with a line end at the end of the last one."""
    last = b"\n"
    for block in read_blocks(path):
        last = block[-1:]
        yield block
    if last != b"\n":
        yield b"\n"


def _check_equal(first: tuple[str, int], second: tuple[str, int]) -> None:
    (shorter, short), (longer, long) = sorted((first, second), key=lambda pair: pair[1])
    if short != long:
        raise UnequalLengthError(shorter=shorter, shorter_len=short, longer=longer, longer_len=long)
