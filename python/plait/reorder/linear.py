"""What the two logistic regressions have in common."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from plait import _core
from plait.reorder.classifier import Classifier
from plait.reorder.rows import Rows
from plait.threads import resolve_threads

__all__ = ["Linear"]


class Linear(Classifier):
    """A linear model with one vector of weights for each class; base class.

    Parameters
    ----------
    sigma2
        The variance of the Gaussian prior on weights; ``C`` of scikit-learn.
    fit_intercept
        Whether there is a constant feature; its weights are regularised like others.
    seed
        Of the order in which examples are visited.

    Attributes
    ----------
    weights_ : float64[features (+ 1), K]
        The weight of each feature and class; those of the constant feature last.
    """

    weights_: npt.NDArray[np.float64]

    def __init__(self, sigma2: float, *, fit_intercept: bool, seed: int) -> None:
        self.sigma2 = sigma2
        self.fit_intercept = fit_intercept
        self.seed = seed

    @property
    def coef_(self) -> npt.NDArray[np.float64]:
        """The weight of each class and feature: float64[K, features]."""
        return self.weights_[: self.n_features_in_].T

    @property
    def intercept_(self) -> npt.NDArray[np.float64]:
        """The weight of the constant feature for each class, 0 without one: float64[K]."""
        return self.weights_[self.n_features_in_] if self._has_bias else np.zeros(len(self.classes_))

    def decision_function(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the score of each class: float64[n, K]; with two classes, how much that of the second is higher."""
        scores = self._scores(X, normalized=False)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def predict_log_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the logarithm of the probability of each class (eq. 5): float64[n, K].

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

    def _decide(self, X: Any) -> npt.NDArray[np.float64]:
        return self._scores(X, normalized=False)

    @property
    def _has_bias(self) -> bool:
        return len(self.weights_) > self.n_features_in_

    def _scores(self, X: Any, *, normalized: bool) -> npt.NDArray[np.float64]:
        return self._scores_of(self._checked(X), self.weights_, normalized=normalized)

    def _scores_of(self, rows: Rows, weights: npt.NDArray[np.float64], *, normalized: bool) -> npt.NDArray[np.float64]:
        return _core.linear_scores(
            rows.core,
            weights.reshape(-1),
            len(self.classes_),
            bias=self._has_bias,
            normalized=normalized,
            threads=resolve_threads(None),
        )
