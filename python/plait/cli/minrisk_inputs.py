"""What the commands of ``plait minrisk`` read: forests of many files, and references by lines."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from plait.cli.forest_options import read
from plait.errors import DataError, TextError
from plait.hypergraph.forest import Forest
from plait.io.streams import display_name, open_input

__all__ = ["ForestFiles", "read_lines", "read_references", "references_of"]


class ForestFiles:
    """The forests of files and folders, in the order of arguments; those of a folder by name, numbers by size.

    Parameters
    ----------
    paths
        Files and folders.
    options
        Those of `plait.cli.forest_options.input_options`, and ``keep_base``: whether the weights of edges are kept.
    is_kept
        Whether forests stay in memory; otherwise files are read again each time.

    Raises
    ------
    plait.errors.DataError
        A folder has no files.
    """

    def __init__(self, paths: Sequence[str], options: dict[str, Any], *, is_kept: bool = True) -> None:
        self.files = [file for path in paths for file in _files(path)]
        self._options, self._is_kept = options, is_kept
        self._kept: dict[str, list[Forest]] = {}

    def __iter__(self) -> Iterator[Forest]:
        """Go through all forests."""
        for file in self.files:
            yield from self.of(file)

    def of(self, file: str) -> list[Forest]:
        """Return the forests of one file."""
        if file in self._kept:
            return self._kept[file]
        forests = read(file, self._options)
        if not self._options["keep_base"]:
            forests = [forest.with_weights(None) for forest in forests]
        # What is read of standard input is gone.
        if self._is_kept or file == "-":
            self._kept[file] = forests
        return forests

    def sentences(self, count: int, what: str) -> list[int]:
        """Return the number of the sentence, from 0, of each forest.

        Parameters
        ----------
        count
            How many sentences there are.
        what
            What has so many, for messages.

        Notes
        -----
        Where each file has several forests, or where there is one file, and in each the ids of forests are whole
        numbers that rise and are below ``count``, as those of n-best lists, ids are the numbers. Otherwise forests are
        counted.

        Raises
        ------
        plait.errors.DataError
            Forests are counted, and there are more or fewer.
        """
        by_file = [[forest.properties.get("id", "") for forest in self.of(file)] for file in self.files]
        ids = [_ids(names, count) for names in by_file]
        if all(found is not None and (len(found) > 1 or len(self.files) == 1) for found in ids):
            return [number for found in ids if found is not None for number in found]
        forests = sum(map(len, by_file))
        if forests != count:
            raise DataError(
                f"there are {forests} forests, and {count} {what}; give one for each forest, in the same order (ids of "
                "forests count where they are numbers of sentences, from 0, that rise in each file)"
            )
        return list(range(count))


def _files(path: str) -> list[str]:
    if not os.path.isdir(path):
        return [path]
    with os.scandir(path) as entries:
        names = [entry.name for entry in entries if entry.is_file() and not entry.name.startswith(".")]
    # The rules beside items of Joshua are read with these.
    names = [name for name in names if not re.search(r"\.rules(\.\w+)?$", name)]
    if not names:
        raise DataError(f"{display_name(path)}: the folder has no files; give one with a forest in each")

    def key(name: str) -> list[tuple[int, int, str]]:
        # Sentence 10 comes after sentence 9.
        return [(1, int(part), part) if part.isdecimal() else (0, 0, part) for part in re.split(r"(\d+)", name)]

    return [os.path.join(path, name) for name in sorted(names, key=key)]


def _ids(names: Sequence[str], count: int) -> list[int] | None:
    """Return ids as numbers if they rise and are below the count."""
    if not all(name.isascii() and name.isdecimal() and len(name) < 10 for name in names):
        return None
    numbers = [int(name) for name in names]
    rises = all(a < b for a, b in pairwise(numbers))
    return numbers if rises and (not numbers or numbers[-1] < count) else None


def read_lines(path: str) -> list[str]:
    """Return the lines of a text, without their ends.

    Raises
    ------
    plait.errors.TextError
        A line is no UTF-8.
    """
    lines = []
    with open_input(path) as stream:
        for number, raw in enumerate(stream, 1):
            try:
                lines.append(raw.decode("utf-8").rstrip("\n").removesuffix("\r"))
            except UnicodeDecodeError as problem:
                raise TextError(
                    line=number,
                    column=problem.start + 1,
                    problem="the text must be UTF-8; convert it",
                    found=repr(raw[problem.start : problem.start + 1]),
                    path=display_name(path),
                ) from None
    return lines


def read_references(paths: Sequence[str]) -> list[list[str]]:
    """Return the lines of each reference; all files have as many.

    Raises
    ------
    plait.errors.DataError
        One has more lines than another, or none has a line.
    """
    streams = [read_lines(path) for path in paths]
    for path, stream in zip(paths[1:], streams[1:], strict=True):
        if len(stream) != len(streams[0]):
            raise DataError(
                f"{display_name(path)} has {len(stream)} lines, and {display_name(paths[0])} {len(streams[0])}; "
                "references must be parallel, line by line"
            )
    if not streams or not streams[0]:
        raise DataError(f"{', '.join(map(display_name, paths))}: there are no references; check the file")
    return streams


def references_of(streams: Sequence[Sequence[str]], sentence: int, paths: Sequence[str]) -> list[str]:
    """Return the references of a sentence that have words.

    Raises
    ------
    plait.errors.DataError
        None has.
    """
    found = [stream[sentence] for stream in streams if stream[sentence].strip(" \t")]
    if not found:
        raise DataError(
            f"line {sentence + 1} of {', '.join(map(display_name, paths))}: no reference has a word; leave the "
            "forest of this sentence out, or give it a reference"
        )
    return found
