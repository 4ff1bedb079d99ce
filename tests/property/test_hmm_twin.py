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
from reference.hmm import UNIFORM, HmmModel, Parameters
from reference.hmm_agreement import train_together
from reference.hmm_training import Expectation, expect, model_1, train_from
from strategies import Corpus, corpora

TOLERANCE = 2e-4
CLASSES = {"a": 0, "b": 0, "c": 1, "s": 0, "t": 1, "u": 1}


@st.composite
def hmm_models(draw: st.DrawFn) -> HmmModel:
    return HmmModel(
        p0=draw(st.sampled_from([0.02, 0.2, 0.5])),
        alpha=draw(st.sampled_from([0.0, 0.1, 0.4])),
        tau=draw(st.sampled_from([0.0, 0.5, 3.0, 1000.0, math.inf])),
        classes=draw(st.sampled_from([None, CLASSES])),
        class_tau=draw(st.sampled_from([0.0, 2.0, math.inf])),
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
@settings(deadline=None, max_examples=60)
def test_posteriors_links_and_likelihoods_equal_the_twin(
    agree: bool, corpus: Corpus, model: HmmModel, warm_up: int, iterations: int
) -> None:
    corpus = ([list(s) for s in corpus[0]], [list(s) for s in corpus[1]])
    trained = hmm_fitting.train(corpus, model, warm_up=warm_up, iterations=iterations, agree=agree)
    twins = twin_before_last(corpus, model, warm_up, iterations, agree=agree)
    for reverse, (direction, parameters, history) in enumerate(twins):
        last: Expectation = expect(direction, model, parameters)
        fitting.assert_posteriors_agree(
            trained.posteriors_of(reverse=bool(reverse)),
            readout.source_target_posteriors(direction, last.links),
            TOLERANCE,
        )
        fitting.assert_links_agree(direction, trained.links_of(reverse=bool(reverse)), last.links, TOLERANCE)
        expected = [*history, last.log_likelihood]
        assert trained.history[reverse][warm_up:] == pytest.approx(expected, rel=1e-4, abs=1e-3)
