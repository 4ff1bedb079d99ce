"""Trained aligners: saved and loaded, their scores and lexicons."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import plait
from made_corpora import zipf_corpus
from plait import align, models
from plait.align import Aligner, Directions
from plait.errors import ConfigError, ModelFileError
from plait.lexicon import of_model
from plait.presets import PRESETS

SOURCES, TARGETS = zipf_corpus(120, types=40, mean_length=6)
HMM = [name for name, config in PRESETS.items() if config.model == "hmm"]
# Words of the text, words that only look like them, words that are far from all, and pairs without scores.
NEW = (
    [*SOURCES[:9], ["s1", "s12345", "é"], ["S3"], [], ["s1"]],
    [*TARGETS[2:11], ["t1", "t98765", "日本"], ["T3"], ["t1"], []],
)


@pytest.fixture(scope="module")
def trained() -> align.AlignmentModel:
    return align.fit(plait.Bitext.from_lists(SOURCES, TARGETS))


def everything(found: Directions) -> list[bytes]:
    parts = (found.forward, found.reverse, found.forward_posteriors, found.reverse_posteriors)
    return [array.tobytes() for part in parts for array in (part.links, part.offsets, part.probabilities)]


@pytest.mark.parametrize("preset", HMM)
def test_a_saved_model_does_what_it_did_before_to_the_bit(preset: str, tmp_path: Path) -> None:
    model = align.fit(plait.Bitext.from_lists(SOURCES, TARGETS), preset)
    model.save(tmp_path / "m.plait")
    loaded = align.load(tmp_path / "m.plait")
    text = plait.Bitext.from_lists(*NEW)
    assert loaded.config == model.config
    assert loaded.folding == model.folding
    assert everything(loaded.align_directions(text)) == everything(model.align_directions(text))
    assert loaded.align(text).to_pharaoh() == model.align(text).to_pharaoh()
    before, after = model.score(text), loaded.score(text)
    assert before.forward.tobytes() == after.forward.tobytes()
    assert before.reverse.tobytes() == after.reverse.tobytes()
    loaded.save(tmp_path / "again.plait")
    assert (tmp_path / "again.plait").read_bytes() == (tmp_path / "m.plait").read_bytes()


def test_a_model_of_no_text_is_saved(tmp_path: Path) -> None:
    align.fit(plait.Bitext.from_lists([], [])).save(tmp_path / "m.plait")
    loaded = align.load(tmp_path / "m.plait")
    assert loaded.align(plait.Bitext.from_lists(["a"], ["b"])).to_pharaoh().count(b"\n") == 1
    assert len(loaded.lexicon()) == 0


def test_the_models_file_keeps_the_folding_and_refuses_other_text(tmp_path: Path) -> None:
    folding: dict[str, Any] = {"lowercase": True, "stem_target": 4}
    align.fit(plait.Bitext.from_lists(SOURCES, TARGETS, **folding), "fast").save(tmp_path / "m.plait")
    loaded = align.load(tmp_path / "m.plait")
    assert loaded.folding == (True, 0, 4)
    assert len(loaded.align(plait.Bitext.from_lists(*NEW, **folding))) == len(NEW[0])
    for work in (loaded.align, loaded.score):
        with pytest.raises(ConfigError, match=r"lowercase=False.*lowercase=True, stem_source=0, stem_target=4"):
            work(plait.Bitext.from_lists(*NEW))


def test_text_of_unknown_folding_is_taken(trained: align.AlignmentModel) -> None:
    lower, upper = (plait.Bitext.from_lists(["s1"], ["t1"], lowercase=flag) for flag in (True, False))
    mixed = plait.Bitext.concatenate(lower, upper)
    assert mixed.folding is None
    assert len(trained.align(mixed)) == 2


@pytest.mark.parametrize("preset", ["EM-5", "gibbs"])
def test_models_1_and_2_say_what_can_be_saved(preset: str, tmp_path: Path) -> None:
    model = align.fit(plait.Bitext.from_lists(SOURCES, TARGETS), preset)
    for work in (lambda: model.save(tmp_path / "m.plait"), lambda: model.score(plait.Bitext.from_lists(*NEW))):
        with pytest.raises(ConfigError, match="default, fast, best"):
            work()
    with pytest.raises(ConfigError, match="default, fast, best"):
        model.lexicon()
    assert list(tmp_path.iterdir()) == []


def test_an_existing_file_is_kept(trained: align.AlignmentModel, tmp_path: Path) -> None:
    trained.save(tmp_path / "m.plait")
    with pytest.raises(ConfigError, match="exists"):
        trained.save(tmp_path / "m.plait")
    trained.save(tmp_path / "m.plait", force=True)


def bad(array: np.ndarray, at: Any, value: Any) -> np.ndarray:
    changed = array.copy()
    changed[at] = value
    return changed


DAMAGE = {
    "source_words": [lambda a: a[:-1], lambda a: bad(a, 0, 255), lambda a: np.zeros_like(a)],
    "source_word_offsets": [lambda a: a[::-1].copy(), lambda a: a[:-1], lambda a: a[:0], lambda a: bad(a, 1, 2**63)],
    "target_word_offsets": [lambda a: bad(a, 0, 1), lambda a: a.astype(np.int64)],
    "source_frequencies": [lambda a: a[1:], lambda a: bad(a, 0, 2**63), lambda a: a.astype(np.float64)],
    "target_frequencies": [lambda a: np.append(a, a[:1]), lambda a: np.full_like(a, 2**62)],
    "offsets": [lambda a: a[:-1], lambda a: bad(a, 0, 1), lambda a: bad(a, 1, 2**40), lambda a: bad(a, -1, a[-1] + 1)],
    "targets": [lambda a: a[:-1], lambda a: bad(a, 0, 2**32 - 1), lambda a: a[::-1].copy()],
    "links": [
        lambda a: np.vstack([a, a]),
        lambda a: a[:, :-1],
        lambda a: a[0],
        lambda a: bad(a, (0, 0), -1),
        lambda a: bad(a, (0, 0), np.nan),
        lambda a: bad(a, (0, 0), np.inf),
        lambda a: bad(a, (0, 0), 1e30),
        lambda a: a[:0],
    ],
    "null_forward": [lambda a: a[:-1], lambda a: bad(a, 0, 1.5), lambda a: bad(a, 0, np.nan)],
    "null_reverse": [lambda a: a[:-1], lambda a: bad(a, 0, -0.5)],
    "jumps_forward": [lambda a: a[:2], lambda a: a[:, :-1], lambda a: bad(a, (1, 3), np.nan), lambda a: a.ravel()],
    "jumps_reverse": [lambda a: bad(a, (2, 14), -1), lambda a: bad(a, (0, 0), 1e300)],
    "word_jumps_forward": [lambda a: a[:-1], lambda a: bad(a, (0, 0), np.inf), lambda a: a.astype(np.float64)],
    "word_jumps_reverse": [lambda a: a[:, :-1], lambda a: bad(a, (0, 0), -1)],
}


@pytest.mark.parametrize(
    ("name", "number"), [(name, n) for name, changes in DAMAGE.items() for n in range(len(changes))]
)
def test_arrays_that_no_model_has_are_refused(
    name: str, number: int, trained: align.AlignmentModel, tmp_path: Path
) -> None:
    trained.save(tmp_path / "m.plait")
    file = models.load(tmp_path / "m.plait")
    arrays = {**file.arrays, name: DAMAGE[name][number](file.arrays[name])}
    models.save(tmp_path / "bad.plait", "aligner", arrays, file.metadata)
    with pytest.raises(ModelFileError) as found:
        align.load(tmp_path / "bad.plait")
    assert str(tmp_path / "bad.plait") in str(found.value)
    assert "make the model again" in str(found.value)


@pytest.mark.parametrize("name", [*DAMAGE, "target_words"])
def test_a_missing_array_is_named(name: str, trained: align.AlignmentModel, tmp_path: Path) -> None:
    trained.save(tmp_path / "m.plait")
    file = models.load(tmp_path / "m.plait")
    models.save(tmp_path / "bad.plait", "aligner", {k: v for k, v in file.arrays.items() if k != name}, file.metadata)
    with pytest.raises(ModelFileError, match=name):
        align.load(tmp_path / "bad.plait")


CONFIG = [
    {"tau": -1},
    {"tau": "many"},
    {"strange": 1},
    {"prefixes": [3, 5]},
    {"prefixes": list(range(30, 0, -1))},
    {"model": "ibm1"},
    {"iterations": 2.5},
    {"warm_up": 2**40},
    {"beams": [0.1]},
    {"agreement": None},
    {"p0": 7},
]


SETTINGS: list[dict[str, Any]] = [
    *({"config": change} for change in CONFIG),
    {"config": 7},
    {"folding": {"a": 1}},
    {"folding": 1},
    {"version": 2},
    {"version": None},
]


@pytest.mark.parametrize("change", SETTINGS, ids=str)
def test_settings_that_no_model_has_are_refused(
    change: dict[str, Any], trained: align.AlignmentModel, tmp_path: Path
) -> None:
    trained.save(tmp_path / "m.plait")
    file = models.load(tmp_path / "m.plait")
    if isinstance(change.get("config"), dict):
        change = {"config": {**file.metadata["config"], **change["config"]}}
    models.save(tmp_path / "bad.plait", "aligner", file.arrays, {**file.metadata, **change})
    with pytest.raises(ModelFileError, match=r"bad\.plait: "):
        align.load(tmp_path / "bad.plait")


def test_class_jumps_are_kept(trained: align.AlignmentModel) -> None:
    settings, text = align.hmm_settings(trained.config), plait.Bitext.from_lists(SOURCES, TARGETS)
    classes = [np.arange(count, dtype=np.uint16) % 3 for count in (text.counts.source_types, text.counts.target_types)]
    core = plait._core.train_hmm(
        text._core,
        settings,
        wants_posteriors=False,
        threads=1,
        source_classes=classes[0].tolist(),
        target_classes=classes[1].tolist(),
    )
    arrays = core.arrays()
    assert arrays["class_jumps_forward"].shape == (3, 15)
    again = plait._core.Hmm.from_arrays(settings, arrays)
    new = plait.Bitext.from_lists(*NEW)._core
    (links, scores), (links_again, scores_again) = (hmm.align_new(new, threads=1) for hmm in (core, again))
    assert np.array_equal(scores[0], scores_again[0], equal_nan=True)
    assert np.array_equal(links[0][0][0], links_again[0][0][0])
    without = plait._core.Hmm.from_arrays(
        settings, {name: array for name, array in arrays.items() if not name.startswith("class")}
    )
    assert not np.array_equal(scores[0], without.align_new(new, threads=1)[1][0], equal_nan=True)
    for name, change in (
        ("classes_forward", classes[0][1:]),
        ("class_jumps_reverse", arrays["class_jumps_reverse"] - 1e9),
    ):
        with pytest.raises(ModelFileError, match=name):
            plait._core.Hmm.from_arrays(settings, {**arrays, name: change})


def test_scores_are_probabilities_of_the_generated_side() -> None:
    """Model 1 without back-off: the probabilities of all target words, given a source side, sum to 1."""
    model = align.fit(plait.Bitext.from_lists(SOURCES, TARGETS), "hmm", iterations=0)
    words = sorted({word for sentence in TARGETS for word in sentence})
    for source in SOURCES[:5]:
        scores = model.score(plait.Bitext.from_lists([source] * len(words), [[word] for word in words]))
        with np.errstate(invalid="ignore"):
            assert np.nansum(np.exp(scores.forward)) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("preset", HMM)
def test_scores_are_those_of_each_pair_alone(preset: str) -> None:
    model = align.fit(plait.Bitext.from_lists(SOURCES, TARGETS), preset)
    scores = model.score(plait.Bitext.from_lists(*NEW))
    assert np.isnan(scores.forward[-2:]).all()
    assert np.isnan(scores.mean[-2:]).all()
    assert not scores.forward.flags.writeable
    for n, pair in enumerate(zip(*NEW, strict=True)):
        alone = model.score(plait.Bitext.from_lists([pair[0]], [pair[1]]), threads=1)
        assert np.array_equal(alone.forward, scores.forward[n : n + 1], equal_nan=True)
        assert np.array_equal(alone.reverse, scores.reverse[n : n + 1], equal_nan=True)
    assert np.nanmax(scores.forward) < 0
    # Without back-off, what training saw never is impossible.
    assert PRESETS[preset].strength == (0.0,) or np.isfinite(scores.forward[:-2]).all()
    assert scores.forward_per_word[0] == scores.forward[0] / len(NEW[1][0])
    assert scores.reverse_per_word[0] == scores.reverse[0] / len(NEW[0][0])
    assert scores.mean[0] == (scores.forward_per_word[0] + scores.reverse_per_word[0]) / 2


def test_translations_score_better_than_other_sentences(trained: align.AlignmentModel) -> None:
    right = trained.score(plait.Bitext.from_lists(SOURCES, TARGETS)).mean
    wrong = trained.score(plait.Bitext.from_lists(SOURCES, TARGETS[1:] + TARGETS[:1])).mean
    assert (right > wrong).mean() > 0.9


def test_the_lexicon_shares_out_the_tokens_of_each_word(trained: align.AlignmentModel, tmp_path: Path) -> None:
    lexicon, text = trained.lexicon(), plait.Bitext.from_lists(SOURCES, TARGETS)
    assert tuple(lexicon.source_vocabulary) == text.source_vocabulary
    assert lexicon.source_totals[:-1] == pytest.approx(text.source_frequencies.astype(float), abs=1e-3)
    assert lexicon.target_totals[:-1] == pytest.approx(text.target_frequencies.astype(float), abs=1e-3)
    assert trained.translations("s1") == lexicon.translations("s1")
    assert trained.translations("s1")[0].word == "t1"
    assert trained.translations("t1", reverse=True, top=1)[0].word == "s1"
    assert trained.translations("nowhere") == []
    trained.save(tmp_path / "m.plait")
    saved = of_model(tmp_path / "m.plait")
    assert np.array_equal(saved.counts, lexicon.counts)
    assert np.array_equal(saved.targets, lexicon.targets)


def test_a_loaded_model_is_an_aligner_without_a_text(trained: align.AlignmentModel, tmp_path: Path) -> None:
    trained.save(tmp_path / "m.plait.gz")
    loaded = align.load(tmp_path / "m.plait.gz")
    assert type(loaded) is Aligner
    assert isinstance(trained, Aligner)
