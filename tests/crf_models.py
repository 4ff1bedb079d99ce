"""Random fields with drawn weights, and sequences for them."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pytest

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
    # By attribute, first and second label; none for most models.
    triples: npt.NDArray[np.float64] | None = field(default=None)

    def chains(self, allowed: npt.NDArray[np.bool_] | None = None) -> list[EnumeratedChain]:
        """Every sequence, enumerated; `allowed` is by position among all, then label."""
        made, first = [], 0
        for features in self.features:
            scores = features @ self.states
            if allowed is not None:
                scores = np.where(allowed[first : first + len(features)], scores, -np.inf)
            pairs = self.pairs
            if self.triples is not None:
                pairs = self.pairs + np.einsum("ta,aij->tij", features[1:], self.triples)
            made.append(EnumeratedChain(scores, pairs))
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
    triple_attributes: int = 0,
) -> Drawn:
    """A model with weights of size `scale` for a share of all pairs.

    The first `triple_attributes` have weights with two labels instead of one.
    """
    random = np.random.default_rng(seed)

    def weights(rows: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
        is_there = random.random((rows, labels)) < density
        drawn = random.integers(-1, 2, (rows, labels)) if are_equal else random.normal(size=(rows, labels))
        return np.where(is_there, scale * drawn, 0.0), is_there

    states, has_state = weights(attributes)
    pairs, has_pair = weights(labels)
    states[:triple_attributes], has_state[:triple_attributes] = 0.0, False
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
    triples = None
    if triple_attributes:
        is_there = random.random((attributes, labels, labels)) < density
        is_there[triple_attributes:] = False
        triples = np.where(is_there, scale * random.normal(size=is_there.shape), 0.0)
        arrays["triples.starts"] = np.concatenate([[0], np.cumsum(is_there.sum((1, 2)))]).astype(np.uint64)
        arrays["triples.from"], arrays["triples.to"] = (labels.astype(np.uint32) for labels in np.nonzero(is_there)[1:])
        arrays["weights"] = np.concatenate([arrays["weights"], triples[is_there]])
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
    return Drawn(model, states, pairs, data, features, triples)


def check_probabilities(drawn: Drawn, allowed: npt.NDArray[np.bool_] | None = None) -> None:
    """Everything that has a probability."""
    claims = None
    if allowed is not None:
        names = drawn.model.classes_
        rows = [[names[label] for label in np.nonzero(row)[0]] for row in allowed]
        starts = drawn.data.starts.tolist()
        claims = [rows[start:stop] for start, stop in itertools.pairwise(starts)]
    chains = drawn.chains(allowed)
    marginals = drawn.model.marginals(drawn.data, allowed=claims)
    pairs = drawn.model.pair_marginals(drawn.data, allowed=claims)
    gold = drawn.model.log_probability(drawn.data, allowed=claims)
    best = drawn.model.predict(drawn.data, allowed=claims)
    lists = drawn.model.predict_nbest(drawn.data, 40, allowed=claims)
    numbers = {name: number for number, name in enumerate(drawn.model.classes_)}
    for n, chain in enumerate(chains):
        if not len(chain.scores):
            assert lists[n] == [([], 1.0, 0.0)]
            assert gold[n] == 0
            continue
        assert marginals[n] == pytest.approx(chain.marginals(), abs=1e-11)
        assert pairs[n] == pytest.approx(chain.pair_marginals(), abs=1e-11)
        totals, log_z = chain.totals, chain.log_z

        def score(labels, totals=totals):
            return totals[tuple(numbers[label] for label in labels)]

        own = score(drawn.data.labels()[n]) - log_z
        assert gold[n] == (own if own == -np.inf else pytest.approx(own, abs=1e-9 * max(1, abs(log_z))))
        assert score(best[n]) == pytest.approx(totals.max(), abs=1e-9 * max(1, abs(log_z)))
        expected = chain.sorted_totals()[:40] - log_z
        assert [found.log_probability for found in lists[n]] == pytest.approx(
            np.minimum(expected, 0), abs=1e-9 * max(1, abs(log_z))
        )
        assert len({tuple(found.labels) for found in lists[n]}) == len(expected)
        for found in lists[n]:
            assert score(found.labels) - log_z == pytest.approx(found.log_probability, abs=1e-9 * max(1, abs(log_z)))
