"""A joint test of the Gibbs sampler: simulated texts give back the links that they were made from."""

from __future__ import annotations

import dataclasses
from collections import Counter

import numpy as np
import pytest

import fitting
from gibbs_chains import MODELS, SHORT
from reference.chi_squared import FALSE_ALARMS, same_probability
from reference.direction import Direction
from reference.enumeration import (
    State,
    all_states,
    exact_posterior,
    to_alignment,
    to_state,
)
from reference.gibbs import count_links, log_joint
from reference.ibm import Model


def prior_of_positions(direction: Direction, model: Model) -> dict[State, float]:
    """P(A) of all alignments: eq. 18 with one emitted type, whose probability is 1 under any link."""
    pairs = tuple(dataclasses.replace(pair, emitted=("x",) * len(pair.emitted)) for pair in direction.pairs)
    return exact_posterior(dataclasses.replace(direction, emitted_types=1, pairs=pairs), model)


def draw_words(
    direction: Direction, model: Model, state: State, vocabulary: str, rng: np.random.Generator
) -> list[list[str]]:
    """F given A with the lexicon integrated out: every given type is a Polya urn (eq. 6, forwards)."""
    urns: Counter[tuple[str | None, str]] = Counter()
    words: list[list[str]] = [[] for _ in direction.pairs]
    for (n, _), a in zip(direction.tokens(), state, strict=True):
        e = direction.pairs[n].given[a]
        weights = np.array([urns[e, f] + model.theta for f in vocabulary])
        word = vocabulary[int(rng.choice(len(vocabulary), p=weights / weights.sum()))]
        urns[e, word] += 1
        words[n].append(word)
    return words


def summary(direction: Direction, alignment: State) -> tuple[int, int, bool]:
    """Links to NULL, pairs of types that are linked, and whether the last token has the first word."""
    counts = count_links(direction, to_alignment(direction, alignment))
    return counts.given[None], len(counts.lexicon), alignment[-1] == 1


@pytest.mark.parametrize("name", ["ibm1", "ibm1, p0", "ibm2"])
def test_simulated_texts_give_back_their_links(name: str) -> None:
    """Joint test after Geweke (2004): links from the prior and links sampled for their text have one law.

    A is drawn from the prior, a text F from P(F | A), and a sample A' from the posterior of F by the core:
    (A', F) has the law of (A, F). Unlike the tests above this goes through all texts of these lengths.
    """
    model = dataclasses.replace(MODELS[name], theta=0.5)
    rng = np.random.default_rng(11)
    given: list[list[str]] = [["a", "b", "a"], ["b", "c"], ["a"]]
    vocabulary = "xyz"
    lengths = [2, 2, 1]
    # A pair without a source side does not train, and puts all words into the vocabulary.
    shape = Direction.of([*given, []], [*(["x"] * length for length in lengths), list(vocabulary)])
    prior = prior_of_positions(shape, model)
    states = list(prior)
    drawn = rng.choice(len(states), size=3000, p=list(prior.values()))
    before: Counter[tuple[int, int, bool]] = Counter()
    after: Counter[tuple[int, int, bool]] = Counter()
    for seed, index in enumerate(drawn):
        words = draw_words(shape, model, states[index], vocabulary, rng)
        corpus = ([*given, []], [*words, list(vocabulary)])
        direction = Direction.of(*corpus)
        before[summary(direction, states[index])] += 1
        fitted = fitting.fit(
            corpus,
            model,
            inference="gibbs",
            initial="uniform",
            burn_in=40,
            samples=1,
            seed=seed,
            threads=1,
            symmetrize="intersection",
        )
        sampled = to_state(fitting.alignment(direction, fitting.links(fitted, reverse=False)))
        after[summary(direction, sampled)] += 1
    assert len(before) > 10
    assert same_probability(before, after) > FALSE_ALARMS


def test_the_prior_of_positions() -> None:
    """What the joint test draws from: Model 1's is uniform, and log_joint has it as a factor."""
    direction = Direction.of(*SHORT)
    prior = prior_of_positions(direction, MODELS["ibm1"])
    assert list(prior.values()) == pytest.approx([1 / 36] * 36)
    model = MODELS["ibm2"]
    prior = prior_of_positions(direction, model)
    first, second = list(all_states(direction))[5], list(all_states(direction))[17]
    one_word = Direction.of(SHORT[0], [["x", "x"], ["x"], ["x"]])
    ratio = log_joint(one_word, model, to_alignment(one_word, first)) - log_joint(
        one_word, model, to_alignment(one_word, second)
    )
    assert np.log(prior[first] / prior[second]) == pytest.approx(ratio)
