"""Training, input and files of chain random fields."""

from __future__ import annotations

import copy
import itertools
import pickle
import threading
import time

import numpy as np
import pytest

from crf_models import draw
from plait import models
from plait.crf import ChainCRF, Sequences, evaluate
from plait.crf.evaluation import chunks
from plait.errors import ConfigError, ConvergenceWarning, DataError, ModelFileError, TextError

X = [
    [{"w": "the", "cap": True}, {"w": "cat"}, {"w": "sat"}],
    [{"w": "a"}, {"w": "dog", "len": 3}],
    [["w:the", "w:dog"], ["w:sat"]],
]
Y = [["D", "N", "V"], ["D", "N"], ["N", "V"]]


def weights(model):
    return np.concatenate([model.core.states()[2], model.core.transitions()[2]])


def test_features_have_the_names_of_python_crfsuite():
    items = [[{"s": "x", "n": 2.5, "i": 3, "t": True, "f": False, "l": ["a", "b"], "d": {"k": "v", "m": 0.5}}]]
    data = Sequences.from_items(items, [["L"]])
    model = ChainCRF(max_iterations=0).fit(data)
    assert model.core.attribute_names() == ["s:x", "n", "i", "t", "f", "l:a", "l:b", "d:k:v", "d:m"]


def test_values_of_numpy_and_sets_are_taken_and_ids_of_sets_do_not_depend_on_hashes():
    data = Sequences.from_items([[{"s": {"c", "a", "b"}, "x": np.float32(0.5), "y": np.int64(2)}]], [["L"]])
    names = ChainCRF(max_iterations=0).fit(data).core.attribute_names()
    assert names == ["s:a", "s:b", "s:c", "x", "y"]


def test_the_minimum_is_one_and_the_search_ends_there():
    loose = ChainCRF(l2=0.1).fit(X, Y)
    tight = ChainCRF(l2=0.1, epsilon=1e-10, period=0).fit(X, Y)
    assert loose.stopped_by_ in ("gradient", "objective")
    assert tight.gradient_norm_ < 1e-7
    assert loose.history_[-1] == pytest.approx(tight.history_[-1], rel=1e-4)
    assert (np.diff(tight.history_) <= 0).all()


def test_absolute_values_leave_few_weights_and_their_conditions_hold():
    from plait import _core

    drawn = draw(3, labels=3, lengths=[4] * 30, attributes=20, density=1.0)
    sparse = ChainCRF(l1=2.0, l2=0.0, epsilon=1e-7, period=0, max_iterations=2000).fit(drawn.data)
    found = weights(sparse)
    assert 0 < (found != 0).sum() < len(found) / 2
    _, gradient, _ = _core.crf_gradient(sparse.core, drawn.data.core, threads=1)
    # Karush, Kuhn and Tucker: slopes of c1 against the sign of a weight, no more than c1 where it is 0.
    assert gradient[found > 0] == pytest.approx(-2.0, abs=1e-3)
    assert gradient[found < 0] == pytest.approx(2.0, abs=1e-3)
    assert (np.abs(gradient[found == 0]) <= 2.0 + 1e-3).all()
    both = ChainCRF(l1=2.0, l2=0.5, epsilon=1e-7, period=0).fit(drawn.data)
    assert (weights(both) != 0).any()
    assert len(both.state_features_) < both.core.feature_count


def test_pairs_are_observed_or_all():
    observed = ChainCRF(max_iterations=0).fit(X, Y)
    every = ChainCRF(max_iterations=0, states="all", transitions="all").fit(X, Y)
    none = ChainCRF(transitions="none").fit(X, Y)
    frequent = ChainCRF(max_iterations=0, min_count=2).fit(X, Y)
    assert len(observed.core.transitions()[2]) == 2
    assert len(every.core.transitions()[2]) == 9
    assert len(every.core.states()[2]) == 3 * len(every.core.attribute_names())
    assert none.transition_features_ == {}
    names = [
        name
        for name, run in zip(frequent.core.attribute_names(), np.diff(frequent.core.states()[0]), strict=True)
        if run
    ]
    # Two occurrences, or a value of 3.
    assert names == ["w:sat", "w:dog", "len"]
    assert none.marginals(X)[0] == pytest.approx(
        np.concatenate([none.marginals([[position]])[0] for position in X[0]]), abs=1e-12
    )


def test_a_model_goes_on_from_another_and_learns_new_names():
    first = ChainCRF(l2=0.1).fit(X, Y)
    same = ChainCRF(l2=0.1, max_iterations=0).fit(X, Y, start=first)
    assert np.array_equal(weights(same), weights(first))
    more_x, more_y = [*X, [{"w": "new"}, {"w": "cat"}]], [*Y, ["X", "N"]]
    cold = ChainCRF(l2=0.1, epsilon=1e-9, period=0).fit(more_x, more_y)
    warm = ChainCRF(l2=0.1, epsilon=1e-9, period=0).fit(more_x, more_y, start=first)
    assert warm.classes_ == ["D", "N", "V", "X"]
    assert warm.history_[-1] == pytest.approx(cold.history_[-1], abs=1e-9)
    assert warm.history_[0] < cold.history_[0]
    for pair, weight in cold.state_features_.items():
        assert warm.state_features_[pair] == pytest.approx(weight, abs=1e-5)
    with pytest.raises(ConfigError, match="make the sequences with the names of the model"):
        ChainCRF().fit(Sequences.from_items(more_x[::-1], more_y[::-1]), start=first)


def test_too_few_iterations_are_told():
    with pytest.warns(ConvergenceWarning, match="raise max_iterations"):
        ChainCRF(l2=0.001, max_iterations=2).fit(X, Y)


def test_progress_is_told():
    heard = []
    ChainCRF().fit(X, Y, progress=lambda *report: heard.append(report))
    assert heard[0][0] == "training"
    assert dict(heard[-1][3]).keys() == {"objective", "gradient"}


def test_options_are_those_of_scikit_learn():
    model = ChainCRF(l2=0.25)
    assert repr(model) == "ChainCRF(l2=0.25)"
    assert ChainCRF(**model.get_params()).get_params() == model.get_params()
    assert model.set_params(l1=1.0) is model
    assert model.get_params()["l1"] == 1.0
    with pytest.raises(ConfigError, match="one of algorithm, l1, l2"):
        model.set_params(c2=1.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"l2": -1.0}, "l2 must be a finite number from 0"),
        ({"l1": float("nan")}, "l1 must be a finite number from 0"),
        ({"states": "none"}, "states must be observed or all"),
        ({"transitions": "some"}, "transitions must be"),
        ({"min_count": -1.0}, "min_count must be"),
        ({"epsilon": -1.0}, "epsilon must be"),
        ({"memory": 0}, "memory must be at least 1"),
        ({"max_iterations": 1.5}, "max_iterations must be a whole number"),
        ({"threads": 0}, "threads must be at least 1"),
    ],
)
def test_options_out_of_range_are_refused_by_name(options, message):
    with pytest.raises(ConfigError, match=message):
        ChainCRF(**options).fit(X, Y)


def test_a_model_comes_back_from_its_file_to_the_bit(tmp_path):
    model = ChainCRF(l2=0.1).fit(X, Y)
    model.save(tmp_path / "m.plait")
    model.save(tmp_path / "again.plait")
    assert (tmp_path / "m.plait").read_bytes() == (tmp_path / "again.plait").read_bytes()
    found = ChainCRF.load(tmp_path / "m.plait")
    assert np.array_equal(weights(found), weights(model))
    assert found.get_params() == model.get_params()
    assert found.history_.tolist() == model.history_.tolist()
    assert found.predict(X) == model.predict(X)
    model.save(tmp_path / "single.plait", single=True)
    assert weights(ChainCRF.load(tmp_path / "single.plait")) == pytest.approx(weights(model), rel=6e-8)
    with pytest.raises(ConfigError, match="exists"):
        model.save(tmp_path / "m.plait")


def test_models_are_pickled_and_copied():
    model = ChainCRF(l2=0.1).fit(X, Y)
    for made in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), copy.copy(model)):
        assert made.predict(X) == model.predict(X)
        assert np.array_equal(weights(made), weights(model))
    assert pickle.loads(pickle.dumps(ChainCRF(l2=3.0))).l2 == 3.0


@pytest.mark.parametrize(
    ("array", "change"),
    [
        ("states.labels", lambda a: a + 9),
        ("states.starts", lambda a: a[::-1].copy()),
        ("transitions.starts", lambda a: a[:-1]),
        ("weights", lambda a: a[:-1]),
        ("weights", lambda a: a * np.nan),
        ("labels.offsets", lambda a: a[:-1]),
        ("labels.offsets", lambda a: a * 3),
        ("attributes.bytes", lambda a: a | 0x80),
    ],
)
def test_a_model_file_that_no_training_makes_is_refused(tmp_path, array, change):
    model = ChainCRF().fit(X, Y)
    model.save(tmp_path / "m.plait")
    found = models.load(tmp_path / "m.plait")
    models.save(
        tmp_path / "bad.plait", found.kind, {**found.arrays, array: change(found.arrays[array])}, found.metadata
    )
    with pytest.raises(ModelFileError):
        ChainCRF.load(tmp_path / "bad.plait")


def test_other_threads_run_during_training():
    drawn = draw(1, labels=8, lengths=[20] * 400, attributes=30)
    ticks, done = 0, threading.Event()

    def tick():
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    started = time.perf_counter()
    with pytest.warns(ConvergenceWarning):
        ChainCRF(max_iterations=20, epsilon=0.0, period=0, threads=1).fit(drawn.data)
    seconds = time.perf_counter() - started
    done.set()
    thread.join()
    assert ticks > 20 * seconds


def test_columns_and_attributes_are_the_same_sequences(tmp_path):
    (tmp_path / "columns").write_text("the D\ncat N\n\na D\n")
    (tmp_path / "attributes").write_text("D\tU\\:the\nN\tU\\:cat\n\nD\tU\\:a\n")
    ours = Sequences.read(tmp_path / "columns", template="# words\nU:%x[0,0]\n")
    theirs = Sequences.read(tmp_path / "attributes", format="crfsuite")
    assert ours.labels() == theirs.labels() == [["D", "N"], ["D"]]
    assert ours.width == 1
    model = ChainCRF(max_iterations=0).fit(ours)
    assert model.core.attribute_names() == ["U:the", "U:cat", "U:a"]
    (tmp_path / "new").write_text("cat\nunseen\n")
    new = Sequences.read(tmp_path / "new", model=model)
    assert new.unknown == 1
    assert model.predict(new) == [["D", "D"]]
    with pytest.raises(ConfigError, match="labelled"):
        new.labels()


def test_arrays_are_sequences():
    data = Sequences.from_arrays(
        [0, 2, 3],
        [0, 1, 3, 3],
        [0, 0, 1],
        attribute_names=["a", "b"],
        label_names=["X", "Y"],
        labels=[0, 1, 0],
        values=[1.0, 2.0, 0.5],
    )
    same = Sequences.from_items([[{"a": 1}, {"a": 2, "b": 0.5}], [{}]], [["X", "Y"], ["X"]])
    assert weights(ChainCRF().fit(data)).tolist() == weights(ChainCRF().fit(same)).tolist()
    bad = {
        "rows": dict(rows=[0, 1, 3, 2]),
        "starts": dict(starts=[0, 4]),
        "attributes": dict(attributes=[0, 0, 2]),
        "labels": dict(labels=[0, 1, 2]),
        "values": dict(values=[1.0, np.inf, 1.0]),
    }
    for name, change in bad.items():
        arrays = dict(
            starts=[0, 2, 3], rows=[0, 1, 3, 3], attributes=[0, 0, 1], labels=[0, 1, 0], values=[1.0, 2.0, 0.5]
        )
        with pytest.raises(ConfigError, match=name):
            Sequences.from_arrays(**arrays | change, attribute_names=["a", "b"], label_names=["X", "Y"])


def test_errors_of_files_have_their_place(tmp_path):
    (tmp_path / "f").write_text("a X\nb X\n\nc\n")
    with pytest.raises(TextError, match=r"f:4:1: the lines before have 2 cells.*found 1 cells"):
        Sequences.read(tmp_path / "f")
    with pytest.raises(TextError, match=r"f:1:1: the templates name column 4"):
        Sequences.read(tmp_path / "f", template="U:%x[0,4]\n")
    with pytest.raises(ConfigError, match="'conll' or 'crfsuite'"):
        Sequences.read(tmp_path / "f", format="xml")


def test_score_and_marginals_agree_with_predictions():
    model = ChainCRF(l2=0.01).fit(X, Y)
    assert model.score(X, Y) == 1.0
    for labels, rows, matrix in zip(model.predict(X), model.predict_marginals(X), model.marginals(X), strict=True):
        assert [max(row, key=row.__getitem__) for row in rows] == labels
        assert matrix.sum(1) == pytest.approx(1.0, abs=1e-12)
    assert model.log_probability(X, Y).tolist() == pytest.approx(
        [found[0].log_probability for found in model.predict_nbest(X, 1)], abs=1e-12
    )
    assert model.log_probability(X, [["D", "N", "Q"], *Y[1:]])[0] == -np.inf


def test_labels_that_are_not_allowed_are_not_chosen():
    model = ChainCRF(l2=0.01).fit(X, Y)
    allowed = [[None, ["V"], None], [None, None], [None, ("N", "D", "unknown")]]
    found = model.predict(X, allowed=allowed)
    assert found[0][1] == "V"
    assert found[1] == Y[1]
    assert found[2][1] in ("N", "D")
    assert model.marginals(X, allowed=allowed)[0][1].tolist() == pytest.approx([0.0, 0.0, 1.0], abs=1e-12)
    for wrong, message in (
        ([[None] * 3, [None] * 2], "allowed labels for 2"),
        ([[None] * 3, [None], [None] * 2], "sequence 1 has 2 positions"),
        ([[None] * 3, [None, ["Q"]], [None] * 2], "sequence 1, position 1"),
        ([[None] * 3, [None, "N"], [None] * 2], "sequence 1, position 1"),
    ):
        with pytest.raises(DataError, match=message):
            model.predict(X, allowed=wrong)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["B-A", "I-A", "O", "B-A"], [(0, 2, "A"), (3, 4, "A")]),
        (["I-A", "I-A", "I-B", "B-B"], [(0, 2, "A"), (2, 3, "B"), (3, 4, "B")]),
        (["B-A", "E-A", "I-A", "S-B", "I-B"], [(0, 2, "A"), (2, 3, "A"), (3, 4, "B"), (4, 5, "B")]),
        (["O", "O"], []),
        (["U-A", "B-A", "L-A"], [(0, 1, "A"), (1, 3, "A")]),
        (["E-A", "E-A"], [(0, 1, "A"), (1, 2, "A")]),
        ([], []),
    ],
)
def test_chunks_are_those_of_conlleval(labels, expected):
    assert chunks(labels) == expected


def test_an_evaluation_counts_chunks_or_labels():
    gold = [["B-X", "I-X", "O", "B-Y"], ["O"]]
    found = [["B-X", "I-X", "B-Y", "B-Y"], ["B-X"]]
    result = evaluate(gold, found)
    assert (result.unit, result.positions, result.right) == ("chunk", 5, 3)
    assert (result.all.gold, result.all.found, result.all.correct) == (2, 4, 2)
    assert result.by_type["Y"].precision == 0.5
    assert result.as_dict()["types"]["X"]["recall"] == 1.0
    by_label = evaluate([["N", "V"]], [["N", "N"]])
    assert by_label.unit == "label"
    assert by_label.all.f1 == by_label.accuracy == 0.5
    assert by_label.by_type["V"].f1 == 0.0
    for wrong in (([["N"]], []), ([["N"]], [["N", "N"]]), ([[]], [[]])):
        with pytest.raises(DataError):
            evaluate(*wrong)


def test_words_of_a_long_sequence_are_labelled_one_by_one_as_in_short_ones():
    model = ChainCRF(transitions="none", l2=0.1).fit(X, Y)
    words = [{"w": word} for word in itertools.islice(itertools.cycle(["the", "cat", "sat"]), 300)]
    assert model.predict([words])[0] == [model.predict([[word]])[0][0] for word in words]


def test_training_stops_early_by_held_out_labels_and_keeps_the_best_weights():
    train, dev = (draw(seed, labels=4, lengths=[5] * 40, attributes=12, density=1.0) for seed in (1, 2))
    model = ChainCRF(l2=1e-6, epsilon=1e-12, period=0, max_iterations=500)
    model.fit(train.data, held_out=dev.data, patience=5)
    shares = model.held_out_history_
    assert model.stopped_by_ == "held-out"
    assert len(shares) == model.n_iter_ == shares.argmax() + 1 + 5
    assert np.isclose(model.score(dev.data), shares.max())
    short = ChainCRF(l2=1e-6, epsilon=1e-12, period=0, max_iterations=int(shares.argmax()) + 1)
    with pytest.warns(ConvergenceWarning):
        short.fit(train.data)
    assert np.array_equal(weights(short), weights(model))
    assert ChainCRF().fit(X, Y, held_out=(X, Y)).held_out_history_[-1] == 1.0
    with pytest.raises(ConfigError, match="patience must be a whole number from 1"):
        ChainCRF().fit(X, Y, held_out=(X, Y), patience=0)
    with pytest.raises(ConfigError, match="held_out must be sequences with the names of the training data"):
        ChainCRF().fit(X, Y, held_out=Sequences.from_items(X[::-1], Y[::-1]))
    with pytest.raises(ConfigError, match="held-out data must be labelled"):
        ChainCRF().fit(X, Y, held_out=([], []))
