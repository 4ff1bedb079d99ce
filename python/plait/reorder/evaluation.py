"""How good a classifier is on held-out examples."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.errors import DataError
from plait.reorder.classifier import Classifier
from plait.reorder.examples import Examples

__all__ = ["Comparison", "Evaluation", "compare", "evaluate"]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What a classifier does on examples.

    Attributes
    ----------
    classes
        The classes of the model.
    confusion : int64[K, K]
        Examples by true class (row) and most probable class (column).
    log_loss
        The mean of -log p(true class), in nats; infinite when a true class had probability 0.
    """

    classes: tuple[str, ...]
    confusion: npt.NDArray[np.int64]
    log_loss: float

    @property
    def examples(self) -> int:
        """Number of examples."""
        return int(self.confusion.sum())

    @property
    def error_rate(self) -> float:
        """Share of examples whose most probable class is not the true one."""
        return 1 - float(np.trace(self.confusion)) / self.examples

    @property
    def majority_error(self) -> float:
        """The error rate of always saying the most frequent class of these examples."""
        return 1 - float(self.confusion.sum(axis=1).max()) / self.examples

    @property
    def recall(self) -> npt.NDArray[np.float64]:
        """Share of the examples of each class that were found; NaN for a class without one."""
        totals = self.confusion.sum(axis=1)
        none = np.full(len(totals), np.nan)
        shares: npt.NDArray[np.float64] = np.divide(np.diag(self.confusion), totals, out=none, where=totals > 0)
        return shares

    def to_dict(self) -> dict[str, Any]:
        """Return all figures as values of JSON; what is infinite or not a number is None."""
        recall = {name: _finite(value) for name, value in zip(self.classes, self.recall.tolist(), strict=True)}
        return {
            "examples": self.examples,
            "error_rate": self.error_rate,
            "majority_error": self.majority_error,
            "log_loss": _finite(self.log_loss),
            "classes": list(self.classes),
            "confusion": self.confusion.tolist(),
            "recall": recall,
        }


@dataclass(frozen=True)
class Comparison:
    """Two classifiers on the same examples.

    Attributes
    ----------
    first_only, second_only
        Examples that only one of them got right.
    p_value
        Of McNemar's exact test: how likely as large a difference is when both are equally good and examples are
        independent. Phrase pairs of one sentence are not, so the true value is larger.
    """

    first_only: int
    second_only: int
    p_value: float


def evaluate(model: Classifier, X: Any, y: Any = None) -> Evaluation:
    """Return what a trained classifier does on examples.

    Parameters
    ----------
    model
        The classifier.
    X, y
        As for `Classifier.predict_log_proba`; y is left out for `Examples`, which have it.

    Raises
    ------
    plait.errors.DataError
        An example has no class, or one that the model does not know; otherwise as `Classifier.predict_log_proba`.

    Examples
    --------
    >>> from plait.reorder import NaiveBayes, evaluate
    >>> model = NaiveBayes().fit([[1, 0], [0, 1]], ["mono", "swap"])
    >>> evaluate(model, [[1, 0], [1, 0]], ["mono", "swap"]).confusion
    array([[1, 0],
           [1, 0]])
    """
    labels = _truth(model, X, y)
    logs = model.predict_log_proba(X)
    k = len(model.classes_)
    cells = labels * k + logs.argmax(axis=1)
    confusion = np.bincount(cells, minlength=k * k).reshape(k, k)
    loss = -logs[np.arange(len(labels)), labels].mean()
    return Evaluation(tuple(map(str, model.classes_.tolist())), confusion, float(loss))


def compare(first: Classifier, second: Classifier, X: Any, second_X: Any = None, *, y: Any = None) -> Comparison:
    """Return whether two classifiers differ on the same examples.

    Parameters
    ----------
    first, second
        The classifiers.
    X, y
        The examples, as for `evaluate`.
    second_X
        The same examples with the features of the second one, when they are others.

    Raises
    ------
    plait.errors.DataError
        As `evaluate`; or the numbers of examples differ.
    """
    other = X if second_X is None else second_X
    truth = [_truth(model, data, y) for model, data in ((first, X), (second, other))]
    if len(truth[0]) != len(truth[1]):
        raise DataError(f"there are {len(truth[0])} examples for one model and {len(truth[1])} for the other")
    right = [
        model.predict_log_proba(data).argmax(axis=1) == labels
        for model, data, labels in zip((first, second), (X, other), truth, strict=True)
    ]
    first_only, second_only = int((right[0] & ~right[1]).sum()), int((right[1] & ~right[0]).sum())
    return Comparison(first_only, second_only, _sign_test(first_only, second_only))


def _truth(model: Classifier, X: Any, y: Any) -> npt.NDArray[np.int64]:
    """Return the true classes as indices of the model's."""
    if not hasattr(model, "classes_"):
        raise DataError("the model is not trained yet; call fit first")
    names = X.y if y is None and isinstance(X, Examples) else np.asarray(y)
    if y is None and not isinstance(X, Examples):
        raise DataError("evaluation needs the true classes, y")
    place = {name: n for n, name in enumerate(model.classes_.tolist())}
    unknown = [name for name in np.unique(names).tolist() if name not in place]
    if unknown:
        raise DataError(f"the class {unknown[0]!r} is none of the model's, which are {', '.join(map(str, place))}")
    labels = np.fromiter((place[name] for name in names.tolist()), dtype=np.int64, count=len(names))
    if not len(labels):
        raise DataError("evaluation needs examples; found none")
    return labels


def _sign_test(a: int, b: int) -> float:
    """Return the two-sided probability of a split as uneven as a : b, or more, by tossing a coin a + b times."""
    n, most = a + b, max(a, b)
    if a == b:
        return 1.0
    logs = -n * math.log(2) + math.lgamma(n + 1)
    tail = (math.exp(logs - math.lgamma(j + 1) - math.lgamma(n - j + 1)) for j in range(most, n + 1))
    return min(1.0, 2 * math.fsum(tail))


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
