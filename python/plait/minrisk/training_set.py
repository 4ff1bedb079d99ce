"""Many forests to train on, in memory or in a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from types import TracebackType
from typing import Self

import numpy as np
import numpy.typing as npt

from plait.errors import ConfigError, DataError
from plait.hypergraph import Distribution
from plait.io.streams import Path
from plait.minrisk.evaluation import Evaluation
from plait.minrisk.risk_forest import RiskForest
from plait.progress import Callback

__all__ = ["TrainingSet"]


class TrainingSet:
    """Forests that are evaluated together, again and again, at different weights; frozen."""

    def __init__(self, forests: Sequence[RiskForest], feature_names: tuple[str, ...]) -> None:
        self._forests = forests
        self.feature_names = feature_names

    @classmethod
    def build(
        cls,
        forests: Iterable[RiskForest],
        feature_names: Sequence[str] | None = None,
        *,
        path: Path | None = None,
        force: bool = False,
        progress: Callback | None = None,
    ) -> Self:
        """Make a training set of forests.

        Parameters
        ----------
        forests : iterable of RiskForest
            Gone through once; with a path, no more than a block of them is kept in memory.
        feature_names : sequence of str, optional
            Looked at after the last forest: a list may grow while the forests are made. By default the longest
            ``features.names`` of a forest, of which those of the others must be a beginning.
        path : path, optional
            A file to keep the forests in; in memory without it.
        force : bool
            Whether a file that exists may be replaced.
        progress : callable, optional
            Called as ``progress("building", forests, 0, ())``.
        """
        found = list(forests)
        names = tuple(feature_names) if feature_names is not None else ()
        if feature_names is None:
            for forest in found:
                if len(forest.features.names) > len(names):
                    names = tuple(forest.features.names)
        return cls(found, names)

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open a file that `build` has made."""
        raise NotImplementedError(path)

    def __len__(self) -> int:
        return len(self._forests)

    def __iter__(self) -> Iterator[RiskForest]:
        return iter(self._forests)

    def close(self) -> None:
        """Close the file, if there is one."""

    def __enter__(self) -> Self:
        """Return the training set itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file, if there is one."""
        self.close()

    def evaluate(
        self,
        weights: npt.ArrayLike,
        *,
        gamma: float = 1.0,
        temperature: float = 0.0,
        threads: int | None = None,
        gradient: bool = True,
        separate: bool = False,
        progress: Callback | None = None,
    ) -> Evaluation:
        """Return risk, entropy and their gradients at some weights.

        Parameters
        ----------
        weights : array_like of float64, shape (features,)
        gamma : float
            The scale of scores.
        temperature : float
            T: how much entropy counts.
        threads : int, optional
            All CPUs by default. No bit of the result depends on it.
        gradient : bool
            Whether gradients are wanted.
        separate : bool
            Whether those of risk and entropy are wanted, each for itself.
        progress : callable, optional
            Called as ``progress("evaluating", forests, all, ())``.
        """
        theta = np.asarray(weights, np.float64)
        if theta.shape != (len(self.feature_names),):
            raise ConfigError(
                name="weights", expected=f"one for each of {len(self.feature_names)} features", found=theta.shape
            )
        risk = entropy = expected = 0.0
        empty = 0
        gammas = np.zeros(2)
        gradients = np.zeros((2, len(theta)))
        for n, forest in enumerate(self._forests):
            scores = np.zeros(forest.graph.edges) if forest.base is None else forest.base.copy()
            rows = np.repeat(np.arange(forest.graph.edges), np.diff(forest.features.starts).astype(np.int64))
            np.add.at(scores, rows, forest.features.values * theta[forest.features.ids])
            try:
                p = Distribution(forest.graph, gamma * scores)
            except DataError as problem:
                raise DataError(f"forest {n}: {problem}") from problem
            if p.log_z == -np.inf:
                empty += 1
                continue
            risk += p.expectation(forest.losses)
            entropy += p.entropy
            expected += p.expectation(scores)
            if gradient:
                for k, values in enumerate((forest.losses, p.surprisals())):
                    factors = p.edge_posteriors * p.deviations(values)
                    gammas[k] += factors @ scores
                    np.add.at(gradients[k], forest.features.ids, gamma * factors[rows] * forest.features.values)
        split = gradient and separate
        return Evaluation(
            gamma=gamma,
            temperature=temperature,
            forests=len(self._forests),
            empty=empty,
            risk=risk,
            entropy=entropy,
            expected_score=expected,
            objective=risk - temperature * entropy,
            gradient=gradients[0] - temperature * gradients[1] if gradient else None,
            gamma_gradient=float(gammas[0] - temperature * gammas[1]) if gradient else None,
            risk_gradient=gradients[0] if split else None,
            entropy_gradient=gradients[1] if split else None,
            risk_gamma_gradient=float(gammas[0]) if split else None,
            entropy_gamma_gradient=float(gammas[1]) if split else None,
        )
