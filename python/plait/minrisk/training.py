"""What training has found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["StageResult", "Training"]


@dataclass(frozen=True)
class StageResult:
    """Where a stage of training ended; frozen.

    Attributes
    ----------
    temperature, gamma : float
        T, and the sharpness at the end of the stage.
    iterations, evaluations : int
        Steps of the optimiser, and evaluations of the training set.
    is_converged : bool
        Whether the optimiser stopped of its own accord; in stages of annealing a limit of iterations is usual.
    risk, entropy : float
        Sums over the forests; entropy in nats.
    penalty : float
        That on the weights.
    objective : float
        ``risk - temperature * entropy + penalty``, or with the mean over forests where training averages.
    score : float or None
        That of the development data with the weights at the end of the stage.
    """

    temperature: float
    gamma: float
    iterations: int
    evaluations: int
    is_converged: bool
    risk: float
    entropy: float
    penalty: float
    objective: float
    score: float | None


@dataclass(frozen=True, eq=False)
class Training:
    """Trained weights and how they came about; frozen.

    Attributes
    ----------
    weights : ndarray of float64, shape (features,)
    gamma : float
        The sharpness that belongs to them: p(d) is in proportion to exp(gamma score(d)). The best derivation does not
        depend on it.
    feature_names : tuple of str
    history : tuple of StageResult
        A result for each stage.
    score : float or None
        That of the development data with these weights.
    forests, empty : int
        The number of forests, and of those among them without a derivation, which add nothing.
    """

    weights: npt.NDArray[np.float64]
    gamma: float
    feature_names: tuple[str, ...]
    history: tuple[StageResult, ...]
    score: float | None
    forests: int
    empty: int

    def as_mapping(self) -> dict[str, float]:
        """Return the weight of each feature by its name, in the order of features."""
        return dict(zip(self.feature_names, self.weights.tolist(), strict=True))
