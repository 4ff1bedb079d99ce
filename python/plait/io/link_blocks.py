"""Link files read in step, a block of sentence pairs at a time, so that memory does not grow with their size."""

from __future__ import annotations

import contextlib
import io
import itertools
import os
from collections.abc import Iterator, Sequence

from plait.alignments import Alignments
from plait.errors import ConfigError, DataError, UnequalLengthError
from plait.io.streams import display_name, open_input

__all__ = ["PAIRS_PER_BLOCK", "check_one_standard_input", "read_in_step"]

PAIRS_PER_BLOCK = 65_536
"""Sentence pairs that are in memory at a time."""

PathLike = str | os.PathLike[str]


def read_in_step(
    paths: Sequence[PathLike], *, pairs: int = PAIRS_PER_BLOCK, threads: int | None = None
) -> Iterator[list[Alignments]]:
    """Yield the links of the same sentence pairs of each file.

    Parameters
    ----------
    paths
        Files of Pharaoh lines; at most one may be "-", standard input.
    pairs
        Sentence pairs in a block.
    threads
        Number of threads; ``None`` for all that may be used.

    Raises
    ------
    ConfigError
        More than one file is standard input.
    TextError
        A line cannot be read; the message names its file.
    DataError
        A file has probabilities in some blocks and none in others.
    UnequalLengthError
        A file has fewer lines than another; both are named with their numbers of lines.
    """
    check_one_standard_input(paths)
    with contextlib.ExitStack() as stack:
        files = [_File(path, stack.enter_context(open_input(path))) for path in paths]
        while True:
            blocks = [file.take(pairs, threads) for file in files]
            if len({len(block) for block in blocks}) > 1:
                raise _unequal(files, threads)
            if not len(blocks[0]):
                return
            yield blocks


def check_one_standard_input(paths: Sequence[PathLike]) -> None:
    """Refuse standard input for several inputs: each would get a part of it.

    Raises
    ------
    ConfigError
        More than one path is "-".
    """
    if [os.fspath(path) for path in paths].count("-") > 1:
        raise ConfigError("only one input can be standard input ('-'); give files for the others")


class _File:
    """A file of links and how far it was read."""

    def __init__(self, path: PathLike, stream: io.BufferedReader) -> None:
        self.path = path
        self.name = display_name(path)
        self.lines = 0
        self._stream = stream
        self._is_rated: bool | None = None

    def take(self, pairs: int, threads: int | None) -> Alignments:
        """Return the links of the next lines; fewer than ``pairs`` at the end."""
        text = b"".join(itertools.islice(self._stream, pairs))
        block = Alignments._parse(text, self.path, first_line=self.lines + 1, threads=threads)
        if len(block.links):
            is_rated = block.probabilities is not None
            if self._is_rated not in (None, is_rated):
                line = self.lines + 1 + int(block.sentences[0])
                with_or_without = "has" if is_rated else "has no"
                raise DataError(
                    f"{self.name}:{line}: a link {with_or_without} probability, unlike those before; "
                    "give every link a probability (i-j:p) or none"
                )
            self._is_rated = is_rated
        self.lines += len(block)
        return block


def _unequal(files: list[_File], threads: int | None) -> UnequalLengthError:
    """Return the error that names the shortest and the longest file, which are read to their ends for it."""
    for file in files:
        while len(file.take(PAIRS_PER_BLOCK, threads)):
            pass
    shorter = min(files, key=lambda file: file.lines)
    longer = max(files, key=lambda file: file.lines)
    return UnequalLengthError(
        shorter=shorter.name, shorter_len=shorter.lines, longer=longer.name, longer_len=longer.lines
    )
