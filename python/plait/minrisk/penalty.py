"""Quadratic penalties on weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plait.errors import ConfigError

__all__ = ["L2"]

Vector = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class L2:
    """Half the weighted square of the distance of weights from a centre; frozen.

    Attributes
    ----------
    strength : float or ndarray of float64, shape (features,)
        c in c/2 (w - w0)^2, for all features or for each; not negative. With Gaussian priors it is 1 / variance.
    center : float or ndarray of float64, shape (features,)
        w0.

    Examples
    --------
    >>> import numpy as np
    >>> from plait.minrisk import L2
    >>> value, gradient = L2(2.0, center=1.0).evaluate(np.array([1.0, 4.0]))
    >>> float(value), gradient.tolist()
    (9.0, [0.0, 6.0])
    """

    strength: float | Vector
    center: float | Vector = 0.0

    def __post_init__(self) -> None:
        for name in ("strength", "center"):
            values = np.asarray(getattr(self, name), np.float64)
            if values.ndim > 1 or not np.isfinite(values).all():
                raise ConfigError(name=name, expected="finite, one number or one for each feature", found=values)
        if (np.asarray(self.strength) < 0).any():
            raise ConfigError(name="strength", expected="not negative", found=np.min(self.strength))

    def evaluate(self, weights: Vector) -> tuple[float, Vector]:
        """Return the penalty and its gradient, shape (features,).

        Raises
        ------
        ConfigError
            There are not as many strengths or centres as weights.
        """
        for name, given in (("strength", self.strength), ("center", self.center)):
            if isinstance(given, np.ndarray) and given.shape not in ((), weights.shape):
                raise ConfigError(name=name, expected=f"one for each of {len(weights)} features", found=len(given))
        away = weights - self.center
        gradient = self.strength * away
        return float(0.5 * (gradient * away).sum()), gradient

    @property
    def is_scale_free(self) -> bool:
        """Whether shrinking all weights can bring the penalty to 0: no penalised weight has another centre."""
        return not (np.asarray(self.strength) * np.asarray(self.center)).any()
