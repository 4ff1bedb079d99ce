"""The two-step random field from Python: training, decoding, files, and what is refused."""

# Cyrillic letters are meant.
# ruff: noqa: RUF001

from __future__ import annotations

import pickle
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
    seen = model.decode(["sam"], n=1000, stop="never")
    model.labels = "all"
    try:
        everything = model.decode(["sam"], n=1000, stop="never")
    finally:
        model.labels = "seen"
    assert len(everything.candidates[0]) >= len(seen.candidates[0])
    assert everything.candidates[0][0].target == "сам"


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
    ],
    ids=str,
)
def test_options_out_of_range_are_named(options):
    with pytest.raises(ConfigError):
        TwoStepCRF(**options).fit(PAIRS).transliterate(["a"])


def test_what_is_no_list_of_words_is_refused(model):
    with pytest.raises(ConfigError, match="the text 'anna'"):
        model.transliterate("anna")
    with pytest.raises(DataError, match="word 2 is empty"):
        model.transliterate(["a", ""])
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
