"""What the trainers of random fields have in common, and what sets them apart."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
import pytest

from crf_models import draw
from plait.crf import ChainCRF, Sequences, evaluate
from plait.errors import ConfigError

ALGORITHMS = ["lbfgs", "sgd", "adagrad", "perceptron"]
X = [[{"w": "a"}, {"w": "b"}], [{"w": "b"}]]
Y = [["P", "Q"], ["Q"]]


@pytest.fixture(scope="module")
def drawn():
    """Sequences whose labels follow from an attribute, with noise; one in six is empty."""
    return made(seed=3, noise=0.15)


@dataclass(frozen=True)
class Made:
    data: Sequences


def made(*, seed, noise):
    random = np.random.default_rng(seed)
    items, labels = [], []
    for length in [5, 3, 8, 1, 0, 6] * 20:
        own = random.integers(0, 4, length)
        seen = np.where(random.random(length) < noise, random.integers(0, 4, length), own)
        noises = random.integers(0, 15, length)
        items.append([{"k": str(a), "n": str(b), f"s{b}": 1.0} for a, b in zip(seen, noises, strict=True)])
        labels.append([f"l{label}" for label in own])
    return Made(Sequences.from_items(items, labels))


def fitted(model, *data, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(*data, **options)


def weights(model):
    return np.concatenate([model.core.states()[2], model.core.transitions()[2]])


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_same_seed_gives_the_same_bits_for_any_number_of_threads(algorithm, drawn):
    made = [
        fitted(ChainCRF(algorithm=algorithm, l2=0.1, max_iterations=5, seed=seed, threads=threads), drawn.data)
        for seed, threads in [(1, 1), (1, 2), (1, 5), (2, 1)]
    ]
    one, two, five, other = [weights(model).tolist() for model in made]
    assert one == two == five
    # L-BFGS draws nothing.
    assert (one == other) == (algorithm == "lbfgs")


@pytest.mark.parametrize(("algorithm", "l1"), [("sgd", 0.0), ("adagrad", 0.0), ("adagrad", 0.5)])
def test_descent_comes_near_the_minimum_and_says_how_near(algorithm, l1, drawn):
    exact = fitted(ChainCRF(l1=l1, l2=0.2, epsilon=1e-8, period=0), drawn.data)
    near = fitted(ChainCRF(algorithm=algorithm, l1=l1, l2=0.2, max_iterations=60), drawn.data)
    assert exact.objective_ <= near.objective_ < 1.02 * exact.objective_
    assert near.gradient_norm_ > exact.gradient_norm_
    # The objective and the norm are those of the weights: no iteration from there knows others.
    again = fitted(ChainCRF(l1=l1, l2=0.2, max_iterations=0), drawn.data, start=near)
    assert again.objective_ == pytest.approx(near.objective_, rel=1e-12)
    assert again.gradient_norm_ == pytest.approx(near.gradient_norm_, rel=1e-9)
    assert near.n_iter_ == len(near.history_)
    if l1:
        assert (weights(near) == 0).any()


def test_a_perceptron_learns_labels_and_has_no_objective(drawn):
    model = fitted(ChainCRF(algorithm="perceptron", max_iterations=30), drawn.data)
    assert model.objective_ is None
    assert model.gradient_norm_ is None
    assert model.history_[-1] < model.history_[0]
    simple = fitted(ChainCRF(algorithm="perceptron"), X, Y)
    assert simple.predict(X) == Y
    assert simple.stopped_by_ == "objective"
    assert simple.history_[-1] == 0


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_no_iteration_from_a_model_is_that_model(algorithm, drawn):
    first = fitted(ChainCRF(l2=0.1), drawn.data)
    same = fitted(ChainCRF(algorithm=algorithm, l2=0.1, max_iterations=0), drawn.data, start=first)
    assert weights(same).tolist() == weights(first).tolist()
    assert same.stopped_by_ == "iterations"
    assert same.n_iter_ == 0


@pytest.mark.parametrize("algorithm", ["sgd", "adagrad", "perceptron"])
def test_any_start_leads_to_the_same_minimum(algorithm, drawn):
    """A quick trainer, then L-BFGS: the objective has one minimum."""
    cold = fitted(ChainCRF(l2=0.1, epsilon=1e-9, period=0), drawn.data)
    quick = fitted(ChainCRF(algorithm=algorithm, l2=0.1, max_iterations=3), drawn.data)
    warm = fitted(ChainCRF(l2=0.1, epsilon=1e-9, period=0), drawn.data, start=quick)
    assert warm.objective_ == pytest.approx(cold.objective_, rel=1e-10)
    assert weights(warm) == pytest.approx(weights(cold), abs=1e-5)


@pytest.mark.parametrize("l1", [0.0, 0.3])
def test_first_passes_lead_to_the_same_minimum_in_fewer_iterations(l1, drawn):
    cold = fitted(ChainCRF(l1=l1, l2=0.1), drawn.data)
    warm = [fitted(ChainCRF(l1=l1, l2=0.1, warm_passes=20, threads=threads), drawn.data) for threads in (1, 3)]
    assert warm[0].n_iter_ < cold.n_iter_
    assert warm[0].objective_ == pytest.approx(cold.objective_, rel=1e-4)
    assert weights(warm[0]).tolist() == weights(warm[1]).tolist()


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_held_out_scores_end_training_and_the_best_weights_stay(algorithm):
    drawn = draw(5, labels=3, lengths=[4] * 60, attributes=10, scale=0.7)
    other = draw(6, labels=3, lengths=[4] * 60, attributes=10, scale=0.7)
    model = ChainCRF(algorithm=algorithm, l2=1e-4, epsilon=0, period=0, max_iterations=60)
    fitted(model, drawn.data, held_out=other.data, patience=4)
    scores = model.held_out_history_.tolist()
    assert model.stopped_by_ == "held-out"
    assert len(scores) == model.n_iter_ == scores.index(max(scores)) + 1 + 4
    assert model.score(other.data) == max(scores)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_held_out_sequences_can_be_watched_without_consequences(algorithm, drawn):
    options = {"algorithm": algorithm, "l2": 0.1, "max_iterations": 6, "period": 0, "epsilon": 0}
    alone = fitted(ChainCRF(**options), drawn.data)
    told = []
    watched = fitted(
        ChainCRF(**options),
        drawn.data,
        held_out=drawn.data,
        patience=None,
        held_out_every=2,
        progress=lambda stage, done, total, figures: told.append(dict(figures)),
    )
    assert weights(watched).tolist() == weights(alone).tolist()
    assert len(watched.held_out_history_) == 3
    assert told[-1]["dev"] == watched.held_out_history_[-1]
    assert watched.held_out_history_[-1] == watched.score(drawn.data)


def test_the_held_out_score_is_the_f1_of_chunks():
    random = np.random.default_rng(1)
    labels = [[("O", "B-X", "I-X", "B-Y")[k] for k in random.integers(0, 4, 6)] for _ in range(30)]
    items = [[{"w": label if random.random() < 0.7 else "?"} for label in own] for own in labels]
    for score in ("f1", "accuracy"):
        model = ChainCRF(max_iterations=4, period=0, epsilon=0)
        fitted(model, items, labels, held_out=(items, labels), patience=None, held_out_score=score)
        found = evaluate(labels, model.predict(items))
        expected = found.all.f1 if score == "f1" else found.accuracy
        assert model.held_out_history_[-1] == pytest.approx(expected, rel=1e-15)
        assert 0 < expected < 1
    assert found.all.f1 != found.accuracy


@pytest.mark.parametrize(
    ("options", "fit", "message"),
    [
        ({"algorithm": "newton"}, {}, "algorithm must be one of lbfgs, sgd, adagrad, perceptron; found 'newton'"),
        ({"algorithm": "sgd", "l1": 0.1}, {}, "l1 must be 0 with the algorithm 'sgd'"),
        ({"algorithm": "sgd", "l2": 0.0}, {}, "l2 must be above 0 with the algorithm 'sgd'"),
        ({"batch": 0}, {}, "batch must be a whole number from 1"),
        ({"rate": -1.0}, {}, "rate must be a finite number above 0"),
        ({"seed": -1}, {}, "seed must be a whole number from 0"),
        ({}, {"held_out": (X, Y), "patience": 0}, "patience must be a whole number from 1"),
        ({}, {"held_out": (X, Y), "held_out_every": 0}, "held_out_every must be a whole number from 1"),
        ({}, {"held_out": (X, Y), "held_out_score": "bleu"}, "held_out_score must be 'accuracy' or 'f1'"),
        ({}, {"checkpoint_seconds": float("nan")}, "checkpoint_seconds must be a number from 0"),
    ],
)
def test_options_out_of_range_are_refused_by_name(options, fit, message):
    with pytest.raises(ConfigError, match=message):
        ChainCRF(**options).fit(X, Y, **fit)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize(
    ("items", "labels"),
    [([[{"w": "a"}]], [["P"]]), ([[{}]], [["P"]]), ([[{}, {}], []], [["P", "Q"], []])],
)
def test_the_smallest_sets_train(algorithm, items, labels):
    model = ChainCRF(algorithm=algorithm, rate=0.1).fit(items, labels)
    assert [len(found) for found in model.predict(items)] == [len(own) for own in labels]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_model_of_any_trainer_comes_back_from_its_file(algorithm, drawn, tmp_path):
    model = fitted(ChainCRF(algorithm=algorithm, l2=0.1, max_iterations=3, seed=7), drawn.data)
    model.save(tmp_path / "m")
    again = ChainCRF.load(tmp_path / "m")
    assert weights(again).tolist() == weights(model).tolist()
    assert again.get_params() == model.get_params() | {"threads": None}
    assert (again.objective_, again.n_iter_, again.stopped_by_) == (model.objective_, 3, "iterations")


def test_a_rate_that_diverges_is_told(drawn):
    with pytest.raises(ConfigError, match="rate must be one with which the objective stays finite"):
        ChainCRF(algorithm="adagrad", l2=0.0, rate=1e308).fit(drawn.data)
