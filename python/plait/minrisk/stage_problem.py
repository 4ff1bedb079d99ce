"""The function that an optimiser minimises in one stage of training."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from plait.errors import DataError
from plait.minrisk.journal import Journal
from plait.minrisk.penalty import L2
from plait.minrisk.schedule import Stage

if TYPE_CHECKING:
    from plait.minrisk.trainer import Development, Trainable

__all__ = ["StageProblem"]

Vector = npt.NDArray[np.float64]

EVALUATION, SCORE = 1, 2
"""What a journal is asked."""

# Objective, risk, entropy, penalty; then the gradient.
_VALUES = 4

_GAMMA_REACH = float(np.log(100.0))


class StageProblem:
    """Objective and gradient at points of free parameters, from a journal as far as that goes.

    Parameters
    ----------
    training_set, penalty
        What is evaluated.
    point : ndarray of float64, shape (features + 1,)
        Where the stage starts: weights, then ln gamma.
    is_free : ndarray of bool, shape (features + 1,)
        Which of them the optimiser may change.
    stage : Stage
    scale : float
        One over the number of forests that are not empty.
    averages : bool
        Whether risk and entropy are means over those.
    threads : int, optional
    journal : Journal, optional
    development : Development, optional
    """

    def __init__(
        self,
        training_set: Trainable,
        penalty: L2,
        point: Vector,
        is_free: npt.NDArray[np.bool_],
        *,
        stage: Stage,
        scale: float,
        averages: bool,
        threads: int | None,
        journal: Journal | None,
        development: Development | None,
    ) -> None:
        self.training_set, self.penalty, self.stage = training_set, penalty, stage
        self._point, self._is_free = point, is_free
        self._scale = scale
        # Of the sums over forests in the objective, and of the objective for the optimiser.
        self._data_scale, self._optimizer_scale = (scale, 1.0) if averages else (1.0, scale)
        self._threads, self._journal, self._development = threads, journal, development
        self._seen: dict[bytes, Vector] = {}
        self._latest = np.zeros(_VALUES)
        self.evaluations = 0

    @property
    def start(self) -> Vector:
        """Where the optimiser starts."""
        return self._point[self._is_free]

    @property
    def bounds(self) -> tuple[Vector, Vector] | None:
        """How far gamma may go in one stage: where a line search overshoots, its exponential would be beyond all."""
        if not self._is_free[-1]:
            return None
        reach = np.full(len(self._point), np.inf)
        reach[-1] = _GAMMA_REACH
        return (self._point - reach)[self._is_free], (self._point + reach)[self._is_free]

    def whole(self, point: Vector) -> Vector:
        """Return all parameters for the free ones."""
        parameters = self._point.copy()
        parameters[self._is_free] = point
        return parameters

    def gamma(self, point: Vector) -> float:
        """Return gamma, which only the optimiser has by its logarithm."""
        return float(np.exp(point[-1])) if self._is_free[-1] else self.stage.gamma

    def __call__(self, point: Vector) -> tuple[float, Vector]:
        """Return what the optimiser minimises, and its gradient."""
        answer = self._recalled(EVALUATION, point)
        if answer is None:
            answer = self._evaluate(point)
            self._record(EVALUATION, point, answer)
        self.evaluations += 1
        self._latest = self._seen[point.tobytes()] = answer[:_VALUES]
        return float(answer[0] * self._optimizer_scale), answer[_VALUES:] * self._optimizer_scale

    def score(self, point: Vector) -> float:
        """Return what development data say of a point."""
        assert self._development is not None
        answer = self._recalled(SCORE, point)
        if answer is None:
            answer = np.array([self._development.score(self.whole(point)[:-1])], np.float64)
            self._record(SCORE, point, answer)
        return float(answer[0])

    def values(self, point: Vector) -> tuple[float, float, float, float]:
        """Return risk, entropy, penalty and objective at a point."""
        if point.tobytes() not in self._seen:
            self(point)
        objective, risk, entropy, penalty = self._seen[point.tobytes()].tolist()
        return risk, entropy, penalty, objective

    def figures(self, score: float | None) -> list[tuple[str, float]]:
        """Return what to show of the latest evaluation: means over forests."""
        objective, risk, entropy, _ = self._latest.tolist()
        shown = [
            ("risk", risk * self._scale),
            ("entropy", entropy * self._scale),
            ("objective", objective * self._optimizer_scale),
        ]
        if score is None or self._development is None:
            return shown
        return [*shown, (self._development.name, score)]

    def _evaluate(self, point: Vector) -> Vector:
        """Return objective, risk, entropy, penalty and the gradient with respect to the free parameters."""
        weights, gamma = self.whole(point)[:-1], self.gamma(point)
        found = self.training_set.evaluate(
            weights, gamma=gamma, temperature=self.stage.temperature, threads=self._threads
        )
        penalty, penalty_gradient = self.penalty.evaluate(weights)
        assert found.gradient is not None
        assert found.gamma_gradient is not None
        # The derivative by ln gamma is gamma times that by gamma.
        gradient = np.append(
            found.gradient * self._data_scale + penalty_gradient, found.gamma_gradient * gamma * self._data_scale
        )
        objective = found.objective * self._data_scale + penalty
        answer = np.concatenate([[objective, found.risk, found.entropy, penalty], gradient[self._is_free]])
        if not np.isfinite(answer).all():
            raise DataError("the objective or its gradient is not finite")
        return answer

    def _recalled(self, kind: int, point: Vector) -> Vector | None:
        return None if self._journal is None else self._journal.recall(kind, point)

    def _record(self, kind: int, point: Vector, answer: Vector) -> None:
        if self._journal is not None:
            self._journal.record(kind, point, answer)
