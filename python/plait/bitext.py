r"""Sentence-aligned text of two languages.

A line ends at ``\n`` and nowhere else (``\r\n`` reads like ``\n``); tokens are what stands between ASCII
spaces and tabs. No-break spaces, U+2028, U+0085, form feeds and NUL are ordinary characters. A byte order
mark at the start of a file is dropped. There is one pair for each line: pairs that cannot be used stay in
their place and take no part in training.
"""

from __future__ import annotations

import dataclasses
import functools
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar, Unpack

import numpy as np
import numpy.typing as npt

from plait import _core
from plait.errors import ConfigError, TextError, UnequalLengthError
from plait.io.jsonl import read_jsonl
from plait.io.options import MAX_LENGTH, Folding, ReadOptions, make_builder
from plait.io.parallel_feed import feed_two
from plait.io.records import Sentence, encode_blocks, feed_pairs
from plait.io.streams import MAX_EXPANSION, Path, display_name, open_input, read_blocks
from plait.io.tmx import TmxReader

__all__ = ["MAX_LENGTH", "Bitext", "Counts", "Folding", "ReadOptions"]

_Scalar = TypeVar("_Scalar", bound=np.generic)


@dataclasses.dataclass(frozen=True)
class Counts:
    """What was read.

    A pair is in at most one of ``skipped``, ``empty`` and ``too_long``; the rest take part in training.

    Attributes
    ----------
    pairs
        Sentence pairs, usable or not.
    empty
        Pairs without a token on one side or both.
    too_long
        Pairs with more than ``max_length`` tokens on one side or both.
    skipped
        Pairs that could not be read (``on_error="skip"``).
    replaced
        Pairs with bytes replaced by U+FFFD (``on_error="replace"``).
    source_tokens, target_tokens
        Tokens, of all pairs.
    source_types, target_types
        Word types after lower-casing and stemming, of all pairs.
    unpaired
        Units of a TMX file that lack one of the languages; they make no pair.
    """

    pairs: int
    empty: int
    too_long: int
    skipped: int
    replaced: int
    source_tokens: int
    target_tokens: int
    source_types: int
    target_types: int
    unpaired: int = 0


class Bitext:
    """A corpus of sentence pairs, immutable.

    It takes 4 bytes a token, 8 a sentence and side, and the vocabularies. Use the constructors `read`,
    `read_joint`, `read_tsv`, `read_tmx`, `read_jsonl` and `from_lists`.

    Examples
    --------
    >>> from plait.bitext import Bitext
    >>> bitext = Bitext.from_lists(["the house", "the book"], [["das", "Haus"], ["das", "Buch"]])
    >>> bitext
    Bitext(2 pairs, 4 + 4 tokens, 3 + 3 types)
    >>> bitext.source(0), bitext.target(1)
    (['the', 'house'], ['das', 'Buch'])
    """

    def __init__(self, core: _core.Bitext, *, unpaired: int = 0, folding: Folding | None = None) -> None:
        self._core = core
        self.counts = Counts(**core.counts(), unpaired=unpaired)
        self.folding = folding
        """How words were folded; None when parts of the text were folded in different ways, or nobody knows."""

    @classmethod
    def read(cls, source: Path, target: Path, **options: Unpack[ReadOptions]) -> Bitext:
        """Read two files that run in parallel, line by line, on two threads.

        Parameters
        ----------
        source, target
            Files, named pipes, or "-" for standard input (one of them); compressed files are recognised by
            content.
        **options
            See `ReadOptions`.

        Raises
        ------
        plait.errors.UnequalLengthError
            One file has more lines than the other; the message names the shorter one and its last line.
        plait.errors.TextError
            A line is not UTF-8; the message has file, line and column.
        plait.errors.DataError, plait.errors.ResourceError
            Compressed data is damaged, or expands beyond all proportion.
        plait.errors.ConfigError
            An option is outside its range; both sides are standard input.
        OSError
            A file cannot be opened or read.
        """
        names = {"source": display_name(source), "target": display_name(target)}
        if names["source"] == names["target"] == display_name("-"):
            raise ConfigError("only one side can come from standard input; use read_joint for a stream of both")
        builder, limit = _builder(options)

        def read_source(nobody_waits: threading.Event) -> None:
            blocks = read_blocks(source, max_expansion=limit)
            _feed(builder.feed_source, builder.end_source, names["source"], blocks, nobody_waits)

        def read_target(nobody_waits: threading.Event) -> None:
            blocks = read_blocks(target, max_expansion=limit)
            _feed(builder.feed_target, builder.end_target, names["target"], blocks, nobody_waits)

        feed_two(read_source, read_target)
        return cls(_finish(builder, names), folding=Folding.of(options))

    @classmethod
    def read_joint(cls, path: Path, **options: Unpack[ReadOptions]) -> Bitext:
        """Read one file of ``source ||| target`` lines, the format of fast_align and eflomal.

        The separator is a token and stands exactly once in a line; each side may be empty.

        Raises
        ------
        plait.errors.TextError
            A line lacks the separator, has it twice, or it touches a word. Otherwise as `read`.
        """
        builder, limit = _builder(options)
        name = display_name(path)
        _feed(builder.feed_joint, builder.end_joint, name, read_blocks(path, max_expansion=limit))
        return cls(_finish(builder, {"source": name, "target": name}), folding=Folding.of(options))

    @classmethod
    def read_tsv(
        cls, path: Path, source_column: int = 1, target_column: int = 2, **options: Unpack[ReadOptions]
    ) -> Bitext:
        """Read two of the tab-separated columns of a file; columns are counted from 1.

        Raises
        ------
        plait.errors.TextError
            A line has too few columns. Otherwise as `read`.
        plait.errors.ConfigError
            A column is below 1.
        """
        for option, column in (("source_column", source_column), ("target_column", target_column)):
            if column < 1:
                raise ConfigError(name=option, expected="1 or more", found=column)
        builder, limit = _builder(options)
        name = display_name(path)

        def feed(block: bytes) -> None:
            builder.feed_tsv(block, source_column, target_column)

        _feed(feed, builder.end_joint, name, read_blocks(path, max_expansion=limit))
        return cls(_finish(builder, {"source": name, "target": name}), folding=Folding.of(options))

    @classmethod
    def read_tmx(cls, path: Path, source_language: str, target_language: str, **options: Unpack[ReadOptions]) -> Bitext:
        """Read two languages of a translation memory.

        A code takes the longer codes that start with it: ``en`` takes ``en-US``. Units without one of the
        languages make no pair and are counted in ``counts.unpaired``. White space in a segment becomes one
        space; tags inside are dropped, and so are the native codes of ``bpt ept it ph ut``.

        Raises
        ------
        plait.errors.TextError
            The file is not well-formed XML, not TMX, or declares entities.
        plait.errors.DataError
            No unit has both languages. Otherwise as `read`.
        plait.errors.ConfigError
            The languages are the same or empty.
        """
        builder, limit = _builder(options)
        with open_input(path, max_expansion=limit) as stream:
            reader = TmxReader(stream, display_name(path), source_language, target_language)
            feed_pairs(builder, ((source.encode(), target.encode()) for source, target in reader))
        return cls(builder.finish(), unpaired=reader.unpaired, folding=Folding.of(options))

    @classmethod
    def read_jsonl(cls, path: Path, source_key: str, target_key: str, **options: Unpack[ReadOptions]) -> Bitext:
        """Read a file with one JSON object a line; each side is a string or a list of tokens under its key.

        A key with dots that is no member itself goes down into nested objects: ``translation.en``. Line ends
        inside a string are white space.

        Raises
        ------
        plait.errors.TextError
            A line is not a JSON object, lacks a key, or has something else there. Otherwise as `read`.
        """
        builder, limit = _builder(options)
        on_error = options.get("on_error", "strict")
        with open_input(path, max_expansion=limit) as stream:
            feed_pairs(builder, read_jsonl(stream, display_name(path), source_key, target_key, on_error))
        return cls(builder.finish(), folding=Folding.of(options))

    @classmethod
    def from_lists(
        cls, sources: Iterable[Sentence], targets: Iterable[Sentence], **options: Unpack[ReadOptions]
    ) -> Bitext:
        """Make a corpus of sentences in memory: strings, split at ASCII spaces and tabs, or lists of tokens.

        Raises
        ------
        plait.errors.UnequalLengthError
            There are more sentences on one side.
        plait.errors.TextError
            A token is empty or has white space in it, or a sentence has a line end.
        """
        names = {"source": "sources", "target": "targets"}
        builder, _ = _builder(options)
        is_strict = options.get("on_error", "strict") == "strict"
        for feed, end, name, sentences in (
            (builder.feed_source, builder.end_source, "sources", sources),
            (builder.feed_target, builder.end_target, "targets", targets),
        ):
            _feed(feed, end, name, encode_blocks(sentences, name, is_strict=is_strict))
        return cls(_finish(builder, names), folding=Folding.of(options))

    @staticmethod
    def concatenate(a: Bitext, b: Bitext) -> Bitext:
        """Return the pairs of ``a``, then those of ``b``.

        Words are numbered anew; each pair stays usable or not. Time and memory are linear in both.
        """
        unpaired = a.counts.unpaired + b.counts.unpaired
        folding = a.folding if a.folding == b.folding else None
        return Bitext(_core.Bitext.concatenate(a._core, b._core), unpaired=unpaired, folding=folding)

    def __len__(self) -> int:
        """Return the number of sentence pairs."""
        return self.counts.pairs

    def __repr__(self) -> str:
        c = self.counts
        return (
            f"Bitext({c.pairs} pairs, {c.source_tokens} + {c.target_tokens} tokens, "
            f"{c.source_types} + {c.target_types} types)"
        )

    def source(self, n: int) -> list[str]:
        """Return the source words of pair ``n``, from 0; as written with ``keep_text``, folded otherwise."""
        return self._core.source(n)

    def target(self, n: int) -> list[str]:
        """Return the target words of pair ``n``, from 0; as written with ``keep_text``, folded otherwise."""
        return self._core.target(n)

    @functools.cached_property
    def source_offsets(self) -> npt.NDArray[np.uint64]:
        """Where each source sentence starts in `source_ids`, and the number of tokens: uint64[pairs + 1]."""
        return _frozen(self._core.source_offsets())

    @functools.cached_property
    def target_offsets(self) -> npt.NDArray[np.uint64]:
        """Where each target sentence starts in `target_ids`, and the number of tokens: uint64[pairs + 1]."""
        return _frozen(self._core.target_offsets())

    @functools.cached_property
    def source_lengths(self) -> npt.NDArray[np.uint32]:
        """Tokens of each source sentence: uint32[pairs]."""
        return _frozen(np.diff(self.source_offsets).astype(np.uint32))

    @functools.cached_property
    def target_lengths(self) -> npt.NDArray[np.uint32]:
        """Tokens of each target sentence: uint32[pairs]."""
        return _frozen(np.diff(self.target_offsets).astype(np.uint32))

    @property
    def source_ids(self) -> npt.NDArray[np.uint32]:
        """Source tokens as word ids, sentence after sentence: uint32[tokens], a new copy at each access."""
        return self._core.source_ids()

    @property
    def target_ids(self) -> npt.NDArray[np.uint32]:
        """Target tokens as word ids, sentence after sentence: uint32[tokens], a new copy at each access."""
        return self._core.target_ids()

    @functools.cached_property
    def source_vocabulary(self) -> tuple[str, ...]:
        """Source word types by id: by falling frequency in usable pairs, ties by first occurrence."""
        return tuple(self._core.source_vocabulary())

    @functools.cached_property
    def target_vocabulary(self) -> tuple[str, ...]:
        """Target word types by id: by falling frequency in usable pairs, ties by first occurrence."""
        return tuple(self._core.target_vocabulary())

    @functools.cached_property
    def source_frequencies(self) -> npt.NDArray[np.uint64]:
        """Tokens of each source word type in usable pairs: uint64[types], falling.

        Words that occur in other pairs only come last, with 0.
        """
        return _frozen(self._core.source_frequencies())

    @functools.cached_property
    def target_frequencies(self) -> npt.NDArray[np.uint64]:
        """Tokens of each target word type in usable pairs: uint64[types], falling.

        Words that occur in other pairs only come last, with 0.
        """
        return _frozen(self._core.target_frequencies())

    @functools.cached_property
    def usable(self) -> npt.NDArray[np.bool_]:
        """Whether each pair takes part in training: bool[pairs]."""
        return _frozen(self._core.usable())


def _builder(options: ReadOptions) -> tuple[_core.BitextBuilder, float | None]:
    """Return a builder for these options, and the limit of expansion."""
    return make_builder(options), options.get("max_expansion", MAX_EXPANSION)


def _feed(
    feed: Callable[[bytes], None],
    end: Callable[[], None],
    name: str,
    blocks: Iterator[bytes],
    nobody_waits: threading.Event | None = None,
) -> None:
    """Feed all blocks; errors of the text get the name of the file."""
    try:
        for block in blocks:
            feed(block)
            if nobody_waits is not None and nobody_waits.is_set():
                return
        end()
    except TextError as problem:
        raise problem if problem.path else problem.at(name) from None


def _finish(builder: _core.BitextBuilder, names: dict[str, str]) -> _core.Bitext:
    try:
        return builder.finish()
    except UnequalLengthError as problem:
        raise problem.named(names) from None


def _frozen(array: npt.NDArray[_Scalar]) -> npt.NDArray[_Scalar]:
    # A cached array is shared by all who ask for it.
    array.flags.writeable = False
    return array
