"""What was reported against other libraries of random fields: on their use from Python, and on what they leave out.

The numbers are those of ``test_crf_bugs_table.py``.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

from plait.crf import ChainCRF, Sequences
from plait.errors import DataError

X = [[{"w": "a"}, {"w": "b"}], [{"w": "b"}]]
Y = [["P", "Q"], ["Q"]]
ROOT = Path(__file__).parents[2]


def test_12_the_compiler_refuses_unsafe_code():
    assert "#![forbid(unsafe_code)]" in (ROOT / "rust/core/src/lib.rs").read_text(encoding="utf-8")
    for path in (ROOT / "rust/bindings/src").glob("crf*.rs"):
        assert not re.search(r"\bunsafe\b|\btransmute\b", path.read_text(encoding="utf-8")), path


def test_21_no_more_iterations_leave_a_model_as_it_is():
    first = ChainCRF(l2=0.1).fit(X, Y)
    again = ChainCRF(l2=0.1, max_iterations=0).fit(X, Y, start=first)
    assert again.state_features_ == first.state_features_
    assert again.transition_features_ == first.transition_features_


def test_27_a_sequence_that_is_there_twice_weighs_twice():
    twice = ChainCRF(l2=0.2, epsilon=1e-9, period=0).fit([*X, *X], [*Y, *Y])
    once = ChainCRF(l2=0.1, epsilon=1e-9, period=0).fit(X, Y)
    assert twice.state_features_ == pytest.approx(once.state_features_, abs=1e-6)
    assert twice.history_[-1] == pytest.approx(2 * once.history_[-1])


def test_30_weights_and_log_z_explain_a_probability():
    """The sum of weights alone explains none: log Z is what it lacks."""
    model = ChainCRF(l2=0.1).fit(X, Y)
    best = [labellings[0].probability for labellings in model.predict_nbest(X, 1)]
    for found, labels, probability in zip(model.explain(X), Y, best, strict=True):
        terms = sum(term.score for position in range(len(labels)) for term in found.terms(position))
        assert terms + found.transition_scores.sum() - found.log_z == pytest.approx(found.log_probability)
        assert np.exp(found.log_probability) == pytest.approx(probability)


@pytest.mark.parametrize("items", [np.array([1.0, 2.0]), np.zeros((2, 3)), {"w": "a"}, "text", [[1.0, 2.0]]])
def test_31_arrays_and_texts_are_no_sequences(items):
    with pytest.raises(DataError, match=r"sequence 0|position 0"):
        ChainCRF().fit(items, [["P"]] * 2)


def test_33_one_wheel_serves_every_python_from_3_11():
    found = tomllib.loads((ROOT / "rust/bindings/Cargo.toml").read_text(encoding="utf-8"))
    assert "abi3-py311" in found["dependencies"]["pyo3"]["features"]


def test_34_scikit_learn_clones_and_cross_validates():
    base = pytest.importorskip("sklearn.base")
    selection = pytest.importorskip("sklearn.model_selection")
    model = ChainCRF(l2=0.3)
    assert base.clone(model).get_params() == model.get_params()
    scores = selection.cross_val_score(model, X * 6, Y * 6, cv=3)
    assert scores.tolist() == [1.0, 1.0, 1.0]
    search = selection.GridSearchCV(model, {"l2": [0.01, 100.0]}, cv=2).fit(X * 6, Y * 6)
    assert search.best_estimator_.predict(X) == Y
    assert repr(model) == "ChainCRF(l2=0.3)"


def test_36_a_model_file_is_no_pickle(tmp_path):
    ChainCRF().fit(X, Y).save(tmp_path / "m")
    data = (tmp_path / "m").read_bytes()
    # A safetensors file: the length of its header, and JSON.
    assert data[8:9] == b"{"
    assert int.from_bytes(data[:8], "little") < len(data)


CALLS = ["predict", "marginals", "predict_marginals", "pair_marginals", "explain"]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("items", [[], [[]], [[], [{"w": "a"}], []], [[{}]], [[{"w": "a"}]]])
def test_48_empty_sequences_and_those_of_one_position_are_answered(call, items):
    model = ChainCRF(l2=0.1).fit(X, Y)
    found = getattr(model, call)(items)
    assert len(found) == len(items)
    for own, sequence in zip(found, items, strict=True):
        if call == "pair_marginals":
            assert own.shape == (max(len(sequence) - 1, 0), 2, 2)
        elif call == "explain":
            assert len(own.labels) == len(sequence)
            assert np.isfinite([own.score, own.log_z, own.log_probability]).all()
        else:
            assert len(own) == len(sequence)
    chances = model.marginals(items)
    assert all(np.isfinite(matrix).all() for matrix in chances)
    assert all(matrix.sum(1) == pytest.approx(1) for matrix in chances if len(matrix))
    assert [len(found) for found in model.predict_nbest(items, 3)] == [2 if sequence else 1 for sequence in items]
    assert np.isfinite(model.log_probability(items, [["P"] * len(sequence) for sequence in items])).all()


@pytest.mark.parametrize(("name", "text"), [("conll", b""), ("crfsuite", b""), ("conll", b"\xef\xbb\xbf")])
def test_an_empty_file_is_told_to_be_empty(tmp_path, name, text):
    (tmp_path / "train").write_bytes(text)
    with pytest.raises(DataError, match="train: the file is empty"):
        Sequences.read(tmp_path / "train", format=name)
    # For a model it is a list without sequences.
    model = ChainCRF().fit(X, Y)
    assert len(Sequences.read(tmp_path / "train", format=name, model=model)) == 0
