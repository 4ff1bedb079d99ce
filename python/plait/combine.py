"""One alignment from several alignments of the same corpus.

The paper's combination replicates the corpus, once per alignment, and extracts phrases from the whole:
EM(Co) is the combination of EM-5, EM-20 and EM-80, GS(Co) that of GS-5, GS-80 and GS-N, and EM(Co)+GS(Co)
that of all six. `concatenate` does that. `vote` and `average` keep one line for each sentence pair instead.

Source: Mermer, Saraçlar and Sarikaya (2013), Improving Statistical Machine Translation Using
Bayesian Word Alignment and Gibbs Sampling, section IV.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from plait import _core
from plait.alignments import Alignments
from plait.errors import ConfigError, UnequalLengthError
from plait.threads import resolve_threads

__all__ = ["METHODS", "Method", "average", "combine", "concatenate", "vote"]

Method = Literal["concatenate", "vote", "average"]
METHODS: tuple[Method, ...] = get_args(Method)
"""The ways to combine."""


def combine(
    alignments: Sequence[Alignments],
    method: Method = "vote",
    *,
    threshold: float = 0.5,
    threads: int | None = None,
) -> Alignments:
    """Combine alignments by the method of this name; see `concatenate`, `vote` and `average`.

    Raises
    ------
    ConfigError
        The method is unknown; or as that method.
    """
    if method == "concatenate":
        return concatenate(alignments)
    if method == "vote":
        return vote(alignments, threshold=threshold, threads=threads)
    if method == "average":
        return average(alignments, threshold=threshold, threads=threads)
    raise ConfigError(name="method", expected=f"one of {', '.join(METHODS)}", found=repr(method))


def concatenate(alignments: Sequence[Alignments]) -> Alignments:
    r"""Return the pairs of all alignments, one after the other, for a corpus that is replicated too.

    Parameters
    ----------
    alignments
        Alignments of the same corpus.

    Returns
    -------
    Alignments
        With as many pairs as all alignments together. `Bitext.concatenate` replicates the text.

    Raises
    ------
    ConfigError
        There is no alignment, or some have probabilities and others have not.
    UnequalLengthError
        The alignments have different numbers of pairs.

    Examples
    --------
    >>> em5 = Alignments.from_lists([[(0, 0)], [(0, 1)]])
    >>> em20 = Alignments.from_lists([[(0, 0)], [(1, 1)]])
    >>> concatenate([em5, em20]).to_pharaoh()
    b'0-0\n0-1\n0-0\n1-1\n'
    """
    _check(alignments)
    return Alignments._from_core(_core.concatenate_links([a._arrays for a in alignments]))


def vote(alignments: Sequence[Alignments], *, threshold: float = 0.5, threads: int | None = None) -> Alignments:
    """Return the links that more than a share of the alignments have.

    Parameters
    ----------
    alignments
        Alignments of the same corpus. Their probabilities play no part.
    threshold
        The share, from 0 to 1; 0.5 asks for a majority. The comparison is strict: half of the votes is no
        majority.
    threads
        Number of threads; ``None`` for all that may be used.

    Returns
    -------
    Alignments
        With the share of votes as probabilities.

    Raises
    ------
    ConfigError
        There is no alignment, or the threshold is not from 0 to 1.
    UnequalLengthError
        The alignments have different numbers of pairs.
    """
    _check(alignments)
    arrays = _core.combine_vote([a._arrays for a in alignments], threshold, threads=resolve_threads(threads))
    return Alignments._from_core(arrays)


def average(alignments: Sequence[Alignments], *, threshold: float = 0.5, threads: int | None = None) -> Alignments:
    """Return the links whose mean probability over the alignments is above a threshold, with that mean.

    Parameters
    ----------
    alignments
        Alignments of the same corpus, all with probabilities. A link that one lacks counts as 0.
    threshold
        From 0 to 1; the comparison is strict.
    threads
        Number of threads; ``None`` for all that may be used.

    Returns
    -------
    Alignments

    Raises
    ------
    ConfigError
        There is no alignment, one has no probabilities, or the threshold is not from 0 to 1.
    UnequalLengthError
        The alignments have different numbers of pairs.
    """
    _check(alignments)
    arrays = _core.combine_average([a._arrays for a in alignments], threshold, threads=resolve_threads(threads))
    return Alignments._from_core(arrays)


def _check(alignments: Sequence[Alignments]) -> None:
    if not alignments:
        raise ConfigError(name="alignments", expected="at least one alignment", found="none")
    for n, other in enumerate(alignments[1:], start=2):
        if len(other) != len(alignments[0]):
            named = [("alignment 1", len(alignments[0])), (f"alignment {n}", len(other))]
            (shorter, short), (longer, long) = sorted(named, key=lambda pair: pair[1])
            raise UnequalLengthError(shorter=shorter, shorter_len=short, longer=longer, longer_len=long)
