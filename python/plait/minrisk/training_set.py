"""Many forests to train on, in memory or in a file."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from queue import SimpleQueue
from types import TracebackType
from typing import Literal, Self

import numpy as np
import numpy.typing as npt

from plait import _core
from plait.errors import ConfigError
from plait.io.atomic import OutputFile
from plait.io.streams import Path, display_name
from plait.minrisk.block_building import build_blocks
from plait.minrisk.block_file import Arrays, BlockFile, BlockWriter, Index
from plait.minrisk.evaluation import Evaluation
from plait.minrisk.risk_forest import RiskForest
from plait.progress import Callback as ProgressCallback
from plait.threads import resolve_threads

__all__ = ["TrainingSet"]

BLOCK_BYTES = 2 << 20
"""A block ends with the forest that makes it so large. Not one bit of a result depends on it."""

_AHEAD = 4
"""Blocks for each thread that are evaluated before one that is waited for."""

_COMPRESSED = (".gz", ".bz2", ".xz", ".zst")


class TrainingSet:
    """Forests that are evaluated together, again and again, at different weights; frozen.

    Made by `build` or `open`. In a file, forests are streamed: memory is that of a block for each thread, however
    many there are. A context manager, which closes the file.

    Examples
    --------
    >>> import numpy as np
    >>> from plait.hypergraph import Hypergraph, SparseFeatures
    >>> from plait.minrisk import RiskForest, TrainingSet
    >>> graph = Hypergraph.from_edges([(0, []), (0, [])])
    >>> features = SparseFeatures(np.array([0, 1, 1], np.uint64), np.array([0], np.uint32), np.ones(1), ("good",))
    >>> forests = TrainingSet.build([RiskForest(graph, features, losses=np.array([0.0, 1.0]))])
    >>> found = forests.evaluate([1.0])
    >>> round(found.risk, 6), found.gradient.round(6).tolist()
    (0.268941, [-0.196612])
    """

    def __init__(self, index: Index, *, blocks: Sequence[Arrays] = (), file: BlockFile | None = None) -> None:
        self._index = index
        self._blocks = blocks
        self._file = file

    @classmethod
    def build(
        cls,
        forests: Iterable[RiskForest],
        feature_names: Sequence[str] | None = None,
        *,
        path: Path | None = None,
        force: bool = False,
        progress: ProgressCallback | None = None,
    ) -> Self:
        """Make a training set of forests.

        Parameters
        ----------
        forests : iterable of RiskForest
            Gone through once, and none is kept: a generator can make them one by one.
        feature_names : sequence of str, optional
            The names of all features. Looked at after the last forest, so that a list may grow while forests are made.
            By default the longest ``features.names`` of a forest. The names of every forest must be their beginning.
        path : path, optional
            A file to keep the forests in, which appears when it is complete; in memory without it.
        force : bool
            Whether a file that exists may be replaced.
        progress : callable, optional
            Called as ``progress("reading", forests, 0, ())`` after each block.

        Returns
        -------
        TrainingSet

        Raises
        ------
        CycleError, DataError
            A hypergraph is cyclic, a loss, score or feature is not finite, or names do not fit; the message names the
            forest, counted from 0, and the edge. There is no file then.
        ConfigError
            The file exists and ``force`` is not set, or its name says that it is to be compressed.
        ResourceError
            The disk is full.

        Notes
        -----
        Forests without a derivation keep their number, and add nothing to any sum. Rows of features that repeat in a
        forest are kept once. O(size of the forests) time; memory for two blocks beyond
        what is kept. A block has 2 MB, or one forest.
        """
        if path is None:
            kept: list[Arrays] = []
            index = build_blocks(forests, feature_names, kept.append, progress, block_bytes=BLOCK_BYTES)
            return cls(index, blocks=kept)
        name = str(path)
        if name == "-" or name.endswith(_COMPRESSED):
            raise ConfigError(
                name="path", expected="a file that can be read from any place, not compressed", found=name
            )
        with OutputFile(path, force=force) as out:
            writer = BlockWriter(out)
            index = build_blocks(forests, feature_names, writer.write, progress, block_bytes=BLOCK_BYTES)
            writer.finish(index.feature_names, empty=index.empty, nodes=index.nodes, edges=index.edges)
        return cls.open(path)

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open a file that `build` has made.

        Raises
        ------
        plait.errors.ModelFileError
            The file is none of forests, cut short, damaged, or of a newer version. A damaged block is found when it is
            first read.
        OSError
            It cannot be opened or read.
        """
        file = BlockFile(path)
        return cls(file.index, file=file)

    def __len__(self) -> int:
        return self.forests

    def __repr__(self) -> str:
        where = "" if self._file is None else f", path={display_name(self._file.path)!r}"
        return (
            f"TrainingSet(forests={self.forests}, edges={self.edges}, features={len(self.feature_names)}, "
            f"bytes={self.nbytes}{where})"
        )

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The name of each feature, by id."""
        return self._index.feature_names

    @property
    def forests(self) -> int:
        """The number of forests, empty ones among them."""
        return sum(block.forests for block in self._index.blocks)

    @property
    def empty(self) -> int:
        """The number of forests without a derivation."""
        return self._index.empty

    @property
    def nodes(self) -> int:
        """The number of nodes of all forests but the empty ones."""
        return self._index.nodes

    @property
    def edges(self) -> int:
        """The number of edges of all forests but the empty ones."""
        return self._index.edges

    @property
    def nbytes(self) -> int:
        """The size of all blocks, in bytes."""
        return sum(block.size for block in self._index.blocks)

    @property
    def path(self) -> str | None:
        """The file, if there is one."""
        return None if self._file is None else self._file.path

    def close(self) -> None:
        """Close the file, if there is one; harmless when repeated."""
        if self._file is not None:
            self._file.close()

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
        progress: ProgressCallback | None = None,
    ) -> Evaluation:
        """Return risk, entropy and their gradients at some weights, summed over the forests.

        Parameters
        ----------
        weights : array_like of float64, shape (features,)
            The weight of each feature.
        gamma : float
            The scale of scores: p(d) is in proportion to exp(gamma score(d)).
        temperature : float
            T: the objective is R - T H.
        threads : int, optional
            All CPUs by default. No bit of the result depends on it.
        gradient : bool
            Whether gradients are wanted.
        separate : bool
            Whether those of risk and entropy are wanted each for itself, which takes a fifth longer. The gradient of
            the objective is then made of them, and may differ in its last digits.
        progress : callable, optional
            Called as ``progress("evaluating", forests, all, ())``.

        Returns
        -------
        Evaluation

        Raises
        ------
        ConfigError
            There are not as many weights as features; a weight, ``gamma`` or ``temperature`` is not finite.
        DataError
            Gamma times the score of an edge is beyond 1.4e9, or a result beyond the largest double; the message names
            the forest, counted from 0, and the edge. A weight whose exponential is beyond the largest double, or below
            the smallest, is fine.
        plait.errors.ModelFileError
            The file is damaged.

        Notes
        -----
        O(edges + tail nodes + values of features): two passes over each forest and one exponential and one logarithm an
        edge; docs/design/minimum_risk.md. The same forests give the same bits in memory and in a file.
        """
        theta = np.array(weights, np.float64)
        if theta.shape != (len(self.feature_names),):
            expected = f"one for each of {len(self.feature_names)} features"
            raise ConfigError(name="weights", expected=expected, found=f"shape {theta.shape}")
        wrong = ~np.isfinite(theta)
        if wrong.any():
            n = int(wrong.argmax())
            raise ConfigError(f"the weight of feature {self.feature_names[n]!r} must be finite; found {theta[n]}")
        count = resolve_threads(threads)
        kind: Literal["none", "joint", "separate"] = "none" if not gradient else "separate" if separate else "joint"
        objective = _core.RiskObjective(theta, gamma=gamma, temperature=temperature, gradients=kind)
        totals = objective.totals()
        for part in self._parts(objective, count):
            totals.add(part)
            if progress is not None:
                progress("evaluating", totals.forests, self.forests, ())
        return _evaluation(gamma, temperature, totals.found())

    def _parts(self, objective: _core.RiskObjective, threads: int) -> Iterator[_core.RiskPart]:
        """Evaluate all blocks; yield what they add to the sums, in order."""
        count = len(self._index.blocks)
        workers = max(1, min(threads, count))
        evaluate = self._evaluator(objective, workers)
        # Threads live as long as there are blocks, so that the system spreads them over its CPUs.
        with ThreadPoolExecutor(workers, "plait-forests") as pool:
            waiting: deque[Future[_core.RiskPart]] = deque()
            try:
                for number in range(count):
                    waiting.append(pool.submit(evaluate, number))
                    if len(waiting) > _AHEAD * workers:
                        yield _result(waiting.popleft())
                while waiting:
                    yield _result(waiting.popleft())
            except BaseException:
                objective.cancel()
                for future in waiting:
                    future.cancel()
                raise

    def _evaluator(self, objective: _core.RiskObjective, workers: int) -> Callable[[int], _core.RiskPart]:
        """Return a function that evaluates a block."""
        file = self._file
        if file is None:
            return lambda number: objective.evaluate(self._blocks[number])
        if file.is_closed:
            raise ConfigError(f"the training set {file.name} is closed; open it again")
        # As many blocks are in memory as threads work.
        free: SimpleQueue[npt.NDArray[np.uint64]] = SimpleQueue()
        free.put(file.begin())
        for _ in range(workers - 1):
            free.put(file.memory())

        def evaluate(number: int) -> _core.RiskPart:
            memory = free.get()
            try:
                return objective.evaluate(file.read(number, memory))
            finally:
                free.put(memory)

        return evaluate


def _result(future: Future[_core.RiskPart]) -> _core.RiskPart:
    # In slices: not every platform lets a signal end an unlimited wait.
    while not wait([future], timeout=0.1).done:
        pass
    return future.result()


def _evaluation(gamma: float, temperature: float, found: _core.RiskFound) -> Evaluation:
    forests, empty, risk, entropy, expected_score, by_gamma, vectors = found
    gradients: list[npt.NDArray[np.float64]] = list(vectors)
    gradient = None
    gamma_gradient = None
    if len(gradients) == 1:
        gradient, gamma_gradient = gradients[0], by_gamma[0]
    elif len(gradients) == 2:
        gradient = gradients[0] - temperature * gradients[1]
        gamma_gradient = by_gamma[0] - temperature * by_gamma[1]
    is_separate = len(gradients) == 2
    return Evaluation(
        gamma=gamma,
        temperature=temperature,
        forests=forests,
        empty=empty,
        risk=risk,
        entropy=entropy,
        expected_score=expected_score,
        objective=risk - temperature * entropy,
        gradient=gradient,
        gamma_gradient=gamma_gradient,
        risk_gradient=gradients[0] if is_separate else None,
        entropy_gradient=gradients[1] if is_separate else None,
        risk_gamma_gradient=by_gamma[0] if is_separate else None,
        entropy_gamma_gradient=by_gamma[1] if is_separate else None,
    )
