"""mkcls's files of word classes: a line for each word, which holds the word, a tab and the number of its class."""

from __future__ import annotations

from collections.abc import Iterable

from plait.errors import DataError, TextError

__all__ = ["read", "to_bytes"]

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def read(lines: Iterable[bytes], name: str) -> dict[str, int]:
    """Return the number of each word's class, in the order of the lines.

    Parameters
    ----------
    lines
        The lines of the file. A space may stand for the tab.
    name
        The file, for messages.

    Raises
    ------
    plait.errors.TextError
        A line is not UTF-8, has no word or no number, or a word that an earlier line has.
    """
    found: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        if number == 1:
            line = line.removeprefix(_BYTE_ORDER_MARK)
        word, label = _parse(line, number, name)
        if word in found:
            problem = "a word has one class; remove one of its lines"
            raise TextError(line=number, column=1, problem=problem, found=f"{word[:40]!r} again", path=name)
        found[word] = label
    return found


def to_bytes(classes: Iterable[tuple[str, int]]) -> bytes:
    """Return the lines for these words and numbers, in the order of the words' bytes.

    Raises
    ------
    plait.errors.DataError
        A word has a lone surrogate, which UTF-8 cannot hold.
    """
    try:
        lines = sorted((word.encode(), label) for word, label in classes)
    except UnicodeEncodeError as problem:
        raise DataError(f"a word has a lone surrogate, which UTF-8 cannot hold; found {problem.object!r}") from None
    return b"".join(b"%b\t%d\n" % line for line in lines)


def _parse(line: bytes, number: int, name: str) -> tuple[str, int]:
    """Return the word and the label of a line."""

    def error(problem: str, found: str, column: int = 1) -> TextError:
        return TextError(line=number, column=column, problem=problem, found=found, path=name)

    try:
        text = line.removesuffix(b"\n").removesuffix(b"\r").decode()
    except UnicodeDecodeError as problem:
        column = len(line[: problem.start].decode()) + 1
        remedy = "the text is not UTF-8 here; convert the file (for instance with iconv -f latin1 -t utf-8)"
        raise error(remedy, f"byte \\x{line[problem.start]:02x}", column) from None
    word, gap, label = text.replace(" ", "\t").rpartition("\t")
    if not gap or not word or "\t" in word:
        shown = repr(text[:40]) if text else "an empty line"
        raise error("a line holds a word, a tab and the number of its class; remove or mend the line", shown)
    # Longer numbers are none that a program has made, and int() takes time on them.
    if not (label.isascii() and label.isdigit() and len(label) < 19):
        raise error("the class of a word is a whole number from 0 on", repr(label[:40]), len(word) + 2)
    return word, int(label)
