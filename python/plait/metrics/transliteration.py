"""The measures of the NEWS shared tasks on transliteration: ACC, mean F-score, MRR and MAP_ref.

References
----------
Li, Kumaran, Pervouchine and Zhang (2009), Report of NEWS 2009 machine transliteration shared task.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.errors import ConfigError, DataError
from plait.metrics.resampling import Interval, check_resampling, interval

__all__ = ["MEASURES", "Evaluation", "average_precision", "evaluate", "f_score", "longest_common_subsequence"]

MEASURES = ("acc", "f_score", "mrr", "map_ref")
"""The names of the measures."""


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Measures of a system on words with references.

    Attributes
    ----------
    words : int
        Number of source words.
    acc, f_score, mrr, map_ref : float
        Means over the words, from 0 to 1.
    by_word : float64[words, 4]
        The measures of each word, in the order of `MEASURES`.
    """

    words: int
    acc: float
    f_score: float
    mrr: float
    map_ref: float
    by_word: npt.NDArray[np.float64]

    def as_dict(self) -> dict[str, Any]:
        """Return the number of words and the means by name."""
        return {"words": self.words, **{name: getattr(self, name) for name in MEASURES}}

    def intervals(self, *, resamples: int = 1000, confidence: float = 0.95, seed: int = 1) -> dict[str, Interval]:
        """Return percentile confidence intervals of the means, from words drawn with replacement.

        Parameters
        ----------
        resamples
            How many times as many words as there are are drawn.
        confidence
            The share of resampled means inside the interval.
        seed
            Of the draws.

        Raises
        ------
        ConfigError
            No resamples, or a confidence that is not between 0 and 1.
        """
        check_resampling(resamples, confidence)
        means = resampled_means(self.by_word, resamples, seed)
        return {name: interval(means[:, column], confidence) for column, name in enumerate(MEASURES)}

    def difference(
        self, other: Evaluation, *, resamples: int = 1000, confidence: float = 0.95, seed: int = 1
    ) -> dict[str, tuple[float, Interval]]:
        """Return the differences of the means of two systems on the same words, with paired intervals.

        Raises
        ------
        ConfigError
            The numbers of words differ; otherwise as `intervals`.
        """
        check_resampling(resamples, confidence)
        if other.words != self.words:
            raise ConfigError(name="other", expected=f"of the same {self.words} words", found=f"{other.words} words")
        difference = self.by_word - other.by_word
        means = resampled_means(difference, resamples, seed)
        return {
            name: (float(difference[:, column].mean()), interval(means[:, column], confidence))
            for column, name in enumerate(MEASURES)
        }


def evaluate(
    candidates: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    *,
    split: Callable[[str], Sequence[str]] = list,
) -> Evaluation:
    r"""Compare lists of candidates with references.

    Parameters
    ----------
    candidates
        For each word its candidates, the best first; none for a word that the system does not answer, which counts as
        wrong.
    references
        For each word one or more right answers.
    split
        Makes symbols of a target, for the F-score: `list` for characters, `str.split` for phones between spaces.

    Returns
    -------
    Evaluation

    Raises
    ------
    DataError
        There is no word, the numbers of words differ, or a word has no reference.

    Notes
    -----
    - ACC is the share of words whose first candidate is a reference.
    - The F-score of a word is :math:`2 P R / (P + R)` with :math:`P = LCS / |c|` and :math:`R = LCS / |r|`, that is
      :math:`2 LCS / (|c| + |r|)`, of the first candidate c and the reference r that gives the largest. DEVIATION: the
      report chooses the reference by its edit distance to c, which is another one in rare cases.
    - MRR is the mean of 1 over the rank of the first candidate that is a reference; 0 where none is.
    - MAP_ref is the mean over words of :math:`1/n \sum_{k=1}^{n} c_k / k`, with n references and :math:`c_k` of them
      among the first k candidates: 1 when the first n candidates are the references, in any order. Of one reference
      only the first candidate counts, and it equals ACC.
      So it is computed by the evaluation script of the shared tasks, as copies of it show; the report was not compared.
      Yang, Dixon and Furui (2010) give ACC, F and MRR only.

    References and candidates that stand twice count once. Texts are compared as they are: normalise both sides to
    the same Unicode form first.

    Examples
    --------
    >>> found = evaluate([["timo", "timothy"], ["ana"]], [["timothy"], ["anna", "ana"]])
    >>> found.acc, found.mrr, round(found.f_score, 3), found.map_ref
    (0.5, 0.75, 0.864, 0.375)
    """
    if len(candidates) != len(references):
        raise DataError(
            f"there are {len(candidates)} lists of candidates but {len(references)} words with references; "
            "give one list for each word, empty ones included"
        )
    if not references:
        raise DataError("there is no word to evaluate; give at least one")
    rows = np.zeros((len(references), len(MEASURES)))
    for number, (answers, rights) in enumerate(zip(candidates, references, strict=True)):
        if isinstance(rights, str) or not rights:
            raise DataError(f"word {number + 1} has no list of references; found {rights!r}; give one or more of each")
        distinct = list(dict.fromkeys(answers))
        if not distinct:
            continue
        right = set(rights)
        ranks = [rank for rank, answer in enumerate(distinct, 1) if answer in right]
        rows[number] = (
            distinct[0] in right,
            f_score(distinct[0], right, split=split),
            1 / ranks[0] if ranks else 0.0,
            average_precision(distinct, right),
        )
    acc, f, mrr, map_ref = rows.mean(axis=0).tolist()
    return Evaluation(len(references), acc, f, mrr, map_ref, rows)


def f_score(candidate: str, references: set[str], *, split: Callable[[str], Sequence[str]] = list) -> float:
    """Return the largest :math:`2 LCS / (|c| + |r|)` of a candidate with a reference; 1 for two empty texts."""
    if candidate in references:
        return 1.0
    own = split(candidate)
    best = 0.0
    for reference in references:
        other = split(reference)
        total = len(own) + len(other)
        if total:
            best = max(best, 2 * longest_common_subsequence(own, other) / total)
    return best


def average_precision(candidates: Sequence[str], references: set[str]) -> float:
    """Return the mean of the precisions of the first 1, 2, ... n candidates, for n references."""
    found, total = 0, 0.0
    for rank in range(1, len(references) + 1):
        found += rank <= len(candidates) and candidates[rank - 1] in references
        total += found / rank
    return total / len(references)


def longest_common_subsequence(a: Sequence[str], b: Sequence[str]) -> int:
    """Return the length of the longest common subsequence.

    Notes
    -----
    One row of the table is the bits of a whole number (Hyyrö 2004): len(b) steps of a few operations.

    Examples
    --------
    >>> longest_common_subsequence("timothy", "tmithy")
    5
    """
    places: dict[str, int] = {}
    for number, symbol in enumerate(a):
        places[symbol] = places.get(symbol, 0) | 1 << number
    full = (1 << len(a)) - 1
    row = full
    for symbol in b:
        match = places.get(symbol, 0)
        step = row & match
        row = ((row + step) | (row - step)) & full
    return len(a) - row.bit_count()


def resampled_means(rows: npt.NDArray[np.float64], resamples: int, seed: int) -> npt.NDArray[np.float64]:
    """Return the means of resampled rows: float64[resamples, columns]."""
    generator = np.random.Generator(np.random.PCG64(seed))
    means = np.empty((resamples, rows.shape[1]))
    for number in range(resamples):
        drawn = generator.integers(len(rows), size=len(rows))
        means[number] = np.bincount(drawn, minlength=len(rows)) @ rows / len(rows)
    return means
