"""The HMM of the core against its twin."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fitting
import hmm_fitting
from reference import readout
from reference.direction import Direction
from reference.hmm import UNIFORM, HmmModel, Parameters, joint_probability, tables
from reference.hmm_agreement import train_together
from reference.hmm_inference import viterbi
from reference.hmm_lexicon import Settings, fold_in, peaked, train_smoothed
from reference.hmm_training import expect, model_1, train_from
from strategies import Corpus, corpora

# The core counts no link of less than 1e-5, and keeps tables as f32; a few iterations magnify that.
TOLERANCE = 2e-4
CLASSES = {"a": 0, "b": 0, "c": 1, "s": 0, "t": 1, "u": 1}


@st.composite
def hmm_models(draw: st.DrawFn) -> HmmModel:
    return HmmModel(
        p0=draw(st.sampled_from([0.02, 0.2, 0.5])),
        alpha=draw(st.sampled_from([0.0, 0.1, 0.4])),
        tau=draw(st.sampled_from([0.0, 0.5, 3.0, 1000.0, math.inf])),
        classes=draw(st.sampled_from([None, CLASSES])),
    )


def both_directions(corpus: Corpus) -> tuple[Direction, Direction]:
    return Direction.of(*corpus), Direction.of(*corpus, reverse=True)


def twin_before_last(
    corpus: Corpus, model: HmmModel, warm_up: int, iterations: int, *, agree: bool
) -> list[tuple[Direction, Parameters, list[float]]]:
    """Parameters that the last iteration starts from, and the figures of the iterations before it."""
    directions = both_directions(corpus)
    if agree:
        both = train_together(*directions, (model, model), model_1_iterations=warm_up, iterations=iterations - 1)
        fits = [both.forward, both.reverse]
    else:
        fits = [train_from(d, model, Parameters(model_1(d, warm_up), UNIFORM), iterations - 1) for d in directions]
    return [(d, fit.parameters, fit.history) for d, fit in zip(directions, fits, strict=True)]


@pytest.mark.parametrize("agree", [False, True])
@given(corpora(max_length=9), hmm_models(), st.integers(0, 3), st.integers(1, 4))
@settings(deadline=None, max_examples=80)
def test_posteriors_links_and_likelihoods_equal_the_twin(
    agree: bool, corpus: Corpus, model: HmmModel, warm_up: int, iterations: int
) -> None:
    corpus = ([list(s) for s in corpus[0]], [list(s) for s in corpus[1]])
    trained = hmm_fitting.train(corpus, model, warm_up=warm_up, iterations=iterations, agree=agree)
    twins = twin_before_last(corpus, model, warm_up, iterations, agree=agree)
    for reverse, (direction, parameters, history) in enumerate(twins):
        last = expect(direction, model, parameters)
        fitting.assert_posteriors_agree(
            trained.posteriors_of(reverse=bool(reverse)),
            readout.source_target_posteriors(direction, last.links),
            TOLERANCE,
        )
        fitting.assert_links_agree(direction, trained.links_of(reverse=bool(reverse)), last.links, TOLERANCE)
        expected = [*history, last.log_likelihood]
        assert trained.history[reverse][warm_up:] == pytest.approx(expected, rel=1e-4, abs=1e-3)


@pytest.mark.parametrize("agree", [False, True])
@given(corpora(max_length=7), hmm_models(), st.integers(0, 2), st.integers(1, 3))
@settings(deadline=None, max_examples=60)
def test_viterbi_alignments_are_as_probable_as_the_twins(
    agree: bool, corpus: Corpus, model: HmmModel, warm_up: int, iterations: int
) -> None:
    """Ties and near ties may go either way, so probabilities are compared, not alignments."""
    trained = hmm_fitting.train(corpus, model, warm_up=warm_up, iterations=iterations, agree=agree, viterbi=True)
    twins = twin_before_last(corpus, model, warm_up, iterations, agree=agree)
    for reverse, (direction, parameters, _) in enumerate(twins):
        found = fitting.alignment(direction, trained.links_of(reverse=bool(reverse)))
        for pair, alignment in zip(direction.pairs, found, strict=True):
            table = tables(model, parameters, pair)
            best = joint_probability(table, viterbi(table))
            assert joint_probability(table, alignment) == pytest.approx(best, rel=2e-3)


WORDS = ["Aa", "aa", "aab", "ab", "abc", "b", "Bcd"], ["Xx", "xx", "xxy", "xy", "xyz", "y", "Yzz"]


@st.composite
def texts(draw: st.DrawFn) -> Corpus:
    """Words that differ in case, or share prefixes."""
    pairs = draw(
        st.lists(
            st.tuples(*(st.lists(st.sampled_from(words), min_size=0, max_size=5) for words in WORDS)),
            min_size=1,
            max_size=5,
        ).filter(lambda rows: any(e and f for e, f in rows))
    )
    return [e for e, _ in pairs], [f for _, f in pairs]


@st.composite
def lexicon_settings(draw: st.DrawFn) -> Settings:
    prefixes = draw(st.sampled_from([(), (1,), (2,), (2, 1), (3, 2, 1), (9,)]))
    strength = draw(
        st.one_of(
            st.sampled_from([0.5, 4.0, 10.0]).map(lambda k: (k,) * (len(prefixes) + 1)),
            st.tuples(*[st.sampled_from([0.5, 4.0, 10.0])] * (len(prefixes) + 1)),
        )
    )
    return Settings(
        prefixes=prefixes,
        strength=strength,
        # No ratio of small numbers, so that rounding does not decide what is left out.
        leave_out=draw(st.sampled_from([0.0, 0.4137, 0.8371, 0.9973])),
        null_mixture=draw(st.sampled_from([0.0, 0.5, 1.0])),
        agree=draw(st.booleans()),
        warm_up_p0=draw(st.sampled_from([None, 0.2, 0.05])),
    )


def options_of(lexicon: Settings) -> dict[str, object]:
    return {
        "prefixes": list(lexicon.prefixes),
        "strength": list(lexicon.strength),
        "leave_out": lexicon.leave_out,
        "null_mixture": lexicon.null_mixture,
        "agree": lexicon.agree,
        "warm_up_p0": lexicon.warm_up_p0,
    }


@given(texts(), hmm_models(), lexicon_settings(), st.integers(0, 3), st.integers(0, 3), st.sampled_from([0.0, 0.7]))
@settings(deadline=None, max_examples=100)
def test_the_lexicon_that_backs_off_equals_the_twin(
    corpus: Corpus, model: HmmModel, lexicon: Settings, warm_up: int, iterations: int, decay: float
) -> None:
    iterations = iterations if warm_up else max(iterations, 1)
    directions = both_directions(corpus)
    twin = train_smoothed(
        directions,
        model,
        lexicon,
        warm_up=warm_up,
        iterations=iterations,
        jumps=peaked(decay) if decay else UNIFORM,
    )
    trained = hmm_fitting.train(
        corpus, model, warm_up=warm_up, iterations=iterations, initial_decay=decay, **options_of(lexicon)
    )
    for reverse, direction in enumerate(directions):
        fitting.assert_posteriors_agree(
            trained.posteriors_of(reverse=bool(reverse)),
            readout.source_target_posteriors(direction, twin.links[reverse]),
            TOLERANCE,
        )
        assert trained.history[reverse] == pytest.approx(twin.history[reverse], rel=1e-4, abs=1e-3)


@given(texts(), hmm_models(), lexicon_settings(), st.integers(0, 2), st.integers(1, 3))
@settings(deadline=None, max_examples=60)
def test_the_training_text_as_new_text_equals_the_twin(
    corpus: Corpus, model: HmmModel, lexicon: Settings, warm_up: int, iterations: int
) -> None:
    directions = both_directions(corpus)
    twin = train_smoothed(directions, model, lexicon, warm_up=warm_up, iterations=iterations)
    trained = hmm_fitting.train(corpus, model, warm_up=warm_up, iterations=iterations, **options_of(lexicon))
    found = trained.align(corpus)
    expected = fold_in(directions, model, twin)
    for reverse, direction in enumerate(directions):
        table = [s.links for s in expected[reverse]]
        fitting.assert_posteriors_agree(
            fitting.table_of(found.posteriors[reverse]),
            readout.source_target_posteriors(direction, table),
            TOLERANCE,
        )
        scores = [found.scores[reverse][place] for place in direction.places]
        assert scores == pytest.approx([math.log(s.likelihood) for s in expected[reverse]], rel=1e-4, abs=1e-3)
