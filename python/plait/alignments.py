"""The links of a corpus as a value.

A link joins a source and a target position of one sentence pair; both count from 0. `Alignments` holds the
links of all pairs in three arrays, so that a corpus of millions of pairs costs 8 bytes a link (12 with
probabilities) and is ready for numpy.
"""

from __future__ import annotations

import html
import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Literal, Protocol, Self, overload

import numpy as np
import numpy.typing as npt

from plait import _core
from plait.errors import ConfigError, TextError
from plait.io import giza
from plait.io.atomic import OutputFile
from plait.io.streams import display_name, open_input
from plait.link_arrays import LinkArrays, arrays_of_lists, checked
from plait.threads import resolve_threads

if TYPE_CHECKING:
    from plait.bitext import Bitext

__all__ = ["FORMATS", "Alignments", "Format"]


class ByteSink(Protocol):
    """Something that bytes can be written to."""

    def write(self, data: bytes, /) -> object:
        """Take these bytes."""


Format = Literal["pharaoh", "giza", "jsonl"]
FORMATS: tuple[Format, ...] = ("pharaoh", "giza", "jsonl")
"""The formats that `Alignments.write` knows."""

# Sentence pairs whose lines are made at a time: bounds the memory for text, which is larger than the links.
_PAIRS_PER_WRITE = 65_536
# In a notebook; a longer sentence pair is named, not drawn.
_PAIRS_SHOWN = 4
_LONGEST_SHOWN = 40


class Alignments:
    r"""The links of each sentence pair of a corpus, sorted by source, then target position, without repeats.

    Frozen: the arrays cannot be written to.

    Parameters
    ----------
    links : array_like of int32, shape (n, 2)
        All links, pair after pair: source and target position, both 0-based.
    offsets : array_like of uint64, shape (m + 1,)
        Pair ``k`` has ``links[offsets[k]:offsets[k + 1]]``.
    probabilities : array_like of float32, shape (n,), optional
        Posterior probability of each link, from 0 to 1.

    Raises
    ------
    DataError
        The arrays do not form links: offsets do not start at 0, fall, or do not end at ``n``; links of a
        pair are not sorted or repeat; a position is negative; a probability is not a number from 0 to 1.
        The message names the sentence pair.

    See Also
    --------
    Alignments.from_lists : sorts and takes Python lists.
    Alignments.read : reads a file.

    Examples
    --------
    >>> alignments = Alignments.from_lists([[(0, 0), (1, 2)], [], [(0, 1)]])
    >>> len(alignments)
    3
    >>> alignments[0].tolist()
    [[0, 0], [1, 2]]
    >>> alignments.to_pharaoh()
    b'0-0 1-2\n\n0-1\n'
    """

    __slots__ = ("_links", "_offsets", "_probabilities")
    __hash__ = None  # type: ignore[assignment]

    _links: npt.NDArray[np.int32]
    _offsets: npt.NDArray[np.uint64]
    _probabilities: npt.NDArray[np.float32] | None

    def __init__(
        self, links: npt.ArrayLike, offsets: npt.ArrayLike, probabilities: npt.ArrayLike | None = None
    ) -> None:
        arrays = (
            checked(links, np.int32, "links", 2),
            checked(offsets, np.uint64, "offsets", 1),
            None if probabilities is None else checked(probabilities, np.float32, "probabilities", 1),
        )
        _core.check_links(arrays)
        self._set(arrays)

    def _set(self, arrays: LinkArrays) -> None:
        for array in arrays:
            if array is not None:
                array.setflags(write=False)
        self._links, self._offsets, self._probabilities = arrays

    @classmethod
    def _from_core(cls, arrays: LinkArrays) -> Self:
        """Wrap arrays that the core made, without checking them again."""
        self = object.__new__(cls)
        self._set(arrays)
        return self

    @property
    def _arrays(self) -> LinkArrays:
        """The three arrays as the core takes them."""
        return self._links, self._offsets, self._probabilities

    @classmethod
    def from_lists(
        cls,
        lists: Iterable[Iterable[tuple[int, int]]],
        probabilities: Iterable[Iterable[float]] | None = None,
    ) -> Self:
        """Return the links of these lists, one list for each sentence pair.

        Parameters
        ----------
        lists
            For each pair its links ``(source, target)``, in any order. Of repeated links the most probable
            stays.
        probabilities
            For each pair the probabilities of its links, in the same order.

        Returns
        -------
        Alignments

        Raises
        ------
        DataError
            The numbers of pairs, or of links and probabilities of a pair, differ; or as the constructor.
        """
        return cls(*arrays_of_lists(lists, probabilities))

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, threads: int | None = None) -> Self:
        """Read Pharaoh lines: one line per sentence pair, links ``i-j`` (or ``i-j:p`` with probabilities).

        Parameters
        ----------
        path
            A file, "-" for standard input; compressed files are recognised by content.
        threads
            Number of threads; ``None`` for all that may be used.

        Returns
        -------
        Alignments

        Raises
        ------
        TextError
            A line is not a line of links; the message names the file, line, column and what to do.

        Notes
        -----
        Takes memory for the text and for the links at once. Possible links (``i?j``) are
        refused: a gold standard is read by `plait.metrics.read_gold`.
        """
        with open_input(path) as stream:
            text = stream.read()
        return cls._parse(text, path, threads=threads)

    @classmethod
    def _parse(
        cls,
        text: bytes,
        path: str | os.PathLike[str],
        *,
        first_line: int = 1,
        threads: int | None = None,
    ) -> Self:
        """Return the links of whole Pharaoh lines; errors name the file."""
        try:
            arrays, _ = _core.parse_pharaoh(text, first_line=first_line, threads=resolve_threads(threads))
        except TextError as problem:
            raise problem.at(display_name(path)) from None
        return cls._from_core(arrays)

    @property
    def links(self) -> npt.NDArray[np.int32]:
        """All links, pair after pair: ``int32[n, 2]``, source and target position, read-only."""
        return self._links

    @property
    def offsets(self) -> npt.NDArray[np.uint64]:
        """Where each pair starts in `links`, and the number of links last: ``uint64[m + 1]``, read-only."""
        return self._offsets

    @property
    def probabilities(self) -> npt.NDArray[np.float32] | None:
        """Probability of each link, ``float32[n]``, read-only; ``None`` when the links are plain."""
        return self._probabilities

    @property
    def sentences(self) -> npt.NDArray[np.int64]:
        """The number of each link's sentence pair, from 0: ``int64[n]``."""
        return np.repeat(np.arange(len(self), dtype=np.int64), self.counts)

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """Number of links of each pair: ``int64[m]``."""
        offsets = self._offsets.astype(np.int64)
        return offsets[1:] - offsets[:-1]

    def __len__(self) -> int:
        """Return the number of sentence pairs."""
        return len(self._offsets) - 1

    @overload
    def __getitem__(self, which: int) -> npt.NDArray[np.int32]: ...
    @overload
    def __getitem__(self, which: slice) -> Alignments: ...
    def __getitem__(self, which: int | slice) -> npt.NDArray[np.int32] | Alignments:
        """Return the links of one pair, ``int32[k, 2]``, or the alignments of a slice of pairs."""
        if isinstance(which, slice):
            return self._slice(*which.indices(len(self)))
        n = range(len(self))[which]
        return self._links[self._offsets[n] : self._offsets[n + 1]]

    def _slice(self, start: int, stop: int, step: int) -> Alignments:
        # A longer step ends in the same place, and the longest do not fit numpy's integers.
        chosen = np.arange(start, stop, max(-len(self) - 1, min(step, len(self) + 1)), dtype=np.int64)
        counts = self.counts[chosen]
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.uint64)
        if step == 1 and len(chosen):
            rows: slice | npt.NDArray[np.int64] = slice(int(self._offsets[start]), int(self._offsets[stop]))
        else:
            # The rows of pair k are first[k] + 0, 1, ..
            first = self._offsets[:-1].astype(np.int64)[chosen] - offsets[:-1].astype(np.int64)
            rows = np.repeat(first, counts) + np.arange(int(offsets[-1]))
        probabilities = None if self._probabilities is None else self._probabilities[rows]
        return Alignments._from_core((self._links[rows], offsets, probabilities))

    def __iter__(self) -> Iterator[npt.NDArray[np.int32]]:
        """Iterate over the links of each pair."""
        return (self[n] for n in range(len(self)))

    def sentence_probabilities(self, n: int) -> npt.NDArray[np.float32] | None:
        """Return the probabilities of the links of pair ``n``, ``float32[k]``; ``None`` when plain."""
        if self._probabilities is None:
            return None
        n = range(len(self))[n]
        return self._probabilities[self._offsets[n] : self._offsets[n + 1]]

    def __eq__(self, other: object) -> bool:
        """Whether both hold the same links of the same pairs with the same probabilities."""
        if not isinstance(other, Alignments):
            return NotImplemented
        mine, theirs = self._probabilities, other._probabilities
        return (
            np.array_equal(self._offsets, other._offsets)
            and np.array_equal(self._links, other._links)
            and (mine is None) == (theirs is None)
            and (mine is None or theirs is None or np.array_equal(mine, theirs))
        )

    def __repr__(self) -> str:
        extra = "" if self._probabilities is None else ", with probabilities"
        return f"<Alignments of {len(self)} sentence pairs: {len(self._links)} links{extra}>"

    def _repr_html_(self) -> str:
        """Return the first pairs as grids for notebooks; `plait.viz.picture.show` draws them with their words."""
        # Drawing is for those who look; `import plait` stays quick.
        from plait.viz.picture import positions_html

        drawn = positions_html(self, pairs=_PAIRS_SHOWN, longest=_LONGEST_SHOWN)
        more = f"<div>… {len(self) - _PAIRS_SHOWN:,} more</div>" if len(self) > _PAIRS_SHOWN else ""
        return f"<div><div>{html.escape(repr(self))}</div>{drawn}{more}</div>"

    def transposed(self) -> Alignments:
        """Return the same links with source and target exchanged."""
        return Alignments._from_core(_core.transpose_links(self._arrays))

    def check_within(self, source_lengths: npt.ArrayLike, target_lengths: npt.ArrayLike) -> None:
        """Check that the links fit a text.

        Parameters
        ----------
        source_lengths, target_lengths : array_like of uint32, shape (m,)
            Tokens of each side of each pair: `Bitext.source_lengths`, `Bitext.target_lengths`.

        Raises
        ------
        DataError
            A link points outside of its pair; the message names the pair and the link.
        UnequalLengthError
            The text has another number of pairs.
        """
        _core.check_links(
            self._arrays,
            checked(source_lengths, np.uint32, "source_lengths", 1),
            checked(target_lengths, np.uint32, "target_lengths", 1),
        )

    def to_pharaoh(self, *, probabilities: bool = False, threads: int | None = None) -> bytes:
        """Return one line per sentence pair: ``i-j`` separated by spaces, sorted.

        With ``probabilities``, and when the links have them, ``i-j:p``.
        """
        return _core.write_pharaoh(self._arrays, with_probabilities=probabilities, threads=resolve_threads(threads))

    def to_jsonl(self, *, threads: int | None = None) -> bytes:
        """Return one JSON object per pair: ``{"links": [[i, j], ..], "probabilities": [p, ..]}``.

        The probabilities are left out when the links have none.
        """
        return _core.write_jsonl(self._arrays, threads=resolve_threads(threads))

    def to_giza(self, bitext: Bitext) -> bytes:
        """Return GIZA++ A3 records, three lines per pair; see `plait.io.giza` for what they mean here."""
        return b"".join(giza.records(self, bitext))

    def write(
        self,
        path: str | os.PathLike[str],
        *,
        format: Format = "pharaoh",
        probabilities: bool = False,
        bitext: Bitext | None = None,
        force: bool = False,
    ) -> None:
        """Write the links, whole or not at all.

        Parameters
        ----------
        path
            The file; "-" for standard output. A suffix ``.gz``, ``.bz2``, ``.xz`` or ``.zst`` compresses.
        format
            "pharaoh": one line ``i-j ..`` per pair. "giza": A3 records, which need the words of ``bitext``.
            "jsonl": one JSON object per pair with links and, if present, probabilities.
        probabilities
            Write ``i-j:p`` in Pharaoh lines, when the links have probabilities.
        bitext
            The text that was aligned.
        force
            Replace a file that exists.

        Raises
        ------
        ConfigError
            The file exists and ``force`` is not set; the format is unknown, or is "giza" without a text.
        DataError
            Links do not fit the text.
        """
        if format not in FORMATS:
            raise ConfigError(name="format", expected=f"one of {', '.join(FORMATS)}", found=repr(format))
        with OutputFile(path, force=force) as out:
            self.write_to(out, format=format, probabilities=probabilities, bitext=bitext)

    def write_to(
        self,
        out: ByteSink,
        *,
        format: Format = "pharaoh",
        probabilities: bool = False,
        bitext: Bitext | None = None,
    ) -> None:
        """Write the links to an open output, as `write` does."""
        if format == "giza":
            if bitext is None:
                raise ConfigError("format giza needs the words: give the text that was aligned as bitext")
            self.check_within(bitext.source_lengths, bitext.target_lengths)
        for start in range(0, len(self), _PAIRS_PER_WRITE):
            part = self[start : start + _PAIRS_PER_WRITE]
            if format == "pharaoh":
                out.write(part.to_pharaoh(probabilities=probabilities))
            elif format == "jsonl":
                out.write(part.to_jsonl())
            elif bitext is not None:
                out.write(b"".join(giza.records(part, bitext, first=start)))
