"""Numbers of the features of many forests."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from plait.errors import DataError
from plait.hypergraph.features import SparseFeatures
from plait.minrisk.feature_rows import without_negative

__all__ = ["FeatureIndex"]


class FeatureIndex:
    """The names of the features of many forests, each with one number.

    Numbers are dense and given in the order in which names come, so that the same forests in the same order give the
    same numbers. A growing index takes up what it does not know; a frozen one has no number for it, and features
    without a number are left out: their weight is 0.

    Parameters
    ----------
    names : iterable of str
        The first names, each once.
    is_frozen : bool
        Whether no more names are taken up.

    Raises
    ------
    DataError
        A name is there twice.

    Examples
    --------
    >>> from plait.minrisk import FeatureIndex
    >>> index = FeatureIndex(["LanguageModel"])
    >>> index.ids(["WordPenalty", "LanguageModel"]).tolist()
    [1, 0]
    >>> index.frozen().ids(["Unknown"]).tolist()
    [-1]
    """

    def __init__(self, names: Iterable[str] = (), *, is_frozen: bool = False) -> None:
        self._ids: dict[str, int] = {}
        for name in names:
            if name in self._ids:
                raise DataError(f"the feature {name!r} must not be there twice")
            self._ids[name] = len(self._ids)
        self._is_frozen = is_frozen
        self._names = tuple(self._ids)
        # The forests of a file share their names; most names of a large file are not in most of its forests.
        self._last: tuple[str, ...] = ()
        self._last_ids = np.empty(0, np.int64)

    @property
    def is_frozen(self) -> bool:
        """Whether no more names are taken up."""
        return self._is_frozen

    @property
    def names(self) -> tuple[str, ...]:
        """The names by number."""
        if len(self._names) != len(self._ids):
            self._names = tuple(self._ids)
        return self._names

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, name: object) -> bool:
        return name in self._ids

    def __repr__(self) -> str:
        return f"FeatureIndex({len(self)} names{', frozen' if self.is_frozen else ''})"

    def frozen(self) -> FeatureIndex:
        """Return an index with the names of this one that takes up no more."""
        return FeatureIndex(self._ids, is_frozen=True)

    def ids(self, names: Iterable[str]) -> npt.NDArray[np.int64]:
        """Return the numbers of names; -1 for those that a frozen index does not know."""
        if self.is_frozen:
            return np.array([self._ids.get(name, -1) for name in names], np.int64)
        return np.array([self._ids.setdefault(name, len(self._ids)) for name in names], np.int64)

    def renumber(self, features: SparseFeatures) -> SparseFeatures:
        """Return the features of a forest under the numbers of this index.

        Parameters
        ----------
        features : SparseFeatures
            Names that no edge has are not taken up.

        Returns
        -------
        SparseFeatures
            With `names`; without the features that a frozen index does not know. O(features of the forest) beyond the
            first forest of a file.
        """
        if features.names is not self._last:
            self._last = features.names
            self._last_ids = np.full(len(features.names), -2, np.int64)
        used = np.zeros(len(features.names), np.bool_)
        used[features.ids] = True
        new = np.flatnonzero(used & (self._last_ids == -2))
        self._last_ids[new] = self.ids(features.names[n] for n in new.tolist())
        ids = self._last_ids[features.ids]
        if (ids >= 0).all():
            return SparseFeatures(features.starts, ids.astype(np.uint32), features.values, self.names)
        return without_negative(features.starts, ids, features.values, self.names)
