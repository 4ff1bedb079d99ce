"""What the symbols of a word are."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import Literal

from plait.errors import ConfigError

__all__ = ["UNITS", "ChosenUnits", "SymbolUnits", "choose_units", "join", "shown", "split"]

SymbolUnits = Literal["auto", "characters", "clusters", "words"]
ChosenUnits = Literal["characters", "clusters", "words"]
UNITS: tuple[SymbolUnits, ...] = ("auto", "characters", "clusters", "words")
"""Code points; extended grapheme clusters; what stands between spaces; or a choice between the first and the last."""

# A message shows so many letters of a word.
_SHOWN = 40

_ZERO_WIDTH_JOINER = "\u200d"
_EXTENDING = {"\u200c", _ZERO_WIDTH_JOINER}


def choose_units(texts: Iterable[str], units: SymbolUnits) -> ChosenUnits:
    """Return what the symbols of texts are: for "auto", words when more than half of the texts have a space inside.

    Raises
    ------
    plait.errors.ConfigError
        There are no such units.
    """
    if units not in UNITS:
        raise ConfigError(name="units", expected=f"one of {', '.join(UNITS)}", found=repr(units))
    if units != "auto":
        return units
    count = spaced = 0
    for text in texts:
        count += 1
        spaced += " " in text.strip(" ")
    return "words" if 2 * spaced > count else "characters"


def split(text: str, units: ChosenUnits) -> list[str]:
    r"""Return the symbols of a text.

    Parameters
    ----------
    text
        Nothing is normalised: a composed letter and a letter with a combining mark are different.
    units
        "characters": code points. "clusters": extended grapheme clusters. "words": what stands between ASCII spaces.

    Notes
    -----
    DEVIATION from Unicode's rules for clusters (annex 29): consonants of an Indic conjunct are apart, and so are the
    letters before which a few scripts write a prefix; categories are those of the running Python.

    Examples
    --------
    >>> from plait.translit.symbols import split
    >>> [len(split("e\u0301a", units)) for units in ("characters", "clusters")], split("t h ii", "words")
    ([3, 2], ['t', 'h', 'ii'])
    """
    if units == "words":
        return [symbol for symbol in text.split(" ") if symbol]
    if units == "characters":
        return list(text)
    clusters: list[str] = []
    for character in text:
        if clusters and _continues(clusters[-1], character):
            clusters[-1] += character
        else:
            clusters.append(character)
    return clusters


def join(symbols: Sequence[str], units: ChosenUnits) -> str:
    """Return the text of symbols; the inverse of `split` for texts with single spaces."""
    return (" " if units == "words" else "").join(symbols)


def shown(word: str) -> str:
    """Return a word as messages show it: a long one by its first letters and its length."""
    return repr(word) if len(word) <= _SHOWN else f"{word[:_SHOWN]!r}... ({len(word):,} characters)"


def _continues(cluster: str, character: str) -> bool:
    """Whether a character belongs to the cluster before it."""
    last = cluster[-1]
    if cluster == "\r" and character == "\n":
        return True
    if unicodedata.category(last) in ("Cc", "Zl", "Zp"):
        return False
    if _is_extending(character):
        return True
    if last == _ZERO_WIDTH_JOINER:
        # A family of emoji; a joiner between letters ends a cluster.
        return _is_pictograph(cluster[0]) and _is_pictograph(character)
    if _is_flag(character):
        return len(cluster) == 1 and _is_flag(last)
    return _joins_hangul(last, character)


def _is_extending(character: str) -> bool:
    return (
        character in _EXTENDING
        or unicodedata.category(character).startswith("M")
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or "\U000e0020" <= character <= "\U000e007f"
    )


def _is_pictograph(character: str) -> bool:
    return unicodedata.category(character) == "So"


def _is_flag(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _joins_hangul(last: str, character: str) -> bool:
    """Whether two Korean letters or syllables are parts of one syllable."""
    before, after = _hangul(last), _hangul(character)
    if before == "L":
        return after in ("L", "V", "LV", "LVT")
    if before in ("LV", "V"):
        return after in ("V", "T")
    return before in ("LVT", "T") and after == "T"


def _hangul(character: str) -> str:
    if "\u1100" <= character <= "\u115f":
        return "L"
    if "\u1160" <= character <= "\u11a7":
        return "V"
    if "\u11a8" <= character <= "\u11ff":
        return "T"
    if "\uac00" <= character <= "\ud7a3":
        return "LV" if (ord(character) - 0xAC00) % 28 == 0 else "LVT"
    return ""
