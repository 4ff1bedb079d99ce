"""Lists of the n best translations, with their features."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from plait.errors import ConfigError, DataError
from plait.hypergraph.features import SparseFeatures
from plait.hypergraph.forest import Forest, shared_names
from plait.hypergraph.forest_files import read_forests
from plait.hypergraph.kbest import kbest
from plait.io.streams import Path, display_name

__all__ = ["NbestLists", "moses_feature_names"]


@dataclass(frozen=True, eq=False)
class NbestLists:
    """The translations of some segments with their features; frozen.

    Parameters
    ----------
    feature_names : tuple of str
        The name of each feature.
    segments : ndarray of int64, shape (lists,)
        The number of the segment that each list is of, from 0: the line of its references.
    starts : ndarray of uint64, shape (lists + 1,)
        The translations of list ``n`` are ``starts[n]:starts[n + 1]``.
    features : ndarray of float64, shape (translations, features)
        Their features.
    texts : tuple of str
        Their words, with a space between.

    Examples
    --------
    >>> from plait.hypergraph import Forest, Hypergraph, SparseFeatures, Yields
    >>> import numpy as np
    >>> starts, ids = np.array([0, 1, 2], np.uint64), np.array([0, 0], np.uint32)
    >>> rows = SparseFeatures(starts, ids, np.array([-1.0, -2.0]), ("lm",))
    >>> graph, yields = Hypergraph.from_edges([(0, []), (0, [])]), Yields.from_rows([[0], [1]])
    >>> two = Forest(graph, rows, ("yes", "no"), *yields.arrays)
    >>> lists = NbestLists.from_forests([two])
    >>> lists.texts, lists.features.tolist()
    (('yes', 'no'), [[-1.0], [-2.0]])
    """

    feature_names: tuple[str, ...]
    segments: npt.NDArray[np.int64]
    starts: npt.NDArray[np.uint64]
    features: npt.NDArray[np.float64]
    texts: tuple[str, ...]

    def __post_init__(self) -> None:
        rows, lists = len(self.texts), len(self.segments)
        if self.features.shape != (rows, len(self.feature_names)):
            raise DataError(
                f"features must be {rows} rows of {len(self.feature_names)}; found shape {self.features.shape}"
            )
        is_sound = self.starts.shape == (lists + 1,) and self.starts[0] == 0 and self.starts[-1] == rows
        if not is_sound or bool((self.starts[1:] < self.starts[:-1]).any()):
            raise DataError(f"starts must rise from 0 to {rows}, one more than {lists} lists")

    def __len__(self) -> int:
        return len(self.segments)

    def __repr__(self) -> str:
        return f"NbestLists({len(self)} lists, {len(self.texts)} translations, {len(self.feature_names)} features)"

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read an n-best list of Moses: ``id ||| words ||| Label= value .. ||| score``.

        Parameters
        ----------
        path
            The file, plain or compressed; "-" for standard input. Ids are numbers of segments, from 0.

        Returns
        -------
        NbestLists
            A label with several values stands for features ``Label_1``, ``Label_2`` and so on.

        Raises
        ------
        plait.errors.TextError
            The file does not fit its format.
        DataError
            An id is no number of a segment.
        """
        forests = read_forests(path, "nbest")
        segments = []
        for forest in forests:
            name = forest.properties["id"]
            if not (name.isascii() and name.isdigit()) or int(name) >= 2**32:
                raise DataError(
                    f"{display_name(path)}: the id of a list must be the number of its segment, from 0; found {name!r}"
                )
            segments.append(int(name))
        return cls.from_forests(forests, segments=segments)

    @classmethod
    def from_forests(cls, forests: Sequence[Forest], *, segments: Sequence[int] | None = None) -> Self:
        """Take the translations of flat forests: each edge is one, without a tail.

        Parameters
        ----------
        forests : sequence of Forest
            As `plait.hypergraph.read_forests` makes them of n-best lists.
        segments : sequence of int, optional
            The segment of each; by default its place.

        Raises
        ------
        DataError
            A forest is not flat: see `kbest`.
        """
        forests = shared_names(forests)
        names = forests[0].features.names if forests else ()
        starts, rows, texts = [0], [np.empty((0, len(names)))], list[str]()
        for number, forest in enumerate(forests):
            graph = forest.graph
            if len(graph.tails) or bool((graph.heads != graph.root).any()):
                raise DataError(
                    f"forest {number} (from 0) is not flat: each edge must be a translation, into the root and without "
                    "a tail; take the k best derivations with NbestLists.kbest"
                )
            texts.extend(_texts(forest.words, forest.item_starts, forest.items))
            rows.append(_dense(forest.features))
            starts.append(starts[-1] + forest.edges)
        return cls(
            names,
            _segments(segments, len(forests)),
            np.array(starts, np.uint64),
            np.concatenate(rows),
            tuple(texts),
        )

    @classmethod
    def kbest(
        cls,
        forests: Sequence[Forest],
        weights: npt.ArrayLike | Mapping[str, float],
        k: int,
        *,
        unique: bool = False,
        segments: Sequence[int] | None = None,
    ) -> Self:
        """Take the k best derivations of each forest under some weights.

        Parameters
        ----------
        forests : sequence of Forest
            Acyclic.
        weights : array_like of float64, or mapping of str to float
            A weight for each feature; see `plait.hypergraph.Forest.scores`. An array has the features of the forests
            in their order, which must then be the same in all.
        k : int
            How many of each forest at most.
        unique : bool
            Only the best derivation of each text.
        segments : sequence of int, optional
            The segment of each forest; by default its place.

        Returns
        -------
        NbestLists
            A forest without derivations has an empty list. The features of a translation are the sums over its edges.

        Raises
        ------
        CycleError, DataError, ResourceError
            As for `plait.hypergraph.kbest`.
        """
        forests = shared_names(forests)
        names = forests[0].features.names if forests else ()
        starts, rows, texts = [0], [np.empty((0, len(names)))], list[str]()
        for forest in forests:
            found = kbest(forest.graph, forest.scores(weights), k, unique_by=forest.yields if unique else None)
            words = forest.yields.of_all(forest.graph, found)
            texts.extend(" ".join(forest.words[word] for word in row.tolist()) for row in words)
            rows.append(_sums(forest.features, found.starts, found.edges))
            starts.append(starts[-1] + len(found))
        return cls(
            names,
            _segments(segments, len(forests)),
            np.array(starts, np.uint64),
            np.concatenate(rows),
            tuple(texts),
        )


def _segments(segments: Sequence[int] | None, lists: int) -> npt.NDArray[np.int64]:
    numbers = np.arange(lists, dtype=np.int64) if segments is None else np.asarray(segments, np.int64)
    if numbers.shape != (lists,) or bool((numbers < 0).any()):
        raise ConfigError(name="segments", expected=f"a number from 0 for each of {lists} lists", found=segments)
    return numbers


def _texts(words: tuple[str, ...], starts: npt.NDArray[np.uint64], items: npt.NDArray[np.int32]) -> list[str]:
    tokens = [words[item] for item in items.tolist()]
    bounds = starts.tolist()
    return [" ".join(tokens[start:end]) for start, end in itertools.pairwise(bounds)]


def _dense(features: SparseFeatures) -> npt.NDArray[np.float64]:
    edges = len(features.starts) - 1
    rows = np.repeat(np.arange(edges), np.diff(features.starts).astype(np.int64))
    dense = np.zeros((edges, len(features.names)))
    # A feature may stand in a row more than once.
    np.add.at(dense, (rows, features.ids), features.values)
    return dense


def _sums(
    features: SparseFeatures, starts: npt.NDArray[np.uint64], edges: npt.NDArray[np.uint32]
) -> npt.NDArray[np.float64]:
    """Return the sums of the features of each derivation, in the order of its edges."""
    counts = np.diff(starts).astype(np.int64)
    derivations = np.repeat(np.arange(len(counts)), counts)
    lengths = np.diff(features.starts).astype(np.int64)[edges]
    ends = np.cumsum(lengths)
    places = np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(
        features.starts[:-1].astype(np.int64)[edges] - (ends - lengths), lengths
    )
    width = len(features.names)
    cells = np.repeat(derivations, lengths) * width + features.ids[places]
    sums = np.bincount(cells, weights=features.values[places], minlength=len(counts) * width)
    return sums.astype(np.float64, copy=False).reshape(len(counts), width)


def moses_feature_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names that Moses' extractor gives to the features of n-best lists.

    Moses numbers the values of a label from 0, also where there is one.

    Parameters
    ----------
    names : sequence of str
        As `NbestLists.read` gives them: ``Label_1``, ``Label_2`` .. for a label with several values, else ``Label``.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> moses_feature_names(["d_1", "d_2", "lm"])
    ('d_0', 'd_1', 'lm_0')
    """
    given = list(names)
    renamed: list[str] = []
    while len(renamed) < len(given):
        start = len(renamed)
        label = given[start].removesuffix("_1")
        count = 0
        while start + count < len(given) and given[start + count] == f"{label}_{count + 1}":
            count += 1
        if count > 1:
            renamed.extend(f"{label}_{k}" for k in range(count))
        else:
            renamed.append(f"{given[start]}_0")
    return tuple(renamed)
