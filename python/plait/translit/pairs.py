"""Training pairs of words as runs of symbols."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Self

import numpy as np
import numpy.typing as npt

from plait.errors import DataError
from plait.translit.symbols import ChosenUnits, SymbolUnits, choose_units, split

__all__ = ["Pair", "WordPairs"]

Pair = tuple[str, str | Sequence[str]]
"""A source word, and one or more target words."""


class WordPairs:
    """Pairs of a source and a target word, as numbers of symbols; made by `from_items`.

    Attributes
    ----------
    source_units, target_units
        What the symbols are: "characters", "clusters" or "words".
    source_names, target_names
        The symbols by number, in the order of their first occurrence.
    source_starts, target_starts : uint64[n + 1]
        Word ``k`` has the symbols from ``starts[k]`` to ``starts[k + 1]``.
    source_symbols, target_symbols : uint32[m]
        The numbers of the symbols of all words.
    items
        For each pair, which item it comes from: an item with several target words makes several pairs.

    Examples
    --------
    >>> from plait.translit import WordPairs
    >>> pairs = WordPairs.from_items([("anna", "анна"), ("ann", ["анн", "энн"])])
    >>> len(pairs), pairs[2], pairs.source_names
    (3, ('ann', 'энн'), ['a', 'n'])
    """

    def __init__(
        self,
        sources: Sequence[str],
        targets: Sequence[str],
        items: Sequence[int],
        source_units: ChosenUnits,
        target_units: ChosenUnits,
    ) -> None:
        self._sources = list(sources)
        self._targets = list(targets)
        self.items = list(items)
        self.source_units: ChosenUnits = source_units
        self.target_units: ChosenUnits = target_units
        self.source_names, self.source_starts, self.source_symbols = intern(sources, source_units)
        self.target_names, self.target_starts, self.target_symbols = intern(targets, target_units)

    @classmethod
    def from_items(
        cls,
        items: Iterable[Pair] | WordPairs,
        *,
        source_units: SymbolUnits = "auto",
        target_units: SymbolUnits = "auto",
    ) -> Self | WordPairs:
        """Make pairs of words.

        Parameters
        ----------
        items
            A source word and a target word, or several, for each item. What is `WordPairs` already comes back as it is.
        source_units, target_units
            "characters" (code points), "clusters" (extended grapheme clusters), "words" (what stands between spaces:
            phones), or "auto": characters for sources; for targets words when more than half of them have a space
            inside, otherwise characters.

        Raises
        ------
        plait.errors.DataError
            An item is no pair of texts, or there is none.
        plait.errors.ConfigError
            There are no such units.
        """
        if isinstance(items, WordPairs):
            return items
        sources, targets, numbers = [], [], []
        for number, item in enumerate(items):
            source, references = _parts(number, item)
            for target in references:
                sources.append(source)
                targets.append(target)
                numbers.append(number)
        if not sources:
            raise DataError("there are no pairs of words; give a list of pairs (source, target)")
        chosen = "characters" if source_units == "auto" else choose_units(sources, source_units)
        return cls(sources, targets, numbers, chosen, choose_units(targets, target_units))

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self._sources)

    def __getitem__(self, number: int) -> tuple[str, str]:
        """Return the words of a pair."""
        return self._sources[number], self._targets[number]

    def __repr__(self) -> str:
        """Return how many pairs there are, of which symbols."""
        return (
            f"WordPairs({len(self)} pairs, {len(self.source_names)} {self.source_units} to "
            f"{len(self.target_names)} {self.target_units})"
        )

    @property
    def sources(self) -> list[str]:
        """The source words; a copy."""
        return list(self._sources)

    @property
    def targets(self) -> list[str]:
        """The target words; a copy."""
        return list(self._targets)


def intern(
    texts: Sequence[str], units: ChosenUnits
) -> tuple[list[str], npt.NDArray[np.uint64], npt.NDArray[np.uint32]]:
    """Return the names of the symbols of texts, where the symbols of each start, and the number of each symbol."""
    numbers: dict[str, int] = {}
    starts = np.zeros(len(texts) + 1, dtype=np.uint64)
    symbols: list[int] = []
    for at, text in enumerate(texts):
        symbols.extend([numbers.setdefault(symbol, len(numbers)) for symbol in split(text, units)])
        starts[at + 1] = len(symbols)
    return list(numbers), starts, np.array(symbols, dtype=np.uint32)


def _parts(number: int, item: Pair) -> tuple[str, list[str]]:
    """Check the types of an item."""
    if isinstance(item, tuple | list) and len(item) == 2 and isinstance(item[0], str):
        source, references = item
        if isinstance(references, str):
            return source, [references]
        texts = list(references) if isinstance(references, Sequence) else []
        if texts and all(isinstance(text, str) for text in texts):
            return source, texts
    raise DataError(
        f"item {number} must be a pair of a source word and a target word, or a list of target words; found {item!r}"
    )
