"""Lexicons as tables of text; `plait.lexicon` says what each format holds."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from plait import _core
from plait.errors import ConfigError, TextError
from plait.io.atomic import OutputFile, OutputGroup
from plait.io.streams import Path, display_name, open_input
from plait.io.tables import read_table, rows_in_blocks

if TYPE_CHECKING:
    from plait.lexicon import Lexicon

__all__ = [
    "READ_FORMATS",
    "WRITE_FORMATS",
    "ReadFormat",
    "Table",
    "WriteFormat",
    "file_names",
    "read",
    "totals",
    "write",
    "write_to",
]

WriteFormat = Literal["tsv", "jsonl", "moses", "marian"]
ReadFormat = Literal["tsv", "jsonl", "moses-f2e", "moses-e2f", "marian"]
WRITE_FORMATS: tuple[WriteFormat, ...] = get_args(WriteFormat)
READ_FORMATS: tuple[ReadFormat, ...] = get_args(ReadFormat)

_NULL = "NULL"
_FIELDS = ("source", "target", "count", "forward", "reverse")
_COMPRESSIONS = (".gz", ".bz2", ".xz", ".zst")
# Totals that differ by less are the same but for the digits that were written.
_SAME = 1e-6


@dataclass(frozen=True)
class Table:
    """What was read, an entry for each line; id ``len(vocabulary)`` is NULL."""

    source_vocabulary: list[str]
    target_vocabulary: list[str]
    sources: npt.NDArray[np.uint32]
    targets: npt.NDArray[np.uint32]
    counts: npt.NDArray[np.float64]
    forward: npt.NDArray[np.float64] | None
    reverse: npt.NDArray[np.float64] | None


def read(path: Path, format: ReadFormat) -> Table:
    """Read a table of this format; see `plait.lexicon` for what each holds.

    Raises
    ------
    plait.errors.TextError
        A line is none of such a table.
    plait.errors.ConfigError
        There is no such format.
    """
    if format == "jsonl":
        return _read_jsonl(path)
    if format == "tsv":
        columns = [("source word", "word-or-empty 0"), ("target word", "word-or-empty 1")]
        columns += [(name, "number") for name in _FIELDS[2:]]
        remedy = "write the table with tabs between fields, as plait lexicon does"
        words, ((sources, targets, *numbers),) = read_table(
            path, "tab", [(None, columns)], remedy=remedy, header="\t".join(_FIELDS)
        )
        return _with_null(words, "", sources, targets, *numbers)
    if format not in READ_FORMATS:
        raise ConfigError(name="format", expected=f"one of {', '.join(READ_FORMATS)}", found=repr(format))
    sides = [("source word", "word 0"), ("target word", "word 1")]
    is_forward = format != "moses-e2f"
    columns = [*(reversed(sides) if is_forward else sides), ("probability", "number")]
    remedy = "check that the file is a lexical table of this format"
    words, ((first, second, counts),) = read_table(path, "space", [(None, columns)], remedy=remedy)
    sources, targets = (second, first) if is_forward else (first, second)
    return _with_null(words, _NULL, sources, targets, counts)


def totals(
    sums: npt.NDArray[np.float64],
    rows: npt.NDArray[np.uint32],
    counts: npt.NDArray[np.float64],
    probabilities: npt.NDArray[np.float64],
) -> npt.NDArray[np.float64]:
    """Return the links of each word, entries that are not in the table included.

    The most probable entry of a word says most exactly what its total was: its count over its probability. A sum of
    counts that agrees with it was complete, and is exact.
    """
    best = np.lexsort((probabilities, rows))
    last = np.flatnonzero(np.append(rows[best][1:] != rows[best][:-1], True)) if len(best) else best
    best = best[last]
    best = best[probabilities[best] > 0]
    found = sums.copy()
    found[rows[best]] = counts[best] / probabilities[best]
    return np.where(found > sums * (1 + _SAME), found, sums)


def write(
    lexicon: Lexicon, path: Path, format: WriteFormat, *, reverse: bool, force: bool, threads: int | None
) -> None:
    """Write a table; see `Lexicon.write`."""
    if reverse and format != "marian":
        raise ConfigError(f"only a shortlist (marian) has one direction; {format} holds both")
    with OutputGroup(force=force) as group:
        outs = [group.open(name) for name in file_names(path, format)]
        write_to(outs, lexicon, format, reverse=reverse, threads=threads)


def file_names(path: Path, format: WriteFormat) -> list[Path]:
    """Return the names of the files of a table: for "moses" lex.f2e and lex.e2f, else the name itself.

    Raises
    ------
    plait.errors.ConfigError
        There is no such format, or it has two files and the name is that of standard output.
    """
    if format not in WRITE_FORMATS:
        raise ConfigError(name="format", expected=f"one of {', '.join(WRITE_FORMATS)}", found=repr(format))
    if format != "moses":
        return [path]
    stem, suffix = _split(path)
    return [f"{stem}.f2e{suffix}", f"{stem}.e2f{suffix}"]


def write_to(
    outs: Sequence[OutputFile],
    lexicon: Lexicon,
    format: WriteFormat,
    *,
    reverse: bool = False,
    threads: int | None = None,
) -> None:
    """Write a table to the open files of these `file_names`."""
    if format == "moses":
        lexicon = _with_one_null(lexicon)
        parts = [_directed(lexicon, _NULL, is_forward=is_forward, threads=threads) for is_forward in (True, False)]
    elif format == "marian":
        parts = [_directed(lexicon, None, is_forward=not reverse, threads=threads)]
    else:
        parts = [_tsv(lexicon, threads) if format == "tsv" else _jsonl(lexicon, threads)]
    for out, blocks in zip(outs, parts, strict=True):
        for block in blocks:
            out.write(block)


def _split(path: Path) -> tuple[str, str]:
    """Return the start of the names of several files, and the suffix that compresses them."""
    name = os.fspath(path)
    if name == "-":
        raise ConfigError("the format moses has two files; give the start of their names instead of standard output")
    suffix = next((suffix for suffix in _COMPRESSIONS if name.endswith(suffix)), "")
    return name.removesuffix(suffix), suffix


def _with_one_null(lexicon: Lexicon) -> Lexicon:
    """Return the lexicon with a word that is spelled like NULL, if there is one, as NULL itself."""
    if _NULL not in lexicon.source_vocabulary and _NULL not in lexicon.target_vocabulary:
        return lexicon
    ids, totals = [], []
    for words, own, sums in (
        (lexicon.source_vocabulary, lexicon.sources, lexicon.source_totals),
        (lexicon.target_vocabulary, lexicon.targets, lexicon.target_totals),
    ):
        sums = sums.copy()
        if _NULL in words:
            at = words.index(_NULL)
            own = np.where(own == at, np.uint32(len(words)), own)
            sums[len(words)] += sums[at]
            sums[at] = 0
        ids.append(own)
        totals.append(sums)
    counts = lexicon.counts.astype(np.float64)
    vocabularies = lexicon.source_vocabulary, lexicon.target_vocabulary
    one = type(lexicon)._from_entries(*vocabularies, ids[0], ids[1], counts)
    return type(lexicon)(*vocabularies, one.offsets, one.targets, one.counts, totals[0], totals[1])


def _directed(lexicon: Lexicon, null: str | None, *, is_forward: bool, threads: int | None) -> Iterator[bytes]:
    """Yield lines of a word, the word it translates, and the probability; without NULL when it has no name."""
    sources, targets = lexicon.sources, lexicon.targets
    probabilities = lexicon.forward() if is_forward else lexicon.reverse()
    if null is None:
        kept = (sources < len(lexicon.source_vocabulary)) & (targets < len(lexicon.target_vocabulary))
        sources, targets = sources[kept], targets[kept]
        # As extract_lex divides.
        probabilities = probabilities[kept].astype(np.float32).astype(np.float64)
    words = [
        _core.Words([*vocabulary, null or ""]) for vocabulary in (lexicon.source_vocabulary, lexicon.target_vocabulary)
    ]
    columns = [(words[0], sources), (words[1], targets)]
    (first, first_ids), (second, second_ids) = columns[::-1] if is_forward else columns

    def fields(rows: slice) -> Sequence[_core.Field]:
        numbers: _core.Field = (probabilities[rows], "fixed7")
        return [(first, first_ids[rows]), " ", (second, second_ids[rows]), " ", numbers]

    yield from rows_in_blocks(len(sources), fields, threads=threads)


def _tsv(lexicon: Lexicon, threads: int | None) -> Iterator[bytes]:
    words = [_core.Words([*words, ""]) for words in (lexicon.source_vocabulary, lexicon.target_vocabulary)]
    yield ("\t".join(_FIELDS) + "\n").encode()
    yield from _all_columns(lexicon, words, ["", "\t", "\t", "\t", "\t", ""], threads)


def _jsonl(lexicon: Lexicon, threads: int | None) -> Iterator[bytes]:
    words = [
        _core.Words([*(json.dumps(word, ensure_ascii=False) for word in words), "null"])
        for words in (lexicon.source_vocabulary, lexicon.target_vocabulary)
    ]
    between = [f'"{name}": ' for name in _FIELDS]
    yield from _all_columns(lexicon, words, ["{" + between[0], *(f", {name}" for name in between[1:]), "}"], threads)


def _all_columns(
    lexicon: Lexicon, words: list[_core.Words], between: list[str], threads: int | None
) -> Iterator[bytes]:
    sources, targets = lexicon.sources, lexicon.targets
    numbers = [lexicon.counts.astype(np.float64), lexicon.forward(), lexicon.reverse()]

    def fields(rows: slice) -> Sequence[_core.Field]:
        columns: list[_core.Field] = [(words[0], sources[rows]), (words[1], targets[rows])]
        columns += [(column[rows], "shortest-single") for column in numbers]
        return [part for pair in zip(between, [*columns, ""], strict=True) for part in pair]

    yield from rows_in_blocks(len(sources), fields, threads=threads)


def _with_null(
    words: list[list[str]],
    null: str,
    sources: npt.NDArray[np.uint32],
    targets: npt.NDArray[np.uint32],
    counts: npt.NDArray[np.float64],
    forward: npt.NDArray[np.float64] | None = None,
    reverse: npt.NDArray[np.float64] | None = None,
) -> Table:
    """Return a table in which the word with this spelling is NULL, the last id."""
    vocabularies, ids = [], []
    for vocabulary, own in zip(words, (sources, targets), strict=True):
        if null in vocabulary:
            at = vocabulary.index(null)
            vocabulary = vocabulary[:at] + vocabulary[at + 1 :]
            renumbered = own - (own > at).astype(np.uint32)
            own = np.where(own == at, np.uint32(len(vocabulary)), renumbered)
        vocabularies.append(vocabulary)
        ids.append(own)
    return Table(vocabularies[0], vocabularies[1], ids[0], ids[1], counts, forward, reverse)


def _read_jsonl(path: Path) -> Table:
    name = display_name(path)
    vocabularies: tuple[dict[str, int], dict[str, int]] = ({}, {})
    ids: tuple[list[int], list[int]] = ([], [])
    numbers: tuple[list[float], ...] = ([], [], [])
    with open_input(path) as stream:
        for line, text in enumerate(stream, 1):
            try:
                values = _entry(text)
            except ValueError as problem:
                shown = repr(text[:40].decode(errors="replace").rstrip("\n"))
                raise TextError(
                    line=line,
                    column=1,
                    problem=f"{problem}; write an object with the names {', '.join(_FIELDS)} on each line",
                    found=shown,
                    path=name,
                ) from None
            for words, column, word in zip(vocabularies, ids, values[:2], strict=True):
                column.append(-1 if word is None else words.setdefault(word, len(words)))
            for numbers_, value in zip(numbers, values[2:], strict=True):
                numbers_.append(value)
    sources, targets = (
        np.where(np.array(column, dtype=np.int64) < 0, len(words), column).astype(np.uint32)
        for words, column in zip(vocabularies, ids, strict=True)
    )
    counts, forward, reverse = (np.array(column, dtype=np.float64) for column in numbers)
    return Table([*vocabularies[0]], [*vocabularies[1]], sources, targets, counts, forward, reverse)


def _entry(text: bytes) -> list[Any]:
    """Return the five values of a line."""
    try:
        record = json.loads(text)
    except RecursionError:
        raise ValueError("the JSON is nested without end") from None
    if not isinstance(record, dict) or not all(name in record for name in _FIELDS):
        raise ValueError("the line is no entry of a lexicon")
    values = [record[name] for name in _FIELDS]
    for name, word in zip(_FIELDS[:2], values[:2], strict=True):
        if word is not None and not (isinstance(word, str) and word and not set(word) & {" ", "\t", "\n"}):
            raise ValueError(f"{name} must be a word without spaces, or null")
    for name, value in zip(_FIELDS[2:], values[2:], strict=True):
        if type(value) not in (int, float) or not 0 <= value < float("inf"):
            raise ValueError(f"{name} must be a number of at least 0")
    return values
