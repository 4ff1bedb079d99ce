"""JSON Lines as sentence pairs: an object on each line, a side under each of two keys."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from plait.errors import TextError
from plait.io.records import encode_sentence

__all__ = ["read_jsonl"]

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def read_jsonl(
    lines: Iterable[bytes], name: str, source_key: str, target_key: str, on_error: str = "strict"
) -> Iterator[tuple[bytes, bytes] | None]:
    r"""Yield the two sides of each line as bytes for the core, or None for a line that is left out.

    Parameters
    ----------
    lines
        The lines of the file.
    name
        The file, for messages.
    source_key, target_key
        Names of members. A name with dots that is no member itself goes down into nested objects:
        ``translation.en``.
    on_error
        "strict" raises for a bad line; "skip" yields None; "replace" passes bytes that are not UTF-8 on to
        the core, which replaces and counts them, and raises for what is not the JSON asked for.

    Notes
    -----
    Line ends inside a string are white space, for a sentence is one line.

    Raises
    ------
    plait.errors.TextError
        A line is not a JSON object, lacks a key, or has neither a string nor a list of tokens there.
    """
    for number, line in enumerate(lines, 1):
        if number == 1:
            line = line.removeprefix(_BYTE_ORDER_MARK)
        reader = _Line(number, name, is_strict=on_error == "strict")
        try:
            record = reader.parse(line)
            pair = reader.sentence(record, source_key), reader.sentence(record, target_key)
        except TextError:
            if on_error != "skip":
                raise
            yield None
        else:
            yield pair


class _Line:
    """One line, for its errors."""

    def __init__(self, number: int, name: str, *, is_strict: bool) -> None:
        self.number = number
        self.name = name
        self.is_strict = is_strict

    def parse(self, line: bytes) -> dict[str, Any]:
        text = self._decode(line.removesuffix(b"\n").removesuffix(b"\r"))
        try:
            record = json.loads(text)
        except json.JSONDecodeError as problem:
            found = repr(text[problem.pos : problem.pos + 20]) if problem.pos < len(text) else "the end of the line"
            raise self._error(f"not JSON: {problem.msg}; put one object on each line", found, problem.colno) from None
        except (RecursionError, ValueError) as problem:
            # Nesting or digits without end.
            raise self._error("the JSON is beyond what can be read; simplify it", str(problem)) from None
        if not isinstance(record, dict):
            raise self._error("a line holds one JSON object", _shown(record))
        return record

    def sentence(self, record: dict[str, Any], key: str) -> bytes:
        value = self._member(record, key)
        if isinstance(value, str):
            value = value.replace("\n", " ").replace("\r", " ")
        elif not isinstance(value, list):
            raise self._error(f"{key!r} must hold a string or a list of tokens", _shown(value))
        try:
            return encode_sentence(value, line=self.number, path=self.name, is_strict=self.is_strict)
        except TextError as problem:
            # A column of the value is none of the line.
            raise self._error(f"in {key!r}: {problem.problem}", problem.found) from None

    def _member(self, record: dict[str, Any], key: str) -> object:
        if key in record:
            return record[key]
        value: object = record
        for part in key.split("."):
            if not isinstance(value, dict) or part not in value:
                keys = ", ".join(map(repr, list(record)[:10])) or "none"
                raise self._error(f"the object has no key {key!r}; name another key", f"the keys {keys}")
            value = value[part]
        return value

    def _decode(self, line: bytes) -> str:
        try:
            return line.decode("utf-8", "strict" if self.is_strict else "surrogateescape")
        except UnicodeDecodeError as problem:
            bad = "".join(f"\\x{byte:02x}" for byte in line[problem.start : problem.end])
            raise self._error(
                "the text is not UTF-8 here; convert the file (for instance with iconv -f latin1 -t utf-8), "
                "or choose on-error skip or replace",
                f"byte {bad}",
                len(line[: problem.start].decode()) + 1,
            ) from None

    def _error(self, problem: str, found: str, column: int = 1) -> TextError:
        return TextError(line=self.number, column=column, problem=problem, found=found, path=self.name)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:40] + "..."
