"""E-step and Viterbi alignment of the HMM: by enumeration of all alignments, and by forward-backward.

Both give the same things; the first is obviously right and takes (I + 1)^J steps, the second takes I^2 J.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from reference.direction import Pair, Word
from reference.hmm import Tables, joint_probability

Kind = Literal["first", "between", "last"]
Context = tuple[Kind, Word, int, int]
"""Which jump: its kind, the word at its start i', i', and I. Last jumps have no word and i' = 0: their candidates are
the starts; first jumps have the virtual word before the sentence, None, and i' = 0."""


@dataclass(frozen=True)
class SentenceExpectation:
    """Posterior sums of one sentence pair.

    `likelihood` is P(f | e); `links[j][i]` is P(a_j = i | f, e), j from 0, i from 0 = NULL; `jumps[context][i - 1]` is
    the expected number of jumps of this context to position i (for last jumps: of alignments that end at i).
    A pair with likelihood 0 has zeros.
    """

    likelihood: float
    links: list[list[float]]
    jumps: dict[Context, list[float]] = field(default_factory=dict)


def context_of(pair: Pair, start: int) -> Context:
    """The context of a jump from a position to a real one."""
    kind: Kind = "between" if start > 0 else "first"
    return (kind, pair.given[start] if start > 0 else None, start, pair.given_length)


def last_context(pair: Pair) -> Context:
    """The context of the jump out of the sentence."""
    return ("last", None, 0, pair.given_length)


def all_alignments(pair: Pair) -> itertools.product[tuple[int, ...]]:
    """Every a_1..a_J with a_j in 0..I."""
    return itertools.product(range(pair.given_length + 1), repeat=pair.emitted_length)


def by_enumeration(table: Tables, pair: Pair) -> SentenceExpectation:
    """The E-step, one alignment after the other."""
    likelihood = sum(joint_probability(table, a) for a in all_alignments(pair))
    links = [[0.0] * len(pair.given) for _ in pair.emitted]
    jumps: dict[Context, list[float]] = defaultdict(lambda: [0.0] * pair.given_length)
    if likelihood == 0:
        return SentenceExpectation(0.0, links)
    for alignment in all_alignments(pair):
        posterior = joint_probability(table, alignment) / likelihood
        before = 0
        for j, a in enumerate(alignment):
            links[j][a] += posterior
            if a > 0:
                jumps[context_of(pair, before)][a - 1] += posterior
                before = a
        if before > 0:
            jumps[last_context(pair)][before - 1] += posterior
    return SentenceExpectation(likelihood, links, dict(jumps))


State = tuple[int, bool]
"""The last real position, and whether the word itself comes from NULL."""
START: State = (0, True)


def states(length: int) -> list[State]:
    """I + 1 states of NULL, one for each last real position, and I real ones: in the order in which ties are broken."""
    return [(i, True) for i in range(length + 1)] + [(i, False) for i in range(1, length + 1)]


def transition(table: Tables, before: State, after: State) -> float:
    """P(after | before): NULL keeps the last real position."""
    if after[1]:
        return table.step(before[0], 0) if after[0] == before[0] else 0.0
    return table.step(before[0], after[0])


def emission(table: Tables, j: int, state: State) -> float:
    """t(f_j | word of the state)."""
    return table.emission[j][0 if state[1] else state[0]]


def forward(table: Tables) -> list[dict[State, float]]:
    """alpha_j(s) = P(f_1..f_j, state s at j), j from 0."""
    result: list[dict[State, float]] = []
    before = {START: 1.0}
    for j in range(len(table.emission)):
        now = {
            s: sum(alpha * transition(table, r, s) for r, alpha in before.items()) * emission(table, j, s)
            for s in states(table.length)
        }
        result.append(now)
        before = now
    return result


def backward(table: Tables) -> list[dict[State, float]]:
    """beta_j(s) = P(f_{j+1}..f_J, the last jump | state s at j), j from 0."""
    all_states = states(table.length)
    result = [{s: table.last[s[0]] for s in all_states}]
    for j in reversed(range(1, len(table.emission))):
        after = result[0]
        result.insert(
            0,
            {
                r: sum(transition(table, r, s) * emission(table, j, s) * after[s] for s in all_states)
                for r in all_states
            },
        )
    return result


def by_forward_backward(table: Tables, pair: Pair) -> SentenceExpectation:
    """The E-step of Baum and Welch."""
    alpha, beta = forward(table), backward(table)
    likelihood = sum(alpha[-1][s] * table.last[s[0]] for s in states(table.length))
    links = [[0.0] * len(pair.given) for _ in pair.emitted]
    jumps: dict[Context, list[float]] = defaultdict(lambda: [0.0] * pair.given_length)
    if likelihood == 0:
        return SentenceExpectation(0.0, links)
    for j in range(pair.emitted_length):
        for s in states(table.length):
            links[j][0 if s[1] else s[0]] += alpha[j][s] * beta[j][s] / likelihood
        for r, probability in (alpha[j - 1] if j > 0 else {START: 1.0}).items():
            for i in range(1, table.length + 1):
                s = (i, False)
                both = probability * transition(table, r, s) * emission(table, j, s) * beta[j][s] / likelihood
                if both > 0:
                    jumps[context_of(pair, r[0])][i - 1] += both
    for s, probability in alpha[-1].items():
        if s[0] > 0 and probability > 0:
            jumps[last_context(pair)][s[0] - 1] += probability * table.last[s[0]] / likelihood
    return SentenceExpectation(likelihood, links, dict(jumps))


def viterbi(table: Tables) -> list[int]:
    """The most probable alignment. Ties: the first in the order of `states`, chosen from the last word on."""
    order = states(table.length)
    score: dict[State, float] = {START: 1.0}
    origins: list[dict[State, State]] = []
    for j in range(len(table.emission)):
        origin = {s: max(score, key=lambda r: score[r] * transition(table, r, s)) for s in order}
        origins.append(origin)
        score = {s: score[r] * transition(table, r, s) * emission(table, j, s) for s, r in origin.items()}
    state = max(order, key=lambda s: score[s] * table.last[s[0]])
    path: list[int] = []
    for origin in reversed(origins):
        path.insert(0, 0 if state[1] else state[0])
        state = origin[state]
    return path


def best_by_enumeration(table: Tables, pair: Pair) -> float:
    """The largest P(f, a | e)."""
    return max(joint_probability(table, a) for a in all_alignments(pair))


def link_table(expectations: Sequence[SentenceExpectation]) -> list[list[list[float]]]:
    """P(a_j = i) of every token of a corpus, indexed [pair][j][i]: what `reference.readout` reads."""
    return [expectation.links for expectation in expectations]
