"""Gibbs sampling without sampling: distributions over all alignments of a tiny corpus, by enumeration."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from reference.direction import Alignment, Direction, Table
from reference.gibbs import conditional, log_joint
from reference.ibm import Model

State = tuple[int, ...]
"""The alignment of a whole corpus: a_j of all tokens, in the order of the text."""


def to_alignment(direction: Direction, state: State) -> Alignment:
    """The nested form of a flat alignment."""
    values = iter(state)
    return [[next(values) for _ in pair.emitted] for pair in direction.pairs]


def to_state(alignment: Alignment) -> State:
    """The flat form of a nested alignment."""
    return tuple(a for sentence in alignment for a in sentence)


def all_states(direction: Direction) -> Iterator[State]:
    """Every alignment of the corpus: prod over tokens of (I + 1) many, in lexicographic order."""
    choices = [range(direction.pairs[n].given_length + 1) for n, _ in direction.tokens()]
    return itertools.product(*choices)


def exact_posterior(direction: Direction, model: Model) -> dict[State, float]:
    """P(A | F, E) of every alignment, by enumeration of eq. 18."""
    states = list(all_states(direction))
    logs = np.array([log_joint(direction, model, to_alignment(direction, state)) for state in states])
    weights = np.exp(logs - logs.max())
    return dict(zip(states, (weights / weights.sum()).tolist(), strict=True))


def marginals(direction: Direction, distribution: dict[State, float]) -> Table:
    """P(a_j = i) of every token under a distribution over alignments, indexed [pair][j][i]."""
    table = [[[0.0] * len(pair.given) for _ in pair.emitted] for pair in direction.pairs]
    for state, probability in distribution.items():
        for (n, j), a in zip(direction.tokens(), state, strict=True):
            table[n][j][a] += probability
    return table


Order = list[tuple[int, int]]
"""Tokens, (pair, emitted position), in the order in which a sweep visits them."""


def sweep_distribution(
    direction: Direction, model: Model, before: dict[State, float], order: Order | None = None
) -> dict[State, float]:
    """Exact distribution of the alignment after one sequential sweep, given the distribution before it.

    Without `order`, tokens are visited as they stand in the text; tokens that are not in it keep their links.
    """
    places = {token: place for place, token in enumerate(direction.tokens())}
    for n, j in places if order is None else order:
        place = places[n, j]
        after: dict[State, float] = {}
        # The conditional does not depend on the link it replaces: once for each setting of the others.
        known: dict[State, list[float]] = {}
        for state, probability in before.items():
            others = state[:place] + state[place + 1 :]
            if others not in known:
                known[others] = conditional(direction, model, to_alignment(direction, state), n, j)
            for a, p in enumerate(known[others]):
                new = (*state[:place], a, *state[place + 1 :])
                after[new] = after.get(new, 0.0) + probability * p
        before = after
    return before


def block_sweep_distribution(
    direction: Direction, model: Model, before: dict[State, float], blocks: list[Order]
) -> dict[State, float]:
    """Exact distribution after one sweep whose blocks run side by side.

    Each block resamples its own tokens one after the other and sees all others as they were when the sweep
    began; so, given the alignment before the sweep, the blocks are independent. (The threads of the paper
    freeze all counts.)
    """
    places = {token: place for place, token in enumerate(direction.tokens())}
    after: dict[State, float] = {}
    for state, probability in before.items():
        merged = {state: probability}
        for block in blocks:
            own = [places[token] for token in block]
            moved = sweep_distribution(direction, model, {state: 1.0}, block)
            step: dict[State, float] = {}
            for base, p in merged.items():
                for end, q in moved.items():
                    links = list(base)
                    for place in own:
                        links[place] = end[place]
                    step[tuple(links)] = step.get(tuple(links), 0.0) + p * q
            merged = step
        for new, p in merged.items():
            after[new] = after.get(new, 0.0) + p
    return after


def tokens_by_type(direction: Direction, vocabulary: Sequence[str]) -> list[Order]:
    """The tokens of each emitted type in the order of the text, types in the order of the vocabulary."""
    tokens = direction.tokens()
    return [[(n, j) for n, j in tokens if direction.pairs[n].emitted[j] == word] for word in vocabulary]


def distance(first: dict[State, float], second: dict[State, float]) -> float:
    """Total variation distance of two distributions."""
    return sum(abs(first.get(s, 0.0) - second.get(s, 0.0)) for s in first.keys() | second.keys()) / 2


def uniform_distribution(direction: Direction) -> dict[State, float]:
    """Every alignment of the corpus with the same probability: the uniform random start."""
    states = list(all_states(direction))
    return dict.fromkeys(states, 1.0 / len(states))
