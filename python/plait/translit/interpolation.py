"""Several systems as one: their probabilities, weighted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, Protocol, Self

import numpy as np
import numpy.typing as npt

from plait import models
from plait.errors import ConfigError, DataError, ModelFileError
from plait.io.streams import Path
from plait.metrics.transliteration import evaluate
from plait.progress import Callback
from plait.translit.candidates import Candidate
from plait.translit.tuning import Measure, Pool, tune

__all__ = ["KIND", "Interpolation", "System"]

KIND = "transliteration-interpolation"

Absent = Literal["score", "zero"]


class System(Protocol):
    """What an interpolation needs of a system."""

    def fit(self, pairs: Any, *, dev: Any = None, progress: Callback | None = None) -> Any:
        """Train."""

    def nbest(self, words: Sequence[str], n: int = 10) -> list[list[Candidate]]:
        """Return candidates of each word, the best first."""

    def probabilities(self, words: Sequence[str], targets: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return P(T | S) of given targets."""


class Interpolation:
    r"""A weighted sum of the probabilities of several systems.

    .. math:: P(T \mid S) = \sum_i \lambda_i P_i(T \mid S), \qquad \lambda_i \ge 0, \quad \sum_i \lambda_i = 1

    With two systems this is eq. 7 of the paper, :math:`\lambda P_{CRF} + (1 - \lambda) P_{JSCM}`.

    Parameters
    ----------
    systems
        Two or more, such as `TwoStepCRF` and `JointSourceChannel`.
    weights
        One for each, from 0; they are divided by their sum. Equal by default; `fit` with ``dev`` and `tune` choose them.
    candidates
        How many candidates are asked of each system.
    absent
        A candidate that another system's list lacks: "score" asks that system for its probability, "zero" takes 0.
    measure
        What tuning raises: "acc", "f_score", "mrr" or "map_ref".

    Attributes
    ----------
    weights : tuple of float
        The weights, which sum to 1.

    References
    ----------
    Yang, Dixon and Furui (2010), section 5.2.
    """

    def __init__(
        self,
        systems: Sequence[System],
        *,
        weights: Sequence[float] | None = None,
        candidates: int = 10,
        absent: Absent = "score",
        measure: Measure = "acc",
    ) -> None:
        if len(systems) < 2:
            raise ConfigError(name="systems", expected="two or more", found=len(systems))
        if absent not in ("score", "zero"):
            raise ConfigError(name="absent", expected="'score' or 'zero'", found=repr(absent))
        self.systems = list(systems)
        self.candidates = candidates
        self.absent: Absent = absent
        self.measure: Measure = measure
        self.weights = _normal([1.0] * len(systems) if weights is None else weights, len(systems))

    def fit(self, pairs: Iterable[tuple[str, str]], *, dev: Any = None, progress: Callback | None = None) -> Self:
        """Train each system, and choose the weights on ``dev`` when it is given.

        Parameters
        ----------
        pairs
            Source and target words.
        dev
            More of them; several targets of a word are several pairs.
        progress
            Called with stage, done, total and figures.
        """
        pairs = pairs if hasattr(pairs, "source_units") else list(pairs)
        dev = None if dev is None else list(dev)
        for system in self.systems:
            system.fit(pairs, dev=dev, progress=progress)
        if dev is not None:
            references: dict[str, list[str]] = {}
            for source, target in dev:
                references.setdefault(source, []).append(target)
            self.tune(list(references), list(references.values()))
        return self

    def tune(self, words: Sequence[str], references: Sequence[Sequence[str]], *, measure: Measure | None = None) -> Self:
        """Choose the weights that make ``measure`` largest on words with references; lists are made once.

        See `plait.translit.tuning.tune` for how.
        """
        self.weights = tune(self.pool(words), references, measure=measure or self.measure, split=self.split).weights
        return self

    def pool(self, words: Sequence[str]) -> Pool:
        """Return the candidates of all systems with the probabilities that each of them gives."""
        lists = [system.nbest(words, self.candidates) for system in self.systems]
        pool = Pool.from_lists(lists)
        if self.absent == "score":
            for number, system in enumerate(self.systems):
                absent = np.flatnonzero(~pool.listed[:, number])
                if len(absent):
                    sources = [words[pool.words[row]] for row in absent]
                    targets = [pool.targets[row] for row in absent]
                    pool.probabilities[absent, number] = system.probabilities(sources, targets)
        return pool

    def nbest(self, words: Sequence[str], n: int = 10) -> list[list[Candidate]]:
        """Return up to n targets of each word, the most probable first."""
        return self.pool(words).ranked(self.weights, n)

    def transliterate(self, words: Sequence[str]) -> list[str]:
        """Return the most probable target of each word."""
        return [candidates[0].target if candidates else "" for candidates in self.nbest(words, 1)]

    def probabilities(self, words: Sequence[str], targets: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return P(T | S) of given targets: float64[words]."""
        shares = [
            weight * system.probabilities(words, targets)
            for weight, system in zip(self.weights, self.systems, strict=True)
            if weight > 0
        ]
        return np.sum(shares, axis=0)

    def score(self, words: Sequence[str], references: Sequence[str] | Sequence[Sequence[str]]) -> float:
        """Return the share of words whose most probable target is a reference (ACC)."""
        lists = [[reference] if isinstance(reference, str) else list(reference) for reference in references]
        return evaluate([[target] for target in self.transliterate(words)], lists).acc

    @property
    def target_units_(self) -> str:
        """The units of target symbols of the first system."""
        return str(getattr(self.systems[0], "target_units_", "characters"))

    @property
    def split(self) -> Callable[[str], Sequence[str]]:
        """What makes symbols of a target."""
        return str.split if self.target_units_ == "words" else list

    def save(self, path: Path, *, force: bool = False) -> None:
        """Write all systems and their weights to one file; `plait.translit.load` reads it."""
        models.save(path, KIND, *self.stored(), force=force)

    def stored(self) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
        """Return the arrays and the metadata of a model file."""
        from plait.translit.loading import kind_of

        arrays, parts = {}, []
        for number, system in enumerate(self.systems):
            own, metadata = system.stored()  # type: ignore[attr-defined]
            arrays.update({f"{number}.{name}": array for name, array in own.items()})
            parts.append({"kind": kind_of(system), "metadata": metadata})
        return arrays, {
            "systems": parts,
            "weights": list(self.weights),
            "candidates": self.candidates,
            "absent": self.absent,
            "measure": self.measure,
        }

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a model that `save` wrote."""
        return cls.from_stored(models.load(path, KIND))

    @classmethod
    def from_stored(cls, found: models.ModelFile) -> Self:
        """Make a model of the arrays and the metadata of a file.

        Raises
        ------
        plait.errors.ModelFileError
            They are not those of a model of this kind.
        """
        from plait.translit.loading import from_stored

        metadata = found.metadata
        try:
            systems = []
            for number, part in enumerate(metadata["systems"]):
                prefix = f"{number}."
                arrays = {
                    name.removeprefix(prefix): array for name, array in found.arrays.items() if name.startswith(prefix)
                }
                inner = models.ModelFile(
                    part["kind"], found.format_version, found.plait_version, part["metadata"], arrays
                )
                systems.append(from_stored(inner))
            return cls(
                systems,
                weights=metadata["weights"],
                candidates=metadata["candidates"],
                absent=metadata["absent"],
                measure=metadata["measure"],
            )
        except (KeyError, TypeError, ConfigError, DataError):
            raise ModelFileError(f"the metadata of a model of kind {KIND!r} is incomplete; make the model again") from None


def _normal(weights: Sequence[float], count: int) -> tuple[float, ...]:
    values = [float(weight) for weight in weights]
    is_good = len(values) == count and all(0 <= value < float("inf") for value in values) and sum(values) > 0
    if not is_good:
        expected = f"{count} finite numbers from 0, not all 0"
        raise ConfigError(name="weights", expected=expected, found=repr(list(weights)))
    return tuple(value / sum(values) for value in values)
