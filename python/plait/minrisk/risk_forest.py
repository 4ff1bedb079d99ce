"""A forest as minimum-risk training needs it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plait.errors import DataError
from plait.hypergraph.features import SparseFeatures
from plait.hypergraph.structure import Hypergraph

__all__ = ["RiskForest"]


@dataclass(frozen=True, eq=False)
class RiskForest:
    """A forest with the features and the loss of each edge; frozen.

    Parameters
    ----------
    graph : Hypergraph
        Acyclic.
    features : SparseFeatures
        A row for each edge. Ids are those of the whole training set, not of one forest.
    losses : ndarray of float64, shape (edges,)
        The loss of a derivation is the sum of those of its edges (eq. 9), each as often as it is used. Finite.
    base : ndarray of float64, shape (edges,), optional
        A part of the score that no weight changes, such as that of a baseline; 0 by default. Finite.

    Raises
    ------
    DataError
        There are not as many losses, scores or rows of features as edges, or one of them is NaN or infinite; the
        message names the edge.

    Notes
    -----
    With weights theta, the score of a derivation d is the sum over its edges of ``base + features . theta``, and its
    probability is in proportion to ``exp(gamma score(d))`` (eq. 12 and 15).

    Examples
    --------
    >>> import numpy as np
    >>> from plait.hypergraph import Hypergraph, SparseFeatures
    >>> from plait.minrisk import RiskForest
    >>> two_ways = Hypergraph.from_edges([(0, []), (0, [])])
    >>> features = SparseFeatures(
    ...     np.array([0, 1, 2], np.uint64), np.array([0, 1], np.uint32), np.ones(2), ("first", "second")
    ... )
    >>> RiskForest(two_ways, features, losses=np.array([0.0, 1.0])).graph.edges
    2
    """

    graph: Hypergraph
    features: SparseFeatures
    losses: npt.NDArray[np.float64]
    base: npt.NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        edges, features = self.graph.edges, self.features
        starts = np.asarray(features.starts)
        if (
            len(starts) != edges + 1
            or starts[0] != 0
            or starts[-1] != len(features.ids)
            or (np.diff(starts.astype(np.int64)) < 0).any()
        ):
            raise DataError(f"the starts of features must rise from 0 to {len(features.ids)}, for {edges} edges")
        if len(features.values) != len(features.ids):
            raise DataError("features must be as many ids as values")
        if len(features.ids) and int(features.ids.max()) >= len(features.names):
            raise DataError(f"features.ids must be below {len(features.names)}; found {features.ids.max()}")
        object.__setattr__(self, "losses", _column(self.losses, "losses", edges))
        if self.base is not None:
            object.__setattr__(self, "base", _column(self.base, "base", edges))
        wrong = ~np.isfinite(features.values)
        if wrong.any():
            n = int(wrong.argmax())
            edge = int(np.searchsorted(starts, n, side="right")) - 1
            name = features.names[int(features.ids[n])]
            raise DataError(f"edge {edge}: the value of feature {name!r} must be finite; found {features.values[n]}")


def _column(values: npt.ArrayLike, name: str, edges: int) -> npt.NDArray[np.float64]:
    array = np.ascontiguousarray(values, np.float64)
    if array.shape != (edges,):
        raise DataError(f"{name} must be one for each of the {edges} edges; found shape {array.shape}")
    wrong = ~np.isfinite(array)
    if wrong.any():
        edge = int(wrong.argmax())
        raise DataError(f"edge {edge}: {name} must be finite; found {array[edge]}")
    return array
