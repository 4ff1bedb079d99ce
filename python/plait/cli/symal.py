"""``plait symal``: the options and formats of Moses' symal."""

from __future__ import annotations

import re

import click

from plait.alignments import Alignments
from plait.cli.groups import GroupedCommand, option
from plait.cli.run_options import threads_option
from plait.io.atomic import OutputFile
from plait.io.bal import read_bal
from plait.io.link_order import lines_by_target
from plait.symmetrize import Method, symmetrize

GROUP, OURS = "Options of symal", "Options of plait"
EXAMPLES = """
plait symal -alignment=grow -diagonal=yes -final=yes -both=yes < train.bal > aligned.grow-diag-final-and
plait symal -a=i -i=train.bal -o=aligned.intersect
"""
_KINDS = {
    **dict.fromkeys(("union", "u"), "union"),
    **dict.fromkeys(("intersect", "i"), "intersect"),
    **dict.fromkeys(("grow", "g"), "grow"),
    **dict.fromkeys(("srctotgt", "s2t"), "srctotgt"),
    **dict.fromkeys(("tgttosrc", "t2s"), "tgttosrc"),
}
_YES_OR_NO = {"true": True, "yes": True, "y": True, "false": False, "no": False, "n": False}
_LETTERS = {"a": "alignment", "d": "diagonal", "f": "final", "b": "both", "v": "verbose", "i": "input", "o": "output"}
_ASSIGNMENT = re.compile(r"-([a-z]+)=(.*)", re.DOTALL)


class SymalCommand(GroupedCommand):
    """A command with symal's form of options: one dash, a name, '=' and a value."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Rewrite ``-name=value`` as ``--name=value``."""
        rewritten = []
        for arg in args:
            found = _ASSIGNMENT.fullmatch(arg)
            rewritten.append(f"--{_LETTERS.get(found[1], found[1])}={found[2]}" if found else arg)
        return super().parse_args(ctx, rewritten)


@click.command(cls=SymalCommand, has_config=False, examples=EXAMPLES, short_help="In place of Moses' symal.")
@option(GROUP, "--alignment", required=True, type=click.Choice([*_KINDS]), help="-a=, -alignment=: how to combine.")
@option(GROUP, "--diagonal", type=click.Choice([*_YES_OR_NO]), default="no", help="-d=: grow by corners, too.")
@option(GROUP, "--final", type=click.Choice([*_YES_OR_NO]), default="no", help="-f=: add links of uncovered words.")
@option(GROUP, "--both", type=click.Choice([*_YES_OR_NO]), default="no", help="-b=: only if both are uncovered.")
@option(
    GROUP, "--input", "input_", default="-", metavar="FILE", help="-i=: a file of giza2bal.pl; '-': standard input."
)
@option(GROUP, "--output", default="-", metavar="FILE", help="-o=: the links; a file that exists is replaced.")
@option(GROUP, "--verbose", type=click.Choice([*_YES_OR_NO]), default="no", help="-v=: accepted; nothing is told.")
@threads_option(OURS)
def command(
    alignment: str,
    diagonal: str,
    final: str,
    both: str,
    input_: str,
    output: str,
    verbose: str,
    threads: int | None,
) -> None:
    """Make one set of links of both directions with the options and formats of symal.

    Options are written -name=value, as in -alignment=grow or -a=g. The input is the bi-alignment format of
    giza2bal.pl; sentences may have any length. Links are written source-target, counted from 0, in symal's order.
    """
    kind = _KINDS[alignment]
    method = _method(_YES_OR_NO[diagonal], _YES_OR_NO[final], _YES_OR_NO[both])
    pairs = 0
    with OutputFile(output, force=True) as out:
        for forward, reverse in read_bal(input_):
            out.write(_lines(kind, method, forward, reverse, threads))
            pairs += len(forward)
    click.echo(f"Sents: {pairs}", err=True)


def _method(diagonal: bool, final: bool, both: bool) -> Method:
    """Return the growing heuristic of three switches; ``both`` counts with ``final`` only."""
    methods: dict[tuple[bool, bool, bool], Method] = {
        (False, False, False): "grow",
        (True, False, False): "grow-diag",
        (False, True, False): "grow-final",
        (True, True, False): "grow-diag-final",
        (False, True, True): "grow-final-and",
        (True, True, True): "grow-diag-final-and",
    }
    return methods[diagonal, final, both and final]


def _lines(kind: str, method: Method, forward: Alignments, reverse: Alignments, threads: int | None) -> bytes:
    """Return the lines of some pairs, links in the order of symal."""
    if kind == "grow":
        return lines_by_target(symmetrize(forward, reverse, method, threads=threads), threads=threads)
    if kind == "intersect":
        return symmetrize(forward, reverse, "intersection", threads=threads).to_pharaoh(threads=threads)
    if kind == "srctotgt":
        return reverse.to_pharaoh(threads=threads)
    if kind == "tgttosrc":
        return lines_by_target(forward, threads=threads)
    return _union(forward, reverse, threads)


def _union(forward: Alignments, reverse: Alignments, threads: int | None) -> bytes:
    """Return all reverse links, by source position, and then the others of the forward ones, by target position."""
    others = [
        [link for link in mine.tolist() if link not in theirs.tolist()]
        for mine, theirs in zip(forward, reverse, strict=True)
    ]
    rest = lines_by_target(Alignments.from_lists([[(i, j) for i, j in links] for links in others]), threads=threads)
    heads = reverse.to_pharaoh(threads=threads).split(b"\n")[:-1]
    tails = rest.split(b"\n")[:-1]
    return b"".join(b" ".join(filter(None, pair)) + b"\n" for pair in zip(heads, tails, strict=True))
