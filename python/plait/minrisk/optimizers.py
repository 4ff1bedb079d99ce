"""Optimisers of smooth functions, behind one interface."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from plait.errors import ConfigError

__all__ = ["LBFGSB", "Minimum", "Optimizer"]

Vector = npt.NDArray[np.float64]
Function = Callable[[Vector], tuple[float, Vector]]
"""Returns the value and the gradient at a point."""


@dataclass(frozen=True, eq=False)
class Minimum:
    """Where an optimiser has stopped; frozen.

    Attributes
    ----------
    point : ndarray of float64
        The best point that was found.
    value : float
        The function there.
    iterations : int
        Steps that were taken.
    is_converged : bool
        Whether it stopped because of its tolerances, not of a limit or a failed search.
    message : str
        The optimiser's own words.
    """

    point: Vector
    value: float
    iterations: int
    is_converged: bool
    message: str


class Optimizer(Protocol):
    """Minimises a function of several variables from its values and gradients.

    It must be deterministic: the same values and gradients lead to the same points, bit for bit. `plait.minrisk.train`
    resumes an interrupted run by giving it the values of that run again.
    """

    @property
    def settings(self) -> Mapping[str, Any]:
        """Name and settings, as values of JSON, that tell runs with other settings apart."""

    def minimize(
        self,
        function: Function,
        start: Vector,
        *,
        bounds: tuple[Vector, Vector] | None = None,
        iterations: int,
        after_iteration: Callable[[Vector], None],
    ) -> Minimum:
        """Minimise.

        Parameters
        ----------
        function
            Called with points that it does not keep.
        start : ndarray of float64
            The first point.
        bounds : pair of ndarray of float64, optional
            The least and largest values of each variable, infinite where there are none.
        iterations : int
            The most steps.
        after_iteration
            To be called with the new point after each step.
        """


@dataclass(frozen=True)
class LBFGSB:
    """SciPy's L-BFGS-B, from the extra ``minrisk``; frozen.

    Attributes
    ----------
    memory : int
        Steps that the estimate of the curvature is made of.
    gradient_tolerance : float
        It stops when no component of the gradient is larger. `plait.minrisk.train` hands over a mean over sentences.
    value_tolerance : float
        It stops when a step lowers the value by no more than this share of it.
    evaluations : int
        The most evaluations of the function for an iteration, on average.

    Raises
    ------
    ConfigError
        From `minimize`: the extra is not there.

    Notes
    -----
    Zhu, Byrd, Lu and Nocedal (1997). Its own work is O(memory) operations for each feature and step, on one thread:
    with tens of thousands of features, the last bits of sums in linear algebra libraries depend on their threads. They
    may still depend on the library, so that only one version of SciPy takes the same steps everywhere.

    Examples
    --------
    >>> import numpy as np
    >>> from plait.minrisk import LBFGSB
    >>> found = LBFGSB().minimize(
    ...     lambda x: (float(x @ x), 2 * x), np.array([3.0, -1.0]), iterations=20, after_iteration=lambda x: None
    ... )
    >>> found.is_converged, float(np.abs(found.point).max().round(6))
    (True, 0.0)
    """

    memory: int = 10
    gradient_tolerance: float = 1e-6
    value_tolerance: float = 1e-9
    evaluations: int = 4

    def __post_init__(self) -> None:
        for name in ("memory", "evaluations"):
            if getattr(self, name) < 1:
                raise ConfigError(name=name, expected="at least 1", found=getattr(self, name))
        for name in ("gradient_tolerance", "value_tolerance"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ConfigError(name=name, expected="finite and not negative", found=getattr(self, name))

    @property
    def settings(self) -> Mapping[str, Any]:
        """Name and settings, with the version of SciPy: another one may take other steps."""
        return {"optimizer": "L-BFGS-B", "scipy": _extra("scipy").__version__, **asdict(self)}

    def minimize(
        self,
        function: Function,
        start: Vector,
        *,
        bounds: tuple[Vector, Vector] | None = None,
        iterations: int,
        after_iteration: Callable[[Vector], None],
    ) -> Minimum:
        """Minimise; see `Optimizer`."""
        options = {
            "maxcor": self.memory,
            "gtol": self.gradient_tolerance,
            "ftol": self.value_tolerance,
            "maxiter": iterations,
            "maxfun": self.evaluations * iterations + 20,
        }
        scipy = _extra("scipy.optimize")
        # After SciPy: only libraries that are loaded are held to one thread.
        with _extra("threadpoolctl").threadpool_limits(1, user_api="blas"):
            found = scipy.minimize(
                function,
                np.array(start, np.float64),
                jac=True,
                method="L-BFGS-B",
                bounds=None if bounds is None else scipy.Bounds(*bounds),
                # SciPy goes on to change the array that it hands over.
                callback=lambda point: after_iteration(np.array(point, np.float64)),
                options=options,
            )
        return Minimum(
            np.array(found.x, np.float64), float(found.fun), int(found.nit), bool(found.success), str(found.message)
        )


def _extra(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise ConfigError(
            "training by gradients needs the packages scipy and threadpoolctl; install them: "
            "pip install 'plait[minrisk]'"
        ) from None
