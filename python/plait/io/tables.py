"""Files of lines with words and numbers, read and written by the core."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy.typing as npt

from plait import _core
from plait.errors import TextError
from plait.io.streams import Path, display_name, read_blocks
from plait.threads import resolve_threads

__all__ = ["Columns", "read_table", "rows_in_blocks"]

Columns = list[npt.NDArray[Any]]
"""The columns of a kind of record: ids of words as uint32, whole numbers as int64, numbers as float64."""

# Lines that are in memory as text at a time.
_ROWS_PER_BLOCK = 1 << 18


def read_table(
    path: Path,
    separator: Any,
    records: Sequence[tuple[str | None, Sequence[tuple[str, str]]]],
    *,
    remedy: str,
    header: str | None = None,
) -> tuple[list[list[str]], list[Columns]]:
    """Read a file of lines with a fixed number of fields.

    Parameters
    ----------
    path
        A file, "-" for standard input; compressed files are recognised by content.
    separator
        "tab", one of which stands between fields, or "space", any number of which does.
    records
        The kinds of lines: a keyword that starts them (None for the only kind), and the name and kind of each further
        field, as ``_core.TableReader`` takes them.
    remedy
        What a user can do about a bad line.
    header
        What the first line must be.

    Returns
    -------
    vocabularies
        The words of each vocabulary, in order of first occurrence.
    columns
        For each kind of line its columns.

    Raises
    ------
    plait.errors.TextError
        A line does not fit; the message names the file, line and column, what was found and the remedy.
    """
    reader = _core.TableReader(separator, records, remedy=remedy, header=header)
    try:
        for block in read_blocks(path):
            reader.feed(block)
        return reader.finish()
    except TextError as problem:
        raise problem.at(display_name(path)) from None


def rows_in_blocks(
    rows: int, fields: Callable[[slice], Sequence[_core.Field]], *, threads: int | None = None
) -> Iterator[bytes]:
    """Yield the lines of a table, many at a time; ``fields`` returns the parts of each line for a slice of rows."""
    count = resolve_threads(threads)
    for start in range(0, rows, _ROWS_PER_BLOCK):
        yield _core.write_rows(fields(slice(start, start + _ROWS_PER_BLOCK)), threads=count)
