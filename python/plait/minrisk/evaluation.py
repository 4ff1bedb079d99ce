"""What one evaluation of a training set finds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["Evaluation"]

Vector = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Risk, entropy and gradients at some weights, each summed over the forests; frozen.

    Attributes
    ----------
    gamma, temperature : float
        Where they were evaluated: the scale of scores and T.
    forests : int
        The number of forests, empty ones among them.
    empty : int
        The number of forests without a derivation: they add nothing to any sum.
    risk : float
        The sum of R = E[loss] (eq. 9).
    entropy : float
        The sum of H, in nats (eq. 5).
    expected_score : float
        The sum of E[score], without gamma.
    objective : float
        R - T H (eq. 14).
    gradient : ndarray of float64, shape (features,), or None
        Of the objective with respect to the weights; None where no gradient was asked for.
    gamma_gradient : float or None
        The derivative of the objective by gamma.
    risk_gradient, entropy_gradient : ndarray of float64, shape (features,), or None
        Those of R (eq. 11) and H (eq. 10); None unless asked for with ``separate``.
    risk_gamma_gradient, entropy_gamma_gradient : float or None
        The derivatives of R and H by gamma, likewise.
    """

    gamma: float
    temperature: float
    forests: int
    empty: int
    risk: float
    entropy: float
    expected_score: float
    objective: float
    gradient: Vector | None = None
    gamma_gradient: float | None = None
    risk_gradient: Vector | None = None
    entropy_gradient: Vector | None = None
    risk_gamma_gradient: float | None = None
    entropy_gamma_gradient: float | None = None
