"""Links of new text under a trained model, against the twin."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fitting
from gibbs_chains import MIXED, MODELS
from plait.bitext import Bitext
from reference.direction import Direction
from reference.expectation import Counts, Fit, Weights, em, vb
from reference.folding import fold_in, smoothed_parameters
from reference.gibbs import count_links
from reference.ibm import JUMPS, Model
from reference.readout import source_target_posteriors
from strategies import Corpus, corpora, models

# Counts are kept in single precision, and not at all below 0.001, which may be on this or that side of it.
TOLERANCE = 2e-3


@given(corpora(max_pairs=6), models(), corpora(max_pairs=4), st.sampled_from([em, vb]))
@settings(deadline=None, max_examples=60)
def test_new_text_is_folded_in_with_smoothed_tables(
    corpus: Corpus, model: Model, text: Corpus, train: Callable[[Direction, Model, int], Fit]
) -> None:
    # One word on each side that training has not seen.
    text = ([[*sentence, "unseen"] for sentence in text[0]], [["neu", *sentence] for sentence in text[1]])
    fitted = fitting.fit(corpus, model, inference=train.__name__, iterations=3)
    found = fitted.align_directions(Bitext.from_lists(*text))
    for reverse in (False, True):
        training, new = (Direction.of(*c, reverse=reverse) for c in (corpus, text))
        table = fold_in(new, model, smoothed_parameters(training, train(training, model, 3), new))
        fitting.assert_posteriors_agree(
            fitting.table_of(found.reverse_posteriors if reverse else found.forward_posteriors),
            source_target_posteriors(new, table),
            TOLERANCE,
        )
        links = fitting.links_of(found.reverse if reverse else found.forward)
        fitting.assert_links_agree(new, links, table, TOLERANCE)


@pytest.mark.parametrize("name", ["ibm1", "ibm1, p0", "ibm2"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_sampler_leaves_its_expected_counts(name: str, seed: int) -> None:
    """c(e, f) is the sum of the posteriors of its links; the distortion is that of the last sample's jumps."""
    model = MODELS[name]
    text: Corpus = ([["c", "a", "b", "b"], ["b", "unseen"]], [["z", "neu", "x", "y"], ["x"]])
    fitted = fitting.fit(MIXED, model, inference="gibbs", initial="uniform", burn_in=3, samples=1, seed=seed)
    found = fitted.align_directions(Bitext.from_lists(*text))
    for reverse in (False, True):
        training, new = (Direction.of(*c, reverse=reverse) for c in (MIXED, text))
        sample = fitting.alignment(training, fitting.links(fitted, reverse=reverse))
        counts = posterior_counts(training, fitting.posteriors(fitted, reverse=reverse))
        jumps = count_links(training, sample).jumps
        total = sum(jumps.values()) + len(JUMPS) * model.phi
        distortion = {delta: math.log((jumps[delta] + model.phi) / total) for delta in JUMPS}
        fit = Fit(model, Weights({}, distortion), Counts(counts, {}), [], [])
        table = fold_in(new, model, smoothed_parameters(training, fit, new))
        fitting.assert_posteriors_agree(
            fitting.table_of(found.reverse_posteriors if reverse else found.forward_posteriors),
            source_target_posteriors(new, table),
            TOLERANCE,
        )


def posterior_counts(
    direction: Direction, tables: list[dict[tuple[int, int], float]]
) -> dict[tuple[str | None, str], float]:
    """Expected counts of pairs of types; NULL has what a token's links leave, unless it is below the floor."""
    counts: dict[tuple[str | None, str], float] = {}
    for n, j in direction.tokens():
        pair, table = direction.pairs[n], tables[direction.places[n]]
        row = [table.get((j, i) if direction.is_reverse else (i, j), 0.0) for i in range(pair.given_length)]
        assert min(row) > 0, "no link was left out"
        null = 1.0 - sum(row)
        if null < fitting.POSTERIOR_FLOOR:
            null = 0.0
        for e, probability in zip(pair.given, [null, *row], strict=True):
            counts[e, pair.emitted[j]] = counts.get((e, pair.emitted[j]), 0.0) + probability
    return counts
