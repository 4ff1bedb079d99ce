"""What the commands in place of other programs share: options that do nothing here, and text that arrives slowly."""

from __future__ import annotations

import io
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

import click
from click.core import ParameterSource

from plait.align import AlignmentModel, fit
from plait.bitext import Bitext
from plait.io.streams import BLOCK_BYTES, open_input
from plait.progress import Reporter

__all__ = ["arriving_lines", "idle_options", "is_given", "train"]


def is_given(name: str) -> bool:
    """Whether an option stands on the command line."""
    return click.get_current_context().get_parameter_source(name) is ParameterSource.COMMANDLINE


def idle_options(program: str, reasons: Mapping[str, Iterable[str]]) -> list[str]:
    """Return a warning for each reason why given options have no effect.

    Parameters
    ----------
    program
        What is replaced.
    reasons
        For each reason the names of the parameters.
    """
    options = {parameter.name: parameter.opts[0] for parameter in click.get_current_context().command.params}
    notes = []
    for reason, names in reasons.items():
        given = [options[name] for name in names if is_given(name)]
        if given:
            verb = "has" if len(given) == 1 else "have"
            notes.append(f"{', '.join(given)} {verb} no effect in place of {program}: {reason}")
    return notes


def arriving_lines(path: str) -> Iterator[list[bytes]]:
    """Yield lines as soon as they are there, those of one read at a time.

    Another program may wait for the answer to a line before it sends the next: standard input is not waited for to
    fill a block, and so not decompressed.
    """
    if path == "-":
        file = cast(io.BufferedReader, sys.stdin.buffer)
        yield from _split(iter(lambda: file.read1(BLOCK_BYTES), b""))
    else:
        with open_input(path) as stream:
            yield from _split(iter(lambda: stream.read1(BLOCK_BYTES), b""))


def _split(blocks: Iterator[bytes]) -> Iterator[list[bytes]]:
    rest: list[bytes] = []
    for block in blocks:
        end = block.rfind(b"\n") + 1
        if end:
            yield b"".join([*rest, block[:end]]).split(b"\n")[:-1]
            rest = []
        rest.append(block[end:])
    if any(rest):
        yield [b"".join(rest)]


def train(text: Bitext, preset: str, progress: Reporter, threads: int | None, **options: Any) -> AlignmentModel:
    """Train as `plait.align.fit` does; warnings go to standard error in the form of the command line."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        progress.tokens = text.counts.source_tokens + text.counts.target_tokens
        model = fit(text, preset, objective=False, threads=threads, progress=progress, **options)
    for warning in caught:
        progress.note(str(warning.message))
    return model
