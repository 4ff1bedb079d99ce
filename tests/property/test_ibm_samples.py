"""How samples become links: the sampler's schedule, its mode and its means, from samples taken one at a time.

A chain of the same seed is the same however long it runs. So the sample after k sweeps can be had alone, by
running k - 1 sweeps of burn-in and one sample; a run of many samples must be their mode and their mean.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fitting
from plait.align import AlignmentModel
from reference import readout
from reference.direction import Direction
from reference.ibm import Model
from strategies import Corpus, corpora, models


def sampled(corpus: Corpus, model: Model, **options: object) -> AlignmentModel:
    return fitting.fit(corpus, model, **{"inference": "gibbs", "initial": "uniform", "threads": 1, **options})


@given(
    corpora(max_pairs=5), models(), st.integers(0, 3), st.integers(1, 6), st.integers(1, 3), st.integers(0, 2**64 - 1)
)
@settings(deadline=None, max_examples=40)
def test_a_run_is_the_mode_and_the_mean_of_its_samples(
    corpus: Corpus, model: Model, burn_in: int, samples: int, lag: int, seed: int
) -> None:
    """Table I: samples after burn_in + lag, burn_in + 2 lag, ... sweeps; ties go to NULL, then to the left."""
    run = sampled(corpus, model, burn_in=burn_in, samples=samples, lag=lag, seed=seed)
    singles = [
        sampled(corpus, model, burn_in=burn_in + m * lag - 1, samples=1, lag=1, seed=seed)
        for m in range(1, samples + 1)
    ]
    for reverse in (False, True):
        direction = Direction.of(*corpus, reverse=reverse)
        alignments = [fitting.alignment(direction, fitting.links(single, reverse=reverse)) for single in singles]
        expected = readout.source_target_links(direction, readout.mode(alignments))
        assert fitting.links(run, reverse=reverse) == expected
        assert len(fitting.history(run, reverse=reverse)) == burn_in + samples * lag, "one entry for each sweep"
        means = mean_tables([fitting.posteriors(single, reverse=reverse) for single in singles])
        # A single run leaves out conditional probabilities below the floor unless the link was drawn.
        for found, mean in zip(fitting.posteriors(run, reverse=reverse), means, strict=True):
            for link in found.keys() | mean.keys():
                assert found.get(link, 0.0) == pytest.approx(mean.get(link, 0.0), abs=fitting.POSTERIOR_FLOOR + 1e-4)


def mean_tables(tables: list[list[dict[tuple[int, int], float]]]) -> list[dict[tuple[int, int], float]]:
    """Mean of several tables of posteriors; what is missing counts as zero."""
    means: list[dict[tuple[int, int], float]] = [{} for _ in tables[0]]
    for table in tables:
        for mean, row in zip(means, table, strict=True):
            for link, probability in row.items():
                mean[link] = mean.get(link, 0.0) + probability / len(tables)
    return means


@given(corpora(max_pairs=5), models(), st.integers(0, 2**64 - 1))
@settings(deadline=None, max_examples=30)
def test_posteriors_are_probabilities(corpus: Corpus, model: Model, seed: int) -> None:
    run = sampled(corpus, model, burn_in=2, samples=4, seed=seed)
    for reverse in (False, True):
        for row in fitting.posteriors(run, reverse=reverse):
            assert all(0.0 <= probability <= 1.0 for probability in row.values())
            sums: dict[int, float] = {}
            for (source, target), probability in row.items():
                emitted = source if reverse else target
                sums[emitted] = sums.get(emitted, 0.0) + probability
            assert all(total <= 1.0 + 1e-3 for total in sums.values())


@given(corpora(max_pairs=8), models(), st.integers(0, 2**32))
@settings(deadline=None, max_examples=30)
def test_the_share_of_moved_links_is_recorded(corpus: Corpus, model: Model, seed: int) -> None:
    """history[k] is the share of links that sweep k + 1 changed."""
    states = [sampled(corpus, model, burn_in=k, samples=1, seed=seed) for k in range(3)]
    for reverse in (False, True):
        direction = Direction.of(*corpus, reverse=reverse)
        links = [np.concatenate(fitting.alignment(direction, fitting.links(s, reverse=reverse))) for s in states]
        for sweep in (1, 2):
            moved = float(np.mean(links[sweep] != links[sweep - 1]))
            assert fitting.history(states[2], reverse=reverse)[sweep] == pytest.approx(moved)
