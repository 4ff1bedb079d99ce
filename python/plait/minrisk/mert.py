"""Minimum error rate training: weights whose best translations have the largest BLEU."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from plait.errors import ConfigError
from plait.minrisk.bleu import Smoothing
from plait.minrisk.error_surface import smoothing_of
from plait.minrisk.mert_problem import MertProblem
from plait.progress import Callback
from plait.threads import resolve_threads

__all__ = ["MertResult", "MertStart", "MertStep", "mert"]


class MertStep(NamedTuple):
    """One step of a search."""

    direction: str | None
    """The feature along which it went; None for a random direction."""
    x: float
    """How far, in multiples of the direction."""
    bleu: float
    """BLEU after it."""


@dataclass(frozen=True, eq=False)
class MertStart:
    """The search from one start; frozen.

    Attributes
    ----------
    initial, weights : ndarray of float64, shape (features,)
        Where it began and where it ended.
    initial_bleu, bleu : float
        BLEU there, from 0 to 1.
    statistics : ndarray of int64, shape (2 order + 1,)
        Those of the corpus at the end.
    steps : tuple of MertStep
        The way.
    has_converged : bool
        Whether no direction gained any more; False where ``steps`` of `mert` ended it.
    """

    initial: npt.NDArray[np.float64]
    initial_bleu: float
    weights: npt.NDArray[np.float64]
    statistics: npt.NDArray[np.int64]
    bleu: float
    steps: tuple[MertStep, ...]
    has_converged: bool


@dataclass(frozen=True, eq=False)
class MertResult:
    """The best weights that were found; frozen.

    Attributes
    ----------
    feature_names : tuple of str
        The name of each feature.
    weights : ndarray of float64, shape (features,)
        Normalised if that was asked for.
    bleu : float
        BLEU of the best translations under the weights, from 0 to 1.
    statistics : ndarray of int64, shape (2 order + 1,)
        Those of the corpus.
    best : int
        The number of the start that they come from, the first of equally good ones.
    trace : tuple of MertStart
        What was found from each start: from the given weights, then from random ones.
    """

    feature_names: tuple[str, ...]
    weights: npt.NDArray[np.float64]
    bleu: float
    statistics: npt.NDArray[np.int64]
    best: int
    trace: tuple[MertStart, ...]

    @property
    def weights_by_name(self) -> dict[str, float]:
        """The weight of each feature."""
        return dict(zip(self.feature_names, self.weights.tolist(), strict=True))


def mert(
    problem: MertProblem,
    weights: npt.ArrayLike | Mapping[str, float],
    *,
    restarts: int = 20,
    random_directions: int = 10,
    seed: int = 0,
    frozen: Collection[str] = (),
    bounds: tuple[float, float] | Mapping[str, tuple[float, float]] = (-1.0, 1.0),
    normalize: Literal["l1", "l2"] | None = None,
    steps: int = 1000,
    least_gain: float = 0.0,
    smoothing: Smoothing = "none",
    value: float | None = None,
    threads: int | None = None,
    progress: Callback | None = None,
) -> MertResult:
    """Search the weights whose best translations have the largest BLEU.

    Parameters
    ----------
    problem : MertProblem
        Lists or forests, with references.
    weights : array_like of float64, shape (features,), or mapping of str to float
        The first start. In a mapping, a feature that is not there weighs 0.
    restarts : int
        How many random starts follow it.
    random_directions : int
        How many random directions each step tries after those of the coordinates; their components are uniform from
        -1 to 1.
    seed : int
        Of random starts and directions.
    frozen : collection of str
        Features whose weights stay as they are given.
    bounds : pair of float, or mapping of str to pair of float
        The least and the largest weight of each feature at a random start; in a mapping, -1 and 1 for features that
        are not there. They do not bound what is found.
    normalize : {"l1", "l2"}, optional
        Divide the weights that are returned by the sum of their magnitudes, or by their length. The best
        translations stay the same.
    steps : int
        At most so many steps from one start.
    least_gain : float
        A step must gain more BLEU than this.
    smoothing, value
        Of BLEU, as for `plait.minrisk.bleu`: with "none", BLEU is 0, and no step gains, while no translation of the
        corpus has any match of the highest order.
    threads : int, optional
        All CPUs by default. The result is the same for any number.
    progress : callable, optional
        Called as ``progress("mert", starts done, starts, [("bleu", best)])``.

    Returns
    -------
    MertResult

    Raises
    ------
    ConfigError
        An option is out of range; weights with a base cannot be normalised.

    Notes
    -----
    Och (2003): BLEU along a line is piecewise constant, and all pieces are found exactly (`MertProblem.line`). From
    each start, the lines along all coordinates and some random directions (Cer et al. 2008) are searched; a step goes
    along the one that gains most, until none gains. A step counts only if the translations at its end, chosen anew,
    have the BLEU that the line promises. Random numbers depend on the seed, the start and the step alone.

    References
    ----------
    Och (2003), "Minimum error rate training in statistical machine translation"; Macherey et al. (2008),
    "Lattice-based minimum error rate training for statistical machine translation"; Kumar et al. (2009); Cer et al.
    (2008), "Regularization and search for minimum error rate training"; Dyer (2013).

    Examples
    --------
    >>> from plait.minrisk import MertProblem, NbestLists, mert
    >>> import numpy as np
    >>> lists = NbestLists(
    ...     ("lm", "length"), np.array([0]), np.array([0, 2], np.uint64), np.array([[-4.0, 5.0], [-1.0, 2.0]]),
    ...     ("the cat sat down here", "the cat"),
    ... )
    >>> problem = MertProblem.from_lists(lists, [["the cat sat down"]])
    >>> result = mert(problem, {"lm": 1.0}, restarts=0)
    >>> round(problem.bleu([1.0, 0.0]), 3), round(result.bleu, 3)
    (0.0, 0.669)
    """
    names = problem.feature_names
    for name, number in (("restarts", restarts), ("random_directions", random_directions), ("steps", steps)):
        if number < 0:
            raise ConfigError(name=name, expected="not negative", found=number)
    if normalize not in (None, "l1", "l2"):
        raise ConfigError(name="normalize", expected="'l1', 'l2' or None", found=repr(normalize))
    if normalize and problem.has_base:
        raise ConfigError("weights cannot be normalised where forests have base scores; let normalize be None")
    if not 0 <= seed < 2**64:
        raise ConfigError(name="seed", expected="from 0 to 2**64 - 1", found=seed)
    unknown = [name for name in frozen if name not in names]
    if unknown:
        raise ConfigError(name="frozen", expected="names of features", found=repr(unknown[0]))
    best, starts = problem._core.optimize(
        problem.vector(weights),
        restarts=restarts,
        random_directions=random_directions,
        bounds=_bounds(bounds, names),
        frozen=np.array([name in frozen for name in names], np.bool_),
        seed=seed,
        steps=steps,
        least_gain=least_gain,
        smoothing=smoothing_of(smoothing, value),
        threads=resolve_threads(threads),
        progress=progress,
    )
    trace = tuple(
        MertStart(
            initial,
            initial_bleu,
            final,
            statistics,
            bleu,
            tuple(MertStep(names[d] if d >= 0 else None, x, score) for d, x, score in way),
            has_converged,
        )
        for initial, initial_bleu, final, statistics, bleu, way, has_converged in starts
    )
    found = trace[best]
    return MertResult(names, _normalized(found.weights, normalize), found.bleu, found.statistics, best, trace)


def _bounds(
    bounds: tuple[float, float] | Mapping[str, tuple[float, float]], names: tuple[str, ...]
) -> npt.NDArray[np.float64]:
    if isinstance(bounds, Mapping):
        unknown = [name for name in bounds if name not in names]
        if unknown:
            raise ConfigError(name="bounds", expected="of features that there are", found=repr(unknown[0]))
        rows = np.array([bounds.get(name, (-1.0, 1.0)) for name in names], np.float64)
    else:
        rows = np.array([bounds] * len(names), np.float64)
    return np.ascontiguousarray(rows.reshape(len(names), 2))


def _normalized(weights: npt.NDArray[np.float64], how: str | None) -> npt.NDArray[np.float64]:
    if how is None:
        return weights
    size = float(np.abs(weights).sum() if how == "l1" else np.sqrt((weights**2).sum()))
    return weights / size if size > 0 else weights
