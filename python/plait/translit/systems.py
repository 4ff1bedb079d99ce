"""What all transliteration systems can be asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from plait.progress import Callback
from plait.translit.candidates import Candidate
from plait.translit.joint_source_channel import JointSourceChannel
from plait.translit.symbols import ChosenUnits, split
from plait.translit.two_step import TwoStepCRF

__all__ = ["System", "probabilities_of", "splitter", "target_units_of", "unknown_symbols"]


class System(Protocol):
    """What every system has."""

    threads: int | None

    def fit(self, pairs: Any, *, dev: Any = None, progress: Callback | None = None) -> Any:
        """Train."""

    def nbest(self, words: Sequence[str], n: int = 10) -> list[list[Candidate]]:
        """Return candidates of each word, the best first."""

    def stored(self) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
        """Return the arrays and the metadata of a model file."""


def probabilities_of(system: Any, words: Sequence[str], targets: Sequence[str]) -> npt.NDArray[np.float64]:
    """Return P(T | S) of given targets: float64[words].

    A `TwoStepCRF` sums over as many segmentations as for its lists, so that what is asked and what is listed compare.
    """
    if isinstance(system, JointSourceChannel):
        return np.exp(system.log_probability(list(words), list(targets)))
    if isinstance(system, TwoStepCRF):
        return system.probabilities(words, targets, tolerance=0.0, segmentations=system.segmentations)
    found: npt.NDArray[np.float64] = system.probabilities(words, targets)
    return found


def target_units_of(system: Any) -> ChosenUnits:
    """Return what the symbols of targets are."""
    units: ChosenUnits = system.parts.target_units if isinstance(system, JointSourceChannel) else system.target_units_
    return units


def splitter(system: Any) -> Callable[[str], Sequence[str]]:
    """Return what makes symbols of a target."""
    units = target_units_of(system)
    return lambda text: split(text, units)


def unknown_symbols(system: Any, words: Iterable[str]) -> Counter[str]:
    """Return the source symbols that the training of a system did not have, and how often they stand in the words."""
    if isinstance(system, JointSourceChannel):
        names, units = set(system.parts.source_names), system.parts.source_units
        return Counter(symbol for word in words for symbol in split(word, units) if symbol not in names)
    found: Counter[str] = system.unknown_symbols(words)
    return found
