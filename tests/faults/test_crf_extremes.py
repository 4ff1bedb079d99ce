"""Random fields where probabilities underflow or cancel, with very many labels, and on very long sequences."""

from __future__ import annotations

import numpy as np
import pytest

from crf_models import Drawn, draw, with_weights
from plait import _core
from plait.crf import ChainCRF, Sequences
from plait.errors import ConvergenceWarning
from reference.crf import log_sums


def matrices(drawn: Drawn, model: ChainCRF):
    """Weights by attribute and label, and by first and second label."""
    made = []
    for starts, labels, weights in (model.core.states(), model.core.transitions()):
        matrix = np.zeros((len(starts) - 1, len(model.classes_)))
        for row in range(len(starts) - 1):
            own = slice(int(starts[row]), int(starts[row + 1]))
            matrix[row, labels[own]] = weights[own]
        made.append(matrix)
    return made


def check(drawn: Drawn, model: ChainCRF) -> None:
    """Logarithms of Z and marginals of all sequences, and the gradient's sums, against those in logarithms."""
    states, pairs = matrices(drawn, model)
    expected, counts = 0.0, np.zeros_like(states)
    marginals = model.marginals(drawn.data)
    for features, found in zip(drawn.features, marginals, strict=True):
        log_z, own = log_sums(features @ states, pairs)
        assert found == pytest.approx(own, abs=1e-9)
        expected += log_z
        counts += features.T @ own
    found = model.core.log_z(drawn.data.core, threads=1).sum()
    assert found == pytest.approx(expected, rel=1e-11)
    _, gradient, _ = _core.crf_gradient(model.core, drawn.data.core, threads=1)
    starts, labels, _ = model.core.states()
    rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts).astype(int))
    gold = np.zeros_like(states)
    numbers = {name: number for number, name in enumerate(model.classes_)}
    for features, own in zip(drawn.features, drawn.data.labels(), strict=True):
        for row, label in zip(features, own, strict=True):
            gold[:, numbers[label]] += row
    assert gradient[: len(labels)] == pytest.approx((counts - gold)[rows, labels], abs=1e-7)


@pytest.mark.parametrize("lowest", [-3.0, -8.0, -30.0, -200.0, -900.0])
@pytest.mark.parametrize("share", [0.05, 0.5])
def test_pairs_of_labels_far_below_the_others_do_not_cancel(lowest, share):
    """Above 32 labels most pairs share a background; here many weights lie far below it."""
    drawn = draw(11, labels=40, lengths=[12, 3, 7] * 3, density=0.2)
    random = np.random.default_rng(2)
    count = drawn.model.core.feature_count
    first = len(drawn.model.core.states()[1])
    weights = random.normal(size=count)
    weights[first:] = np.where(random.random(count - first) < share, lowest, weights[first:])
    check(drawn, with_weights(drawn.model, weights))


@pytest.mark.parametrize("depth", [50.0, 290.0, 310.0, 700.0, 5000.0])
def test_what_is_nearly_impossible_now_may_be_all_that_is_left_later(depth):
    """Label 1 is worse by `depth` at the first position, and all but label 1 are worse by more at the second one."""
    X = [[["a"], ["b"]] * 3] * 5
    y = [["P", "Q", "R"] * 2] * 5
    model = ChainCRF(states="all", transitions="all", max_iterations=1)
    with pytest.warns(ConvergenceWarning):
        model.fit(X, y)
    states, pairs = np.zeros((2, 3)), np.zeros((3, 3))
    states[0] = [0.0, -depth, 0.0]
    pairs[0, :] = pairs[2, :] = -1.5 * depth
    same = with_weights(model, np.concatenate([states.ravel(), pairs.ravel()]))
    data = Sequences.from_items(X, y, model=same)
    log_z, marginals = log_sums(np.array([[0, -depth, 0], [0, 0, 0]] * 3, dtype=float), pairs)
    assert same.core.log_z(data.core, threads=1) == pytest.approx(log_z, rel=1e-12)
    for found in same.marginals(data):
        assert found == pytest.approx(marginals, abs=1e-10)
    value = _core.crf_gradient(same.core, data.core, threads=1)[0]
    scores = same.core.scores_of(data.core, data.core.labels(), threads=1)
    assert value == pytest.approx((5 * log_z - scores.sum()), rel=1e-12)


@pytest.mark.parametrize("penalty", [0.0, -5.0, -50.0, -700.0])
def test_10_000_labels_are_summed_over_in_memory_that_is_linear_in_them(penalty):
    """Also in logarithms, which the last of these needs: a table of all pairs would be 800 MB."""
    count = 10_000
    names = [f"l{n}" for n in range(count)]
    data = Sequences.from_arrays(
        [0, 3], [0, 1, 2, 3], [0, 0, 0], attribute_names=["w"], label_names=names, labels=[0, 1, 2]
    )
    with pytest.warns(ConvergenceWarning):
        model = ChainCRF(max_iterations=1).fit(data)
    weights = np.zeros(model.core.feature_count)
    weights[-1] = penalty
    same = with_weights(model, weights)
    # Of all labellings, those with the pair at one of its two places (it cannot stand at both) weigh less.
    rare = 2 * count
    expected = np.log(count**3 - rare + rare * np.exp(penalty))
    assert same.core.log_z(data.core, threads=1)[0] == pytest.approx(expected, rel=1e-12)
    value, gradient, _ = _core.crf_gradient(same.core, data.core, threads=1)
    assert value == pytest.approx(expected - penalty, rel=1e-12)
    assert gradient[-1] == pytest.approx(rare * np.exp(penalty - expected) - 1, abs=1e-10)


def test_10_000_labels_are_trained():
    sequences, count = 200, 10_000
    positions = 2 * sequences
    data = Sequences.from_arrays(
        np.arange(0, positions + 1, 2),
        np.arange(positions + 1),
        np.arange(positions) % 150,
        attribute_names=[f"w{n}" for n in range(150)],
        label_names=[f"l{n}" for n in range(count)],
        labels=np.arange(positions) * (count // positions),
    )
    with pytest.warns(ConvergenceWarning):
        model = ChainCRF(max_iterations=2, l2=0.1).fit(data)
    assert model.history_[0] == pytest.approx(positions * np.log(count))
    assert model.history_[2] < model.history_[1] < model.history_[0]
    assert len(model.predict(data)) == sequences


def test_a_sequence_of_100_000_positions_is_trained():
    length = 100_000
    items = [[["ab"[n % 2], "c"] for n in range(length)]]
    labels = [["PQ"[n % 2] for n in range(length)]]
    model = ChainCRF(l2=1.0, max_iterations=30, delta=1e-3).fit(items, labels)
    assert model.history_[0] == pytest.approx(length * np.log(2))
    assert model.predict(items) == labels
    assert model.log_probability(items, labels)[0] > -100
