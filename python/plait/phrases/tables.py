"""Phrase tables and reordering tables from files to files, sorted on the disk when they do not fit into memory."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from plait import _core
from plait.errors import ConfigError, DataError, TextError
from plait.io.atomic import OutputFile, OutputGroup
from plait.io.streams import display_name, open_input
from plait.phrases.files import Compat, PathLike
from plait.phrases.temporary import DEFAULT_MEMORY, memory_bytes, temporary_folder
from plait.progress import Callback
from plait.threads import resolve_threads

__all__ = ["KINDS", "SMOOTHINGS", "Kind", "ScoredTable", "Smoothing", "reordering_files", "score_files"]

Kind = Literal["both", "direct", "inverse"]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""The whole table, or one half of it as Moses' ``score`` writes it."""

Smoothing = Literal["none", "good-turing", "kneser-ney"]
SMOOTHINGS: tuple[Smoothing, ...] = get_args(Smoothing)
"""How relative frequencies are smoothed."""

_BLOCK_BYTES = 1 << 20


@dataclass(frozen=True)
class ScoredTable:
    """What `score_files` has done.

    Attributes
    ----------
    pairs
        Number of distinct phrase pairs: lines of the table.
    missing
        How often a pair of linked words was not in a lexical table, and counted as certain.
    """

    pairs: int
    missing: int


def score_files(
    extract: PathLike,
    out: PathLike,
    *,
    lexical: PathLike | None,
    kind: Kind = "both",
    smoothing: Smoothing = "none",
    links: bool = True,
    only_direct: bool = False,
    phrase_count: bool = False,
    low_count: bool = False,
    compat: Compat | None = None,
    memory: int = DEFAULT_MEMORY,
    temp: PathLike | None = None,
    force: bool = False,
    threads: int | None = None,
    progress: Callback | None = None,
) -> ScoredTable:
    r"""Make a phrase table of extracted phrase pairs.

    A line is ``source ||| target ||| p(s|t) lex(s|t) p(t|s) lex(t|s) ||| i-j .. ||| c(t) c(s) c(s,t) ||| |||``, sorted
    by its bytes.

    Parameters
    ----------
    extract
        Phrase pairs as `extract_files` writes them, in any order; OUT.inv is not needed.
    out
        The table; a suffix ``.gz``, ``.bz2``, ``.xz`` or ``.zst`` compresses.
    lexical
        Start of the names of two lexical tables, ``.e2f`` (source, target, p(source | target)) and ``.f2e`` (target,
        source, p(target | source)), as ``plait lexicon --format moses`` writes them; ``None`` for no lexical weights.
        For one half it is the name of the one table that it needs.
    kind
        "both" for the table; "direct" and "inverse" for the halves that Moses consolidates, from ``extract`` and
        ``extract.inv``.
    smoothing
        "none", "good-turing" or "kneser-ney", for the whole table.
    links
        Whether the most frequent links of each phrase pair are written (of equally frequent ones the largest, word by
        word of the target).
    only_direct
        Write p(t|s) and lex(t|s) only.
    phrase_count, low_count
        Add the constant 2.718, and exp(-1 / c(s,t)).
    compat
        "moses": single precision, and counts with six digits, as in Moses; otherwise double precision and whole counts.
    memory
        Mebibytes of lines that are sorted in memory; more go to the disk. Twice that may be in use.
    temp
        Folder for temporary files; beside the output by default. They need about the room of the distinct lines and of
        the table together. They are removed at the end, also of an error or Ctrl-C.
    force, threads, progress
        As for `extract_files`.

    Returns
    -------
    ScoredTable
        Number of phrase pairs, and of word pairs that were not in the lexical tables.

    Raises
    ------
    TextError
        A line is no phrase pair, or has a link outside; a line of a lexical table is none.
    DataError
        There are no phrase pairs.
    ConfigError
        An option is out of range, or the output exists.
    ResourceError
        There is no room for temporary files.

    Notes
    -----
    Counts are sums of exact fixed-point numbers: the table does not depend on the order of the lines, the memory or the
    number of threads. A pair of words that is missing in a lexical table counts as certain, as in Moses; links are
    counted in the same text, so that none is missing, when the table comes from the same alignment.

    References
    ----------
    Koehn, Och and Marcu (2003), Statistical Phrase-Based Translation, section 4.4.
    Foster, Kuhn and Johnson (2006), Phrasetable Smoothing for Statistical Machine Translation.
    """
    _check(compat)
    if kind not in KINDS:
        raise ConfigError(name="kind", expected=f"one of {', '.join(KINDS)}", found=repr(kind))
    if smoothing not in SMOOTHINGS:
        raise ConfigError(name="smoothing", expected=f"one of {', '.join(SMOOTHINGS)}", found=repr(smoothing))
    with contextlib.ExitStack() as stack:
        file = stack.enter_context(OutputFile(out, force=force))
        folder = stack.enter_context(temporary_folder(temp, out))
        builder = _core.PhraseTableBuilder(
            folder,
            memory=memory_bytes(memory),
            kind=kind,
            smoothing=smoothing,
            no_lexical=lexical is None,
            no_links=not links,
            only_direct=only_direct,
            phrase_count=phrase_count,
            low_count=low_count,
            compat=compat,
            threads=resolve_threads(threads),
        )
        for path, inverse in _lexical_names(lexical, kind, only_direct):
            with _named(path):
                for block in _blocks(path, None):
                    builder.feed_lexical(block, inverse)
        with _named(extract):
            for block in _blocks(extract, progress):
                builder.feed(block)
        builder.finish(progress)
        while (text := builder.take()) is not None:
            file.write(text)
        pairs, missing = builder.close()
        _check_some(pairs, extract)
    return ScoredTable(pairs, missing)


def reordering_files(
    orientations: PathLike,
    out: PathLike,
    models: Sequence[str],
    *,
    smoothing: float = 0.5,
    proportional: bool = False,
    suffix: str = ".gz",
    compat: Compat | None = None,
    memory: int = DEFAULT_MEMORY,
    temp: PathLike | None = None,
    force: bool = False,
    threads: int | None = None,
    progress: Callback | None = None,
) -> list[str]:
    """Make lexicalised reordering tables of extracted orientations.

    A line is ``source ||| target ||| p ..`` with the probabilities of the classes in the order of their names (msd:
    mono, swap, other; mslr: mono, swap, dleft, dright), of "previous", then of "next".

    Parameters
    ----------
    orientations
        Lines as `extract_files` writes them to OUT.o, in any order.
    out
        Start of the names of the tables: each is ``out`` with the name of its model and ``suffix`` behind it.
    models
        Tables: ``[wbe|phrase|hier-](msd|mslr|monotonicity|leftright)[-backward|forward|bidirectional][-fe|f]``.
        Backward is about the previous phrase, forward about the next; fe has a row for each phrase pair, f for each
        source phrase. Any number of tables of one orientation model may be made at once.
    smoothing
        What is added to the count of each class, or, if ``proportional``, in all.
    proportional
        Add ``smoothing`` in proportion to the frequency of the classes in the whole corpus, plus 0.1.
    suffix
        Suffix of the names; ``.gz``, ``.bz2``, ``.xz`` and ``.zst`` compress.
    compat
        "moses": with its mistakes. The counts behind proportional smoothing are added to the first row; tables by
        source phrase have no key.
    memory, temp, force, threads, progress
        As for `score_files`.

    Returns
    -------
    list of str
        The names of the tables.

    Raises
    ------
    TextError
        A line is no phrase pair, has no orientations of a model that is asked for, or too coarse ones.
    DataError, ConfigError, ResourceError
        As for `score_files`.

    References
    ----------
    Koehn, Axelrod, Birch Mayne, Callison-Burch, Osborne and Talbot (2005), Edinburgh System Description for the 2005
    IWSLT Speech Translation Evaluation.
    """
    _check(compat)
    names = [f"{os.fspath(out)}{model}{suffix}" for model in models]
    with contextlib.ExitStack() as stack:
        # Before the outputs are opened: it names what is wrong with a model.
        folder = stack.enter_context(temporary_folder(temp, out))
        builder = _core.ReorderingTableBuilder(
            folder,
            list(models),
            memory=memory_bytes(memory),
            smoothing=smoothing,
            proportional=proportional,
            compat=compat,
            threads=resolve_threads(threads),
        )
        group = stack.enter_context(OutputGroup(force=force))
        files = [group.open(name) for name in names]
        with _named(orientations):
            for block in _blocks(orientations, progress):
                builder.feed(block)
        builder.finish(progress)
        while (texts := builder.take()) is not None:
            for file, text in zip(files, texts, strict=True):
                file.write(text)
        _check_some(builder.close(), orientations)
    return names


def _check(compat: str | None) -> None:
    if compat not in (None, "moses"):
        raise ConfigError(name="compat", expected="moses or nothing", found=repr(compat))


def _check_some(pairs: int, path: PathLike) -> None:
    if not pairs:
        raise DataError(f"{display_name(path)} is empty; make it with phrases extract")


def _lexical_names(lexical: PathLike | None, kind: Kind, only_direct: bool) -> list[tuple[str, bool]]:
    """Return the names of the lexical tables, and whether each is of sources given targets."""
    if lexical is None:
        return []
    name = os.fspath(lexical)
    if kind != "both":
        return [(name, False)]
    return [(f"{name}.f2e", False), *([] if only_direct else [(f"{name}.e2f", True)])]


def _blocks(path: PathLike, progress: Callback | None) -> Iterator[bytes]:
    """Yield whole lines in blocks."""
    lines = 0
    with open_input(path) as stream:
        while block := stream.read(_BLOCK_BYTES):
            block += stream.readline()
            yield block
            if progress is not None:
                lines += block.count(b"\n")
                progress("reading", lines, lines, ())


@contextlib.contextmanager
def _named(path: PathLike) -> Iterator[None]:
    """Name the file in errors about its lines."""
    try:
        yield
    except TextError as problem:
        raise problem.at(display_name(path)) from None
