"""Translation memories (TMX 1.1 to 1.4) as sentence pairs.

The file is read as a stream by the expat of the standard library.
Nothing outside the file is read: an external DTD is not fetched, and a file that declares entities of its own
is refused, so that a small file cannot grow without bound.
"""

from __future__ import annotations

import collections
import dataclasses
import re
from collections.abc import Iterator
from typing import IO

from plait.errors import ConfigError, DataError
from plait.io.guarded_xml import GuardedXml
from plait.io.streams import BLOCK_BYTES

__all__ = ["TmxReader"]

# Elements that hold the native codes of a document (tags of bold, of a line break), not its words.
_CODES = frozenset({"bpt", "ept", "it", "ph", "ut"})

# The white space of XML; a no-break space is a character like any other.
_WHITE_SPACE = re.compile(r"[ \t\r\n]+")


@dataclasses.dataclass
class _Unit:
    """A translation unit while it is read: the segment of each side, and how well its language matches."""

    source: str | None = None
    target: str | None = None
    source_is_exact: bool = False
    target_is_exact: bool = False


class TmxReader(GuardedXml):
    """Reads the pairs of two languages.

    A variant belongs to a language when its code is the one asked for, or starts with it and a hyphen
    (``en`` takes ``en-US``; case and underscores do not matter). An exact code wins over a longer one,
    the first of several over the rest. White space in a segment becomes one space. Tags in a segment are
    dropped: their text stays (``hi``), native codes go (``bpt ept it ph ut``).

    Parameters
    ----------
    stream
        The bytes of the file; the encoding is the one the file declares.
    name
        The file, for messages.
    source_language, target_language
        Codes such as ``en`` or ``pt-BR``.

    Attributes
    ----------
    unpaired : int
        Units so far that lack one of the languages.
    """

    def __init__(self, stream: IO[bytes], name: str, source_language: str, target_language: str) -> None:
        super().__init__(name, "repair it, or export it again")
        self.unpaired = 0
        self._stream = stream
        self._source = _language(source_language, "source_language")
        self._target = _language(target_language, "target_language")
        if self._source == self._target:
            raise ConfigError(name="target_language", expected="another than the source's", found=target_language)
        self._languages: collections.Counter[str] = collections.Counter()
        self._pairs: list[tuple[str, str]] = []
        self._unit = _Unit()
        self._variant = ""
        self._text: list[str] | None = None
        self._depth_of_codes = 0
        self._is_root = True

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """Yield the source and target segment of each unit that has both.

        Raises
        ------
        plait.errors.TextError
            The file is not well-formed XML, not TMX, or declares entities.
        plait.errors.DataError
            No unit has both languages; the message lists the languages there are.
        """
        count = 0
        is_last = False
        while not is_last:
            block = self._stream.read(BLOCK_BYTES)
            is_last = not block
            self._parse(block, is_last)
            count += len(self._pairs)
            yield from self._pairs
            self._pairs.clear()
        if count == 0 and self.unpaired:
            there = ", ".join(f"{code} ({times})" for code, times in self._languages.most_common(20))
            raise DataError(
                f"{self._name}: none of the {self.unpaired} units has both {self._source} and "
                f"{self._target}; choose from the languages of the file: {there or 'none is named'}"
            )

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if self._is_root:
            self._is_root = False
            if tag != "tmx":
                raise self._refuse("a translation memory starts with <tmx>; is this another format?", f"<{tag}>")
        if tag in _CODES:
            self._depth_of_codes += 1
        elif tag == "tu":
            self._unit = _Unit()
        elif tag == "tuv":
            # TMX before 1.4 says lang.
            self._variant = _normal(attributes.get("xml:lang", attributes.get("lang", "")))
            self._languages[self._variant] += 1
        elif tag == "seg":
            self._text = []

    def _end(self, tag: str) -> None:
        if tag in _CODES:
            self._depth_of_codes -= 1
        elif tag == "seg" and self._text is not None:
            self._take_segment(_WHITE_SPACE.sub(" ", "".join(self._text)).strip(" "))
            self._text = None
        elif tag == "tu":
            if self._unit.source is None or self._unit.target is None:
                self.unpaired += 1
            else:
                self._pairs.append((self._unit.source, self._unit.target))

    def _characters(self, text: str) -> None:
        if self._text is not None and not self._depth_of_codes:
            self._text.append(text)

    def _take_segment(self, segment: str) -> None:
        unit, variant = self._unit, self._variant
        is_source = variant == self._source
        is_target = variant == self._target
        # An exact match of the one language is not a longer code of the other (en and en-GB asked for).
        if is_source or (not is_target and variant.startswith(self._source + "-")):
            if unit.source is None or (is_source and not unit.source_is_exact):
                unit.source, unit.source_is_exact = segment, is_source
        elif (is_target or variant.startswith(self._target + "-")) and (
            unit.target is None or (is_target and not unit.target_is_exact)
        ):
            unit.target, unit.target_is_exact = segment, is_target


def _normal(code: str) -> str:
    return code.strip().lower().replace("_", "-")


def _language(code: str, option: str) -> str:
    normal = _normal(code)
    if not normal:
        raise ConfigError(name=option, expected="a language code such as en", found=repr(code))
    return normal
