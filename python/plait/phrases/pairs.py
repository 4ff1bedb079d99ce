"""The phrase pairs of a corpus in memory, column by column."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from plait import _core
from plait.alignments import Alignments
from plait.bitext import Bitext
from plait.errors import ConfigError, TextError
from plait.phrases.files import LINES_PER_BLOCK, Compat, ParallelFiles
from plait.progress import Callback
from plait.threads import resolve_threads

__all__ = ["BASES", "CLASSES", "ORIENTATIONS", "Basis", "Classes", "PhrasePairs", "Side", "extract", "extract_blocks"]

Basis = Literal["wbe", "phrase", "hier"]
BASES: tuple[Basis, ...] = get_args(Basis)
"""Whose orientations: those of words, of phrases, of blocks of any length; the columns of `PhrasePairs.previous`."""

ORIENTATIONS = ("mono", "swap", "dleft", "dright")
"""The finest classes, by their codes."""

Classes = Literal["msd", "mslr", "monotonicity", "leftright"]
CLASSES: dict[Classes, tuple[int, int, int, int]] = {
    "msd": (0, 1, 2, 2),
    "mslr": (0, 1, 2, 3),
    "monotonicity": (0, 1, 1, 1),
    "leftright": (0, 1, 1, 0),
}
"""For each set of classes, the class of each of the `ORIENTATIONS`."""

Side = Literal["previous", "next"]


class PhrasePairs:
    """Phrase pairs of a corpus with their orientations; made by `extract`.

    Pair ``n`` of the corpus has the rows ``offsets[n]`` to ``offsets[n + 1]``, by rising target start, rising target
    end, falling source start and rising source end. A row costs 14 bytes.
    """

    def __init__(
        self,
        offsets: npt.NDArray[np.uint64],
        spans: npt.NDArray[np.uint16],
        previous: npt.NDArray[np.uint8],
        next: npt.NDArray[np.uint8],
    ) -> None:
        for array in (offsets, spans, previous, next):
            array.flags.writeable = False
        self._offsets, self._spans, self._previous, self._next = offsets, spans, previous, next

    @property
    def offsets(self) -> npt.NDArray[np.uint64]:
        """Where each sentence pair starts, and the number of rows last: ``uint64[m + 1]``, read-only."""
        return self._offsets

    @property
    def spans(self) -> npt.NDArray[np.uint16]:
        """Source start and end, target start and end, ends behind the last word: ``uint16[n, 4]``, read-only."""
        return self._spans

    @property
    def previous(self) -> npt.NDArray[np.uint8]:
        """Codes of the orientation to what is before, a column for each of `BASES`: ``uint8[n, 3]``, read-only."""
        return self._previous

    @property
    def next(self) -> npt.NDArray[np.uint8]:
        """Codes of the orientation to what is after, a column for each of `BASES`: ``uint8[n, 3]``, read-only."""
        return self._next

    @property
    def sentences(self) -> npt.NDArray[np.int64]:
        """The number of each row's sentence pair, from 0: ``int64[n]``."""
        offsets = self._offsets.astype(np.int64)
        counts = offsets[1:] - offsets[:-1]
        return np.repeat(np.arange(len(counts), dtype=np.int64), counts)

    def __len__(self) -> int:
        """Return the number of phrase pairs, with repeats."""
        return len(self._spans)

    def __repr__(self) -> str:
        return f"<{len(self)} phrase pairs of {len(self._offsets) - 1} sentence pairs>"

    def orientations(self, model: str, side: Side = "previous") -> npt.NDArray[np.uint8]:
        """Return the class of each phrase pair by a model.

        Parameters
        ----------
        model
            ``(wbe|phrase|hier)-(msd|mslr|monotonicity|leftright)``, such as ``hier-msd``.
        side
            "previous" or "next".

        Returns
        -------
        numpy.ndarray of uint8, shape (n,)
            msd: 0 mono, 1 swap, 2 other; mslr: the codes of `ORIENTATIONS`; monotonicity: 0 mono, 1 not; leftright: 0
            mono or discontinuous right, 1 swap or discontinuous left.

        Raises
        ------
        ConfigError
            There is no such model or side.
        """
        basis, _, classes = model.partition("-")
        if basis not in BASES or classes not in CLASSES:
            raise ConfigError(
                name="model", expected="(wbe|phrase|hier)-(msd|mslr|monotonicity|leftright)", found=repr(model)
            )
        if side not in ("previous", "next"):
            raise ConfigError(name="side", expected="previous or next", found=repr(side))
        codes = self._previous if side == "previous" else self._next
        table = np.array(CLASSES[classes], dtype=np.uint8)
        chosen: npt.NDArray[np.uint8] = table[codes[:, BASES.index(basis)]]
        return chosen

    def texts(self, bitext: Bitext) -> Iterator[tuple[str, str]]:
        """Iterate over the words of the phrase pairs, source and target, with one space in between.

        Parameters
        ----------
        bitext
            The text that was given to `extract`.
        """
        for n in range(len(self._offsets) - 1):
            rows = self._spans[int(self._offsets[n]) : int(self._offsets[n + 1])]
            if len(rows):
                source, target = bitext.source(n), bitext.target(n)
                for i1, i2, j1, j2 in rows.tolist():
                    yield " ".join(source[i1:i2]), " ".join(target[j1:j2])


def extract(
    bitext: Bitext,
    alignments: Alignments,
    *,
    max_length: int = 7,
    compat: Compat | None = None,
    threads: int | None = None,
    progress: Callback | None = None,
) -> PhrasePairs:
    """Return the phrase pairs of a word-aligned text with their orientations.

    Parameters
    ----------
    bitext
        The text.
    alignments
        Its links.
    max_length
        Longest side of a phrase pair, in words.
    compat
        "moses": "next" orientations as Moses has them; see `plait.phrases.files.extract_files`.
    threads
        Number of threads; ``None`` for all that may be used. The result does not depend on it.
    progress
        Called with ``("extract", sentence pairs done, all, ())``.

    Returns
    -------
    PhrasePairs
        Spans, and orientations by words, phrases and blocks, previous and next, all from one pass.

    Raises
    ------
    DataError
        A link points outside of its sentence pair, or a sentence is longer than 10,000 words.
    UnequalLengthError
        Text and links have different numbers of sentence pairs.
    ConfigError
        An option is out of range.

    Notes
    -----
    Time is linear in the phrase pairs, plus the square of a sentence's length for blocks of any length; 14 bytes a
    phrase pair, twice at the peak. For text that is larger than memory there are `extract_blocks` and
    `plait.phrases.files.extract_files`.

    References
    ----------
    Koehn, Och and Marcu (2003), Statistical Phrase-Based Translation.
    Galley and Manning (2008), A Simple and Effective Hierarchical Phrase Reordering Model.

    Examples
    --------
    >>> from plait import Alignments, Bitext
    >>> text = Bitext.from_lists([["das", "rote", "Haus"]], [["la", "casa", "roja"]])
    >>> links = Alignments.from_lists([[(0, 0), (1, 2), (2, 1)]])
    >>> pairs = extract(text, links)
    >>> pairs
    <5 phrase pairs of 1 sentence pairs>
    >>> for words, code in zip(pairs.texts(text), pairs.orientations("hier-msd"), strict=True):
    ...     print(*words, ("mono", "swap", "other")[code], sep=" | ")
    das | la | mono
    das rote Haus | la casa roja | mono
    Haus | casa | other
    rote Haus | casa roja | mono
    rote | roja | swap
    """
    if compat not in (None, "moses"):
        raise ConfigError(name="compat", expected="moses or nothing", found=repr(compat))
    if max_length < 1:
        raise ConfigError(name="max_length", expected="at least 1", found=max_length)
    columns = _core.extract_phrases(
        bitext.source_lengths,
        bitext.target_lengths,
        alignments._arrays,
        max_length=max_length,
        compat=compat,
        threads=resolve_threads(threads),
        progress=progress,
    )
    return PhrasePairs(*columns)


def extract_blocks(
    target: str | os.PathLike[str],
    source: str | os.PathLike[str],
    alignment: str | os.PathLike[str],
    *,
    max_length: int = 7,
    compat: Compat | None = None,
    threads: int | None = None,
) -> Iterator[tuple[Bitext, PhrasePairs]]:
    """Iterate over blocks of a word-aligned text in files, with their phrase pairs.

    Parameters
    ----------
    target, source, alignment
        The files, in the order of Moses' ``extract``.
    max_length, compat, threads
        As for `extract`.

    Yields
    ------
    tuple of Bitext and PhrasePairs
        Some thousand sentence pairs and their phrase pairs; numbers of sentences start anew in each block.

    Raises
    ------
    TextError, UnequalLengthError
        As for `plait.phrases.files.extract_files`.
    """
    with ParallelFiles([target, source, alignment]) as files:
        while blocks := files.take(LINES_PER_BLOCK):
            targets, sources, links = blocks
            text = _read(sources, targets, files)
            block = Alignments._parse(links, alignment, first_line=files.before + 1, threads=threads)
            yield text, extract(text, block, max_length=max_length, compat=compat, threads=threads)


def _read(sources: bytes, targets: bytes, files: ParallelFiles) -> Bitext:
    """Return the text of a block; errors name the file and count its lines."""
    builder = _core.BitextBuilder()
    for feed, end, block, name in (
        (builder.feed_source, builder.end_source, sources, files.names[1]),
        (builder.feed_target, builder.end_target, targets, files.names[0]),
    ):
        try:
            feed(block)
            end()
        except TextError as problem:
            line = files.before + problem.line
            raise TextError(
                line=line, column=problem.column, problem=problem.problem, found=problem.found, path=name
            ) from None
    return Bitext(builder.finish())
