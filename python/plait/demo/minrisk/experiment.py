"""Runs the experiment."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean, median

from plait.demo.minrisk.files import SeedFiles
from plait.demo.minrisk.results import Results, Row, SeedRun
from plait.demo.minrisk.schemes import BASELINE, LARGE, SMALL, Part, Tuning, large
from plait.demo.minrisk.settings import Settings
from plait.demo.translation import WRONG_WEIGHTS, Beams, Parts, Translator, jackknifed
from plait.minrisk import LBFGSB, bleu_statistics
from plait.progress import Callback

__all__ = ["run"]


def run(
    settings: Settings | None = None,
    *,
    threads: int | None = None,
    progress: Callback | None = None,
    save: Callable[[SeedFiles], None] | None = None,
) -> Results:
    """Train the weights of a translation system in all ways of the table, for each seed.

    Parameters
    ----------
    settings : Settings, optional
        Sizes and seeds.
    threads : int, optional
        All CPUs by default. No result depends on it.
    progress : callable, optional
        Called as ``progress(stage, done, total, figures)``.
    save : callable, optional
        Called with the forests, references and weights of each seed.

    Returns
    -------
    Results

    Raises
    ------
    plait.errors.ConfigError
        SciPy is not there: it is the extra ``minrisk``.

    Notes
    -----
    All schemes choose among the same forests, those of a system with wrong weights: for tuning among the forests of the
    dev part, or lists of their best translations; for BLEU among the whole forests of both parts. Nothing is chosen by
    BLEU on the test part.

    About 10 ms a sentence for the forests and 20 s a seed for training, with the default settings on two CPUs.

    References
    ----------
    Li and Eisner (2009), section 7.4.

    Examples
    --------
    >>> from plait.demo import minrisk
    >>> tiny = minrisk.Settings(seeds=(1,), training=300, sentences=20, test=5, large=20, nbest=5, rounds=1, edges=60)
    >>> found = minrisk.run(tiny)
    >>> found.mean("mr-hypergraph", "dev") > found.mean("baseline", "dev")
    True
    """
    settings = settings or Settings()
    _ = LBFGSB().settings  # minutes of work are no time to find out that SciPy is not there
    return Results(settings, [_Seed(settings, seed, threads, progress).run(save) for seed in settings.seeds])


class _Seed:
    """The experiment with one seed."""

    def __init__(self, settings: Settings, seed: int, threads: int | None, progress: Callback | None) -> None:
        self.settings, self.seed, self.threads, self._hears = settings, seed, threads, progress
        self.seconds: dict[str, float] = {}

    def run(self, save: Callable[[SeedFiles], None] | None) -> SeedRun:
        settings = self.settings
        beams = Beams(forest_edges=settings.edges)
        started = time.perf_counter()
        parts = Parts.make(settings.pair, settings.training, settings.sentences, settings.test, self.seed)
        system = Translator.learn(parts.training, beams=beams, threads=self.threads)
        self._lap("learning", started)
        started = time.perf_counter()
        dev, test = (
            Part(system.translate(text.source, stage=name, progress=self._progress("translating")), text.target)
            for name, text in (("dev", parts.dev), ("test", parts.test))
        )
        training = Part(
            *jackknifed(
                parts.training,
                settings.large,
                beams=beams,
                threads=self.threads,
                progress=self._progress("translating"),
            )
        )
        self._lap("translating", started)
        tuning = Tuning(dev, settings, seed=self.seed, threads=self.threads, progress=None)
        rows = self._rows(tuning, {"dev": dev, "test": test}, training)
        if save is not None:
            weights = {name: row.weights for name, row in rows.items()}
            sources = {"dev": parts.dev.source, "test": parts.test.source}
            save(SeedFiles(self.seed, {"dev": dev, "test": test, "train": training}, sources, weights))
        return SeedRun(
            self.seed,
            rows,
            fmean(forest.edges for forest in dev.forests),
            float(median(forest.derivations for forest in dev.forests)),
            len(training.forests),
            tuning.precisions,
            self.seconds,
        )

    def _rows(self, tuning: Tuning, held: Mapping[str, Part], training: Part) -> dict[str, Row]:
        rows = {BASELINE: self._row(WRONG_WEIGHTS, held, time.perf_counter())}
        for name, fit in SMALL.items():
            started = time.perf_counter()
            tuning.progress = self._progress(name)
            rows[name] = self._row(fit(tuning), held, started)
            self._lap(name, started)
        started = time.perf_counter()
        tuning.progress = self._progress(LARGE)
        found = large(tuning, rows["da-hypergraph"].weights, training, held)
        rows[LARGE] = self._row(found.weights, held, started, found.translations)
        self._lap(LARGE, started)
        return rows

    def _row(
        self,
        weights: Mapping[str, float],
        held: Mapping[str, Part],
        started: float,
        translations: Mapping[str, list[tuple[str, ...]]] | None = None,
    ) -> Row:
        said = translations or {name: part.translations(weights) for name, part in held.items()}
        found = {
            name: bleu_statistics(said[name], [part.references], threads=self.threads) for name, part in held.items()
        }
        return Row(weights, found, time.perf_counter() - started)

    def _lap(self, name: str, started: float) -> None:
        self.seconds[name] = time.perf_counter() - started

    def _progress(self, scheme: str) -> Callback | None:
        """Return what puts the seed and the scheme before the name of a stage."""
        hears = self._hears
        if hears is None:
            return None
        place = f"seed {self.settings.seeds.index(self.seed) + 1}/{len(self.settings.seeds)} {scheme}"

        def told(stage: str, done: int, total: int, figures: Sequence[tuple[str, float]] = ()) -> None:
            hears(f"{place} {stage}", done, total, figures)

        return told
