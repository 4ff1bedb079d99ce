"""What the experiment finds."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from plait.demo.minrisk.claims import CLAIMS, Finding
from plait.demo.minrisk.schemes import SCHEMES
from plait.demo.minrisk.settings import Settings
from plait.minrisk import BleuComparison, bleu, compare_bleu

__all__ = ["RIVALS", "Results", "Row", "SeedRun"]

PartName = Literal["dev", "test"]
RIVALS = ("mert-nbest", "mr-nbest")
"""What each scheme is compared with."""


@dataclass(frozen=True, eq=False)
class Row:
    """What one scheme has reached with one seed; frozen.

    Attributes
    ----------
    weights : mapping of str to float
    statistics : mapping of str to ndarray of int64, shape (sentences, 9)
        Those of BLEU for "dev" and "test".
    seconds : float
        Of training and translating.
    """

    weights: Mapping[str, float] = field(repr=False)
    statistics: Mapping[str, npt.NDArray[np.int64]] = field(repr=False)
    seconds: float

    def bleu(self, part: PartName) -> float:
        """Return BLEU, from 0 to 100."""
        return 100 * bleu(self.statistics[part], smoothing="exp")


@dataclass(frozen=True, eq=False)
class SeedRun:
    """The experiment with one seed; frozen.

    Attributes
    ----------
    seed : int
    rows : mapping of str to Row
        By the name of the scheme.
    edges : float
        Mean number of edges of a dev forest.
    derivations : float
        Median number of its derivations.
    training_forests : int
        How many there were for the large set.
    precisions : tuple of float
        What the gain is made of: unigram precision of the translations under the wrong weights, what it is multiplied
        by for each further word, words of a translation. As ``--precisions`` of `plait minrisk train` takes them.
    seconds : mapping of str to float
        Of "learning", "translating" and each scheme.
    """

    seed: int
    rows: Mapping[str, Row]
    edges: float
    derivations: float
    training_forests: int
    precisions: tuple[float, float, float]
    seconds: Mapping[str, float]


@dataclass(frozen=True, eq=False)
class Results:
    """All seeds together; frozen."""

    settings: Settings
    runs: Sequence[SeedRun]

    def bleu(self, scheme: str, part: PartName) -> list[float]:
        """Return BLEU of each seed, from 0 to 100."""
        return [run.rows[scheme].bleu(part) for run in self.runs]

    def mean(self, scheme: str, part: PartName) -> float:
        """Return the mean of BLEU over seeds."""
        return statistics.fmean(self.bleu(scheme, part))

    def spread(self, scheme: str, part: PartName) -> float:
        """Return the standard deviation of BLEU over seeds; 0 for one."""
        values = self.bleu(scheme, part)
        return statistics.stdev(values) if len(values) > 1 else 0.0

    def features(self, scheme: str) -> int:
        """Return the largest number of weights that were trained with a seed."""
        return max(len(run.rows[scheme].weights) for run in self.runs)

    def compare(self, scheme: str, other: str, part: PartName) -> BleuComparison:
        """Compare two schemes on the sentences of all seeds, by paired bootstrap."""
        mine, theirs = (
            np.concatenate([run.rows[name].statistics[part] for run in self.runs]) for name in (scheme, other)
        )
        return compare_bleu(mine, theirs, resamples=self.settings.resamples)

    def findings(self) -> list[Finding]:
        """Return what the run says of each claim of the paper."""
        return [
            Finding(
                claim,
                self.compare(claim.scheme, claim.other, claim.part),
                sum(
                    mine > theirs
                    for mine, theirs in zip(
                        self.bleu(claim.scheme, claim.part), self.bleu(claim.other, claim.part), strict=True
                    )
                ),
                len(self.runs),
            )
            for claim in CLAIMS
        ]

    def as_json(self) -> dict[str, Any]:
        """Return everything as values of JSON, but the weights of n-grams; BLEU from 0 to 1."""
        return {
            "settings": asdict(self.settings),
            "rows": [self._row(scheme.name, scheme.label, scheme.published) for scheme in SCHEMES],
            "claims": [finding.as_json() for finding in self.findings()],
            "runs": [
                {
                    "seed": run.seed,
                    "edges": run.edges,
                    "derivations": run.derivations,
                    "training_forests": run.training_forests,
                    "precisions": list(run.precisions),
                    "seconds": dict(run.seconds),
                }
                for run in self.runs
            ],
        }

    def _row(self, name: str, label: str, published: tuple[float, float] | None) -> dict[str, Any]:
        against = {}
        for rival in RIVALS:
            found = self.compare(name, rival, "test")
            against[rival] = {
                "difference": found.difference,
                "interval": [found.interval.low, found.interval.high],
                "p_value": found.p_value,
            }
        return {
            "scheme": name,
            "label": label,
            "published": None if published is None else {"dev": published[0] / 100, "test": published[1] / 100},
            "features": self.features(name),
            "dev": self._shares(name, "dev"),
            "test": {**self._shares(name, "test"), "against": against},
            "weights": [
                {key: value for key, value in run.rows[name].weights.items() if not key.startswith("ngram:")}
                for run in self.runs
            ],
        }

    def _shares(self, name: str, part: PartName) -> dict[str, Any]:
        return {
            "bleu": [value / 100 for value in self.bleu(name, part)],
            "mean": self.mean(name, part) / 100,
            "spread": self.spread(name, part) / 100,
        }
