"""What `Aligner.explain` says, against the model's own figures and a direct computation."""

from __future__ import annotations

import itertools
from collections import defaultdict

import numpy as np
import pytest

import plait
from fitting import links_of, table_of
from made_corpora import zipf_corpus
from plait import align
from plait.errors import ConfigError
from plait.explanation import PairExplanation

SOURCES, TARGETS = zipf_corpus(120, types=40, mean_length=6)
TEXT = plait.Bitext.from_lists(SOURCES, TARGETS)


@pytest.fixture(scope="module", params=["default", "fast", "hmm", "wdhmm-100"])
def model(request: pytest.FixtureRequest) -> align.AlignmentModel:
    return align.fit(TEXT, request.param)


def explained(model: align.Aligner, source: list[str], target: list[str], near_miss: float = 0.0) -> PairExplanation:
    return model.explain(plait.Bitext.from_lists([source], [target]), 0, near_miss=near_miss)


def test_links_and_posteriors_are_those_of_align(model: align.AlignmentModel) -> None:
    links, directions = links_of(model.align(TEXT)), model.align_directions(TEXT)
    posteriors = table_of(directions.forward_posteriors), table_of(directions.reverse_posteriors)
    for n in range(20):
        found = model.explain(TEXT, n, near_miss=0.2)
        assert [*found.source] == SOURCES[n]
        assert [(link.source, link.target) for link in found.links if link.is_linked] == sorted(links[n])
        for link in found.links:
            place = link.source, link.target
            both = link.tgt_given_src.posterior, link.src_given_tgt.posterior
            assert link.posterior == pytest.approx(sum(both) / 2)
            assert link.is_linked or link.posterior >= 0.2
            for table, posterior in zip(posteriors, both, strict=True):
                assert table[n].get(place, 0.0) == pytest.approx(posterior, abs=1e-6 if place in table[n] else 0.01)


def test_the_rival_is_the_best_other_choice(model: align.AlignmentModel) -> None:
    found = explained(model, SOURCES[4], TARGETS[4])
    table = {(link.source, link.target): link.tgt_given_src.posterior for link in found.links}
    assert len(table) == len(SOURCES[4]) * len(TARGETS[4])
    for link in found.links:
        others = {i: table[i, link.target] for i in range(len(SOURCES[4])) if i != link.source}
        others[None] = 1 - sum(table[i, link.target] for i in range(len(SOURCES[4])))
        rival = link.tgt_given_src.rival
        if rival is None:
            assert max(others.values()) == pytest.approx(0, abs=1e-6)
        else:
            assert rival.posterior == pytest.approx(max(others.values()), abs=1e-6)
            assert others[rival.position] == pytest.approx(rival.posterior, abs=1e-6)


def test_translation_probabilities_sum_to_one_without_back_off() -> None:
    model = align.fit(TEXT, "hmm")
    words = [*TEXT.target_vocabulary]
    found = explained(model, ["s1"], words)
    assert sum(link.tgt_given_src.translation for link in found.links) == pytest.approx(1, abs=1e-5)
    assert {link.tgt_given_src.backoff for link in found.links} == {0.0}
    assert {link.tgt_given_src.backoff_level for link in found.links} == {""}


def test_back_off_is_all_there_is_for_words_that_never_met() -> None:
    model = align.fit(TEXT, "default")
    rare, frequent = ["zzzz"], ["s1"]
    new, known = explained(model, rare, ["t1"]).links[0], explained(model, frequent, ["t1"]).links[0]
    assert new.tgt_given_src.backoff == 1
    assert new.tgt_given_src.backoff_level == "frequency"
    assert 0 < known.tgt_given_src.backoff < 0.5
    assert known.tgt_given_src.backoff_level.startswith("prefix")
    assert known.tgt_given_src.translation > 5 * new.tgt_given_src.translation


def direct_jumps(model: align.AlignmentModel, source: list[str], target: list[str]) -> dict[tuple[int, int], float]:
    """The mean probability of the jump to i at j, over all alignments of the words before."""
    between, first, _ = model._core.arrays()["jumps_forward"]
    length, p0 = len(source), model.config.p0

    def jump(before: int, to: int) -> float:
        counts = between if before else first
        mass = defaultdict(float)
        reached = [max(-7, min(7, i - before)) + 7 for i in range(1, length + 1)]
        for bucket in set(reached):
            mass[bucket] = counts[bucket]
        own = reached[to - 1]
        share = mass[own] / sum(mass.values()) / reached.count(own)
        return (1 - model.config.smoothing) * share + model.config.smoothing / length

    arrays = explained(model, source, target)
    t = {(link.source + 1, link.target): link.tgt_given_src.translation for link in arrays.links}
    nulls = dict(zip(TEXT.target_vocabulary, model._core.arrays()["null_forward"].tolist(), strict=True))
    found = {}
    for j in range(len(target)):
        weights: dict[int, float] = defaultdict(float)
        for path in itertools.product(range(length + 1), repeat=j):
            weight, last = 1.0, 0
            for k, position in enumerate(path):
                if position:
                    weight *= (1 - p0) * jump(last, position) * t[position, k]
                    last = position
                else:
                    weight *= p0 * nulls[target[k]]
            weights[last] += weight
        for i in range(1, length + 1):
            steps = {before: weight * jump(before, i) for before, weight in weights.items()}
            mean = sum(step * jump(before, i) for before, step in steps.items()) / sum(steps.values())
            found[i - 1, j] = mean
    return found


@pytest.mark.parametrize("n", [0, 5, 11])
def test_jumps_are_means_over_where_the_chain_came_from(n: int) -> None:
    model = align.fit(TEXT, "hmm")
    source, target = SOURCES[n][:5], TARGETS[n][:4]
    expected = direct_jumps(model, source, target)
    for link in explained(model, source, target).links:
        assert link.tgt_given_src.jump == pytest.approx(expected[link.source, link.target], rel=1e-4)


def test_model_1_has_no_jumps() -> None:
    model = align.fit(TEXT, "hmm", iterations=0)
    assert {link.tgt_given_src.jump for link in explained(model, ["s1"], ["t1"]).links} == {None}


def test_pairs_without_links_have_no_explanation(model: align.AlignmentModel) -> None:
    text = plait.Bitext.from_lists([[], ["s1", "s2", "s3"]], [["t1"], ["t1"]], max_length=2)
    assert model.explain(text, 0).links == ()
    assert model.explain(text, 1) == PairExplanation(("s1", "s2", "s3"), ("t1",), ())
    with pytest.raises(IndexError):
        model.explain(text, 2)


def test_words_as_written_are_folded_as_the_text_was() -> None:
    options = {"lowercase": True, "stem_source": 2, "keep_text": True}
    upper = [[word.upper() for word in sentence] for sentence in SOURCES]
    text = plait.Bitext.from_lists(upper, TARGETS, **options)
    model = align.fit(text, "fast")
    found = model.explain(text, 3)
    assert [*found.source] == upper[3]
    places = [(link.source, link.target) for link in found.links if link.is_linked]
    assert places == sorted(links_of(model.align(text))[3])
    assert places


def test_models_1_and_2_have_no_explanations() -> None:
    with pytest.raises(ConfigError, match=r"explain: a model .ibm1. cannot do this"):
        align.fit(TEXT, "EM-5").explain(TEXT, 0)


def test_figures_do_not_depend_on_the_pairs_around() -> None:
    model = align.fit(TEXT, "default")
    assert model.explain(TEXT, 7) == explained(model, SOURCES[7], TARGETS[7], near_miss=0.1)
    assert np.isfinite([link.posterior for link in model.explain(TEXT, 7).links]).all()
