"""What drawings must know about scripts: which way a text runs, and which characters may be drawn."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import Literal

__all__ = ["FIRST_STRONG_ISOLATE", "Direction", "direction_of", "isolated", "printable"]

Direction = Literal["ltr", "rtl"]

_LETTERS_ASKED = 20_000
_RIGHT_TO_LEFT = frozenset({"R", "AL"})
FIRST_STRONG_ISOLATE = "\N{FIRST STRONG ISOLATE}"
_END_OF_ISOLATE = "\N{POP DIRECTIONAL ISOLATE}"
# They shape letters (Persian, Hindi, ..) and do nothing else.
_JOINERS = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"


def direction_of(sentences: Iterable[Sequence[str]]) -> Direction:
    """Return the direction of a text: that of most of its letters, "ltr" when it has none.

    A whole side is asked, not a sentence: a Hebrew verse that starts with a Latin name still runs from the right.

    Parameters
    ----------
    sentences
        Sentences as words; the first 20,000 letters decide.

    Returns
    -------
    {"ltr", "rtl"}

    Notes
    -----
    Strong characters are those of the classes L, R and AL of the Unicode bidirectional algorithm (UAX #9).

    Examples
    --------
    >>> direction_of([["IBM", "\u05e9\u05dc\u05d5\u05dd", "\u05e2\u05d5\u05dc\u05dd"]])
    'rtl'
    """
    left = right = 0
    for sentence in sentences:
        for word in sentence:
            for character in word:
                kind = unicodedata.bidirectional(character)
                left += kind == "L"
                right += kind in _RIGHT_TO_LEFT
        if left + right >= _LETTERS_ASKED:
            break
    return "rtl" if right > left else "ltr"


def isolated(word: str) -> str:
    """Return a word so that it keeps its own direction and does not turn what stands beside it.

    Words without right-to-left characters come back as they are; others between U+2068 and U+2069 (UAX #9, 2.7).
    """
    if not any(unicodedata.bidirectional(character) in _RIGHT_TO_LEFT for character in word):
        return word
    return f"{FIRST_STRONG_ISOLATE}{word}{_END_OF_ISOLATE}"


def printable(word: str) -> str:
    """Return a word with U+FFFD for each control or format character: text of others must not steer a terminal.

    The joiners U+200C and U+200D stay.
    """
    return "".join(
        character if character.isprintable() or character in _JOINERS else "\N{REPLACEMENT CHARACTER}"
        for character in word
    )
