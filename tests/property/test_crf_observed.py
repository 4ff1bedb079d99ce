"""Weights of sequences against repetition, labels known in part against enumeration, both against differences."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crf_models import Drawn, draw, with_weights
from plait import _core
from plait.crf import ChainCRF, Sequences
from plait.errors import ConfigError, DataError

LENGTHS = [3, 1, 0, 2, 4, 2, 3]


def weights_of(drawn: Drawn):
    return np.concatenate([drawn.model.core.states()[2], drawn.model.core.transitions()[2]])


def items_of(drawn: Drawn):
    """The features of sequences as dictionaries."""
    return [
        [{f"a{n}": value for n, value in enumerate(row) if value != 0} for row in matrix.tolist()]
        for matrix in drawn.features
    ]


def check_gradient(drawn: Drawn, data: Sequences, seed: int) -> float:
    """Central differences of some weights; returns the value."""
    value, gradient, _ = _core.crf_gradient(drawn.model.core, data.core, threads=2)
    weights = weights_of(drawn)
    for at in np.random.default_rng(seed).permutation(len(weights))[:8]:
        step = 1e-5
        sides = []
        for sign in (1, -1):
            moved = weights.copy()
            moved[at] += sign * step
            sides.append(_core.crf_gradient(with_weights(drawn.model, moved).core, data.core, threads=1)[0])
        slope = (sides[0] - sides[1]) / (2 * step)
        assert gradient[at] == pytest.approx(slope, abs=1e-5 * max(1, abs(value) / 100))
    return value


@given(seed=st.integers(0, 2**32), labels=st.sampled_from([2, 4, 40]), scale=st.sampled_from([1.0, 400.0]))
@settings(max_examples=25, deadline=None)
def test_a_weight_is_a_number_of_copies(seed, labels, scale):
    drawn = draw(seed, labels=labels, lengths=LENGTHS, density=0.4, scale=scale)
    copies = np.random.default_rng(seed).integers(0, 4, len(LENGTHS))
    items, gold = items_of(drawn), drawn.data.labels()
    repeated = [(x, y) for x, y, n in zip(items, gold, copies, strict=True) for _ in range(n)]
    long = Sequences.from_items([x for x, _ in repeated], [y for _, y in repeated], model=drawn.model)
    value, gradient, _ = _core.crf_gradient(drawn.model.core, long.core, threads=2)
    weighted = drawn.data.with_weights(copies)
    same, same_gradient, _ = _core.crf_gradient(drawn.model.core, weighted.core, threads=2)
    assert same == pytest.approx(value, rel=1e-11, abs=1e-9)
    assert same_gradient == pytest.approx(gradient, abs=1e-8)


@given(seed=st.integers(0, 2**32), labels=st.sampled_from([2, 40]))
@settings(max_examples=15, deadline=None)
def test_the_gradient_with_weights_equals_differences(seed, labels):
    drawn = draw(seed, labels=labels, lengths=LENGTHS, density=0.4)
    data = drawn.data.with_weights(np.random.default_rng(seed).random(len(LENGTHS)) * 3)
    value = check_gradient(drawn, data, seed)
    expected = -(data.weights * drawn.model.log_probability(drawn.data)).sum()
    assert value == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(
    seed=st.integers(0, 2**32),
    labels=st.sampled_from([1, 3, 5]),
    scale=st.sampled_from([1.0, 10.0, 400.0]),
    has_weights=st.booleans(),
)
@settings(max_examples=40, deadline=None)
def test_labels_known_in_part_are_summed_over(seed, labels, scale, has_weights):
    """Minus the logarithm of the share that allowed labellings have, by enumeration; and its gradient."""
    drawn = draw(seed, labels=labels, lengths=LENGTHS, density=0.6, scale=scale)
    random = np.random.default_rng(seed)
    allowed = random.random((drawn.data.positions, labels)) < 0.5
    allowed[np.arange(len(allowed)), random.integers(0, labels, len(allowed))] = True
    starts = drawn.data.starts.tolist()
    names = [{f"l{label}" for label in np.nonzero(row)[0]} for row in allowed]
    sets = [names[start:stop] for start, stop in itertools.pairwise(starts)]
    data = Sequences.from_items(items_of(drawn), model=drawn.model).with_allowed(sets)
    weights = random.random(len(LENGTHS)) if has_weights else np.ones(len(LENGTHS))
    data = data.with_weights(weights)
    free, bound = drawn.chains(), drawn.chains(allowed)
    expected = sum(
        weight * (all_.log_z - known.log_z)
        for weight, all_, known in zip(weights, free, bound, strict=True)
        if len(all_.scores)
    )
    size = max(1.0, max(abs(chain.log_z) for chain in free if len(chain.scores)))
    if scale < 100:
        value = check_gradient(drawn, data, seed)
    else:
        value = _core.crf_gradient(drawn.model.core, data.core, threads=2)[0]
    assert value == pytest.approx(expected, abs=1e-10 * size)


def test_one_allowed_label_each_is_a_labelled_sequence():
    drawn = draw(5, labels=4, lengths=[3, 1, 4, 2] * 6)
    gold = drawn.data.labels()
    free = Sequences.from_items(items_of(drawn), model=drawn.model)
    partial = free.with_allowed([[{label} for label in labels] for labels in gold])
    value, gradient, _ = _core.crf_gradient(drawn.model.core, drawn.data.core, threads=2)
    same, same_gradient, _ = _core.crf_gradient(drawn.model.core, partial.core, threads=2)
    assert same == pytest.approx(value, rel=1e-12)
    assert same_gradient == pytest.approx(gradient, abs=1e-10)
    kept = drawn.data.with_allowed([[None] * len(labels) for labels in gold])
    assert _core.crf_gradient(drawn.model.core, kept.core, threads=1)[0] == same


def test_training_on_labels_known_in_part_finds_the_others():
    """A position that has no label has the one that its attribute has elsewhere."""
    X = [[["the"], ["cat"]], [["a"], ["cat"]], [["the"], ["walk"]], [["we"], ["walk"]]]
    y = [["D", "N"], ["D", None], ["D", None], [None, "V"]]
    allowed = [[None, None], [None, {"N", "V"}], [None, ["N", "V"]], [{"P"}, None]]
    model = ChainCRF(l2=0.01).fit(X, y, allowed=allowed)
    assert model.classes_ == ["D", "N", "V", "P"]
    found = model.predict(X)
    assert found[:2] == [["D", "N"], ["D", "N"]]
    assert found[2][1] in ("N", "V")
    assert found[3] == ["P", "V"]
    history = model.history_
    assert (np.diff(history) <= 1e-12).all()


def test_weights_move_the_choice_between_labels():
    X, y = [[["w"]], [["w"]]], [["A"], ["B"]]
    for weights, label in [([3, 1], "A"), ([1, 3], "B")]:
        model = ChainCRF(l2=1e-6, epsilon=1e-9, delta=0).fit(X, y, sample_weight=weights)
        assert model.predict([[["w"]]]) == [[label]]
        assert model.marginals([[["w"]]])[0][0].max() == pytest.approx(0.75, abs=1e-4)


def test_a_sequence_of_weight_0_has_no_part():
    X, y = [[["a"], ["b"]], [["c"], ["a"]]], [["P", "Q"], ["Q", "Q"]]
    weighted = ChainCRF().fit(X, y, sample_weight=[1, 0])
    alone = ChainCRF().fit(X[:1], y[:1])
    assert weighted.history_.tolist() == alone.history_.tolist()
    assert weighted.core.feature_count == alone.core.feature_count


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0], "one for each of the 2 sequences"),
        ([1.0, -1.0], "-1 for sequence 1"),
        ([np.nan, 1.0], "NaN for sequence 0"),
        ([[1.0], [2.0]], "numbers in one dimension"),
        (["a", "b"], "numbers in one dimension"),
    ],
)
def test_weights_that_make_no_sense_are_refused(weights, message):
    with pytest.raises(ConfigError, match=message):
        ChainCRF().fit([[["a"]], [["b"]]], [["P"], ["Q"]], sample_weight=weights)


@pytest.mark.parametrize(
    ("allowed", "message"),
    [
        ([[{"P"}]], "2 sequences but allowed labels for 1"),
        ([[{"P"}], [{"P"}, {"P"}]], "sequence 1 has 1 positions but allowed labels for 2"),
        ([[{"P"}], [set()]], "sequence 1, position 0: allowed labels are a list of texts"),
        ([["P"], [{"P"}]], "sequence 0, position 0: allowed labels are a list of texts"),
        ([[{"Q"}], [{"P"}]], "position 0 of all"),
    ],
)
def test_allowed_labels_that_make_no_sense_are_refused(allowed, message):
    with pytest.raises((ConfigError, DataError), match=message):
        ChainCRF().fit([[["a"]], [["b"]]], [["P"], [None]], allowed=allowed)


def test_a_label_that_is_missing_is_told_without_allowed_labels():
    with pytest.raises(ConfigError, match="labelled at each position, or with allowed labels"):
        ChainCRF().fit([[["a"]], [["b"]]], [["P"], [None]])


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_the_bits_do_not_depend_on_threads(threads):
    drawn = draw(9, labels=40, lengths=[5, 3, 8, 2] * 60, density=0.3)
    data = drawn.data.with_weights(np.random.default_rng(1).random(240) * 2)
    value, gradient, _ = _core.crf_gradient(drawn.model.core, data.core, threads=threads)
    alone, alone_gradient, _ = _core.crf_gradient(drawn.model.core, data.core, threads=1)
    assert value == alone
    assert gradient.tolist() == alone_gradient.tolist()
