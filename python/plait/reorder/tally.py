"""Counts of lines of examples, in one pass that keeps no rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from plait import _core
from plait.errors import ConfigError, DataError, TextError
from plait.io.streams import Path, display_name, read_blocks
from plait.progress import Callback

__all__ = ["ExampleCounts"]


@dataclass(frozen=True, eq=False, repr=False)
class ExampleCounts:
    r"""How often each feature, and each phrase pair, had each class. Immutable.

    All that `NaiveBayes`, `Lexicalised` and `mutual_information` learn from: they take these counts in place of
    `Examples`, to the same bits, and a file of examples may be larger than memory.

    Attributes
    ----------
    counts
        Counts of features, as the core holds them.
    vocabulary, classes, identity, dropped
        As those of `Examples`.
    examples
        Number of examples.
    pairs
        Different phrase pairs, ``source ||| target``; None when they were not counted.
    pair_count : int64[pairs, K]
        How often each phrase pair had each class; None when they were not counted.

    Examples
    --------
    >>> from plait.reorder import ExampleCounts, NaiveBayes
    >>> lines = b"a ||| x ||| mono ||| f g\nb ||| y ||| swap ||| g\n"
    >>> counts = ExampleCounts.from_blocks([lines * 3], threshold=0)
    >>> counts
    ExampleCounts(6 phrase pairs, 2 features, classes mono swap)
    >>> NaiveBayes().fit(counts).feature_count_
    array([[3., 3.],
           [3., 0.]])
    """

    counts: _core.FeatureCounts
    vocabulary: tuple[str, ...]
    classes: tuple[str, ...]
    examples: int
    pairs: tuple[str, ...] | None = None
    pair_count: npt.NDArray[np.int64] | None = None
    identity: bool = False
    dropped: int = 0

    @classmethod
    def read(
        cls,
        path: Path,
        *,
        threshold: int = 10,
        identity: bool = False,
        pairs: bool = False,
        values: bool = False,
        progress: Callback | None = None,
    ) -> Self:
        """Count lines ``source ||| target ||| class ||| features``.

        Parameters
        ----------
        path, threshold, identity
            As for `Examples.read`.
        pairs
            Whether phrase pairs are counted, as `Lexicalised` needs it.
        values
            Whether it is counted how often a feature comes in an example, as `mutual_information` needs it.
        progress
            Hears how much of the file is read, in MiB.

        Raises
        ------
        plait.errors.TextError
            A line does not fit; the message names file, line and column.
        plait.errors.DataError
            There is no example, or one has no class; compressed data is damaged.
        plait.errors.ConfigError
            The threshold is negative.
        OSError
            The file cannot be opened or read.

        Notes
        -----
        Time is linear in the bytes. Memory: a block of the file and, for each different feature, its name and 8 K bytes
        (16 K with ``values``), rare ones included; the same for each phrase pair with ``pairs``. It does not grow with
        the number of examples.
        """
        name = display_name(path)
        try:
            return cls.from_blocks(
                read_blocks(path, progress=progress),
                threshold=threshold,
                identity=identity,
                pairs=pairs,
                values=values,
            )
        except TextError as problem:
            raise problem.at(name) from None
        except DataError as problem:
            raise DataError(f"{name}: {problem}") from None

    @classmethod
    def from_blocks(
        cls,
        blocks: Iterable[bytes],
        *,
        threshold: int = 10,
        identity: bool = False,
        pairs: bool = False,
        values: bool = False,
    ) -> Self:
        """Count lines from blocks of bytes, as `read` does.

        Raises
        ------
        plait.errors.TextError, plait.errors.DataError, plait.errors.ConfigError
            As `read`, without the name of a file.
        """
        if threshold < 0:
            raise ConfigError(name="threshold", expected="at least 0", found=threshold)
        tally = _core.ExampleTally(least_count=threshold + 1, identity=identity, pairs=pairs, values=values)
        for block in blocks:
            tally.feed(block)
        found = tally.finish()
        if not found["examples"]:
            raise DataError("there is no example; check that it is the right file, and that the text has links")
        unknown, first = found["unknown"]
        if unknown:
            raise DataError(
                f"example {first} has no class, as {unknown} of {found['examples']}; give each a class instead of ?"
            )
        names, pair_count = found["pairs"] or (None, None)
        return cls(
            counts=found["counts"],
            vocabulary=tuple(found["vocabulary"]),
            classes=tuple(found["classes"]),
            examples=found["examples"],
            pairs=None if names is None else tuple(names),
            pair_count=None if pair_count is None else pair_count.astype(np.int64),
            identity=identity,
            dropped=found["dropped"],
        )

    def select(self, features: npt.ArrayLike) -> ExampleCounts:
        """Return the counts of some features; parameters are those of `Examples.select`."""
        kept = np.asarray(features)
        kept = np.flatnonzero(kept) if kept.dtype == np.bool_ else np.sort(kept)
        return ExampleCounts(
            self.counts.selected(kept.astype(np.int64), values=True),
            tuple(self.vocabulary[n] for n in kept.tolist()),
            self.classes,
            self.examples,
            self.pairs,
            self.pair_count,
            self.identity,
            self.dropped + len(self.vocabulary) - len(kept),
        )

    @property
    def columns(self) -> int:
        """Number of features."""
        return len(self.vocabulary)

    def sums(self) -> _core.FeatureCounts:
        """Return the counts without those of values, as naive Bayes holds them."""
        return self.counts.selected(np.arange(self.columns, dtype=np.int64), values=False)

    def __len__(self) -> int:
        """Return the number of examples."""
        return self.examples

    def __repr__(self) -> str:
        return f"ExampleCounts({self.examples} phrase pairs, {self.columns} features, classes {' '.join(self.classes)})"
