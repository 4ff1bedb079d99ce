"""The HMM of word alignment and its word-dependent version: what an alignment's probability is.

He 2007, "Using Word Dependent Transition Models in HMM based Word Alignment for Statistical Machine
Translation" (equation numbers below are his), after Vogel, Ney and Tillmann 1996 and Och and Ney 2000, 2003.

    P(f, a | e) = prod_j p(a_j | last real position before j) t(f_j | e_{a_j})  x  p_last(last real position)

Conventions where the paper leaves a choice:

- Positions are 1..I; 0 stands before the sentence, I + 1 after it. NULL remembers the last real position, which
  is 0 at the start: NULL has p0, whatever was before; a real position i has (1 - p0) p(i | i', e_{i'}, I).
- Jumps d = i - i' have 15 buckets: <= -7, -6 .. 6, >= 7. What an end bucket has is shared equally by the positions
  of the sentence that fall into it. p(i | i', I) is normalised over the positions 1..I.
- First: the jump from 0 to the first real position has parameters of its own.
- Last: the jump from the last real position i' to I + 1 has parameters of its own. J is given, so it is no choice of
  where to go; it says where alignments end: a distribution over i' in 1..I, the mirror of the first jump. An alignment
  to NULL alone has 1 / I. (So the P(f, a | e) of all f and a sum to less than one, as in IBM Model 3.)
- First and last jumps depend on no word: nothing stands at 0, and few jumps of each word are last ones.
- Smoothing, (1 - alpha) p + alpha / I, comes after everything else and holds for first, other and last jumps.
- Without any count p is uniform: 1 / I. So is the start of training.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from reference.direction import Pair, Word

MAX_JUMP = 7
BUCKETS = 2 * MAX_JUMP + 1

Buckets = tuple[float, ...]
"""Counts of jumps: 15 numbers, for <= -7, -6 .. 6, >= 7."""


@dataclass(frozen=True)
class HmmModel:
    """Hyper-parameters.

    `p0` is the probability of NULL, `alpha` the weight of the uniform distribution. `tau` is the weight of the prior of
    word-dependent jumps: 0 is maximum likelihood, infinity the plain HMM. With `classes` (class of each given word)
    the prior is that of the word's class; the classes' own prior is word-independent and has the weight `class_tau`,
    0 in Och and Ney 2000. A word that is in no class has the word-independent prior.
    """

    p0: float = 0.2
    alpha: float = 0.0
    tau: float = math.inf
    classes: Mapping[str, int] | None = None
    class_tau: float = 0.0


@dataclass(frozen=True)
class Jumps:
    """Counts of jumps, expected or virtual; words and classes without an entry have none."""

    first: Buckets
    between: Buckets
    last: Buckets
    by_word: Mapping[str, Buckets] = field(default_factory=dict)
    by_class: Mapping[int, Buckets] = field(default_factory=dict)


@dataclass(frozen=True)
class Parameters:
    """t(f | e) as probabilities, and the counts that jumps are computed from.

    `prior` takes the place of the word-independent counts of `jumps` in the prior of word-dependent jumps.
    """

    lexicon: Mapping[tuple[Word, str], float]
    jumps: Jumps
    prior: Jumps | None = None


NO_COUNTS: Buckets = (0.0,) * BUCKETS
UNIFORM = Jumps(NO_COUNTS, NO_COUNTS, NO_COUNTS)
"""The start: without counts all jumps are equally likely."""


def bucket(d: int) -> int:
    """The place of jump d among the 15 buckets."""
    return max(-MAX_JUMP, min(MAX_JUMP, d)) + MAX_JUMP


def share_out(counts: Buckets, jumps: Sequence[int]) -> list[float]:
    """The count of each candidate, given the jump that leads to it: candidates of one bucket share its count."""
    buckets = [bucket(d) for d in jumps]
    return [counts[b] / buckets.count(b) for b in buckets]


def normalised(counts: list[float], otherwise: list[float]) -> list[float]:
    """Relative frequencies; `otherwise` when there is no count."""
    total = sum(counts)
    return [c / total for c in counts] if total > 0 else otherwise


def uniform(length: int) -> list[float]:
    """The same probability for each position 1..I."""
    return [1.0 / length] * length


def maximum_a_posteriori(counts: list[float], tau: float, prior: list[float]) -> list[float]:
    """Eq. 11; its limits for tau = 0 without counts and for tau = infinity are the prior."""
    total = sum(counts) + tau
    if total == 0 or math.isinf(tau):
        return prior
    return [(c + tau * p) / total for c, p in zip(counts, prior, strict=True)]


def first_jump(jumps: Jumps, length: int) -> list[float]:
    """p(i | 0, I) for i in 1..I."""
    return normalised(share_out(jumps.first, range(1, length + 1)), uniform(length))


def last_jump(jumps: Jumps, length: int) -> list[float]:
    """p_last(i') for i' in 1..I: the shares of the jumps I + 1 - i'."""
    return normalised(share_out(jumps.last, [length + 1 - i for i in range(1, length + 1)]), uniform(length))


def independent_jump(jumps: Jumps, start: int, length: int) -> list[float]:
    """p(i | i', I) for i in 1..I (eq. 2)."""
    return normalised(share_out(jumps.between, jumps_from(start, length)), uniform(length))


def prior_jump(model: HmmModel, parameters: Parameters, start: int, word: Word, length: int) -> list[float]:
    """What a word's own jumps are smoothed by: p(i | i', I), or p(i | i', class of the word, I)."""
    jumps = parameters.prior or parameters.jumps
    independent = independent_jump(jumps, start, length)
    known = (model.classes or {}).get(word) if word is not None else None
    if known is None:
        return independent
    counts = share_out(jumps.by_class.get(known, NO_COUNTS), jumps_from(start, length))
    return maximum_a_posteriori(counts, model.class_tau, independent)


def word_jump(model: HmmModel, parameters: Parameters, start: int, word: Word, length: int) -> list[float]:
    """p_MAP(i | i', e, I) for i in 1..I (eq. 10 and 11), before smoothing."""
    prior = prior_jump(model, parameters, start, word, length)
    own = parameters.jumps.by_word.get(word, NO_COUNTS) if word is not None else NO_COUNTS
    return maximum_a_posteriori(share_out(own, jumps_from(start, length)), model.tau, prior)


def jumps_from(start: int, length: int) -> list[int]:
    """i - i' for i in 1..I."""
    return [i - start for i in range(1, length + 1)]


def smoothed(model: HmmModel, probabilities: list[float]) -> list[float]:
    """(1 - alpha) p + alpha / I."""
    return [(1 - model.alpha) * p + model.alpha / len(probabilities) for p in probabilities]


@dataclass(frozen=True)
class Tables:
    """All probabilities that one sentence pair needs.

    `jump[i'][i]` is p(i | i', e_{i'}, I) for i' in 0..I and i in 1..I (index 0 of a row is unused), `last[i']` the
    factor of an alignment whose last real position is i', and `emission[j][i]` is t(f_j | e_i), j from 0, 0 for NULL.
    """

    p0: float
    jump: list[list[float]]
    last: list[float]
    emission: list[list[float]]

    @property
    def length(self) -> int:
        """I."""
        return len(self.last) - 1

    def step(self, before: int, a: int) -> float:
        """P(a_j = a | last real position)."""
        return self.p0 if a == 0 else (1 - self.p0) * self.jump[before][a]


def tables(model: HmmModel, parameters: Parameters, pair: Pair) -> Tables:
    """The probabilities of a sentence pair."""
    length, jumps = pair.given_length, parameters.jumps
    rows = [first_jump(jumps, length)]
    rows += [word_jump(model, parameters, i, pair.given[i], length) for i in range(1, length + 1)]
    return Tables(
        p0=model.p0,
        jump=[[0.0, *smoothed(model, row)] for row in rows],
        last=[1.0 / length, *smoothed(model, last_jump(jumps, length))],
        emission=[[parameters.lexicon.get((e, f), 0.0) for e in pair.given] for f in pair.emitted],
    )


def joint_probability(table: Tables, alignment: Sequence[int]) -> float:
    """P(f, a | e) of one alignment, as the equation at the top says."""
    product, before = 1.0, 0
    for j, a in enumerate(alignment):
        product *= table.step(before, a) * table.emission[j][a]
        before = a if a > 0 else before
    return product * table.last[before]
