"""Counts of links from elsewhere, as a start of training."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import plait
from fitting import digest
from made_corpora import zipf_corpus
from plait import align, models
from plait.errors import ConfigError, ModelFileError, TextError
from plait.lexicon import Lexicon
from plait.priors import Priors

HMM = ["default", "fast", "best", "hmm", "wdhmm-100"]
# Nothing in it tells which word means which.
SYMMETRIC = plait.Bitext.from_lists([["a", "b"], ["b", "a"]] * 3, [["x", "y"], ["x", "y"]] * 3)
STRAIGHT, CROSSED = b"0-0 1-1\n", b"0-1 1-0\n"
SOURCES, TARGETS = zipf_corpus(120, types=40, mean_length=6)
TEXT = plait.Bitext.from_lists(SOURCES, TARGETS)


def lexicon(*entries: tuple[str, str, float]) -> Lexicon:
    """The counts of these words."""
    sources, targets = (sorted({entry[side] for entry in entries}) for side in (0, 1))
    ids = [[words.index(entry[side]) for entry in entries] for side, words in ((0, sources), (1, targets))]
    counts = np.array([entry[2] for entry in entries])
    return Lexicon._from_entries(sources, targets, np.array(ids[0]), np.array(ids[1]), counts)


def fit(prior: Any = None, preset: str = "default", text: plait.Bitext = SYMMETRIC, **options: Any) -> Any:
    return align.fit(text, preset, prior=prior, posteriors=True, **options)


@pytest.mark.parametrize("preset", HMM)
@pytest.mark.parametrize("symmetrize", ["soft", "intersection"])
def test_links_follow_the_prior(preset: str, symmetrize: Any) -> None:
    ax = fit(lexicon(("a", "x", 5), ("b", "y", 5)), preset, symmetrize=symmetrize)
    ay = fit(lexicon(("a", "y", 5), ("b", "x", 5)), preset, symmetrize=symmetrize)
    assert ax.alignments.to_pharaoh() == (STRAIGHT + CROSSED) * 3
    assert ay.alignments.to_pharaoh() == (CROSSED + STRAIGHT) * 3


@pytest.mark.parametrize("preset", HMM)
def test_without_weight_nothing_changes(preset: str) -> None:
    model = fit(None, preset, TEXT)
    prior = model.lexicon()
    assert digest(fit(prior, preset, TEXT, prior_weight=0)) == digest(model)
    assert digest(fit(lexicon(("no", "word", 5)), preset, TEXT)) == digest(model)
    assert digest(fit(prior, preset, TEXT)) != digest(model)
    assert digest(fit(prior, preset, TEXT, threads=3)) == digest(fit(prior, preset, TEXT, threads=1))


def test_a_larger_weight_has_more_influence() -> None:
    prior = lexicon(("a", "y", 1))
    shares = []
    for weight in (0.1, 1, 10, 100):
        model = fit(prior, "hmm", prior_weight=weight)
        shares.append(model.explain(SYMMETRIC, 0, near_miss=0).links[1].tgt_given_src.translation)
    assert shares == sorted(shares)
    assert shares[-1] > 0.9


def test_the_forms_of_a_prior_are_the_same_links(tmp_path: Path) -> None:
    text = plait.Bitext.from_lists(SOURCES[:60], TARGETS[:60])
    first = align.fit(text, "fast")
    priors = Priors.from_links(text, first.alignments)
    priors.write(tmp_path / "p.priors", exact=True)
    words = priors.lexicon(text.source_vocabulary, text.target_vocabulary)
    words.save(tmp_path / "lexicon.plait")
    expected = digest(fit(priors, text=TEXT))
    for prior in (tmp_path / "p.priors", str(tmp_path / "p.priors"), words, tmp_path / "lexicon.plait"):
        assert digest(fit(prior, text=TEXT)) == expected
    first.save(tmp_path / "m.plait.gz")
    expected = digest(fit(first, text=TEXT))
    for prior in (tmp_path / "m.plait.gz", align.load(tmp_path / "m.plait.gz"), first.lexicon()):
        assert digest(fit(prior, text=TEXT)) == expected


def test_words_of_a_priors_file_are_folded_as_the_text_is(tmp_path: Path) -> None:
    (tmp_path / "p").write_text("LEX\tA\tyellow\t5\nLEX\tB\tXenon\t5\n")
    folding: dict[str, Any] = {"lowercase": True, "stem_target": 1}
    text = plait.Bitext.from_lists([["a", "b"], ["b", "a"]] * 3, [["x", "y"]] * 6, **folding)
    assert fit(tmp_path / "p", text=text).alignments.to_pharaoh() == (CROSSED + STRAIGHT) * 3


def test_links_to_words_that_the_text_does_not_have_count_in_the_totals() -> None:
    def share(prior: Any) -> float:
        """What part of the target words chooses "a", in the mean."""
        posteriors = fit(prior, "hmm").forward_posteriors
        is_a = SYMMETRIC.source_ids[posteriors.links[:, 0] + 2 * posteriors.sentences] == 0
        return float(posteriors.probabilities[is_a].sum() / posteriors.probabilities.sum())

    assert SYMMETRIC.source_vocabulary[0] == "a"
    assert share(None) == pytest.approx(0.5, abs=0.01)
    assert share(lexicon(("a", "elsewhere", 90))) < 0.2
    # Where x is given, all of it stays here.
    assert share(lexicon(("c", "x", 90))) == pytest.approx(0.5, abs=0.01)


def test_links_to_null_are_no_links() -> None:
    prior = lexicon(("<NULL>", "x", 90), ("a", "<NULL>", 90))
    assert digest(fit(prior)) == digest(fit())


def test_shorter_forms_learn_from_a_prior_too() -> None:
    sources, targets = [["walking", "quickly"]] * 3, [["laufend", "schnelle"]] * 3
    text = plait.Bitext.from_lists(sources, targets)
    prior = lexicon(("walkers", "schneller", 20), ("quick", "laufende", 20))
    assert fit(prior, text=text).alignments.to_pharaoh() == CROSSED * 3


def test_pairs_that_do_not_meet_in_the_text_stay_in_the_model(tmp_path: Path) -> None:
    sources, targets = [["a", "b"], ["c", "d"]], [["x", "y"], ["u", "v"]]
    text = plait.Bitext.from_lists(sources, targets)
    prior = lexicon(("a", "u", 7.0), ("d", "x", 30.0), ("a", "elsewhere", 1.0))
    for preset in ("fast", "hmm"):
        model = fit(prior, preset, text)
        found = {translation.word: translation.links for translation in model.translations("a", top=None)}
        assert found["u"] == pytest.approx(7)
        assert "elsewhere" not in found
        model.save(tmp_path / "m", force=True)
        loaded = align.load(tmp_path / "m")
        # In a text of two pairs, jumps and order decide more than words do.
        new = plait.Bitext.from_lists([["d"]], [["x"]])
        link = loaded.explain(new, 0, near_miss=0).links[0]
        assert link.tgt_given_src.translation > 0.9
        assert link.src_given_tgt.translation > 0.9
        assert link.is_linked
        assert loaded.score(new).forward.tolist() == model.score(new).forward.tolist()


def test_priors_that_cannot_be_used_are_refused(tmp_path: Path) -> None:
    prior = lexicon(("a", "x", 5))
    for weight in (-1, float("nan"), float("inf")):
        with pytest.raises(ConfigError, match="prior_weight"):
            fit(prior, prior_weight=weight)
    with pytest.raises(ConfigError, match="below 2\\^31"):
        fit(prior, prior_weight=1e12)
    for preset in ("EM-5", "gibbs"):
        with pytest.raises(ConfigError, match="takes none"):
            align.fit(SYMMETRIC, preset, prior=prior)
    lower = plait.Bitext.from_lists(SOURCES, TARGETS, lowercase=True)
    with pytest.raises(ConfigError, match="lowercase=True"):
        fit(align.fit(lower, "fast"))
    (tmp_path / "text").write_text("no priors\n")
    with pytest.raises(TextError):
        fit(tmp_path / "text")
    models.save(tmp_path / "other", "numbers", {}, {})
    with pytest.raises(ModelFileError, match="'numbers'"):
        fit(tmp_path / "other")
    with pytest.raises(FileNotFoundError):
        fit(tmp_path / "nothing")
