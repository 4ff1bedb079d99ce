"""Phrase tables from files to files, sorted on the disk when they do not fit into memory."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from dataclasses import dataclass

from plait import _core
from plait.errors import ConfigError, TextError
from plait.io.atomic import OutputFile, OutputGroup
from plait.io.streams import display_name, open_input
from plait.phrases.files import Compat, ParallelFiles, PathLike
from plait.phrases.options import (
    DomainFeature,
    Kind,
    Scale,
    Smoothing,
    TableOptions,
    read_bytes,
    read_words,
)
from plait.phrases.tables import blocks_of_lines, check_some, naming
from plait.phrases.temporary import DEFAULT_MEMORY, memory_bytes, temporary_folder
from plait.progress import Callback
from plait.threads import resolve_threads

__all__ = ["ScoredTable", "consolidate_files", "score_files"]

_LINES_PER_BLOCK = 65_536
_COUNTS = 11
"""Lines of a file of counts of counts: distinct phrase pairs, and those that are counted once, .. ten times."""


@dataclass(frozen=True)
class ScoredTable:
    """What `score_files` has done.

    Attributes
    ----------
    pairs
        Number of phrase pairs: lines of the table.
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
    scale: Scale = "plain",
    links: bool = True,
    only_direct: bool = False,
    phrase_count: bool = False,
    low_count: bool = False,
    unaligned: bool = False,
    source_function_words: PathLike | None = None,
    target_function_words: PathLike | None = None,
    count_bins: Sequence[int] = (),
    sparse_count_bins: bool = False,
    domains: PathLike | None = None,
    domain_feature: DomainFeature | None = None,
    sparse_domain_feature: DomainFeature | None = None,
    sentence_ids: bool = False,
    min_count: float = 0.0,
    min_inverse: float = 0.0,
    min_direct: float = 0.0,
    is_sorted: bool = False,
    hierarchical: bool = False,
    compat: Compat | None = None,
    memory: int = DEFAULT_MEMORY,
    temp: PathLike | None = None,
    force: bool = False,
    threads: int | None = None,
    progress: Callback | None = None,
) -> ScoredTable:
    r"""Make a phrase table of extracted phrase pairs.

    A line is ``source ||| target ||| p(s|t) lex(s|t) p(t|s) lex(t|s) ||| i-j .. ||| c(t) c(s) c(s,t) ||| |||``, sorted
    by its bytes. Further scores stand where Moses has them: penalties of words without links behind the lexical weight
    of their direction, then those of domains, the phrase count, the low count and the count bins. Sparse features stand
    in the last field but one.

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
        "both" for the table; "direct" and "inverse" for the halves that `consolidate_files` joins, from ``extract`` and
        ``extract.inv``.
    smoothing
        "none", "good-turing" or "kneser-ney". For a half, what joining needs is written: numbers of partners, and
        counts of counts in ``out.coc``.
    scale
        "plain", "log" or "neg-log": scores as they are, as natural logarithms, or as their negations. Sparse features
        stay as they are.
    links
        Whether the most frequent links of each phrase pair are written (of equally frequent ones the largest, word by
        word of the target).
    only_direct
        Write p(t|s) and lex(t|s) only.
    phrase_count, low_count
        Add the constant 2.718, and exp(-1 / c(s,t)).
    unaligned
        Add 2.718 to the number of words without links, of targets and of sources.
    source_function_words, target_function_words
        Files with a word a line: add the same for these words only.
    count_bins, sparse_count_bins
        Upper bounds of ranges of c(s,t), rising: add a score for each range and one for what is above, 2.718 where the
        count is, else 1; or a sparse feature, such as ``cb_2_3``.
    domains
        A file of lines ``last-sentence name``, parts of the corpus in order. Lines of ``extract`` then have the number
        of their sentence pair (``sentence_ids=0`` of `extract_files`).
    domain_feature, sparse_domain_feature
        What is made of them: "indicator", "ratio" of the count, or "subset", as scores or as sparse features.
    sentence_ids
        Lines of ``extract`` have numbers of sentence pairs, which say nothing; implied by ``domains``.
    min_count
        Leave out phrase pairs that count less (with ``hierarchical``: rules with gaps). Probabilities stay as they are.
    min_inverse, min_direct
        Leave out phrase pairs whose p(s|t), or p(t|s), is lower.
    is_sorted
        Lines with the same first phrase stand together, and their order is to be kept: nothing is sorted. For halves.
    hierarchical
        Lines are rules with gaps ``[X][X]`` and a left-hand side behind both sides. Rules with other links of gaps are
        other rules; links are always written, in the order of their bytes.
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
        A line is no phrase pair, or has a link outside; a line of a lexical table or of the domains is none; a sentence
        pair has no domain.
    DataError
        There are no phrase pairs.
    ConfigError
        An option is out of range or contradicts another, or the output exists.
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
    options = TableOptions(
        kind=kind,
        smoothing=smoothing,
        scale=scale,
        lexical=lexical is not None,
        links=links,
        only_direct=only_direct,
        phrase_count=phrase_count,
        low_count=low_count,
        unaligned=unaligned,
        source_function_words=read_words(source_function_words),
        target_function_words=read_words(target_function_words),
        count_bins=tuple(count_bins),
        sparse_count_bins=sparse_count_bins,
        domains=read_bytes(domains),
        domain_feature=domain_feature,
        sparse_domain_feature=sparse_domain_feature,
        sentence_ids=sentence_ids,
        min_count=min_count,
        min_inverse=min_inverse,
        min_direct=min_direct,
        is_sorted=is_sorted,
        hierarchical=hierarchical,
        compat=compat,
    )
    with contextlib.ExitStack() as stack:
        files = stack.enter_context(OutputGroup(force=force))
        file = files.open(out)
        counts_file = files.open(f"{os.fspath(out)}.coc") if kind != "both" and smoothing != "none" else None
        folder = stack.enter_context(temporary_folder(temp, out))
        with naming(domains if domains is not None else extract):
            builder = _core.PhraseTableBuilder(
                folder, options, memory=memory_bytes(memory), threads=resolve_threads(threads)
            )
        for path, inverse in _lexical_names(lexical, kind, only_direct):
            with naming(path):
                for block in blocks_of_lines(path, None):
                    builder.feed_lexical(block, inverse)
        with naming(extract):
            has_lines = False
            for block in blocks_of_lines(extract, progress):
                builder.feed(block)
                has_lines = has_lines or not block.isspace()
        check_some(has_lines, extract)
        builder.finish(progress)
        while (text := builder.take()) is not None:
            file.write(text)
        _write_counts(counts_file, builder.counts())
        pairs, missing = builder.close()
    return ScoredTable(pairs, missing)


def consolidate_files(
    direct: PathLike,
    inverse: PathLike,
    out: PathLike,
    *,
    smoothing: Smoothing = "none",
    counts: PathLike | None = None,
    scale: Scale = "plain",
    only_direct: bool = False,
    phrase_count: bool = False,
    low_count: bool = False,
    count_bins: Sequence[int] = (),
    sparse_count_bins: bool = False,
    min_count: float = 0.0,
    min_inverse: float = 0.0,
    min_direct: float = 0.0,
    compat: Compat | None = None,
    force: bool = False,
    threads: int | None = None,
    progress: Callback | None = None,
) -> ScoredTable:
    """Join two halves to a phrase table, line by line: the job of Moses' ``consolidate``.

    Parameters
    ----------
    direct, inverse
        The halves, of `score_files` or of Moses' ``score``, with the same phrase pairs in the same order. (Moses' are
        in order when both are sorted by their bytes.)
    out
        The table; a suffix ``.gz``, ``.bz2``, ``.xz`` or ``.zst`` compresses.
    smoothing
        "none", "good-turing" or "kneser-ney"; the latter needs halves that were made with it.
    counts
        Counts of counts, for smoothing: the file beside the direct half, ``direct.coc``, by default.
    scale
        That of the halves.
    only_direct, phrase_count, low_count, count_bins, sparse_count_bins, min_count, min_inverse, min_direct, compat
        As for `score_files`.
    force, threads, progress
        As for `extract_files`.

    Returns
    -------
    ScoredTable
        Number of phrase pairs; ``missing`` is 0.

    Raises
    ------
    TextError
        A line is none of a half, or the lines of the halves are about other phrases; the counts are none.
    UnequalLengthError
        The halves have different numbers of lines. (Moses leaves the rest out.)
    DataError
        There are no phrase pairs.
    ConfigError
        An option is out of range, or the output exists.
    """
    options = TableOptions(
        smoothing=smoothing,
        scale=scale,
        only_direct=only_direct,
        phrase_count=phrase_count,
        low_count=low_count,
        count_bins=tuple(count_bins),
        sparse_count_bins=sparse_count_bins,
        min_count=min_count,
        min_inverse=min_inverse,
        min_direct=min_direct,
        compat=compat,
    )
    if smoothing == "none":
        if counts is not None:
            raise ConfigError("counts of counts are for smoothing: give good-turing or kneser-ney, or leave them out")
        numbers = [0] * _COUNTS
    else:
        numbers = _read_counts(f"{os.fspath(direct)}.coc" if counts is None else counts)
    joined = _core.PhraseTableConsolidator(options, counts=numbers, threads=resolve_threads(threads))
    pairs = 0
    with OutputFile(out, force=force) as file, ParallelFiles([direct, inverse]) as halves:
        first, second = halves.names
        while blocks := halves.take(_LINES_PER_BLOCK):
            text, more = joined.lines(*blocks, names=(first, second), first_line=halves.before + 1)
            file.write(text)
            pairs += more
            if progress is not None:
                progress("consolidate", halves.lines, halves.lines, ())
        check_some(halves.lines, direct)
    return ScoredTable(pairs, 0)


def _lexical_names(lexical: PathLike | None, kind: Kind, only_direct: bool) -> list[tuple[str, bool]]:
    """Return the names of the lexical tables, and whether each is of sources given targets."""
    if lexical is None:
        return []
    name = os.fspath(lexical)
    if kind != "both":
        return [(name, False)]
    return [(f"{name}.f2e", False), *([] if only_direct else [(f"{name}.e2f", True)])]


def _write_counts(file: OutputFile | None, counts: Sequence[int] | None) -> None:
    if file is not None and counts is not None:
        file.write("".join(f"{count}\n" for count in counts).encode())


def _read_counts(path: PathLike) -> list[int]:
    """Return the numbers of a file of counts of counts; it may hold fewer."""
    numbers: list[int] = []
    with open_input(path) as stream:
        for line, text in enumerate(stream, start=1):
            if not text.strip().isdigit() or line > _COUNTS:
                raise TextError(
                    line=line,
                    column=1,
                    problem=f"expected a whole number; counts of counts are {_COUNTS} lines, as written beside a half",
                    found=text.decode(errors="replace").strip(),
                    path=display_name(path),
                )
            numbers.append(int(text))
    return numbers + [0] * (_COUNTS - len(numbers))
