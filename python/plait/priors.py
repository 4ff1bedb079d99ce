"""Priors of eflomal: counts of links, jumps and fertilities that one corpus hands on to another.

A priors file is text with tabs between fields and five kinds of lines, of which each may be absent::

    LEX     source word   target word   count     links between the two words
    FERF    source word   fertility     count     source words that have so many forward links
    FERR    target word   fertility     count     target words that have so many reverse links
    HMMF    jump          count                   distances between the source words of neighbouring target words
    HMMR    jump          count                   distances between the target words of neighbouring source words

Counts add, so the priors of a large corpus are the sum of those of its parts. ``<NULL>`` stands for NULL in LEX lines.

DEVIATION: where a file has several lines of the same jump, their counts are added here, as those of words are in both;
eflomal takes the last one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from plait import _core
from plait.alignments import Alignments
from plait.bitext import Bitext
from plait.errors import ConfigError
from plait.io.atomic import OutputFile
from plait.io.streams import Path
from plait.io.tables import Columns, read_table, rows_in_blocks
from plait.lexicon import Lexicon

__all__ = ["NULL_WORD", "FertilityCounts", "JumpCounts", "LexicalCounts", "Priors"]

NULL_WORD = "<NULL>"
"""What stands for NULL in LEX lines."""

_REMEDY = (
    "a line is LEX with two words, FERF or FERR with a word and a fertility, or HMMF or HMMR with a jump, and then a "
    "count, with tabs between; make the file again with eflomal-makepriors or plait.priors"
)
_RECORDS = [
    ("LEX", [("source word", "word 0"), ("target word", "word 1"), ("count", "number")]),
    ("FERF", [("source word", "word 0"), ("fertility", "count"), ("count", "number")]),
    ("FERR", [("target word", "word 1"), ("fertility", "count"), ("count", "number")]),
    ("HMMF", [("jump", "integer"), ("count", "number")]),
    ("HMMR", [("jump", "integer"), ("count", "number")]),
]
# A fertility has 32 bits of a key; eflomal itself takes all from 7 on as one.
_MAX_FERTILITY = 2**32 - 1


class LexicalCounts(NamedTuple):
    """LEX lines: ids of words as uint32[n], sorted by source, then target, and float64[n]."""

    sources: npt.NDArray[np.uint32]
    targets: npt.NDArray[np.uint32]
    counts: npt.NDArray[np.float64]


class FertilityCounts(NamedTuple):
    """FERF or FERR lines: ids of words as uint32[n], int64[n], sorted by word, then fertility, and float64[n]."""

    words: npt.NDArray[np.uint32]
    fertilities: npt.NDArray[np.int64]
    counts: npt.NDArray[np.float64]


class JumpCounts(NamedTuple):
    """HMMF or HMMR lines: int64[n], rising, and float64[n]."""

    jumps: npt.NDArray[np.int64]
    counts: npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Priors:
    """Counts of a word-aligned corpus. Make them with `from_links`, `read` or `merge`.

    Attributes
    ----------
    source_words, target_words
        The words by id, in the order of their code points.
    lexical
        Forward links of each pair of words.
    source_fertilities, target_fertilities
        Tokens of a source word with so many forward links, and of a target word with so many reverse links; from 1 on.
    forward_jumps, reverse_jumps
        From the source position of one target word to that of the next, and from the target position of one source
        word to that of the next. A sentence starts at -1 and ends behind its last word.
    """

    source_words: tuple[str, ...]
    target_words: tuple[str, ...]
    lexical: LexicalCounts
    source_fertilities: FertilityCounts
    target_fertilities: FertilityCounts
    forward_jumps: JumpCounts
    reverse_jumps: JumpCounts

    @classmethod
    def from_links(cls, bitext: Bitext, forward: Alignments, reverse: Alignments | None = None) -> Priors:
        """Count the links of a corpus as eflomal-makepriors does.

        Parameters
        ----------
        bitext
            The text that was aligned. eflomal-makepriors takes words as they are written: read it without folding for
            the same file, and fold the priors, not the text, when they are used.
        forward
            Links of P(target | source), or symmetrised ones.
        reverse
            Links of P(source | target); by default ``forward``, for symmetrised links.

        Returns
        -------
        Priors

        Raises
        ------
        plait.errors.DataError, plait.errors.UnequalLengthError
            The links do not fit the text.

        Notes
        -----
        O(n log n) time in the number of links.

        DEVIATION: of several links of one word eflomal takes them in the order of the line; here they are sorted. A
        word ends at a space or a tab, not at other white space of Unicode.
        """
        reverse = forward if reverse is None else reverse
        for links in (forward, reverse):
            links.check_within(bitext.source_lengths, bitext.target_lengths)
        source_ids, target_ids = bitext.source_ids, bitext.target_ids
        source_tokens, target_tokens = (
            _tokens(forward, 0, bitext.source_offsets),
            _tokens(forward, 1, bitext.target_offsets),
        )
        lexical = source_ids[source_tokens], target_ids[target_tokens], np.ones(len(source_tokens))
        return _canonical(
            bitext.source_vocabulary,
            bitext.target_vocabulary,
            [
                [*lexical],
                _fertilities(source_ids, source_tokens),
                _fertilities(target_ids, _tokens(reverse, 1, bitext.target_offsets)),
                _jumps(forward, bitext.source_lengths),
                _jumps(reverse.transposed(), bitext.target_lengths),
            ],
        )

    @classmethod
    def read(cls, path: Path) -> Priors:
        """Read a priors file; compressed files are recognised by content.

        Raises
        ------
        plait.errors.TextError
            A line is none of a priors file; the message names the file, line and column, what was found and what to do.
        """
        (source_words, target_words), columns = read_table(path, "tab", _RECORDS, remedy=_REMEDY)
        return _canonical(source_words, target_words, columns)

    @staticmethod
    def merge(parts: Iterable[Priors]) -> Priors:
        """Return the sum of priors: those of all parts of a corpus together.

        Raises
        ------
        plait.errors.ConfigError
            There is no part.
        """
        words: tuple[list[str], list[str]] = ([], [])
        columns: list[list[Columns]] = [[] for _ in _RECORDS]
        for part in parts:
            shifts = len(words[0]), len(words[1])
            words[0].extend(part.source_words)
            words[1].extend(part.target_words)
            for all_, (_, kinds), own in zip(columns, _RECORDS, part._columns, strict=True):
                all_.append([_shifted(column, kind, shifts) for (_, kind), column in zip(kinds, own, strict=True)])
        if not columns[0]:
            raise ConfigError("there are no priors to merge; give at least one")
        joined = [[np.concatenate(column) for column in zip(*record, strict=True)] for record in columns]
        return _canonical(*words, joined)

    def folded(self, *, lowercase: bool = False, stem_source: int = 0, stem_target: int = 0) -> Priors:
        """Return the priors with words folded as a corpus is that is read with these options; their counts add.

        The function is that of `Bitext.read`, so that priors and text agree.
        """
        source_words = _core.fold_words(self.source_words, lowercase=lowercase, stem=stem_source)
        target_words = _core.fold_words(self.target_words, lowercase=lowercase, stem=stem_target)
        # NULL is no word.
        pairs = (self.source_words, source_words), (self.target_words, target_words)
        kept = [[NULL_WORD if old == NULL_WORD else new for old, new in zip(*words, strict=True)] for words in pairs]
        return _canonical(kept[0], kept[1], self._columns)

    def scaled(self, weight: float) -> Priors:
        """Return the priors with all counts times a finite weight of at least 0.

        Raises
        ------
        plait.errors.ConfigError
            The weight is something else.
        """
        if not 0 <= weight < float("inf"):
            raise ConfigError(name="weight", expected="a finite number of at least 0", found=weight)
        columns = [[*record[:-1], record[-1] * weight] for record in self._columns]
        return _canonical(self.source_words, self.target_words, columns)

    def lexicon(self, source_vocabulary: Sequence[str], target_vocabulary: Sequence[str]) -> Lexicon:
        """Return the LEX counts of these words as a lexicon with their ids; entries of other words are left out.

        Parameters
        ----------
        source_vocabulary, target_vocabulary
            As of a corpus: ``bitext.source_vocabulary``. The priors must be folded as it is; see `folded`.
        """
        sources, targets, counts = self.lexical
        ids = []
        for words, vocabulary in ((self.source_words, source_vocabulary), (self.target_words, target_vocabulary)):
            known = {word: number for number, word in enumerate(vocabulary)}
            known[NULL_WORD] = len(vocabulary)
            ids.append(np.fromiter((known.get(word, -1) for word in words), dtype=np.int64, count=len(words)))
        there = (ids[0][sources] >= 0) & (ids[1][targets] >= 0)
        new = ids[0][sources[there]], ids[1][targets[there]]
        return Lexicon._from_entries(source_vocabulary, target_vocabulary, *new, counts[there])

    def write(self, path: Path, *, exact: bool = False, force: bool = False, threads: int | None = None) -> None:
        """Write a priors file, whole or not at all, with the same bytes as eflomal-makepriors.

        Parameters
        ----------
        path
            The file; "-" for standard output. A suffix ``.gz``, ``.bz2``, ``.xz`` or ``.zst`` compresses (eflomal
            itself reads plain files only).
        exact
            Write all digits of a count. eflomal-makepriors writes six, which changes counts from a million on.
        force
            Replace a file that exists.
        threads
            Number of threads; None for all that may be used.

        Raises
        ------
        plait.errors.ConfigError
            The file exists, and ``force`` is not set.
        plait.errors.ResourceError
            The disk is full; what stood there before still does.
        """
        words = [_core.Words(self.source_words), _core.Words(self.target_words)]
        with OutputFile(path, force=force) as out:
            for (keyword, kinds), columns in zip(_RECORDS, self._columns, strict=True):

                def fields(rows: slice, keyword: str = keyword, kinds: Any = kinds, columns: Columns = columns) -> Any:
                    parts: list[object] = [keyword]
                    for (_, kind), column in zip(kinds, columns, strict=True):
                        parts += ["\t", _field(kind, column[rows], words, exact)]
                    return parts

                for block in rows_in_blocks(len(columns[0]), fields, threads=threads):
                    out.write(block)

    def __eq__(self, other: object) -> bool:
        """Whether both have the same counts of the same words and jumps."""
        if not isinstance(other, Priors):
            return NotImplemented
        return (
            self.source_words == other.source_words
            and self.target_words == other.target_words
            and all(
                np.array_equal(mine, theirs)
                for own, others in zip(self._columns, other._columns, strict=True)
                for mine, theirs in zip(own, others, strict=True)
            )
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        sizes = ", ".join(
            f"{len(columns[0])} {keyword}" for (keyword, _), columns in zip(_RECORDS, self._columns, strict=True)
        )
        return f"<Priors of {len(self.source_words)} source and {len(self.target_words)} target words: {sizes}>"

    @property
    def _columns(self) -> list[Columns]:
        """The columns of each kind of line, in the order of `_RECORDS`."""
        counts = (
            self.lexical,
            self.source_fertilities,
            self.target_fertilities,
            self.forward_jumps,
            self.reverse_jumps,
        )
        return [cast(Columns, list(record)) for record in counts]


def _canonical(source_words: Sequence[str], target_words: Sequence[str], columns: list[Columns]) -> Priors:
    """Return priors with the words that occur, sorted, and lines in their order; counts of the same line are added."""
    lexical, ferf, ferr, hmmf, hmmr = columns
    sources, source_ids = _sorted_words(source_words, [lexical[0], ferf[0]])
    targets, target_ids = _sorted_words(target_words, [lexical[1], ferr[0]])
    pairs = _summed(source_ids[lexical[0]], target_ids[lexical[1]], lexical[2])
    priors = Priors(
        sources,
        targets,
        LexicalCounts(pairs[0].astype(np.uint32), pairs[1].astype(np.uint32), pairs[2]),
        _fertility_counts(source_ids, ferf),
        _fertility_counts(target_ids, ferr),
        _jump_counts(hmmf),
        _jump_counts(hmmr),
    )
    for record in priors._columns:
        for column in record:
            column.flags.writeable = False
    return priors


def _sorted_words(words: Sequence[str], used: list[npt.NDArray[Any]]) -> tuple[tuple[str, ...], npt.NDArray[np.int64]]:
    """Return the words that are used, in the order of code points, and for each id its new one."""
    is_used = np.zeros(len(words), dtype=np.bool_)
    for ids in used:
        is_used[ids] = True
    kept = sorted({word for word, is_in in zip(words, is_used.tolist(), strict=True) if is_in})
    index = {word: number for number, word in enumerate(kept)}
    return tuple(kept), np.fromiter((index.get(word, -1) for word in words), dtype=np.int64, count=len(words))


def _summed(
    first: npt.NDArray[Any], second: npt.NDArray[Any], counts: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Return distinct pairs of numbers below 2^32, sorted, and the sum of the counts of each."""
    keys = first.astype(np.uint64) << np.uint64(32) | second.astype(np.uint64)
    distinct, where = np.unique(keys, return_inverse=True)
    sums = np.bincount(where, counts, minlength=len(distinct)).astype(np.float64)
    return (distinct >> np.uint64(32)).astype(np.int64), (distinct & np.uint64(0xFFFF_FFFF)).astype(np.int64), sums


def _fertility_counts(ids: npt.NDArray[np.int64], columns: Columns) -> FertilityCounts:
    words, fertilities, counts = columns
    found = _summed(ids[words], np.minimum(fertilities, _MAX_FERTILITY), counts)
    return FertilityCounts(found[0].astype(np.uint32), found[1], found[2])


def _jump_counts(columns: Columns) -> JumpCounts:
    jumps, counts = columns
    distinct, where = np.unique(jumps, return_inverse=True)
    sums = np.bincount(where, counts, minlength=len(distinct)).astype(np.float64)
    return JumpCounts(distinct.astype(np.int64), sums)


def _tokens(links: Alignments, side: int, offsets: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """Return the number of the token, in the whole text, at one end of each link."""
    return np.asarray(offsets.astype(np.int64)[links.sentences] + links.links[:, side], dtype=np.int64)


def _fertilities(ids: npt.NDArray[np.uint32], tokens: npt.NDArray[np.int64]) -> Columns:
    """Return for each token with links its word, their number, and 1."""
    fertilities = np.bincount(tokens, minlength=len(ids))
    linked = np.flatnonzero(fertilities)
    return [ids[linked], fertilities[linked], np.ones(len(linked))]


def _jumps(links: Alignments, lengths: npt.NDArray[np.uint32]) -> Columns:
    """Return the jumps between the sources of neighbouring linked targets, and 1 for each.

    Several sources of one target are one stop, entered at the first and left at the last. The last jump of a pair goes
    behind its end, also where there are no links.
    """
    order = np.lexsort((links.links[:, 0], links.links[:, 1], links.sentences))
    sentences = links.sentences[order]
    sources, targets = (links.links[order, side].astype(np.int64) for side in (0, 1))
    is_first_of_pair = np.append(True, sentences[1:] != sentences[:-1])[: len(sentences)]
    is_entry = is_first_of_pair | np.append(True, targets[1:] != targets[:-1])[: len(targets)]
    before = np.where(is_first_of_pair, -1, np.append(-1, sources[:-1])[: len(sources)])
    last = np.full(len(links), -1, dtype=np.int64)
    # Of repeated indices the last one stays, which is the last link of the pair.
    last[sentences] = sources
    jumps = np.concatenate([(sources - before)[is_entry], lengths.astype(np.int64) - last])
    return [jumps, np.ones(len(jumps))]


def _shifted(column: npt.NDArray[Any], kind: str, shifts: tuple[int, int]) -> npt.NDArray[Any]:
    """Return ids moved behind the words of the parts before."""
    return column.astype(np.int64) + shifts[int(kind[-1])] if kind.startswith("word") else column


def _field(kind: str, column: npt.NDArray[Any], words: list[_core.Words], exact: bool) -> _core.Field:
    if kind.startswith("word"):
        return words[int(kind[-1])], column
    return (column, "shortest" if exact else "general") if kind == "number" else column
