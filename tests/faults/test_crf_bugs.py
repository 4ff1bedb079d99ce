"""What was reported against other libraries of random fields, and what plait does.

The numbers are those of our list of reports; those on packaging, and on other models than random fields, are left out.
"""

from __future__ import annotations

import copy
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest

from crf_models import draw
from plait import models
from plait.crf import ChainCRF, Sequences
from plait.errors import ConfigError, DataError, ModelFileError

X = [[{"w": "a"}, {"w": "b"}], [{"w": "b"}]]
Y = [["P", "Q"], ["Q"]]
TRAINERS = ["lbfgs", "sgd", "adagrad", "perceptron"]


@pytest.mark.parametrize("call", ["predict", "marginals", "predict_marginals", "log_probability", "score"])
def test_1_a_model_that_is_not_trained_says_so(call):
    with pytest.raises(ConfigError, match="not trained; call fit"):
        getattr(ChainCRF(), call)(X)


@pytest.mark.parametrize(("items", "labels"), [([], []), ([[]], [[]])])
def test_1_training_on_nothing_is_refused(items, labels):
    with pytest.raises(ConfigError, match="at least one position"):
        ChainCRF().fit(items, labels)


def test_2_a_model_that_was_cut_or_changed_is_refused(tmp_path):
    ChainCRF().fit(X, Y).save(tmp_path / "m")
    whole = (tmp_path / "m").read_bytes()
    for length in range(0, len(whole), 37):
        (tmp_path / "cut").write_bytes(whole[:length])
        with pytest.raises(ModelFileError):
            ChainCRF.load(tmp_path / "cut")
    for place in range(0, len(whole), 29):
        (tmp_path / "changed").write_bytes(whole[:place] + bytes([whole[place] ^ 0x41]) + whole[place + 1 :])
        with pytest.raises(ModelFileError):
            ChainCRF.load(tmp_path / "changed")


@pytest.mark.parametrize(
    ("items", "labels"),
    [
        ([[{"w": "a"}]], [["P"]]),
        ([[{}]], [["P"]]),
        ([[{"w": "a"}, {"w": "b"}]], [["P", "Q"]]),
        ([[{}, {}], []], [["P", "Q"], []]),
    ],
)
@pytest.mark.parametrize("l1", [0.0, 0.5])
def test_3_the_smallest_sets_train(items, labels, l1):
    model = ChainCRF(l1=l1).fit(items, labels)
    assert [len(found) for found in model.predict(items)] == [len(own) for own in labels]
    if len(model.classes_) == 1:
        assert model.marginals(items)[0].tolist() == [[1.0]]


def test_4_without_weights_the_first_label_is_chosen():
    model = ChainCRF(max_iterations=0).fit(X, Y)
    assert model.predict(X) == [["P", "P"], ["P"]]
    assert np.concatenate(model.marginals(X)) == pytest.approx(0.5)


def test_5_pairs_that_do_not_occur_have_no_weight():
    items = [[{"w": f"w{n}"}] for n in range(500)]
    model = ChainCRF(max_iterations=0).fit(items, [[f"l{n % 250}"] for n in range(500)])
    assert model.core.feature_count == 500


@pytest.mark.parametrize("algorithm", ["sgd", "adagrad", "perceptron"])
def test_7_every_trainer_takes_the_sizes_that_l_bfgs_takes(algorithm):
    """A hundred thousand attributes, a thousand labels, all pairs of them: 2 million weights."""
    random = np.random.default_rng(1)
    items = [[{f"w{n}": 1.0} for n in random.integers(0, 100_000, 20)] for _ in range(100)]
    labels = [[f"l{n}" for n in random.integers(0, 1000, 20)] for _ in range(100)]
    model = ChainCRF(algorithm=algorithm, transitions="all", max_iterations=1, rate=0.1).fit(items, labels)
    assert model.core.feature_count > 700_000
    assert model.predict(items[:1])[0] != [model.classes_[0]] * 20


@pytest.mark.parametrize("algorithm", TRAINERS)
def test_8_data_sets_can_be_added_to_a_model_by_any_trainer(algorithm):
    first = ChainCRF(algorithm=algorithm, rate=0.5).fit(X, Y)
    again = ChainCRF(algorithm=algorithm, rate=0.5).fit([*X, [{"w": "new"}]], [*Y, ["R"]], start=first)
    assert again.predict([[{"w": "new"}], *X]) == [["R"], *Y]
    for _ in range(3):
        again = ChainCRF(algorithm=algorithm, rate=0.5).fit([*X, [{"w": "new"}]], [*Y, ["R"]], start=again)
    assert again.predict([[{"w": "new"}], *X]) == [["R"], *Y]


def test_8_data_sets_can_be_added_to_a_model():
    first = ChainCRF().fit(X, Y)
    again = ChainCRF().fit([*X, [{"w": "new"}]], [*Y, ["R"]], start=first)
    assert again.predict([[{"w": "new"}]]) == [["R"]]


def test_9_an_output_that_cannot_be_written_is_told_before_training(tmp_path):
    (tmp_path / "data").write_text("a X\n")
    command = [
        sys.executable,
        "-m",
        "plait",
        "crf",
        "train",
        "-o",
        str(tmp_path / "no" / "m"),
        str(tmp_path / "absent"),
    ]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 1
    assert "absent" not in result.stderr


def test_10_a_model_of_a_later_format_names_both_versions(tmp_path, monkeypatch):
    with monkeypatch.context() as later:
        later.setattr(models, "FORMAT_VERSION", 9)
        ChainCRF().fit(X, Y).save(tmp_path / "m")
    with pytest.raises(ModelFileError, match=rf"(?s)9.*{models.FORMAT_VERSION}"):
        ChainCRF.load(tmp_path / "m")


def test_11_line_ends_of_all_sorts_are_read(tmp_path):
    (tmp_path / "f").write_bytes(b"\r\n\r\na X\r\nb Y  \r\n \t\r\n\r\nc X")
    data = Sequences.read(tmp_path / "f")
    assert data.labels() == [["X", "Y"], ["X"]]


def test_12_an_estimator_trains_again_and_its_old_models_stay_valid():
    """Training hands nothing to callbacks that can outlive it."""
    heard = []
    model = ChainCRF()
    model.fit(X, Y, progress=lambda *report: heard.append(report))
    old, before = model.core, model.predict(X)
    other = model
    del model
    other.fit([[{"w": "c"}]], [["R"]], progress=lambda *report: heard.append(report))
    assert old.label_names() == ["P", "Q"]
    assert other.classes_ == ["R"]
    assert before == Y
    assert [report[1] for report in heard].count(0) == 2


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), np.float64("nan")])
def test_14_values_that_are_not_finite_are_refused_with_their_place(value):
    with pytest.raises(DataError, match=r"sequence 1, position 0: the value of the feature .*v.* finite"):
        Sequences.from_items([X[0], [{"w": "b", "v": value}]], Y)


def test_14_values_that_cannot_be_added_up_are_refused():
    with pytest.raises(ConfigError, match="divide them by a constant"):
        ChainCRF().fit([[{"v": 1e300}]], [["P"]])


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_14_large_and_small_values_train(scale):
    random = np.random.default_rng(1)
    items, labels = [], []
    for _ in range(50):
        values = random.normal(size=3)
        items.append([{"v": scale * float(value)} for value in values])
        labels.append(["P" if value > 0 else "Q" for value in values])
    model = ChainCRF(l2=0.01 * scale**2, epsilon=1e-9, period=0, max_iterations=3000).fit(items, labels)
    assert model.score(items, labels) > 0.9


@pytest.mark.parametrize("l1", [0.0, 0.3])
def test_16_two_runs_are_the_same_to_the_bit(l1):
    drawn = draw(2, labels=4, lengths=[5] * 50, attributes=10)
    weights = [ChainCRF(l1=l1, threads=threads).fit(drawn.data).state_features_ for threads in (1, 2, 2, 5)]
    assert all(other == weights[0] for other in weights[1:])


@pytest.mark.parametrize("algorithm", TRAINERS)
def test_16_two_processes_make_the_same_file(algorithm, tmp_path):
    program = (
        "import sys\n"
        "from crf_models import draw\n"
        "from plait.crf import ChainCRF\n"
        "drawn = draw(2, labels=4, lengths=[5] * 50, attributes=10)\n"
        "ChainCRF(algorithm=sys.argv[1], l2=0.1, max_iterations=4, threads=int(sys.argv[2])).fit(drawn.data)"
        ".save(sys.argv[3])\n"
    )
    found = []
    for seed, threads in (("0", "1"), ("1", "3")):
        out = tmp_path / seed
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-W", "ignore", "-c", program, algorithm, threads, str(out)]
        subprocess.run(command, check=True, env=environment)
        found.append(out.read_bytes())
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("algorithm", "norm"),
    [
        ("lbfgs", 8.072839533246107),
        ("sgd", 5.228262745214898),
        ("adagrad", 6.5055061849200495),
        ("perceptron", 17.555555555555554),
    ],
)
def test_17_the_weights_are_those_of_other_machines(algorithm, norm):
    """Orders of passes are drawn by a generator of our own, and exponentials do not come from the system's library."""
    random = np.random.default_rng(3)
    items = [[{f"a{n}": 1.0} for n in random.integers(0, 9, 6)] for _ in range(30)]
    labels = [[f"l{n}" for n in random.integers(0, 3, 6)] for _ in range(30)]
    model = ChainCRF(algorithm=algorithm, l2=0.3, max_iterations=3, period=0, epsilon=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(items, labels)
    weights = np.concatenate([model.core.states()[2], model.core.transitions()[2]])
    assert np.abs(weights).sum() == pytest.approx(norm, rel=1e-9)


@pytest.mark.parametrize("algorithm", TRAINERS)
def test_18_a_history_comes_with_the_reason(algorithm):
    model = ChainCRF(algorithm=algorithm, l2=0.1, rate=0.5).fit(X, Y)
    assert model.stopped_by_ in ("gradient", "objective", "precision", "iterations")
    assert len(model.history_) == model.n_iter_ + (algorithm == "lbfgs")
    assert np.isfinite(model.history_).all()


def test_18_why_training_ended_is_told():
    assert ChainCRF(l2=0.1).fit(X, Y).stopped_by_ in ("gradient", "objective", "precision")
    assert ChainCRF(max_iterations=0).fit(X, Y).stopped_by_ == "iterations"


def test_19_all_labellings_are_listed_when_more_are_asked_for():
    model = ChainCRF().fit(X, Y)
    found = model.predict_nbest([[{"w": "a"}] * 4, [{}], []], 1000)
    assert [len(labellings) for labellings in found] == [16, 2, 1]
    assert sum(labelling.probability for labelling in found[0]) == pytest.approx(1)
    assert model.predict_nbest(X, 0) == [[], []]


def test_20_pair_marginals_add_up_to_marginals():
    drawn = draw(4, labels=3, lengths=[4])
    pairs, single = drawn.model.pair_marginals(drawn.data)[0], drawn.model.marginals(drawn.data)[0]
    assert pairs.sum(2) == pytest.approx(single[:-1], abs=1e-12)
    assert pairs.sum(1) == pytest.approx(single[1:], abs=1e-12)


def test_20_the_best_labelling_need_not_have_the_best_labels():
    """Both decoders are there: Viterbi, and the largest marginal at each position."""
    for seed in range(200):
        drawn = draw(seed, labels=3, lengths=[3])
        best = [int(label[1:]) for label in drawn.model.predict(drawn.data)[0]]
        if best != drawn.model.marginals(drawn.data)[0].argmax(1).tolist():
            return
    pytest.fail("they never differed")


@pytest.mark.parametrize("algorithm", TRAINERS)
def test_23_two_trainings_and_other_work_run_at_once(algorithm):
    drawn = draw(5, labels=4, lengths=[6] * 60)

    def train():
        model = ChainCRF(algorithm=algorithm, l2=0.1, max_iterations=5, period=0)
        results.append(model.fit(drawn.data).state_features_)

    results = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        threads = [threading.Thread(target=train) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(results) == 4
    assert all(result == results[0] for result in results)


def test_23_one_model_labels_in_many_threads():
    drawn = draw(5, labels=4, lengths=[6] * 100)
    expected, results = drawn.model.predict(drawn.data), []
    threads = [threading.Thread(target=lambda: results.append(drawn.model.predict(drawn.data))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 8


def test_24_a_model_goes_through_a_pickle_to_another_process(tmp_path):
    model = ChainCRF().fit(X, Y)
    (tmp_path / "m").write_bytes(pickle.dumps(model))
    program = f"import pickle; m = pickle.load(open({str(tmp_path / 'm')!r}, 'rb')); print(m.predict({X!r}))"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == str(model.predict(X))


@pytest.mark.parametrize("algorithm", TRAINERS)
def test_24_a_trained_model_is_copied(algorithm):
    model = ChainCRF(algorithm=algorithm, rate=0.5).fit(X, Y)
    for again in (copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert again.predict(X) == Y
        assert again.get_params() == model.get_params()
        assert again.state_features_ == model.state_features_


def test_25_no_files_are_left(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    pickle.loads(pickle.dumps(ChainCRF().fit(X, Y))).predict(X)
    assert os.listdir(tmp_path) == []


def test_26_generators_are_read_once():
    model = ChainCRF().fit((iter(items) for items in X), (iter(labels) for labels in Y))
    assert model.predict(iter(X)) == Y


@pytest.mark.parametrize(
    ("items", "labels", "message"),
    [
        ([X[0], X[1]], [Y[0]], "only 1 sequences of labels"),
        ([X[0]], Y, "more sequences of labels than the 1"),
        ([X[0], X[1]], [Y[0], ["P", "Q"]], "sequence 1 has 1 positions but 2 labels"),
        ([{"w": "a"}], [["P"]], "sequence 0, position 0: a sequence is a list of positions"),
        (["ab"], [["P", "Q"]], "sequence 0, position 0: a sequence is a list"),
        ([["ab"]], [["P"]], "sequence 0, position 0: a position is a dictionary"),
        ([[{"w": "a"}, 3]], [["P", "Q"]], "sequence 0, position 1: a position is"),
        ([[{"w": None}]], [["P"]], "sequence 0, position 0: a position is.*found None"),
        ([[{1: "a"}]], [["P"]], "the name of a feature is a text; found 1"),
        ([[{"w": "a"}]], [[1]], "a label is a text; found 1"),
        ([[{"w": "a"}]], ["P"], "the labels of a sequence are a list"),
    ],
)
def test_31_input_of_the_wrong_shape_is_named_with_its_place(items, labels, message):
    with pytest.raises(DataError, match=message):
        ChainCRF().fit(items, labels)


def test_31_tuples_are_lists():
    assert ChainCRF().fit(tuple(map(tuple, X)), tuple(map(tuple, Y))).predict(X) == Y


def test_duplicate_attributes_add_up():
    twice = ChainCRF().fit([[["w", "w"]], [["v"]]], [["P"], ["Q"]])
    value = ChainCRF().fit([[{"w": 2.0}], [["v"]]], [["P"], ["Q"]])
    assert twice.state_features_ == pytest.approx(value.state_features_, abs=1e-12)


def test_a_sequence_of_100_000_positions():
    model = ChainCRF(l2=0.1).fit(X, Y)
    length = 100_000
    items = [[{"w": "ab"[n % 2]} for n in range(length)]]
    assert model.predict(items)[0][:4] == ["P", "Q", "P", "Q"]
    assert model.marginals(items)[0].sum() == pytest.approx(length)
    found = model.predict_nbest(items, 3)[0]
    assert found[0].log_probability >= found[1].log_probability >= found[2].log_probability


def test_10_000_labels():
    items = [[{"w": f"w{n}"}, {"w": f"w{n + 1}"}] for n in range(0, 10_000, 2)]
    labels = [[f"l{n}", f"l{n + 1}"] for n in range(0, 10_000, 2)]
    model = ChainCRF(max_iterations=0).fit(items[:5000], labels[:5000])
    assert len(model.classes_) == 10_000
    assert model.predict(items[:3]) == [["l0", "l0"]] * 3
    assert model.log_probability(items[:2], labels[:2]) == pytest.approx(-2 * np.log(10_000))


def test_unseen_attributes_and_labels():
    model = ChainCRF(l2=0.01).fit(X, Y)
    assert model.predict([[{"w": "never"}], [{}]]) == model.predict([[[]], [[]]])
    assert model.score(X, [["P", "Z"], ["Q"]]) == pytest.approx(2 / 3)


@pytest.mark.skipif(not hasattr(signal, "SIGINT") or os.name == "nt", reason="signals")
def test_ctrl_c_ends_training_at_once():
    program = (
        "import numpy as np\n"
        "from plait.crf import ChainCRF\n"
        "r = np.random.default_rng(1)\n"
        "X = [[{f'a{n}': 1.0 for n in r.integers(0, 300, 10)} for _ in range(30)] for _ in range(600)]\n"
        "Y = [[f'l{n}' for n in r.integers(0, 60, 30)] for _ in range(600)]\n"
        "print('go', flush=True)\n"
        "ChainCRF(l2=1e-9, epsilon=0.0, period=0, max_iterations=10**6).fit(X, Y)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline() == b"go\n"
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    started = time.monotonic()
    _, err = process.communicate(timeout=20)
    assert b"KeyboardInterrupt" in err
    assert time.monotonic() - started < 10
