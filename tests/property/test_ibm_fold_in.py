"""Links of new text under a trained model, against the twin."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

import fitting
from plait.bitext import Bitext
from reference.direction import Direction
from reference.expectation import Fit, em, vb
from reference.folding import fold_in, smoothed_parameters
from reference.ibm import Model
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
