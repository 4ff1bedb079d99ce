"""Schedules of temperature and sharpness for training."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Self

from plait.errors import ConfigError

__all__ = ["Schedule", "Stage"]


@dataclass(frozen=True)
class Stage:
    """One optimisation at a fixed temperature; frozen.

    Attributes
    ----------
    temperature : float
        T in the objective R - T H: units of loss for a nat of entropy, not negative.
    gamma : float
        The sharpness of p(d) in proportion to exp(gamma score(d)), above 0. Where gamma is trained, it is only where
        the first stage starts.
    iterations : int
        The most iterations of the optimiser.
    """

    temperature: float = 0.0
    gamma: float = 1.0
    iterations: int = 100

    def __post_init__(self) -> None:
        if not 0 <= self.temperature < math.inf:
            raise ConfigError(name="temperature", expected="finite and not negative", found=self.temperature)
        if not 0 < self.gamma < math.inf:
            raise ConfigError(name="gamma", expected="finite and above 0", found=self.gamma)
        if self.iterations < 1:
            raise ConfigError(name="iterations", expected="at least 1", found=self.iterations)


@dataclass(frozen=True)
class Schedule:
    """Stages one after the other, each from the weights of the one before; frozen.

    Attributes
    ----------
    stages : tuple of Stage
        At least one.

    Examples
    --------
    >>> from plait.minrisk import Schedule
    >>> [(stage.temperature, stage.gamma) for stage in Schedule.annealing(highest=1.0, lowest=0.2, sharpest=4.0)]
    [(1.0, 1.0), (0.5, 1.0), (0.25, 1.0), (0.0, 1.0), (0.0, 2.0), (0.0, 4.0)]
    """

    stages: tuple[Stage, ...]

    def __post_init__(self) -> None:
        if not self.stages:
            raise ConfigError(name="stages", expected="at least one", found="none")

    def __len__(self) -> int:
        return len(self.stages)

    def __iter__(self) -> Iterator[Stage]:
        return iter(self.stages)

    @classmethod
    def minimum_risk(cls, *, temperature: float = 0.0, gamma: float = 1.0, iterations: int = 100) -> Self:
        """Return one stage: minimum risk without annealing (Li and Eisner 2009, section 7.1).

        Parameters
        ----------
        temperature, gamma, iterations
            Of the stage.
        """
        return cls((Stage(temperature, gamma, iterations),))

    @classmethod
    def annealing(
        cls,
        *,
        highest: float = 10.0,
        lowest: float = 0.01,
        cooling: float = 0.5,
        gamma: float = 1.0,
        sharpest: float = 8.0,
        sharpening: float = 2.0,
        iterations: int = 20,
        last_iterations: int = 100,
    ) -> Self:
        """Return deterministic annealing: T falls to 0 in steps, then gamma rises.

        Parameters
        ----------
        highest, lowest : float
            The first temperature, and the least one before 0, in units of loss for a nat.
        cooling : float
            By how much each temperature is multiplied for the next; between 0 and 1.
        gamma, sharpest : float
            The sharpness while T falls, and the largest one after.
        sharpening : float
            By how much each gamma is multiplied for the next; above 1.
        iterations, last_iterations : int
            The most iterations of each stage, and of the last one.

        Raises
        ------
        ConfigError
            A number is outside its range.

        Notes
        -----
        Smith and Eisner (2006), section 4: cooling, then quenching. At temperature T a distribution that is free to be
        anything is in proportion to exp(-L / T): temperatures far above the differences between losses all mean the
        uniform distribution. With losses of linear BLEU, which differ by about 1 within a sentence, 10 is such a
        temperature, and a start at 1000, as in Joshua's annealer, costs 7 stages that change nothing. Scale ``highest``
        and ``lowest`` with your losses.

        Stages but the last need not converge: the next one starts close to where they end.
        """
        if not 0 < cooling < 1:
            raise ConfigError(name="cooling", expected="between 0 and 1", found=cooling)
        if not 1 < sharpening < math.inf:
            raise ConfigError(name="sharpening", expected="finite and above 1", found=sharpening)
        if not 0 < lowest <= highest < math.inf:
            raise ConfigError(name="lowest", expected=f"above 0 and at most highest = {highest}", found=lowest)
        if not 0 < gamma <= sharpest < math.inf:
            raise ConfigError(name="gamma", expected=f"above 0 and at most sharpest = {sharpest}", found=gamma)
        temperatures = [*_steps(highest, cooling, lambda t: t >= lowest), 0.0]
        stages = [Stage(temperature, gamma, iterations) for temperature in temperatures]
        sharper = list(_steps(gamma * sharpening, sharpening, lambda g: g <= sharpest))
        stages += [Stage(0.0, each, iterations) for each in sharper]
        stages[-1] = Stage(0.0, stages[-1].gamma, last_iterations)
        return cls(tuple(stages))


def _steps(first: float, factor: float, goes_on: Callable[[float], bool]) -> Iterator[float]:
    value = first
    while goes_on(value):
        yield value
        value *= factor
