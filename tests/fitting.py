"""The core through `plait.align`, in the terms of the twins."""

from __future__ import annotations

import hashlib
import warnings
from typing import Any

import pytest

from plait import align
from plait.align import AlignmentModel
from plait.alignments import Alignments
from plait.bitext import Bitext
from plait.errors import AlignmentWarning
from reference import readout
from reference.direction import Alignment, Direction, Table
from reference.ibm import Model
from strategies import Corpus

Links = list[list[tuple[int, int]]]
POSTERIOR_FLOOR = 0.01
"""The core does not keep posteriors below this."""


def fit(corpus: Corpus, model: Model, **options: Any) -> AlignmentModel:
    """`plait.align.fit` with the hyper-parameters of a twin's model, and posteriors; otherwise the preset GS-5."""
    settings = {
        "model": model.name,
        "tail": model.tail,
        "theta": model.theta,
        "phi": model.phi,
        "p0": model.p0,
        "posteriors": True,
        **options,
    }
    with warnings.catch_warnings():
        # Tiny corpora have empty sides on purpose.
        warnings.simplefilter("ignore", AlignmentWarning)
        return align.fit(Bitext.from_lists(*corpus), "GS-5", **settings)


def history(fitted: AlignmentModel, *, reverse: bool) -> list[float]:
    """What each iteration of one direction recorded."""
    return fitted.history["reverse" if reverse else "forward"]


def links(fitted: AlignmentModel, *, reverse: bool) -> Links:
    """Source-target links of one direction, sentence by sentence."""
    return links_of(fitted.reverse if reverse else fitted.forward)


def links_of(alignments: Alignments) -> Links:
    """Links of every pair as tuples."""
    return [[(int(i), int(j)) for i, j in alignments[n]] for n in range(len(alignments))]


def posteriors(fitted: AlignmentModel, *, reverse: bool) -> list[dict[tuple[int, int], float]]:
    """Posterior of every link that the core keeps."""
    return table_of(fitted.reverse_posteriors if reverse else fitted.forward_posteriors)


def table_of(table: Alignments | None) -> list[dict[tuple[int, int], float]]:
    """Probability of every link of every pair."""
    assert table is not None
    assert table.probabilities is not None
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
                assert probability < POSTERIOR_FLOOR + tolerance, f"pair {n}, {link} is missing"


def is_clear(row: list[float], tolerance: float) -> bool:
    """Whether the best candidate is best by more than twice the tolerance."""
    best, second = sorted(row, reverse=True)[:2]
    return best - second > 2 * tolerance


def assert_links_agree(direction: Direction, found: Links, table: Table, tolerance: float) -> None:
    """The most probable candidate, wherever it does not hang on rounding."""
    chosen, expected = alignment(direction, found), readout.viterbi(table)
    for n, rows in enumerate(table):
        for j, row in enumerate(rows):
            if is_clear(row, tolerance):
                assert chosen[n][j] == expected[n][j], f"trained pair {n}, emitted position {j}"
