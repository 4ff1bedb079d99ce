"""Hypothesis strategies of forests with losses, and plait's objects for them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from hypergraph_strategies import dyadics, edge_features, edge_weights, graphs, to_arrays, to_csr
from plait.hypergraph import Hypergraph, SparseFeatures
from plait.minrisk import RiskForest
from reference.minimum_risk import Forest

SIZE = 4
NAMES = ("lm", "length", "the cat", "cat sat")

numbers = dyadics(is_signed=True)


@st.composite
def values(draw: st.DrawFn) -> Fraction:
    """Values of features: often 1, as those of n-grams are."""
    return Fraction(1) if draw(st.booleans()) else draw(numbers)


@st.composite
def risk_forests(draw: st.DrawFn, *, needs_derivation: bool = False) -> Forest:
    """Forests with up to 200 derivations; some have none."""
    graph = draw(graphs(needs_derivation=needs_derivation))
    return Forest(
        graph,
        draw(edge_features(graph, size=SIZE, values=values())),
        draw(edge_weights(graph, numbers)),
        draw(edge_weights(graph, numbers)) if draw(st.booleans()) else [Fraction(0)] * len(graph.edges),
    )


def thetas() -> st.SearchStrategy[list[Fraction]]:
    """A weight for each feature, from -2 to 2."""
    return st.lists(st.builds(Fraction, st.integers(-16, 16), st.just(8)), min_size=SIZE, max_size=SIZE)


def to_risk_forest(forest: Forest) -> RiskForest:
    """The same forest for plait."""
    heads, starts, tails = to_arrays(forest.graph)
    graph = Hypergraph(heads, starts, tails, nodes=forest.graph.nodes, root=forest.graph.root)
    rows, ids, found = to_csr(forest.features)
    base = np.array([float(value) for value in forest.base])
    return RiskForest(
        graph,
        SparseFeatures(rows, ids, np.array(found, np.float64), NAMES),
        np.array([float(loss) for loss in forest.losses]),
        base if base.any() else None,
    )
