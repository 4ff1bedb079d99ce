"""Phrase pairs learned from linked sentences."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Self

from plait.align import fit
from plait.bitext import Bitext

__all__ = ["PhraseOption", "PhraseTable"]

Words = tuple[str, ...]

# Of a word that no phrase pair translates: it is copied, and anything learned is better.
_COPIED = math.log(1e-4)
# Taken off each count, so that what was seen once is not certain.
_DISCOUNT = 0.5


@dataclass(frozen=True)
class PhraseOption:
    """A translation of a source phrase.

    Attributes
    ----------
    target
        Its words.
    target_given_source, source_given_target
        Natural logarithms of discounted relative frequencies.
    """

    target: Words
    target_given_source: float
    source_given_target: float


@dataclass(frozen=True)
class PhraseTable:
    """Translations of source phrases, which are folded to lower case; targets are as written.

    Attributes
    ----------
    options
        Those of each source phrase, the most probable first.
    longest
        Words of the longest source phrase.
    """

    options: dict[Words, list[PhraseOption]] = field(repr=False)
    longest: int

    @classmethod
    def learn(
        cls,
        source: Sequence[Sequence[str]],
        target: Sequence[Sequence[str]],
        *,
        longest_source: int,
        longest_target: int,
        top: int,
        threads: int | None = None,
    ) -> Self:
        """Link the words of a parallel text with the default aligner and count the phrase pairs that fit the links.

        Parameters
        ----------
        source, target
            The sentences, as words.
        longest_source, longest_target
            Words of the longest phrases.
        top
            Translations that are kept for a source phrase.
        threads
            Of the aligner.

        Returns
        -------
        PhraseTable

        Notes
        -----
        Pairs are consistent in the sense of Koehn, Och and Marcu (2003): some link joins them, and no link leads out.
        Target words without links may stand at their ends. O(words * longest_source * longest_target**2).
        """
        text = Bitext.from_lists(source, target, lowercase=True)
        links = fit(text, threads=threads, objective=False).alignments
        counts: Counter[tuple[Words, Words]] = Counter()
        for src, tgt, pairs in zip(source, target, links, strict=True):
            folded = [word.lower() for word in src]
            for (i, j), (k, m) in phrase_spans(
                pairs.tolist(), len(src), len(tgt), longest_source=longest_source, longest_target=longest_target
            ):
                counts[tuple(folded[i:j]), tuple(tgt[k:m])] += 1
        return cls(_options(counts, top), longest_source)

    def of(self, phrase: Sequence[str]) -> list[PhraseOption]:
        """Return the translations of a source phrase; a single word without any is copied."""
        found = self.options.get(tuple(word.lower() for word in phrase), [])
        if not found and len(phrase) == 1:
            return [PhraseOption((phrase[0],), _COPIED, _COPIED)]
        return found


def phrase_spans(
    links: Sequence[Sequence[int]], source_length: int, target_length: int, *, longest_source: int, longest_target: int
) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Yield the spans (start, end) of source and target of all consistent phrase pairs, in order."""
    by_source: list[list[int]] = [[] for _ in range(source_length)]
    by_target: list[list[int]] = [[] for _ in range(target_length)]
    for i, j in links:
        by_source[i].append(j)
        by_target[j].append(i)
    for start in range(source_length):
        linked: list[int] = []
        for end in range(start + 1, min(start + longest_source, source_length) + 1):
            linked += by_source[end - 1]
            if not linked:
                continue
            low, high = min(linked), max(linked) + 1
            inside = all(start <= i < end for j in range(low, high) for i in by_target[j])
            if inside and high - low <= longest_target:
                for span in _widened(by_target, low, high, longest_target):
                    yield (start, end), span


def _widened(by_target: list[list[int]], low: int, high: int, longest: int) -> Iterator[tuple[int, int]]:
    """Yield a target span, and all wider ones that add only words without links."""
    first = low
    while True:
        last = high
        while last - first <= longest:
            yield first, last
            if last == len(by_target) or by_target[last]:
                break
            last += 1
        if first == 0 or by_target[first - 1] or high - first >= longest:
            break
        first -= 1


def _options(counts: Counter[tuple[Words, Words]], top: int) -> dict[Words, list[PhraseOption]]:
    """Return the most probable translations of each source phrase; equal ones in the order of their words."""
    sources: Counter[Words] = Counter()
    targets: Counter[Words] = Counter()
    for (source, target), count in counts.items():
        sources[source] += count
        targets[target] += count
    found: dict[Words, list[PhraseOption]] = {}
    for (source, target), count in sorted(counts.items(), key=lambda item: (item[0][0], -item[1], item[0][1])):
        options = found.setdefault(source, [])
        if len(options) < top:
            share = count - _DISCOUNT
            options.append(PhraseOption(target, math.log(share / sources[source]), math.log(share / targets[target])))
    return found
