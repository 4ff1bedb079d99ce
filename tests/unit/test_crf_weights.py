"""Weights of sequences in training."""

from __future__ import annotations

import numpy as np
import pytest

from plait.crf import ChainCRF
from plait.errors import ConfigError

X = [[{"w": "a"}, {"w": "b"}], [{"w": "b"}, {"w": "b"}, {"w": "c"}], [{"w": "c"}], [{"w": "a"}]]
Y = [["P", "Q"], ["Q", "P", "P"], ["Q"], ["P"]]


@pytest.mark.parametrize("l1", [0.0, 0.1])
def test_a_sequence_of_weight_2_is_one_that_stands_twice(l1):
    options = {"l1": l1, "l2": 0.1, "epsilon": 1e-10, "period": 0}
    weighted = ChainCRF(**options).fit(X, Y, sample_weight=[2, 1, 3, 1])
    again = [0, 0, 1, 2, 2, 2, 3]
    repeated = ChainCRF(**options).fit([X[n] for n in again], [Y[n] for n in again])
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-10)
    found, expected = weighted.state_features_, repeated.state_features_
    assert {pair: found.get(pair, 0.0) for pair in expected} == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("algorithm", ["sgd", "adagrad", "perceptron"])
def test_descent_and_perceptrons_hear_weights_too(algorithm):
    # Two opinions on one word: the heavier one wins.
    for weights, label in (([5.0, 1.0], "P"), ([1.0, 5.0], "Q")):
        model = ChainCRF(algorithm=algorithm, l2=0.1, max_iterations=20, rate=0.1, transitions="none")
        model.fit([[{"w": "a"}], [{"w": "a"}]], [["P"], ["Q"]], sample_weight=weights)
        assert model.predict([[{"w": "a"}]]) == [[label]]


def test_ones_change_nothing():
    plain, ones = ChainCRF().fit(X, Y), ChainCRF().fit(X, Y, sample_weight=np.ones(4))
    assert ones.state_features_ == plain.state_features_


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0], "one for each of the 4 sequences"),
        ([1.0, 1.0, -1.0, 1.0], r"finite numbers from 0; found -1 for sequence 2"),
        ([1.0, np.nan, 1.0, 1.0], r"found NaN for sequence 1"),
        (["a"] * 4, "numbers in one dimension"),
    ],
)
def test_weights_that_are_none_are_refused(weights, message):
    with pytest.raises(ConfigError, match=message):
        ChainCRF().fit(X, Y, sample_weight=weights)
