"""Multinomial logistic regression in its dual."""

from __future__ import annotations

import warnings
from typing import Any, Literal, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from plait import _core
from plait.errors import ConvergenceWarning
from plait.progress import Callback
from plait.reorder.classifier import Labelled
from plait.reorder.linear import Linear

__all__ = ["Check", "DualLogistic"]


class Check(NamedTuple):
    """A look at all examples during training.

    Attributes
    ----------
    iteration
        After so many passes.
    primal, dual
        P (eq. 6) and D (eq. 9), in nats; at the optimum D = -P.
    violators
        Examples whose violation of the optimality condition (eq. 16) is above epsilon, active or not.
    violation
        The largest violation, in log-odds.
    """

    iteration: int
    primal: float
    dual: float
    violators: int
    violation: float

    @property
    def gap(self) -> float:
        """The relative duality gap, ``(P + D) / |P|``."""
        return (self.primal + self.dual) / abs(self.primal) if self.primal else 0.0


class DualLogistic(Linear):
    r"""Multinomial logistic regression, trained in the dual by shrinking exponentiated gradient.

    Minimises :math:`\frac{1}{2\sigma^2} \sum_k |w_k|^2 - \sum_i \log p(y_i \mid x_i)`, the true multinomial loss for
    any number of classes. Examples whose dual variables are optimal up to ``epsilon`` leave the active set, and come
    back until the duality gap is closed.

    Parameters
    ----------
    sigma2
        The variance of the Gaussian prior on weights; ``C`` of scikit-learn.
    epsilon
        An example leaves the active set when it violates optimality by at most this, in log-odds.
    shrink
        Whether examples leave the active set at all.
    unshrink
        Whether they come back. Without it this is the paper's Algorithm 1, which stops when the active set is empty,
        with a large ``epsilon`` far from the optimum.
    tol
        The relative duality gap at which training ends.
    max_iter
        The most passes over the active set.
    max_trial
        The most step sizes that are tried for one example.
    start
        What the true class lacks to probability 1 at the start (eq. 15); None for min(0.001, 1 / n).
    method
        How an example is moved: by one exponentiated gradient step ("eg", as in the paper) or to its optimum with all
        others fixed, by Newton's method ("block").
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
    active_ : uint64[passes]
        Examples in the active set before each pass (Figure 1).
    checks_ : list of Check
        Looks at all examples, the last one at the end.
    gap_ : float
        The relative duality gap at the end: the objective is at most this share above its minimum.
    objective_ : float
        P at the end, in nats.
    converged_ : bool
        Whether ``tol`` was reached.

    Notes
    -----
    A pass takes about 0.15 µs a class and example of four features; 15 passes or fewer close the gap to 0.001 with
    ``sigma2`` of 0.1. Memory: the examples twice, and 16 K bytes each. The result depends on the seed, and on no
    number of threads.

    References
    ----------
    Alrajeh and Niranjan (2014), EMNLP, Algorithm 1; Collins et al. (2008), Exponentiated gradient algorithms for
    conditional random fields. JMLR 9.

    Examples
    --------
    >>> from plait.reorder import DualLogistic
    >>> model = DualLogistic(sigma2=10.0).fit([[1, 0], [1, 0], [0, 1], [0, 2]], ["mono", "mono", "swap", "swap"])
    >>> model.predict([[1, 0], [0, 1]])
    array(['mono', 'swap'], dtype='<U4')
    >>> model.gap_ <= model.tol
    True
    """

    def __init__(
        self,
        sigma2: float = 0.1,
        *,
        epsilon: float = 0.1,
        shrink: bool = True,
        unshrink: bool = True,
        tol: float = 1e-3,
        max_iter: int = 100,
        max_trial: int = 12,
        start: float | None = None,
        method: Literal["eg", "block"] = "eg",
        fit_intercept: bool = True,
        seed: int = 1,
    ) -> None:
        super().__init__(sigma2, fit_intercept=fit_intercept, seed=seed)
        self.epsilon = epsilon
        self.shrink = shrink
        self.unshrink = unshrink
        self.tol = tol
        self.max_iter = max_iter
        self.max_trial = max_trial
        self.start = start
        self.method = method

    def fit(self, X: Any, y: Any = None, *, progress: Callback | None = None) -> Self:
        """Train on examples.

        Parameters
        ----------
        X
            `Examples`, a SciPy sparse matrix, or an array: [n, features].
        y
            The class of each example; left out for `Examples`, which have them.
        progress
            Hears of each pass, with the share of active examples and the duality gap.

        Returns
        -------
        DualLogistic
            The model itself.

        Raises
        ------
        plait.errors.DataError
            X or y is no data for a classifier, or has fewer than two classes.
        plait.errors.ConfigError
            A parameter is out of range.
        KeyboardInterrupt
            Ctrl-C, within a second.

        Warns
        -----
        plait.errors.ConvergenceWarning
            The gap is above ``tol`` at the end; the message says how large it is.
        """
        data = self._labelled(X, y)
        self._train(data, progress)
        self._learns_of(X, data.rows.columns)
        return self

    def _train(
        self,
        data: Labelled,
        progress: Callback | None,
        further: tuple[npt.NDArray[np.uint32], int] | None = None,
    ) -> None:
        """Train on checked examples, and warn of a gap.

        ``further`` are more features of each example, [n, m], and how many different ones there could be.
        """
        found = _core.train_dual(
            data.rows.core,
            data.labels,
            len(data.classes),
            sigma2=self.sigma2,
            epsilon=self.epsilon,
            shrink=self.shrink,
            unshrink=self.unshrink,
            tolerance=self.tol,
            passes=self.max_iter,
            trials=self.max_trial,
            start=self.start,
            method=self.method,
            bias=self.fit_intercept,
            seed=self.seed,
            further=further,
            progress=progress,
        )
        self.classes_ = data.classes
        self.weights_ = found["weights"]
        self.active_: npt.NDArray[np.uint64] = np.array(found["active"], dtype=np.uint64)
        self.n_iter_ = len(self.active_)
        self.checks_ = [Check(*check) for check in found["checks"]]
        self.objective_, self.gap_ = self.checks_[-1].primal, self.checks_[-1].gap
        self.converged_: bool = found["has_converged"]
        if not self.converged_:
            warnings.warn(
                f"training ended after {self.n_iter_} passes with a relative duality gap of {self.gap_:.2g}, above "
                f"tol = {self.tol:g}; {self._advice()}",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _advice(self) -> str:
        if self.shrink and not self.unshrink:
            return "a smaller epsilon or unshrink=True brings it down"
        other = "" if self.method == "block" else ", method='block'"
        return f"raise max_iter, lower sigma2{other}, or accept a larger tol"
