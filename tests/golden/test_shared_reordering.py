"""Reordering models against numbers that others computed: `vectors/numerics.json` beside PLAIT_DATA."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from plait.reorder import DualLogistic, NaiveBayes, PrimalLogistic, mutual_information
from reference import reorder as twin

DATA = os.environ.get("PLAIT_DATA")
pytestmark = [pytest.mark.data, pytest.mark.skipif(not DATA, reason="PLAIT_DATA names no folder")]
SIGMAS = [0.1, 1.0, 10.0]


@pytest.fixture(scope="module")
def vectors():
    path = Path(DATA or "").parent / "peers" / "vectors" / "numerics.json"
    if not path.exists():
        pytest.skip(f"there is no {path.name}")
    return json.loads(path.read_text())


def toy(vectors, sigma2):
    found = vectors[f"mlr_sigma2_{sigma2}"]
    return found, np.array(found["X"]), np.array(found["y"])


@pytest.mark.parametrize("sigma2", SIGMAS)
def test_the_first_sweep_of_the_twin_is_theirs_step_by_step(vectors, sigma2):
    found, x, labels = toy(vectors, sigma2)
    alpha = twin.start(labels, 3, found["init"])
    for i, eta, change, objective in found["first_sweep_i_eta_diff_D"]:
        alpha, got_eta, got_change = twin.exponentiated_gradient(alpha, i, x, labels, sigma2)
        assert got_eta == eta
        assert got_change == pytest.approx(change, abs=1e-9)
        assert twin.dual(alpha, x, labels, sigma2) == pytest.approx(objective, abs=1e-9)


@pytest.mark.parametrize("sigma2", SIGMAS)
@pytest.mark.parametrize("method", ["eg", "block"])
def test_the_optimum_is_theirs(vectors, sigma2, method):
    found, x, labels = toy(vectors, sigma2)
    options = {"method": method, "tol": 1e-12, "max_iter": 20_000, "fit_intercept": False}
    model = DualLogistic(sigma2, start=found["init"], **options).fit(x, labels)
    assert model.objective_ == pytest.approx(found["P"], rel=1e-9)
    weights = np.array(found["W"])
    if weights.shape != model.coef_.shape:
        weights = weights.T
    np.testing.assert_allclose(model.coef_, weights, atol=1e-4)
    assert twin.primal(model.weights_, x, labels, sigma2) == pytest.approx(found["P"], rel=1e-9)


def test_gradient_descent_comes_near_the_optimum(vectors):
    found, x, labels = toy(vectors, 1.0)
    model = PrimalLogistic(1.0, max_iter=3000, fit_intercept=False).fit(x, labels)
    assert twin.primal(model.weights_, x, labels, 1.0) == pytest.approx(found["P"], rel=1e-3)


@pytest.mark.parametrize("inference", ["map", "bayesian"])
def test_naive_bayes_is_theirs(vectors, inference):
    found = vectors["nb"]
    model = NaiveBayes(found["alpha"], inference=inference).fit(found["X"], found["y"])
    if inference == "map":
        np.testing.assert_allclose(model.feature_log_prob_, found["logq_map"], rtol=1e-13)
    expected = found["log_posterior_map" if inference == "map" else "log_posterior_bayes"]
    np.testing.assert_allclose(model.predict_log_proba(found["Xtest"]), expected, rtol=1e-12)


def test_mutual_information_is_theirs(vectors):
    x, y = vectors["nb"]["X"], vectors["nb"]["y"]
    np.testing.assert_allclose(mutual_information(x, y), vectors["nmi"]["mi"], rtol=1e-12)
    np.testing.assert_allclose(mutual_information(x, y, normalized=True), vectors["nmi"]["nmi"], rtol=1e-12)
