"""Phrase pairs from files to files: the job of Moses' ``extract``, with memory that does not grow with the text."""

from __future__ import annotations

import contextlib
import io
import itertools
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Self

from plait import _core
from plait.errors import ConfigError, UnequalLengthError
from plait.io.atomic import OutputGroup
from plait.io.link_blocks import check_one_standard_input
from plait.io.streams import display_name, open_input
from plait.progress import Callback
from plait.threads import resolve_threads

__all__ = ["LINES_PER_BLOCK", "Compat", "ExtractedFiles", "ParallelFiles", "PathLike", "extract_files"]

LINES_PER_BLOCK = 1_024
"""Sentence pairs that are in memory at a time; each becomes some hundred lines."""

COMPRESSED = (".gz", ".bz2", ".xz", ".zst")

PathLike = str | os.PathLike[str]

Compat = Literal["moses"]
"""Whose peculiarities are kept."""


@dataclass(frozen=True)
class ExtractedFiles:
    """What `extract_files` has done.

    Attributes
    ----------
    sentences
        Number of sentence pairs that were read.
    pairs
        Number of phrase pairs that were found, with repeats.
    paths
        The files that were written.
    """

    sentences: int
    pairs: int
    paths: tuple[str, ...]


def extract_files(
    target: PathLike,
    source: PathLike,
    alignment: PathLike,
    out: PathLike,
    *,
    max_length: int = 7,
    models: Sequence[str] = (),
    weights: PathLike | None = None,
    phrases: bool = True,
    single_words: bool = False,
    sentence_ids: int | None = None,
    compat: Compat | None = None,
    force: bool = False,
    threads: int | None = None,
    progress: Callback | None = None,
) -> ExtractedFiles:
    """Write the phrase pairs of a word-aligned corpus, in the formats of Moses' ``extract``.

    Parameters
    ----------
    target, source
        The two sides of the text, one sentence a line. The target goes first, as for Moses.
    alignment
        Links ``i-j``, source-target, from 0, a line for each sentence pair.
    out
        Name of the phrase pairs, ``source ||| target ||| i-j ..``; with ``.inv`` behind it the same turned around, with
        ``.o`` the orientations. A suffix ``.gz`` (``.bz2``, ``.xz``, ``.zst``) goes last in all names, and compresses.
    max_length
        Longest side of a phrase pair, in words.
    models
        Orientation models, at most one each of wbe, phrase and hier: ``hier-msd``, ``phrase-mslr``, ``wbe-mono``. All
        are found in the same pass. Without any, no orientations are written.
    weights
        A file with a number for each sentence pair, which is written behind its phrase pairs and counts them.
    phrases
        Whether phrase pairs are written, or only their orientations.
    single_words
        Make phrase pairs also of the two words of each link that shares a word with another one, although they are not
        consistent with the links: Moses' ``--SingleWordHeuristic``. They stand behind the others of their sentence.
    sentence_ids
        When given, the number of the sentence pair, from 1, plus this number stands behind each phrase pair.
    compat
        "moses": byte for byte what Moses writes, with its "next" orientations; see Notes.
    force
        Replace files that exist.
    threads
        Number of threads; ``None`` for all that may be used. The files do not depend on it.
    progress
        Called with ``("extract", sentences, sentences, ())`` after each block.

    Returns
    -------
    ExtractedFiles
        How much was read and found, and the names of the files.

    Raises
    ------
    TextError
        A link points outside of its sentence pair or is none, a word is ``|||``, a weight is no number; with file and
        line. No file is written then.
    UnequalLengthError
        The files have different numbers of lines.
    ConfigError
        An option is out of range, or a file exists.

    Notes
    -----
    Without ``compat``, "next" is the mirror image of "previous": a phrase pair or block that starts at the corner.
    Moses looks for one that ends in the next row, writes repeated links twice, and drops the columns of phrase and hier
    beside one of wbe. "Previous" is the same in both for msd.

    References
    ----------
    Koehn, Och and Marcu (2003), Statistical Phrase-Based Translation.
    Galley and Manning (2008), A Simple and Effective Hierarchical Phrase Reordering Model.
    """
    if not phrases and not models:
        raise ConfigError("there is nothing to write: ask for phrase pairs, for models, or for both")
    if max_length < 1:
        raise ConfigError(name="max_length", expected="at least 1", found=max_length)
    if compat not in (None, "moses"):
        raise ConfigError(name="compat", expected="moses or nothing", found=repr(compat))
    paths = [target, source, alignment, *([] if weights is None else [weights])]
    count = resolve_threads(threads)
    with ParallelFiles(paths) as inputs, OutputGroup(force=force, threads=count) as outputs:
        files = [outputs.open(name) if is_wanted else None for name, is_wanted in _names(out, phrases, bool(models))]
        first, second, third, *fourth = inputs.names
        names = (first, second, third, fourth[0] if fourth else "")
        writer = _core.PhraseLineWriter(
            names,
            max_length=max_length,
            compat=compat,
            models=list(models),
            phrases=phrases,
            single_words=single_words,
            sentence_ids=sentence_ids,
            threads=count,
        )
        pairs = 0
        while blocks := inputs.take(LINES_PER_BLOCK):
            found, parts = writer.run(*blocks, first_line=inputs.before + 1)
            for number, file in enumerate(files):
                if file is not None:
                    for part in parts:
                        lines, size = part[number]
                        file.write(lines.data[:size])
            pairs += found
            if progress is not None:
                progress("extract", inputs.lines, inputs.lines, ())
        written = tuple(file.path for file in files if file is not None)
    return ExtractedFiles(inputs.lines, pairs, written)


def split_suffix(path: PathLike) -> tuple[str, str]:
    """Return a name without and its suffix of compression, which may be empty."""
    name = os.fspath(path)
    suffix = next((suffix for suffix in COMPRESSED if name.endswith(suffix)), "")
    return name.removesuffix(suffix), suffix


def _names(out: PathLike, phrases: bool, orientations: bool) -> list[tuple[str, bool]]:
    """Return the three names, and whether each is wanted."""
    start, suffix = split_suffix(out)
    return [(start + suffix, phrases), (f"{start}.inv{suffix}", phrases), (f"{start}.o{suffix}", orientations)]


class ParallelFiles:
    """Files that run in parallel, read in step; a context manager.

    Attributes
    ----------
    names
        The files, for messages.
    lines
        Lines of each file that were read.
    before
        Lines before those that were taken last.
    """

    def __init__(self, paths: Sequence[PathLike]) -> None:
        check_one_standard_input(paths)
        self.names = [display_name(path) for path in paths]
        self.lines = 0
        self.before = 0
        self._paths = paths
        self._streams: list[io.BufferedReader] = []
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Self:
        """Open all files."""
        with contextlib.ExitStack() as stack:
            self._streams = [stack.enter_context(open_input(path)) for path in self._paths]
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        """Close all files."""
        self._stack.close()

    def take(self, lines: int) -> list[bytes]:
        """Return the next lines of each file, as one block each; nothing at the end of all.

        Raises
        ------
        UnequalLengthError
            A file has fewer lines than another.
        """
        blocks = [list(itertools.islice(stream, lines)) for stream in self._streams]
        counts = [len(block) for block in blocks]
        self.before = self.lines
        if len(set(counts)) > 1:
            raise self._unequal(counts)
        self.lines += counts[0]
        return [b"".join(block) for block in blocks] if counts[0] else []

    def _unequal(self, counts: Sequence[int]) -> UnequalLengthError:
        """Return the error that names the shortest and the longest file, which are read to their ends for it."""
        totals = [
            self.lines + count + sum(1 for _ in stream) for count, stream in zip(counts, self._streams, strict=True)
        ]
        shorter, longer = totals.index(min(totals)), totals.index(max(totals))
        return UnequalLengthError(
            shorter=self.names[shorter],
            shorter_len=totals[shorter],
            longer=self.names[longer],
            longer_len=totals[longer],
        )
