"""A corpus as one direction of a word-alignment model sees it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

NULL = None
"""The word e_0 that every given sentence starts with; no token of a text equals it."""

Word = str | None
Alignment = list[list[int]]
"""a_j of every trained pair: 0 is NULL, i >= 1 is the i-th given word (paper notation, 1-based)."""
Table = list[list[list[float]]]
"""One number for every trained pair, emitted position j (0-based) and candidate i in 0..I."""


@dataclass(frozen=True)
class Pair:
    """One sentence pair: `given` is e_0..e_I with NULL in front, `emitted` is f_1..f_J."""

    given: tuple[Word, ...]
    emitted: tuple[str, ...]

    @property
    def given_length(self) -> int:
        """I: the number of given words, NULL not counted."""
        return len(self.given) - 1

    @property
    def emitted_length(self) -> int:
        """J: the number of emitted words."""
        return len(self.emitted)


@dataclass(frozen=True)
class Direction:
    """The trained pairs of a corpus, and V, the number of emitted types in the whole corpus."""

    pairs: tuple[Pair, ...]
    places: tuple[int, ...]
    emitted_types: int
    given_types: int
    corpus_length: int
    is_reverse: bool

    @classmethod
    def of(
        cls,
        sources: Sequence[Sequence[str]],
        targets: Sequence[Sequence[str]],
        *,
        reverse: bool = False,
        max_length: int | None = None,
    ) -> Direction:
        """Forward (targets emitted, given the sources) or reverse view of a corpus.

        A pair trains when both sides have words and neither has more than `max_length`; types are counted
        over all pairs.
        """
        given, emitted = (targets, sources) if reverse else (sources, targets)
        limit = float("inf") if max_length is None else max_length
        places = [
            n
            for n, (e, f) in enumerate(zip(given, emitted, strict=True))
            if 0 < len(e) <= limit and 0 < len(f) <= limit
        ]
        return cls(
            pairs=tuple(Pair((NULL, *given[n]), tuple(emitted[n])) for n in places),
            places=tuple(places),
            emitted_types=len({f for sentence in emitted for f in sentence}),
            given_types=len({e for sentence in given for e in sentence}),
            corpus_length=len(given),
            is_reverse=reverse,
        )

    def tokens(self) -> list[tuple[int, int]]:
        """(pair, emitted position) of every token that is aligned, in the order of the text."""
        return [(n, j) for n, pair in enumerate(self.pairs) for j in range(pair.emitted_length)]


def both_directions(corpus: tuple[Sequence[Sequence[str]], Sequence[Sequence[str]]]) -> tuple[Direction, Direction]:
    """Forward and reverse view of source and target sentences."""
    return Direction.of(*corpus), Direction.of(*corpus, reverse=True)
