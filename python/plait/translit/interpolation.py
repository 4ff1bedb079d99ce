"""Several systems as one: their probabilities, weighted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from plait import models
from plait.errors import ConfigError, DataError, ModelFileError
from plait.io.stored import from_a_file
from plait.io.streams import Path
from plait.metrics.transliteration import evaluate
from plait.progress import Callback
from plait.translit.alignment import whole
from plait.translit.candidates import CandidateLists
from plait.translit.pairs import Pair, WordPairs
from plait.translit.pooled import poolable, pooled
from plait.translit.symbols import ChosenUnits
from plait.translit.systems import System, probabilities_of, splitter, target_units_of, unknown_symbols
from plait.translit.tuning import Measure, Pool, tune

__all__ = ["KIND", "Interpolation"]

KIND = "transliteration-interpolation"

Absent = Literal["score", "zero"]


class Interpolation:
    r"""A weighted sum of the probabilities of several systems.

    .. math:: P(T \mid S) = \sum_i \lambda_i P_i(T \mid S), \qquad \lambda_i \ge 0, \quad \sum_i \lambda_i = 1

    With two systems this is eq. 7 of the paper, :math:`\lambda P_{CRF} + (1 - \lambda) P_{JSCM}`.

    Parameters
    ----------
    systems
        Two or more, such as `TwoStepCRF` and `JointSourceChannel`.
    weights
        One for each, from 0; they are divided by their sum. Equal by default; `tune`, and `fit` with ``dev``, choose
        them.
    candidates
        How many candidates are asked of each system.
    absent
        A candidate that another system's list lacks: "score" asks that system for its probability, "zero" takes 0.
    measure
        What tuning raises: "acc", "f_score", "mrr", "map_ref" or "likelihood". By default "acc" with two systems, and
        "likelihood" with more, whose weights few words do not settle.

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
        measure: Measure | None = None,
    ) -> None:
        if len(systems) < 2:
            raise ConfigError(name="systems", expected="two or more", found=len(systems))
        if absent not in ("score", "zero"):
            raise ConfigError(name="absent", expected="'score' or 'zero'", found=repr(absent))
        self.systems = list(systems)
        self.candidates = whole("candidates", candidates)
        self.absent: Absent = absent
        self.measure: Measure = measure or ("acc" if len(systems) == 2 else "likelihood")
        self.weights = _normal([1.0] * len(systems) if weights is None else weights, len(systems))

    def fit(
        self,
        pairs: WordPairs | Iterable[Pair],
        *,
        dev: WordPairs | Iterable[Pair] | None = None,
        progress: Callback | None = None,
    ) -> Self:
        """Train each system, and choose the weights on ``dev`` when it is given.

        Parameters
        ----------
        pairs
            Source and target words, what `WordPairs.from_items` takes.
        dev
            More of them, which systems may use for choices of their own, too.
        progress
            Called with stage, done, total and figures.
        """
        pairs = pairs if isinstance(pairs, WordPairs) else list(pairs)
        dev = dev if dev is None or isinstance(dev, WordPairs) else list(dev)
        for system in self.systems:
            system.fit(pairs, dev=dev, progress=progress)
        if dev is not None:
            references: dict[str, list[str]] = {}
            held_out = WordPairs.from_items(dev)
            for source, target in zip(held_out.sources, held_out.targets, strict=True):
                references.setdefault(source, []).append(target)
            self.tune(list(references), list(references.values()))
        return self

    def tune(
        self, words: Sequence[str], references: Sequence[Sequence[str]], *, measure: Measure | None = None
    ) -> Self:
        """Choose the weights that make ``measure`` largest on words with references; lists are made once.

        See `plait.translit.tuning.tune` for how.
        """
        self.weights = tune(self.pool(words), references, measure=measure or self.measure, split=splitter(self)).weights
        return self

    def pool(self, words: Sequence[str]) -> Pool:
        """Return the candidates of all systems with the probabilities that each of them gives."""
        if self.absent == "score" and (both := poolable(self.systems)):
            return pooled(*both, words, self.candidates)
        lists = [system.nbest(words, self.candidates) for system in self.systems]
        pool = Pool.from_lists(lists)
        if self.absent == "score":
            for number, system in enumerate(self.systems):
                absent = np.flatnonzero(~pool.listed[:, number])
                if len(absent):
                    sources = [words[pool.words[row]] for row in absent]
                    targets = [pool.targets[row] for row in absent]
                    pool.probabilities[absent, number] = probabilities_of(system, sources, targets)
        return pool

    def nbest(self, words: Sequence[str], n: int = 10) -> CandidateLists:
        """Return up to n targets of each word, the most probable first."""
        return CandidateLists(words, self.pool(words).ranked(self.weights, n))

    def transliterate(self, words: Sequence[str]) -> list[str]:
        """Return the most probable target of each word."""
        return [candidates[0].target if candidates else "" for candidates in self.nbest(words, 1)]

    def probabilities(self, words: Sequence[str], targets: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return P(T | S) of given targets: float64[words]."""
        shares = [
            weight * probabilities_of(system, words, targets)
            for weight, system in zip(self.weights, self.systems, strict=True)
            if weight > 0
        ]
        return np.asarray(np.sum(shares, axis=0), dtype=np.float64)

    def score(self, words: Sequence[str], references: Sequence[str] | Sequence[Sequence[str]]) -> float:
        """Return the share of words whose most probable target is a reference (ACC)."""
        lists = [[reference] if isinstance(reference, str) else list(reference) for reference in references]
        return evaluate([[target] for target in self.transliterate(words)], lists).acc

    @property
    def target_units_(self) -> ChosenUnits:
        """What the symbols of targets are, for the first system."""
        return target_units_of(self.systems[0])

    @property
    def threads(self) -> int | None:
        """Threads of the first system; setting it sets all."""
        return self.systems[0].threads

    @threads.setter
    def threads(self, threads: int | None) -> None:
        for system in self.systems:
            system.threads = threads

    def unknown_symbols(self, words: Iterable[str]) -> Counter[str]:
        """Return the source symbols that training did not have, and how often they stand in the words."""
        return unknown_symbols(self.systems[0], words)

    def save(self, path: Path, *, force: bool = False) -> None:
        """Write all systems and their weights to one file; `plait.translit.load` reads it."""
        models.save(path, KIND, *self.stored(), force=force)

    def stored(self) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
        """Return the arrays and the metadata of a model file."""
        from plait.translit.loading import kind_of

        arrays, parts = {}, []
        for number, system in enumerate(self.systems):
            own, metadata = system.stored()
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
    @from_a_file(KIND)
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
                blocks = {
                    name.removeprefix(prefix): block for name, block in found.blocks.items() if name.startswith(prefix)
                }
                inner = models.ModelFile(
                    part["kind"], found.format_version, found.plait_version, part["metadata"], blocks
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
            raise ModelFileError(
                f"the metadata of a model of kind {KIND!r} is incomplete; make the model again"
            ) from None


def _normal(weights: Sequence[float], count: int) -> tuple[float, ...]:
    values = [float(weight) for weight in weights]
    is_good = len(values) == count and all(0 <= value < float("inf") for value in values) and sum(values) > 0
    if not is_good:
        expected = f"{count} finite numbers from 0, not all 0"
        raise ConfigError(name="weights", expected=expected, found=repr(list(weights)))
    return tuple(value / sum(values) for value in values)
