"""The two-step random field from Python: training, decoding, files, and what is refused."""

# Cyrillic letters are meant.
# ruff: noqa: RUF001

from __future__ import annotations

import pickle
import random
import signal
import threading
import warnings

import numpy as np
import pytest

from plait import models
from plait.errors import AlignmentWarning, ConfigError, DataError, ModelFileError
from plait.translit import TwoStepCRF, load

PAIRS = [
    ("anna", "анна"),
    ("nina", "нина"),
    ("ivan", "иван"),
    ("vanya", "ваня"),
    ("yana", "яна"),
    ("shana", "шана"),
    ("misha", "миша"),
    ("masha", "маша"),
    ("sam", "сам"),
]


@pytest.fixture(scope="module")
def model():
    return TwoStepCRF(l2_segmenter=0.01, l2_converter=0.01).fit(PAIRS)


def test_new_words_are_put_together_from_chunks(model):
    assert model.transliterate(["vanina", "shamina", "yasha"]) == ["ванина", "шамина", "яша"]
    assert model.score(["sasha", "ivan"], [["саша", "сасха"], "нет"]) == 0.5


def test_lists_end_with_the_mass_that_is_asked_for(model):
    (full,) = model.nbest(["yasha"], 10)
    (some,) = model.nbest(["yasha"], 10, mass=0.5)
    assert some == full[: len(some)]
    assert sum(c.probability for c in some) >= 0.5 > sum(c.probability for c in some[:-1])
    for mass in (0.0, 3.0):
        with pytest.raises(ConfigError, match="mass"):
            model.nbest(["a"], mass=mass)


def test_symbols_that_training_did_not_have_still_give_a_list(model):
    assert model.unknown_symbols(["qaq", "anna"]) == {"q": 2}
    assert model.nbest(["qaq", "ö"], 3)[1]
    assert model.probabilities(["anna"], ["xyz"]).tolist() == [0]


def test_one_training_pair_is_enough():
    assert TwoStepCRF(l2_converter=0.01).fit([("ab", "x")]).transliterate(["ab"]) == ["x"]


def test_pairs_that_cannot_be_cut_are_told():
    with pytest.warns(AlignmentWarning, match="1 of 10 pairs were left out") as caught:
        made = TwoStepCRF(max_source=2, max_target=1).fit([*PAIRS, ("a", "абвгд")])
    assert "'абвгд'" in str(caught[0].message)
    assert made.unaligned_[0].pair == 9
    with pytest.raises(DataError, match="none of the 1 pairs can be cut"):
        TwoStepCRF(max_source=1, max_target=1).fit([("a", "абв")])


def test_phones_are_joined_with_spaces():
    made = TwoStepCRF(l2_segmenter=0.01, l2_converter=0.01).fit(
        [("cab", "K AE B"), ("back", "B AE K"), ("bab", "B AE B"), ("cack", "K AE K")]
    )
    assert made.target_units_ == "words"
    assert made.transliterate(["cabb", "bac"])[1] == "B AE K"


def test_any_number_of_threads_gives_the_same_model():
    made = [TwoStepCRF(threads=threads).fit(PAIRS).stored()[0] for threads in (1, 3)]
    assert all(np.array_equal(made[0][name], made[1][name]) for name in made[0])


def test_all_labels_are_possible_on_demand(model):
    made = TwoStepCRF(l2_segmenter=0.01, l2_converter=0.01, labels="all").fit(PAIRS)
    everything = made.decode(["sam"], n=1000, stop="never")
    made.labels = "seen"
    seen = made.decode(["sam"], n=1000, stop="never")
    assert len(everything.candidates[0]) >= len(seen.candidates[0])
    assert everything.candidates[0][0].target == "сам"
    model.labels = "all"
    try:
        with pytest.raises(ConfigError, match="rivals='all'"):
            model.decode(["sam"])
    finally:
        model.labels = "seen"


def test_a_saved_model_is_the_same(model, tmp_path):
    path = tmp_path / "m.plait"
    model.save(path)
    with pytest.raises(ConfigError, match="exists"):
        model.save(path)
    again = load(path)
    assert repr(again) == repr(model)
    words = ["yasha", "vanina", "qqq"]
    assert again.nbest(words) == model.nbest(words)
    again.save(tmp_path / "n.plait")
    assert (tmp_path / "n.plait").read_bytes() == path.read_bytes()


def test_damaged_and_foreign_models_are_refused(model, tmp_path):
    path = tmp_path / "m.plait"
    models.save(path, "numbers", {}, {})
    with pytest.raises(ModelFileError, match="kind 'numbers'"):
        load(path)
    arrays, metadata = model.stored()
    for name, change in (
        ("labels.symbols", lambda a: a + 1000),
        ("candidates.labels", lambda a: a + 1000),
        ("converter.weights", lambda a: a[:-1]),
        ("grams.beginnings", lambda a: a + 10**6),
        ("segmenter.keys", lambda a: a * 0),
    ):
        models.save(path, "transliteration-two-step", arrays | {name: change(arrays[name])}, metadata, force=True)
        with pytest.raises(ModelFileError):
            load(path)
    models.save(path, "transliteration-two-step", arrays, {"options": {}}, force=True)
    with pytest.raises(ModelFileError, match="incomplete"):
        load(path)


@pytest.mark.parametrize(
    "options",
    [
        {"features": "many"},
        {"features": (9, 1)},
        {"features": (1,)},
        {"segmentations": 0},
        {"conversions": True},
        {"stop": "soon"},
        {"labels": "some"},
        {"l2_converter": -1.0},
        {"rivals": "some"},
        {"rare": 1.0},
    ],
    ids=str,
)
def test_options_out_of_range_are_named(options):
    with pytest.raises(ConfigError):
        TwoStepCRF(**options).fit(PAIRS).transliterate(["a"])


def test_what_is_no_list_of_words_is_refused(model):
    with pytest.raises(ConfigError, match="the text 'anna'"):
        model.transliterate("anna")
    with pytest.raises(DataError, match="2 words but 1 targets"):
        model.probabilities(["a", "b"], ["a"])
    with pytest.raises(ConfigError, match="not trained"):
        TwoStepCRF().transliterate(["a"])
    with pytest.raises(DataError, match="without source symbols"):
        TwoStepCRF().fit_chunks([[((), ("a",))]])
    assert model.transliterate([]) == []


def test_progress_names_both_fields():
    seen = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        TwoStepCRF().fit(PAIRS, progress=lambda stage, *_: seen.append(stage))
    assert {"segmenter", "converter"} <= set(seen)


def test_a_long_word_is_decoded(model):
    (found,) = model.nbest(["anna" * 40], 2)
    assert found[0].target == "анна" * 40
    assert pickle.dumps(found)


def test_features_are_chosen_by_the_chunks(model):
    assert model.widths_ == (5, 3)
    chinese = TwoStepCRF().fit_chunks([[(("a", "b", "c"), ("x",))], [(("c",), ("y",))]])
    assert chinese.widths_ == (2, 0)
    assert TwoStepCRF(features=(3, 1)).fit(PAIRS).widths_ == (3, 1)


def test_an_empty_word_has_an_empty_answer_and_its_neighbours_have_theirs(model):
    assert model.transliterate(["", "anna", ""]) == ["", "анна", ""]
    assert model.nbest(["", "anna"])[0] == []


def test_rare_target_chunks_leave_their_pairs_out():
    pairs = [*PAIRS * 3, ("xa", "ьа")]
    with pytest.warns(AlignmentWarning, match=r"1 of 28 pairs .*'ьа'.*'ь' stands only 1 times in 28"):
        made = TwoStepCRF(rare=0.05, max_target=1).fit(pairs)
    assert [left.pair for left in made.unaligned_] == [27]
    assert "ь" not in made._targets
    assert TwoStepCRF(max_target=1).fit(pairs).unaligned_ == []
    with pytest.raises(DataError, match="common chunks"):
        TwoStepCRF(rare=0.9).fit([("a", "б"), ("в", "г")])


def test_labels_weighed_against_those_seen_and_against_all():
    options = {"l2_segmenter": 0.1, "l2_converter": 0.1, "epsilon": 1e-8, "delta": 0.0}
    seen, everything = (TwoStepCRF(rivals=rivals, **options).fit(PAIRS) for rivals in ("seen", "all"))
    # Fewer rivals are easier to tell apart.
    assert seen.histories_["converter"][-1] < everything.histories_["converter"][-1]
    assert np.array_equal(seen.histories_["segmenter"], everything.histories_["segmenter"])
    for model in (seen, everything):
        assert model.transliterate(["yasha"]) == ["яша"]
    assert np.array_equal(TwoStepCRF(**options).fit(PAIRS).histories_["converter"], seen.histories_["converter"])


def test_penalties_are_chosen_on_development_data(tmp_path):
    dev = [("yasha", "яша"), ("vanina", "ванина"), ("manya", ["маня", "манья"])]
    made = TwoStepCRF().fit(PAIRS, dev=dev)
    assert [trial[:2] for trial in made.trials_][:3] == [(0.5, 0.5), (0.5, 0.15), (0.5, 1.5)]
    assert len(made.trials_) == 5
    best = max(trial.accuracy for trial in made.trials_)
    words, references = [word for word, _ in dev], [target for _, target in dev]
    assert made.score(words, references) == best
    assert (*made.l2_, best) in made.trials_
    # The model of a trial is that of its penalties, from wherever it began.
    alone = TwoStepCRF(l2_segmenter=made.l2_[0], l2_converter=made.l2_[1]).fit(PAIRS)
    assert made.histories_["converter"][-1] == pytest.approx(alone.histories_["converter"][-1], rel=1e-2)
    made.save(tmp_path / "m.plait")
    again = load(tmp_path / "m.plait")
    assert (again.l2_, again.trials_) == (made.l2_, made.trials_)
    fixed = TwoStepCRF(l2_segmenter=0.01, l2_converter=0.01).fit(PAIRS, dev=dev)
    assert fixed.trials_ == []


def test_lists_are_drawn_with_bars(model):
    lists = model.nbest(["yasha", "<b>"], 2)
    drawn = lists._repr_html_()
    assert "яша" in drawn
    assert "&lt;b&gt;" in drawn
    assert "<b>" not in drawn
    assert f"width:{8 * lists[0][0].probability:.2f}em" in drawn
    assert "30 more words" in model.nbest(["anna"] * 50)._repr_html_()
    assert pickle.loads(pickle.dumps(lists)).words == lists.words


def test_a_long_word_is_told_short():
    with pytest.raises(DataError, match=r"10,000 characters") as told:
        TwoStepCRF(max_source=1, max_target=1).fit([("a", "б" * 10_000)])
    assert len(str(told.value)) < 400


def test_neighbours_that_share_a_word_have_their_own_probabilities(model):
    words = ["yasha", "yasha", "anna", "yasha"]
    targets = ["яша", "яса", "анна", "яша"]
    together = model.probabilities(words, targets)
    assert together.tolist() == [float(model.probabilities([w], [t])[0]) for w, t in zip(words, targets, strict=True)]


@pytest.mark.parametrize("where", ["segmenter", "converter"])
@pytest.mark.parametrize("rivals", ["seen", "all"])
def test_an_interrupt_ends_training(where, rivals):
    draw = random.Random(1)
    letters = "abcdefgh"
    pairs = [
        [((draw.choice(letters),), (draw.choice(letters),)) for _ in range(8)] + [(("a", "b"), ("c",))]
        for _ in range(10_000)
    ]
    timer = threading.Timer(0.05, signal.raise_signal, [signal.SIGINT])

    def started(stage, *_):
        if stage == where and not timer.is_alive() and not timer.finished.is_set():
            timer.start()

    # Without an end of its own before that of 100,000 iterations.
    model = TwoStepCRF(rivals=rivals, epsilon=0.0, delta=0.0, period=0, max_iterations=100_000)
    with pytest.raises(KeyboardInterrupt):
        model.fit_chunks(pairs, progress=started)
    timer.join()
    with pytest.raises(ConfigError, match="not trained"):
        model.transliterate(["a"])


def test_an_interrupt_ends_decoding(model):
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    # Longer than any machine decodes in the time.
    words = ["shavanina" * 60] * 20_000
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        model.nbest(words, 10)
    timer.join()
    assert model.transliterate(["anna"]) == ["анна"]
