"""The reordering models against their slow twins."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plait import Alignments, Bitext
from plait.errors import ConvergenceWarning
from plait.reorder import DualLogistic, Examples, Lexicalised, NaiveBayes, PrimalLogistic, mutual_information
from reference import reorder as twin


@st.composite
def problems(draw, values="counts", most=25):
    """Rows, labels with every class, and the number of classes."""
    classes = draw(st.integers(2, 5))
    n = draw(st.integers(classes, most))
    m = draw(st.integers(1, 5))
    cells = {
        "counts": st.sampled_from([0, 0, 0, 1, 1, 2, 5]),
        "real": st.floats(-2, 2).map(lambda v: round(v, 3)),
        "large": st.sampled_from([0, 1, 17, 400]),
    }[values]
    x = np.array(draw(st.lists(st.lists(cells, min_size=m, max_size=m), min_size=n, max_size=n)), dtype=float)
    others = draw(st.lists(st.integers(0, classes - 1), min_size=n - classes, max_size=n - classes))
    labels = np.array([*range(classes), *others])
    return x, labels, classes


def with_constant(x):
    return np.hstack([x, np.ones((len(x), 1))])


@settings(max_examples=25, deadline=None)
@given(
    st.one_of(problems(), problems("real")),
    st.sampled_from([0.1, 1.0, 10.0]),
    st.sampled_from(["eg", "block"]),
    st.booleans(),
    st.booleans(),
)
def test_the_dual_reaches_the_minimum_of_the_primal(problem, sigma2, method, shrink, has_constant):
    x, labels, classes = problem
    model = DualLogistic(sigma2, method=method, shrink=shrink, tol=1e-11, max_iter=20_000, fit_intercept=has_constant)
    model.fit(x, labels)
    full = with_constant(x) if has_constant else x
    expected = twin.optimum(full, labels, classes, sigma2)
    least = twin.primal(expected, full, labels, sigma2)
    assert model.objective_ == pytest.approx(least, rel=1e-8)
    assert twin.primal(model.weights_, full, labels, sigma2) == pytest.approx(model.objective_, rel=1e-12)
    assert np.abs(model.weights_ - expected).max() <= 1e-4 * max(1, np.abs(expected).max())
    assert 0 <= model.gap_ + 1e-13 <= 1e-11 + 1e-12
    np.testing.assert_allclose(model.predict_proba(x), twin.softmax(full @ model.weights_), atol=1e-12)


@settings(max_examples=25, deadline=None)
@given(problems(), st.sampled_from([0.1, 1.0]), st.integers(1, 8), st.sampled_from(["eg", "block"]))
def test_at_every_stop_the_gap_is_that_of_the_equations(problem, sigma2, passes, method):
    x, labels, classes = problem
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = DualLogistic(sigma2, method=method, max_iter=passes, tol=0.0).fit(x, labels)
    from plait import _core
    from plait.reorder.rows import as_rows

    found = _core.train_dual(
        as_rows(x, "test").core, labels.astype(np.uint32), classes,
        sigma2=sigma2, epsilon=0.1, shrink=True, unshrink=True,
        tolerance=0.0, passes=passes, trials=12, start=None, method=method, bias=True, seed=1, keeps_dual=True,
    )  # fmt: skip
    alpha, full = np.exp(found["log_alpha"]), with_constant(x)
    last = model.checks_[-1]
    np.testing.assert_allclose(alpha.sum(axis=1), 1, atol=1e-12)
    np.testing.assert_allclose(model.weights_, twin.weights_of(alpha, full, labels, sigma2), atol=1e-9)
    assert last.dual == pytest.approx(twin.dual(alpha, full, labels, sigma2), rel=1e-9, abs=1e-9)
    assert last.primal == pytest.approx(twin.primal(model.weights_, full, labels, sigma2), rel=1e-9)
    duals = [check.dual for check in model.checks_]
    assert all(b <= a + 1e-9 for a, b in itertools.pairwise(duals))


@settings(max_examples=15, deadline=None)
@given(problems(), st.randoms(use_true_random=False))
def test_the_order_of_examples_and_the_seed_do_not_move_the_optimum(problem, random):
    x, labels, _ = problem
    order = list(range(len(x)))
    random.shuffle(order)
    first = DualLogistic(1.0, tol=1e-11, max_iter=20_000).fit(x, labels)
    second = DualLogistic(1.0, tol=1e-11, max_iter=20_000, seed=2).fit(x[order], labels[order])
    np.testing.assert_allclose(first.weights_, second.weights_, atol=1e-4)
    again = DualLogistic(1.0, tol=1e-11, max_iter=20_000).fit(x, labels)
    assert (first.weights_ == again.weights_).all()


@settings(max_examples=15, deadline=None)
@given(st.one_of(problems(), problems("real")))
def test_gradient_descent_comes_near_the_minimum(problem):
    x, labels, classes = problem
    full = with_constant(x)
    model = PrimalLogistic(0.1, rate=0.3, max_iter=300).fit(x, labels)
    least = twin.primal(twin.optimum(full, labels, classes, 0.1), full, labels, 0.1)
    assert least - 1e-9 <= twin.primal(model.weights_, full, labels, 0.1) <= least * 1.05 + 0.05


@settings(max_examples=40, deadline=None)
@given(st.one_of(problems(), problems("large")), st.sampled_from([1.5, 2.0, 3.25]))
def test_map_is_the_formula(problem, alpha):
    x, labels, classes = problem
    model = NaiveBayes(alpha).fit(x, labels)
    expected = twin.bayes_map(x, labels, classes, alpha, x)
    np.testing.assert_allclose(model.predict_joint_log_proba(x), expected, rtol=1e-12, atol=1e-10)
    posterior = twin.softmax(expected)
    np.testing.assert_allclose(model.predict_proba(x), posterior, atol=1e-9)


@settings(max_examples=40, deadline=None)
@given(st.one_of(problems(), problems("large")), st.sampled_from([0.1, 1.0, 2.5]))
def test_bayesian_inference_is_the_ratio_of_gamma_functions(problem, alpha):
    x, labels, classes = problem
    model = NaiveBayes(alpha, inference="bayesian").fit(x, labels)
    expected = twin.bayes_closed_form(x, labels, classes, alpha, x)
    np.testing.assert_allclose(model.predict_joint_log_proba(x), expected, rtol=1e-9, atol=1e-8)


@settings(max_examples=20, deadline=None)
@given(problems(), st.integers(0, 1000))
def test_a_parameter_for_each_feature_is_what_its_formula_says(problem, seed):
    x, labels, classes = problem
    alpha = np.random.default_rng(seed).uniform(1.1, 3, x.shape[1])
    model = NaiveBayes(alpha).fit(x, labels)
    np.testing.assert_allclose(
        model.predict_joint_log_proba(x), twin.bayes_map(x, labels, classes, alpha, x), rtol=1e-11, atol=1e-9
    )
    model = NaiveBayes(alpha, inference="bayesian").fit(x, labels)
    np.testing.assert_allclose(
        model.predict_joint_log_proba(x), twin.bayes_closed_form(x, labels, classes, alpha, x), rtol=1e-9, atol=1e-8
    )


@settings(max_examples=40, deadline=None)
@given(problems())
def test_where_no_feature_comes_twice_in_rows_of_one_the_two_forms_agree(problem):
    _, labels, _ = problem
    x = np.eye(4)[np.arange(len(labels)) % 4]
    np.testing.assert_allclose(
        NaiveBayes(1.0, inference="bayesian").fit(x, labels).predict_proba(x),
        NaiveBayes(2.0).fit(x, labels).predict_proba(x),
        atol=1e-12,
    )


@settings(max_examples=40, deadline=None)
@given(st.one_of(problems(), problems("large")))
def test_information_is_the_difference_of_entropies(problem):
    x, labels, _ = problem
    expected = np.array([twin.information(column, labels) for column in x.T])
    np.testing.assert_allclose(mutual_information(x, labels), expected[:, 0], atol=1e-12)
    np.testing.assert_allclose(mutual_information(x, labels, normalized=True), expected[:, 1], atol=1e-10)


@settings(max_examples=30, deadline=None)
@given(problems(most=40), st.integers(1, 10))
def test_counts_of_parts_are_those_of_the_whole(problem, at):
    x, labels, classes = problem
    whole = NaiveBayes().fit(x, labels)
    parts = NaiveBayes().partial_fit(x[:at], labels[:at], np.arange(classes))
    other = NaiveBayes().partial_fit(x[at:], labels[at:], np.arange(classes)) if len(x) > at else None
    if other is not None:
        parts.merge(other)
    assert (parts.feature_count_ == whole.feature_count_).all()
    assert (parts.class_count_ == whole.class_count_).all()
    going_on = Lexicalised().partial_fit(x[:at], labels[:at], np.arange(classes))
    if len(x) > at:
        going_on.partial_fit(x[at:], labels[at:])
    np.testing.assert_array_equal(going_on.predict_proba(x), Lexicalised().fit(x, labels).predict_proba(x))


@settings(max_examples=30, deadline=None)
@given(problems(), st.sampled_from([0.5, 1.0, 0.25]))
def test_the_lexicalised_model_is_a_smoothed_share(problem, smoothing):
    x, labels, classes = problem
    found = Lexicalised(smoothing).fit(x, labels).predict_proba(x)
    for row, got in zip(x, found, strict=True):
        same = labels[(x == row).all(axis=1)]
        np.testing.assert_allclose(got, twin.moses_row(np.bincount(same, minlength=classes).tolist(), smoothing))


words = st.lists(st.sampled_from(["a", "b", "c&d", "&", "e|f", "é"]), min_size=1, max_size=6)


@settings(max_examples=60, deadline=None)
@given(words, words, st.data())
def test_features_are_those_of_every_consistent_pair_of_spans(source, target, data):
    cells = st.tuples(st.integers(0, len(source) - 1), st.integers(0, len(target) - 1))
    links = data.draw(st.lists(cells, min_size=1, max_size=6, unique=True))
    window, marks_sides = data.draw(st.integers(0, 3)), data.draw(st.booleans())
    length = data.draw(st.integers(1, 6))
    text = Bitext.from_lists([source], [target])
    expected = twin.examples_of(source, target, links, max_length=length, window=window, marks_sides=marks_sides)
    if not expected:
        return
    found = Examples.from_bitext(
        text,
        Alignments.from_lists([links]),
        threshold=0,
        pairs=True,
        max_length=length,
        window=window,
        marks_sides=marks_sides,
    )
    ends = found.rows.offsets.tolist()
    got = [
        (
            found.pairs[found.pair_of_row[n]],
            sorted(found.vocabulary[m] for m in found.rows.features[ends[n] : ends[n + 1]].tolist()),
        )
        for n in range(len(found))
    ]
    assert sorted(got) == expected
