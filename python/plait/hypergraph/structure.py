"""The structure of a hypergraph as a value."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property
from typing import Self, TypeVar

import numpy as np
import numpy.typing as npt

from plait import _core
from plait.errors import ConfigError, DataError

__all__ = ["Hypergraph"]

_LARGEST = 2**32 - 2
_Number = TypeVar("_Number", np.uint32, np.uint64)


class Hypergraph:
    """Nodes and hyperedges with one root; frozen.

    An edge has one head and an ordered tail of nodes, possibly empty, possibly with the same node twice. Nodes
    and edges keep the numbers that they are given here, in any order; cycles are allowed, though not every
    function takes them. Nodes that the root does not reach, and nodes without derivations, are kept.

    Parameters
    ----------
    heads : array_like of uint32, shape (edges,)
        The head of each edge.
    tail_starts : array_like of uint64, shape (edges + 1,)
        The tail of edge ``e`` is ``tails[tail_starts[e]:tail_starts[e + 1]]``.
    tails : array_like of uint32
        The nodes of all tails, edge by edge.
    nodes : int, optional
        The number of nodes; by default one more than the largest number in ``heads`` and ``tails``.
    root : int, optional
        The node whose derivations are those of the hypergraph; by default the only one that is in no tail.

    Raises
    ------
    DataError
        A number is negative, not whole, or too large for its array; starts do not rise from 0 to the number of
        tail nodes; no node, or more than one, could be the root and none is named.
    ResourceError
        There are 2**32 - 1 nodes, edges or tail nodes, or more.

    Notes
    -----
    O(nodes + edges + tail nodes) time and memory: 8 bytes a node, 4 an edge and 4 a tail node, and 4 more a node and
    an edge if heads do not come after their tails, or edges are not grouped by head. Arrays in that order are the
    fastest.

    Examples
    --------
    >>> from plait.hypergraph import Hypergraph
    >>> forest = Hypergraph.from_edges([(0, []), (0, []), (1, [0, 0])])
    >>> forest.nodes, forest.edges, forest.root
    (2, 3, 1)
    """

    def __init__(
        self,
        heads: npt.ArrayLike,
        tail_starts: npt.ArrayLike,
        tails: npt.ArrayLike,
        *,
        nodes: int | None = None,
        root: int | None = None,
    ) -> None:
        heads_, tails_ = _numbers(heads, "heads", np.uint32), _numbers(tails, "tails", np.uint32)
        starts = _numbers(tail_starts, "tail_starts", np.uint64)
        if nodes is None:
            nodes = 1 + max((int(array.max()) for array in (heads_, tails_) if array.size), default=-1)
        elif not 0 <= nodes <= _LARGEST:
            raise ConfigError(name="nodes", expected=f"from 0 to {_LARGEST}", found=nodes)
        if root is not None and not 0 <= root <= _LARGEST:
            raise ConfigError(name="root", expected="the number of a node", found=root)
        self._core = _core.Hypergraph(heads_, starts, tails_, nodes=nodes, root=root)

    @classmethod
    def from_core(cls, core: _core.Hypergraph) -> Self:
        """Wrap a hypergraph of the core."""
        self = cls.__new__(cls)
        self._core = core
        return self

    @classmethod
    def from_edges(
        cls, edges: Iterable[tuple[int, Sequence[int]]], *, nodes: int | None = None, root: int | None = None
    ) -> Self:
        """Make a hypergraph of pairs (head, tail).

        Parameters
        ----------
        edges : iterable of (int, sequence of int)
            In the order of their numbers.
        nodes, root : int, optional
            As for the class.

        Returns
        -------
        Hypergraph
            A Python loop makes its arrays: for millions of edges, give arrays to the class.

        Examples
        --------
        >>> from plait.hypergraph import Hypergraph
        >>> Hypergraph.from_edges([(0, []), (1, [0]), (1, [0])])
        Hypergraph(nodes=2, edges=3, root=1)
        """
        heads: list[int] = []
        tails: list[int] = []
        starts = [0]
        for head, tail in edges:
            heads.append(head)
            tails.extend(tail)
            starts.append(len(tails))
        return cls(heads, starts, tails, nodes=nodes, root=root)

    @classmethod
    def from_arcs(
        cls, arcs: Iterable[tuple[Hashable, Hashable]], *, source: Hashable, target: Hashable
    ) -> tuple[Self, dict[Hashable, int]]:
        """Make a hypergraph whose derivations are the paths of an ordinary graph.

        Parameters
        ----------
        arcs : iterable of (hashable, hashable)
            Arcs from one vertex to another, such as the edges of a networkx graph. Arc ``n`` becomes edge ``n``,
            with the first vertex as its tail and the second as its head.
        source, target : hashable
            Where the paths start and end. The last edge, with an empty tail, makes the source.

        Returns
        -------
        Hypergraph
            With ``target`` as root and one edge more than there are arcs.
        dict
            The node of each vertex, in the order of first mention.

        Examples
        --------
        >>> from plait.hypergraph import Hypergraph
        >>> diamond, nodes = Hypergraph.from_arcs(
        ...     [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")], source="a", target="d"
        ... )
        >>> diamond.edges, nodes["d"]
        (5, 3)
        """
        nodes: dict[Hashable, int] = {source: 0}
        ends = [(nodes.setdefault(u, len(nodes)), nodes.setdefault(v, len(nodes))) for u, v in arcs]
        edges: list[tuple[int, Sequence[int]]] = [(v, (u,)) for u, v in ends]
        edges.append((0, ()))
        root = nodes.setdefault(target, len(nodes))
        return cls.from_edges(edges, nodes=len(nodes), root=root), nodes

    @classmethod
    def chain(cls, steps: int, states: int, *, is_allowed: npt.ArrayLike | None = None) -> Self:
        """Make the lattice of a hidden Markov model or linear-chain random field.

        Parameters
        ----------
        steps : int
            The number of transitions: one less than that of positions.
        states : int
            The number of states at each position.
        is_allowed : array_like of bool, shape (states, states) or (steps, states, states), optional
            Which transitions exist, by [from, to] or [step, from, to].

        Returns
        -------
        Hypergraph
            Node ``position * states + state``, and one more as root. The weights of its edges are an array [step,
            from, to] of transitions, flattened (or ``array[is_allowed]``), then one weight a state at position 0,
            then one a state at the last position.

        Examples
        --------
        The probability of an observed sequence under a hidden Markov model:

        >>> import numpy as np
        >>> from plait.hypergraph import Hypergraph, log_z
        >>> start, moves = np.array([0.6, 0.4]), np.array([[0.7, 0.3], [0.4, 0.6]])
        >>> emitted = np.array([[0.5, 0.1], [0.4, 0.3], [0.1, 0.6]])  # [position, state]
        >>> transitions = moves[None, :, :] * emitted[1:, None, :]
        >>> weights = np.concatenate([transitions.ravel(), start * emitted[0], np.ones(2)])
        >>> lattice = Hypergraph.chain(steps=2, states=2)
        >>> round(float(np.exp(log_z(lattice, np.log(weights)))), 6)
        0.03628
        """
        for name, value, least in (("steps", steps, 0), ("states", states, 1)):
            if not least <= value <= _LARGEST:
                raise ConfigError(name=name, expected=f"from {least} to {_LARGEST}", found=value)
        claims = None
        if is_allowed is not None:
            claims = np.asarray(is_allowed)
            shape = (steps, states, states)
            if claims.dtype != np.bool_ or claims.shape not in (shape, shape[1:]):
                raise DataError(
                    f"is_allowed must be bool, shape {shape[1:]} or {shape}; found {claims.dtype}, shape {claims.shape}"
                )
            claims = np.broadcast_to(claims, shape).ravel()
        return cls.from_core(_core.hypergraph_chain(steps, states, claims))

    @classmethod
    def cky(cls, words: int, rules: npt.ArrayLike, *, nonterminals: int, start: int = 0) -> Self:
        """Make the chart of all parses of a sentence with binary rules.

        Parameters
        ----------
        words : int
            The length of the sentence, at least 1.
        rules : array_like of int, shape (rules, 3)
            Parent, left child and right child of each.
        nonterminals : int
            Their number.
        start : int
            The nonterminal over the whole sentence.

        Returns
        -------
        Hypergraph
            Spans are numbered by width, then from left to right; node ``span * nonterminals + nonterminal``. The
            weights of its edges are an array [word, nonterminal] flattened, then an array [place, rule] flattened: a
            place is a span of two or more words, in order, and a split of it, that after the first word first. Rules
            weigh the same at all places: ``np.tile(rule_weights, places)`` with ``places = (words**3 - words) // 6``.

        Examples
        --------
        Trees with one nonterminal are counted by the Catalan numbers:

        >>> import numpy as np
        >>> from plait.hypergraph import Hypergraph, log_z
        >>> chart = Hypergraph.cky(6, [[0, 0, 0]], nonterminals=1)
        >>> round(float(np.exp(log_z(chart, np.zeros(chart.edges)))), 9)
        42.0
        """
        array = np.asarray(rules)
        if array.size == 0:
            array = np.empty((0, 3), np.int64)
        if array.ndim != 2 or array.shape[1] != 3:
            raise DataError(f"rules must have three columns: parent, left, right; found shape {array.shape}")
        flat = _numbers(array.ravel(), "rules", np.uint32).reshape(-1, 3)
        for name, value in (("words", words), ("nonterminals", nonterminals), ("start", start)):
            if not 0 <= value <= _LARGEST:
                raise ConfigError(name=name, expected=f"from 0 to {_LARGEST}", found=value)
        return cls.from_core(_core.hypergraph_cky(words, nonterminals, flat.tolist(), start))

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return self._core.nodes

    @property
    def edges(self) -> int:
        """The number of edges."""
        return self._core.edges

    @property
    def root(self) -> int:
        """The node whose derivations are those of the hypergraph."""
        return self._core.root

    @property
    def arity(self) -> int:
        """The largest number of nodes of a tail."""
        return self._core.arity

    @property
    def is_acyclic(self) -> bool:
        """Whether no node derives itself."""
        return self._core.is_acyclic

    @property
    def heads(self) -> npt.NDArray[np.uint32]:
        """The head of each edge; uint32, shape (edges,), read-only."""
        return self._arrays[0]

    @property
    def tail_starts(self) -> npt.NDArray[np.uint64]:
        """Where the tail of each edge starts in `tails`; uint64, shape (edges + 1,), read-only."""
        return self._arrays[1]

    @property
    def tails(self) -> npt.NDArray[np.uint32]:
        """The nodes of all tails, edge by edge; uint32, read-only."""
        return self._arrays[2]

    @cached_property
    def _arrays(self) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint64], npt.NDArray[np.uint32]]:
        """Made when first asked for."""
        arrays = self._core.arrays()
        for array in arrays:
            array.flags.writeable = False
        return arrays

    def tail(self, edge: int) -> tuple[int, ...]:
        """Return the tail of an edge, in order."""
        start, end = self.tail_starts[edge], self.tail_starts[edge + 1]
        return tuple(self.tails[start:end].tolist())

    def cycle(self) -> tuple[int, ...] | None:
        """Return the nodes of one cycle, heads first, or None if there is none. O(edges)."""
        cycle = self._core.cycle()
        return None if cycle is None else tuple(cycle)

    def useful_nodes(self) -> npt.NDArray[np.bool_]:
        """Return which nodes are part of a whole derivation: the root reaches them, and they have derivations.

        Returns
        -------
        ndarray of bool, shape (nodes,)
        """
        return self._core.useful_nodes()

    def node_order(self) -> npt.NDArray[np.uint32]:
        """Return the nodes with tails before heads, but for cycles, whose nodes stand together.

        Returns
        -------
        ndarray of uint32, shape (nodes,)
        """
        return self._core.node_order()

    def __repr__(self) -> str:
        return f"Hypergraph(nodes={self.nodes}, edges={self.edges}, root={self.root})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Hypergraph):
            return NotImplemented
        return (
            (self.nodes, self.root) == (other.nodes, other.root)
            and np.array_equal(self.heads, other.heads)
            and np.array_equal(self.tail_starts, other.tail_starts)
            and np.array_equal(self.tails, other.tails)
        )

    def __hash__(self) -> int:
        return hash((self.nodes, self.edges, self.root, self.heads.tobytes()))

    def __reduce__(self) -> tuple[object, ...]:
        return _unpickle, (type(self), *self._arrays, self.nodes, self.root)


def _unpickle(
    cls: type[Hypergraph],
    heads: npt.NDArray[np.uint32],
    tail_starts: npt.NDArray[np.uint64],
    tails: npt.NDArray[np.uint32],
    nodes: int,
    root: int,
) -> Hypergraph:
    return cls(heads, tail_starts, tails, nodes=nodes, root=root)


def _numbers(values: npt.ArrayLike, name: str, dtype: type[_Number]) -> npt.NDArray[_Number]:
    """Whole numbers as an array of a type that holds them all."""
    array = np.asarray(values)
    if array.ndim != 1:
        raise DataError(f"{name} must have one dimension; found shape {array.shape}")
    if array.dtype == dtype:
        return np.ascontiguousarray(array)
    if array.size == 0:
        return np.empty(0, dtype)
    if array.dtype.kind not in "iu":
        raise DataError(f"{name} must be whole numbers; found an array of {array.dtype}")
    limit = min(np.iinfo(dtype).max, _LARGEST if dtype is np.uint32 else np.iinfo(np.int64).max)
    wrong = (array < 0) | (array > limit)
    if wrong.any():
        place = int(wrong.argmax())
        raise DataError(f"{name}[{place}] must be from 0 to {limit}; found {array[place]}")
    return array.astype(dtype)
