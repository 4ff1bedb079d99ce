"""IBM Models 1 and 2: what both say about the position that a word is aligned to.

Mermer, Saraçlar and Sarikaya 2013, "Improving Statistical Machine Translation Using Bayesian Word Alignment
and Gibbs Sampling", sections III-A and III-D. Model 2 is their relative-distortion variant (also called
diagonal-oriented).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from reference.direction import NULL, Pair, Word
from reference.special import log

MAX_JUMP = 5
JUMPS = range(-MAX_JUMP, MAX_JUMP + 1)
"""The 11 values of the relative distortion."""

Lexicon = dict[tuple[Word, str], float]
"""ln t(f | e), for the pairs of types that occur together in a sentence pair."""
Distortion = dict[int, float]
"""ln d(delta) of each of the 11 jumps."""


@dataclass(frozen=True)
class Model:
    """Which model, and its hyper-parameters.

    `p0` is the probability of NULL; None is Model 1's uniform choice among all I + 1 words. `theta` and `phi`
    are the pseudo-counts of the symmetric Dirichlet priors of lexicon and distortion. `tail` says what each
    position at jumps <= -5 (or >= 5) has of that bucket's probability: an equal share, or, as eq. 7 and 10
    read, all of it.
    """

    name: Literal["ibm1", "ibm2"] = "ibm1"
    p0: float | None = None
    theta: float = 0.0001
    phi: float = 1.0
    tail: Literal["shared", "each"] = "shared"

    def __post_init__(self) -> None:
        assert self.name == "ibm1" or self.p0 is not None, "Model 2 needs the probability of NULL"

    @property
    def has_distortion(self) -> bool:
        return self.name == "ibm2"


def diagonal(j: int, given_length: int, emitted_length: int) -> int:
    """The given position (0-based) at the height of the middle of emitted position j (0-based)."""
    return ((2 * j + 1) * given_length) // (2 * emitted_length)


def jump(i: int, j: int, given_length: int, emitted_length: int) -> int:
    """Relative distortion of given position i to emitted position j, both 0-based, clipped to -5..5."""
    distance = i - diagonal(j, given_length, emitted_length)
    return max(-MAX_JUMP, min(MAX_JUMP, distance))


def jump_of_link(pair: Pair, a: int, j: int) -> int | None:
    """Relative distortion of the link a_j = a, or None when a is NULL (a is 1-based, as in the paper)."""
    if a == 0:
        return None
    return jump(a - 1, j, pair.given_length, pair.emitted_length)


def tail_share(model: Model, pair: Pair, a: int, j: int) -> float:
    """What position a has of the probability of its jump: 1 near the diagonal."""
    delta = jump_of_link(pair, a, j)
    if model.tail == "each" or delta is None or abs(delta) < MAX_JUMP:
        return 1.0
    others = [jump_of_link(pair, i, j) for i in range(1, pair.given_length + 1)]
    return 1.0 / others.count(delta)


def log_position(model: Model, distortion: Distortion, pair: Pair, a: int, j: int) -> float:
    """ln P(a_j = a): eq. 2 (Model 1) or eq. 7 (Model 2). Model 2's are not renormalised within a sentence."""
    if model.p0 is None:
        return log(1.0 / (pair.given_length + 1))
    if a == 0:
        return log(model.p0)
    if model.has_distortion:
        delta = jump(a - 1, j, pair.given_length, pair.emitted_length)
        return log(1.0 - model.p0) + distortion[delta] + log(tail_share(model, pair, a, j))
    return log((1.0 - model.p0) / pair.given_length)


def uniform_distortion() -> Distortion:
    """The same probability for each of the 11 jumps."""
    return dict.fromkeys(JUMPS, log(1.0 / len(JUMPS)))


__all__ = [
    "JUMPS",
    "MAX_JUMP",
    "NULL",
    "Distortion",
    "Lexicon",
    "Model",
    "diagonal",
    "jump",
    "jump_of_link",
    "log_position",
    "tail_share",
    "uniform_distortion",
]
