"""Collapsed Gibbs sampling for Bayesian IBM Models 1 and 2 (Mermer et al. 2013, III-C, III-D, appendix)."""

from __future__ import annotations

import copy
import math
from collections import Counter
from dataclasses import dataclass

import numpy as np

from reference.direction import Alignment, Direction, Word
from reference.ibm import JUMPS, Model, jump_of_link, tail_share
from reference.special import log_dirichlet_normaliser


@dataclass(frozen=True)
class LinkCounts:
    """N[e, f], N[e] and N_d[delta] of one alignment of the corpus."""

    lexicon: Counter[tuple[Word, str]]
    given: Counter[Word]
    jumps: Counter[int]


def count_links(direction: Direction, alignment: Alignment, without: tuple[int, int] | None = None) -> LinkCounts:
    """Counts of all links but the one of token `without` (the N with the superscript in eq. 6 and 10)."""
    counts = LinkCounts(Counter(), Counter(), Counter())
    for n, j in direction.tokens():
        if (n, j) == without:
            continue
        pair, a = direction.pairs[n], alignment[n][j]
        counts.lexicon[pair.given[a], pair.emitted[j]] += 1
        counts.given[pair.given[a]] += 1
        delta = jump_of_link(pair, a, j)
        if delta is not None:
            counts.jumps[delta] += 1
    return counts


def conditional_from(direction: Direction, model: Model, counts: LinkCounts, n: int, j: int) -> list[float]:
    """P(a_j = i | E, F, other links) for i in 0..I, from the counts of the other links (eq. 6; eq. 10)."""
    pair = direction.pairs[n]
    weights = []
    for i, e in enumerate(pair.given):
        lexical = (counts.lexicon[e, pair.emitted[j]] + model.theta) / (
            counts.given[e] + direction.emitted_types * model.theta
        )
        weights.append(lexical * predictive_position_weight(direction, model, counts, n, j, i))
    total = sum(weights)
    return [w / total for w in weights]


def predictive_position_weight(direction: Direction, model: Model, counts: LinkCounts, n: int, j: int, i: int) -> float:
    """P(a_j = i | other links): the second factor of eq. 10. Model 1's is fixed."""
    pair = direction.pairs[n]
    if model.p0 is None:
        return 1.0 / (pair.given_length + 1)
    delta = jump_of_link(pair, i, j)
    if delta is None:
        return model.p0
    if not model.has_distortion:
        return (1.0 - model.p0) / pair.given_length
    all_jumps = sum(counts.jumps.values())
    mean = (counts.jumps[delta] + model.phi) / (all_jumps + len(JUMPS) * model.phi)
    return (1.0 - model.p0) * mean * tail_share(model, pair, i, j)


def conditional(direction: Direction, model: Model, alignment: Alignment, n: int, j: int) -> list[float]:
    """P(a_j = i | E, F, other links) with all counts taken from scratch."""
    return conditional_from(direction, model, count_links(direction, alignment, without=(n, j)), n, j)


def sweep(direction: Direction, model: Model, alignment: Alignment, rng: np.random.Generator) -> Alignment:
    """Table I, steps 3 to 7: resample every link in the order of the text, given the newest others."""
    alignment = copy.deepcopy(alignment)
    for n, j in direction.tokens():
        probabilities = conditional(direction, model, alignment, n, j)
        alignment[n][j] = int(rng.choice(len(probabilities), p=probabilities))
    return alignment


def sample(
    direction: Direction,
    model: Model,
    initial: Alignment,
    rng: np.random.Generator,
    *,
    burn_in: int,
    samples: int,
    lag: int,
) -> list[Alignment]:
    """Table I: B sweeps, then M samples, each `lag` sweeps after the one before: B + M * L sweeps in all."""
    alignment = initial
    for _ in range(burn_in):
        alignment = sweep(direction, model, alignment, rng)
    collected = []
    for _ in range(samples):
        for _ in range(lag):
            alignment = sweep(direction, model, alignment, rng)
        collected.append(alignment)
    return collected


def log_joint(direction: Direction, model: Model, alignment: Alignment) -> float:
    """ln P(A, F | E) with lexicon and jump probabilities integrated out (eq. 18 and the priors' normalisers).

    A Dirichlet-multinomial for each given type and for NULL; Model 1's position factors; for Model 2 p0 or 1
    - p0 for each link and one Dirichlet-multinomial over the jumps of the links that are not to NULL.
    """
    counts = count_links(direction, alignment)
    result = 0.0
    for e in counts.given:
        row = [c for (word, _), c in counts.lexicon.items() if word == e]
        dense = row + [0] * (direction.emitted_types - len(row))
        result += log_dirichlet_normaliser([c + model.theta for c in dense])
        result -= log_dirichlet_normaliser([model.theta] * direction.emitted_types)
    if model.has_distortion:
        result += log_dirichlet_normaliser([counts.jumps[d] + model.phi for d in JUMPS])
        result -= log_dirichlet_normaliser([model.phi] * len(JUMPS))
    for n, j in direction.tokens():
        pair, a = direction.pairs[n], alignment[n][j]
        if model.p0 is None:
            result += math.log(1.0 / (pair.given_length + 1))
        elif a == 0:
            result += math.log(model.p0)
        elif model.has_distortion:
            result += math.log(1.0 - model.p0) + math.log(tail_share(model, pair, a, j))
        else:
            result += math.log((1.0 - model.p0) / pair.given_length)
    return result
