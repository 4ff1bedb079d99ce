"""Links of a corpus as counts of pairs of words: what lexicons and priors are made of."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from plait.alignments import Alignments
from plait.bitext import Bitext
from plait.errors import ConfigError

# What is missing to a sum of 1 and less is the rounding of its terms.
_NOISE = 1e-5
_LOW = np.uint64(0xFFFF_FFFF)

Ids = npt.NDArray[np.int64]
Counts = npt.NDArray[np.float64]


def summed_pairs(first: npt.NDArray[Any], second: npt.NDArray[Any], counts: Counts) -> tuple[Ids, Ids, Counts]:
    """Return distinct pairs of numbers below 2^32, sorted, and the sum of the counts of each, in the order given."""
    keys = first.astype(np.uint64) << np.uint64(32) | second.astype(np.uint64)
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    is_first = np.ones(len(keys), dtype=np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=is_first[1:])
    starts = np.flatnonzero(is_first)
    sums = np.add.reduceat(counts[order], starts) if len(starts) else np.zeros(0)
    keys = keys[starts]
    return (keys >> np.uint64(32)).astype(np.int64), (keys & _LOW).astype(np.int64), sums


def link_counts(
    bitext: Bitext, alignments: Alignments, *, weighted: bool, sentence_weights: npt.ArrayLike | None = None
) -> tuple[Ids, Ids, Counts]:
    """Return the words of each link and what it counts, and of each token without a link NULL and its word.

    `plait.lexicon.Lexicon.from_links` says what counts how much, and what is refused.
    """
    alignments.check_within(bitext.source_lengths, bitext.target_lengths)
    if weighted and alignments.probabilities is None:
        raise ConfigError("weighted counts need links with probabilities (i-j:p); give those, or count plain links")
    usable = np.asarray(bitext.usable, dtype=np.bool_)
    of_sentence = _checked(sentence_weights, len(usable))
    # What counts nothing leaves no entry.
    usable = usable & (of_sentence > 0)
    sentences = alignments.sentences
    kept = usable[sentences]
    weights = np.ones(int(kept.sum()))
    if weighted and alignments.probabilities is not None:
        weights = alignments.probabilities[kept].astype(np.float64)
    linked, missing = [], []
    for side, ids, offsets in (
        (0, bitext.source_ids, bitext.source_offsets),
        (1, bitext.target_ids, bitext.target_offsets),
    ):
        starts = offsets.astype(np.int64)
        tokens = (starts[sentences] + alignments.links[:, side])[kept]
        rest = 1.0 - np.bincount(tokens, weights, minlength=len(ids))
        # Posteriors in single precision do not sum to 1 exactly.
        without = np.flatnonzero(np.repeat(usable, np.diff(starts)) & (rest > _NOISE))
        linked.append(ids[tokens].astype(np.int64))
        scale = np.repeat(of_sentence, np.diff(starts))[without]
        missing.append((ids[without].astype(np.int64), rest[without] * scale))
    (sources, source_rest), (targets, target_rest) = missing
    source_null = np.full(len(targets), len(bitext.source_vocabulary))
    target_null = np.full(len(sources), len(bitext.target_vocabulary))
    return (
        np.concatenate([linked[0], sources, source_null]),
        np.concatenate([linked[1], target_null, targets]),
        np.concatenate([weights * of_sentence[sentences][kept], source_rest, target_rest]),
    )


def _checked(weights: npt.ArrayLike | None, sentences: int) -> Counts:
    """Return the weight of each sentence pair, 1 by default."""
    if weights is None:
        return np.ones(sentences)
    checked = np.asarray(weights, dtype=np.float64)
    if checked.shape != (sentences,):
        raise ConfigError(
            name="sentence_weights", expected=f"a number for each of {sentences} sentence pairs", found=checked.shape
        )
    bad = np.flatnonzero(~(np.isfinite(checked) & (checked >= 0)))
    if len(bad):
        raise ConfigError(
            name=f"sentence_weights[{bad[0]}]", expected="a number that is not negative", found=checked[bad[0]]
        )
    return checked
