"""Sentences that are Python values (strings, lists of tokens) as lines of bytes for the core."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from plait.errors import TextError

__all__ = ["Sentence", "encode_blocks", "encode_sentence"]

Sentence = str | Iterable[str]
"""A line of text, split at ASCII spaces and tabs, or the tokens themselves."""

_LINES_PER_BLOCK = 4096

# What would end a token or a line if it stood in one.
_BREAKS = str.maketrans("", "", " \t\n")


def encode_blocks(sentences: Iterable[Sentence], name: str) -> Iterator[bytes]:
    """Yield the sentences as blocks of lines; errors name ``name`` and the 1-based number of the sentence."""
    numbered = enumerate(sentences, 1)
    while chunk := list(itertools.islice(numbered, _LINES_PER_BLOCK)):
        yield b"".join(encode_sentence(sentence, line=line, path=name) + b"\n" for line, sentence in chunk)


def encode_sentence(sentence: Sentence, *, line: int, path: str) -> bytes:
    """Return a sentence as the bytes of one line, without the line end.

    The line starts and ends with a space: then a byte order mark or a carriage return at its ends, which are dropped in files, stay part of
    their tokens.

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
    try:
        return b" " + text.encode() + b" "
    except UnicodeEncodeError as problem:
        raise TextError(
            line=line,
            column=problem.start + 1,
            problem="the text has a lone surrogate, which UTF-8 cannot hold; decode it with the right encoding",
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
