"""Training of both directions of the HMM with the lexicon that backs off, and new text with what it leaves.

Leaving out: when a sentence is looked at again, the expected count that two of its tokens gave in the iteration before
is taken out, times a weight, from all counts of that pair of tokens; only where it is a good part of what is known.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from reference.direction import Direction, Pair, Table
from reference.hmm import UNIFORM, HmmModel, Jumps, Parameters, Tables, tables
from reference.hmm_inference import Context, SentenceExpectation, by_forward_backward
from reference.hmm_lexicon import Counts, Estimates, Frequencies, Settings
from reference.hmm_training import count_jumps
from reference.special import log

OWN_SHARE = 0.2
"""An own count is taken out when it is more than this share of the numerator of either estimate of its pair."""
SMALLEST_OWN = 1e-3
"""Own counts below this are forgotten."""
SMALLEST_COUNT = 1e-3
"""A trained model keeps no pair of words with less than this in both directions."""
LEAST_NULL = 1e-3
"""A new word has at least this share of one token in the lexicon of NULL."""

Directions = tuple[Direction, Direction]
Emission = Callable[[int, Pair], list[list[float]]]
"""t(f_j | e_i) of each token of the n-th pair: rows by j, columns by i from 0 = NULL."""
Own = list[dict[tuple[int, int], float]]
"""For each pair, the expected link of source and target position (from 0)."""


class Decisions:
    """Comparisons with thresholds, and how near the nearest was: single precision may decide near ones otherwise."""

    def __init__(self) -> None:
        self.margin = math.inf

    def reaches(self, value: float, threshold: float) -> bool:
        """Whether the value is at least the threshold."""
        if value > 0 and threshold > 0:
            self.margin = min(self.margin, abs(value / threshold - 1))
        return value >= threshold


@dataclass(frozen=True)
class SmoothedFit:
    """What training leaves, for both directions.

    `links` are the posteriors of the last iteration, `history` the log-likelihoods of all, `estimates` and `jumps`
    what the last M-step made. `tables` has the probabilities of each pair in the last iteration if that was the HMM's.
    `margin` is the relative distance of the nearest decision from its threshold.
    """

    links: tuple[Table, Table]
    history: tuple[list[float], list[float]]
    estimates: Estimates
    jumps: tuple[Jumps, Jumps]
    tables: tuple[list[Tables], list[Tables]]
    margin: float


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
    first, second = (Frequencies(settings, Counter(w for pair in d.pairs for w in pair.emitted)) for d in directions)
    frequencies = second, first
    estimates: Estimates | None = None
    both = jumps, jumps
    own: Own = [{} for _ in directions[0].pairs]
    histories: tuple[list[float], list[float]] = [], []
    links: tuple[Table, Table] = [], []
    decisions = Decisions()
    for iteration in range(warm_up + iterations):
        found: list[list[SentenceExpectation]] = []
        last_tables: tuple[list[Tables], list[Tables]] = [], []
        for d, direction in enumerate(directions):
            if estimates is None:
                emit = first_emissions(settings, frequencies[1 - d])
            else:
                emit = emissions(directions, d, estimates, own, decisions)
            emitted = [emit(n, pair) for n, pair in enumerate(direction.pairs)]
            if iteration >= warm_up:
                last_tables[d].extend(
                    hmm_tables(model, both[d], pair, rows) for pair, rows in zip(direction.pairs, emitted, strict=True)
                )
                e_steps = zip(last_tables[d], direction.pairs, strict=True)
                found.append([by_forward_backward(table, pair) for table, pair in e_steps])
            else:
                found.append([model_1_step(settings.warm_up_p0, rows) for rows in emitted])
            histories[d].append(sum(log(s.likelihood) for s in found[d]))
        links = [s.links for s in found[0]], [s.links for s in found[1]]
        own = expected_links(links, decisions, settings)
        estimates = maximise(directions, settings, frequencies, links, own)
        if iteration >= warm_up:
            both = count_jumps(model, added(found[0])), count_jumps(model, added(found[1]))
    assert estimates is not None
    return SmoothedFit(links, histories, estimates, both, last_tables, decisions.margin)


def first_emissions(settings: Settings, emitted: Frequencies) -> Emission:
    """Where training starts: uniform over the words that are trained on.

    NULL has relative frequencies where these have a share in its lexicon.
    """
    uniform = 1.0 / len(emitted.words)

    def rows(_: int, pair: Pair) -> list[list[float]]:
        nulls = [emitted.relative(f) if settings.null_mixture > 0 else uniform for f in pair.emitted]
        return [[null, *[uniform] * pair.given_length] for null in nulls]

    return rows


def emissions(
    directions: Directions, d: int, estimates: Estimates, own: Own, decisions: Decisions, *, is_new: bool = False
) -> Emission:
    """What the estimates say of each token, its own counts left out."""

    def null(word: str) -> float:
        if is_new and not estimates.frequencies[1 - d].words[word]:
            total = estimates.frequencies[1 - d].words.total()
            return max(estimates.settings.null_mixture, LEAST_NULL) / total
        return estimates.nulls[d][word]

    def real(n: int, given: int, emitted: int) -> float:
        i, j = (given, emitted) if d == 0 else (emitted, given)
        source, target = directions[0].pairs[n].given[i + 1], directions[0].pairs[n].emitted[j]
        assert source is not None
        removed, weight = own[n].get((i, j), 0.0), estimates.settings.leave_out
        if weight == 0 or not decisions.reaches(removed, SMALLEST_OWN):
            removed = 0.0
        elif decisions.reaches(
            weight * removed, OWN_SHARE * min(estimates.fraction(k, source, target)[0] for k in (0, 1))
        ):
            removed *= weight
        else:
            removed = 0.0
        return estimates.probability(d, source, target, removed=removed, is_new=is_new)

    def rows(n: int, pair: Pair) -> list[list[float]]:
        return [[null(word), *(real(n, i, j) for i in range(pair.given_length))] for j, word in enumerate(pair.emitted)]

    return rows


def hmm_tables(model: HmmModel, jumps: Jumps, pair: Pair, emission: list[list[float]]) -> Tables:
    """All probabilities of a pair, with these emissions."""
    return replace(tables(model, Parameters({}, jumps), pair), emission=emission)


def model_1_step(p0: float | None, emission: list[list[float]]) -> SentenceExpectation:
    """Model 1: NULL has p0, the given words share the rest; without p0 all are equally likely."""
    given_length = len(emission[0]) - 1
    null = 1.0 / (given_length + 1) if p0 is None else p0
    each = (1.0 - null) / given_length
    joint = [[(each if i else null) * t for i, t in enumerate(row)] for row in emission]
    posteriors = [[p / sum(row) for p in row] for row in joint]
    return SentenceExpectation(math.prod(sum(row) for row in joint), posteriors)


def expected_links(links: tuple[Table, Table], decisions: Decisions, settings: Settings) -> Own:
    """The product of both posteriors of a link where directions agree, else their mean; none that is not counted."""
    result: Own = []
    for here, there in zip(*links, strict=True):
        result.append({})
        for j, row in enumerate(here):
            for i, p in enumerate(row[1:]):
                q = there[i][j + 1]
                expected = p * q if settings.agree else (p + q) / 2
                if decisions.reaches(expected, settings.smallest_link):
                    result[-1][i, j] = expected
    return result


def maximise(
    directions: Directions,
    settings: Settings,
    frequencies: tuple[Frequencies, Frequencies],
    links: tuple[Table, Table],
    expected: Own,
) -> Estimates:
    """The M-step of both lexicons."""
    counts: tuple[Counts, Counts] = defaultdict(float), defaultdict(float)
    null_counts: tuple[dict[str, float], dict[str, float]] = defaultdict(float), defaultdict(float)
    for pair, here, there, own in zip(directions[0].pairs, *links, expected, strict=True):
        sources = [word for word in pair.given if word is not None]
        for j, target in enumerate(pair.emitted):
            null_counts[0][target] += here[j][0]
        for i, source in enumerate(sources):
            null_counts[1][source] += there[i][0]
        for (i, j), both in own.items():
            word_pair = sources[i], pair.emitted[j]
            counts[0][word_pair] += both if settings.agree else here[j][i + 1]
            counts[1][word_pair] += both if settings.agree else there[i][j + 1]

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


def kept(estimates: Estimates, decisions: Decisions) -> Estimates:
    """The counts that a trained model keeps."""
    pairs = estimates.counts[0].keys() | estimates.counts[1].keys()
    likely = {
        pair for pair in pairs if decisions.reaches(max(c.get(pair, 0.0) for c in estimates.counts), SMALLEST_COUNT)
    }
    first, second = ({pair: n for pair, n in c.items() if pair in likely} for c in estimates.counts)
    return replace(estimates, counts=(first, second))


def fold_in(directions: Directions, model: HmmModel, fit: SmoothedFit) -> tuple[list[list[SentenceExpectation]], float]:
    """Posteriors and likelihoods of a text, by direction, with what the last M-step made; nothing is left out.

    The last number is the margin of the decisions in training and here. Classes of words that training never saw are
    not known.
    """
    decisions = Decisions()
    estimates = kept(fit.estimates, decisions)
    nothing: Own = [{} for _ in directions[0].pairs]
    result = []
    for d, direction in enumerate(directions):
        known = {word: c for word, c in (model.classes or {}).items() if estimates.frequencies[d].words[word]}
        emit = emissions(directions, d, estimates, nothing, decisions, is_new=True)
        known_model = replace(model, classes=known or None)
        result.append(
            [
                by_forward_backward(hmm_tables(known_model, fit.jumps[d], pair, emit(n, pair)), pair)
                for n, pair in enumerate(direction.pairs)
            ]
        )
    return result, min(decisions.margin, fit.margin)
