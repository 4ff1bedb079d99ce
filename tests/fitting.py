"""The core through `plait.align`, in the terms of the twins."""

from __future__ import annotations

import hashlib
from typing import Any

from plait.align import AlignmentModel

import plait
from reference.direction import Alignment, Direction
from reference.ibm import Model
from strategies import Corpus

Links = list[list[tuple[int, int]]]
POSTERIOR_FLOOR = 1 / 256
"""The core does not keep posteriors below this."""


def fit(corpus: Corpus, model: Model, **options: Any) -> AlignmentModel:
    """`plait.align.fit` with the hyper-parameters of a twin's model."""
    bitext = plait.Bitext.from_lists(*corpus)
    return plait.align.fit(bitext, model=model.name, theta=model.theta, phi=model.phi, p0=model.p0, **options)


def links(fitted: AlignmentModel, *, reverse: bool) -> Links:
    """Source-target links of one direction, sentence by sentence."""
    alignments = fitted.reverse if reverse else fitted.forward
    return [[(int(i), int(j)) for i, j in alignments[n]] for n in range(len(alignments))]


def posteriors(fitted: AlignmentModel, *, reverse: bool) -> list[dict[tuple[int, int], float]]:
    """Posterior of every link that the core keeps."""
    table = fitted.reverse_posteriors if reverse else fitted.forward_posteriors
    result = []
    for n in range(len(table)):
        run = slice(int(table.offsets[n]), int(table.offsets[n + 1]))
        keys = [(int(i), int(j)) for i, j in table.links[run]]
        result.append(dict(zip(keys, table.probabilities[run].tolist(), strict=True)))
    return result


def alignment(direction: Direction, found: Links) -> Alignment:
    """a_j of every trained pair from source-target links, of which an emitted word has one at most."""
    result = []
    for place, pair in zip(direction.places, direction.pairs, strict=True):
        row = [0] * pair.emitted_length
        for source, target in found[place]:
            i, j = (target, source) if direction.is_reverse else (source, target)
            assert row[j] == 0, "an emitted word has two links"
            row[j] = i + 1
        result.append(row)
    return result


def digest(fitted: AlignmentModel) -> str:
    """A hash of everything that a fit yields, to the bit."""
    state = hashlib.sha256()
    for part in (
        fitted.alignments,
        fitted.forward,
        fitted.reverse,
        fitted.forward_posteriors,
        fitted.reverse_posteriors,
    ):
        state.update(part.links.tobytes())
        state.update(part.offsets.tobytes())
        if part.probabilities is not None:
            state.update(part.probabilities.tobytes())
    return state.hexdigest()
