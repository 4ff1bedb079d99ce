r"""The bi-alignment format of Moses: both directions of GIZA++ in one file, as giza2bal.pl writes it.

A record is three lines: how often the pair occurs, then for each side the number of its words, the words, ``#``
and, for each word, the position (from 1) of the word of the other side that it is linked to, or 0::

    1
    4 the house is small  # 1 2 3 3
    3 das Haus ist-klein  # 1 2 3

The side that comes first is symal's *target*: links are written source-target, second side first.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator
from typing import NoReturn

from plait.alignments import Alignments
from plait.errors import TextError
from plait.io.streams import display_name, open_input

__all__ = ["PAIRS_PER_BLOCK", "read_bal"]

PAIRS_PER_BLOCK = 16_384
"""Sentence pairs that are in memory at a time."""


def read_bal(path: str | os.PathLike[str], *, pairs: int = PAIRS_PER_BLOCK) -> Iterator[tuple[Alignments, Alignments]]:
    """Yield the links of both directions of so many sentence pairs at a time.

    Parameters
    ----------
    path
        A file, "-" for standard input; compressed files are recognised by content.
    pairs
        Sentence pairs in a block.

    Yields
    ------
    forward, reverse
        Links of each target word to at most one source word, and of each source word to at most one target word,
        both written source-target.

    Raises
    ------
    TextError
        A record is damaged or cut short; the message names the file and the line.

    Notes
    -----
    Sentences may have any length: symal stops at 400 words, and at words of 10,000 bytes.
    """
    name = display_name(path)
    with open_input(path) as stream:
        lines = enumerate(stream, start=1)
        while block := list(itertools.islice(_records(lines, name), pairs)):
            forward = [[(int(b) - 1, i) for i, b in enumerate(inverse) if b] for _, inverse in block]
            reverse = [[(j, int(a) - 1) for j, a in enumerate(direct) if a] for direct, _ in block]
            yield Alignments.from_lists(forward), Alignments.from_lists(reverse)


def _records(lines: Iterator[tuple[int, bytes]], name: str) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the direct (of source words) and the inverse links (of target words) of each record."""
    for number, line in lines:
        fields = _fields(line)
        if not fields:
            continue
        if len(fields) != 1 or not fields[0].isdigit():
            _refuse(number, line, "the number of times that the pair occurs, alone on its line", name)
        (first, inverse), (second, direct) = _side(lines, number, name), _side(lines, number + 1, name)
        _check(inverse, len(direct), first, name)
        _check(direct, len(inverse), second, name)
        yield direct, inverse


def _side(lines: Iterator[tuple[int, bytes]], before: int, name: str) -> tuple[int, list[int]]:
    """Return the line number of a side and the links of its words."""
    number, line = next(lines, (before + 1, b""))
    fields = _fields(line)
    length = int(fields[0]) if fields and _is_number(fields[0]) else -1
    tail = fields[length + 2 :]
    is_whole = length >= 0 and len(fields) == 2 * length + 2 and fields[length + 1] == b"#"
    if not is_whole or not all(map(_is_number, tail)):
        _refuse(number, line, "the number of words, the words, '#' and a position for each word", name)
    return number, [int(field) for field in tail]


def _is_number(field: bytes) -> bool:
    # Longer ones are no positions, and Python refuses to read numbers of thousands of digits.
    return field.isdigit() and len(field) < 19


def _fields(line: bytes) -> list[bytes]:
    # Not split(): other white space belongs to words.
    return [field for field in re.split(rb"[ \t]", line.rstrip(b"\r\n")) if field]


def _check(positions: list[int], length: int, number: int, name: str) -> None:
    for position in positions:
        if position > length:
            _refuse(number, str(position).encode(), f"positions from 0 to {length}, the length of the other side", name)


def _refuse(number: int, line: bytes, expected: str, name: str) -> NoReturn:
    shown = line[:40].decode(errors="backslashreplace").rstrip("\r\n")
    raise TextError(
        line=number,
        column=1,
        problem=f"expected {expected}; make the file again with giza2bal.pl",
        found=repr(shown) if line else "the end of the file",
        path=name,
    )
