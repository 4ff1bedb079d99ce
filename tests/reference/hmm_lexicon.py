"""The lexicon of the HMM that backs off to shorter forms, and training with it.

Ours: no paper has all of it. Level 0 has the words, level k their lower-cased prefixes of the k-th length. With c the
expected links of two forms, n their tokens, and K the strength of a level,

    t(f | e) = (c(e, f) + K t(f' | e') n(f) / n(f')) / (c(e) + K),

e' and f' the next shorter forms; below the shortest ones stands n(f) / N. It is the mean of Dirichlet priors in a
hierarchy (MacKay and Peto 1995). NULL has the mixture of its relative frequencies with those of all words.

Leaving out: when a sentence is looked at again, the expected count that two of its tokens gave in the iteration before
is taken out, times a weight, from all counts c of that pair of tokens; only where it is a good part of them.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from reference.direction import Direction, Pair, Table
from reference.hmm import UNIFORM, HmmModel, Jumps, Parameters, Tables, tables
from reference.hmm_inference import Context, SentenceExpectation, by_forward_backward
from reference.hmm_training import count_jumps
from reference.special import log

OWN_SHARE = 0.2
"""An own count is taken out when it is more than this share of the forward count of its pair of words."""
SMALLEST_OWN = 1e-3
"""Own counts below this are forgotten."""
SMALLEST_COUNT = 1e-3
"""A trained model keeps no pair of words with less than this in both directions."""

Counts = dict[tuple[str, str], float]
"""Expected links by source and target word."""
Directions = tuple[Direction, Direction]


@dataclass(frozen=True)
class Settings:
    """How the lexicon is estimated; `strength` has one number a level, words first."""

    prefixes: tuple[int, ...] = ()
    strength: tuple[float, ...] = (0.0,)
    leave_out: float = 0.0
    null_mixture: float = 0.0
    agree: bool = False
    warm_up_p0: float | None = None

    def form(self, word: str, level: int) -> str:
        """The form of a word at a level."""
        return word if level == 0 else word.lower()[: self.prefixes[level - 1]]


@dataclass(frozen=True)
class Frequencies:
    """n(form) at each level of one side, and N."""

    settings: Settings
    words: Counter[str]

    def tokens(self, word: str, level: int) -> int:
        """n of the form of a word."""
        form = self.settings.form(word, level)
        return sum(n for other, n in self.words.items() if self.settings.form(other, level) == form)

    def share(self, word: str, level: int) -> float:
        """n(f) / n(f'), and n(f) / N at the last level."""
        is_last = level == len(self.settings.prefixes)
        return self.tokens(word, level) / (self.words.total() if is_last else self.tokens(word, level + 1))

    def relative(self, word: str) -> float:
        """n(word) / N."""
        return self.words[word] / self.words.total()


@dataclass(frozen=True)
class Estimates:
    """The lexicons of both directions: counts of pairs of words of each, and t(. | NULL) of each."""

    settings: Settings
    frequencies: tuple[Frequencies, Frequencies]
    counts: tuple[Counts, Counts]
    nulls: tuple[dict[str, float], dict[str, float]]

    def count(self, direction: int, source: str, target: str, level: int) -> float:
        """c(e, f)."""
        wanted = self.settings.form(source, level), self.settings.form(target, level)
        found = self.counts[direction].items()
        return sum(c for (s, t), c in found if (self.settings.form(s, level), self.settings.form(t, level)) == wanted)

    def total(self, direction: int, given: str, level: int) -> float:
        """c(e), or c(f) in the reverse direction."""
        wanted = self.settings.form(given, level)
        return sum(
            c for pair, c in self.counts[direction].items() if self.settings.form(pair[direction], level) == wanted
        )

    def probability(self, direction: int, source: str, target: str, removed: float = 0.0) -> float:
        """t(target | source) or t(source | target), with so much taken out of all counts."""
        pair = source, target
        estimate = 1.0
        for level in reversed(range(len(self.settings.prefixes) + 1)):
            k = self.settings.strength[level]
            share = self.frequencies[1 - direction].share(pair[1 - direction], level)
            count = max(self.count(direction, source, target, level) - removed, 0.0)
            total = max(self.total(direction, pair[direction], level) - removed, 0.0) + k
            estimate = (count + k * estimate * share) / total if total > 0 else 0.0
        return estimate


@dataclass(frozen=True)
class SmoothedFit:
    """What training leaves, for both directions.

    `links` are the posteriors of the last iteration, `history` the log-likelihoods of all, `estimates` and `jumps`
    what the last M-step made.
    """

    links: tuple[Table, Table]
    history: tuple[list[float], list[float]]
    estimates: Estimates
    jumps: tuple[Jumps, Jumps]


Own = list[dict[tuple[int, int], float]]
"""For each pair, the expected link of source and target position (from 0)."""


def peaked(decay: float) -> Jumps:
    """Jumps exp(-decay) times less likely with each position away from +1."""
    counts = tuple(math.exp(-decay * abs(d - 1)) for d in range(-7, 8))
    return Jumps(counts, counts, counts)


def train_smoothed(
    directions: Directions,
    model: HmmModel,
    settings: Settings,
    *,
    warm_up: int,
    iterations: int,
    jumps: Jumps = UNIFORM,
) -> SmoothedFit:
    """Model 1, then the HMM, both directions at a time."""
    frequencies = tuple(
        Frequencies(settings, Counter(w for pair in d.pairs for w in pair.emitted)) for d in reversed(directions)
    )
    estimates: Estimates | None = None
    both = jumps, jumps
    own: Own | None = None
    histories: tuple[list[float], list[float]] = [], []
    links: tuple[Table, Table] = [], []
    for iteration in range(warm_up + iterations):
        found = []
        for d, direction in enumerate(directions):
            emit = emissions(directions, d, settings, frequencies, estimates, own)
            e_step = hmm_step(model, both[d]) if iteration >= warm_up else model_1_step(settings.warm_up_p0)
            found.append([e_step(pair, emit(n, pair)) for n, pair in enumerate(direction.pairs)])
            histories[d].append(sum(log(s.likelihood) for s in found[d]))
        links = [s.links for s in found[0]], [s.links for s in found[1]]
        own = expected_links(links, agree=settings.agree)
        estimates = maximise(directions, settings, frequencies, links)
        if iteration >= warm_up:
            both = tuple(count_jumps(model, added(sentences)) for sentences in found)
    assert estimates is not None
    return SmoothedFit(links, histories, estimates, both)


def emissions(
    directions: Directions,
    d: int,
    settings: Settings,
    frequencies: tuple[Frequencies, Frequencies],
    estimates: Estimates | None,
    own: Own | None,
) -> Callable[[int, Pair], list[list[float]]]:
    """t(f_j | e_i) of each token of a pair, its own counts left out: rows by j, from 0 = NULL."""
    direction = directions[d]

    def null(word: str) -> float:
        if estimates is not None:
            return estimates.nulls[d][word]
        return frequencies[1 - d].relative(word) if settings.null_mixture > 0 else 1.0 / direction.emitted_types

    def real(n: int, given: int, emitted: int) -> float:
        if estimates is None:
            return 1.0 / direction.emitted_types
        i, j = (given, emitted) if d == 0 else (emitted, given)
        source, target = directions[0].pairs[n].given[i + 1], directions[0].pairs[n].emitted[j]
        assert source is not None
        removed = (own or [])[n].get((i, j), 0.0) * settings.leave_out if own is not None else 0.0
        is_own = removed > OWN_SHARE * estimates.counts[0].get((source, target), 0.0)
        return estimates.probability(d, source, target, removed if is_own else 0.0)

    def rows(n: int, pair: Pair) -> list[list[float]]:
        return [[null(word), *(real(n, i, j) for i in range(pair.given_length))] for j, word in enumerate(pair.emitted)]

    return rows


def hmm_step(model: HmmModel, jumps: Jumps) -> Callable[[Pair, list[list[float]]], SentenceExpectation]:
    """Forward-backward with these emissions."""

    def step(pair: Pair, emission: list[list[float]]) -> SentenceExpectation:
        table: Tables = replace(tables(model, Parameters({}, jumps), pair), emission=emission)
        return by_forward_backward(table, pair)

    return step


def model_1_step(p0: float | None) -> Callable[[Pair, list[list[float]]], SentenceExpectation]:
    """Model 1: NULL has p0, the given words share the rest; without p0 all are equally likely."""

    def step(pair: Pair, emission: list[list[float]]) -> SentenceExpectation:
        null = 1.0 / (pair.given_length + 1) if p0 is None else p0
        each = (1.0 - null) / pair.given_length
        joint = [[(each if i else null) * t for i, t in enumerate(row)] for row in emission]
        posteriors = [[p / sum(row) for p in row] for row in joint]
        return SentenceExpectation(math.prod(sum(row) for row in joint), posteriors)

    return step


def expected_links(links: tuple[Table, Table], *, agree: bool) -> Own:
    """The product of both posteriors of a link where directions agree, else their mean."""
    result: Own = []
    for here, there in zip(*links, strict=True):
        result.append({})
        for j, row in enumerate(here):
            for i, p in enumerate(row[1:]):
                q = there[i][j + 1]
                own = p * q if agree else (p + q) / 2
                if own >= SMALLEST_OWN:
                    result[-1][i, j] = own
    return result


def maximise(
    directions: Directions,
    settings: Settings,
    frequencies: tuple[Frequencies, Frequencies],
    links: tuple[Table, Table],
) -> Estimates:
    """The M-step of both lexicons."""
    counts: tuple[Counts, Counts] = defaultdict(float), defaultdict(float)
    null_counts: tuple[dict[str, float], dict[str, float]] = defaultdict(float), defaultdict(float)
    for pair, here, there in zip(directions[0].pairs, *links, strict=True):
        sources = [word for word in pair.given if word is not None]
        for j, target in enumerate(pair.emitted):
            null_counts[0][target] += here[j][0]
            for i, source in enumerate(sources):
                p, q = here[j][i + 1], there[i][j + 1]
                counts[0][source, target] += p * q if settings.agree else p
                counts[1][source, target] += p * q if settings.agree else q
        for i, source in enumerate(sources):
            null_counts[1][source] += there[i][0]

    def nulls(d: int) -> dict[str, float]:
        total, mixture = sum(null_counts[d].values()), settings.null_mixture
        return {
            word: (1 - mixture) * (c / total if total > 0 else 0.0) + mixture * frequencies[1 - d].relative(word)
            for word, c in null_counts[d].items()
        }

    return Estimates(settings, frequencies, (dict(counts[0]), dict(counts[1])), (nulls(0), nulls(1)))


def added(sentences: Sequence[SentenceExpectation]) -> dict[Context, list[float]]:
    """Expected jumps of a corpus."""
    jumps: dict[Context, list[float]] = {}
    for sentence in sentences:
        for context, row in sentence.jumps.items():
            before = jumps.get(context, [0.0] * len(row))
            jumps[context] = [x + y for x, y in zip(before, row, strict=True)]
    return jumps


def kept(estimates: Estimates) -> Estimates:
    """The counts that a trained model keeps."""
    pairs = estimates.counts[0].keys() | estimates.counts[1].keys()
    likely = {pair for pair in pairs if max(c.get(pair, 0.0) for c in estimates.counts) >= SMALLEST_COUNT}
    first, second = ({pair: n for pair, n in c.items() if pair in likely} for c in estimates.counts)
    return replace(estimates, counts=(first, second))


def fold_in(directions: Directions, model: HmmModel, fit: SmoothedFit) -> tuple[list[SentenceExpectation], ...]:
    """Posteriors and likelihoods of a text whose words are known, with what the last M-step made; nothing is left out."""
    estimates = kept(fit.estimates)
    result = []
    for d, direction in enumerate(directions):
        emit = emissions(directions, d, estimates.settings, estimates.frequencies, estimates, None)
        step = hmm_step(model, fit.jumps[d])
        result.append([step(pair, emit(n, pair)) for n, pair in enumerate(direction.pairs)])
    return tuple(result)
