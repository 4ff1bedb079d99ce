"""EM and variational Bayes of the core against the twin, and laws of both."""

from __future__ import annotations

from typing import Literal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import fitting
from reference import readout
from reference.direction import Direction, Table
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


def assert_posteriors_agree(
    found: list[dict[tuple[int, int], float]], expected: list[dict[tuple[int, int], float]], tolerance: float
) -> None:
    """Equal within the tolerance; the core may leave out what is below its floor."""
    assert len(found) == len(expected)
    for n, table in enumerate(expected):
        assert set(found[n]) <= set(table), f"pair {n}"
        for link, probability in table.items():
            if link in found[n]:
                assert found[n][link] == pytest.approx(probability, abs=tolerance, rel=0), f"pair {n}, {link}"
            else:
                assert probability < fitting.POSTERIOR_FLOOR + tolerance, f"pair {n}, {link} is missing"


def is_clear(row: list[float], tolerance: float) -> bool:
    """Whether the best candidate is best by more than twice the tolerance."""
    best, second = sorted(row, reverse=True)[:2]
    return best - second > 2 * tolerance


def assert_links_agree(direction: Direction, found: fitting.Links, table: Table, tolerance: float) -> None:
    """The most probable candidate, wherever it does not hang on rounding."""
    alignment, expected = fitting.alignment(direction, found), readout.viterbi(table)
    for n, rows in enumerate(table):
        for j, row in enumerate(rows):
            if is_clear(row, tolerance):
                assert alignment[n][j] == expected[n][j], f"trained pair {n}, emitted position {j}"


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
        assert_posteriors_agree(
            fitting.posteriors(fitted, reverse=reverse),
            readout.source_target_posteriors(direction, table),
            TOLERANCE[inference],
        )
        assert_links_agree(direction, fitting.links(fitted, reverse=reverse), table, TOLERANCE[inference])
        history = fitting.history(fitted, reverse=reverse)
        assert history == pytest.approx(twin.warm_up + twin.history, rel=1e-5, abs=1e-5)
