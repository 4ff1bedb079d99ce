"""The options that all readers of parallel text share."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypedDict, cast

from plait import _core
from plait.errors import ConfigError

__all__ = ["MAX_LENGTH", "Folding", "ReadOptions", "make_builder"]

MAX_LENGTH: int = _core.MAX_LENGTH
"""The longest sentence that can be aligned, in tokens."""


class ReadOptions(TypedDict, total=False):
    """Keywords of all constructors of `Bitext`.

    Attributes
    ----------
    lowercase
        Fold words by Unicode lower-casing (default False).
    stem_source, stem_target
        Keep the first N characters of each word, the last -N when negative; 0, the default, keeps whole
        words.
    max_length
        Pairs with a side of more tokens take no part in training; by default and at most `MAX_LENGTH`.
    on_error
        What happens to a line that cannot be read: "strict" (the default) raises, "skip" makes its pair empty
        and counts it, "replace" puts U+FFFD for bytes that are not UTF-8 and counts the pair.
    keep_text
        Keep words as written, before lower-casing and stemming, for `Bitext.source` and `Bitext.target`
        (4 bytes a token when words are folded).
    max_expansion
        The largest ratio of decompressed to compressed bytes, looked at after 64 MiB (default 200); None for
        no limit.
    """

    lowercase: bool
    stem_source: int
    stem_target: int
    max_length: int | None
    on_error: Literal["strict", "skip", "replace"]
    keep_text: bool
    max_expansion: float | None


class Folding(NamedTuple):
    """How words were folded when a text was read; what is learned from a text holds for words folded alike.

    Attributes
    ----------
    lowercase, stem_source, stem_target
        As in `ReadOptions`.
    """

    lowercase: bool = False
    stem_source: int = 0
    stem_target: int = 0

    @classmethod
    def of(cls, options: ReadOptions) -> Folding:
        """Return what these options do to words."""
        return cls(options.get("lowercase", False), options.get("stem_source", 0), options.get("stem_target", 0))

    def __str__(self) -> str:
        return f"lowercase={self.lowercase}, stem_source={self.stem_source}, stem_target={self.stem_target}"


def make_builder(options: ReadOptions) -> _core.BitextBuilder:
    """Return a builder of the core with these options.

    Raises
    ------
    plait.errors.ConfigError
        ``max_length`` or ``on_error`` is outside its range.
    TypeError
        There is no such option.
    """
    length = options.get("max_length")
    length = MAX_LENGTH if length is None else length
    if not 1 <= length <= MAX_LENGTH:
        raise ConfigError(name="max_length", expected=f"between 1 and {MAX_LENGTH}", found=length)
    rest = {key: value for key, value in options.items() if key not in ("max_length", "max_expansion")}
    return _core.BitextBuilder(max_length=length, **cast(Any, rest))
