"""``plait atools``: the options and formats of atools, which comes with fast_align."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator

import click

from plait.alignments import Alignments
from plait.cli.drop_in import arriving_lines
from plait.cli.groups import GroupedCommand, option
from plait.cli.run_options import threads_option
from plait.errors import DataError, ResourceError, UnequalLengthError
from plait.io.streams import display_name, open_input
from plait.metrics.gold import Gold
from plait.metrics.scores import sufficient_statistics
from plait.symmetrize import Method, symmetrize

GROUP, OURS = "Options of atools", "Options of plait"
EXAMPLES = """
plait atools -i forward.align -j reverse.align -c grow-diag-final-and > out.align
plait atools -i out.align -j gold.align -c fmeasure
plait atools -i out.align -c display | less
"""
_METHODS: dict[str, Method] = {
    "intersect": "intersection",
    "union": "union",
    "grow-diag": "grow-diag",
    "grow-diag-final": "grow-diag-final",
    "grow-diag-final-and": "grow-diag-final-and",
}
_OF_TWO = (*_METHODS, "fmeasure")
COMMANDS = ("convert", "display", "fmeasure", *(name for name in _METHODS if name != "union"), "invert", "union")
_LINES = 16_384
_CELLS_SHOWN = 100_000_000

Block = tuple[Alignments, Alignments | None]


@click.command(cls=GroupedCommand, has_config=False, examples=EXAMPLES, short_help="In place of atools.")
@option(
    GROUP, "-i", "--input_1", required=True, metavar="FILE", help="Links, a line for each pair; '-' for standard input."
)
@option(
    GROUP, "-j", "--input_2", metavar="FILE", help="Other links, or the reference; may be '-' as well, line by line."
)
@option(GROUP, "-c", "--command", "name", required=True, type=click.Choice(COMMANDS), help="What to do.")
@threads_option(OURS)
def command(input_1: str, input_2: str | None, name: str, threads: int | None) -> None:
    """Combine, convert, show or judge links with the options and formats of atools.

    Links are 'i-j' lines, counted from 0; what stands before the last ' ||| ' of a line is skipped. The output goes
    to standard output. With '-' for both inputs, lines of the first and the second alternate, and each pair of lines
    is answered at once. fmeasure takes the second input as the reference.
    """
    if (input_2 is not None) != (name in _OF_TWO):
        number = "two alignment files, -i and -j" if name in _OF_TWO else "only one alignment file"
        raise click.UsageError(f"-c {name} requires {number}")
    blocks = _blocks(input_1, input_2, threads)
    if name == "fmeasure":
        _judge(blocks)
        return
    out = sys.stdout.buffer
    for first, second in blocks:
        out.write(_apply(name, first, second, threads))
        out.flush()


def _apply(name: str, first: Alignments, second: Alignments | None, threads: int | None) -> bytes:
    """Return the lines of a block."""
    if second is not None:
        first = symmetrize(first, second, _METHODS[name], variant="atools", threads=threads)
    elif name == "display":
        lines = first.to_pharaoh(threads=threads).splitlines(keepends=True)
        return b"".join(_grid(links.tolist()) + line for links, line in zip(first, lines, strict=True))
    elif name == "invert":
        first = first.transposed()
    return first.to_pharaoh(threads=threads)


def _grid(links: list[list[int]]) -> bytes:
    """Draw the links of a pair: a row for each source position, a column for each target position."""
    rows, columns = (1 + max((link[side] for link in links), default=0) for side in (0, 1))
    if rows * columns > _CELLS_SHOWN:
        raise ResourceError(
            f"a grid of {rows} x {columns} is too large to draw; check that the links are those you mean"
        )
    border = " " + "".join(str(j % 10) for j in range(columns)) + "\n"
    marks = [["."] * columns for _ in range(rows)]
    for i, j in links:
        marks[i][j] = "*"
    body = "".join(f"{i % 10}{''.join(row)}{i % 10}\n" for i, row in enumerate(marks))
    return (border + body + border + "\n").encode()


def _judge(blocks: Iterator[Block]) -> None:
    """Print precision, recall and F of all pairs, six digits."""
    predicted = reference = matches = 0
    for links, gold in blocks:
        assert gold is not None
        statistics = sufficient_statistics(links, Gold(gold, gold)).sum(axis=0).tolist()
        predicted, reference, matches = predicted + statistics[0], reference + statistics[1], matches + statistics[3]
    if not predicted or not reference:
        raise DataError("there are no links to judge, or none in the reference; check that both files have links")
    # DEVIATION: without a match atools divides 0 by 0 and prints F: -nan.
    f = 2 * matches / (predicted + reference)
    click.echo(f"P: {matches / predicted:g}\nR: {matches / reference:g}\nF: {f:g}")


def _blocks(first: str, second: str | None, threads: int | None) -> Iterator[Block]:
    """Yield the links of the same pairs of both inputs; the second is None when there is one."""
    paths = [path for path in (first, second) if path is not None]
    counts = [0] * len(paths)
    for sides in _lines(first, second):
        lengths = [len(lines) for lines in sides]
        if len(set(lengths)) > 1:
            raise _unequal(paths, [count + length for count, length in zip(counts, lengths, strict=True)])
        parsed = [
            Alignments._parse(
                b"".join(line.rpartition(b" ||| ")[2] + b"\n" for line in lines),
                path,
                first_line=count + 1,
                threads=threads,
            )
            for lines, path, count in zip(sides, paths, counts, strict=True)
        ]
        counts = [count + length for count, length in zip(counts, lengths, strict=True)]
        yield parsed[0], parsed[1] if len(parsed) > 1 else None


def _lines(first: str, second: str | None) -> Iterator[list[list[bytes]]]:
    """Yield lines of each input, without line ends."""
    if second is None:
        yield from ([lines] for lines in arriving_lines(first))
    elif first == second == "-":
        yield from _alternating()
    else:
        with open_input(first) as one, open_input(second) as two:
            while True:
                sides = [[line.rstrip(b"\n") for line in itertools.islice(file, _LINES)] for file in (one, two)]
                if not any(sides):
                    return
                if len(sides[0]) != len(sides[1]):
                    # The error says how many lines there are.
                    for side, file in zip(sides, (one, two), strict=True):
                        side.extend(file)
                yield sides


def _alternating() -> Iterator[list[list[bytes]]]:
    rest: list[bytes] = []
    for arrived in arriving_lines("-"):
        lines = rest + arrived
        even = len(lines) - len(lines) % 2
        rest = lines[even:]
        if even:
            yield [lines[:even:2], lines[1:even:2]]
    if rest:
        yield [rest, []]


def _unequal(paths: list[str], counts: list[int]) -> UnequalLengthError:
    (short, shorter), (long, longer) = sorted(zip(counts, map(display_name, paths), strict=True))
    return UnequalLengthError(shorter=shorter, shorter_len=short, longer=longer, longer_len=long)
