"""Examples of orientations: from a corpus with links, or from lines of text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self, TypedDict, Unpack

import numpy as np
import numpy.typing as npt

from plait import _core
from plait.alignments import Alignments
from plait.bitext import Bitext
from plait.errors import ConfigError, DataError, TextError
from plait.io.atomic import OutputFile
from plait.io.streams import Path, display_name, read_blocks
from plait.progress import Callback
from plait.reorder.rows import Rows
from plait.threads import resolve_threads

__all__ = ["UNKNOWN", "ExampleOptions", "Examples", "example_blocks", "write_examples"]

UNKNOWN = 2**32 - 1
"""The label of an example whose class is not known."""

# Sentence pairs whose lines are in memory at a time.
_PAIRS_PER_BLOCK = 4096


class ExampleOptions(TypedDict, total=False):
    """What makes an example of a phrase pair.

    Attributes
    ----------
    max_length
        Longest side of a phrase pair, in words (default 7).
    model
        By what a phrase pair's neighbour is told: links ("wbe"), phrase pairs ("phrase"), or blocks of any length
        ("hier", the default).
    classes
        "msd" (the default): mono, swap, other; "mslr": mono, swap, dleft, dright; "monotonicity": mono, nomono.
    direction
        The orientation to the previous phrase of the target ("backward", the default) or to the next one ("forward").
    window
        Source words on each side that are features (default 1).
    marks_sides
        Whether words left and right, and at each distance, are different features (default False, as in the papers).
    compat
        "strict" (the default) or "moses": the definitions of Moses' extract, which differ for "forward".
    """

    max_length: int
    model: Literal["wbe", "phrase", "hier"]
    classes: Literal["msd", "mslr", "monotonicity"]
    direction: Literal["backward", "forward"]
    window: int
    marks_sides: bool
    compat: Literal["strict", "moses"]


@dataclass(frozen=True, eq=False, repr=False)
class Examples:
    """Examples: sparse rows of features, the class of each, and, when kept, its phrase pair. Immutable.

    Attributes
    ----------
    rows
        The features.
    vocabulary
        The name of each feature.
    labels : uint32[n]
        The class of each example, an index of `classes`; ``2**32 - 1`` where it is not known.
    classes
        The names of the classes.
    pairs
        Different phrase pairs, ``source ||| target``; None when they were not kept.
    pair_of_row : uint32[n]
        The phrase pair of each example; empty when they were not kept.
    identity
        Whether the phrase pair is a feature.
    dropped
        Features that were left out, for being rare (different ones) or unknown to a model (occurrences).
    """

    rows: Rows
    vocabulary: tuple[str, ...]
    labels: npt.NDArray[np.uint32]
    classes: tuple[str, ...]
    pairs: tuple[str, ...] | None = None
    pair_of_row: npt.NDArray[np.uint32] | None = None
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
        vocabulary: Sequence[str] | None = None,
        classes: Sequence[str] | None = None,
        progress: Callback | None = None,
    ) -> Self:
        """Read lines ``source ||| target ||| class ||| features``.

        Parameters
        ----------
        path
            A file, "-" for standard input; compressed files are recognised by content.
        threshold
            Features that occur so often or less are dropped, as in the papers.
        identity
            Whether the phrase pair is a feature too.
        pairs
            Whether the phrase pair of each example is kept, as `Lexicalised` and `reordering_table` need it.
        vocabulary, classes
            The features and classes of a model, both or none: other features are dropped and other classes refused.
        progress
            Hears how much of the file is read, in MiB.

        Raises
        ------
        plait.errors.TextError
            A line does not fit, or has a class that the model does not know; the message names file, line and column.
        plait.errors.DataError
            There is no example; compressed data is damaged.
        OSError
            The file cannot be opened or read.

        Notes
        -----
        Time is linear in the bytes, about 0.25 s per million entries; memory is 4 bytes an entry, 12 an example, and
        the different features, before rare ones are dropped.
        """
        name = display_name(path)
        try:
            return cls.from_blocks(
                read_blocks(path, progress=progress),
                threshold=threshold,
                identity=identity,
                pairs=pairs,
                vocabulary=vocabulary,
                classes=classes,
            )
        except TextError as problem:
            raise problem.at(name) from None
        except DataError as problem:
            raise DataError(f"{name}: {problem}") from None

    @classmethod
    def from_bitext(
        cls,
        bitext: Bitext,
        alignments: Alignments,
        *,
        threshold: int = 10,
        identity: bool = False,
        pairs: bool = False,
        threads: int | None = None,
        **options: Unpack[ExampleOptions],
    ) -> Self:
        """Make the examples of a corpus with links.

        Parameters
        ----------
        bitext, alignments
            The text, and links for each of its pairs.
        threshold, identity, pairs
            As for `read`.
        threads
            Number of threads; None for all that may be used. The result does not depend on it.
        **options
            See `ExampleOptions`.

        Raises
        ------
        plait.errors.UnequalLengthError, plait.errors.DataError
            There are links for another number of pairs, or outside of their pair; there is no phrase pair.
        plait.errors.ConfigError
            An option is out of range.
        """
        blocks = example_blocks(bitext, alignments, threads=threads, **options)
        return cls.from_blocks(blocks, threshold=threshold, identity=identity, pairs=pairs)

    @classmethod
    def from_blocks(
        cls,
        blocks: Iterable[bytes],
        *,
        threshold: int = 10,
        identity: bool = False,
        pairs: bool = False,
        vocabulary: Sequence[str] | None = None,
        classes: Sequence[str] | None = None,
    ) -> Self:
        """Read lines from blocks of bytes, as `read` does.

        Raises
        ------
        plait.errors.TextError, plait.errors.DataError
            As `read`, without the name of a file.
        plait.errors.ConfigError
            The threshold is negative.
        """
        if threshold < 0:
            raise ConfigError(name="threshold", expected="at least 0", found=threshold)
        reader = _core.ExampleReader(
            least_count=threshold + 1,
            identity=identity,
            pairs=pairs,
            vocabulary=None if vocabulary is None else list(vocabulary),
            classes=None if classes is None else list(classes),
        )
        for block in blocks:
            reader.feed(block)
        found = reader.finish()
        if not len(found["labels"]):
            raise DataError("there is no example; check that it is the right file, and that the text has links")
        names, pair_of_row = found["pairs"] or (None, None)
        rows = Rows(found["offsets"], found["features"], None, len(found["vocabulary"]))
        return cls(
            rows=rows,
            vocabulary=tuple(found["vocabulary"]),
            labels=found["labels"],
            classes=tuple(found["classes"]),
            pairs=None if names is None else tuple(names),
            pair_of_row=pair_of_row,
            identity=identity,
            dropped=found["dropped"],
        )

    def select(self, features: npt.ArrayLike) -> Examples:
        """Return the same examples with some of their features.

        Parameters
        ----------
        features
            The features that stay: indices, or a Boolean for each.
        """
        kept = np.asarray(features)
        kept = np.flatnonzero(kept) if kept.dtype == np.bool_ else np.sort(kept)
        vocabulary = tuple(self.vocabulary[n] for n in kept.tolist())
        return Examples(
            self.rows.select(kept),
            vocabulary,
            self.labels,
            self.classes,
            self.pairs,
            self.pair_of_row,
            self.identity,
            self.dropped + self.rows.columns - len(kept),
        )

    def to_csr(self) -> Any:
        """Return the features as a SciPy sparse array of float64; needs SciPy."""
        return self.rows.to_csr()

    @property
    def y(self) -> npt.NDArray[np.str_]:
        """The name of the class of each example.

        Raises
        ------
        plait.errors.DataError
            The class of an example is not known.
        """
        return np.asarray(self.classes)[self.known_labels()]

    def known_labels(self) -> npt.NDArray[np.uint32]:
        """Return `labels`.

        Raises
        ------
        plait.errors.DataError
            The class of an example is not known.
        """
        unknown = np.flatnonzero(self.labels == UNKNOWN)
        if len(unknown):
            raise DataError(
                f"example {unknown[0] + 1} has no class, as {len(unknown)} of {len(self)}; "
                "give each a class instead of ?"
            )
        return self.labels

    def __len__(self) -> int:
        """Return the number of examples."""
        return len(self.labels)

    def __repr__(self) -> str:
        return f"Examples({len(self)} phrase pairs, {self.rows.columns} features, classes {' '.join(self.classes)})"


def example_blocks(
    bitext: Bitext, alignments: Alignments, *, threads: int | None = None, **options: Unpack[ExampleOptions]
) -> Iterator[bytes]:
    """Yield the lines of examples of a corpus, those of many sentence pairs at a time.

    Raises
    ------
    plait.errors.UnequalLengthError, plait.errors.DataError, plait.errors.ConfigError
        As `Examples.from_bitext`.
    """
    for name, least in (("max_length", 1), ("window", 0)):
        value = options.get(name, least)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value < 2**32:
            raise ConfigError(name=name, expected=f"a whole number of at least {least}", found=repr(value))
    count = resolve_threads(threads)
    # Once at least, so that the lengths are compared.
    for start in range(0, max(len(bitext), 1), _PAIRS_PER_BLOCK):
        yield _core.example_lines(
            bitext._core,
            alignments._arrays,
            start,
            start + _PAIRS_PER_BLOCK,
            max_length=options.get("max_length", 7),
            compat=options.get("compat", "strict"),
            model=options.get("model", "hier"),
            classes=options.get("classes", "msd"),
            direction=options.get("direction", "backward"),
            window=options.get("window", 1),
            marks_sides=options.get("marks_sides", False),
            threads=count,
        )


def write_examples(
    path: Path,
    bitext: Bitext,
    alignments: Alignments,
    *,
    force: bool = False,
    threads: int | None = None,
    **options: Unpack[ExampleOptions],
) -> int:
    """Write the examples of a corpus as lines, whole or not at all; return their number.

    Parameters
    ----------
    path
        Where they go; "-" is standard output; ``.gz .bz2 .xz .zst`` compress.
    bitext, alignments, threads, **options
        As for `Examples.from_bitext`.
    force
        Whether a file that exists may be replaced.

    Raises
    ------
    plait.errors.UnequalLengthError, plait.errors.DataError, plait.errors.ConfigError
        As `Examples.from_bitext`; or the file exists, and ``force`` is false.
    plait.errors.ResourceError, OSError
        The disk is full; the folder cannot be written.
    """
    count = 0
    with OutputFile(path, force=force, threads=resolve_threads(threads)) as out:
        for block in example_blocks(bitext, alignments, threads=threads, **options):
            count += block.count(b"\n")
            out.write(block)
    return count
