"""Weights of training sequences: files with one number a line."""

from __future__ import annotations

import array

from plait.errors import DataError, TextError
from plait.io.streams import Path, display_name, open_input
from plait.io.weights import parse_weight

__all__ = ["read_sequence_weights"]


def read_sequence_weights(path: Path, *, sequences: int, of: Path) -> memoryview[float]:
    """Read a finite number from 0 for each sequence, in their order.

    Parameters
    ----------
    path
        The file; compressed files are recognised by content, "-" is standard input.
    sequences
        How many sequences there are.
    of
        Their file, for messages.

    Returns
    -------
    memoryview of float64[sequences]
        The weights.

    Raises
    ------
    plait.errors.TextError
        A line is no such number, or there are more lines than sequences; the message has file, line and column.
    plait.errors.DataError
        There are fewer lines than sequences.

    Notes
    -----
    Time and memory are linear in the file; what stands behind the last weight that is needed is not read.
    """
    found: list[float] = []
    with open_input(path) as stream:
        for number, line in enumerate(stream, start=1):
            if number > sequences:
                raise TextError(
                    line=number,
                    column=1,
                    problem=f"{display_name(of)} has {sequences} sequences; give one weight for each",
                    found=repr(line.decode(errors="replace").strip()),
                    path=display_name(path),
                )
            found.append(parse_weight(line, number, path, "a sequence"))
    if len(found) < sequences:
        raise DataError(
            f"{display_name(path)}: ends after line {len(found)}, but {display_name(of)} has {sequences} sequences; "
            "give one weight for each"
        )
    return memoryview(array.array("d", found))
