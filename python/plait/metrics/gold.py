"""Gold standards: links that people made, sure or possible.

Three forms are read. Words and sentences count from 1 in the last two, from 0 in the first.

Pharaoh
    One line per sentence pair: ``i-j`` is a sure link, ``i?j`` and ``ipj`` are possible ones.
NAACL
    One line per link: ``sentence i j``, then optionally ``S`` (sure, the default) or ``P`` (possible), then
    optionally a confidence, which is ignored. The form of the shared tasks of 2003 and 2005. Sentences may
    be missing: they have no links.
Blinker
    A folder with one file per sentence pair whose names end in ``SentPair<number>``, each line holding a
    link ``i j``; or one file with the same lines, where an empty line ends a sentence pair. All links are
    sure.

In the last two forms the position 0 stands for NULL: such a link says that a word has no partner. It is no
link here; `Gold.null_links` counts them.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from plait import _core
from plait.alignments import Alignments
from plait.errors import ConfigError, DataError, TextError, UnequalLengthError
from plait.io.streams import display_name, open_input
from plait.metrics.numbered import NumberedLinks

__all__ = ["GOLD_FORMATS", "Gold", "GoldFormat", "read_gold"]

GoldFormat = Literal["auto", "pharaoh", "naacl", "blinker"]
GOLD_FORMATS: tuple[GoldFormat, ...] = get_args(GoldFormat)
"""The forms that `read_gold` knows; "auto" looks at the first line that is not empty."""


@dataclass(frozen=True)
class Gold:
    """Links that people made.

    Parameters
    ----------
    sure
        Links that must be there (S).
    possible
        Links that may be there (P). The sure ones are added: S is a subset of P.
    null_links
        How many links to NULL the file had; they take no part.

    Raises
    ------
    UnequalLengthError
        Both have different numbers of sentence pairs.
    """

    sure: Alignments
    possible: Alignments
    null_links: int = 0

    def __post_init__(self) -> None:
        both = [("the sure links", len(self.sure)), ("the possible links", len(self.possible))]
        (shorter, short), (longer, long) = sorted(both, key=lambda pair: pair[1])
        if short != long:
            raise UnequalLengthError(shorter=shorter, shorter_len=short, longer=longer, longer_len=long)
        # Plain links: probabilities mean nothing here and would make equal standards differ.
        sure, possible = (
            Alignments._from_core((links.links, links.offsets, None)) for links in (self.sure, self.possible)
        )
        union = _core.symmetrize_links(sure._arrays, possible._arrays, "union")
        object.__setattr__(self, "sure", sure)
        object.__setattr__(self, "possible", Alignments._from_core(union))

    def __len__(self) -> int:
        """Return the number of sentence pairs."""
        return len(self.sure)

    def check_within(self, source_lengths: np.ndarray, target_lengths: np.ndarray) -> None:
        """Check that the links fit a text; see `Alignments.check_within`."""
        self.possible.check_within(source_lengths, target_lengths)


def read_gold(
    path: str | os.PathLike[str],
    format: GoldFormat = "auto",
    *,
    sentences: int | None = None,
    base: int = 0,
) -> Gold:
    """Read a gold standard.

    Parameters
    ----------
    path
        A file, "-" for standard input (compressed files are recognised by content), or a folder for Blinker.
    format
        "auto" tells the form from the first line that is not empty.
    sentences
        Number of sentence pairs. NAACL files do not say it: without it, the last sentence is the last one
        with a link. For the other forms it is checked.
    base
        The number of the first word in Pharaoh lines: 0, or 1 as some files have it.

    Returns
    -------
    Gold

    Raises
    ------
    TextError
        A line cannot be read; the message names the file, line, column and what to do.
    DataError
        There is no sentence pair, or another number of them than ``sentences``.
    ConfigError
        The format or base is unknown.
    """
    if format not in GOLD_FORMATS:
        raise ConfigError(name="format", expected=f"one of {', '.join(GOLD_FORMATS)}", found=repr(format))
    if base not in (0, 1):
        raise ConfigError(name="base", expected="0 or 1", found=base)
    name = display_name(path)
    if os.path.isdir(path):
        if format not in ("auto", "blinker"):
            raise ConfigError(f"{name} is a folder; only Blinker gold standards are: use format blinker")
        gold = _read_blinker_folder(Path(path))
    else:
        with open_input(path) as stream:
            text = stream.read()
        form = _detect(text) if format == "auto" else format
        try:
            gold = _read_text(text, form, sentences, base)
        except TextError as problem:
            raise problem.at(name) from None
    if not len(gold):
        raise DataError(f"{name}: there is no sentence pair; check that it is the gold standard")
    if sentences is not None and len(gold) != sentences:
        raise DataError(f"{name}: there are {len(gold)} sentence pairs where {sentences} are expected")
    return gold


def _detect(text: bytes) -> GoldFormat:
    """Tell the form from the first line that is not empty."""
    first = re.search(rb"[^\s\xef\xbb\xbf][^\n]*", text)
    fields = first[0].split() if first else []
    if fields and fields[0].isdigit():
        return "blinker" if len(fields) == 2 else "naacl"
    return "pharaoh"


def _read_text(text: bytes, form: GoldFormat, sentences: int | None, base: int) -> Gold:
    if form == "naacl":
        return _read_naacl(text, sentences)
    if form == "blinker":
        return _read_blinker_text(text)
    arrays, is_sure = _core.parse_pharaoh(text, allow_possible=True, base=base)
    links, offsets, _ = arrays
    ends = np.concatenate([[0], np.cumsum(is_sure)])[offsets.astype(np.int64)].astype(np.uint64)
    sure = Alignments._from_core((links[is_sure], ends, None))
    return Gold(sure, Alignments._from_core((links, offsets, None)))


def _read_naacl(text: bytes, sentences: int | None) -> Gold:
    links = NumberedLinks(sentences)
    for number, line in enumerate(_lines(text), start=1):
        fields = _fields(line)
        if not fields:
            continue
        if len(fields) not in (3, 4, 5):
            raise _wrong_line(line, number, "'sentence i j', then optionally S or P and a confidence")
        kind = fields[3].upper() if len(fields) > 3 and not _is_number(fields[3]) else "S"
        if kind not in ("S", "P") or (len(fields) == 5 and not _is_number(fields[4])):
            raise _wrong_line(line, number, "S or P, then optionally a confidence, after the link")
        links.add(fields[:3], is_sure=kind == "S", line=number, text=line)
    return _to_gold(links)


def _read_blinker_text(text: bytes) -> Gold:
    links = NumberedLinks()
    pair = 1
    for number, line in enumerate(_lines(text), start=1):
        fields = _fields(line)
        if not fields:
            pair += 1
            continue
        if len(fields) != 2:
            raise _wrong_line(line, number, "a link 'i j', or an empty line between sentence pairs")
        links.add([str(pair), *fields], is_sure=True, line=number, text=line)
    links.sentences = pair
    return _to_gold(links)


def _read_blinker_folder(folder: Path) -> Gold:
    files = [(_numbers(file.name), file) for file in folder.iterdir() if re.search(r"SentPair\d+$", file.name)]
    if not files:
        raise DataError(f"{folder}: there is no file whose name ends in SentPair and a number")
    links = NumberedLinks(len(files))
    for pair, (_, file) in enumerate(sorted(files), start=1):
        with open_input(file) as stream:
            lines = _lines(stream.read())
        try:
            for number, line in enumerate(lines, start=1):
                fields = _fields(line)
                if fields and len(fields) != 2:
                    raise _wrong_line(line, number, "a link 'i j'")
                if fields:
                    links.add([str(pair), *fields], is_sure=True, line=number, text=line)
        except TextError as problem:
            raise problem.at(display_name(file)) from None
    return _to_gold(links)


def _to_gold(links: NumberedLinks) -> Gold:
    sure, possible = links.alignments()
    return Gold(sure, possible, links.null_links)


def _numbers(name: str) -> list[int]:
    """Return the numbers in a file name: the order of samples and of sentence pairs in them."""
    return [int(number) for number in re.findall(r"\d+", name)]


def _lines(text: bytes) -> list[str]:
    # Only ASCII has a meaning here; anything else shows up, escaped, in the message about its line.
    decoded = text.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="backslashreplace")
    lines = decoded.removesuffix("\n").split("\n") if decoded else []
    return [line.removesuffix("\r") for line in lines]


def _fields(line: str) -> list[str]:
    # Not split(): only ASCII spaces and tabs separate, as everywhere else.
    return [field for field in re.split("[ \t]", line) if field]


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?", text) is not None


def _wrong_line(line: str, number: int, expected: str) -> TextError:
    shown = line if len(line) <= 40 else f"{line[:40]}…"
    return TextError(
        line=number,
        column=1,
        problem=f"expected {expected}; fix the line, or name the right format",
        found=repr(shown),
    )
