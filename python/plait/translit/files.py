r"""Files of word pairs: lines with tabs, and the XML of the NEWS shared tasks.

A line is ``source TAB target[|target2...]``: a source word and one or more right targets. Texts are taken as they are,
in UTF-8; nothing is normalised unless ``normalize="NFC"`` is asked for.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args
from xml.sax.saxutils import escape, quoteattr

from plait.errors import ConfigError, DataError, TextError
from plait.io.guarded_xml import GuardedXml
from plait.io.streams import Path, display_name, open_input
from plait.translit.candidates import Candidate

__all__ = ["FORMATS", "Entry", "Format", "read_entries", "read_words", "to_pairs", "write_news"]

Format = Literal["auto", "tsv", "news"]
FORMATS: tuple[Format, ...] = get_args(Format)
"""``tsv``, ``news`` (XML), or by content."""

SEPARATOR = "|"
_REMEDY = "write SOURCE TAB TARGET, with '|' between several targets"


@dataclass(frozen=True)
class Entry:
    """A source word and its right targets, in the order of the file."""

    source: str
    targets: tuple[str, ...]


def read_entries(
    path: Path, *, format: Format = "auto", separator: str | None = SEPARATOR, normalize: Literal["NFC"] | None = None
) -> list[Entry]:
    r"""Read a file of words with targets.

    Parameters
    ----------
    path
        A file, "-" for standard input; compressed files are recognised by content.
    format
        "tsv", "news" for ``<TransliterationCorpus>``, or "auto": XML when the file begins with ``<``.
    separator
        What stands between several targets in a line; None when a line has one target, in which ``|`` may then stand.
    normalize
        "NFC" composes characters (as ``e`` with an accent behind it); by default texts stay as they are.

    Returns
    -------
    list of Entry

    Raises
    ------
    plait.errors.TextError
        A line has no tab, an empty side, an empty target between separators, or is no UTF-8; XML is not well-formed, of
        another kind, or declares entities. The message names the file, line and column.
    plait.errors.DataError
        There is no entry.
    """
    if format not in FORMATS:
        raise ConfigError(name="format", expected=f"one of {', '.join(FORMATS)}", found=repr(format))
    if separator is not None and (not separator or any(c in separator for c in "\t\r\n")):
        raise ConfigError(
            name="separator", expected="one or more characters but tab and line ends", found=repr(separator)
        )
    if normalize not in (None, "NFC"):
        raise ConfigError(name="normalize", expected="None or 'NFC'", found=repr(normalize))
    name = display_name(path)
    with open_input(path) as stream:
        data = stream.read()
    is_news = format == "news" or (format == "auto" and data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"<")
    entries = _NewsReader(name).read(data) if is_news else list(_lines(data, name, separator))
    if not entries:
        raise DataError(f"{name}: there is no word; {_REMEDY}")
    if normalize is None:
        return entries
    return [
        Entry(unicodedata.normalize(normalize, e.source), tuple(unicodedata.normalize(normalize, t) for t in e.targets))
        for e in entries
    ]


def read_words(path: Path) -> list[str]:
    """Read source words, one a line; what stands behind a tab is left out.

    Raises
    ------
    plait.errors.TextError
        A line is empty or no UTF-8.
    """
    name = display_name(path)
    with open_input(path) as stream:
        data = stream.read()
    words = []
    for number, line in _decoded(data, name):
        word = line.split("\t", 1)[0]
        if not word:
            raise TextError(
                line=number, column=1, problem="a word is needed on each line; remove it", found="none", path=name
            )
        words.append(word)
    return words


def to_pairs(entries: Iterable[Entry]) -> list[tuple[str, str]]:
    """Return a pair of source and target for each target of each entry."""
    return [(entry.source, target) for entry in entries for target in entry.targets]


def write_news(
    words: Sequence[str],
    lists: Sequence[Sequence[Candidate]],
    *,
    source_language: str = "",
    target_language: str = "",
    group: str = "plait",
    run: str = "1",
) -> Iterator[str]:
    """Yield the lines of ``<TransliterationTaskResults>``, the results file of the NEWS shared tasks."""
    head = {
        "SourceLang": source_language,
        "TargetLang": target_language,
        "GroupID": group,
        "RunID": run,
        "RunType": "Standard",
        "Comments": "",
    }
    shown = " ".join(f"{name}={quoteattr(value)}" for name, value in head.items())
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<TransliterationTaskResults {shown}>\n'
    for number, (word, candidates) in enumerate(zip(words, lists, strict=True), 1):
        rows = "".join(
            f'    <TargetName ID="{rank}">{escape(candidate.target)}</TargetName>\n'
            for rank, candidate in enumerate(candidates, 1)
        )
        yield f'  <Name ID="{number}">\n    <SourceName>{escape(word)}</SourceName>\n{rows}  </Name>\n'
    yield "</TransliterationTaskResults>\n"


def _decoded(data: bytes, name: str) -> Iterator[tuple[int, str]]:
    r"""Yield the number and the text of each line; a line ends at ``\n`` only."""
    rows = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if not rows[-1]:
        rows.pop()
    for number, row in enumerate(rows, 1):
        try:
            yield number, row.removesuffix(b"\r").decode()
        except UnicodeDecodeError as problem:
            column = len(row[: problem.start].decode(errors="replace")) + 1
            raise TextError(
                line=number,
                column=column,
                problem="the text is not UTF-8; convert the file",
                found=repr(row[problem.start : problem.start + 4]),
                path=name,
            ) from None


def _lines(data: bytes, name: str, separator: str | None) -> Iterator[Entry]:
    for number, line in _decoded(data, name):
        fields = line.split("\t")

        def wrong(column: int, problem: str, found: str, number: int = number) -> TextError:
            return TextError(line=number, column=column, problem=f"{problem}; {_REMEDY}", found=found, path=name)

        if len(fields) != 2:
            found = "an empty line" if not line else f"{len(fields)} field(s)"
            raise wrong(1, "a source and a target are needed", found)
        source, rest = fields
        if not source.strip():
            raise wrong(1, "the source is empty", repr(source))
        targets = [rest] if separator is None else rest.split(separator)
        column = len(source) + 2
        for target in targets:
            if not target.strip():
                remedy = (
                    "" if rest == target else f" (or, when {separator!r} belongs to the words, give another separator)"
                )
                raise wrong(column, f"a target is empty{remedy}", repr(rest))
            column += len(target) + len(separator or "")
        yield Entry(source, tuple(targets))


@dataclass
class _Name:
    """A ``<Name>`` while it is read."""

    source: str = ""
    targets: list[str] = field(default_factory=list)
    line: int = 0
    column: int = 0


class _NewsReader(GuardedXml):
    """Reads ``<TransliterationCorpus>``."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "repair it, or give --format tsv")
        self._entries: list[Entry] = []
        self._open = _Name()
        self._text: list[str] | None = None
        self._is_root = True

    def read(self, data: bytes) -> list[Entry]:
        self._parse(data, True)
        return self._entries

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if self._is_root:
            self._is_root = False
            if tag != "TransliterationCorpus":
                raise self._refuse(
                    "a corpus of NEWS starts with <TransliterationCorpus>; is this another format?", f"<{tag}>"
                )
        if tag == "Name":
            self._open = _Name()
        elif tag in ("SourceName", "TargetName"):
            self._text = []

    def _end(self, tag: str) -> None:
        if tag in ("SourceName", "TargetName") and self._text is not None:
            text = "".join(self._text).strip()
            self._text = None
            if not text:
                raise self._refuse("the name is empty; write it, or remove the entry", f"<{tag}></{tag}>")
            if tag == "SourceName":
                self._open.source = text
            else:
                self._open.targets.append(text)
        elif tag == "Name":
            if not self._open.source or not self._open.targets:
                lacks = "TargetName" if self._open.source else "SourceName"
                raise self._refuse(f"a <Name> needs a <SourceName> and a <TargetName>; add <{lacks}>", "none")
            self._entries.append(Entry(self._open.source, tuple(self._open.targets)))

    def _characters(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)
