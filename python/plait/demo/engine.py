"""The engine of the demo corpora: integer-only random draws, words that know their anchors, and links read off them.

Both languages say the same meaning. Every piece of the meaning that can surface as a word owns an *anchor*, a small
integer; a word carries the anchors of what it expresses. Two words of opposite sides that share an anchor are linked.
Nothing is aligned afterwards: the gold links are a by-product of generation.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Generic, NamedTuple, TypeVar

__all__ = ["ANCHORS_EACH", "COMMA", "Anchors", "Draw", "Ranked", "Word", "finish", "read_links"]

Item = TypeVar("Item")
Link = tuple[int, int]

_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15
_ZIPF_SCALE = 1 << 40

ANCHORS_EACH = 4
"""Anchors that one piece of meaning owns: an English expression of up to this many words."""


class Word(NamedTuple):
    """A word of one side.

    Parameters
    ----------
    form
        As it is written.
    sure
        Anchors of what the word expresses.
    possible
        Anchors of the word it leans on: they count, as possible links, only where no sure anchor finds a partner.
        A word without any anchor is a NULL word.
    """

    form: str
    sure: tuple[int, ...] = ()
    possible: tuple[int, ...] = ()


COMMA = Word(",")


class Anchors:
    """Hands out fresh anchors within one sentence pair."""

    def __init__(self) -> None:
        self._next = ANCHORS_EACH

    def fresh(self) -> int:
        """Return the first of `ANCHORS_EACH` consecutive anchors that no one else has."""
        anchor = self._next
        self._next += ANCHORS_EACH
        return anchor


class Draw:
    """Random draws for one sentence pair: SplitMix64, integers only, so the same on every platform and version.

    Parameters
    ----------
    seed
        The seed of the corpus, any integer.
    stream
        Index of the sentence pair: pair `n` of a corpus does not depend on how many pairs come before or after.

    References
    ----------
    Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators", figure 16.
    """

    def __init__(self, seed: int, stream: int) -> None:
        self._state = _mix(_mix((seed * 2 + 1) & _MASK) ^ (stream & _MASK))

    def below(self, bound: int) -> int:
        """Return an integer in [0, bound); the bias is below bound / 2**64."""
        self._state = (self._state + _GOLDEN) & _MASK
        return (_mix(self._state) * bound) >> 64

    def chance(self, percent: int) -> bool:
        """Return True in `percent` of a hundred draws."""
        return self.below(100) < percent

    def pick(self, items: Sequence[Item]) -> Item:
        """Return one of the items, each equally likely."""
        return items[self.below(len(items))]


def _mix(value: int) -> int:
    """Scramble 64 bits (the output function of SplitMix64)."""
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
    return value ^ (value >> 31)


class Ranked(Generic[Item]):
    """Items in order of frequency, drawn by a Zipf-Mandelbrot law: the weight of rank r (from 0) is (r + 6)**-2.

    The exponent of one class is above 1 because the words of a language are the union of many such classes, which falls
    off more slowly than each of them. The weights are integers: no float decides a draw.
    """

    def __init__(self, items: Iterable[Item]) -> None:
        self._items = list(items)
        weights = [_ZIPF_SCALE // (rank + 6) ** 2 for rank in range(len(self._items))]
        self._cumulative = list(accumulate(weights))

    def draw(self, draw: Draw) -> Item:
        """Return one item; O(log n)."""
        return self._items[bisect_right(self._cumulative, draw.below(self._cumulative[-1]))]

    def __iter__(self) -> Iterator[Item]:
        return iter(self._items)

    def __contains__(self, item: object) -> bool:
        return item in self._items

    def __getitem__(self, rank: int) -> Item:
        return self._items[rank]


def finish(words: Iterable[Word], end: Word) -> list[Word]:
    """Close a sentence: no comma first, last or twice, the final mark, a capital at the start."""
    kept: list[Word] = []
    for word in words:
        if word.form == "," and (not kept or kept[-1].form in {",", "¿"}):
            if kept and kept[-1].form == ",":
                kept[-1] = kept[-1]._replace(sure=kept[-1].sure + word.sure)
            continue
        kept.append(word)
    while kept and kept[-1].form == ",":
        kept.pop()
    kept.append(end)
    first = 1 if kept[0].form == "¿" else 0
    form = kept[first].form
    kept[first] = kept[first]._replace(form=form[0].upper() + form[1:])
    return kept


def read_links(source: Sequence[Word], target: Sequence[Word]) -> tuple[list[Link], list[Link]]:
    """Read the gold links off the anchors of a sentence pair.

    Returns
    -------
    sure, possible
        Sorted, without repeats, 0-based (source, target); every sure link is possible too. O(words + links).
    """
    source_at = _positions(source)
    target_at = _positions(target)
    sure = {(i, j) for i, word in enumerate(source) for anchor in word.sure for j in target_at.get(anchor, ())}
    linked_source = {i for i, _ in sure}
    linked_target = {j for _, j in sure}
    possible = set(sure)
    for i, word in enumerate(source):
        if word.possible and i not in linked_source:
            possible.update((i, j) for anchor in word.possible for j in target_at.get(anchor, ()))
    for j, word in enumerate(target):
        if word.possible and j not in linked_target:
            possible.update((i, j) for anchor in word.possible for i in source_at.get(anchor, ()))
    return sorted(sure), sorted(possible)


def _positions(words: Sequence[Word]) -> dict[int, list[int]]:
    """Return the positions of the words that express each anchor."""
    places: dict[int, list[int]] = {}
    for position, word in enumerate(words):
        for anchor in word.sure:
            places.setdefault(anchor, []).append(position)
    return places
