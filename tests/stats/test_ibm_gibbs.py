"""The Gibbs sampler of the core against exact distributions over all alignments of tiny corpora.

A right sampler fails a test with probability 1e-6, and the seeds are fixed.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import fitting
from gibbs_chains import LONG, MIXED, MODELS, SHORT, assert_law, chains, order_of_core
from reference import initial
from reference.chi_squared import FALSE_ALARMS, bonferroni, fit_probability
from reference.direction import Direction
from reference.enumeration import (
    distance,
    exact_posterior,
    marginals,
    sweep_distribution,
    to_state,
    uniform_distribution,
)
from reference.expectation import em, posteriors
from reference.ibm import Model
from reference.readout import source_target_posteriors
from strategies import Corpus


@pytest.mark.parametrize("sweeps", [1, 3])
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
@pytest.mark.parametrize("corpus", [SHORT, MIXED], ids=["short", "mixed"])
def test_law_after_some_sweeps(corpus: Corpus, model: Model, sweeps: int) -> None:
    laws = []
    for reverse in (False, True):
        direction = Direction.of(*corpus, reverse=reverse)
        order = [token for tokens in order_of_core(direction, corpus) for token in tokens]
        law = uniform_distribution(direction)
        for _ in range(sweeps):
            law = sweep_distribution(direction, model, law, order)
        laws.append(law)
    assert_law(chains(corpus, model, range(4000), sweeps=sweeps), laws)


def test_a_wrong_law_would_be_noticed() -> None:
    """The power of the tests above: as many chains find out hyper-parameters off by a third to a half."""
    counts = chains(SHORT, Model("ibm2", 0.2, theta=0.5, phi=1.0), range(4000), sweeps=3)
    for wrong in (Model("ibm2", 0.2, 0.75), Model("ibm2", 0.13, 0.5), Model("ibm2", 0.2, 0.5, 0.5)):
        p_values = []
        for count, reverse in zip(counts, (False, True), strict=True):
            direction = Direction.of(*SHORT, reverse=reverse)
            order = [token for tokens in order_of_core(direction, SHORT) for token in tokens]
            law = uniform_distribution(direction)
            for _ in range(3):
                law = sweep_distribution(direction, wrong, law, order)
            p_values.append(fit_probability(count, law))
        assert bonferroni(p_values) < FALSE_ALARMS, wrong


@pytest.mark.parametrize("tail", ["shared", "each"])
def test_law_where_sentences_have_tails(tail: str) -> None:
    model = dataclasses.replace(MODELS["ibm2"], tail=tail)
    direction = Direction.of(*LONG)
    order = [token for tokens in order_of_core(direction, LONG) for token in tokens]
    law = sweep_distribution(direction, model, uniform_distribution(direction), order)
    forward, _ = chains(LONG, model, range(6000), sweeps=1)
    assert fit_probability(forward, law) > FALSE_ALARMS


@pytest.mark.parametrize("name", ["ibm1", "ibm1, p0", "ibm2", "ibm2, whole tails"])
def test_chains_reach_the_posterior(name: str) -> None:
    """After 60 sweeps from the uniform start the law is the posterior of eq. 18, by enumeration."""
    model = MODELS[name]
    exact = []
    for reverse in (False, True):
        direction = Direction.of(*MIXED, reverse=reverse)
        exact.append(exact_posterior(direction, model))
        order = [token for tokens in order_of_core(direction, MIXED) for token in tokens]
        law = uniform_distribution(direction)
        for _ in range(15):
            law = sweep_distribution(direction, model, law, order)
        # The distance to the limit never grows; what is left after 60 sweeps is out of the test's sight.
        assert distance(law, exact[-1]) < 5e-3
    assert_law(chains(MIXED, model, range(4000), sweeps=60), exact)


@pytest.mark.parametrize(("start", "iterations"), [("cooccurrence", 0), ("em-1", 1), ("em-5", 5)])
@pytest.mark.parametrize("name", ["ibm1", "ibm2"])
def test_law_after_one_sweep_from_a_known_start(name: str, start: str, iterations: int) -> None:
    """One sweep is not enough to forget where the chain started, so this shows the initial links."""
    corpus: Corpus = ([["b"], ["a"], ["c"], ["a"]], [["y"], ["x"], ["z"], ["y", "x"]])
    model = MODELS[name]
    laws = []
    for reverse in (False, True):
        direction = Direction.of(*corpus, reverse=reverse)
        if start == "cooccurrence":
            links = initial.cooccurrence(direction)
        else:
            first = Model("ibm1", model.p0)
            links = initial.em_viterbi(direction, first, iterations)
            for rows in posteriors(direction, first, em(direction, first, iterations).weights):
                for row in rows:
                    best, second = sorted(row)[:-3:-1]
                    assert best - second > 1e-3, "the start hangs on rounding"
        order = [token for tokens in order_of_core(direction, corpus) for token in tokens]
        laws.append(sweep_distribution(direction, model, {to_state(links): 1.0}, order))
    assert_law(chains(corpus, model, range(3000), sweeps=1, initial=start), laws)


def test_ties_of_the_cooccurrence_start() -> None:
    """They go to the smallest position, and a word that is repeated in a sentence counts once there."""
    # The token that is visited first forgets its start; the others show theirs.
    corpus: Corpus = ([["b"], ["a", "a", "b"], ["c", "d"]], [["x"], ["x"], ["y", "z"]])
    model = Model("ibm1", theta=0.1)
    starts = {False: [[1], [3], [1, 1]], True: [[1], [1, 1, 1], [1, 1]]}
    others = {False: ([[1], [1], [1, 1]], [[1], [3], [2, 2]]), True: ([[1], [1, 1, 1], [2, 2]],)}
    laws = []
    for reverse in (False, True):
        direction = Direction.of(*corpus, reverse=reverse)
        order = [token for tokens in order_of_core(direction, corpus) for token in tokens]
        laws.append(sweep_distribution(direction, model, {to_state(starts[reverse]): 1.0}, order))
        for other in others[reverse]:
            law = sweep_distribution(direction, model, {to_state(other): 1.0}, order)
            assert distance(law, laws[-1]) > 0.1, "another rule would be seen"
    assert_law(chains(corpus, model, range(3000), sweeps=1, initial="cooccurrence"), laws)


@pytest.mark.parametrize("name", ["ibm1", "ibm1, p0", "ibm2"])
def test_posterior_means_of_long_chains(name: str) -> None:
    """Means over samples against exact marginals: a t test over 24 chains for each link."""
    model = MODELS[name]
    runs = [
        fitting.fit(MIXED, model, inference="gibbs", initial="uniform", burn_in=50, samples=1000, seed=seed, threads=1)
        for seed in range(24)
    ]
    for reverse in (False, True):
        direction = Direction.of(*MIXED, reverse=reverse)
        exact = source_target_posteriors(direction, marginals(direction, exact_posterior(direction, model)))
        found = [fitting.posteriors(run, reverse=reverse) for run in runs]
        for n, table in enumerate(exact):
            for link, probability in table.items():
                # A link that was never likely is left out, which counts as zero.
                values = np.array([chain[n].get(link, 0.0) for chain in found])
                error = values.std(ddof=1) / np.sqrt(len(values))
                # 6.6 is the two-sided 1e-6 point of Student's t with 23 degrees of freedom; a conditional
                # probability is kept to 2^-16, and to nothing below 1/512 before its link is first drawn.
                assert abs(values.mean() - probability) < 6.6 * error + 1e-4, (reverse, n, link)
