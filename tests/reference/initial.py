"""Where a sampler starts (Mermer et al. 2013, section IV-A)."""

from __future__ import annotations

import numpy as np

from reference.direction import Alignment, Direction
from reference.expectation import em, posteriors
from reference.ibm import Model
from reference.readout import viterbi


def uniform(direction: Direction, rng: np.random.Generator) -> Alignment:
    """Each link uniform over NULL and all words."""
    return [[int(rng.integers(pair.given_length + 1)) for _ in pair.emitted] for pair in direction.pairs]


def em_viterbi(direction: Direction, model: Model, iterations: int) -> Alignment:
    """Viterbi alignment after some iterations of EM (GS-5, GS-20, GS-80)."""
    fit = em(direction, model, iterations)
    return viterbi(posteriors(direction, model, fit.weights))


def pairs_together(direction: Direction, e: str | None, f: str) -> int:
    """The number of sentence pairs with e on the given and f on the emitted side."""
    return sum(e in pair.given and f in pair.emitted for pair in direction.pairs)


def cooccurrence(direction: Direction) -> Alignment:
    """GS-N: each emitted token to the word, not NULL, that its type shares the most sentence pairs with.

    Ties go to the smallest position.
    """
    alignment = []
    for pair in direction.pairs:
        links = []
        for f in pair.emitted:
            shared = [pairs_together(direction, e, f) for e in pair.given[1:]]
            links.append(1 + shared.index(max(shared)))
        alignment.append(links)
    return alignment
