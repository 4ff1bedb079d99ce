"""EM and variational Bayes of the core against the twin, and laws of both."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Literal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import fitting
from reference import readout
from reference.direction import Direction
from reference.expectation import Fit, em, posteriors, vb
from reference.ibm import Model
from strategies import Corpus, corpora, models

Inference = Literal["em", "vb"]

# The core keeps expected counts between iterations as f32 (relative error 6e-8) and adds them in units of 2^-32. One
# iteration of EM carries an error of the counts over about as it is; exp(psi(c + theta)) magnifies it by 1 / c, and
# c may be as small as the posterior of one token among a dozen candidates.
TOLERANCE: dict[Inference, float] = {"em": 2e-6, "vb": 2e-4}


def twin_of(inference: Inference, direction: Direction, model: Model, iterations: int) -> Fit:
    return (em if inference == "em" else vb)(direction, model, iterations)


@pytest.mark.parametrize("inference", ["em", "vb"])
@given(corpora(), models(), st.integers(1, 5))
@example((["abcdefghijklmnop"], ["xyz"]), Model("ibm2", 0.2), 3)
@settings(deadline=None, max_examples=60)
def test_posteriors_links_and_objective_equal_the_twin(
    inference: Inference, corpus: Corpus, model: Model, iterations: int
) -> None:
    corpus = ([list(s) for s in corpus[0]], [list(s) for s in corpus[1]])
    fitted = fitting.fit(corpus, model, inference=inference, iterations=iterations)
    for reverse in (False, True):
        direction = Direction.of(*corpus, reverse=reverse)
        twin = twin_of(inference, direction, model, iterations)
        table = posteriors(direction, model, twin.weights)
        fitting.assert_posteriors_agree(
            fitting.posteriors(fitted, reverse=reverse),
            readout.source_target_posteriors(direction, table),
            TOLERANCE[inference],
        )
        fitting.assert_links_agree(direction, fitting.links(fitted, reverse=reverse), table, TOLERANCE[inference])
        history = fitting.history(fitted, reverse=reverse)
        assert history == pytest.approx(twin.warm_up + twin.history, rel=1e-5, abs=1e-5)


@given(corpora(max_pairs=12), models())
@settings(deadline=None, max_examples=80)
def test_objectives_never_fall(corpus: Corpus, model: Model) -> None:
    """EM's likelihood and VB's bound rise, up to the rounding of counts to single precision."""
    warm_up = 5
    for inference in ("em", "vb"):
        fitted = fitting.fit(corpus, model, inference=inference, iterations=15, warm_up=warm_up)
        for reverse in (False, True):
            history = fitting.history(fitted, reverse=reverse)
            # VB has no bound before its first Dirichlet posterior, and Model 2's first takes its jumps as known.
            lost = 1 if inference == "vb" else 0
            if model.has_distortion:
                assert len(history) == warm_up + 15 - lost
                assert_rises(history[: warm_up - lost])
                history = history[warm_up:]
            else:
                assert len(history) == 15 - lost
            assert_rises(history)


def assert_rises(history: list[float]) -> None:
    for before, after in pairwise(history):
        assert after >= before - 2e-6 * (1 + abs(before))


@pytest.mark.parametrize("inference", ["em", "vb"])
@given(corpora(max_pairs=10), models(), st.integers(0, 2**32))
@settings(deadline=None, max_examples=40)
def test_the_order_of_pairs_does_not_matter(inference: Inference, corpus: Corpus, model: Model, seed: int) -> None:
    order = list(range(len(corpus[0])))
    random.Random(seed).shuffle(order)
    shuffled = ([corpus[0][n] for n in order], [corpus[1][n] for n in order])
    before = fitting.fit(corpus, model, inference=inference, iterations=4)
    after = fitting.fit(shuffled, model, inference=inference, iterations=4)
    tolerance = 1e-6 if inference == "em" else TOLERANCE["vb"]
    for reverse in (False, True):
        assert fitting.history(after, reverse=reverse) == pytest.approx(
            fitting.history(before, reverse=reverse), rel=1e-5, abs=1e-6
        )
        found = fitting.posteriors(after, reverse=reverse)
        expected = fitting.posteriors(before, reverse=reverse)
        for place, n in enumerate(order):
            for link in found[place].keys() | expected[n].keys():
                # One of the two may be left out when it sits on the floor.
                first, second = found[place].get(link), expected[n].get(link)
                if first is None or second is None:
                    assert abs((first or second or 0.0) - fitting.POSTERIOR_FLOOR) < tolerance
                else:
                    assert first == pytest.approx(second, abs=tolerance, rel=0)
