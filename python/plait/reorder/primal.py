"""Multinomial logistic regression by stochastic gradient descent."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from plait import _core
from plait.progress import Callback
from plait.reorder.classifier import Labelled
from plait.reorder.linear import Linear

__all__ = ["PrimalLogistic"]


class PrimalLogistic(Linear):
    r"""Multinomial logistic regression by stochastic gradient descent on the primal.

    The objective of `DualLogistic`, by the paper's baseline (eq. 7 and 8): the truly multinomial loss, one example
    after the other in random order. The learning rate falls as ``rate / (1 + rate t / (sigma2 n))`` after ``t``
    examples.

    Parameters
    ----------
    sigma2
        The variance of the Gaussian prior on weights; ``C`` of scikit-learn.
    rate
        The first learning rate.
    max_iter
        Passes over the examples.
    fit_intercept
        Whether there is a constant feature; its weights are regularised like others.
    seed
        Of the order in which examples are visited.

    Attributes
    ----------
    classes_, n_features_in_, vocabulary_, weights_, coef_, intercept_
        See the base classes.
    n_iter_ : int
        Passes that were made.
    losses_ : list of float
        The mean loss of each pass in nats, each example rated just before it was learned from.

    Notes
    -----
    A pass takes about 0.1 µs an example of four features; there is no test of convergence, see `DualLogistic` for one.

    References
    ----------
    Alrajeh and Niranjan (2014), EMNLP; Bottou (2010), Large-scale machine learning with stochastic gradient descent.

    Examples
    --------
    >>> from plait.reorder import PrimalLogistic
    >>> model = PrimalLogistic(sigma2=10.0, max_iter=50).fit([[1, 0], [1, 0], [0, 1], [0, 2]], [0, 0, 1, 1])
    >>> model.predict([[1, 0], [0, 1]])
    array([0, 1])
    """

    losses_: list[float]

    def __init__(
        self,
        sigma2: float = 0.1,
        *,
        rate: float = 0.1,
        max_iter: int = 10,
        fit_intercept: bool = True,
        seed: int = 1,
    ) -> None:
        super().__init__(sigma2, fit_intercept=fit_intercept, seed=seed)
        self.rate = rate
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any = None, *, progress: Callback | None = None) -> Self:
        """Train on examples, from zero; parameters and errors are those of `DualLogistic.fit`."""
        data = self._labelled(X, y)
        self._learns_of(X, data.rows.columns)
        self.classes_ = data.classes
        self._examples = len(data.labels)
        self._descend(data, None, 0, self.max_iter, progress)
        return self

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None) -> Self:
        """Go on with training on more examples, one pass over them.

        Parameters
        ----------
        X, y
            As for `DualLogistic.fit`.
        classes
            All classes there are; needed in the first call, unless X is `Examples`.

        Raises
        ------
        plait.errors.DataError
            As `fit`; or the features or classes are not those of before.
        """
        names = self._named(X, classes)
        data = self._labelled(X, y, names)
        if not hasattr(self, "classes_"):
            self._learns_of(X, data.rows.columns)
            self.classes_ = names
            self._examples = len(data.labels)
            self._descend(data, None, 0, 1, None)
            return self
        self._fitting(data.rows)
        self._examples += len(data.labels)
        self._descend(data, self.weights_.reshape(-1), self._seen, 1, None)
        return self

    def _descend(
        self,
        data: Labelled,
        weights: npt.NDArray[np.float64] | None,
        seen: int,
        epochs: int,
        progress: Callback | None,
    ) -> None:
        self.weights_, self._seen, losses = _core.train_primal(
            data.rows.core,
            data.labels,
            len(data.classes),
            weights,
            seen=seen,
            total=self._examples,
            sigma2=self.sigma2,
            rate=self.rate,
            epochs=epochs,
            bias=self.fit_intercept,
            seed=self.seed,
            progress=progress,
        )
        self.losses_ = losses if weights is None else [*self.losses_, *losses]
        self.n_iter_ = len(self.losses_)
