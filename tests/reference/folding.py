"""Alignment of new text with the parameters that training left."""

from __future__ import annotations

from reference.direction import Alignment, Direction, Table
from reference.expectation import Weights, posteriors
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
