"""The ways of training that are compared: the rows of the table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from plait.demo.minrisk.growing_lists import GrowingLists
from plait.demo.minrisk.settings import Settings
from plait.demo.translation import FEATURES, WRONG_WEIGHTS
from plait.hypergraph import Forest
from plait.minrisk import (
    L2,
    Annotator,
    BestTranslations,
    FeatureIndex,
    LinearBleu,
    MertProblem,
    NbestLists,
    NgramFeatures,
    Schedule,
    Training,
    TrainingSet,
    annotate_all,
    bleu_statistics,
    mert,
    rerank,
    train,
)
from plait.progress import Callback

__all__ = ["BASELINE", "LARGE", "SCHEMES", "Large", "Part", "Scheme", "Small", "Tuning", "large"]

Weights = Mapping[str, float]

# Losses of a sentence are of the size of 1: below the first temperature they begin to matter, below the last one
# nothing else does.
_HIGHEST, _LOWEST = 1.0, 0.03
# Chosen on corpora of other seeds than those of the experiment, as all else here.
_RESTARTS = 10
_LARGE_L2, _FIRST_BASELINE = 1e-4, 5.0


@dataclass(frozen=True)
class Scheme:
    """A row of the table; frozen.

    Attributes
    ----------
    name : str
        For programs and files.
    label : str
        For people: minimum error rate training (MERT), minimum risk (MR), with deterministic annealing (MR+DA); on
        lists of the n best or on forests; of five features unless it says large.
    published : tuple of float, or None
        BLEU on dev and test in Table 5.
    """

    name: str
    label: str
    published: tuple[float, float] | None


SCHEMES = (
    Scheme("baseline", "wrong weights", None),
    Scheme("mert-nbest", "MERT, n-best", (42.6, 47.7)),
    Scheme("mr-nbest", "MR, n-best", (40.8, 47.7)),
    Scheme("da-nbest", "MR+DA, n-best", (41.6, 47.8)),
    Scheme("mr-hypergraph", "MR, forests", (41.3, 48.4)),
    Scheme("da-hypergraph", "MR+DA, forests", (41.9, 48.3)),
    Scheme("mr-large", "MR, forests, large", (42.3, 48.7)),
)
"""The rows, in the order of the paper; small is five features, large is thousands."""

BASELINE, LARGE = SCHEMES[0].name, SCHEMES[-1].name


@dataclass(frozen=True, eq=False)
class Part:
    """Forests with their references, one each."""

    forests: Sequence[Forest]
    references: Sequence[Sequence[str]]

    def translations(self, weights: Weights) -> list[tuple[str, ...]]:
        """Return the best translation of each forest."""
        return [best[0].words for best in rerank(self.forests, weights)]


class Tuning:
    """What all schemes share: the forests of the dev part, the gain, the lists under the wrong weights.

    Parameters
    ----------
    dev
        Forests to tune on.
    settings
        Sizes.
    seed
        Of restarts of MERT.
    threads
        All CPUs by default.
    progress
        Hears of stages.

    Attributes
    ----------
    gain : LinearBleu
        That of the translations under the wrong weights, for sentences of the mean length: losses of a sentence are of
        the size of 1.
    """

    def __init__(
        self, dev: Part, settings: Settings, *, seed: int, threads: int | None, progress: Callback | None
    ) -> None:
        self.dev, self.settings, self.seed, self.threads, self.progress = dev, settings, seed, threads, progress
        statistics = bleu_statistics(dev.translations(WRONG_WEIGHTS), [dev.references], threads=threads)
        found = LinearBleu.from_statistics(statistics)
        self.gain = LinearBleu([theta * len(dev.forests) for theta in found.thetas])

    @property
    def precisions(self) -> tuple[float, float, float]:
        """What `gain` is made of: unigram precision, ratio, words; see `LinearBleu.from_precisions`."""
        word, unigram, bigram = self.gain.thetas[:3]
        return -word / (self.gain.order * unigram), unigram / bigram, -1.0 / word

    @property
    def risk(self) -> Schedule:
        """The schedule without annealing."""
        return Schedule.minimum_risk(iterations=self.settings.iterations)

    @property
    def annealing(self) -> Schedule:
        """The schedule of deterministic annealing."""
        last = self.settings.iterations
        return Schedule.annealing(highest=_HIGHEST, lowest=_LOWEST, iterations=max(last // 10, 1), last_iterations=last)

    def mert_nbest(self) -> Weights:
        """Return the weights of minimum error rate training on lists that grow."""

        def fit(lists: Sequence[Forest], weights: Weights) -> Weights:
            problem = MertProblem.from_lists(
                NbestLists.from_forests(lists), [self.dev.references], threads=self.threads
            )
            found = mert(problem, weights, restarts=_RESTARTS, seed=self.seed, normalize="l1", threads=self.threads)
            return found.weights_by_name

        return self._in_rounds(fit, goes_on=True)

    def risk_nbest(self, schedule: Schedule) -> Weights:
        """Return the weights of minimum-risk training on lists that grow."""
        return self._in_rounds(lambda lists, weights: self._trained(lists, weights, schedule), goes_on=False)

    def risk_hypergraph(self, schedule: Schedule) -> Weights:
        """Return the weights of minimum-risk training on forests."""
        return self._trained(self.dev.forests, WRONG_WEIGHTS, schedule)

    def _in_rounds(self, fit: Callable[[Sequence[Forest], Weights], Weights], *, goes_on: bool) -> Weights:
        """Draw lists under the weights, train on all lists so far, and again.

        Minimum error rate training goes on from the weights of the round before, as is the custom. Minimum-risk
        training begins anew: it ends with a distribution that is all but certain, whose gradient is 0 on any list.
        """
        lists = GrowingLists(self.dev.forests, self.settings.nbest)
        weights: Weights = WRONG_WEIGHTS
        for _ in range(self.settings.rounds):
            if not lists.extend(weights):
                break
            weights = fit(lists.lists, weights if goes_on else WRONG_WEIGHTS)
        return weights

    def _trained(self, forests: Sequence[Forest], weights: Weights, schedule: Schedule) -> Weights:
        annotated = annotate_all(
            forests,
            [[line] for line in self.dev.references],
            index=FeatureIndex(FEATURES),
            gain=self.gain,
            threads=self.threads,
        )
        training_set = TrainingSet.build(annotated, FEATURES)
        found = train(training_set, weights, schedule=schedule, threads=self.threads, progress=self.progress)
        return _scaled(found)


Small = Mapping[str, Callable[[Tuning], Weights]]
SMALL: Small = {
    "mert-nbest": Tuning.mert_nbest,
    "mr-nbest": lambda tuning: tuning.risk_nbest(tuning.risk),
    "da-nbest": lambda tuning: tuning.risk_nbest(tuning.annealing),
    "mr-hypergraph": lambda tuning: tuning.risk_hypergraph(tuning.risk),
    "da-hypergraph": lambda tuning: tuning.risk_hypergraph(tuning.annealing),
}
"""How the weights of five features are trained."""


@dataclass(frozen=True, eq=False)
class Large:
    """The weights of many features, and the translations that they choose."""

    weights: Weights
    translations: Mapping[str, list[tuple[str, ...]]]


def large(tuning: Tuning, baseline: Weights, training: Part, others: Mapping[str, Part]) -> Large:
    """Train the second stage: the score of a baseline is one feature, words and word pairs of the target the others.

    Parameters
    ----------
    tuning
        Settings and gain.
    baseline
        The weights of five features.
    training
        Forests of training sentences.
    others
        What is translated with the weights that are found.
    """
    settings, threads = tuning.settings, tuning.threads
    ngrams = NgramFeatures.from_texts(training.references, orders=(1, 2), minimum=settings.minimum)
    index = FeatureIndex(["baseline", *ngrams.names], is_frozen=True)
    annotator = Annotator(index, gain=tuning.gain, ngrams=ngrams, baseline=baseline, keep_features=False)
    lines = [[line] for line in training.references]
    annotated = (each.risk for each in annotator.annotate_all(training.forests, lines, threads=threads))
    training_set = TrainingSet.build(annotated, index.names, progress=tuning.progress)
    strength = np.full(len(index), _LARGE_L2)
    strength[0] = 0.0
    found = train(
        training_set,
        {"baseline": _FIRST_BASELINE},
        schedule=Schedule.minimum_risk(iterations=settings.iterations),
        l2=L2(strength),
        averages=True,
        threads=threads,
        progress=tuning.progress,
    )
    translations = {
        name: BestTranslations(
            annotator.annotate_all(part.forests, threads=threads), [part.references], threads=threads
        ).translations(found.weights)
        for name, part in others.items()
    }
    return Large(found.as_mapping(), translations)


def _scaled(found: Training) -> Weights:
    """Return weights of which the largest is 1 in size: all that counts for what is best."""
    largest = float(np.abs(found.weights).max())
    return {name: weight / (largest or 1.0) for name, weight in found.as_mapping().items()}
