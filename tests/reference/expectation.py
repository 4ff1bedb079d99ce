"""EM and variational Bayes for IBM Models 1 and 2.

Brown et al. 1993 (EM); Riley and Gildea 2012 (VB); Mermer et al. 2013, section III-D (distortion).
All weights are natural logarithms: under a sparse prior exp(psi(c + theta)) is smaller than any double.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass

from reference.direction import Direction, Pair, Table, Word
from reference.ibm import (
    JUMPS,
    Distortion,
    Lexicon,
    Model,
    jump_of_link,
    log_position,
    uniform_distortion,
)
from reference.special import digamma, dirichlet_divergence, log, log_sum_exp

MODEL_1_ITERATIONS = 5
"""Model 2 starts from this many iterations of Model 1."""


@dataclass(frozen=True)
class Counts:
    """Expected counts of links: of (e, f), and of jumps (links to NULL have none)."""

    lexicon: dict[tuple[Word, str], float]
    jumps: dict[int, float]


@dataclass(frozen=True)
class Weights:
    """What the E-step adds up: ln t(f | e) and ln d(jump); under VB their expectations."""

    lexicon: Lexicon
    distortion: Distortion


@dataclass(frozen=True)
class Fit:
    """What training leaves: the weights after the last M-step, and the objective of each E-step, in nats.

    `counts` are the expected counts that the weights come from; `warm_up` is the objective of the iterations of
    Model 1 that prepare Model 2.
    """

    model: Model
    weights: Weights
    counts: Counts
    history: list[float]
    warm_up: list[float]


def uniform_lexicon(direction: Direction) -> Lexicon:
    """t(f | e) = 1 / V for all types that occur together."""
    return {
        (e, f): log(1.0 / direction.emitted_types) for pair in direction.pairs for e in pair.given for f in pair.emitted
    }


def candidate_logs(model: Model, weights: Weights, pair: Pair, j: int) -> list[float]:
    """ln P(a_j = i) t(f_j | e_i) for i in 0..I (eq. 2, 7). A pair of types never seen together has t = 0."""
    return [
        log_position(model, weights.distortion, pair, i, j) + weights.lexicon.get((e, pair.emitted[j]), -math.inf)
        for i, e in enumerate(pair.given)
    ]


def posteriors(direction: Direction, model: Model, weights: Weights) -> Table:
    """P(a_j = i | e, f) for every token: in Models 1 and 2 the tokens are independent given the parameters.

    A token none of whose candidates has any weight keeps zeros.
    """
    table = []
    for pair in direction.pairs:
        rows = []
        for j in range(pair.emitted_length):
            logs = candidate_logs(model, weights, pair, j)
            total = log_sum_exp(logs)
            rows.append([math.exp(x - total) if total > -math.inf else 0.0 for x in logs])
        table.append(rows)
    return table


def log_likelihood(direction: Direction, model: Model, weights: Weights) -> float:
    """ln P(F | E): sum over tokens of ln sum_i P(a_j = i) t(f_j | e_i)."""
    tokens = [(direction.pairs[n], j) for n, j in direction.tokens()]
    return sum(log_sum_exp(candidate_logs(model, weights, pair, j)) for pair, j in tokens)


def expected_counts(direction: Direction, model: Model, weights: Weights) -> Counts:
    """E-step: the posteriors, added up by type and by jump."""
    lexicon: dict[tuple[Word, str], float] = defaultdict(float)
    jumps: dict[int, float] = dict.fromkeys(JUMPS, 0.0)
    table = posteriors(direction, model, weights)
    for n, j in direction.tokens():
        pair = direction.pairs[n]
        for i, e in enumerate(pair.given):
            lexicon[e, pair.emitted[j]] += table[n][j][i]
            delta = jump_of_link(pair, i, j)
            if delta is not None:
                jumps[delta] += table[n][j][i]
    return Counts(dict(lexicon), jumps)


def row_totals(counts: Counts) -> dict[Word, float]:
    """sum_f c(e, f) for each e."""
    totals: dict[Word, float] = defaultdict(float)
    for (e, _), c in counts.lexicon.items():
        totals[e] += c
    return dict(totals)


def maximise(counts: Counts) -> Weights:
    """M-step of EM: relative frequencies. Without any count a row is zero, and the jumps stay uniform."""
    totals = row_totals(counts)
    all_jumps = sum(counts.jumps.values())
    lexicon = {(e, f): log(c) - log(totals[e]) if c > 0 else -math.inf for (e, f), c in counts.lexicon.items()}
    if all_jumps == 0:
        return Weights(lexicon, uniform_distortion())
    return Weights(lexicon, {d: log(c / all_jumps) for d, c in counts.jumps.items()})


def expected_log_parameters(direction: Direction, model: Model, counts: Counts) -> Weights:
    """M-step of VB: t = exp(psi(c + theta)) / exp(psi(sum_f (c + theta))), and the same for jumps with phi.

    The total runs over all V emitted types: sum_f (c + theta) = sum_f c + V theta.
    """
    totals = row_totals(counts)
    all_jumps = sum(counts.jumps.values()) + len(JUMPS) * model.phi
    lexicon = {
        (e, f): digamma(c + model.theta) - digamma(totals[e] + direction.emitted_types * model.theta)
        for (e, f), c in counts.lexicon.items()
    }
    distortion = {d: digamma(c + model.phi) - digamma(all_jumps) for d, c in counts.jumps.items()}
    return Weights(lexicon, distortion)


def divergence(direction: Direction, model: Model, counts: Counts) -> float:
    """KL of all Dirichlet posteriors, prior plus these counts, from their priors.

    One for each given type, one for NULL, and under Model 2 one for the jumps.
    """
    rows: dict[Word, list[float]] = defaultdict(list)
    for (e, _), c in counts.lexicon.items():
        rows[e].append(c)
    prior = [model.theta] * direction.emitted_types
    result = 0.0
    for row in rows.values():
        dense = row + [0.0] * (direction.emitted_types - len(row))
        result += dirichlet_divergence([c + model.theta for c in dense], prior)
    if model.has_distortion:
        jumps = [counts.jumps[d] + model.phi for d in JUMPS]
        result += dirichlet_divergence(jumps, [model.phi] * len(JUMPS))
    return result


def start(direction: Direction) -> Weights:
    """Uniform lexicon and jumps."""
    return Weights(uniform_lexicon(direction), uniform_distortion())


def warm_up_of(model: Model) -> Model:
    """The Model 1 that prepares the lexicon of Model 2, with NULL one of I + 1 equal candidates."""
    return Model("ibm1", None, model.theta, model.phi)


def em(direction: Direction, model: Model, iterations: int) -> Fit:
    """`iterations` steps of EM from the uniform start; Model 2 first gets five of Model 1.

    history[k] is the log-likelihood under the parameters that iteration k + 1 starts from.
    """
    weights = start(direction)
    warm_up: list[float] = []
    if model.has_distortion:
        weights, _, warm_up = em_from(direction, warm_up_of(model), weights, MODEL_1_ITERATIONS)
        weights = Weights(weights.lexicon, uniform_distortion())
    weights, counts, history = em_from(direction, model, weights, iterations)
    return Fit(model, weights, counts, history, warm_up)


def em_from(
    direction: Direction, model: Model, weights: Weights, iterations: int
) -> tuple[Weights, Counts, list[float]]:
    """EM from given weights: the last weights, the counts they come from, and the log-likelihoods."""
    history = []
    for _ in range(iterations):
        history.append(log_likelihood(direction, model, weights))
        counts = expected_counts(direction, model, weights)
        weights = maximise(counts)
    return weights, counts, history


def vb(direction: Direction, model: Model, iterations: int) -> Fit:
    """`iterations` steps of variational Bayes from the uniform start; Model 2 first gets five of Model 1.

    The history holds the bounds on ln P(F | E) of the Dirichlet posteriors that iterations start from: the
    log of the summed weights less the divergence of these posteriors from their priors. Uniform tables are
    no such posterior: Model 1 has no entry for its first iteration, and Model 2's first takes its jumps as
    known.
    """
    weights = start(direction)
    counts: Counts | None = None
    warm_up: list[float] = []
    if model.has_distortion:
        first = warm_up_of(model)
        weights, counts, warm_up = vb_from(direction, first, weights, None, MODEL_1_ITERATIONS)
        weights = Weights(weights.lexicon, uniform_distortion())
        # Model 1 counts no jumps.
        counts = Counts(counts.lexicon, dict.fromkeys(JUMPS, 0.0))
    weights, counts, history = vb_from(direction, model, weights, counts, iterations)
    return Fit(model, weights, counts, history, warm_up)


def vb_from(
    direction: Direction, model: Model, weights: Weights, counts: Counts | None, iterations: int
) -> tuple[Weights, Counts, list[float]]:
    """VB from given weights, which come from `counts` if any: the last of both, and the bounds."""
    history = []
    for _ in range(iterations):
        if counts is not None:
            bound = log_likelihood(direction, model, weights) - divergence(direction, model, counts)
            history.append(bound)
        counts = expected_counts(direction, model, weights)
        weights = expected_log_parameters(direction, model, counts)
    assert counts is not None, "at least one iteration"
    return weights, counts, history
