"""Collapsed Gibbs sampling of the HMM: what can be told without a twin. (The sampler has its twins in the core.)"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from made_corpora import zipf_corpus
from plait import align
from plait.align import AlignmentModel
from plait.bitext import Bitext
from plait.metrics import read_gold, score

pytestmark = pytest.mark.filterwarnings("ignore::plait.errors.AlignmentWarning")


@pytest.fixture(scope="module")
def bitext() -> Bitext:
    return Bitext.from_lists(*zipf_corpus(150))


def fit(bitext: Bitext, **options: Any) -> AlignmentModel:
    return align.fit(bitext, "bayes-hmm", **{"posteriors": True, "threads": 2, **options})


@pytest.mark.parametrize("agreement", [True, False])
@pytest.mark.parametrize("sampler", ["exact", "parallel"])
def test_the_result_depends_on_the_seed_and_not_on_threads(bitext: Bitext, sampler: str, agreement: bool) -> None:
    options = {"sampler": sampler, "blocks": 5, "agreement": agreement}
    one = fit(bitext, threads=1, **options)
    many = fit(bitext, threads=3, **options)
    other = fit(bitext, threads=3, seed=2, **options)
    assert one.directions == many.directions
    assert one.history == many.history
    assert one.directions != other.directions


def test_blocks_see_what_others_had_before_the_sweep(bitext: Bitext) -> None:
    exact, parallel = fit(bitext, sampler="exact"), fit(bitext, sampler="parallel", blocks=5)
    assert exact.directions != parallel.directions
    assert exact.directions == fit(bitext, sampler="parallel", blocks=1).directions


@pytest.mark.parametrize("agreement", [True, False])
def test_sampling_starts_from_what_em_would_read_next(bitext: Bitext, agreement: bool) -> None:
    options: dict[str, Any] = {"agreement": agreement, "iterations": 4}
    start = fit(bitext, **options, em_share=1.0, burn_in=2, samples=1)
    em = fit(bitext, **{**options, "iterations": 5}, inference="em")
    assert start.directions == em.directions


def test_history_has_the_share_of_new_links_of_each_sweep(bitext: Bitext) -> None:
    history = fit(bitext, burn_in=2, samples=3, lag=4).history
    for shares in history.values():
        assert len(shares) == 2 + 3 * 4
        assert all(0 < share < 1 for share in shares)


def test_posteriors_of_a_word_sum_to_one_at_most(bitext: Bitext) -> None:
    model = fit(bitext, em_share=0.0)
    for posteriors, side in ((model.forward_posteriors, 1), (model.reverse_posteriors, 0)):
        assert posteriors is not None
        assert posteriors.probabilities is not None
        keys = posteriors.sentences * 1000 + posteriors.links[:, side]
        sums = np.bincount(keys, posteriors.probabilities)
        assert sums.max() <= 1 + 1e-5
        assert sums.max() > 0.99


@pytest.mark.parametrize("changes", [{"fertility": 0.0}, {"fertility": 100.0}, {"em_share": 0.0}, {"lag": 2}], ids=str)
def test_each_option_of_the_sampler_matters(bitext: Bitext, changes: dict[str, Any]) -> None:
    assert fit(bitext).directions != fit(bitext, **changes).directions


def test_fertilities_share_words_out() -> None:
    # "b" is always seen with "a", and so is "y" with "x": only that "a" and "b" have one link each tells "y" from "x".
    text = Bitext.from_lists([["a"], ["a", "b"], ["b", "a"]] * 20, [["x"], ["x", "y"], ["y", "x"]] * 20)
    links = fit(text, em_share=0.0).alignments.to_pharaoh().decode().split("\n")
    assert links[:3] == ["0-0", "0-0 1-1", "0-0 1-1"]


def test_a_saved_model_has_the_sampled_links(bitext: Bitext, tmp_path: Path) -> None:
    model, em = fit(bitext, em_share=0.0), fit(bitext, inference="em")
    model.save(tmp_path / "m.plait")
    loaded = align.load(tmp_path / "m.plait")
    assert loaded.config == model.config
    assert loaded.align(bitext) == model.align(bitext)
    # The counts of the lexicon are those of the posteriors of both directions together, not those of EM.
    best = model.lexicon().translations("s0", top=1)[0]
    assert best.links == pytest.approx(expected_links(model, "s0", best.word), rel=0.01)
    assert best.links != pytest.approx(em.lexicon().translations("s0", top=1)[0].links, rel=1e-6)


def expected_links(model: AlignmentModel, source: str, target: str | None) -> float:
    """The sum of the products of both directions' posteriors over the cells of two words."""
    sums = []
    for posteriors in (model.forward_posteriors, model.reverse_posteriors):
        assert posteriors is not None
        assert posteriors.probabilities is not None
        cells = zip(posteriors.sentences.tolist(), *posteriors.links.T.tolist(), strict=True)
        sums.append(dict(zip(cells, posteriors.probabilities.tolist(), strict=True)))
    text = Bitext.from_lists(*zipf_corpus(150))
    words = ((text.source(n)[i], text.target(n)[j], (n, i, j)) for n, i, j in sums[0].keys() & sums[1].keys())
    return sum(sums[0][cell] * sums[1][cell] for e, f, cell in words if (e, f) == (source, target))


@pytest.mark.data
def test_sampling_lowers_the_error_of_each_direction() -> None:
    folder = Path(os.environ.get("PLAIT_DATA", "")) / "align" / "tsinghua-zh-en"
    if not os.environ.get("PLAIT_DATA") or not folder.exists():
        pytest.skip("PLAIT_DATA is not set")
    text = Bitext.read(folder / "test.src", folder / "test.tgt", lowercase=True)
    gold = read_gold(folder / "test.gold")
    sampled, em = fit(text), fit(text, inference="em")
    for name in ("forward", "reverse"):
        before, after = (score(getattr(model, name), gold).aer for model in (em, sampled))
        assert after < before - 0.003, name
