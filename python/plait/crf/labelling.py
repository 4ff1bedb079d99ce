"""Labels, lists of labellings and probabilities of sequences, from trained weights."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from plait import _core
from plait._core import CrfModel
from plait.crf.claims import Allowed, claims_of
from plait.crf.explain import Explanation, explain_sequences
from plait.crf.fitting import Data, whole
from plait.crf.sequences import Sequences
from plait.errors import ConfigError, DataError
from plait.threads import resolve_threads

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Labeller", "Labelling"]


class Labelling(NamedTuple):
    """Labels of a sequence.

    Attributes
    ----------
    labels
        A label for each position.
    probability
        Their probability among all allowed labels, given the sequence.
    log_probability
        Its natural logarithm, also where the probability is too small for a float.
    """

    labels: list[str]
    probability: float
    log_probability: float

    def _repr_html_(self) -> str:
        """Return the labels as a table for notebooks; `plait.viz.labels.show_labels` draws them with their words."""
        # Drawing is for those who look; `import plait.crf` stays quick.
        from plait.viz.labels import labels_html

        return labels_html(self.labels, title=f"probability {self.probability:.4g}")


class Labeller:
    """What a trained random field does with sequences; `ChainCRF` adds options and training."""

    threads: int | None
    template: str | None
    width: int | None
    takes_more_columns: bool
    candidates_: str | None = None
    needs_allowed_: bool = False
    _core: CrfModel | None

    @property
    def core(self) -> CrfModel:
        """What the compiled core works on.

        Raises
        ------
        ConfigError
            The model is not trained.
        """
        if self._core is None:
            raise ConfigError("this ChainCRF is not trained; call fit, or load a saved model")
        return self._core

    @property
    def classes_(self) -> list[str]:
        """The labels by number."""
        return self.core.label_names()

    def predict(self, X: Data, *, allowed: Allowed | None = None) -> list[list[str]]:
        """Return the labels of the most likely labelling of each sequence (Viterbi).

        Parameters
        ----------
        X
            `Sequences` made with ``model=`` this model, or what `Sequences.from_items` takes.
        allowed
            For each sequence and position the labels that may be chosen, or None for all. With ``candidates_`` they are
            chosen among those of them that are candidates, if there are any.

        Raises
        ------
        ConfigError
            The model was trained over candidates that were given, and there are none here (``needs_allowed_``).

        Notes
        -----
        Of equal labellings the one with the smallest last label that differs is chosen, in the order of ``classes_``.
        The most likely labelling need not consist of the labels with the highest marginals.
        """
        data = self._sequences(X)
        ids, _ = self.core.best(data.core, self._claims(data, allowed), threads=resolve_threads(self.threads))
        return data.split(ids, self.classes_)

    def predict_nbest(self, X: Data, n: int, *, allowed: Allowed | None = None) -> list[list[Labelling]]:
        """Return the n most likely labellings of each sequence, the best first; all, if there are fewer.

        Labellings are distinct, exact and have their probabilities. An empty sequence has one, without labels.

        Notes
        -----
        Time n T (L + log(n T)) for T positions and L labels, beyond that of Viterbi.
        """
        data = self._sequences(X)
        claims = self._claims(data, allowed)
        counts, ids, scores, log_z = self.core.nbest(
            data.core, whole("n", n), claims, threads=resolve_threads(self.threads)
        )
        names, flat, logs = self.classes_, ids.tolist(), iter(scores.tolist())
        lists, at = [], 0
        lengths = [stop - start for start, stop in itertools.pairwise(data.core.starts())]
        for count, length, log in zip(counts.tolist(), lengths, log_z.tolist(), strict=True):
            found = []
            for _ in range(count):
                labels = [names[label] for label in flat[at : at + length]]
                at += length
                # Both are sums of the same terms; rounding must not make a probability above 1.
                difference = min(next(logs) - log, 0.0)
                found.append(Labelling(labels, math.exp(difference), difference))
            lists.append(found)
        return lists

    def marginals(self, X: Data, *, allowed: Allowed | None = None) -> list[npt.NDArray[np.float64]]:
        """Return the probability of each label at each position: float64[positions, labels] for each sequence."""
        data = self._sequences(X)
        claims = self._claims(data, allowed)
        matrix, _ = self.core.posteriors(data.core, claims, threads=resolve_threads(self.threads))
        return [matrix[start:stop] for start, stop in itertools.pairwise(data.core.starts())]

    def pair_marginals(self, X: Data, *, allowed: Allowed | None = None) -> list[npt.NDArray[np.float64]]:
        """Return the probability of each pair of labels at each position and the next.

        A float64[positions - 1, labels, labels] for each sequence.

        Notes
        -----
        T L^2 numbers and exponentials for each sequence of T positions.
        """
        data = self._sequences(X)
        claims = self._claims(data, allowed)
        return [self.core.pair_posteriors(data.core, number, claims) for number in range(len(data))]

    def predict_marginals(self, X: Data, *, allowed: Allowed | None = None) -> list[list[dict[str, float]]]:
        """Return the probability of each label at each position as dictionaries, as sklearn-crfsuite does."""
        names = self.classes_
        return [
            [dict(zip(names, row, strict=True)) for row in matrix.tolist()]
            for matrix in self.marginals(X, allowed=allowed)
        ]

    def log_probability(
        self, X: Data, y: Iterable[Iterable[str]] | None = None, *, allowed: Allowed | None = None
    ) -> npt.NDArray[np.float64]:
        """Return the natural logarithm of the probability of given labels of each sequence: float64[sequences].

        Labels that the model does not know, or that are not allowed, have minus infinity.
        """
        import numpy as np

        data = self._sequences(X, y)
        data.labels()
        claims, threads = self._claims(data, allowed), resolve_threads(self.threads)
        scores = self.core.scores_of(data.core, data.core.labels(), claims, threads=threads)
        return np.minimum(scores - self.core.log_z(data.core, claims, threads=threads), 0.0)

    def explain(
        self,
        X: Data,
        y: Iterable[Iterable[str]] | None = None,
        *,
        given: bool = False,
        allowed: Allowed | None = None,
    ) -> list[Explanation]:
        """Return what is behind the labels of each sequence: weights, scores, log Z, probabilities of other labels.

        Parameters
        ----------
        X
            What `predict` takes.
        y
            The labels to explain; by default the most likely ones.
        given
            Explain the labels that `Sequences` have.
        allowed
            As for `predict`.

        Raises
        ------
        plait.errors.DataError
            A label is not known to the model, or lengths differ.

        Examples
        --------
        >>> from plait.crf import ChainCRF
        >>> crf = ChainCRF(l2=0.1).fit([[{"w": "the"}, {"w": "cat"}]], [["D", "N"]])
        >>> found = crf.explain([[{"w": "a"}, {"w": "cat"}]])[0]
        >>> found.labels, [term.attribute for term in found.terms(1)]
        (['D', 'N'], ['w:cat'])
        >>> abs(found.score - found.log_z - found.log_probability) < 1e-12
        True
        """
        data = self._sequences(X, y)
        claims, threads = self._claims(data, allowed), resolve_threads(self.threads)
        labels = self.predict(data, allowed=allowed) if y is None and not given else data.labels()
        return explain_sequences(self.core, data, labels, claims, threads)

    def score(self, X: Data, y: Iterable[Iterable[str]] | None = None) -> float:
        """Return the share of positions whose label in the most likely labelling is the given one.

        Raises
        ------
        DataError
            There is no position.
        """
        data = self._sequences(X, y)
        gold = [label for labels in data.labels() for label in labels]
        if not gold:
            raise DataError("there is no position to score; give at least one")
        found = [label for labels in self.predict(data) for label in labels]
        return sum(a == b for a, b in zip(gold, found, strict=True)) / len(gold)

    @property
    def state_features_(self) -> dict[tuple[str, str], float]:
        """The weights of pairs of an attribute and a label that are not 0, as a new dictionary."""
        return dict(_pairs(self.core.attribute_names(), self.classes_, self.core.states()))

    @property
    def transition_features_(self) -> dict[tuple[str, str], float]:
        """The weights of pairs of neighbouring labels that are not 0, as a new dictionary."""
        return dict(_pairs(self.classes_, self.classes_, self.core.transitions()))

    @property
    def triple_features_(self) -> dict[tuple[str, str, str], float]:
        """The weights of an attribute and two neighbouring labels that are not 0, as a new dictionary.

        Only templates that begin with B and name cells ask for such weights; the attribute is that of the second label.
        """
        starts, before, after, weights = (array.tolist() for array in self.core.triples())
        names, classes = self.core.attribute_names(), self.classes_
        return {
            (names[attribute], classes[before[at]], classes[after[at]]): weights[at]
            for attribute, (start, stop) in enumerate(itertools.pairwise(starts))
            for at in range(start, stop)
            if weights[at] != 0
        }

    def _claims(self, data: Sequences, allowed: Allowed | None) -> npt.NDArray[np.bool_] | None:
        """Return whether each label may stand at each position: what is allowed, and a candidate."""
        if allowed is None and self.needs_allowed_:
            raise ConfigError(
                "this model was trained over candidates that were given for each position; give allowed labels here "
                "too, or set needs_allowed_ = False to choose among all labels, which such a model does badly"
            )
        claims = claims_of(data, allowed, self.classes_)
        if self.candidates_ is None:
            return claims
        candidates = _core.crf_candidates(self.core, data.core, self.candidates_)
        if claims is None:
            return candidates
        both = candidates & claims
        # What is allowed counts more than what was seen.
        has_none = ~both.any(axis=1)
        both[has_none] = claims[has_none]
        return both

    def _sequences(self, X: Data, y: Iterable[Iterable[str]] | None = None) -> Sequences:
        if not isinstance(X, Sequences):
            return Sequences.from_items(X, y, model=self)
        if y is not None:
            raise ConfigError(name="y", expected="None for Sequences, which have labels", found=type(y).__name__)
        return X


def _pairs(
    firsts: list[str], seconds: list[str], arrays: tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]
) -> Iterable[tuple[tuple[str, str], float]]:
    starts, others, weights = (array.tolist() for array in arrays)
    for first, (start, stop) in zip(firsts, itertools.pairwise(starts), strict=False):
        for at in range(start, stop):
            if weights[at] != 0:
                yield (first, seconds[others[at]]), weights[at]
