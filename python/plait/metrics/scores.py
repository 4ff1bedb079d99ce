"""Alignment error rate, precision, recall and F1, and the counts that they are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
import numpy.typing as npt

from plait.alignments import Alignments
from plait.errors import ResourceError, UnequalLengthError
from plait.metrics.gold import Gold

if TYPE_CHECKING:
    from plait.bitext import Bitext

__all__ = ["RATES", "Scores", "rates", "score", "sufficient_statistics"]

Statistics = npt.NDArray[np.int64]

RATES = ("aer", "precision", "recall", "f1")
"""The rates that are made of the counts."""


@dataclass(frozen=True)
class Scores:
    """Rates from 0 to 1 and the counts behind them. A rate whose denominator is 0 is NaN.

    Attributes
    ----------
    aer
        Alignment error rate: ``1 - (|A & S| + |A & P|) / (|A| + |S|)``; lower is better.
    precision
        ``|A & P| / |A|``.
    recall
        ``|A & S| / |S|``.
    f1
        Harmonic mean of precision and recall; 0 when both are 0.
    links, sure, possible
        ``|A|``, ``|S|`` and ``|P|``; S is a subset of P.
    sure_hits, possible_hits
        ``|A & S|`` and ``|A & P|``.
    sentences
        Number of sentence pairs.
    """

    aer: float
    precision: float
    recall: float
    f1: float
    links: int
    sure: int
    possible: int
    sure_hits: int
    possible_hits: int
    sentences: int

    @classmethod
    def from_statistics(cls, statistics: Statistics) -> Self:
        """Return the scores of the counts of `sufficient_statistics`."""
        total = statistics.sum(axis=0)
        links, sure, possible, sure_hits, possible_hits = (int(count) for count in total)
        return cls(
            **{name: float(rate) for name, rate in rates(total).items()},
            links=links,
            sure=sure,
            possible=possible,
            sure_hits=sure_hits,
            possible_hits=possible_hits,
            sentences=len(statistics),
        )


def score(alignments: Alignments, gold: Gold, *, bitext: Bitext | None = None) -> Scores:
    """Compare links with a gold standard.

    Parameters
    ----------
    alignments
        The links to judge (A), one sentence pair for each of the gold standard.
    gold
        Sure (S) and possible (P) links. A sentence pair without gold links counts: its links are wrong.
    bitext
        The text; when given, links that lie outside of their sentences are an error.

    Returns
    -------
    Scores

    Raises
    ------
    UnequalLengthError
        The numbers of sentence pairs differ.
    DataError
        A link lies outside of its sentence pair.

    References
    ----------
    Och and Ney (2003), A Systematic Comparison of Various Statistical Alignment Models, section 6.
    He (2007), Using Word-Dependent Transition Models in HMM-based Word Alignment, eq. 12.

    Examples
    --------
    >>> links = Alignments.from_lists([[(0, 0), (1, 1), (2, 2)]])
    >>> sure = Alignments.from_lists([[(0, 0)]])
    >>> possible = Alignments.from_lists([[(0, 0), (1, 1)]])
    >>> score(links, Gold(sure, possible)).precision
    0.6666666666666666
    """
    if bitext is not None:
        alignments.check_within(bitext.source_lengths, bitext.target_lengths)
        gold.check_within(bitext.source_lengths, bitext.target_lengths)
    return Scores.from_statistics(sufficient_statistics(alignments, gold))


def sufficient_statistics(alignments: Alignments, gold: Gold) -> Statistics:
    """Return the counts that all rates are made of, for each sentence pair.

    Returns
    -------
    int64 array, shape (m, 5)
        ``|A|``, ``|S|``, ``|P|``, ``|A & S|``, ``|A & P|``. Rows add: the rates of a set of pairs are those
        of the sum.

    Raises
    ------
    UnequalLengthError
        The numbers of sentence pairs differ.

    Notes
    -----
    O(n log n) time and O(n) memory in the number of links.
    """
    both = [("the alignment", len(alignments)), ("the gold standard", len(gold))]
    (shorter, short), (longer, long) = sorted(both, key=lambda pair: pair[1])
    if short != long:
        raise UnequalLengthError(shorter=shorter, shorter_len=short, longer=longer, longer_len=long)
    mine, sure, possible = _keys(alignments, gold.sure, gold.possible)

    def hits(theirs: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        found = np.isin(mine, theirs, assume_unique=True)
        return np.bincount(alignments.sentences[found], minlength=long)

    return np.stack(
        [
            alignments.counts,
            gold.sure.counts,
            gold.possible.counts,
            hits(sure),
            hits(possible),
        ],
        axis=1,
    )


def rates(counts: npt.NDArray[np.int64]) -> dict[str, npt.NDArray[np.float64]]:
    """Return the rates of counts as in `sufficient_statistics`, along the last axis; NaN where undefined."""
    links, sure, _, sure_hits, possible_hits = np.moveaxis(counts.astype(np.float64), -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        precision = possible_hits / links
        recall = sure_hits / sure
        total = precision + recall
        f1 = np.where(total == 0, 0.0, 2 * precision * recall / total)
        aer = 1 - (sure_hits + possible_hits) / (links + sure)
    return {"aer": aer, "precision": precision, "recall": recall, "f1": f1}


def _keys(*several: Alignments) -> list[npt.NDArray[np.int64]]:
    """Give equal links of equal pairs, and only those, equal numbers."""
    # Positions are replaced by ranks first: a position may be as large as 2^31.
    links = np.concatenate([one.links for one in several])
    sources, source_ranks = np.unique(links[:, 0], return_inverse=True)
    targets, target_ranks = np.unique(links[:, 1], return_inverse=True)
    if len(several[0]) * len(sources) * len(targets) >= 2**63:
        raise ResourceError("the sentences are too long to compare this many; compare the corpus in parts")
    sentences = np.concatenate([one.sentences for one in several])
    keys = (sentences * len(sources) + source_ranks) * len(targets) + target_ranks
    return np.split(keys, np.cumsum([len(one.links) for one in several])[:-1])
