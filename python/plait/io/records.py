"""Sentences that are Python values (strings, lists of tokens) as lines of bytes for the core."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from plait import _core
from plait.errors import TextError

__all__ = ["Sentence", "encode_blocks", "encode_sentence", "feed_pairs"]

Sentence = str | Iterable[str]
"""A line of text, split at ASCII spaces and tabs, or the tokens themselves."""

_LINES_PER_BLOCK = 4096

# What would end a token or a line if it stood in one.
_BREAKS = str.maketrans("", "", " \t\n")


def feed_pairs(builder: _core.BitextBuilder, pairs: Iterable[tuple[bytes, bytes] | None]) -> None:
    """Feed lines of both sides in step; None is a pair that is left out."""
    rest = iter(pairs)
    while chunk := list(itertools.islice(rest, _LINES_PER_BLOCK)):
        for is_skipped, group in itertools.groupby(chunk, key=lambda pair: pair is None):
            if is_skipped:
                for _ in group:
                    builder.skip_pair()
                continue
            sources, targets = zip(*(pair for pair in group if pair is not None), strict=True)
            builder.feed_source(b"\n".join(sources) + b"\n")
            builder.feed_target(b"\n".join(targets) + b"\n")


def encode_blocks(sentences: Iterable[Sentence], name: str, *, is_strict: bool) -> Iterator[bytes]:
    """Yield the sentences as blocks of lines; errors name ``name`` and the 1-based number of the sentence."""
    numbered = enumerate(sentences, 1)
    while chunk := list(itertools.islice(numbered, _LINES_PER_BLOCK)):
        yield b"".join(
            encode_sentence(sentence, line=line, path=name, is_strict=is_strict) + b"\n" for line, sentence in chunk
        )


def encode_sentence(sentence: Sentence, *, line: int, path: str, is_strict: bool = True) -> bytes:
    """Return a sentence as the bytes of one line, without the line end.

    The line starts and ends with a space: then a byte order mark or a carriage return at its ends, which are
    dropped in files, stay part of their tokens.

    Parameters
    ----------
    sentence
        A string or tokens.
    line, path
        For messages.
    is_strict
        Whether lone surrogates are an error; otherwise they become bytes that are not UTF-8, which the core
        skips or replaces. Bytes that were decoded with ``surrogateescape`` come back as they were.

    Raises
    ------
    plait.errors.TextError
        A token is empty or has white space in it; a string has a line end; there are lone surrogates.
    """
    if isinstance(sentence, str):
        text = sentence
        if "\n" in text:
            raise TextError(
                line=line,
                column=text.index("\n") + 1,
                problem="a sentence is one line; split it or replace the line end by a space",
                found=r"'\n'",
                path=path,
            )
    else:
        tokens = list(sentence)
        for number, token in enumerate(tokens, 1):
            _check_token(token, number, line, path)
        text = " ".join(tokens)
    return b" " + _encode(text, line, path, is_strict) + b" "


def _encode(text: str, line: int, path: str, is_strict: bool) -> bytes:
    try:
        return text.encode("utf-8", "strict" if is_strict else "surrogateescape")
    except UnicodeEncodeError as problem:
        if not is_strict:
            return text.encode("utf-8", "surrogatepass")
        raise TextError(
            line=line,
            column=problem.start + 1,
            problem="the text has a lone surrogate, which UTF-8 cannot hold; "
            "decode it with the right encoding, or choose on-error skip or replace",
            found=repr(text[problem.start]),
            path=path,
        ) from None


def _check_token(token: object, number: int, line: int, path: str) -> None:
    if not isinstance(token, str):
        problem = f"token {number} must be a string"
    elif not token:
        problem = f"token {number} is empty; leave it out"
    elif token.translate(_BREAKS) != token:
        problem = f"token {number} has white space in it; split it, or use another character inside"
    else:
        return
    raise TextError(line=line, column=1, problem=problem, found=repr(token), path=path)
