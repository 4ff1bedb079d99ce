"""Sums over pruned labels and over candidates against enumeration: what is told of their errors holds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crf_models import draw
from plait import _core
from plait.errors import ConfigError


def lengths(most):
    return st.lists(st.integers(0, most), min_size=1, max_size=6)


@given(
    seed=st.integers(0, 2**32),
    shape=st.sampled_from([(9, 4), (12, 3), (40, 3)]),
    scale=st.sampled_from([1.0, 4.0, 10.0, 60.0]),
    density=st.sampled_from([0.1, 0.6, 1.0]),
    beam=st.sampled_from([1e-9, 1e-4, 0.01, 0.2, 2.0]),
    data=st.data(),
)
@settings(max_examples=80, deadline=None)
def test_errors_of_pruned_sums_never_exceed_their_bounds(seed, shape, scale, density, beam, data):
    labels, longest = shape
    drawn = draw(seed, labels=labels, lengths=data.draw(lengths(longest)), scale=scale, density=density)
    check_bounds(drawn, beam)


def check_bounds(drawn, beam):
    """Holds both against sums over all labels, and the objective against enumeration; returns how many were pruned."""
    numbers = {name: number for number, name in enumerate(drawn.model.classes_)}
    exact = 0.0
    for chain, gold in zip(drawn.chains(), drawn.data.labels(), strict=True):
        if gold:
            exact += chain.log_z - chain.totals[tuple(numbers[label] for label in gold)]
    value, gradient, lost = _core.crf_gradient_over(drawn.model.core, drawn.data.core, beam=beam, threads=1)
    objective_error, gradient_error, sequences, positions, active = lost
    rounding = 1e-10 * max(1.0, abs(exact))
    assert -rounding <= exact - value <= objective_error + rounding
    _, right, _ = _core.crf_gradient(drawn.model.core, drawn.data.core, threads=1)
    assert np.abs(right - gradient).sum() <= gradient_error + 1e-9
    assert objective_error <= beam * positions
    assert positions <= active <= positions * len(numbers)
    return sequences


@pytest.mark.parametrize("beam", [1e-4, 0.01, 0.5])
def test_labels_are_pruned_where_most_are_unlikely(beam):
    """Else the bounds above would be of nothing."""
    pruned = [check_bounds(draw(seed, labels=40, lengths=[3, 2, 3, 1], scale=12.0), beam) for seed in range(10)]
    assert sum(pruned) >= 10


def test_a_larger_beam_leaves_fewer_labels():
    drawn = draw(5, labels=40, lengths=[2] * 30, scale=12.0)
    shares = []
    for beam in [1e-6, 1e-3, 0.3]:
        _, _, (*_, sequences, positions, active) = _core.crf_gradient_over(
            drawn.model.core, drawn.data.core, beam=beam, threads=1
        )
        shares.append((sequences, active / max(positions, 1)))
    assert shares[0][0] <= shares[1][0] <= shares[2][0] > 0
    assert shares[-1][1] < 40


@pytest.mark.parametrize("scale", [1.0, 400.0])
def test_without_a_beam_the_bits_are_those_of_all_labels(scale):
    drawn = draw(2, labels=12, lengths=[3] * 20 + [0, 1], scale=scale)
    value, gradient, _ = _core.crf_gradient(drawn.model.core, drawn.data.core, threads=1)
    found, same, lost = _core.crf_gradient_over(drawn.model.core, drawn.data.core, beam=0.0, threads=2)
    assert value == found
    assert gradient.tobytes() == same.tobytes()
    assert lost == (0.0, 0.0, 0, 0, 0)


@given(
    seed=st.integers(0, 2**32),
    scale=st.sampled_from([0.0, 1.0, 20.0, 900.0]),
    density=st.sampled_from([0.2, 1.0]),
    lengths=lengths(4),
)
@settings(max_examples=60, deadline=None)
def test_sums_over_candidates_are_those_of_enumeration(seed, scale, density, lengths):
    drawn = draw(seed, labels=4, lengths=lengths, scale=scale, density=density)
    random = np.random.default_rng(seed)
    claims = random.random((drawn.data.positions, 4)) < 0.4
    # Without a claim all labels are candidates; the label of a position always is one.
    effective = claims.copy()
    effective[~claims.any(axis=1)] = True
    numbers = {name: number for number, name in enumerate(drawn.model.classes_)}
    gold = [numbers[label] for labels in drawn.data.labels() for label in labels]
    effective[np.arange(len(gold)), gold] = True
    expected, pairs = 0.0, np.zeros((4, 4))
    for chain, labels in zip(drawn.chains(effective), drawn.data.labels(), strict=True):
        if not labels:
            continue
        own = [numbers[label] for label in labels]
        expected += chain.log_z - chain.totals[tuple(own)]
        pairs += chain.pair_marginals().sum(axis=0)
        np.subtract.at(pairs, (own[:-1], own[1:]), 1.0)
    results = [
        _core.crf_gradient_over(drawn.model.core, drawn.data.core, candidates=claims, threads=threads)
        for threads in (1, 3)
    ]
    (value, gradient, lost), (again, same, _) = results
    assert value == pytest.approx(expected, abs=1e-9 * max(1.0, scale))
    assert lost[:2] == (0.0, 0.0)
    starts, seconds, _ = drawn.model.core.transitions()
    firsts = np.repeat(np.arange(4), np.diff(starts.astype(np.int64)))
    assert gradient[len(gradient) - len(seconds) :] == pytest.approx(pairs[firsts, seconds], abs=1e-9)
    assert value == again
    assert gradient.tobytes() == same.tobytes()


@pytest.mark.parametrize("beam", [-1.0, np.nan, np.inf])
def test_a_beam_that_is_none_is_refused(beam):
    drawn = draw(1, labels=3, lengths=[2])
    with pytest.raises(ConfigError, match="posterior_beam"):
        _core.crf_gradient_over(drawn.model.core, drawn.data.core, beam=beam, threads=1)


def test_candidates_of_another_shape_are_refused():
    drawn = draw(1, labels=3, lengths=[2])
    claims = np.ones((3, 3), dtype=np.bool_)
    with pytest.raises(ConfigError, match="candidates"):
        _core.crf_gradient_over(drawn.model.core, drawn.data.core, candidates=claims, threads=1)


@given(seed=st.integers(0, 2**32), scale=st.sampled_from([0.0, 1.0, 20.0]), lengths=lengths(3))
@settings(max_examples=30, deadline=None)
def test_weights_of_pairs_that_count_between_candidates_only(seed, scale, lengths):
    """All labels stay in the sum; the reference has a chain of its own pairs at each position."""
    drawn = draw(seed, labels=4, lengths=lengths, scale=scale)
    random = np.random.default_rng(seed)
    claims = random.random((drawn.data.positions, 4)) < 0.5
    numbers = {name: number for number, name in enumerate(drawn.model.classes_)}
    gold = [numbers[label] for labels in drawn.data.labels() for label in labels]
    effective = claims.copy()
    effective[~claims.any(axis=1)] = True
    effective[np.arange(len(gold)), gold] = True
    expected, first = 0.0, 0
    for chain in drawn.chains():
        length = len(chain.scores)
        if length:
            own, sets = gold[first : first + length], effective[first : first + length]
            totals = np.zeros((4,) * length)
            for labels in np.ndindex(*totals.shape):
                totals[labels] = sum(chain.scores[t, label] for t, label in enumerate(labels))
                for t in range(1, length):
                    if sets[t - 1, labels[t - 1]] and sets[t, labels[t]]:
                        totals[labels] += chain.pairs[labels[t - 1], labels[t]]
            expected += np.logaddexp.reduce(totals.ravel()) - totals[tuple(own)]
        first += length
    value, _, lost = _core.crf_gradient_over(
        drawn.model.core, drawn.data.core, candidates=claims, with_others=True, threads=1
    )
    assert value == pytest.approx(expected, abs=1e-9 * max(1.0, scale))
    assert lost[:2] == (0.0, 0.0)
