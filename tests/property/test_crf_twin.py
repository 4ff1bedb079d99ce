"""Probabilities, lists and gradients of random fields against enumeration, central differences and hypergraphs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crf_models import check_probabilities, draw, with_weights
from plait import _core
from plait.crf import ChainCRF
from plait.hypergraph import Distribution, Hypergraph, kbest, viterbi


@given(
    seed=st.integers(0, 2**32),
    labels=st.integers(1, 4),
    lengths=st.lists(st.integers(0, 5), min_size=1, max_size=20),
    scale=st.sampled_from([0.0, 1.0, 10.0]),
    density=st.sampled_from([0.0, 0.4, 1.0]),
    has_values=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_probabilities_are_those_of_enumeration(seed, labels, lengths, scale, density, has_values):
    drawn = draw(seed, labels=labels, lengths=lengths, scale=scale, density=density, has_values=has_values)
    check_probabilities(drawn)


@given(seed=st.integers(0, 2**32), lengths=st.lists(st.integers(0, 4), min_size=1, max_size=6))
@settings(max_examples=40, deadline=None)
def test_probabilities_over_allowed_labels_are_those_of_enumeration(seed, lengths):
    drawn = draw(seed, labels=3, lengths=lengths)
    random = np.random.default_rng(seed)
    allowed = random.random((drawn.data.positions, 3)) < 0.5
    allowed[np.arange(len(allowed)), random.integers(0, 3, len(allowed))] = True
    check_probabilities(drawn, allowed)


@pytest.mark.parametrize("scale", [60.0, 400.0, 5000.0])
@pytest.mark.parametrize("labels", [3, 40])
def test_scores_that_no_probability_can_hold_are_computed_in_logarithms(scale, labels):
    check_probabilities(draw(7, labels=labels, lengths=[3, 1, 2, 3, 3], scale=scale, density=0.3))


@pytest.mark.parametrize("density", [0.02, 0.3, 0.9])
def test_many_labels_with_few_pairs(density):
    """Above 32 labels and below half of the pairs, what pairs have in common is summed once."""
    check_probabilities(draw(3, labels=40, lengths=[3] * 18 + [2, 1, 0], density=density))


def test_more_labels_than_fit_a_table_of_pairs():
    drawn = draw(5, labels=600, lengths=[2, 2], density=0.01)
    chains = drawn.chains()
    best = drawn.model.predict(drawn.data)
    for n, chain in enumerate(chains):
        at = tuple(int(label[1:]) for label in best[n])
        assert chain.totals[at] == pytest.approx(chain.totals.max(), abs=1e-12)
        assert drawn.model.marginals(drawn.data)[n] == pytest.approx(chain.marginals(), abs=1e-12)


@given(seed=st.integers(0, 2**32), lengths=st.lists(st.integers(0, 4), min_size=1, max_size=5))
@settings(max_examples=40, deadline=None)
def test_ties_are_in_the_order_of_labels_the_last_one_counting_most(seed, lengths):
    drawn = draw(seed, labels=3, lengths=lengths, are_equal=True, has_values=False)
    lists = drawn.model.predict_nbest(drawn.data, 1000)
    best = drawn.model.predict(drawn.data)
    for n, chain in enumerate(drawn.chains()):
        length = len(chain.scores)
        labellings = [labels[::-1] for labels in itertools.product(range(3), repeat=length)]
        if length:
            labellings.sort(key=lambda labels: -chain.totals[labels])
        found = [tuple(int(label[1:]) for label in labelling.labels) for labelling in lists[n]]
        assert found == labellings
        assert best[n] == lists[n][0].labels


@given(
    seed=st.integers(0, 2**32),
    labels=st.sampled_from([1, 2, 5, 40]),
    scale=st.sampled_from([0.0, 1.0, 80.0]),
    has_values=st.booleans(),
)
@settings(max_examples=25, deadline=None)
def test_the_gradient_equals_central_differences(seed, labels, scale, has_values):
    lengths = [3, 1, 0, 4, 2] * 4 + [9]
    drawn = draw(seed, labels=labels, lengths=lengths, scale=scale, density=0.3, has_values=has_values)
    value, gradient, _ = _core.crf_gradient(drawn.model.core, drawn.data.core, threads=2)
    assert value == pytest.approx(-drawn.model.log_probability(drawn.data).sum(), rel=1e-9, abs=1e-9)
    weights = np.concatenate([drawn.model.core.states()[2], drawn.model.core.transitions()[2]])
    for at in np.random.default_rng(seed).permutation(len(weights))[:6]:
        step = 1e-5
        sides = []
        for sign in (1, -1):
            moved = weights.copy()
            moved[at] += sign * step
            sides.append(_core.crf_gradient(with_weights(drawn.model, moved).core, drawn.data.core, threads=1)[0])
        slope = (sides[0] - sides[1]) / (2 * step)
        assert gradient[at] == pytest.approx(slope, abs=1e-5 * max(1, abs(value) / 100))


@pytest.mark.parametrize("labels", [3, 40])
def test_the_bits_do_not_depend_on_the_number_of_threads(labels):
    lengths = [int(n) for n in np.random.default_rng(1).integers(0, 12, 700)]
    drawn = draw(1, labels=labels, lengths=lengths, density=0.3)
    runs = [_core.crf_gradient(drawn.model.core, drawn.data.core, threads=threads) for threads in (1, 2, 3, 7)]
    for value, gradient, _ in runs[1:]:
        assert value == runs[0][0]
        assert np.array_equal(gradient, runs[0][1])
    trained = [ChainCRF(l2=0.1, max_iterations=5, delta=1.0, period=4, threads=n).fit(drawn.data) for n in (1, 4)]
    assert np.array_equal(trained[0].history_, trained[1].history_)
    assert trained[0].state_features_ == trained[1].state_features_
    marginals = []
    for threads in (1, 3):
        drawn.model.threads = threads
        marginals.append(np.concatenate(drawn.model.marginals(drawn.data)))
    assert np.array_equal(*marginals)


@pytest.mark.parametrize("seed", range(4))
def test_the_chain_is_that_of_hypergraphs(seed):
    """The lattice of `Hypergraph.chain` has the same sum, best labelling, list and marginals."""
    length, labels = 4, 3
    drawn = draw(seed, labels=labels, lengths=[length])
    chain = drawn.chains()[0]
    graph = Hypergraph.chain(steps=length - 1, states=labels)
    steps = chain.pairs[None] + chain.scores[1:, None, :]
    weights = np.concatenate([steps.ravel(), chain.scores[0], np.zeros(labels)])
    distribution = Distribution(graph, weights)
    log_z = drawn.model.core.log_z(drawn.data.core, threads=1)[0]
    assert log_z == pytest.approx(distribution.log_z, abs=1e-12)
    nodes = distribution.node_posteriors[: length * labels].reshape(length, labels)
    assert drawn.model.marginals(drawn.data)[0] == pytest.approx(nodes, abs=1e-12)
    assert drawn.model.predict_nbest(drawn.data, 1)[0][0].log_probability + log_z == pytest.approx(
        viterbi(graph, weights).weight
    )
    found = kbest(graph, weights, k=30)
    ours = [labelling.log_probability + log_z for labelling in drawn.model.predict_nbest(drawn.data, 30)[0]]
    assert ours == pytest.approx([derivation.weight for derivation in found])
