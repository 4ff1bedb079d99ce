"""Mutual information of features and classes, and selection by it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from plait.errors import ConfigError
from plait.reorder.classifier import Classifier

__all__ = ["mutual_information", "selected"]


def mutual_information(X: Any, y: Any = None, *, normalized: bool = False) -> npt.NDArray[np.float64]:
    """Return how much each feature says about the class, in nats: float64[features].

    Parameters
    ----------
    X
        `Examples`, `ExampleCounts` with values, a SciPy sparse matrix, or an array of values of at least 0: [n,
        features].
    y
        The class of each example; left out for `Examples` and their counts, which have them.
    normalized
        Divide by the smaller of the two entropies, H(feature) and H(class) (eq. 16), 0 where that is 0. This rates rare
        features high, for their entropy is small.

    Raises
    ------
    plait.errors.DataError
        X or y is no data for a classifier, a value is negative, or there are fewer than two classes.

    Notes
    -----
    A feature's values are what it has in the examples, 0 among them (eq. 15). Only entries are counted: time is
    linear in them.

    Examples
    --------
    >>> from plait.reorder import mutual_information
    >>> mutual_information([[1, 1], [1, 0], [0, 1], [0, 0]], [0, 0, 1, 1]).round(3)
    array([0.693, 0.   ])
    """
    counts, _ = Classifier()._counted(X, y, values=True)
    mutual, entropies, class_entropy = counts.information()
    if not normalized:
        return mutual
    least = np.minimum(entropies, class_entropy)
    return np.divide(mutual, least, out=np.zeros_like(mutual), where=least > 0)


def selected(
    information: npt.NDArray[np.float64], *, threshold: float | None = None, share: float | None = None
) -> npt.NDArray[np.intp]:
    """Return the features to keep, rising, for `Examples.select`.

    Parameters
    ----------
    information
        From `mutual_information`.
    threshold
        Keep those with at least so much.
    share
        Keep this share of them, those with the most (ties: the first), rounded up. Give one of the two.

    Raises
    ------
    plait.errors.ConfigError
        Not one of ``threshold`` and ``share`` is given, or the share is not above 0 and at most 1.

    Examples
    --------
    >>> import numpy as np
    >>> from plait.reorder import selected
    >>> selected(np.array([0.1, 0.3, 0.2, 0.2]), share=0.5)
    array([1, 2])
    """
    if (threshold is None) == (share is None):
        raise ConfigError("features are selected by a threshold or by a share; give one of the two")
    if threshold is not None:
        return np.flatnonzero(information >= threshold)
    assert share is not None
    if not 0 < share <= 1:
        raise ConfigError(name="share", expected="above 0 and at most 1", found=share)
    count = int(np.ceil(share * len(information)))
    return np.sort(np.argsort(-information, kind="stable")[:count])
