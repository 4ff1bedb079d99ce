"""Laws of the core's HMM that need no twin of its training: enumeration, limits of tau, what never falls."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import fitting
import hmm_fitting
from plait import align, demo
from plait.bitext import Bitext
from reference import readout
from reference.direction import both_directions
from reference.hmm import HmmModel, joint_probability, tables
from reference.hmm_inference import best_by_enumeration, by_enumeration
from reference.hmm_training import log_prior
from strategies import Corpus, corpora, hmm_models

# The core keeps tables as f32.
TOLERANCE = 1e-4


@pytest.mark.parametrize("agree", [False, True])
@given(corpora(max_pairs=3, max_length=4), hmm_models(), st.integers(0, 2), st.integers(1, 2))
@settings(deadline=None, max_examples=60)
def test_posteriors_scores_and_best_alignments_are_those_of_all_alignments(
    agree: bool, corpus: Corpus, model: HmmModel, warm_up: int, iterations: int
) -> None:
    """At most 5^4 alignments, each with the product of its probabilities in the trained model."""
    options = {"warm_up": warm_up, "iterations": iterations, "agree": agree}
    trained = hmm_fitting.train(corpus, model, **options)
    found = trained.align(corpus)
    best = hmm_fitting.train(corpus, model, viterbi=True, **options).align(corpus)
    for reverse, direction in enumerate(both_directions(corpus)):
        parameters = trained.parameters(reverse=bool(reverse))
        # A word whose links are all too unlikely to be counted is as good as new.
        known = {e for e, _ in parameters.lexicon}
        assume(all(e in known for pair in direction.pairs for e in pair.given))
        each = [(tables(model, parameters, pair), pair) for pair in direction.pairs]
        expected = [by_enumeration(table, pair) for table, pair in each]
        fitting.assert_posteriors_agree(
            fitting.table_of(found.posteriors[reverse]),
            readout.source_target_posteriors(direction, [e.links for e in expected]),
            TOLERANCE,
        )
        scores = [math.exp(found.scores[reverse][place]) for place in direction.places]
        assert scores == pytest.approx([e.likelihood for e in expected], rel=TOLERANCE)
        chosen = fitting.alignment(direction, fitting.links_of(best.links[reverse]))
        for (table, pair), alignment in zip(each, chosen, strict=True):
            most = best_by_enumeration(table, pair)
            assert joint_probability(table, alignment) == pytest.approx(most, rel=TOLERANCE)


def rises(history: list[float]) -> bool:
    """Never falls, but for rounding and links below 1e-5, which are not counted."""
    return all(after >= before - 1e-5 * (1 + abs(before)) for before, after in pairwise(history))


@given(corpora(max_length=8), st.sampled_from([None, 0.1, 0.5]))
@settings(deadline=None, max_examples=60)
def test_the_likelihood_of_model_1_never_falls(corpus: Corpus, p0: float | None) -> None:
    trained = hmm_fitting.train(corpus, HmmModel(), warm_up=8, iterations=0, warm_up_p0=p0)
    assert rises(trained.history[0])
    assert rises(trained.history[1])


@st.composite
def untied_corpora(draw: st.DrawFn) -> Corpus:
    """Sentences of one length in which every source word has its own position."""
    length = draw(st.integers(1, 9))
    source = [[f"{i}{draw(st.sampled_from('ab'))}" for i in range(length)] for _ in range(draw(st.integers(1, 4)))]
    return source, [draw(st.lists(st.sampled_from("xyz"), min_size=1, max_size=6)) for _ in source]


@given(untied_corpora(), st.sampled_from([0.02, 0.2]), st.integers(0, 3))
@settings(deadline=None, max_examples=80)
def test_the_likelihood_never_falls_where_relative_frequencies_are_the_m_step(
    corpus: Corpus, p0: float, warm_up: int
) -> None:
    """tau = 0, no smoothing, and no jump that is cut off differently from sentence to sentence (eq. 2 is exact)."""
    trained = hmm_fitting.train(corpus, HmmModel(p0=p0, tau=0.0), warm_up=warm_up, iterations=8)
    assert rises(trained.history[0][warm_up:])


TEXTS = {
    "en-de": lambda: demo.make("en-de", 150, seed=3),
    "en-es": lambda: demo.make("en-es", 150, seed=3),
}


@pytest.mark.parametrize("pair", TEXTS)
@pytest.mark.parametrize("tau", [0.0, 100.0, 1000.0, math.inf])
def test_the_objective_of_he_2007_rises_on_a_text(pair: str, tau: float) -> None:
    """Log-likelihood and log of the Dirichlet priors (eq. 7, 8), with the prior that the text itself gives.

    This is no law: short sentences cut the jumps off, and the prior is estimated, too (see `hmm_training`).
    """
    corpus = TEXTS[pair]()
    text = Bitext.from_lists(corpus.source, corpus.target)
    model = HmmModel(tau=tau)
    for reverse, direction in enumerate(both_directions((corpus.source, corpus.target))):
        objectives: list[float] = []
        for iterations in range(1, 6):
            trained = hmm_fitting.train(text, model, warm_up=5, iterations=iterations, emission_beam=1e-6)
            history = trained.history[reverse]
            if objectives:
                objectives[-1] += history[-1]
            parameters = trained.parameters(reverse=bool(reverse))
            objectives.append(0.0 if math.isinf(tau) else log_prior(direction, model, parameters))
        objectives.pop()
        assert rises(objectives), (pair, tau, reverse, objectives)
        assert rises(history[5:])


@given(corpora(max_length=9), hmm_models(), st.integers(1, 3), st.integers(1, 3))
@settings(deadline=None, max_examples=60)
def test_the_limits_of_tau(corpus: Corpus, model: HmmModel, warm_up: int, iterations: int) -> None:
    """A large tau gives the plain HMM; a small one the word's own relative frequencies."""

    def train(tau: float) -> hmm_fitting.Trained:
        return hmm_fitting.train(corpus, replace(model, tau=tau), warm_up=warm_up, iterations=iterations)

    for limit, near in ((math.inf, 1e12), (0.0, 1e-12)):
        exact, close = train(limit), train(near)
        for reverse in (False, True):
            assert close.history[reverse] == pytest.approx(exact.history[reverse], rel=1e-5, abs=1e-5)
            found, expected = close.posteriors_of(reverse=reverse), exact.posteriors_of(reverse=reverse)
            fitting.assert_posteriors_agree(found, expected, TOLERANCE)


def test_tau_matters_between_its_limits() -> None:
    """b jumps back and c ahead, as the words that stand alone tell: jumps of their own explain the text better."""
    sources = ["ab", "cd"] * 8 + ["a", "b", "c", "d"] * 8
    targets = ["yx", "zw"] * 8 + ["x", "y", "z", "w"] * 8
    text = [list(words) for words in sources], [list(words) for words in targets]
    histories = [
        hmm_fitting.train(text, HmmModel(p0=0.01, tau=tau), iterations=10).history[0][-1]
        for tau in (0.0, 0.1, math.inf)
    ]
    assert histories[0] > histories[1] > histories[2] + 0.5


@pytest.mark.parametrize("preset", ["hmm", "wdhmm-1000"])
def test_the_presets_of_the_paper_gain_likelihood_in_every_iteration(preset: str) -> None:
    corpus = demo.make("en-de", 400, seed=2)
    history = align.fit(Bitext.from_lists(corpus.source, corpus.target), preset).history
    for direction in ("forward", "reverse"):
        assert rises(history[direction][:5])
        assert rises(history[direction][5:])
        assert history[direction][-1] > history[direction][5] + 100


@st.composite
def smoothings(draw: st.DrawFn) -> dict[str, Any]:
    """Options of the lexicon and of the beams, from nothing left out to nearly everything."""
    return {
        "prefixes": draw(st.sampled_from([[], [1]])),
        "strength": [draw(st.sampled_from([0.01, 0.5, 10.0]))],
        "variety": draw(st.sampled_from([0.0, 2.0])),
        "leave_out": draw(st.sampled_from([0.0, 0.9])),
        "null_mixture": draw(st.sampled_from([0.0, 0.5])),
        "warm_up_p0": draw(st.sampled_from([None, 0.2, 0.9])),
        "emission_beam": draw(st.sampled_from([0.0, 1e-3, 0.0137, 0.3719, 0.9173])),
        "state_beam": draw(st.sampled_from([0.0, 1e-3])),
        "agree": draw(st.booleans()),
    }


NULL_ALONE: Corpus = (
    [list(words) for words in ("aebab", "bdddbbb", "deedb", "ccdeabaa", "a", "cdecbdbb")],
    [list(words) for words in ("v", "wzvzyxw", "yx", "v", "z", "vxv")],
)
"""With a wide beam some words are left with no link to consider but NULL."""
STARVED: dict[str, Any] = {"strength": [0.01], "warm_up_p0": 0.2, "emission_beam": 0.9173, "agree": True}


@given(corpora(max_length=8), hmm_models(), smoothings(), st.integers(0, 5), st.integers(0, 3))
@example(NULL_ALONE, HmmModel(p0=0.5), STARVED, 5, 0)
@settings(deadline=None, max_examples=150)
def test_sides_that_are_swapped_swap_the_directions(
    corpus: Corpus, model: HmmModel, options: dict[str, Any], warm_up: int, iterations: int
) -> None:
    """Neither side is treated otherwise than the other, also by what leaves out the unlikely."""
    iterations = iterations if warm_up else max(iterations, 1)
    one, other = (
        hmm_fitting.train(text, model, warm_up=warm_up, iterations=iterations, **options)
        for text in (corpus, (corpus[1], corpus[0]))
    )
    for reverse in (False, True):
        assert one.history[reverse] == pytest.approx(other.history[not reverse], rel=1e-4, abs=1e-3)
        mirrored = [{(j, i): p for (i, j), p in table.items()} for table in other.posteriors_of(reverse=not reverse)]
        for found, expected in zip(one.posteriors_of(reverse=reverse), mirrored, strict=True):
            for link in found.keys() | expected.keys():
                assert found.get(link, 0.01) == pytest.approx(expected.get(link, 0.01), abs=1e-3)


@given(corpora(max_length=8), hmm_models(), smoothings(), st.integers(0, 4), st.integers(0, 3))
@settings(deadline=None, max_examples=80)
def test_narrow_beams_change_nothing(
    corpus: Corpus, model: HmmModel, options: dict[str, Any], warm_up: int, iterations: int
) -> None:
    """What is left out is too unlikely to matter; the places of what is left are those of before."""
    iterations = iterations if warm_up else max(iterations, 1)
    beams = ({"emission_beam": 0.0, "state_beam": 0.0}, {"emission_beam": 1e-7, "state_beam": 1e-7})
    full, thin = (
        hmm_fitting.train(corpus, model, warm_up=warm_up, iterations=iterations, **{**options, **beam})
        for beam in beams
    )
    for reverse in (False, True):
        assert thin.history[reverse] == pytest.approx(full.history[reverse], rel=1e-4, abs=1e-3)
        fitting.assert_posteriors_agree(thin.posteriors_of(reverse=reverse), full.posteriors_of(reverse=reverse), 1e-3)
