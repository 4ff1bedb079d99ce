"""Laws that the twins themselves must obey before they judge the core."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.direction import Direction
from reference.enumeration import (
    all_states,
    block_sweep_distribution,
    distance,
    exact_posterior,
    sweep_distribution,
    to_alignment,
    tokens_by_type,
    uniform_distribution,
)
from reference.expectation import candidate_logs, em, log_likelihood, posteriors, vb
from reference.gibbs import conditional, log_joint
from reference.ibm import JUMPS, Model
from strategies import Corpus, corpora, enumerable_corpora, models


def rises(history: list[float]) -> bool:
    """Never falls, up to the rounding of double-precision sums."""
    return all(after >= before - 1e-9 * (1 + abs(before)) for before, after in pairwise(history))


@given(corpora(), models(), st.booleans())
@settings(deadline=None, max_examples=150)
def test_likelihood_never_falls(corpus: Corpus, model: Model, reverse: bool) -> None:
    fit = em(Direction.of(*corpus, reverse=reverse), model, 8)
    assert rises(fit.history)
    assert rises(fit.warm_up)


@given(corpora(), models(), st.booleans())
@settings(deadline=None, max_examples=150)
def test_bound_never_falls(corpus: Corpus, model: Model, reverse: bool) -> None:
    fit = vb(Direction.of(*corpus, reverse=reverse), model, 8)
    assert rises(fit.warm_up)
    # Model 2 starts from uniform jumps, which are no Dirichlet posterior.
    assert rises(fit.history[1:] if model.has_distortion else fit.history)


@given(enumerable_corpora(), models())
@settings(deadline=None, max_examples=15)
def test_bound_is_below_the_evidence(corpus: Corpus, model: Model) -> None:
    direction = Direction.of(*corpus)
    states = [to_alignment(direction, state) for state in all_states(direction)]
    evidence = math.log(sum(math.exp(log_joint(direction, model, alignment)) for alignment in states))
    assert vb(direction, model, 10).history[-1] <= evidence + 1e-9 * (1 + abs(evidence))


@given(corpora(), models())
@settings(deadline=None, max_examples=100)
def test_probabilities_sum_to_one(corpus: Corpus, model: Model) -> None:
    direction = Direction.of(*corpus)
    fit = em(direction, model, 3)
    for e in {word for pair in direction.pairs for word in pair.given}:
        assert sum(math.exp(t) for (word, _), t in fit.weights.lexicon.items() if word == e) == pytest.approx(1.0)
    for rows in posteriors(direction, model, fit.weights):
        for row in rows:
            assert sum(row) == pytest.approx(1.0)
    assert sum(math.exp(fit.weights.distortion[d]) for d in JUMPS) == pytest.approx(1.0)


@given(enumerable_corpora(), models())
@settings(deadline=None, max_examples=20)
def test_likelihood_equals_the_sum_over_all_alignments(corpus: Corpus, model: Model) -> None:
    """ln sum_A P(F, A | E) by brute force is what the factorised E-step says (eq. 2, 7)."""
    direction = Direction.of(*corpus)
    fit = em(direction, model, 2)
    brute = 0.0
    for state in all_states(direction):
        product = 1.0
        for (n, j), a in zip(direction.tokens(), state, strict=True):
            product *= math.exp(candidate_logs(model, fit.weights, direction.pairs[n], j)[a])
        brute += product
    assert log_likelihood(direction, model, fit.weights) == pytest.approx(math.log(brute))


@given(enumerable_corpora(), models(), st.data())
@settings(deadline=None, max_examples=100)
def test_conditional_is_the_ratio_of_joints(corpus: Corpus, model: Model, data: st.DataObject) -> None:
    """Appendix C: eq. 6 and 10 are eq. 18 with a_j set to each i, normalised."""
    direction = Direction.of(*corpus)
    state = data.draw(st.sampled_from(list(all_states(direction))))
    n, j = data.draw(st.sampled_from(direction.tokens()))
    alignment = to_alignment(direction, state)
    logs = []
    for i in range(direction.pairs[n].given_length + 1):
        alignment[n][j] = i
        logs.append(log_joint(direction, model, alignment))
    weights = np.exp(np.array(logs) - max(logs))
    assert conditional(direction, model, alignment, n, j) == pytest.approx((weights / weights.sum()).tolist(), rel=1e-8)


@given(st.sampled_from(["shared", "each"]), st.data())
@settings(deadline=None, max_examples=30)
def test_conditional_is_the_ratio_of_joints_in_long_sentences(tail: str, data: st.DataObject) -> None:
    direction = Direction.of([list("abcabcabcabcabc"), ["a", "b"]], [["x", "y"], ["y", "y"]])
    model = Model("ibm2", 0.2, 0.1, 1.0, "each" if tail == "each" else "shared")
    links = st.tuples(st.integers(0, 15), st.integers(0, 15), st.integers(0, 2), st.integers(0, 2))
    alignment = to_alignment(direction, data.draw(links))
    logs = []
    for i in range(16):
        alignment[0][1] = i
        logs.append(log_joint(direction, model, alignment))
    weights = np.exp(np.array(logs) - max(logs))
    assert conditional(direction, model, alignment, 0, 1) == pytest.approx((weights / weights.sum()).tolist())


@given(enumerable_corpora(), models())
@settings(deadline=None, max_examples=8)
def test_a_sweep_leaves_the_posterior_alone(corpus: Corpus, model: Model) -> None:
    direction = Direction.of(*corpus)
    posterior = exact_posterior(direction, model)
    after = sweep_distribution(direction, model, posterior)
    assert distance(after, posterior) < 1e-10


@given(enumerable_corpora(), models())
@settings(deadline=None, max_examples=5)
def test_any_order_of_visits_leaves_the_posterior_alone(corpus: Corpus, model: Model) -> None:
    direction = Direction.of(*corpus)
    order = [token for tokens in tokens_by_type(direction, "tsuv") for token in tokens]
    posterior = exact_posterior(direction, model)
    assert distance(sweep_distribution(direction, model, posterior, order), posterior) < 1e-10


@given(enumerable_corpora(), models())
@settings(deadline=None, max_examples=5)
def test_one_block_is_the_sequential_sweep(corpus: Corpus, model: Model) -> None:
    direction = Direction.of(*corpus)
    uniform = uniform_distribution(direction)
    once = block_sweep_distribution(direction, model, uniform, [direction.tokens()])
    assert distance(once, sweep_distribution(direction, model, uniform)) < 1e-10


@given(corpora(), models(), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=20)
def test_order_of_pairs_does_not_matter(corpus: Corpus, model: Model, random: object) -> None:
    order = list(range(len(corpus[0])))
    random.shuffle(order)  # type: ignore[attr-defined]
    shuffled = ([corpus[0][n] for n in order], [corpus[1][n] for n in order])
    for train in (em, vb):
        before, after = train(Direction.of(*corpus), model, 4), train(Direction.of(*shuffled), model, 4)
        assert after.history == pytest.approx(before.history)
        assert after.weights.lexicon == pytest.approx(before.weights.lexicon)
