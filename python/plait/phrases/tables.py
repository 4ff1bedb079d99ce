"""Reordering tables from files to files, sorted on the disk when they do not fit into memory; and what tables share."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence

from plait import _core
from plait.errors import DataError, TextError
from plait.io.atomic import OutputGroup
from plait.io.streams import display_name, open_input
from plait.phrases.files import Compat, PathLike
from plait.phrases.options import check_choices
from plait.phrases.temporary import DEFAULT_MEMORY, memory_bytes, temporary_folder
from plait.progress import Callback
from plait.threads import resolve_threads

__all__ = ["blocks_of_lines", "check_some", "naming", "reordering_files"]

_BLOCK_BYTES = 1 << 20


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
    if compat is not None:
        check_choices(compat=(compat, ("moses",)))
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
        with naming(orientations):
            for block in blocks_of_lines(orientations, progress):
                builder.feed(block)
        builder.finish(progress)
        while (texts := builder.take()) is not None:
            for file, text in zip(files, texts, strict=True):
                file.write(text)
        check_some(builder.close(), orientations)
    return names


def check_some(pairs: int, path: PathLike) -> None:
    """Refuse a file without phrase pairs.

    Raises
    ------
    DataError
        There are none.
    """
    if not pairs:
        raise DataError(f"{display_name(path)} is empty; make it with phrases extract")


def blocks_of_lines(path: PathLike, progress: Callback | None) -> Iterator[bytes]:
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
def naming(path: PathLike) -> Iterator[None]:
    """Name the file in errors about its lines."""
    try:
        yield
    except TextError as problem:
        raise problem.at(display_name(path)) from None
