"""What MERT is run on: n-best lists with their statistics, or forests with references."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from plait import _core
from plait.errors import ConfigError, DataError
from plait.hypergraph.features import edge_values
from plait.hypergraph.forest import Forest, shared_names
from plait.minrisk.bleu import (
    Line,
    ReferenceLength,
    Smoothing,
    bleu,
    bleu_statistics,
    line_text,
    sentence_bleu,
)
from plait.minrisk.error_surface import ErrorSurface, smoothing_of
from plait.minrisk.list_statistics import distinct, merged_statistics, with_empty
from plait.minrisk.nbest_lists import NbestLists
from plait.minrisk.statistics_files import Statistics, read_statistics, write_statistics
from plait.threads import resolve_threads

__all__ = ["MertProblem"]

References = Iterable[Iterable[Line | None]]


class MertProblem:
    """The translations of a corpus, among which weights choose the best of each segment; frozen.

    Made by `from_lists`, `from_forests` or `from_statistics`.

    Attributes
    ----------
    feature_names : tuple of str
        The name of each feature, in the order of weights.
    statistics : Statistics or None
        The features and statistics of all hypotheses; None for forests.
    has_base : bool
        Whether forests have scores that no weight changes: then multiples of weights are other weights.

    Examples
    --------
    Two segments with two translations each, and one feature:

    >>> from plait.minrisk import MertProblem, NbestLists
    >>> import numpy as np
    >>> lists = NbestLists(
    ...     ("lm",), np.array([0, 1]), np.array([0, 2, 4], np.uint64), np.array([[-1.0], [-2.0], [-3.0], [-1.0]]),
    ...     ("the cat sat down", "a cat", "there it sat still", "it sat"),
    ... )
    >>> problem = MertProblem.from_lists(lists, [["the cat sat down", "there it sat still"]])
    >>> problem.line([0.0], [1.0]).breakpoints.tolist()
    [0.0]
    >>> round(problem.bleu([1.0]), 6), round(problem.bleu([-1.0]), 6)
    (0.716531, 0.637096)
    """

    def __init__(
        self,
        core: _core.MertProblem,
        feature_names: tuple[str, ...],
        statistics: Statistics | None,
        has_base: bool = False,
    ) -> None:
        self._core = core
        self.feature_names = feature_names
        self.statistics = statistics
        self.has_base = has_base

    def __repr__(self) -> str:
        if self.statistics is None:
            return f"MertProblem(forests, {len(self.feature_names)} features)"
        lists, hypotheses = len(self.statistics.segments), len(self.statistics.features)
        return f"MertProblem({lists} lists, {hypotheses} hypotheses, {len(self.feature_names)} features)"

    @classmethod
    def from_arrays(cls, statistics: Statistics) -> Self:
        """Take features and statistics as arrays.

        Raises
        ------
        DataError
            Arrays do not fit each other; a feature is not finite or above 1e30 in size; a statistic is negative.
        """
        found = Statistics(
            statistics.feature_names,
            np.ascontiguousarray(statistics.segments, np.uint64),
            np.ascontiguousarray(statistics.starts, np.uint64),
            np.ascontiguousarray(statistics.features, np.float64),
            np.ascontiguousarray(statistics.statistics, np.int64),
        )
        if found.features.ndim != 2 or found.features.shape[1] != len(found.feature_names):
            raise DataError(f"features must be rows of {len(found.feature_names)}; found shape {found.features.shape}")
        if found.statistics.ndim != 2 or len(found.starts) != len(found.segments) + 1:
            raise DataError("statistics must be rows, and starts one more than segments")
        core = _core.MertProblem.lists(found.starts, found.features, found.statistics)
        return cls(core, found.feature_names, found)

    @classmethod
    def from_statistics(cls, features: Any, scores: Any) -> Self:
        """Read the statistics files of Moses.

        Parameters
        ----------
        features, scores
            FEATSTAT and SCORESTAT in text form, plain or compressed: see `plait.minrisk.read_statistics`.

        Raises
        ------
        plait.errors.TextError, DataError
            A file does not fit its format, or they are not of the same lists.
        """
        return cls.from_arrays(read_statistics(features, scores))

    @classmethod
    def from_lists(
        cls,
        lists: NbestLists,
        references: References,
        *,
        order: int = 4,
        reference_length: ReferenceLength = "closest",
        keeps_duplicates: bool = False,
        threads: int | None = None,
    ) -> Self:
        """Take n-best lists and references: what Moses' extractor does.

        Parameters
        ----------
        lists : NbestLists
            The translations.
        references : iterable of streams
            Each stream has one line for each segment, as for `plait.minrisk.bleu_statistics`.
        order, reference_length
            As for `plait.minrisk.bleu_statistics`.
        keeps_duplicates : bool
            Keep translations whose features are all equal to those of one before in the list. They score the same
            under all weights, and the first of equal ones is the best.
        threads : int, optional
            All CPUs by default.

        Returns
        -------
        MertProblem
            A segment without translations has the empty one, without features. When duplicates go, the last
            translation takes the place of each: the order of Moses' files.

        Raises
        ------
        UnequalLengthError, DataError, ConfigError
            As for `plait.minrisk.bleu_statistics`; a list is of a segment without references.
        """
        streams = [list(stream) for stream in references]
        lists = with_empty(lists, max(map(len, streams), default=0))
        rows = np.repeat(lists.segments, np.diff(lists.starts).astype(np.int64))
        statistics = Statistics(
            lists.feature_names,
            lists.segments.astype(np.uint64),
            lists.starts,
            np.ascontiguousarray(lists.features, np.float64),
            bleu_statistics(
                lists.texts,
                streams,
                order=order,
                reference_length=reference_length,
                segments=rows,
                threads=threads,
            ),
        )
        return cls.from_arrays(statistics if keeps_duplicates else distinct(statistics))

    @classmethod
    def from_forests(
        cls,
        forests: Sequence[Forest],
        references: References,
        *,
        base: Sequence[npt.ArrayLike] | None = None,
        order: int = 4,
        reference_length: ReferenceLength = "closest",
    ) -> Self:
        """Take forests and references.

        Parameters
        ----------
        forests : sequence of Forest
            One for each segment, acyclic. The weights of their edges are not used.
        references : iterable of streams
            Each stream has one line for each forest, as for `plait.minrisk.bleu_statistics`.
        base : sequence of array_like of float64, shape (edges,), optional
            Scores of the edges of each forest that no weight changes; -inf is an edge that is not there.
        order, reference_length
            As for `plait.minrisk.bleu_statistics`.

        Returns
        -------
        MertProblem
            With the features of all forests. A forest without derivations stands for the empty translation.

        Raises
        ------
        CycleError
            A forest has a cycle.
        UnequalLengthError, DataError, ConfigError
            As for `plait.minrisk.bleu_statistics`; a feature or a base score is not finite or above 1e30 in size.
        """
        forests = shared_names(forests)
        streams = [list(stream) for stream in references]
        # Checks them, and that every forest has one.
        bleu_statistics([""] * len(forests), streams, order=order, reference_length=reference_length)
        if base is not None and len(base) != len(forests):
            raise DataError(f"base must be an array for each of {len(forests)} forests; found {len(base)}")
        names = forests[0].features.names if forests else ()
        ids = {word: n for n, word in enumerate(forests[0].words)} if forests else {}
        arguments = []
        for number, forest in enumerate(forests):
            starts, items = forest.yields.arrays
            lines = [stream[number] for stream in streams]
            arguments.append(
                {
                    "graph": forest.graph._core,
                    "feature_starts": np.ascontiguousarray(forest.features.starts, np.uint64),
                    "feature_ids": np.ascontiguousarray(forest.features.ids, np.uint32),
                    "feature_values": np.ascontiguousarray(forest.features.values, np.float64),
                    "base": None if base is None else edge_values(base[number], forest.edges, f"base[{number}]"),
                    "item_starts": starts,
                    "items": items,
                    "references": [_numbered(line, ids, number) for line in lines if line is not None],
                }
            )
        core = _core.MertProblem.forests(arguments, features=len(names), order=order, reference_length=reference_length)
        return cls(core, names, None, base is not None)

    def write_statistics(self, features: Any, scores: Any, *, force: bool = False) -> None:
        """Write the statistics files of Moses: see `plait.minrisk.write_statistics`.

        Raises
        ------
        ConfigError
            The problem has forests; or a file exists, and ``force`` is false.
        """
        write_statistics(self._lists("written"), features, scores, force=force)

    def renamed(self, names: Sequence[str]) -> Self:
        """Return the problem with other names of its features: those of `moses_feature_names`, for Moses' files."""
        if len(names) != len(self.feature_names) or len(set(names)) != len(names):
            raise ConfigError(
                name="names", expected=f"a name for each of {len(self.feature_names)} features", found=len(names)
            )
        old, new = self.statistics, tuple(names)
        renamed = None if old is None else Statistics(new, old.segments, old.starts, old.features, old.statistics)
        return type(self)(self._core, new, renamed, self.has_base)

    def accumulate(self, other: MertProblem, *, keeps_duplicates: bool = False) -> Self:
        """Return the problem with the hypotheses of another one added: the next round of n-best lists.

        Parameters
        ----------
        other : MertProblem
            Of lists, as this one, with statistics of the same order. Its segments may be others; a feature that one
            of them does not have is 0 there.
        keeps_duplicates : bool
            As for `from_lists`.

        Returns
        -------
        MertProblem
            Of each segment, the hypotheses of this problem come first: of equal ones, the oldest is the best.

        Raises
        ------
        ConfigError
            One of them has forests.
        DataError
            The statistics are of another order.
        """
        old, new = self._lists("accumulated"), other._lists("accumulated")
        if old.statistics.shape[1] != new.statistics.shape[1]:
            raise DataError(
                f"statistics must be of one order; found rows of {old.statistics.shape[1]} and of "
                f"{new.statistics.shape[1]} numbers"
            )
        merged = merged_statistics(old, new)
        return self.from_arrays(merged if keeps_duplicates else distinct(merged))

    def evaluate(
        self, weights: npt.ArrayLike | Mapping[str, float], *, threads: int | None = None
    ) -> npt.NDArray[np.int64]:
        """Return the statistics of the corpus of the best translations.

        Parameters
        ----------
        weights : array_like of float64, shape (features,), or mapping of str to float
            In a mapping, a feature that is not there weighs 0.
        threads : int, optional
            All CPUs by default. The result is the same for any number.

        Returns
        -------
        ndarray of int64, shape (2 order + 1,)
            Of translations that score the same, the first is the best.

        Raises
        ------
        ConfigError
            There are not as many weights as features, one is not finite or above 1e30 in size, or a mapping has a
            feature that the problem has not.
        """
        return self._core.evaluate(self.vector(weights), resolve_threads(threads))

    def bleu(self, weights: npt.ArrayLike | Mapping[str, float], *, threads: int | None = None) -> float:
        """Return the BLEU of the best translations, from 0 to 1; see `evaluate`."""
        return bleu(self.evaluate(weights, threads=threads))

    def line(
        self,
        weights: npt.ArrayLike | Mapping[str, float],
        direction: npt.ArrayLike | Mapping[str, float],
        *,
        smoothing: Smoothing = "none",
        value: float | None = None,
        threads: int | None = None,
    ) -> ErrorSurface:
        """Return the statistics of the corpus for all points of a line, exactly.

        Parameters
        ----------
        weights, direction : array_like of float64, shape (features,), or mapping of str to float
            The line is ``weights + x * direction``.
        smoothing, value
            Of BLEU, as for `plait.minrisk.bleu`.
        threads : int, optional
            All CPUs by default. The result is the same for any number.

        Returns
        -------
        ErrorSurface
            Neighbouring pieces that are equally good are one piece; of pieces that are equally good, the best one is
            that with 0 inside, else the widest. Its point is in the middle; a piece without an end is cut where it is
            as wide as the weights are long, in units of the direction, or as its end is far from 0.

        Raises
        ------
        ConfigError
            As for `evaluate`.

        Notes
        -----
        Och (2003), section 5; on forests Macherey et al. (2008) and Kumar et al. (2009). O(hypotheses) or O(lines of
        all nodes), and O(n log n) for n breakpoints.
        """
        points, found, best = self._core.line(
            self.vector(weights),
            self.vector(direction, "direction"),
            smoothing_of(smoothing, value),
            resolve_threads(threads),
        )
        scores = sentence_bleu(found, smoothing=smoothing, value=value, effective_order=False)
        return ErrorSurface(points, found, scores, *(best if best is not None else (float("nan"), 0.0, 0.0)))

    def vector(self, weights: npt.ArrayLike | Mapping[str, float], name: str = "weights") -> npt.NDArray[np.float64]:
        """Return a weight for each feature."""
        if isinstance(weights, Mapping):
            known = set(self.feature_names)
            for feature in weights:
                if feature not in known:
                    raise ConfigError(name=name, expected="of features that there are", found=repr(feature))
            weights = [weights.get(feature, 0.0) for feature in self.feature_names]
        vector = np.ascontiguousarray(weights, np.float64)
        if vector.ndim != 1:
            raise ConfigError(name=name, expected="one number for each feature", found=f"shape {vector.shape}")
        return vector

    def _lists(self, purpose: str) -> Statistics:
        if self.statistics is None:
            raise ConfigError(
                f"only lists can be {purpose}, and the problem has forests; take lists with NbestLists.kbest"
            )
        return self.statistics


def _numbered(line: Line, ids: Mapping[str, int], number: int) -> npt.NDArray[np.uint32]:
    """Return the numbers of the words of a reference; words that no forest has share one."""
    tokens = line_text(line, "reference of forest", number).replace("\t", " ").split(" ")
    return np.array([ids.get(token, len(ids)) for token in tokens if token], np.uint32)
