"""Weights of sentence pairs: files with one number a line."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from plait.errors import TextError, UnequalLengthError
from plait.io.streams import Path, display_name, open_input

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["parse_weight", "read_weights"]


def read_weights(path: Path, *, expected: int, of: Path) -> npt.NDArray[np.float64]:
    """Read a number that is not negative from each line.

    Parameters
    ----------
    path
        The file; compressed if its name says so, "-" for standard input.
    expected
        How many lines there must be.
    of
        The parallel file that has so many, for the message.

    Returns
    -------
    float64[expected]
        The weights.

    Raises
    ------
    plait.errors.TextError
        A line is no such number.
    plait.errors.UnequalLengthError
        There are fewer or more lines.
    """
    import numpy as np

    weights = []
    with open_input(path) as stream:
        for number, line in enumerate(stream, start=1):
            weights.append(parse_weight(line, number, path, "a sentence pair"))
    if len(weights) != expected:
        ours, theirs = (display_name(path), len(weights)), (display_name(of), expected)
        shorter, longer = sorted((ours, theirs), key=lambda named: named[1])
        raise UnequalLengthError(shorter=shorter[0], shorter_len=shorter[1], longer=longer[0], longer_len=longer[1])
    return np.array(weights, dtype=np.float64)


def parse_weight(line: bytes, number: int, path: Path, what: str) -> float:
    """Return the weight on a line of a file: that of ``what``, for the message.

    Raises
    ------
    plait.errors.TextError
        It is no finite number from 0.
    """
    try:
        weight = float(line)
    except ValueError:
        weight = math.nan
    if not (math.isfinite(weight) and weight >= 0):
        raise TextError(
            line=number,
            # Blanks before the number are no part of it.
            column=len(line) - len(line.lstrip()) + 1 if line.strip() else 1,
            problem=f"the weight of {what} must be one number that is not negative, such as 0.5",
            found=line.decode(errors="replace").strip() or "an empty line",
            path=display_name(path),
        )
    return weight
