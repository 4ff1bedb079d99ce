"""Training of feature weights: minimum risk, with or without deterministic annealing."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from plait.errors import ConfigError, DataError
from plait.io.streams import Path
from plait.minrisk.checkpoint import Checkpoint, State
from plait.minrisk.evaluation import Evaluation
from plait.minrisk.optimizers import LBFGSB, Optimizer
from plait.minrisk.penalty import L2
from plait.minrisk.schedule import Schedule
from plait.minrisk.stage_problem import StageProblem
from plait.minrisk.training import StageResult, Training
from plait.minrisk.weights_files import match_weights
from plait.progress import Callback

__all__ = ["Development", "Trainable", "train"]

Vector = npt.NDArray[np.float64]


class Trainable(Protocol):
    """What can be trained on: `plait.minrisk.TrainingSet`, or anything that evaluates as it does."""

    @property
    def feature_names(self) -> Sequence[str]:
        """The name of each feature."""

    def evaluate(self, weights: Vector, *, gamma: float, temperature: float, threads: int | None) -> Evaluation:
        """Return risk, entropy and the gradients of the objective; the same bits for the same arguments."""


class Development(Protocol):
    """Held-out data that weights are judged by, such as `plait.minrisk.BestTranslations`."""

    @property
    def name(self) -> str:
        """What scores are called in reports of progress."""

    def score(self, weights: Vector) -> float:
        """Return how good the weights are; more is better."""


def train(
    training_set: Trainable,
    weights: Mapping[str, float] | npt.ArrayLike | None = None,
    *,
    schedule: Schedule | None = None,
    optimizer: Optimizer | None = None,
    l2: L2 | float = 0.0,
    frozen: Collection[str] = (),
    trains_gamma: bool = False,
    averages: bool = False,
    development: Development | None = None,
    selection: Literal["last", "best"] = "last",
    checkpoint: Path | None = None,
    threads: int | None = None,
    progress: Callback | None = None,
) -> Training:
    r"""Minimise R - T H over forests, plus a penalty on the weights, in the stages of a schedule.

    Parameters
    ----------
    training_set : TrainingSet
        Forests with losses.
    weights : mapping of str to float, or array_like of float64, shape (features,), optional
        Where training starts; 0 for features that a mapping lacks, and without it for all.
    schedule : Schedule, optional
        By default one stage, T = 0 and gamma = 1: minimum risk without annealing.
    optimizer : Optimizer, optional
        `LBFGSB` by default.
    l2 : L2 or float
        The penalty, or its strength for all features.
    frozen : collection of str
        Features whose weights stay as they are.
    trains_gamma : bool
        Whether gamma is a parameter, too; it starts from that of the first stage, and those of others do not matter.
        In one stage it changes by a factor of 100 at most.
    averages : bool
        Whether risk and entropy are means over forests, against which the penalty then counts; sums by default.
    development : Development, optional
        Judges the weights after each stage.
    selection : {"last", "best"}
        With "best", weights are judged after each iteration, and the best are returned: of equals, the first. Those
        where training starts count among them.
    checkpoint : path, optional
        A file that keeps the state of training. Where it exists, training goes on from it, and ends with the same bits
        as if it had not been interrupted.
    threads : int, optional
        All CPUs by default. No bit of the result depends on it.
    progress : callable, optional
        Called as ``progress("stage 2/14", iterations, most iterations, figures)``, with the figures risk, entropy
        (means over forests), objective and, where it is known, the score under its name.

    Returns
    -------
    Training

    Raises
    ------
    plait.errors.ConfigError
        An option has a value that is none; SciPy is not there; the checkpoint is that of another run.
    plait.errors.DataError
        Every forest is empty; scores have grown beyond what can be computed.
    plait.errors.ModelFileError
        The checkpoint is damaged.

    Notes
    -----
    Equation 14 of Li and Eisner (2009), with the gradients of its footnote 16. Gamma only scales scores: where all
    weights are free, there is no penalty and forests have no base score, training it changes nothing but the way of the
    optimiser, since gamma times the weights is all that counts. It is of use with frozen weights or a base score. With
    a penalty that draws weights to 0 it is refused: a larger gamma with smaller weights would evade the penalty.

    What the optimiser minimises is divided by the number of forests, so that its tolerances do not depend on that.

    Each evaluation is O(edges + features of edges) time; memory is that of the training set, and of the optimiser.

    References
    ----------
    Smith and Eisner (2006), Minimum Risk Annealing for Training Log-Linear Models.

    Examples
    --------
    Of two derivations, the second has no loss and one feature more:

    >>> import numpy as np
    >>> from plait.hypergraph import Hypergraph, SparseFeatures
    >>> from plait.minrisk import RiskForest, TrainingSet, train
    >>> graph = Hypergraph.from_edges([(0, []), (0, [])])
    >>> features = SparseFeatures(np.array([0, 0, 1], np.uint64), np.array([0], np.uint32), np.ones(1), ("good",))
    >>> forests = TrainingSet.build([RiskForest(graph, features, losses=np.array([1.0, 0.0]))])
    >>> found = train(forests, l2=0.01)
    >>> found.as_mapping()["good"] > 3, found.history[0].risk < 0.05
    (True, True)
    """
    run = _Run(
        training_set,
        weights,
        schedule=schedule or Schedule.minimum_risk(),
        optimizer=optimizer or LBFGSB(),
        penalty=l2 if isinstance(l2, L2) else L2(l2),
        frozen=frozen,
        trains_gamma=trains_gamma,
        averages=averages,
        development=development,
        selection=selection,
        threads=threads,
        progress=progress,
    )
    return run.finish(None if checkpoint is None else Checkpoint(checkpoint, run.identity))


class _Run:
    """One call of `train`."""

    def __init__(
        self,
        training_set: Trainable,
        weights: Mapping[str, float] | npt.ArrayLike | None,
        *,
        schedule: Schedule,
        optimizer: Optimizer,
        penalty: L2,
        frozen: Collection[str],
        trains_gamma: bool,
        averages: bool,
        development: Development | None,
        selection: str,
        threads: int | None,
        progress: Callback | None,
    ) -> None:
        if selection not in ("last", "best"):
            raise ConfigError(name="selection", expected="last or best", found=repr(selection))
        if selection == "best" and development is None:
            raise ConfigError(
                "the best weights are those that development data say; give development, or take the last"
            )
        self.names = tuple(training_set.feature_names)
        start = _start(weights, self.names)
        first = training_set.evaluate(start, gamma=1.0, temperature=1.0, threads=threads)
        self.forests, self.empty = first.forests, first.empty
        if first.forests == first.empty:
            raise DataError(
                f"there is nothing to train on: of {first.forests} forests, none has a derivation; "
                "check how they were made"
            )
        is_free = np.append(_free(self.names, frozen), trains_gamma)
        _check_gamma(trains_gamma, penalty, start[~is_free[:-1]])
        self.training_set, self.schedule, self.optimizer, self.penalty = training_set, schedule, optimizer, penalty
        self.is_free, self.averages, self.trains_gamma = is_free, averages, trains_gamma
        self.development, self.selects_best = development, selection == "best"
        self.threads, self.progress = threads, progress
        self.start = np.append(start, np.log(schedule.stages[0].gamma))
        self.identity = self._identity(first)

    def _identity(self, first: Evaluation) -> dict[str, Any]:
        """Return what makes another run another one, as values of JSON."""
        numbers = np.array([first.forests, first.empty, first.risk, first.entropy], np.float64)
        gradient = np.empty(0) if first.gradient is None else first.gradient
        strength, center = (np.asarray(part, np.float64) for part in (self.penalty.strength, self.penalty.center))
        development = None if self.development is None else self.development.score(self.start[:-1])
        return {
            "stages": [asdict(stage) for stage in self.schedule],
            "optimizer": dict(self.optimizer.settings),
            "features": _digest("\n".join(self.names).encode("utf-8", "surrogateescape")),
            # Data are known by their risk, entropy and gradients at the start.
            "training forests": _digest(numbers.tobytes() + gradient.tobytes()),
            "initial weights": _digest(self.start.tobytes()),
            "l2": _digest(strength.tobytes() + b"/" + center.tobytes()),
            "frozen weights": _digest(self.is_free.tobytes()),
            "trains_gamma": self.trains_gamma,
            "averages": self.averages,
            "score of development data": development,
            "selects_best": self.selects_best,
        }

    def finish(self, checkpoint: Checkpoint | None) -> Training:
        """Go through the stages that are left."""
        state = checkpoint.load() if checkpoint is not None else None
        if state is None:
            best = self.identity["score of development data"]
            state = State(
                0, self.start, self.start, [], {"best score": best, "best gamma": self.schedule.stages[0].gamma}
            )
            if checkpoint is not None:
                checkpoint.save(state)
        while state.stage < len(self.schedule):
            with contextlib.ExitStack() as stack:
                journal = None if checkpoint is None else stack.enter_context(checkpoint.journal(state))
                problem = StageProblem(
                    self.training_set,
                    self.penalty,
                    state.point,
                    self.is_free,
                    stage=self.schedule.stages[state.stage],
                    scale=1.0 / (self.forests - self.empty),
                    averages=self.averages,
                    threads=self.threads,
                    journal=journal,
                    development=self.development,
                )
                state = self._stage(state, problem)
                if checkpoint is not None:
                    checkpoint.save(state)
        if checkpoint is not None:
            checkpoint.close()
        return self._result(state)

    def _stage(self, state: State, problem: StageProblem) -> State:
        stage = self.schedule.stages[state.stage]
        title = f"stage {state.stage + 1}/{len(self.schedule)}"
        best, best_score, best_gamma = state.best, state.facts["best score"], state.facts["best gamma"]
        done = 0

        def report(score: float | None) -> None:
            if self.progress is not None:
                self.progress(title, done, stage.iterations, problem.figures(score))

        def judge(point: Vector) -> float:
            nonlocal best, best_score, best_gamma
            score = problem.score(point)
            if best_score is None or score > best_score:
                best, best_score, best_gamma = problem.whole(point), score, problem.gamma(point)
            return score

        def after_iteration(point: Vector) -> None:
            nonlocal done
            done += 1
            report(judge(point) if self.selects_best else None)

        report(None)
        try:
            found = self.optimizer.minimize(
                problem,
                problem.start,
                bounds=problem.bounds,
                iterations=stage.iterations,
                after_iteration=after_iteration,
            )
        except DataError as mistake:
            raise DataError(
                f"{title} (T = {stage.temperature:g}, gamma = {stage.gamma:g}): {mistake}; "
                "if weights have grown without bounds, a penalty (l2) holds them"
            ) from mistake
        score = judge(found.point) if self.development is not None else None
        risk, entropy, penalty, objective = problem.values(found.point)
        done = stage.iterations
        report(score)
        result = StageResult(
            temperature=stage.temperature,
            gamma=problem.gamma(found.point),
            iterations=found.iterations,
            evaluations=problem.evaluations,
            is_converged=found.is_converged,
            risk=risk,
            entropy=entropy,
            penalty=penalty,
            objective=objective,
            score=score,
        )
        return State(
            state.stage + 1,
            problem.whole(found.point),
            best,
            [*state.history, asdict(result)],
            {"best score": best_score, "best gamma": best_gamma},
        )

    def _result(self, state: State) -> Training:
        history = tuple(StageResult(**record) for record in state.history)
        point = state.best if self.selects_best else state.point
        return Training(
            weights=point[:-1].copy(),
            gamma=state.facts["best gamma"] if self.selects_best else history[-1].gamma,
            feature_names=self.names,
            history=history,
            score=state.facts["best score"] if self.selects_best else history[-1].score,
            forests=self.forests,
            empty=self.empty,
        )


def _start(weights: Mapping[str, float] | npt.ArrayLike | None, names: tuple[str, ...]) -> Vector:
    """Return where training starts, one weight for each feature."""
    if weights is None:
        return np.zeros(len(names))
    if isinstance(weights, Mapping):
        return _finite(match_weights(weights, names).values)
    given = np.array(weights, np.float64)
    if given.shape != (len(names),):
        raise ConfigError(name="weights", expected=f"one for each of {len(names)} features", found=given.shape)
    return _finite(given)


def _finite(weights: Vector) -> Vector:
    if not np.isfinite(weights).all():
        raise ConfigError(name="weights", expected="finite", found=weights[~np.isfinite(weights)][0])
    return weights


def _free(names: tuple[str, ...], frozen: Collection[str]) -> npt.NDArray[np.bool_]:
    unknown = sorted(set(frozen) - set(names))
    if unknown:
        raise ConfigError(name="frozen", expected="names of features", found=repr(unknown[0]))
    kept = set(frozen)
    is_free = np.array([name not in kept for name in names], np.bool_)
    if not is_free.any():
        raise ConfigError(name="frozen", expected="some of the features", found=f"all {len(names)}")
    return is_free


def _check_gamma(trains_gamma: bool, penalty: L2, frozen: Vector) -> None:
    """Refuse a gamma that evades the penalty."""
    if trains_gamma and np.any(penalty.strength) and penalty.is_scale_free and not frozen.any():
        raise ConfigError(
            "gamma cannot be trained with a penalty that draws all weights to 0: a larger gamma with smaller weights "
            "would evade it; leave one of both out, or give the penalty a center"
        )


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
