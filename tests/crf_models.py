"""Random fields with drawn weights, and sequences for them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plait.crf import ChainCRF, Sequences
from plait.crf.files import arrays_of, core_of
from plait.models import pack_words
from reference.crf import EnumeratedChain

METADATA = {
    "options": {},
    "template": None,
    "width": None,
    "format": None,
    "history": [0.0],
    "gradient_norm": 0.0,
    "stopped_by": "objective",
    "held_out_history": [],
}


def with_weights(model: ChainCRF, weights: npt.NDArray[np.float64]) -> ChainCRF:
    """The same pairs with other weights."""
    return ChainCRF._of(core_of({**arrays_of(model.core), "weights": weights}), METADATA)


@dataclass(frozen=True)
class Drawn:
    """A model, its weights as matrices, and sequences with their features as a matrix for each."""

    model: ChainCRF
    states: npt.NDArray[np.float64]
    pairs: npt.NDArray[np.float64]
    data: Sequences
    features: list[npt.NDArray[np.float64]]

    def chains(self, allowed: npt.NDArray[np.bool_] | None = None) -> list[EnumeratedChain]:
        """Every sequence, enumerated; `allowed` is by position among all, then label."""
        made, first = [], 0
        for features in self.features:
            scores = features @ self.states
            if allowed is not None:
                scores = np.where(allowed[first : first + len(features)], scores, -np.inf)
            made.append(EnumeratedChain(scores, self.pairs))
            first += len(features)
        return made


def draw(
    seed: int,
    *,
    labels: int,
    lengths: list[int],
    attributes: int = 5,
    scale: float = 1.0,
    density: float = 0.6,
    has_values: bool = True,
    are_equal: bool = False,
) -> Drawn:
    """A model with weights of size `scale` for a share of all pairs."""
    random = np.random.default_rng(seed)

    def weights(rows: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
        is_there = random.random((rows, labels)) < density
        drawn = random.integers(-1, 2, (rows, labels)) if are_equal else random.normal(size=(rows, labels))
        return np.where(is_there, scale * drawn, 0.0), is_there

    states, has_state = weights(attributes)
    pairs, has_pair = weights(labels)
    arrays = {
        **dict(
            zip(("attributes.bytes", "attributes.offsets"), pack_words(f"a{n}" for n in range(attributes)), strict=True)
        ),
        **dict(zip(("labels.bytes", "labels.offsets"), pack_words(f"l{n}" for n in range(labels)), strict=True)),
        "states.starts": np.concatenate([[0], np.cumsum(has_state.sum(1))]).astype(np.uint64),
        "states.labels": np.nonzero(has_state)[1].astype(np.uint32),
        "transitions.starts": np.concatenate([[0], np.cumsum(has_pair.sum(1))]).astype(np.uint64),
        "transitions.labels": np.nonzero(has_pair)[1].astype(np.uint32),
        "weights": np.concatenate([states[has_state], pairs[has_pair]]).astype(np.float64),
    }
    model = ChainCRF._of(core_of(arrays), METADATA)
    features, items, gold = [], [], []
    for length in lengths:
        matrix = np.where(random.random((length, attributes)) < 0.5, 1.0, 0.0)
        if has_values:
            matrix = matrix * random.normal(size=matrix.shape)
        features.append(matrix)
        items.append([{f"a{n}": value for n, value in enumerate(row) if value != 0} for row in matrix.tolist()])
        gold.append([f"l{random.integers(labels)}" for _ in range(length)])
    data = Sequences.from_items(items, gold, model=model)
    return Drawn(model, states, pairs, data, features)
