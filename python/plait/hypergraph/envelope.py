"""The best derivations for all weights along a line."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plait import _core
from plait.hypergraph.derivations import Derivations
from plait.hypergraph.features import edge_values
from plait.hypergraph.structure import Hypergraph

__all__ = ["Envelope", "envelope"]


@dataclass(frozen=True, eq=False)
class Envelope:
    """The upper envelope of the derivations' lines, by rising slope; frozen.

    Attributes
    ----------
    slopes, intercepts : ndarray of float64, shape (lines,)
        Derivation ``n`` scores ``slopes[n] * x + intercepts[n]``.
    derivations : Derivations
        Their edges; their weights are the intercepts.
    """

    slopes: npt.NDArray[np.float64]
    intercepts: npt.NDArray[np.float64]
    derivations: Derivations

    def __len__(self) -> int:
        return len(self.slopes)

    @property
    def breakpoints(self) -> npt.NDArray[np.float64]:
        """Where one derivation takes over from the one before it, shape (lines - 1,), not falling."""
        crossings = (self.intercepts[:-1] - self.intercepts[1:]) / (self.slopes[1:] - self.slopes[:-1])
        # Rounding must not turn them.
        return np.maximum.accumulate(crossings) if len(crossings) else np.empty(0)


def envelope(graph: Hypergraph, slopes: npt.ArrayLike, intercepts: npt.ArrayLike) -> Envelope:
    """Return the derivations that are the best one for some x, where edges score ``slopes * x + intercepts``.

    Parameters
    ----------
    graph : Hypergraph
        Acyclic.
    slopes : array_like of float64, shape (edges,)
        The score of each edge under a direction.
    intercepts : array_like of float64, shape (edges,)
        Its score under some weights; -inf is an edge that is not there.

    Returns
    -------
    Envelope
        Empty if the root has no derivation. Each derivation is the best one on some open interval. Of derivations
        with equal lines, the one with the smallest edge at the root, then with the flattest lines of the tail.

    Raises
    ------
    CycleError
        The hypergraph has a cycle.
    DataError
        A number is NaN or infinite, or there are not as many as edges.
    ResourceError
        The nodes have 2**32 lines, or a derivation has more than 2**28 edges.

    Notes
    -----
    The inside weight of the root in `plait.semiring.Hull` (Macherey et al. 2008; Kumar et al. 2009; Dyer 2013). A node
    has at most as many lines as there are edges below it; so O(edges ** 2) time at worst, and O(edges times a few
    dozen) on forests of translations. 36 bytes a line.

    Examples
    --------
    >>> from plait.hypergraph import Hypergraph, envelope
    >>> forest = Hypergraph.from_edges([(0, []), (0, []), (1, [0])])
    >>> found = envelope(forest, [0.0, 1.0, 1.0], [0.0, -2.0, 0.0])
    >>> found.slopes.tolist(), found.breakpoints.tolist(), found.derivations[1].edges.tolist()
    ([1.0, 2.0], [2.0], [2, 1])
    """
    m, b, starts, edges = _core.hypergraph_envelope(
        graph._core,
        edge_values(slopes, graph.edges, "slopes"),
        edge_values(intercepts, graph.edges, "intercepts"),
    )
    return Envelope(m, b, Derivations(starts, edges, b))
