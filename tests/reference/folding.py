"""Alignment of new text with the parameters that training left."""

from __future__ import annotations

from reference.direction import Alignment, Direction, Table, Word
from reference.expectation import Fit, Weights, posteriors
from reference.gibbs import LinkCounts, count_links
from reference.ibm import JUMPS, Model
from reference.special import log


def mean_parameters(training: Direction, model: Model, samples: list[Alignment], text: Direction) -> Weights:
    """Mean over the samples of the posterior means of the parameters, for the pairs of types that occur in
    `text`.

    E[t(f | e)] = (N[e, f] + theta) / (N[e] + V theta) and E[d(delta)] = (N_d[delta] + phi) / (N_d + 11 phi):
    the factors of eq. 10. V is that of the training text.
    """
    lexicon = {(e, f): 0.0 for pair in text.pairs for e in pair.given for f in pair.emitted}
    jumps = dict.fromkeys(JUMPS, 0.0)
    for alignment in samples:
        counts = count_links(training, alignment)
        for e, f in lexicon:
            lexicon[e, f] += lexical_mean(training, model, counts, e, f) / len(samples)
        for delta in JUMPS:
            all_jumps = sum(counts.jumps.values()) + len(JUMPS) * model.phi
            jumps[delta] += (counts.jumps[delta] + model.phi) / all_jumps / len(samples)
    return Weights({pair: log(t) for pair, t in lexicon.items()}, {d: log(p) for d, p in jumps.items()})


def lexical_mean(training: Direction, model: Model, counts: LinkCounts, e: str | None, f: str) -> float:
    """First factor of eq. 6 and 10."""
    return (counts.lexicon[e, f] + model.theta) / (counts.given[e] + training.emitted_types * model.theta)


def fold_in(text: Direction, model: Model, weights: Weights) -> Table:
    """Posteriors of new text under fixed parameters: the tokens are independent, so one E-step is exact."""
    return posteriors(text, model, weights)


SMALLEST_COUNT = 0.001
"""Expected counts below this are not kept for new text."""


def smoothed_parameters(training: Direction, fit: Fit, text: Direction) -> Weights:
    """t(f | e) = (c(e, f) + theta) / (sum_f c(e, f) + V theta) of a fit by EM or VB, and its distortion.

    A given word that training has not seen has 1 / V. V is that of the training text.
    """
    kept = {pair: c for pair, c in fit.counts.lexicon.items() if c >= SMALLEST_COUNT}
    totals: dict[Word, float] = {}
    for (e, _), c in kept.items():
        totals[e] = totals.get(e, 0.0) + c
    types, theta = training.emitted_types, fit.model.theta
    known = {e for pair in training.pairs for e in pair.given}
    lexicon = {}
    for pair in text.pairs:
        for e in pair.given:
            for f in pair.emitted:
                smoothed = (kept.get((e, f), 0.0) + theta) / (totals.get(e, 0.0) + types * theta)
                lexicon[e, f] = log(smoothed if e in known else 1.0 / types)
    return Weights(lexicon, fit.weights.distortion)
