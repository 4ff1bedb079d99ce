"""Weights of systems by likelihood: the mixture that makes right targets most probable."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

__all__ = ["PSEUDO_WORDS", "mixture"]

PSEUDO_WORDS = 10.0
"""What each system is credited with before any word is seen."""

_TOLERANCE = 1e-10
_MOST_STEPS = 10_000


def mixture(
    right: npt.NDArray[np.float64], pseudo_words: float = PSEUDO_WORDS
) -> tuple[npt.NDArray[np.float64], float]:
    r"""Return the weights of a mixture that are most probable after right targets were seen.

    .. math:: \lambda = \arg\max_\lambda \sum_w \ln \sum_i \lambda_i P_i(T_w \mid S_w) + c \sum_i \ln \lambda_i

    Parameters
    ----------
    right : float64[words, systems]
        The probability that each system gives the right targets of each word.
    pseudo_words
        c, above 0: a symmetric Dirichlet prior. With few words it keeps weights near each other, where the share of
        right words would jump to the weights that happen to suit a handful of them.

    Returns
    -------
    float64[systems], float
        The weights, which sum to 1, and the mean natural logarithm of the probability of right targets, over words for
        which some system gives them any; minus infinity if there is none.

    Notes
    -----
    The objective is concave; expectation maximisation (Dempster, Laird and Rubin 1977) ends at its only maximum.
    O(words systems) for each step.
    """
    systems = right.shape[1]
    weights = np.full(systems, 1 / systems)
    rows = right[right.sum(axis=1) > 0]
    if not len(rows):
        return weights, -math.inf
    for _ in range(_MOST_STEPS):
        shares = rows * weights
        counts = (shares / shares.sum(axis=1, keepdims=True)).sum(axis=0) + pseudo_words
        former, weights = weights, counts / counts.sum()
        if float(np.abs(weights - former).max()) < _TOLERANCE:
            break
    return weights, float(np.log(rows @ weights).mean())
