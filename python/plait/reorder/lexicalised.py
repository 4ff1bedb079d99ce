"""The lexicalised reordering model: smoothed relative frequencies of each phrase pair."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from plait.errors import ConfigError, DataError
from plait.models import pack_words, unpack_words
from plait.reorder.classifier import Classifier, Labelled, check_two
from plait.reorder.examples import Examples
from plait.reorder.rows import Rows
from plait.reorder.tally import ExampleCounts

__all__ = ["Lexicalised"]

_Key = str | tuple[bytes, bytes]

# Examples that are counted at a time.
_BLOCK = 1 << 18


class Lexicalised(Classifier):
    r"""The orientation of a phrase pair by how often it had which in training, smoothed, as in Moses (eq. 3 and 4).

    :math:`p(o \mid f, e) = (c(f, e, o) + s_o) / \sum_{o'} (c(f, e, o') + s_{o'})`. The phrase pair is what an example
    is looked up by; `Examples` must have kept them (``pairs=True``). Of other data, each different row of features is
    a phrase pair.

    Parameters
    ----------
    smoothing
        What is added to counts: :math:`s_o` is ``smoothing`` for each class.
    proportional
        Add ``smoothing`` times the share of the class in all of training instead, (C_o + 0.1) / sum over classes:
        what Moses calls smoothing with counts.

    Attributes
    ----------
    classes_, n_features_in_, vocabulary_
        See `Classifier`.
    class_count_ : int64[K]
        Examples of each class.
    pair_count_ : int64[pairs, K]
        How often each phrase pair had each class.

    Notes
    -----
    A phrase pair that training has not seen gets the shares of the classes in training.

    Examples
    --------
    >>> from plait.reorder import Lexicalised
    >>> model = Lexicalised().fit([[1, 0], [1, 0], [0, 1]], ["mono", "mono", "swap"])
    >>> model.predict_proba([[1, 0], [0, 1]]).round(3)
    array([[0.833, 0.167],
           [0.25 , 0.75 ]])
    """

    class_count_: npt.NDArray[np.int64]
    pair_count_: npt.NDArray[np.int64]
    _seen: _Pairs

    def __init__(self, smoothing: float = 0.5, *, proportional: bool = False) -> None:
        self.smoothing = smoothing
        self.proportional = proportional

    def fit(self, X: Any, y: Any = None) -> Self:
        """Count examples; parameters and errors are those of `NaiveBayes.fit`, values may be negative."""
        self._check_parameters()
        if isinstance(X, ExampleCounts):
            return self._take(X)
        return self._fit_checked(X, self._labelled(X, y))

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None) -> Self:
        """Count more examples; parameters and errors are those of `NaiveBayes.partial_fit`."""
        self._check_parameters()
        names = self._named(X, classes)
        data = self._labelled(X, y, names)
        if not hasattr(self, "classes_"):
            self._learns_of(X, data.rows.columns)
            self.classes_ = names
            self._remember(())
            self.pair_count_ = np.zeros((0, len(names)), dtype=np.int64)
        self._fitting(data.rows)
        self._count(X, data)
        return self

    def predict_log_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the logarithm of the probability of each class: float64[n, K].

        Parameters
        ----------
        X
            `Examples` with their phrase pairs, a SciPy sparse matrix, or an array.

        Raises
        ------
        plait.errors.DataError
            The examples have not kept their phrase pairs; or the model is not trained.
        """
        found, pair_of_row = self.counts_by_example(X, self._checked(X))
        counts = found + self._smoothing()
        unseen = found.sum(axis=1) == 0
        counts[unseen] = self.class_count_
        with np.errstate(divide="ignore"):
            logs: npt.NDArray[np.float64] = np.log(counts / counts.sum(axis=1, keepdims=True))
        return logs[pair_of_row]

    def counts_by_example(self, X: Any, rows: Rows) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint32]]:
        """Return how often each phrase pair of X had each class in training, int64[pairs, K], and that of each example.

        Parameters
        ----------
        X
            As for `predict_log_proba`.
        rows
            Its rows.

        Raises
        ------
        plait.errors.DataError
            The examples have not kept their phrase pairs.
        """
        keys, pair_of_row = _keys(X, rows)
        if self._seen.are(keys):
            return self.pair_count_, pair_of_row
        places = np.array([self._places.get(key, -1) for key in keys], dtype=np.int64)
        known = places >= 0
        counts = np.zeros((len(keys), len(self.classes_)), dtype=np.int64)
        counts[known] = self.pair_count_[places[known]]
        return counts, pair_of_row

    def _fit_checked(self, X: Any, data: Labelled) -> Self:
        """Count the examples X, whose rows and classes were checked."""
        self._learns_of(X, data.rows.columns)
        self.classes_ = data.classes
        self._remember(())
        self.pair_count_ = np.zeros((0, len(data.classes)), dtype=np.int64)
        self._count(X, data)
        return self

    def _checked(self, X: Any) -> Rows:
        """Return rows; phrase pairs are looked up by name, whatever features their examples have."""
        if isinstance(X, Examples) and X.pairs is not None and hasattr(self, "classes_"):
            return X.rows
        return super()._checked(X)

    def _check_parameters(self) -> None:
        if not (isinstance(self.smoothing, int | float) and 0 <= self.smoothing < float("inf")):
            raise ConfigError(name="smoothing", expected="a finite number of at least 0", found=repr(self.smoothing))

    def _smoothing(self) -> npt.NDArray[np.float64]:
        if not self.proportional:
            return np.full(len(self.classes_), float(self.smoothing))
        raised = self.class_count_ + 0.1
        shares: npt.NDArray[np.float64] = self.smoothing * raised / raised.sum()
        return shares

    def _take(self, counts: ExampleCounts) -> Self:
        """Learn from counts that were made already."""
        if counts.pairs is None or counts.pair_count is None:
            raise DataError("the lexicalised model needs the phrase pairs of examples; read them with pairs=True")
        names = np.asarray(counts.classes)
        check_two(names)
        self._learns_of(counts, counts.columns)
        self.classes_ = names
        self._remember(counts.pairs)
        self.pair_count_ = counts.pair_count
        self.class_count_ = counts.pair_count.sum(axis=0)
        return self

    def _count(self, X: Any, data: Labelled) -> None:
        keys, pair_of_row = _keys(X, data.rows)
        k = len(self.classes_)
        fresh = np.zeros((len(keys), k), dtype=np.int64)
        for start in range(0, len(data.labels), _BLOCK):
            block = slice(start, start + _BLOCK)
            np.add.at(fresh, (pair_of_row[block], data.labels[block]), 1)
        if len(self._seen) or not _are_distinct(keys):
            places = self._places
            where = np.array([places.setdefault(key, len(places)) for key in keys], dtype=np.int64)
            counts = np.zeros((len(places), k), dtype=np.int64)
            counts[: len(self.pair_count_)] = self.pair_count_
            # Of `Examples` that somebody has made, a pair may have several numbers.
            np.add.at(counts, where, fresh)
            self._remember(tuple(places))
            # Made already: parts of a corpus come one after the other.
            self._seen.places = places
        else:
            self._remember(keys)
            counts = fresh
        self.pair_count_ = counts
        self.class_count_ = counts.sum(axis=0)

    def _remember(self, pairs: tuple[_Key, ...]) -> None:
        """Take the phrase pairs that counts are for, each different from the others."""
        self._seen = _Pairs(pairs)

    @property
    def _places(self) -> dict[_Key, int]:
        """The place of each phrase pair."""
        return self._seen.places


class _Pairs:
    """Phrase pairs, and where each is: looking up does not change the model that has them.

    Parameters
    ----------
    keys
        The pairs, each different from the others.
    """

    def __init__(self, keys: tuple[_Key, ...]) -> None:
        self._keys: tuple[_Key, ...] | None = keys
        self._words = np.zeros(0, dtype=np.uint8)
        self._offsets = np.zeros(1, dtype=np.uint64)

    def __len__(self) -> int:
        return len(self._offsets) - 1 if self._keys is None else len(self._keys)

    @property
    def keys(self) -> tuple[_Key, ...]:
        """The pairs; made anew each time once they are packed."""
        if self._keys is not None:
            return self._keys
        return tuple(word.decode() for word in unpack_words(self._words, self._offsets))

    @cached_property
    def places(self) -> dict[_Key, int]:
        """The place of each pair; made when asked for, as it takes more memory than all counts."""
        return {key: n for n, key in enumerate(self.keys)}

    def are(self, keys: tuple[_Key, ...]) -> bool:
        """Return whether these keys, the object itself, are the pairs."""
        return keys is self._keys

    def pack(self) -> None:
        """Keep pairs that are texts as bytes end to end: a third of the memory, for who frees the texts."""
        if self._keys is None or not all(isinstance(key, str) for key in self._keys):
            return
        blocks = [self._keys[start : start + _BLOCK] for start in range(0, len(self._keys), _BLOCK)]
        packed = [pack_words(str(key) for key in block) for block in blocks]
        lengths = [np.diff(offsets) for _, offsets in packed]
        self._offsets = np.concatenate([[0], *lengths]).astype(np.uint64).cumsum(dtype=np.uint64)
        self._words = np.concatenate([np.zeros(0, dtype=np.uint8), *(words for words, _ in packed)])
        self._keys = None

    def packed(self) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint64]]:
        """Return the pairs as `plait.models.pack_words` packs them."""
        if self._keys is None:
            return self._words, self._offsets
        return pack_words(str(key) for key in self._keys)


def _are_distinct(keys: tuple[_Key, ...]) -> bool:
    """Return whether no key is there twice, without a set of millions if hashes tell."""
    hashes = np.fromiter(map(hash, keys), dtype=np.int64, count=len(keys))
    hashes.sort()
    return not (hashes[1:] == hashes[:-1]).any() or len(set(keys)) == len(keys)


def _keys(X: Any, rows: Rows) -> tuple[tuple[_Key, ...], npt.NDArray[np.uint32]]:
    """Return what stands for each different phrase pair, and that of each example."""
    if isinstance(X, Examples):
        if X.pairs is None or X.pair_of_row is None:
            raise DataError("the lexicalised model needs the phrase pairs of examples; read them with pairs=True")
        return X.pairs, X.pair_of_row
    # Parts of the data may be held in different ways; what stands for a row must not depend on that.
    full = rows.with_values()
    assert full.values is not None
    places: dict[_Key, int] = {}
    ends = full.offsets.tolist()
    pair_of_row = np.empty(len(rows), dtype=np.uint32)
    for n in range(len(rows)):
        entries = slice(ends[n], ends[n + 1])
        key = (full.features[entries].tobytes(), full.values[entries].tobytes())
        pair_of_row[n] = places.setdefault(key, len(places))
    return tuple(places), pair_of_row
