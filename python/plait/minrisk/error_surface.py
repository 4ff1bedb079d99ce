"""BLEU along a line of weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plait.errors import ConfigError
from plait.minrisk.bleu import DEFAULT_VALUES

__all__ = ["ErrorSurface", "smoothing_of"]


@dataclass(frozen=True, eq=False)
class ErrorSurface:
    """The statistics of a corpus along a line ``weights + x * direction``: piecewise constant; frozen.

    Attributes
    ----------
    breakpoints : ndarray of float64, shape (n,)
        Where they change, rising. Piece ``k`` lies between breakpoints ``k - 1`` and ``k``; the first and the last
        have no end.
    statistics : ndarray of int64, shape (n + 1, 2 order + 1)
        Those of each piece.
    bleu : ndarray of float64, shape (n + 1,)
        BLEU of each piece, from 0 to 1.
    best_bleu : float
        BLEU of the best piece.
    x : float
        A point inside the best piece; `MertProblem.line` says which.
    width : float
        How wide the best piece is; one without an end counts as it is cut.
    """

    breakpoints: npt.NDArray[np.float64]
    statistics: npt.NDArray[np.int64]
    bleu: npt.NDArray[np.float64]
    best_bleu: float
    x: float
    width: float


def smoothing_of(name: str, value: float | None) -> tuple[str, float]:
    """Return a smoothing as the core takes it."""
    if name not in DEFAULT_VALUES:
        raise ConfigError(name="smoothing", expected=f"one of {', '.join(DEFAULT_VALUES)}", found=repr(name))
    amount = DEFAULT_VALUES[name] if value is None else value
    if not 0 <= amount < np.inf:
        raise ConfigError(name="value", expected="finite and not negative", found=value)
    return name, float(amount)
