"""One set of links from the two directions of an aligner.

*Forward* links each target word to at most one source word, P(target | source); *reverse* links each source
word to at most one target word. Both are written source-target.
"""

from __future__ import annotations

from typing import Literal, get_args

from plait import _core
from plait.alignments import Alignments
from plait.errors import ConfigError
from plait.link_arrays import LinkArrays
from plait.threads import resolve_threads

__all__ = ["METHODS", "VARIANTS", "Method", "Variant", "symmetrize"]

Method = Literal[
    "intersection",
    "union",
    "grow",
    "grow-diag",
    "grow-diag-final",
    "grow-diag-final-and",
    "grow-final",
    "grow-final-and",
    "soft",
]
METHODS: tuple[Method, ...] = get_args(Method)
"""The ways to symmetrise."""

_PAIRS_AT_A_TIME = 1 << 17

Variant = Literal["symal", "atools"]
VARIANTS: tuple[Variant, ...] = get_args(Variant)
"""Whose order of the scan the growing heuristics follow."""


def symmetrize(
    forward: Alignments,
    reverse: Alignments,
    method: Method = "grow-diag-final-and",
    *,
    threshold: float = 0.5,
    variant: Variant = "symal",
    threads: int | None = None,
) -> Alignments:
    r"""Return one set of links from both directions.

    Parameters
    ----------
    forward, reverse
        Links of the two directions, written source-target. For "soft" they must have probabilities: the
        posteriors of all candidate links.
    method
        "intersection" and "union" of both; "grow": the intersection, and links of the union next to one
        that is in (sharing a side) as long as one of their words is unaligned; "grow-diag": neighbours by a
        corner count too; "-final" adds all links of the union that still have an unaligned word,
        "-final-and" those whose words are both unaligned; "soft": links whose mean posterior over both
        directions is above the threshold, a missing posterior counting as 0.
    threshold
        For "soft", from 0 to 1; the comparison is strict.
    variant
        The heuristics depend on the order in which links are looked at. "symal" follows Moses, "atools"
        follows fast_align; see Notes.
    threads
        Number of threads; ``None`` for all that may be used. The result does not depend on it.

    Returns
    -------
    Alignments
        With probabilities when both directions have them: the mean of both, a missing link counting as 0.

    Raises
    ------
    UnequalLengthError
        The directions have different numbers of sentence pairs.
    ConfigError
        The method or variant is unknown, the threshold is not from 0 to 1, or "soft" is asked of links
        without probabilities.

    Notes
    -----
    symal walks over the links that are in, by target then source position, and adds their
    neighbours (before, left, after, right, then the corners); atools walks over the links that are not in,
    by source then target position, and adds those that touch one that is in. In both, the final step takes
    candidates of the forward direction first. Links come out sorted by source, then target; symal sorts by
    target.

    Time is O(n log n) in the links of a sentence pair; sentences may have any length.

    References
    ----------
    Och and Ney (2003), A Systematic Comparison of Various Statistical Alignment Models, section 4.4.
    Koehn, Och and Marcu (2003), Statistical Phrase-Based Translation.

    Examples
    --------
    >>> forward = Alignments.from_lists([[(0, 0), (1, 1), (1, 2)]])
    >>> reverse = Alignments.from_lists([[(0, 0), (1, 1), (2, 2)]])
    >>> symmetrize(forward, reverse, "grow-diag").to_pharaoh()
    b'0-0 1-1 1-2 2-2\n'
    """
    if method not in METHODS:
        raise ConfigError(name="method", expected=f"one of {', '.join(METHODS)}", found=repr(method))
    count = resolve_threads(threads)
    if len(forward) != len(reverse):
        # The core names the difference.
        return Alignments._from_core(_stretch(forward, reverse, method, threshold, variant, count))
    # Stretches bound the memory for copies on their way to the core; pairs do not depend on each other.
    starts = range(0, max(len(forward), 1), _PAIRS_AT_A_TIME)
    spans = [slice(start, start + _PAIRS_AT_A_TIME) for start in starts]
    parts = [_stretch(forward[span], reverse[span], method, threshold, variant, count) for span in spans]
    return Alignments._from_core(parts[0] if len(parts) == 1 else _core.concatenate_links(parts))


def _stretch(
    forward: Alignments, reverse: Alignments, method: Method, threshold: float, variant: Variant, threads: int
) -> LinkArrays:
    if method == "soft":
        return _core.symmetrize_soft(forward._arrays, reverse._arrays, threshold, threads=threads)
    return _core.symmetrize_links(forward._arrays, reverse._arrays, method, variant=variant, threads=threads)
