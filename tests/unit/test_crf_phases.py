"""Training of random fields over candidates and over pruned labels, and labelling with candidates."""

from __future__ import annotations

import itertools
import pickle
import warnings

import numpy as np
import pytest

from plait.crf import ChainCRF, Sequences
from plait.errors import ConfigError, ConvergenceWarning, ModelFileError

EXACT = {"l2": 0.1, "epsilon": 1e-8, "period": 0, "max_iterations": 400}


@pytest.fixture(scope="module")
def data():
    """Sequences of 40 labels, most of which follow from the attribute ``k``; one in six is empty."""
    random = np.random.default_rng(4)
    items, labels = [], []
    for length in [5, 3, 4, 1, 0, 6] * 25:
        own = random.integers(0, 40, length)
        seen = np.where(random.random(length) < 0.15, random.integers(0, 40, length), own)
        items.append([{"k": str(a), "n": str(b)} for a, b in zip(seen, random.integers(0, 9, length), strict=True)])
        labels.append([f"l{label}" for label in own])
    return Sequences.from_items(items, labels)


def fitted(model, *data, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(*data, **options)


def weights(model):
    return np.concatenate([model.core.states()[2], model.core.transitions()[2]])


@pytest.fixture(scope="module")
def exact(data):
    return fitted(ChainCRF(**EXACT), data)


@pytest.mark.parametrize(
    ("options", "phases"),
    [
        ({"posterior_beam": 0.01}, ["pruned", "all"]),
        ({"candidates": "k:", "warm_start_candidates": 12}, ["candidates", "all"]),
        ({"candidates": "k:", "warm_start_candidates": 7, "posterior_beam": 0.1}, ["candidates", "pruned", "all"]),
    ],
)
def test_the_last_phase_ends_at_the_exact_minimum(data, exact, options, phases):
    model = fitted(ChainCRF(**EXACT, **options), data)
    assert [phase["over"] for phase in model.phases_] == phases
    assert model.objective_ == pytest.approx(exact.objective_, rel=1e-9)
    assert weights(model) == pytest.approx(weights(exact), abs=1e-4)
    assert model.n_iter_ == model.phases_[-1]["iterations"]
    if phases[-2] == "pruned":
        # The last phase begins near its minimum.
        assert model.history_[0] < exact.history_[3]
    assert model.candidates_ is None
    assert exact.phases_ == []


def test_pruned_phases_tell_what_they_may_lose(data):
    told = []
    model = fitted(
        ChainCRF(**EXACT, posterior_beam=0.01),
        data,
        progress=lambda *event: told.append(event),
    )
    pruned = model.phases_[0]
    assert pruned["sequences"] > 0
    assert 0 < pruned["objective_error"] <= 0.01 * pruned["positions"]
    assert pruned["gradient_error"] > 0
    assert pruned["positions"] <= pruned["labels"] < 40 * pruned["positions"]
    assert model.phases_[1]["gradient_error"] == model.phases_[1]["objective_error"] == 0
    stages = [event[0] for event in told]
    assert {"training over pruned labels", "training"} <= set(stages)
    figures = next(dict(event[3]) for event in told if event[0] == "training over pruned labels" and event[3])
    assert {"objective", "gradient", "objective_error", "gradient_error", "pruned_sequences"} <= set(figures)
    # Iterations are counted on.
    counts = [event[1] for event in told if event[0].startswith("training")]
    assert counts == sorted(counts)


@pytest.mark.parametrize(
    "options",
    [
        {"posterior_beam": 0.05},
        {"candidates": "k:"},
        {"candidates": "k:", "warm_start_candidates": 3, "l1": 0.2},
    ],
)
def test_the_bits_do_not_depend_on_threads(data, options):
    made = [
        weights(fitted(ChainCRF(l2=0.1, max_iterations=6, threads=threads).set_params(**options), data)).tobytes()
        for threads in (1, 2, 5)
    ]
    assert made[0] == made[1] == made[2]


def seen_with(data):
    """The labels seen with each attribute, by name."""
    seen: dict[str, set[str]] = {}
    core = ChainCRF(max_iterations=0)
    fitted(core, data)
    starts, labels, _ = (array.tolist() for array in core.core.states())
    names = core.classes_
    for name, (start, stop) in zip(core.core.attribute_names(), itertools.pairwise(starts), strict=True):
        seen[name] = {names[label] for label in labels[start:stop]}
    return seen


def test_a_model_of_candidates_chooses_among_them(data, tmp_path):
    model = fitted(ChainCRF(l2=0.1, candidates="k:"), data)
    assert model.candidates_ == "k:"
    assert [phase["over"] for phase in model.phases_] == ["candidates"]
    seen = seen_with(data)
    new = [[{"k": str(k), "n": "3"} for k in (1, 30, 17, 2)], [{"k": "never"}]]
    candidates = [seen[f"k:{k}"] for k in (1, 30, 17, 2)]
    found = model.predict(new)[0]
    assert all(label in labels for label, labels in zip(found, candidates, strict=True))
    rows = model.marginals(new)
    for row, labels in zip(rows[0], candidates, strict=True):
        assert {model.classes_[at] for at in np.nonzero(row)[0]} <= labels
        assert row.sum() == pytest.approx(1)
    # Of an attribute that was never seen all labels are candidates.
    assert (rows[1] > 0).all()
    assert np.exp(model.log_probability(new, [found, ["l0"]]))[0] == pytest.approx(
        model.predict_nbest(new, 1)[0][0].probability
    )
    model.save(tmp_path / "m.plait")
    for again in (ChainCRF.load(tmp_path / "m.plait"), pickle.loads(pickle.dumps(model))):
        assert again.candidates_ == "k:"
        assert again.phases_ == model.phases_
        assert again.predict(new) == model.predict(new)
        again.candidates_ = None
        assert (again.marginals(new)[0] > 0).all()


def test_candidates_can_be_asked_of_any_model(data, exact):
    new = [[{"k": "1"}, {"k": "2"}]]
    other = pickle.loads(pickle.dumps(exact))
    other.candidates_ = "k:"
    rows = other.marginals(new)[0]
    assert (rows == 0).any()
    # What is allowed counts more than what was seen, where they have nothing in common.
    absent = next(label for label in exact.classes_ if label not in seen_with(data)["k:1"])
    assert other.predict(new, allowed=[[[absent], None]])[0][0] == absent
    other.candidates_ = "z:"
    with pytest.raises(ConfigError, match="candidates"):
        other.predict(new)


def test_the_label_of_new_sequences_is_no_candidate_by_itself(data, exact):
    other = pickle.loads(pickle.dumps(exact))
    other.candidates_ = "k:"
    absent = next(label for label in exact.classes_ if label not in seen_with(data)["k:1"])
    gold = Sequences.from_items([[{"k": "1"}]], [[absent]], model=other)
    assert other.log_probability(gold)[0] == -np.inf


def test_candidates_that_are_given(data, exact):
    given = [[None] * len(labels) for labels in data.labels()]
    all_labels = fitted(ChainCRF(**EXACT), data, candidate_labels=given)
    assert all_labels.objective_ == pytest.approx(exact.objective_, rel=1e-9)
    # Without the label itself, which is always a candidate.
    given = [[["l0", "l1"]] * len(labels) for labels in data.labels()]
    model = fitted(ChainCRF(l2=0.1), data, candidate_labels=given)
    assert model.objective_ < 0.6 * exact.objective_
    with pytest.raises(ConfigError, match="give allowed labels"):
        model.predict(data)
    assert len(model.predict(data, allowed=given)) == len(data)
    model.needs_allowed_ = False
    assert len(model.predict(data)) == len(data)
    with pytest.raises(ConfigError, match="held_out"):
        fitted(ChainCRF(), data, candidate_labels=given, held_out=data)
    warm = fitted(ChainCRF(**EXACT, warm_start_candidates=4), data, candidate_labels=given)
    assert warm.objective_ == pytest.approx(exact.objective_, rel=1e-9)
    assert not warm.needs_allowed_


def test_held_out_sequences_are_labelled_with_candidates(data):
    model = ChainCRF(l2=0.1, candidates="k:", max_iterations=5)
    fitted(model, data, held_out=data, patience=None)
    assert model.held_out_history_[-1] == pytest.approx(model.score(data))
    warm = ChainCRF(l2=0.1, candidates="k:", warm_start_candidates=2, max_iterations=3)
    fitted(warm, data, held_out=data, patience=None)
    assert len(warm.held_out_history_) == 5
    assert warm.held_out_history_[-1] == pytest.approx(warm.score(data))


@pytest.mark.parametrize(
    "options",
    [
        {"posterior_beam": 0.05},
        {"candidates": "k:", "warm_start_candidates": 4},
        {"candidates": "k:"},
    ],
)
@pytest.mark.parametrize("first", [1, 3])
def test_a_checkpoint_goes_on_to_the_same_bits(data, tmp_path, options, first):
    whole = fitted(ChainCRF(l2=0.1, max_iterations=12, **options), data)
    part = ChainCRF(l2=0.1, max_iterations=first, **options)
    fitted(part, data, checkpoint=tmp_path / "state", checkpoint_seconds=0)
    assert (tmp_path / "state").exists()
    rest = ChainCRF(l2=0.1, max_iterations=12, **options)
    fitted(rest, data, checkpoint=tmp_path / "state", checkpoint_seconds=0)
    assert weights(rest).tobytes() == weights(whole).tobytes()
    assert [phase["over"] for phase in rest.phases_] == [phase["over"] for phase in whole.phases_]
    assert rest.phases_[-1]["objective"] == whole.phases_[-1]["objective"]
    assert rest.history_.tobytes() == whole.history_.tobytes()
    other = ChainCRF(l2=0.1, max_iterations=12)
    with pytest.raises(ConfigError, match="checkpoint of another run"):
        fitted(other, data, checkpoint=tmp_path / "state")


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"posterior_beam": -1.0}, "posterior_beam"),
        ({"posterior_beam": float("nan")}, "posterior_beam"),
        ({"posterior_beam": 0.1, "algorithm": "sgd"}, "posterior_beam"),
        ({"posterior_beam": 0.1, "candidates": "k:"}, "posterior_beam"),
        ({"candidates": "z:"}, "candidates"),
        ({"candidates": 3}, "candidates"),
        ({"candidates": "k:", "algorithm": "perceptron"}, "candidates"),
        ({"candidates": "k:", "states": "all"}, "states"),
        ({"candidates": "k:", "min_count": 2.0}, "min_count"),
        ({"warm_start_candidates": 3}, "warm_start_candidates"),
        ({"candidates": "k:", "warm_start_candidates": -3}, "warm_start_candidates"),
    ],
)
def test_what_makes_no_sense_is_refused(data, options, name):
    with pytest.raises(ConfigError, match=name):
        ChainCRF(**options).fit(data)


@pytest.mark.parametrize("options", [{"posterior_beam": 0.1}, {"candidates": "w:"}])
def test_labels_that_are_known_in_part_are_for_all_labels(options):
    items, labels = [[{"w": "a"}, {"w": "b"}]], [["P", None]]
    with pytest.raises(ConfigError, match="label of their own"):
        ChainCRF(**options).fit(items, labels, allowed=[[None, ["P", "Q"]]])


def test_a_file_that_says_nonsense_of_candidates_is_refused(data, tmp_path):
    model = fitted(ChainCRF(l2=0.1, candidates="k:", max_iterations=2), data)
    model.candidates_ = 5  # type: ignore[assignment]
    model.save(tmp_path / "m.plait")
    with pytest.raises(ModelFileError):
        ChainCRF.load(tmp_path / "m.plait")
