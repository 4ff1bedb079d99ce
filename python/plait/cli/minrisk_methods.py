"""How ``plait minrisk train`` finds weights."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import click
import numpy as np

from plait.cli.minrisk_inputs import ForestFiles, read_references, references_of
from plait.cli.minrisk_options import gain_of, ignored
from plait.hypergraph.forest import Forest, shared_names
from plait.hypergraph.prune import prune
from plait.minrisk import (
    L2,
    Annotated,
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
    bleu_statistics,
    match_weights,
    merged_lists,
    mert,
    nbest_forest,
    read_weights,
    rerank,
    train,
)
from plait.minrisk.annotate import BASELINE
from plait.minrisk.flat import is_flat
from plait.minrisk.ngram_features import PREFIX, yields_without
from plait.progress import Reporter

__all__ = ["Outcome", "by_bleu", "by_gradients"]

_SHOWN = 5
# That of the default: the gain of a word that no reference has.
_AUTO_THETA = -0.1
Streams = list[list[str]]


@dataclass(frozen=True)
class Outcome:
    """Weights, and what there is to say of them; frozen."""

    weights: Mapping[str, float]
    comments: Sequence[str]
    summary: str
    facts: Mapping[str, object]


def by_gradients(paths: Sequence[str], options: dict[str, Any], progress: Reporter) -> Outcome:
    """Train by minimum risk, with or without annealing."""
    progress("reading", 0, 1)
    streams = read_references(options["references"])
    files = ForestFiles(paths, options, is_kept=options["spool"] is None)
    sentences = files.sentences(len(streams[0]), "lines of references")
    baseline = _read(options["baseline"])
    weights = _read(options["init"]) if baseline is None else baseline
    forests, sentences = _of_sentences(_Prepared(files, options, weights), sentences)
    index = FeatureIndex()
    settings: dict[str, Any] = {
        "gain": _gain(forests, [[stream[n] for n in sentences] for stream in streams], weights, options),
        "ngrams": _ngrams(forests, streams, options),
        "baseline": baseline,
        "keep_features": baseline is None or options["keep_features"],
        "ignore": ignored(options["ignore"]),
        "limit": options["limit"],
    }
    annotator = Annotator(index, **settings)
    references = (references_of(streams, sentence, options["references"]) for sentence in sentences)
    annotated = annotator.annotate_all(
        _counted(forests, len(sentences), progress), references, threads=options["threads"]
    )
    kept: list[Annotated] = []
    if options["spool"] is None:
        kept = list(annotated)
    with TrainingSet.build(
        (each.risk for each in (kept or annotated)), path=options["spool"], force=True, progress=progress
    ) as training_set:
        development = _development(kept, sentences, streams, index, settings, options)
        start = _start(options, baseline, training_set.feature_names, progress)
        found = train(
            training_set,
            start,
            schedule=_schedule(options),
            l2=_penalty(options, start, training_set.feature_names),
            frozen=_listed(options["freeze"]),
            trains_gamma=options["train_gamma"],
            averages=options["average"],
            development=development,
            selection=options["select"],
            checkpoint=options["checkpoint"],
            threads=options["threads"],
            progress=progress,
        )
    return _outcome(found, settings["gain"], is_development=bool(options["dev"]))


def by_bleu(paths: Sequence[str], options: dict[str, Any], progress: Reporter) -> Outcome:
    """Search the largest BLEU of the best translations."""
    progress("reading", 0, 1)
    streams = read_references(options["references"])
    files = ForestFiles(paths, options)
    sentences = files.sentences(len(streams[0]), "lines of references")
    start = _read(options["init"])
    absent = frozenset(ignored(options["ignore"]))
    prepared, sentences = _of_sentences(_Prepared(files, options, start), sentences)
    forests = shared_names([_without(forest, absent) for forest in prepared])
    are_flat = all(map(is_flat, forests))
    lines = [[stream[n] for n in sentences] for stream in streams]
    if are_flat:
        problem = MertProblem.from_lists(NbestLists.from_forests(forests), lines)
    else:
        problem = MertProblem.from_forests(forests, lines)
    matched = match_weights(start or {}, problem.feature_names)
    _tell_unused(matched.without_feature, progress)
    found = mert(
        problem,
        matched.values,
        restarts=options["restarts"],
        seed=options["seed"],
        frozen=_listed(options["freeze"]),
        threads=options["threads"],
        progress=progress,
    )
    before = found.trace[0].initial_bleu
    return Outcome(
        found.weights_by_name,
        [f"BLEU {100 * found.bleu:.4f} on the training data, {100 * before:.4f} at the start"],
        f"BLEU {100 * before:.2f} -> {100 * found.bleu:.2f} with {len(found.weights):,} features on {len(forests):,} "
        f"{'lists' if are_flat else 'forests'}",
        {
            "features": len(found.weights),
            "forests": len(forests),
            "initial_bleu": before,
            "bleu": found.bleu,
            "best_start": found.best,
        },
    )


class _Prepared:
    """The forests of files, pruned or made flat as the options ask for it; gone through more than once."""

    def __init__(self, files: ForestFiles, options: dict[str, Any], weights: Mapping[str, float] | None) -> None:
        self._files, self._options, self._weights = files, options, weights

    def __iter__(self) -> Iterator[Forest]:
        for forest in self._files:
            yield self._prepared(forest)

    def _prepared(self, forest: Forest) -> Forest:
        edges, n = self._options["edges"], self._options["nbest"]
        if edges is None and n is None:
            return forest
        values = match_weights(self._weights or {}, forest.features.names).values
        if edges is not None and forest.edges > edges:
            forest = forest.part(prune(forest.graph, forest.scores(values), edges=edges))
        if n is not None:
            forest = nbest_forest(forest, forest.scores(values), n, unique=self._options["unique"])
        return forest


def _of_sentences(forests: Iterable[Forest], sentences: list[int]) -> tuple[Iterable[Forest], list[int]]:
    """Make one list of those of a sentence, as several runs of a decoder write them; forests stay apart."""
    if len(set(sentences)) == len(sentences):
        return forests, sentences
    kept = list(forests)
    if not all(map(is_flat, kept)):
        return kept, sentences
    groups: dict[int, list[Forest]] = {}
    for sentence, forest in zip(sentences, kept, strict=True):
        groups.setdefault(sentence, []).append(forest)
    numbers = sorted(groups)
    return [merged_lists(groups[number]) for number in numbers], numbers


def _read(path: str | None) -> dict[str, float] | None:
    return None if path is None else read_weights(path)


def _listed(names: str | None) -> list[str]:
    return [] if names is None else [name for name in names.split(",") if name]


def _counted(forests: Iterable[Forest], total: int, progress: Reporter) -> Iterator[Forest]:
    for done, forest in enumerate(forests):
        progress("annotating", done, total)
        yield forest
    progress("annotating", total, total)


def _gain(
    forests: Iterable[Forest],
    streams: Streams,
    weights: Mapping[str, float] | None,
    options: dict[str, Any],
) -> LinearBleu:
    """Return the gain of --precisions; ``auto`` fits it to the best translations, and scales it as by default."""
    if options["precisions"] != "auto" or options["thetas"] is not None:
        return gain_of(options)
    found = rerank(forests, weights or {}, ignore=ignored(options["ignore"]), threads=options["threads"])
    lines = [best[0].words if best else () for best in found]
    fitted = LinearBleu.from_statistics(bleu_statistics(lines, streams, threads=options["threads"]))
    return LinearBleu([theta * (_AUTO_THETA / fitted.thetas[0]) for theta in fitted.thetas])


def _ngrams(forests: Iterable[Forest], streams: Streams, options: dict[str, Any]) -> NgramFeatures | None:
    if options["ngrams"] is None:
        return None
    choice: dict[str, Any] = {
        "orders": _orders(options["ngrams"]),
        "minimum": options["min_count"],
        "top": options["top"],
    }
    if options["ngrams_from"] == "references":
        return NgramFeatures.from_texts((line for stream in streams for line in stream), **choice)
    return NgramFeatures.from_forests(forests, ignore=ignored(options["ignore"]), limit=options["limit"], **choice)


def _orders(text: str) -> list[int]:
    first, _, last = text.partition("-")
    try:
        least, most = int(first), int(last or first)
    except ValueError:
        least = most = 0
    if not 1 <= least <= most <= 9:
        raise click.BadParameter(f"{text!r} is no order or range of orders, as in '2' or '1-2'", param_hint="--ngrams")
    return list(range(least, most + 1))


def _development(
    kept: list[Annotated],
    sentences: list[int],
    streams: Streams,
    index: FeatureIndex,
    settings: dict[str, Any],
    options: dict[str, Any],
) -> BestTranslations | None:
    """Return the forests of --dev, those of training where they are in memory, or none."""
    ignore, threads = settings["ignore"], options["threads"]
    if options["dev"]:
        streams = read_references(options["dev_references"])
        files = ForestFiles(options["dev"], options, is_kept=False)
        sentences = files.sentences(len(streams[0]), "lines of references of --dev")
        annotated = Annotator(index.frozen(), **settings).annotate_all(files, threads=threads)
    elif kept:
        annotated = iter(kept)
    else:
        return None
    lines = [[stream[n] for n in sentences] for stream in streams]
    return BestTranslations(annotated, lines, ignore=ignore, threads=threads)


def _start(
    options: dict[str, Any], baseline: Mapping[str, float] | None, names: tuple[str, ...], progress: Reporter
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the weights where training starts: those of --init, and 1 for the score of a baseline."""
    given = _read(options["init"]) or {}
    if baseline is not None:
        given.setdefault(BASELINE, 1.0)
    matched = match_weights(given, names)
    _tell_unused(matched.without_feature, progress)
    return matched.values


def _tell_unused(names: tuple[str, ...], progress: Reporter) -> None:
    if names:
        shown = ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
        progress.note(f"{len(names)} weights are of no feature of the forests, and left out: {shown}")


def _penalty(options: dict[str, Any], start: np.ndarray[Any, np.dtype[np.float64]], names: tuple[str, ...]) -> L2:
    center = start if options["l2_center"] == "start" else 0.0
    if options["l2_ngrams"] is None:
        return L2(options["l2"], center)
    is_ngram = np.array([name.startswith(PREFIX) for name in names], np.bool_)
    return L2(np.where(is_ngram, options["l2_ngrams"], options["l2"]), center)


def _schedule(options: dict[str, Any]) -> Schedule:
    temperature, iterations = options["temperature"], options["iterations"]
    if options["method"] == "mr":
        return Schedule.minimum_risk(temperature=temperature or 0.0, gamma=options["gamma"], iterations=iterations)
    return Schedule.annealing(
        highest=10.0 if temperature is None else temperature,
        lowest=options["lowest"],
        cooling=options["cooling"],
        gamma=options["gamma"],
        sharpest=options["sharpest"],
        iterations=max(1, iterations // 5),
        last_iterations=iterations,
    )


def _without(forest: Forest, absent: frozenset[str]) -> Forest:
    starts, items = yields_without(forest, absent).arrays
    return replace(forest, item_starts=starts, items=items)


def _outcome(found: Training, gain: LinearBleu, *, is_development: bool) -> Outcome:
    last = found.history[-1]
    score = "" if found.score is None else f", BLEU {100 * found.score:.2f}{' on --dev' if is_development else ''}"
    count = found.forests - found.empty
    facts: dict[str, object] = {
        "features": len(found.weights),
        "forests": found.forests,
        "empty": found.empty,
        "stages": len(found.history),
        "iterations": sum(stage.iterations for stage in found.history),
        "evaluations": sum(stage.evaluations for stage in found.history),
        "converged": last.is_converged,
        "gamma": found.gamma,
        "thetas": gain.thetas,
        "risk": last.risk,
        "entropy": last.entropy,
        "objective": last.objective,
        "bleu": found.score,
    }
    summary = (
        f"risk {last.risk / count:.4f} and entropy {last.entropy / count:.3f} a sentence{score}, "
        f"{len(found.weights):,} features, {found.forests:,} forests ({found.empty:,} empty), "
        f"{facts['iterations']:,} iterations{'' if last.is_converged else ', not converged'}"
    )
    comments = [
        f"gamma {found.gamma!r}",
        f"thetas of linear BLEU {' '.join(f'{theta:.6g}' for theta in gain.thetas)}",
        f"risk {last.risk!r}, entropy {last.entropy!r}",
    ]
    return Outcome(found.as_mapping(), comments, summary, facts)
