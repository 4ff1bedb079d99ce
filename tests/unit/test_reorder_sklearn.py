"""The classifiers by the checks and against the numbers of scikit-learn, where it is installed."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn")

from sklearn.feature_selection import mutual_info_classif  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.metrics import log_loss, normalized_mutual_info_score  # noqa: E402
from sklearn.model_selection import GridSearchCV  # noqa: E402
from sklearn.naive_bayes import MultinomialNB  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import MaxAbsScaler  # noqa: E402
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

from plait.reorder import (  # noqa: E402
    DualLogistic,
    Lexicalised,
    NaiveBayes,
    PrimalLogistic,
    StackedLogistic,
    evaluate,
    mutual_information,
)

MODELS = [
    DualLogistic(),
    DualLogistic(method="block", shrink=False),
    StackedLogistic(),
    PrimalLogistic(),
    NaiveBayes(),
    NaiveBayes(inference="bayesian"),
    Lexicalised(),
]


with warnings.catch_warnings():
    # It warns of classes that are not its own; that is what is tested.
    warnings.simplefilter("ignore")
    every_check = parametrize_with_checks(MODELS)


@pytest.mark.filterwarnings("ignore")
@every_check
def test_the_checks_of_scikit_learn_pass(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def bags():
    """400 bags of about 5 of 40 features, three classes, as SciPy CSR."""
    from scipy.sparse import csr_array

    draw = np.random.default_rng(5)
    lean = draw.normal(size=(40, 3))
    x = (draw.random((400, 40)) < 0.12).astype(float) * draw.choice([1, 1, 1, 2], (400, 40))
    y = np.array(["mono", "swap", "other"])[(x @ lean + draw.gumbel(size=(400, 3))).argmax(axis=1)]
    return csr_array(x), y


@pytest.mark.parametrize("sigma2", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("method", ["eg", "block"])
def test_the_optimum_is_that_of_logistic_regression(bags, sigma2, method):
    x, y = bags
    model = DualLogistic(sigma2, method=method, tol=1e-12, max_iter=100_000, fit_intercept=False).fit(x, y)
    rival = LogisticRegression(C=sigma2, fit_intercept=False, tol=1e-12, max_iter=10_000, solver="newton-cg").fit(x, y)
    assert model.classes_.tolist() == rival.classes_.tolist()
    assert np.abs(model.coef_ - rival.coef_).max() <= 1e-4 * np.abs(rival.coef_).max()
    loss = log_loss(y, rival.predict_proba(x), normalize=False) + (rival.coef_**2).sum() / (2 * sigma2)
    assert model.objective_ == pytest.approx(loss, rel=1e-8)
    assert model.gap_ < 1e-11
    np.testing.assert_allclose(model.predict_proba(x), rival.predict_proba(x), atol=1e-5)


def test_map_is_multinomial_naive_bayes(bags):
    x, y = bags
    for alpha in (1.5, 2.0, 4.0):
        model, rival = NaiveBayes(alpha).fit(x, y), MultinomialNB(alpha=alpha - 1).fit(x, y)
        np.testing.assert_allclose(model.feature_log_prob_, rival.feature_log_prob_, rtol=1e-12)
        np.testing.assert_allclose(model.predict_log_proba(x), rival.predict_log_proba(x), rtol=1e-9, atol=1e-11)
    real = x * 0.37
    model, rival = NaiveBayes(2.0).fit(real, y), MultinomialNB(alpha=1.0).fit(real, y)
    np.testing.assert_allclose(model.predict_log_proba(real), rival.predict_log_proba(real), rtol=1e-9, atol=1e-11)


def test_information_is_that_of_scikit_learn(bags):
    x, y = bags
    np.testing.assert_allclose(mutual_information(x, y), mutual_info_classif(x, y, discrete_features=True), atol=1e-12)
    dense = x.toarray()
    expected = [normalized_mutual_info_score(y, column, average_method="min") for column in dense.T]
    np.testing.assert_allclose(mutual_information(x, y, normalized=True), expected, atol=1e-12)


def test_the_loss_is_that_of_scikit_learn(bags):
    x, y = bags
    model = NaiveBayes().fit(x, y)
    found = evaluate(model, x, y)
    assert found.log_loss == pytest.approx(log_loss(y, model.predict_proba(x)), rel=1e-12)
    assert found.error_rate == pytest.approx(1 - model.score(x, y))


def test_scikit_learns_tools_take_the_classifiers(bags):
    x, y = bags
    pipeline = make_pipeline(MaxAbsScaler(), DualLogistic())
    with warnings.catch_warnings():
        # joblib and others of scikit-learn's needs warn as they like.
        warnings.simplefilter("ignore")
        search = GridSearchCV(pipeline, {"duallogistic__sigma2": [0.01, 1.0]}, cv=3).fit(x, y)
    assert search.best_score_ > 0.45
