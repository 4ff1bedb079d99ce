"""Multinomial naive Bayes, by MAP and by Bayesian inference."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from plait import _core
from plait.errors import ConfigError, DataError
from plait.reorder.classifier import Classifier
from plait.reorder.rows import as_entries
from plait.threads import resolve_threads

__all__ = ["NaiveBayes"]

# The paper's Dirichlet prior for MAP that adds one to every count, and the uniform one.
_USUAL = {"map": 2.0, "bayesian": 1.0}


class NaiveBayes(Classifier):
    r"""Multinomial naive Bayes over bags of features, from one pass of counting.

    Parameters
    ----------
    alpha
        The parameter of the Dirichlet prior, one for all features or one for each. "map" needs at least 1: counts are
        raised by ``alpha - 1``, so that 2 is Laplace's rule and 1 maximum likelihood, where a feature that never
        occurred with a class makes it impossible (probability 0, not a small number). "bayesian" needs more than 0.
        None: 2 and 1.
    inference
        "map": the most probable parameters (eq. 10). "bayesian": all parameters, weighted by their probability (eq.
        11 to 13).

    Attributes
    ----------
    classes_, n_features_in_, vocabulary_
        See `Classifier`.
    class_count_ : uint64[K]
        Examples of each class.
    feature_count_ : float64[features, K]
        The sum of the values of each feature in each class; exact for whole numbers up to 2**53.
    class_log_prior_ : float64[K]
        Logarithm of the share of each class.

    Notes
    -----
    Where no feature comes twice in an example, ``bayesian`` with ``alpha`` and ``map`` with ``alpha + 1`` differ by
    the length of the example only. An example without known features gets the prior, and so does one that no class
    can have. Counts merge: models of parts of a corpus that are trained with `partial_fit` equal one of the whole.

    References
    ----------
    Alrajeh and Niranjan (2014), Bayesian reordering model with feature selection. WMT.

    Examples
    --------
    >>> from plait.reorder import NaiveBayes
    >>> model = NaiveBayes().fit([[2, 0], [1, 1], [0, 3]], ["mono", "mono", "swap"])
    >>> model.predict([[1, 0], [0, 1]])
    array(['mono', 'swap'], dtype='<U4')
    >>> model.feature_count_
    array([[3., 0.],
           [1., 3.]])
    """

    def __init__(
        self,
        alpha: float | npt.ArrayLike | None = None,
        *,
        inference: Literal["map", "bayesian"] = "map",
    ) -> None:
        self.alpha = alpha
        self.inference = inference

    def fit(self, X: Any, y: Any = None) -> Self:
        """Count examples.

        Parameters
        ----------
        X
            `Examples`, `ExampleCounts`, a SciPy sparse matrix, or an array of counts (at least 0): [n, features].
        y
            The class of each example; left out for `Examples` and their counts, which have them.

        Returns
        -------
        NaiveBayes
            The model itself.

        Raises
        ------
        plait.errors.DataError
            X or y is no data for a classifier, a value is negative, or there are fewer than two classes.
        plait.errors.ConfigError
            ``alpha`` or ``inference`` is out of range.
        plait.errors.ResourceError
            A sum of values is above 2**53.
        """
        counts, classes = self._counted(X, y, values=False)
        self._take(counts)
        self._learns_of(X, len(self.feature_count_))
        self.classes_ = classes
        return self

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None) -> Self:
        """Count more examples.

        Parameters
        ----------
        X, y
            As for `fit`.
        classes
            All classes there are; needed in the first call, unless X is `Examples`. One without an example has
            probability 0.

        Raises
        ------
        plait.errors.DataError, plait.errors.ConfigError, plait.errors.ResourceError
            As `fit`; or the features or classes are not those of before.
        """
        names = self._named(X, classes)
        entries = as_entries(X, type(self).__name__)
        labels, _ = self._classes(X, y, len(entries), names)
        if not hasattr(self, "classes_"):
            start = _core.FeatureCounts(entries.columns, len(names), values=False)
            self._take(entries.counted(start, labels))
            self._learns_of(X, entries.columns)
            self.classes_ = names
            return self
        self._fitting(entries)
        self._take(entries.counted(self._counts, labels))
        return self

    def merge(self, other: NaiveBayes) -> Self:
        """Add the counts of a model of another part of the corpus, with the same features and classes.

        Raises
        ------
        plait.errors.DataError
            A model is not trained, or has other features or classes.
        """
        same = (
            hasattr(self, "classes_")
            and hasattr(other, "classes_")
            and np.array_equal(self.classes_, other.classes_)
            and self.n_features_in_ == other.n_features_in_
            and self.vocabulary_ == other.vocabulary_
        )
        if not same:
            raise DataError("models merge when both are trained, with the same features and classes")
        self._take(self._counts.merged(other._counts))
        return self

    @property
    def feature_log_prob_(self) -> npt.NDArray[np.float64]:
        """Logarithm of each feature's probability by class, or of its posterior parameter: float64[K, features]."""
        return self._counts.logs(self._prior(), self.inference)[0].T

    @property
    def class_log_prior_(self) -> npt.NDArray[np.float64]:
        """The logarithm of the share of each class: float64[K]."""
        return self._counts.logs(self._prior(), self.inference)[1]

    def predict_joint_log_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return log p(class) + log p(x | class) without the coefficient C: float64[n, K]; see `predict_log_proba`."""
        return self._scores(X, normalized=False)

    def predict_log_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the logarithm of the posterior probability of each class: float64[n, K].

        Parameters
        ----------
        X
            `Examples`, a SciPy sparse matrix, or an array.

        Raises
        ------
        plait.errors.DataError
            The features are not those of the model, or no finite numbers; or the model is not trained.
        """
        return self._scores(X, normalized=True)

    def _scores(self, X: Any, *, normalized: bool) -> npt.NDArray[np.float64]:
        rows = self._checked(X)
        return self._counts.scores(
            rows.core,
            alpha=self._prior(),
            inference=self.inference,
            normalized=normalized,
            threads=resolve_threads(None),
        )

    def _prior(self) -> npt.NDArray[np.float64]:
        usual = _USUAL.get(self.inference)
        if usual is None:
            raise ConfigError(name="inference", expected="'map' or 'bayesian'", found=repr(self.inference))
        prior = np.atleast_1d(np.asarray(usual if self.alpha is None else self.alpha, dtype=np.float64))
        return np.ascontiguousarray(prior)

    def _take(self, counts: _core.FeatureCounts) -> None:
        # A prior out of range is told before anything changes.
        counts.check_prior(self._prior(), self.inference)
        self._counts = counts
        self.class_count_ = counts.examples
        self.feature_count_ = counts.sums

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy needs; the counts of the core do not pickle."""
        return {name: value for name, value in vars(self).items() if name != "_counts"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Make the counts of the core again."""
        vars(self).update(state)
        if "class_count_" in state:
            self._counts = _core.FeatureCounts.from_arrays(self.class_count_, self.feature_count_.reshape(-1))

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn that values are at least 0."""
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        # The checks train on points of a plane, which no bag of words tells apart.
        tags.classifier_tags.poor_score = True
        return tags
