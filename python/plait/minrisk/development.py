"""Held-out forests that tell how good weights are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from plait.errors import DataError
from plait.minrisk.annotate import Annotated
from plait.minrisk.bleu import Line, bleu, bleu_statistics
from plait.minrisk.ngram_features import yields_without
from plait.minrisk.reranking import best_yields, edge_scores

__all__ = ["BestTranslations"]


class BestTranslations:
    """The best translations of forests, and their BLEU, at any weights.

    Parameters
    ----------
    annotated : iterable of Annotated
        Forests with features by the numbers of the training set, as `plait.minrisk.Annotator` makes them; references
        are not needed for that. Kept in memory.
    references : sequence of streams of str
        A line for each forest in each stream, as for `plait.minrisk.bleu_statistics`.
    ignore : iterable of str
        Words that are not there, such as ``<s>``.
    threads : int, optional
        For BLEU; all CPUs by default.

    Raises
    ------
    DataError
        There are no forests.
    plait.errors.UnequalLengthError
        From `score`: a stream of references is not as long as there are forests.
    """

    name = "BLEU"
    """What scores are called."""

    def __init__(
        self,
        annotated: Iterable[Annotated],
        references: Sequence[Sequence[Line]],
        *,
        ignore: Iterable[str] = (),
        threads: int | None = None,
    ) -> None:
        absent = frozenset(ignore)
        self._forests = [(each.risk, yields_without(each.forest, absent), each.forest.words) for each in annotated]
        if not self._forests:
            raise DataError("there are no forests to judge weights by; give at least one")
        self._references = [list(stream) for stream in references]
        self._threads = threads

    def translations(self, weights: npt.NDArray[np.float64]) -> list[tuple[str, ...]]:
        """Return the words of the best derivation of each forest; none for a forest without derivations.

        Parameters
        ----------
        weights : ndarray of float64, shape (features,)
            Of all features of the training set.
        """
        found = (
            best_yields(risk.graph, yields, edge_scores(risk, weights), 1, words)
            for risk, yields, words in self._forests
        )
        return [best[0].words if best else () for best in found]

    def statistics(self, weights: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
        """Return the statistics of BLEU of `translations`, shape (forests, 9)."""
        return bleu_statistics(self.translations(weights), self._references, threads=self._threads)

    def score(self, weights: npt.NDArray[np.float64]) -> float:
        """Return BLEU, from 0 to 1, of `translations`: with smoothing "exp", as sacrebleu has it."""
        return bleu(self.statistics(weights), smoothing="exp")
