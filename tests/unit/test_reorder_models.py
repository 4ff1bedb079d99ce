"""The classifiers: what they refuse, what they keep, what they write."""

from __future__ import annotations

import copy
import os
import pickle

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from plait import models
from plait.errors import ConfigError, ConvergenceWarning, DataError, ModelFileError, ResourceError
from plait.reorder import (
    DualLogistic,
    Examples,
    Lexicalised,
    NaiveBayes,
    PrimalLogistic,
    StackedLogistic,
    compare,
    evaluate,
    load,
    mutual_information,
    reordering_table,
    save,
    selected,
    write_table,
)

LINES = (
    b"a b ||| x ||| mono ||| f g\na b ||| x ||| mono ||| f\na ||| x y ||| swap ||| g h h\n"
    b"c ||| z ||| other ||| k\nc ||| z ||| swap ||| h\na ||| x ||| mono ||| f k\n"
) * 3
ALL = [DualLogistic, StackedLogistic, PrimalLogistic, NaiveBayes, lambda: NaiveBayes(inference="bayesian"), Lexicalised]


@pytest.fixture
def examples():
    return Examples.from_blocks([LINES], threshold=0, pairs=True)


@pytest.mark.parametrize("make", ALL)
def test_a_saved_model_predicts_the_same_bits(tmp_path, examples, make):
    model = make().fit(examples)
    save(model, tmp_path / "m.plait")
    found = load(tmp_path / "m.plait")
    assert type(found) is type(model)
    assert found.get_params() == model.get_params()
    assert (found.predict_proba(examples) == model.predict_proba(examples)).all()
    assert found.classes_.tolist() == ["mono", "swap", "other"]
    assert found.vocabulary_ == examples.vocabulary
    if isinstance(model, DualLogistic):
        assert found.checks_ == model.checks_
        assert found.active_.tolist() == model.active_.tolist()
    if isinstance(model, NaiveBayes):
        more = Examples.from_blocks([LINES], vocabulary=found.vocabulary_, classes=found.classes_.tolist())
        assert (found.partial_fit(more).feature_count_ == 2 * model.feature_count_).all()


@pytest.mark.parametrize("make", ALL)
def test_copies_and_pickles_predict_the_same(examples, make):
    model = make().fit(examples)
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert (other.predict_proba(examples) == model.predict_proba(examples)).all()


def test_a_model_file_whose_parts_do_not_fit_is_refused(tmp_path, examples):
    path = tmp_path / "m.plait"
    save(DualLogistic().fit(examples), path)
    file = models.load(path)
    wrong = dict(file.arrays) | {"weights": np.zeros((2, 3))}
    models.save(path, file.kind, wrong, file.metadata, force=True)
    with pytest.raises(ModelFileError, match=r"m\.plait: the array 'weights' is not that of a reordering model"):
        load(path)
    models.save(path, file.kind, file.arrays, dict(file.metadata) | {"model": "forest"}, force=True)
    with pytest.raises(ModelFileError, match="do not fit together"):
        load(path)
    models.save(path, "lexicon", {}, {}, force=True)
    with pytest.raises(ModelFileError, match="kind 'reordering' is needed"):
        load(path)


def test_a_model_without_names_cannot_be_saved(tmp_path, examples):
    with pytest.raises(ConfigError, match="trained on plait's Examples"):
        save(NaiveBayes().fit([[1, 0], [0, 1]], ["a", "b"]), tmp_path / "m")
    with pytest.raises(ConfigError, match="call fit first"):
        save(NaiveBayes(), tmp_path / "m")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("make", ALL)
def test_what_is_no_data_for_a_classifier_is_refused(make):
    x = [[1, 0], [0, 1]]
    for features, classes, message in [
        (x, ["mono", "mono"], "at least 2 classes; found 1 class, .*mono"),
        (x, ["mono"], "inconsistent numbers of samples"),
        (x, None, "requires y to be passed"),
        (x, [[0, 1], [1, 0]], "1d array of classes"),
        ([[np.nan, 1], [0, 1]], [0, 1], "contains NaN"),
        ([[np.inf, 1], [0, 1]], [0, 1], "contains infinity"),
        ([["a", "b"], ["c", "d"]], [0, 1], "must be numbers"),
        ([1, 2], [0, 1], "Expected 2D array"),
        (np.zeros((0, 2)), [], r"0 sample\(s\)"),
        (np.zeros((2, 0)), [0, 1], r"0 feature\(s\)"),
        (x, [0.5, 1.5], "continuous"),
    ]:
        with pytest.raises(DataError, match=message):
            make().fit(features, classes)
    with pytest.raises(DataError, match="call fit first"):
        make().predict(x)
    model = make().fit(x, ["mono", "swap"])
    with pytest.raises(DataError, match=r"X has 3 features, but .* is expecting 2"):
        model.predict([[1, 0, 0]])


@pytest.mark.parametrize("make", ALL)
def test_a_class_without_an_example_is_refused_by_name(make):
    empty = Examples.from_blocks([LINES], threshold=0, pairs=True)
    object.__setattr__(empty, "classes", (*empty.classes, "dleft"))
    with pytest.raises(DataError, match="the class 'dleft' has no example"):
        make().fit(empty)


@pytest.mark.parametrize("make", [PrimalLogistic, NaiveBayes, Lexicalised])
def test_learning_in_parts_needs_to_know_the_classes(make):
    with pytest.raises(DataError, match="needs classes"):
        make().partial_fit([[1, 0]], ["mono"])
    model = make().partial_fit([[1, 0]], ["mono"], ["mono", "swap"])
    with pytest.raises(DataError, match="'other', none of mono, swap"):
        model.partial_fit([[1, 0]], ["other"])
    with pytest.raises(DataError, match="those of the first call"):
        model.partial_fit([[1, 0]], ["mono"], ["mono", "other"])
    model.partial_fit([[0, 1], [0, 1]], ["swap", "swap"])
    assert model.predict([[0, 1]]).tolist() == ["swap"]


@pytest.mark.parametrize("make", ALL)
def test_an_example_without_features_is_rated_by_what_all_have_in_common(make):
    x = [[1, 0]] * 6 + [[0, 1]] * 2 + [[0, 0]] * 2
    y = ["mono"] * 6 + ["swap"] * 2 + ["mono"] * 2
    model = make().fit(x, y)
    assert model.predict([[0, 0]]).tolist() == ["mono"]
    if isinstance(model, NaiveBayes):
        np.testing.assert_allclose(model.predict_proba([[0, 0]]), [[0.8, 0.2]])


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (DualLogistic(epsilon=0.0), "epsilon must be a finite number above 0; found 0"),
        (DualLogistic(epsilon=-1.0), "epsilon must be"),
        (DualLogistic(epsilon=float("nan")), "epsilon must be"),
        (DualLogistic(sigma2=0.0), "sigma2 must be"),
        (DualLogistic(sigma2=float("inf")), "sigma2 must be"),
        (DualLogistic(start=0.0), "start must be between 0 and 1"),
        (DualLogistic(start=1.0), "start must be between 0 and 1"),
        (DualLogistic(tol=-1e-9), "tolerance must be"),
        (DualLogistic(max_iter=0), "passes must be at least 1"),
        (DualLogistic(max_trial=0), "trials must be at least 1"),
        (DualLogistic(method="newton"), "method must be eg or block; found 'newton'"),
        (PrimalLogistic(rate=0.0), "rate must be"),
        (PrimalLogistic(max_iter=0), "epochs must be at least 1"),
        (NaiveBayes(0.5), "alpha must be finite and at least 1"),
        (NaiveBayes(0.0, inference="bayesian"), "alpha must be finite and above 0"),
        (NaiveBayes([2.0, 2.0, 2.0]), "alpha must be one number, or one for each feature; found 3 for 2"),
        (NaiveBayes(inference="mcmc"), "inference must be 'map' or 'bayesian'"),
        (Lexicalised(-0.5), "smoothing must be"),
    ],
)
def test_parameters_out_of_range_are_refused_by_name(model, message):
    with pytest.raises(ConfigError, match=message):
        model.fit([[1, 0], [0, 1]], [0, 1])


def test_rows_of_the_core_are_checked():
    from plait import _core

    offsets, labels = np.array([0, 2], dtype=np.uint64), np.array([0], dtype=np.uint32)
    counts = _core.FeatureCounts(3, 2, values=False)
    twice = (offsets, np.array([1, 1], dtype=np.uint32), np.ones(2), 3)
    counted = counts.counted(twice, labels)
    assert counted.sums.tolist() == [[0, 0], [2, 0], [0, 0]]
    with pytest.raises(DataError, match="example 1: the class is none of those there are; found 7"):
        counts.counted((offsets, np.array([0, 1], dtype=np.uint32), None, 3), np.array([7], dtype=np.uint32))


def test_repeated_entries_of_a_sparse_matrix_add_up():
    x = csr_matrix((np.array([1.0, 1.0, 2.0]), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    before = x.indices.copy()
    assert NaiveBayes().fit(x, [0, 1]).feature_count_.tolist() == [[0, 2], [2, 0]]
    assert (x.indices == before).all()


def test_large_counts_are_exact_or_refused():
    model = NaiveBayes().fit([[1e9, 0], [0, 3e9]], ["mono", "swap"])
    assert model.feature_count_.tolist() == [[1e9, 0], [0, 3e9]]
    assert np.isfinite(model.predict_log_proba([[1e9, 5]])[0, 0])
    bayesian = NaiveBayes(inference="bayesian").fit([[1e9, 0], [0, 3e9]], ["mono", "swap"])
    assert bayesian.predict([[1e9, 1]]).tolist() == ["mono"]
    with pytest.raises(ResourceError, match="the sum of the values of a feature exceeds"):
        NaiveBayes().fit([[1e16, 0], [0, 1]], ["mono", "swap"])
    with pytest.raises(DataError, match="Negative values"):
        NaiveBayes().fit([[-1, 0], [0, 1]], ["mono", "swap"])


@pytest.mark.parametrize("method", ["eg", "block"])
def test_features_that_are_there_twice_share_their_weight(method):
    draw = np.random.default_rng(4)
    x, y = draw.integers(0, 2, (120, 3)), draw.integers(0, 3, 120)
    model = DualLogistic(1.0, tol=1e-10, max_iter=2000, method=method).fit(np.hstack([x, x[:, :1]]), y)
    np.testing.assert_allclose(model.coef_[:, 0], model.coef_[:, 3], atol=1e-9)


@pytest.mark.filterwarnings("ignore::plait.errors.ConvergenceWarning")
@pytest.mark.parametrize("make", [DualLogistic, lambda: DualLogistic(method="block"), PrimalLogistic])
def test_huge_values_leave_linear_models_finite(make):
    model = make().fit([[1e9, 1], [1e9, 2], [0, 3e9], [1, 0]], ["mono", "mono", "swap", "swap"])
    assert np.isfinite(model.weights_).all()
    assert np.isfinite(model.predict_proba([[1e9, 0], [0, 1]])).all()


def test_maximum_likelihood_makes_what_never_occurred_impossible():
    model = NaiveBayes(1.0).fit([[1, 0], [0, 1]], ["mono", "swap"])
    assert model.predict_proba([[1, 0], [1, 1]]).tolist() == [[1, 0], [0.5, 0.5]]
    assert evaluate(model, [[1, 0]], ["swap"]).log_loss == float("inf")
    assert evaluate(model, [[1, 0]], ["swap"]).to_dict()["log_loss"] is None


def test_algorithm_1_as_printed_warns_how_far_it_is():
    draw = np.random.default_rng(1)
    x, y = draw.integers(0, 2, (300, 8)), draw.integers(0, 3, 300)
    with pytest.warns(ConvergenceWarning, match="a smaller epsilon or unshrink=True"):
        printed = DualLogistic(1.0, epsilon=1.0, unshrink=False).fit(x, y)
    assert printed.gap_ > 1e-3
    assert printed.active_[0] == 300
    assert (np.diff(printed.active_.astype(int)) <= 0).all()
    full = DualLogistic(1.0, epsilon=1.0).fit(x, y)
    assert full.gap_ <= full.tol
    assert full.objective_ < printed.objective_


def test_the_seed_decides_the_bits():
    draw = np.random.default_rng(2)
    x, y = draw.integers(0, 2, (200, 6)), draw.integers(0, 2, 200)
    for make in (DualLogistic, PrimalLogistic):
        assert (make(seed=1).fit(x, y).weights_ == make(seed=1).fit(x, y).weights_).all()
        assert (make(seed=1).fit(x, y).weights_ != make(seed=2).fit(x, y).weights_).any()


def test_the_table_of_the_lexicalised_model_is_that_of_moses(tmp_path, examples):
    pairs, probabilities = reordering_table(Lexicalised().fit(examples), examples)
    assert pairs == ["a b ||| x", "a ||| x y", "a ||| x", "c ||| z"]
    np.testing.assert_allclose(probabilities[3], [0.5 / 7.5, 3.5 / 7.5, 3.5 / 7.5])
    dual = DualLogistic().fit(examples)
    rows = write_table(tmp_path / "t", [(Lexicalised().fit(examples), examples), (dual, examples)])
    lines = (tmp_path / "t").read_text().splitlines()
    assert rows == len(lines) == 4
    # One count of three in three classes: (3 + 0.5) / (3 + 1.5).
    assert lines[2].startswith("a ||| x ||| 0.777778 0.111111 0.111111 ")
    assert lines[0].split(" ||| ")[2].count(" ") == 5
    assert lines == sorted(lines, key=str.encode)


def test_a_table_needs_phrase_pairs(examples):
    without = Examples.from_blocks([LINES], threshold=0)
    with pytest.raises(DataError, match="pairs=True"):
        reordering_table(NaiveBayes().fit(without), without)
    with pytest.raises(DataError, match="pairs=True"):
        Lexicalised().fit(without)


def test_unseen_phrase_pairs_get_the_shares_of_training(examples):
    model = Lexicalised().fit(examples)
    other = Examples.from_blocks([b"new ||| pair ||| ? ||| f\n"], threshold=0, pairs=True)
    np.testing.assert_allclose(model.predict_proba(other), [np.array([9, 6, 3]) / 18])
    proportional = Lexicalised(proportional=True).fit(examples).predict_proba(examples)
    added = 0.5 * np.array([9.1, 6.1, 3.1]) / 18.3
    np.testing.assert_allclose(proportional[0], (np.array([6, 0, 0]) + added) / 6.5)


def test_a_comparison_counts_what_only_one_gets_right():
    x, y = [[1, 0], [0, 1], [0, 1], [0, 1]], ["mono", "swap", "swap", "swap"]
    good, bad = NaiveBayes().fit(x, y), NaiveBayes().fit(x, ["swap", "mono", "mono", "mono"])
    found = compare(good, bad, x, y=y)
    assert (found.first_only, found.second_only) == (4, 0)
    assert found.p_value == pytest.approx(2 * 0.5**4)
    assert compare(good, good, x, y=y).p_value == 1


def test_selection_by_threshold_and_share():
    values = mutual_information([[1, 1], [1, 0], [0, 1], [0, 0]], [0, 0, 1, 1])
    assert selected(values, threshold=0.5).tolist() == [0]
    assert selected(values, share=1.0).tolist() == [0, 1]
    with pytest.raises(ConfigError, match="give one of the two"):
        selected(values)
    with pytest.raises(ConfigError, match="share must be"):
        selected(values, share=0.0)


def test_parameters_by_name():
    model = DualLogistic(sigma2=2.0)
    assert repr(model) == "DualLogistic(sigma2=2.0)"
    assert model.set_params(epsilon=0.2).get_params()["epsilon"] == 0.2
    with pytest.raises(ConfigError, match="has no parameter 'C'; it has sigma2"):
        model.set_params(C=1.0)
