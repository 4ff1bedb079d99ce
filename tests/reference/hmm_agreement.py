"""Agreement training: both directions of the HMM together.

Liang, Taskar and Klein 2006, "Alignment by Agreement": the E-step of both directions runs first, and the product of
their link posteriors gives the expected counts of both lexicons. Each direction keeps its own expected jumps, and its
own posterior of NULL, for which the other one has no counterpart.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from reference.direction import Direction, Table
from reference.expectation import posteriors, start
from reference.hmm import UNIFORM, HmmModel, Parameters
from reference.hmm_training import (
    HmmFit,
    Lexicon,
    LexiconCounts,
    count_jumps,
    expect,
    link_counts,
    model_1,
    relative_frequencies,
)
from reference.ibm import Model
from reference.special import log


@dataclass(frozen=True)
class Agreement:
    """Both directions after training together."""

    forward: HmmFit
    reverse: HmmFit


def products(forward: Table, reverse: Table) -> Table:
    """The links of the forward direction times the same links of the reverse one (Liang, Taskar and Klein 2006).

    NULL keeps its own posterior: the other direction has no such link. Rows need not sum to one.
    """
    return [
        [[row[0], *(p * there[i][j + 1] for i, p in enumerate(row[1:]))] for j, row in enumerate(here)]
        for here, there in zip(forward, reverse, strict=True)
    ]


def agreed_lexicons(
    forward: tuple[Direction, Table], reverse: tuple[Direction, Table]
) -> tuple[LexiconCounts, LexiconCounts]:
    """The M-step of both lexicons from the products of the posteriors of links."""
    return (
        relative_frequencies(link_counts(forward[0], products(forward[1], reverse[1]))),
        relative_frequencies(link_counts(reverse[0], products(reverse[1], forward[1]))),
    )


def model_1_together(forward: Direction, reverse: Direction, iterations: int) -> tuple[Lexicon, Lexicon]:
    """Model 1 of both directions, trained to agree."""
    model = Model("ibm1")
    weights = start(forward), start(reverse)
    for _ in range(iterations):
        links = posteriors(forward, model, weights[0]), posteriors(reverse, model, weights[1])
        lexicons = agreed_lexicons((forward, links[0]), (reverse, links[1]))
        weights = (
            replace(weights[0], lexicon={pair: log(t) for pair, t in lexicons[0].items()}),
            replace(weights[1], lexicon={pair: log(t) for pair, t in lexicons[1].items()}),
        )
    first, second = ({pair: math.exp(t) for pair, t in w.lexicon.items()} for w in weights)
    return first, second


def train_together(
    forward: Direction,
    reverse: Direction,
    models: tuple[HmmModel, HmmModel],
    *,
    model_1_iterations: int = 5,
    iterations: int = 5,
    model_1_agrees: bool = True,
) -> Agreement:
    """Agreement training: products of link posteriors count for both lexicons, own expected jumps for the jumps.

    The likelihoods need not rise: the M-step sees counts that are not those of the E-step.
    """
    if model_1_agrees:
        lexicons = model_1_together(forward, reverse, model_1_iterations)
    else:
        lexicons = model_1(forward, model_1_iterations), model_1(reverse, model_1_iterations)
    here, there = Parameters(lexicons[0], UNIFORM), Parameters(lexicons[1], UNIFORM)
    histories: tuple[list[float], list[float]] = [], []
    for _ in range(iterations):
        found = expect(forward, models[0], here), expect(reverse, models[1], there)
        first, second = agreed_lexicons((forward, found[0].links), (reverse, found[1].links))
        here = Parameters(first, count_jumps(models[0], found[0].jumps))
        there = Parameters(second, count_jumps(models[1], found[1].jumps))
        for history, expectation in zip(histories, found, strict=True):
            history.append(expectation.log_likelihood)
    return Agreement(HmmFit(models[0], here, histories[0]), HmmFit(models[1], there, histories[1]))
