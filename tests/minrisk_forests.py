"""Made training sets for tests of minimum-risk training."""

from __future__ import annotations

import numpy as np

from plait.hypergraph import Hypergraph, SparseFeatures
from plait.minrisk import RiskForest, TrainingSet

NAMES = tuple(f"f{n}" for n in range(6))


def made_forest(generator: np.random.Generator, *, steps: int = 4, states: int = 3) -> RiskForest:
    """A lattice with random features and losses."""
    graph = Hypergraph.chain(steps=steps, states=states)
    counts = generator.integers(0, 4, size=graph.edges)
    ids = [np.sort(generator.choice(len(NAMES), size=count, replace=False)) for count in counts]
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.uint64)
    flat = np.concatenate(ids).astype(np.uint32)
    features = SparseFeatures(starts, flat, generator.normal(size=len(flat)), NAMES)
    return RiskForest(graph, features, losses=generator.normal(size=graph.edges))


def made_forests(*, seed: int = 1, forests: int = 5, **shape: int) -> list[RiskForest]:
    """Some such lattices."""
    generator = np.random.default_rng(seed)
    return [made_forest(generator, **shape) for _ in range(forests)]


def made_training_set(**options: int) -> TrainingSet:
    """Some such lattices to train on."""
    return TrainingSet.build(made_forests(**options))
