"""Classes of words whose jumps are alike: given, found, saved."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import plait
from fitting import digest
from made_corpora import zipf_corpus
from plait import align
from plait.classes import WordClasses, cluster
from plait.errors import AlignmentWarning, ConfigError
from plait.jump_classes import jump_classes
from plait.presets import preset

SOURCES, TARGETS = zipf_corpus(120, types=40, mean_length=6)
TEXT = plait.Bitext.from_lists(SOURCES, TARGETS)
HMM = ["default", "hmm", "wdhmm-100"]


def fit(name: str = "default", text: plait.Bitext = TEXT, **options: Any) -> align.AlignmentModel:
    return align.fit(text, name, posteriors=True, **options)


def one_class(words: tuple[str, ...]) -> WordClasses:
    return WordClasses.from_mapping(dict.fromkeys(words, 2))


@pytest.mark.parametrize("name", HMM)
def test_classes_decide_and_threads_do_not(name: str) -> None:
    plain, found = fit(name), fit(name, classes=3)
    assert digest(found) != digest(plain)
    assert digest(fit(name, classes=3, threads=1)) == digest(fit(name, classes=3, threads=3)) == digest(found)
    # One class of all words is no class.
    given = {"source_classes": one_class(TEXT.source_vocabulary), "target_classes": one_class(TEXT.target_vocabulary)}
    for direction in ("forward_posteriors", "reverse_posteriors"):
        without, single = (getattr(model, direction) for model in (plain, fit(name, **given)))
        assert without.to_pharaoh() == single.to_pharaoh()
        assert np.allclose(without.probabilities, single.probabilities, atol=1e-4)


def test_found_classes_are_those_of_the_exchange_algorithm() -> None:
    given = {f"{side}_classes": cluster(TEXT, 3, side=side, iterations=5, runs=1) for side in ("source", "target")}
    assert digest(fit(**given)) == digest(fit(classes=3))
    # Given classes come first, and the other side gets its own.
    words = one_class(TEXT.source_vocabulary)
    mixed = fit(source_classes=words, classes=3)
    assert digest(mixed) == digest(fit(source_classes=words, target_classes=given["target_classes"]))
    assert digest(mixed) != digest(fit(classes=3))


def test_source_classes_are_for_the_forward_direction() -> None:
    words = cluster(TEXT, 3, side="source")
    plain, found = fit("hmm"), fit("hmm", source_classes=words)
    assert found.forward.to_pharaoh() != plain.forward.to_pharaoh()
    assert found.history["forward"] != plain.history["forward"]
    # Beams and the smallest links look at both directions.
    assert found.history["reverse"] == pytest.approx(plain.history["reverse"], rel=1e-6)


def test_a_strong_prior_of_all_words_takes_the_classes_effect() -> None:
    changes = {
        tau: abs(fit("hmm", classes=4, class_tau=tau).history["forward"][-1] - fit("hmm").history["forward"][-1])
        for tau in (0.0, 100.0, 1e12)
    }
    assert changes[0.0] > changes[100.0] > changes[1e12]
    assert changes[1e12] < 1e-3


def test_classes_make_rare_words_jump_like_their_kin() -> None:
    # Words of one kind jump over the next word, those of the other go on to it; each word occurs once.
    rng = np.random.default_rng(1)
    sources: list[list[str]] = []
    targets: list[list[str]] = []
    kinds: dict[str, int] = {}
    for n in range(60):
        kinds[f"swap{n}"], kinds[f"stay{n}"] = 0, 1
        a, b = (f"w{k}" for k in rng.integers(6, size=2))
        sources += [[f"swap{n}", a], [f"stay{n}", b]]
        targets += [[a.upper(), "X"], ["Y", b.upper()]]
    text = plait.Bitext.from_lists(sources, targets)
    plain, found = fit("hmm", text), fit("hmm", text, source_classes=WordClasses.from_mapping(kinds))
    assert found.history["forward"][-1] > plain.history["forward"][-1] + 10


def test_saved_models_keep_classes(tmp_path: Path) -> None:
    model = fit(classes=3, class_tau=2.5)
    model.save(tmp_path / "m.plait")
    loaded = align.load(tmp_path / "m.plait")
    assert (loaded.config.classes, loaded.config.class_tau) == (3, 2.5)
    new = plait.Bitext.from_lists([["s1", "s2", "unheard", "s3"]], [["t2", "t1", "t3"]])
    assert loaded.score(new).forward.tolist() == model.score(new).forward.tolist()
    assert loaded.align(new).to_pharaoh() == model.align(new).to_pharaoh()
    plain = fit()
    assert loaded.score(new).forward.tolist() != plain.score(new).forward.tolist()


def test_words_without_a_class_have_none() -> None:
    some = dict.fromkeys(TEXT.source_vocabulary[:5], 4)
    found = jump_classes(TEXT, preset("default"), (WordClasses.from_mapping(some), None), threads=1, progress=None)
    assert found.source is not None
    assert found.source.tolist() == [0] * 5 + [65_535] * (len(TEXT.source_vocabulary) - 5)
    assert found.target is None


def test_classes_of_other_words_are_told_of() -> None:
    words = TEXT.source_vocabulary
    with pytest.warns(AlignmentWarning, match=r"only 0 of \d+ target tokens have a class in target_classes"):
        fit(target_classes=one_class(words))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit(source_classes=one_class(words[:20]))


def test_a_text_without_words_has_no_classes() -> None:
    with pytest.warns(AlignmentWarning):
        model = fit(text=plait.Bitext.from_lists([[]], [[]]), classes=3)
    assert not len(model.alignments.links)


@pytest.mark.parametrize("name", ["EM-5", "gibbs"])
def test_other_models_have_no_classes(name: str) -> None:
    with pytest.raises(ConfigError, match="classes: a model"):
        align.fit(TEXT, name, source_classes=one_class(TEXT.source_vocabulary))


@pytest.mark.parametrize(
    "options", [{"classes": -1}, {"classes": 4097}, {"classes": True}, {"class_tau": -1.0}, {"class_tau": math.inf}]
)
def test_settings_out_of_range_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=next(iter(options))):
        fit(**options)
