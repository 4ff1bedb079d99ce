"""Weights of an attribute and two labels (templates B with cells), against enumeration and central differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crf_models import check_probabilities, draw, with_weights
from plait import _core
from plait.crf import ChainCRF, Sequences, write_crfsuite
from plait.errors import ConfigError

TEMPLATE = "U0:%x[0,0]\nB\nB1:%x[-1,0]/%x[0,0]\n"


@given(
    seed=st.integers(0, 2**32),
    labels=st.integers(1, 4),
    lengths=st.lists(st.integers(0, 5), min_size=1, max_size=8),
    scale=st.sampled_from([0.0, 1.0, 10.0, 2000.0]),
    density=st.sampled_from([0.4, 1.0]),
    has_values=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_probabilities_are_those_of_enumeration(seed, labels, lengths, scale, density, has_values):
    drawn = draw(
        seed,
        labels=labels,
        lengths=lengths,
        scale=scale,
        density=density,
        has_values=has_values,
        triple_attributes=3,
    )
    check_probabilities(drawn)


@given(seed=st.integers(0, 2**32), lengths=st.lists(st.integers(0, 4), min_size=1, max_size=6))
@settings(max_examples=40, deadline=None)
def test_probabilities_over_allowed_labels_are_those_of_enumeration(seed, lengths):
    drawn = draw(seed, labels=3, lengths=lengths, triple_attributes=2)
    random = np.random.default_rng(seed)
    allowed = random.random((drawn.data.positions, 3)) < 0.5
    allowed[np.arange(len(allowed)), random.integers(0, 3, len(allowed))] = True
    check_probabilities(drawn, allowed)


@given(
    seed=st.integers(0, 2**32),
    labels=st.sampled_from([1, 2, 5]),
    scale=st.sampled_from([0.0, 1.0, 80.0]),
    has_values=st.booleans(),
)
@settings(max_examples=25, deadline=None)
def test_the_gradient_equals_central_differences(seed, labels, scale, has_values):
    drawn = draw(
        seed,
        labels=labels,
        lengths=[3, 1, 0, 4, 2] * 4 + [9],
        scale=scale,
        density=0.5,
        has_values=has_values,
        triple_attributes=3,
    )
    core = drawn.model.core
    value, gradient, _ = _core.crf_gradient(core, drawn.data.core, threads=2)
    assert value == pytest.approx(-drawn.model.log_probability(drawn.data).sum(), rel=1e-9, abs=1e-9)
    weights = np.concatenate([core.states()[2], core.transitions()[2], core.triples()[3]])
    assert len(weights) == len(gradient)
    for at in np.random.default_rng(seed).permutation(len(weights))[:8]:
        step, sides = 1e-5, []
        for sign in (1, -1):
            moved = weights.copy()
            moved[at] += sign * step
            sides.append(_core.crf_gradient(with_weights(drawn.model, moved).core, drawn.data.core, threads=1)[0])
        slope = (sides[0] - sides[1]) / (2 * step)
        assert gradient[at] == pytest.approx(slope, abs=1e-5 * max(1, abs(value) / 100))


def test_the_bits_do_not_depend_on_the_number_of_threads():
    lengths = [int(n) for n in np.random.default_rng(1).integers(0, 12, 400)]
    drawn = draw(1, labels=4, lengths=lengths, triple_attributes=2)
    runs = [_core.crf_gradient(drawn.model.core, drawn.data.core, threads=threads) for threads in (1, 2, 5)]
    for value, gradient, _ in runs[1:]:
        assert value == runs[0][0]
        assert np.array_equal(gradient, runs[0][1])


@pytest.fixture
def data(tmp_path):
    """Whether a word is Y depends on the pair of words and the label before: no single word tells."""
    lines = []
    for first, second, label in [("a", "b", "Y"), ("b", "b", "X"), ("a", "a", "X"), ("b", "a", "Y")]:
        lines += [f"{first} X", f"{second} {label}", ""] * 3
    path = tmp_path / "train"
    path.write_text("\n".join(lines))
    return Sequences.read(path, template=TEMPLATE)


def test_templates_learn_what_words_alone_cannot_tell(data, tmp_path):
    crf = ChainCRF(l2=0.01).fit(data)
    assert crf.predict(data) == data.labels()
    assert crf.score(data) == 1.0
    assert {name for name, *_ in crf.triple_features_} == {"B1:a/b", "B1:b/b", "B1:a/a", "B1:b/a"}
    # Only pairs that occur: the label before is always X.
    assert {(before, after) for _, before, after in crf.triple_features_} == {("X", "Y"), ("X", "X")}
    path = tmp_path / "m.plait"
    crf.save(path)
    again = ChainCRF.load(path)
    assert again.triple_features_ == crf.triple_features_
    read = Sequences.read(tmp_path / "train", model=again)
    assert again.predict(read) == data.labels()
    assert again.log_probability(read) == pytest.approx(crf.log_probability(data), abs=0)


def test_all_pairs_of_labels_where_states_are_all(data):
    crf = ChainCRF(l2=0.01, states="all", transitions="all").fit(data)
    # Two words with two labels each, pairs of labels, four pairs of words with pairs of labels.
    assert crf.core.feature_count == 2 * 2 + 4 + 4 * 4


def test_training_on_allowed_labels_has_them_too(data):
    allowed = [[{label} for label in labels] for labels in data.labels()]
    exact = ChainCRF(l2=0.1, epsilon=1e-9, delta=0).fit(data)
    partial = ChainCRF(l2=0.1, epsilon=1e-9, delta=0).fit(data.with_allowed(allowed))
    assert partial.objective_ == pytest.approx(exact.objective_, rel=1e-9)


def test_explanations_add_up(data):
    crf = ChainCRF(l2=0.1).fit(data)
    best = crf.predict_nbest(data, 1)
    for found, (labelling,) in zip(crf.explain(data), best, strict=True):
        assert found.score - found.log_z == pytest.approx(labelling.log_probability, abs=1e-9)


def test_going_on_keeps_the_weights(data, tmp_path):
    crf = ChainCRF(l2=0.1).fit(data)
    more = Sequences.read(tmp_path / "train", template=TEMPLATE, extends=crf)
    again = ChainCRF(l2=0.1, max_iterations=0).fit(more, start=crf)
    assert again.triple_features_ == crf.triple_features_


def test_what_has_no_such_weights_says_so(data, tmp_path):
    crf = ChainCRF(l2=0.1).fit(data)
    with pytest.raises(ConfigError, match="templates B with cells"):
        write_crfsuite(crf, tmp_path / "x.crfsuite")
    assert not (tmp_path / "x.crfsuite").exists()
    for options in [{"algorithm": "sgd"}, {"algorithm": "perceptron"}, {"warm_passes": 2}]:
        with pytest.raises(ConfigError, match="templates B with cells"):
            ChainCRF(l2=0.1, **options).fit(data)
