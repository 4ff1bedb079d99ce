"""What an alignment looks like: the figures of Mermer, Saraçlar and Sarikaya (2013), section V-A.

They say more about an aligner than its error rate. High fertilities and many partners of rare words are the "garbage
collecting" of maximum likelihood; unaligned rare words are lost to translation; a small dictionary and a large
agreement of both directions are good signs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from plait import _core
from plait.alignments import Alignments
from plait.bitext import Bitext
from plait.errors import ConfigError, UnequalLengthError
from plait.metrics import Gold, Scores, score
from plait.symmetrize import symmetrize
from plait.threads import resolve_threads

__all__ = ["HIGH_FERTILITY", "Analysis", "SideFigures", "analyze"]

HIGH_FERTILITY = 9
"""From how many partners on the paper calls a fertility high."""

Ids = npt.NDArray[np.uint32]
Offsets = npt.NDArray[np.uint64]
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class SideFigures:
    """Figures of the words of one side. A share without anything to share is NaN.

    Attributes
    ----------
    tokens, types
        Of the pairs that take part.
    fertilities
        ``fertilities[k]`` tokens are linked to ``k`` words of the other side.
    high_fertility_share
        Share of the tokens that are linked to `HIGH_FERTILITY` or more.
    singletons
        Types that occur once.
    unaligned_singleton_share
        Share of the singletons that are linked to nothing.
    singleton_fertility
        Mean fertility of the singletons that are linked; at least 1.
    covered_types
        Types that are the whole side of a phrase pair: they can be translated on their own.
    coverage
        `covered_types` over `types`.
    """

    tokens: int
    types: int
    fertilities: tuple[int, ...]
    high_fertility_share: float
    singletons: int
    unaligned_singleton_share: float
    singleton_fertility: float
    covered_types: int
    coverage: float


@dataclass(frozen=True)
class Analysis:
    """Figures of one alignment of a text; see `analyze`.

    Attributes
    ----------
    name
        What the alignment is called in tables.
    pairs, links
        Sentence pairs that take part, and their links.
    source, target
        Figures of the words of each side.
    dictionary_size
        Distinct pairs of words that are linked somewhere.
    dictionary_ratio
        That over the mean of the two vocabulary sizes.
    agreeing_links, agreement
        Links that both directions have, and their number over the mean of the two token counts; ``None`` without
        directions.
    phrase_pairs, phrase_ratio
        Distinct phrase pairs that are consistent with the links, and their number over the mean of the two token
        counts.
    phrase_occurrences
        Phrase pairs with repeats.
    max_phrase_length
        The longest phrase that counts, in words on each side.
    scores, forward_scores, reverse_scores
        Against the gold standard; ``None`` without one, or without directions.
    """

    name: str
    pairs: int
    links: int
    source: SideFigures
    target: SideFigures
    dictionary_size: int
    dictionary_ratio: float
    agreeing_links: int | None
    agreement: float | None
    phrase_pairs: int
    phrase_ratio: float
    phrase_occurrences: int
    max_phrase_length: int
    scores: Scores | None = None
    forward_scores: Scores | None = None
    reverse_scores: Scores | None = None


def analyze(
    bitext: Bitext,
    alignments: Alignments,
    *,
    forward: Alignments | None = None,
    reverse: Alignments | None = None,
    gold: Gold | None = None,
    gold_start: int | None = None,
    max_phrase_length: int = 7,
    name: str = "alignment",
    threads: int | None = None,
) -> Analysis:
    """Compute the figures of the paper's analysis for an alignment.

    Parameters
    ----------
    bitext
        The text that was aligned. Pairs that take no part in training (``bitext.usable``) are left out of all figures
        but the scores.
    alignments
        Its links. For the fertilities of a model take the links of one direction, for the phrase figures symmetrised
        ones.
    forward, reverse
        The links of both directions, for their agreement.
    gold
        A gold standard of the text, or of a stretch of it.
    gold_start
        The pair of the text that the gold standard starts with, counted from 0, or from the end when negative; by
        default the gold standard must have as many pairs as the text.
    max_phrase_length
        The longest phrase that counts, in words on each side. The paper's phrase tables have Moses' default of 7.
    name
        What the alignment is called in tables.
    threads
        Number of threads; ``None`` for all that may be used. The figures do not depend on it.

    Returns
    -------
    Analysis

    Raises
    ------
    DataError
        Links lie outside of their sentences.
    UnequalLengthError
        The numbers of pairs differ.
    ConfigError
        Only one direction is given, or the gold standard does not fit into the text where it should start.

    Notes
    -----
    O(n log n) time in the number of links, and for phrases as
    `plait_core::align::analysis::phrase_figures`: about a second per million tokens. Unlinked words at the border of
    a phrase count as in Moses.

    References
    ----------
    Mermer, Saraçlar and Sarikaya (2013), section V-A, figures 8 and 9 and table V.
    Koehn, Och and Marcu (2003), Statistical Phrase-Based Translation, section 3: consistent phrase pairs.
    """
    if (forward is None) != (reverse is None):
        raise ConfigError("agreement needs the links of both directions: give forward and reverse, or neither")
    for one in (alignments, forward, reverse):
        if one is not None:
            one.check_within(bitext.source_lengths, bitext.target_lengths)
    text = _Text.of(bitext)
    links = text.usable_links(alignments)
    sources, targets = text.tokens_of(links)
    occurrences, distinct, covered_source, covered_target = _core.phrase_figures(
        text.source_ids,
        text.source_offsets,
        text.target_ids,
        text.target_offsets,
        links._arrays,
        max_length=max_phrase_length,
        threads=resolve_threads(threads),
    )
    source = _side(text.source_ids, sources, covered_source)
    target = _side(text.target_ids, targets, covered_target)
    mean_tokens = (source.tokens + target.tokens) / 2
    agreeing = None
    if forward is not None and reverse is not None:
        pair = (text.usable_links(forward), text.usable_links(reverse))
        agreeing = len(symmetrize(*pair, "intersection", threads=threads).links)
    dictionary = _dictionary_size(text.source_ids[sources], text.target_ids[targets])
    return Analysis(
        name=name,
        pairs=len(links),
        links=len(links.links),
        source=source,
        target=target,
        dictionary_size=dictionary,
        dictionary_ratio=_share(dictionary, (source.types + target.types) / 2),
        agreeing_links=agreeing,
        agreement=None if agreeing is None else _share(agreeing, mean_tokens),
        phrase_pairs=distinct,
        phrase_ratio=_share(distinct, mean_tokens),
        phrase_occurrences=occurrences,
        max_phrase_length=max_phrase_length,
        **_scores(alignments, forward, reverse, gold, gold_start),
    )


@dataclass(frozen=True)
class _Text:
    """The pairs of a text that take part."""

    usable: npt.NDArray[np.bool_]
    source_ids: Ids
    source_offsets: Offsets
    target_ids: Ids
    target_offsets: Offsets

    @classmethod
    def of(cls, bitext: Bitext) -> _Text:
        usable = np.asarray(bitext.usable, dtype=np.bool_)
        return cls(
            usable,
            *_chosen(bitext.source_ids, bitext.source_offsets, usable),
            *_chosen(bitext.target_ids, bitext.target_offsets, usable),
        )

    def usable_links(self, alignments: Alignments) -> Alignments:
        """Return the links of the pairs that take part."""
        if self.usable.all():
            return Alignments._from_core((alignments.links, alignments.offsets, None))
        kept = self.usable[alignments.sentences]
        counts = alignments.counts[self.usable]
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.uint64)
        return Alignments._from_core((alignments.links[kept], offsets, None))

    def tokens_of(self, links: Alignments) -> tuple[Counts, Counts]:
        """Return the token numbers, in the whole text, of both ends of each link."""
        sentences = links.sentences
        source_starts = self.source_offsets.astype(np.int64)[sentences]
        target_starts = self.target_offsets.astype(np.int64)[sentences]
        return source_starts + links.links[:, 0], target_starts + links.links[:, 1]


def _chosen(ids: Ids, offsets: Offsets, usable: npt.NDArray[np.bool_]) -> tuple[Ids, Offsets]:
    """Return the tokens of the pairs that take part, as ragged arrays."""
    ids = np.ascontiguousarray(ids)
    if usable.all():
        return ids, np.ascontiguousarray(offsets)
    ends = offsets.astype(np.int64)
    lengths = ends[1:] - ends[:-1]
    kept = np.concatenate([[0], np.cumsum(lengths[usable])])
    return ids[np.repeat(usable, lengths)], kept.astype(np.uint64)


def _side(ids: Ids, linked: Counts, covered: int) -> SideFigures:
    """Return the figures of one side; ``linked`` holds the token of each link."""
    fertility = np.bincount(linked, minlength=len(ids))
    frequency = np.bincount(ids)
    types = int(np.count_nonzero(frequency))
    of_singletons = fertility[frequency[ids] == 1]
    aligned = of_singletons[of_singletons > 0]
    return SideFigures(
        tokens=len(ids),
        types=types,
        fertilities=tuple(np.bincount(fertility).tolist()),
        high_fertility_share=_share(int((fertility >= HIGH_FERTILITY).sum()), len(ids)),
        singletons=len(of_singletons),
        unaligned_singleton_share=_share(len(of_singletons) - len(aligned), len(of_singletons)),
        singleton_fertility=_share(int(aligned.sum()), len(aligned)),
        covered_types=covered,
        coverage=_share(covered, types),
    )


def _dictionary_size(sources: Ids, targets: Ids) -> int:
    """Return the number of distinct pairs of words."""
    keys = sources.astype(np.uint64) << np.uint64(32) | targets.astype(np.uint64)
    return len(np.unique(keys))


def _share(part: float, whole: float) -> float:
    return part / whole if whole else float("nan")


def _scores(
    alignments: Alignments,
    forward: Alignments | None,
    reverse: Alignments | None,
    gold: Gold | None,
    gold_start: int | None,
) -> dict[str, Any]:
    """Return the scores of what there is, by field of `Analysis`."""
    if gold is None:
        return {}
    if gold_start is None and len(gold) != len(alignments):
        both = [("the gold standard", len(gold)), ("the alignment", len(alignments))]
        (shorter, short), (longer, long) = sorted(both, key=lambda pair: pair[1])
        raise UnequalLengthError(shorter=shorter, shorter_len=short, longer=longer, longer_len=long)
    start = gold_start or 0
    start = start + len(alignments) if start < 0 else start
    if not 0 <= start <= len(alignments) - len(gold):
        raise ConfigError(
            f"a gold standard of {len(gold)} pairs that starts at pair {gold_start} does not fit "
            f"into an alignment of {len(alignments)} pairs"
        )
    named = {"scores": alignments, "forward_scores": forward, "reverse_scores": reverse}
    return {field: score(one[start : start + len(gold)], gold) for field, one in named.items() if one is not None}
