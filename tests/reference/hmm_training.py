"""Training of the HMM: Baum-Welch and MAP estimates.

What rises, and what need not. The objective is ln P(f | e), plus, for word-dependent jumps, the log of their
Dirichlet priors (eq. 7 and 8), tau sum_i p(i | i', I) ln p_MAP(i | i', e, I), up to a constant. EM raises it in every
step when the M-step maximises the expected complete-data objective. The lexicon's relative frequencies always do. The
jumps' relative frequencies (eq. 2, 4) do not, for two reasons:

- c(d) is one set of numbers for all i' and I, but p(i | i', I) is normalised over the jumps that fit the sentence.
  Relative frequencies maximise one multinomial, not many cut-off ones. (Sharing an end bucket is harmless: the shares
  are constants.)
- smoothing takes part in the E-step, but the counts are used as if all of them came from the unsmoothed part.

A third: the prior of word-dependent jumps is estimated anew in each iteration, so the objective itself changes.
What is left by default is that the part of the lexicon rises. `ascent` is an M-step that never loses: it
counts only the share of the unsmoothed part, and takes one step of minorisation-maximisation (Hunter 2004 for such
models), c(d) <- n(d) / sum over contexts where d fits of n(context) / Z(context), Z = sum of c over the jumps that fit.
With it the likelihood of the plain HMM rises in every step. For word-dependent jumps eq. 11 is exact for a fixed prior
where each word stands at one position of sentences of one length, without smoothing.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from reference.direction import Direction, Pair, Table, Word
from reference.expectation import em, start
from reference.hmm import (
    BUCKETS,
    UNIFORM,
    Buckets,
    HmmModel,
    Jumps,
    Parameters,
    Tables,
    bucket,
    jumps_from,
    prior_jump,
    share_out,
    tables,
    word_jump,
)
from reference.hmm_inference import Context, Kind, SentenceExpectation, by_forward_backward
from reference.ibm import Model
from reference.special import log

Lexicon = Mapping[tuple[Word, str], float]
LexiconCounts = dict[tuple[Word, str], float]
EStep = Callable[[Tables, Pair], SentenceExpectation]
Update = Literal["counts", "ascent", "frozen"]
"""The M-step of the jumps: as in the paper, without losses, or none."""


@dataclass(frozen=True)
class Expectation:
    """The E-step of a corpus: ln P(F | E) in nats, P(a_j = i) of every token, and expected jumps by context."""

    log_likelihood: float
    links: Table
    jumps: dict[Context, list[float]]


@dataclass(frozen=True)
class HmmFit:
    """What training leaves: the last parameters, and ln P(F | E) of the parameters each iteration started from."""

    model: HmmModel
    parameters: Parameters
    history: list[float]


def expect(
    direction: Direction, model: HmmModel, parameters: Parameters, e_step: EStep = by_forward_backward
) -> Expectation:
    """The E-step."""
    found = [e_step(tables(model, parameters, pair), pair) for pair in direction.pairs]
    jumps: dict[Context, list[float]] = {}
    for sentence in found:
        for context, row in sentence.jumps.items():
            before = jumps.get(context, [0.0] * len(row))
            jumps[context] = [x + y for x, y in zip(before, row, strict=True)]
    return Expectation(sum(log(s.likelihood) for s in found), [s.links for s in found], jumps)


def link_counts(direction: Direction, links: Table) -> LexiconCounts:
    """The expected counts of (e, f)."""
    counts: LexiconCounts = defaultdict(float)
    for n, j in direction.tokens():
        pair = direction.pairs[n]
        for i, e in enumerate(pair.given):
            counts[e, pair.emitted[j]] += links[n][j][i]
    return dict(counts)


def relative_frequencies(counts: LexiconCounts) -> LexiconCounts:
    """t(f | e) = c(e, f) / sum_f c(e, f); 0 for a word without counts."""
    totals: dict[Word, float] = defaultdict(float)
    for (e, _), c in counts.items():
        totals[e] += c
    return {(e, f): c / totals[e] if totals[e] > 0 else 0.0 for (e, f), c in counts.items()}


def candidate_jumps(context: Context) -> list[int]:
    """The jump that leads to each candidate 1..I of a context."""
    kind, _, origin, length = context
    if kind == "last":
        return [length + 1 - i for i in range(1, length + 1)]
    return jumps_from(origin, length)


def in_buckets(rows: Iterable[tuple[Context, list[float]]]) -> Buckets:
    """Expected jumps by bucket (eq. 4 and 6)."""
    counts = [0.0] * BUCKETS
    for context, row in rows:
        for d, c in zip(candidate_jumps(context), row, strict=True):
            counts[bucket(d)] += c
    return tuple(counts)


def count_jumps(model: HmmModel, jumps: dict[Context, list[float]]) -> Jumps:
    """The counts of the paper's M-step, for all words, for each word, and for each class."""

    def select(kind: Kind) -> list[tuple[Context, list[float]]]:
        return [(context, row) for context, row in jumps.items() if context[0] == kind]

    between = select("between")
    classes = model.classes or {}
    words = {context[1] for context, _ in between if context[1] is not None}
    groups = {classes[word] for word in words if word in classes}
    return Jumps(
        first=in_buckets(select("first")),
        between=in_buckets(between),
        last=in_buckets(select("last")),
        by_word={word: in_buckets((c, row) for c, row in between if c[1] == word) for word in words},
        by_class={
            group: in_buckets((c, row) for c, row in between if c[1] is not None and classes.get(c[1]) == group)
            for group in groups
        },
    )


def ascend(model: HmmModel, before: Jumps, jumps: dict[Context, list[float]]) -> Jumps:
    """One step that never loses, for the plain HMM; see above. Counts that are all 0 must not be among those before."""
    assert math.isinf(model.tau), "word-dependent jumps have no such step"
    assert model.classes is None
    return Jumps(*(ascend_kind(model, before, jumps, kind) for kind in ("first", "between", "last")))


def ascend_kind(model: HmmModel, before: Jumps, jumps: dict[Context, list[float]], kind: Kind) -> Buckets:
    """The step of one kind of jumps."""
    counts: Buckets = getattr(before, kind)
    own, fitting = [0.0] * BUCKETS, [0.0] * BUCKETS
    for context, row in jumps.items():
        if context[0] != kind:
            continue
        candidates = candidate_jumps(context)
        shares = share_out(counts, candidates)
        normaliser, floor = sum(shares), model.alpha / len(row)
        unsmoothed = [(1 - model.alpha) * s / normaliser for s in shares]
        kept = [c * p / (p + floor) if p > 0 else 0.0 for c, p in zip(row, unsmoothed, strict=True)]
        for d, c in zip(candidates, kept, strict=True):
            own[bucket(d)] += c
        for b in {bucket(d) for d in candidates}:
            fitting[b] += sum(kept) / normaliser
    return tuple(n / z if z > 0 else c for n, z, c in zip(own, fitting, counts, strict=True))


def new_jumps(model: HmmModel, before: Jumps, jumps: dict[Context, list[float]], update: Update) -> Jumps:
    """The M-step of the jumps."""
    if update == "frozen":
        return before
    return count_jumps(model, jumps) if update == "counts" else ascend(model, before, jumps)


def model_1(direction: Direction, iterations: int) -> Lexicon:
    """t(f | e) after EM for Model 1 from the uniform start, NULL one of I + 1 equal candidates."""
    weights = em(direction, Model("ibm1"), iterations).weights if iterations else start(direction)
    return {pair: math.exp(t) for pair, t in weights.lexicon.items()}


def train(
    direction: Direction,
    model: HmmModel,
    *,
    model_1_iterations: int = 5,
    iterations: int = 5,
    update: Update = "counts",
) -> HmmFit:
    """The paper's training: Model 1, then the HMM from its lexicon and uniform jumps."""
    return train_from(direction, model, Parameters(model_1(direction, model_1_iterations), UNIFORM), iterations, update)


def train_from(
    direction: Direction, model: HmmModel, parameters: Parameters, iterations: int, update: Update = "counts"
) -> HmmFit:
    """Baum-Welch from given parameters; a prior that they fix stays."""
    history = []
    for _ in range(iterations):
        found = expect(direction, model, parameters)
        history.append(found.log_likelihood)
        parameters = replace(
            parameters,
            lexicon=relative_frequencies(link_counts(direction, found.links)),
            jumps=new_jumps(model, parameters.jumps, found.jumps, update),
        )
    return HmmFit(model, parameters, history)


def log_prior(direction: Direction, model: HmmModel, parameters: Parameters) -> float:
    """ln of the Dirichlet priors of all word-dependent jumps of a corpus (eq. 8, 10), up to a constant.

    One prior for each word, position and sentence length that occur: eq. 8 knows of no ties.
    """
    contexts = {
        (pair.given[i], i, pair.given_length) for pair in direction.pairs for i in range(1, pair.given_length + 1)
    }
    if model.tau == 0:
        return 0.0
    return sum(
        model.tau * p * log(q)
        for word, i, length in contexts
        for p, q in zip(
            prior_jump(model, parameters, i, word, length), word_jump(model, parameters, i, word, length), strict=True
        )
        if p > 0
    )
