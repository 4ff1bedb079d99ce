"""The translations of one word in a lexicon."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from plait.lexicon_arrays import ratio

if TYPE_CHECKING:
    from plait.lexicon import Lexicon


class Translation(NamedTuple):
    """A translation of a word.

    Attributes
    ----------
    word
        The word of the other language; None for no word at all (NULL).
    probability
        Of this translation, given the word that was asked for.
    links
        Links between the two words, or their expectation.
    """

    word: str | None
    probability: float
    links: float


class Lookup:
    """Looks up words of a lexicon; what that needs is made when it is first asked for."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon

    def translations(self, word: str | None, *, reverse: bool, top: int | None, threshold: float) -> list[Translation]:
        """Return the translations of a word; see `plait.lexicon.Lexicon.translations`."""
        lexicon = self._lexicon
        mine = self._target_ids if reverse else self._source_ids
        vocabulary = lexicon.source_vocabulary if reverse else lexicon.target_vocabulary
        row = mine.get(word)
        if row is None:
            return []
        if reverse:
            order, starts, sources = self._by_target
            entries = order[starts[row] : starts[row + 1]]
            others, total = sources[entries], lexicon.target_totals[row]
        else:
            entries = np.arange(int(lexicon.offsets[row]), int(lexicon.offsets[row + 1]))
            others, total = lexicon.targets[entries], lexicon.source_totals[row]
        counts = lexicon.counts[entries]
        probabilities = ratio(counts, np.full(len(counts), total))
        found = []
        for at in np.lexsort((others, -probabilities))[:top]:
            if probabilities[at] < threshold:
                break
            other = int(others[at])
            translation = vocabulary[other] if other < len(vocabulary) else None
            found.append(Translation(translation, float(probabilities[at]), float(counts[at])))
        return found

    @functools.cached_property
    def _source_ids(self) -> dict[str | None, int]:
        return {word: number for number, word in enumerate([*self._lexicon.source_vocabulary, None])}

    @functools.cached_property
    def _target_ids(self) -> dict[str | None, int]:
        return {word: number for number, word in enumerate([*self._lexicon.target_vocabulary, None])}

    @functools.cached_property
    def _by_target(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.uint32]]:
        """The entries by target word, where each word starts in them, and the source word of each entry."""
        order = np.argsort(self._lexicon.targets, kind="stable")
        starts = np.searchsorted(self._lexicon.targets[order], np.arange(len(self._lexicon.target_vocabulary) + 2))
        return order.astype(np.int64), starts.astype(np.int64), self._lexicon.sources
