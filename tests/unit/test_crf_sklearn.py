"""Random fields in scikit-learn's tools: clones, cross-validation, grids."""

from __future__ import annotations

import pytest

pytest.importorskip("sklearn")

from sklearn.base import clone
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score

from plait.crf import ChainCRF, evaluate

WORDS = {"D": ["the", "a"], "N": ["dog", "cat", "bird"], "V": ["barks", "sleeps", "sees"]}
SENTENCES = [["D", "N", "V"], ["D", "N", "V", "D", "N"], ["N", "V"], ["D", "N"]] * 6
X = [
    [{"w": WORDS[label][(n + position) % len(WORDS[label])]} for position, label in enumerate(labels)]
    for n, labels in enumerate(SENTENCES)
]


def test_clones_have_the_options_and_no_weights():
    model = ChainCRF(algorithm="adagrad", l2=0.3, max_iterations=7).fit(X, SENTENCES)
    again = clone(model)
    assert again.get_params() == model.get_params()
    assert repr(again) == repr(model) == "ChainCRF(algorithm='adagrad', l2=0.3, max_iterations=7)"
    with pytest.raises(ValueError, match="not trained"):
        again.predict(X)
    # A clone that is trained has the weights of the first.
    assert again.fit(X, SENTENCES).state_features_ == model.state_features_


@pytest.mark.parametrize("algorithm", ["lbfgs", "perceptron"])
def test_cross_validation_scores_each_fold(algorithm):
    scores = cross_val_score(ChainCRF(algorithm=algorithm, l2=0.1), X, SENTENCES, cv=KFold(3))
    assert len(scores) == 3
    assert (scores > 0.8).all()


def test_a_grid_finds_the_best_options_by_a_scorer():
    def label_f1(gold, found):
        return evaluate(gold, found, unit="label").all.f1

    search = GridSearchCV(ChainCRF(), {"l2": [0.01, 1e6]}, scoring=make_scorer(label_f1), cv=KFold(3))
    search.fit(X, SENTENCES)
    assert search.best_params_ == {"l2": 0.01}
    assert search.best_score_ > 0.8
    assert search.predict(X[:1]) == [SENTENCES[0]]


def test_options_are_set_by_name_as_pipelines_do():
    model = ChainCRF().set_params(algorithm="sgd", rate=0.5)
    assert (model.algorithm, model.rate) == ("sgd", 0.5)
    with pytest.raises(ValueError, match="an option must be one of"):
        model.set_params(c2=1.0)
