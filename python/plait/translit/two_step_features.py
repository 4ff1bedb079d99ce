"""Which features a two-step random field has, and what its converter learns to tell apart."""

from __future__ import annotations

from typing import Literal, get_args

from plait.errors import ConfigError
from plait.translit.two_step_chunks import Flat
from plait.translit.two_step_decoding import count

__all__ = ["FEATURES", "Rivals", "check_features", "is_logographic", "rivals_of", "widths_of"]

Rivals = Literal["auto", "all", "seen"]

FEATURES: dict[str, tuple[int, int]] = {"paper": (2, 0), "letters": (5, 3)}
"""Names of sets of features, and their widths: the longest strings of the segmenter, and letters around a chunk."""


def check_features(features: str | tuple[int, int]) -> None:
    """Refuse what names no set of features.

    Raises
    ------
    plait.errors.ConfigError
        It is neither a known name nor two widths.
    """
    if isinstance(features, str):
        if features != "auto" and features not in FEATURES:
            expected = f"auto, one of {', '.join(FEATURES)}, or two widths"
            raise ConfigError(name="features", expected=expected, found=repr(features))
    elif len(features) != 2:
        raise ConfigError(name="features", expected="a name or two widths", found=repr(features))


def is_logographic(flat: Flat) -> bool:
    """Whether letters become Chinese characters, or what is like them."""
    return flat.longest > 2 and flat.is_logographic


def widths_of(features: str | tuple[int, int], flat: Flat) -> tuple[int, int]:
    """Return the widths of features for chunks.

    Raises
    ------
    plait.errors.ConfigError
        A width is no whole number from 0.
    """
    if not isinstance(features, str):
        window, letters = features
        return count("the window of features", window, 0), count("the letters of features", letters, 0)
    if features != "auto":
        return FEATURES[features]
    return FEATURES["paper" if is_logographic(flat) else "letters"]


def rivals_of(rivals: Rivals, flat: Flat, *, wants_all: bool) -> Literal["all", "seen"]:
    """Return what the label of a chunk is weighed against in training: "all" labels, or those "seen" with the chunk.

    Raises
    ------
    plait.errors.ConfigError
        There is no such choice.
    """
    if rivals not in get_args(Rivals):
        raise ConfigError(name="rivals", expected=f"one of {', '.join(get_args(Rivals))}", found=repr(rivals))
    if rivals != "auto":
        return rivals
    return "all" if wants_all or is_logographic(flat) else "seen"
