"""Laws of the HMM's twin, before it judges the core: enumeration, limits of tau, objectives."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reference.direction import Direction, Pair, both_directions
from reference.hmm import (
    BUCKETS,
    NO_COUNTS,
    UNIFORM,
    HmmModel,
    Jumps,
    Parameters,
    independent_jump,
    joint_probability,
    prior_jump,
    tables,
    word_jump,
)
from reference.hmm_agreement import agreed_lexicons, products, train_together
from reference.hmm_inference import (
    best_by_enumeration,
    by_enumeration,
    by_forward_backward,
    viterbi,
)
from reference.hmm_training import count_jumps, expect, log_prior, model_1, train, train_from
from strategies import Corpus, corpora

ONES = Jumps((1.0,) * BUCKETS, (1.0,) * BUCKETS, (1.0,) * BUCKETS)
CLASSES = {"a": 0, "b": 0, "c": 1}
TAUS = st.sampled_from([0.0, 0.5, 3.0, 1000.0, math.inf])


def buckets() -> st.SearchStrategy[tuple[float, ...]]:
    counts = st.one_of(st.just(0.0), st.floats(0.01, 50.0))
    return st.tuples(*[counts] * BUCKETS)


@st.composite
def jumps(draw: st.DrawFn) -> Jumps:
    """Counts with many zeros; those of words and classes are there for some."""
    words = draw(st.dictionaries(st.sampled_from("abcd"), buckets(), max_size=3))
    classes = draw(st.dictionaries(st.sampled_from([0, 1]), buckets()))
    return Jumps(draw(buckets()), draw(buckets()), draw(buckets()), words, classes)


@st.composite
def hmm_models(draw: st.DrawFn) -> HmmModel:
    return HmmModel(
        p0=draw(st.sampled_from([0.02, 0.2, 0.5])),
        alpha=draw(st.sampled_from([0.0, 0.1, 0.4])),
        tau=draw(TAUS),
        classes=draw(st.sampled_from([None, CLASSES])),
        class_tau=draw(st.sampled_from([0.0, 2.0])),
    )


@st.composite
def enumerable_pairs(draw: st.DrawFn) -> tuple[Pair, Parameters]:
    """A pair with at most 1,300 alignments, and any parameters for it."""
    given_length = draw(st.integers(1, 5))
    longest = {1: 6, 2: 5, 3: 5, 4: 4, 5: 4}[given_length]
    source = draw(st.lists(st.sampled_from("abcd"), min_size=given_length, max_size=given_length))
    target = draw(st.lists(st.sampled_from("xyz"), min_size=1, max_size=longest))
    lexicon = {(e, f): draw(st.one_of(st.just(0.0), st.floats(0.001, 1.0))) for e in [None, *"abcd"] for f in "xyz"}
    return Pair((None, *source), tuple(target)), Parameters(lexicon, draw(jumps()))


@given(enumerable_pairs(), hmm_models())
@settings(deadline=None, max_examples=120)
def test_forward_backward_equals_enumeration(case: tuple[Pair, Parameters], model: HmmModel) -> None:
    pair, parameters = case
    table = tables(model, parameters, pair)
    exact, found = by_enumeration(table, pair), by_forward_backward(table, pair)
    assert found.likelihood == pytest.approx(exact.likelihood, rel=1e-9)
    for row, expected in zip(found.links, exact.links, strict=True):
        assert row == pytest.approx(expected, rel=1e-9, abs=1e-12)
    for context in found.jumps.keys() | exact.jumps.keys():
        nothing = [0.0] * pair.given_length
        assert found.jumps.get(context, nothing) == pytest.approx(exact.jumps.get(context, nothing), abs=1e-10)


@given(enumerable_pairs(), hmm_models())
@settings(deadline=None, max_examples=120)
def test_viterbi_finds_the_best_of_all_alignments(case: tuple[Pair, Parameters], model: HmmModel) -> None:
    pair, parameters = case
    table = tables(model, parameters, pair)
    path = viterbi(table)
    assert joint_probability(table, path) == pytest.approx(best_by_enumeration(table, pair), rel=1e-12)
    assert joint_probability(table, path) <= by_forward_backward(table, pair).likelihood * (1 + 1e-12)


@given(jumps(), hmm_models(), st.integers(1, 20), st.sampled_from("abcd"))
@settings(deadline=None)
def test_jumps_are_distributions(counts: Jumps, model: HmmModel, length: int, word: str) -> None:
    pair = Pair((None, *word * length), ("x",))
    table = tables(model, Parameters({}, counts), pair)
    for row in table.jump:
        assert sum(row) == pytest.approx(1.0)
        assert min(row[1:]) >= model.alpha / length
    assert sum(table.last[1:]) == pytest.approx(1.0)


@given(jumps(), st.integers(1, 20), st.sampled_from("abcd"), st.data())
@settings(deadline=None)
def test_the_limits_of_tau(counts: Jumps, length: int, word: str, data: st.DataObject) -> None:
    """tau -> infinity is the prior, tau = 0 relative frequencies (eq. 5), and in between eq. 11 as it stands."""
    start = data.draw(st.integers(1, length))
    parameters = Parameters({}, counts)
    independent = independent_jump(counts, start, length)
    assert word_jump(HmmModel(tau=math.inf), parameters, start, word, length) == independent
    assert word_jump(HmmModel(tau=1e12), parameters, start, word, length) == pytest.approx(independent, abs=1e-8)
    own = counts.by_word.get(word, NO_COUNTS)
    # c(i - i'; e), with the positions of an end bucket counted one by one.
    c = []
    for i in range(1, length + 1):
        if abs(i - start) < 7:
            c.append(own[i - start + 7])
        elif i > start:
            c.append(own[14] / (length - start - 6))
        else:
            c.append(own[0] / (start - 7))
    if sum(c) > 0:
        likely = word_jump(HmmModel(tau=0.0), parameters, start, word, length)
        assert likely == pytest.approx([x / sum(c) for x in c])
    else:
        assert word_jump(HmmModel(tau=0.0), parameters, start, word, length) == independent
    mixed = word_jump(HmmModel(tau=7.0), parameters, start, word, length)
    assert mixed == pytest.approx([(x + 7.0 * p) / (sum(c) + 7.0) for x, p in zip(c, independent, strict=True)])


def test_training_with_an_infinite_tau_is_the_plain_hmm() -> None:
    direction = Direction.of(["abcab", "bca"], ["xyzzx", "yxz"])
    plain = train(direction, HmmModel(alpha=0.1))
    large = train(direction, HmmModel(alpha=0.1, tau=1e13))
    assert large.history == pytest.approx(plain.history, rel=1e-9)
    assert train(direction, HmmModel(alpha=0.1, tau=5.0)).history[2:] != pytest.approx(plain.history[2:], rel=1e-6)


@given(jumps(), st.integers(1, 12), st.data())
@settings(deadline=None)
def test_classes_are_the_prior_of_their_words(counts: Jumps, length: int, data: st.DataObject) -> None:
    start = data.draw(st.integers(1, length))
    by_word = HmmModel(tau=0.0, classes=None)
    # The prior of "a" is what the word "a" would have of its own with the counts of its class.
    moved = replace(counts, by_word={"a": counts.by_class.get(0, NO_COUNTS)})
    expected = word_jump(by_word, Parameters({}, moved), start, "a", length)
    found = prior_jump(HmmModel(classes=CLASSES), Parameters({}, counts), start, "a", length)
    assert found == pytest.approx(expected)
    # With one class of all words it is the word-independent model; "d" is in no class.
    independent = independent_jump(counts, start, length)
    single = replace(counts, by_class={0: counts.between})
    found = prior_jump(HmmModel(classes={"a": 0}), Parameters({}, single), start, "a", length)
    assert found == pytest.approx(independent)
    assert prior_jump(HmmModel(classes=CLASSES), Parameters({}, counts), start, "d", length) == independent


def rises(history: list[float]) -> bool:
    """Never falls, up to the rounding of double-precision sums."""
    return all(after >= before - 1e-9 * (1 + abs(before)) for before, after in pairwise(history))


@given(corpora(max_pairs=4, max_length=5), hmm_models(), jumps())
@settings(deadline=None, max_examples=40)
def test_the_lexicon_s_step_never_loses(corpus: Corpus, model: HmmModel, counts: Jumps) -> None:
    """Whatever the jumps are, as long as they stay: the part of EM that is exact in every model here."""
    direction = Direction.of(*corpus)
    # Some mass for every jump, so that no pair is impossible.
    start = Parameters(model_1(direction, 1), counts)
    model = replace(model, alpha=max(model.alpha, 0.1))
    assert rises(train_from(direction, model, start, 5, "frozen").history)


@given(corpora(max_pairs=4, max_length=9), st.sampled_from([0.0, 0.2]), jumps())
@example((["d", "c", "cbbd"], ["zx", "yzyy", "xyz"]), 0.0, ONES)
@example((["d", "c", "cbbd"], ["zx", "yzyy", "xyz"]), 0.2, ONES)
@settings(deadline=None, max_examples=60)
def test_the_likelihood_of_the_hmm_never_falls_with_steps_that_ascend(
    corpus: Corpus, alpha: float, counts: Jumps
) -> None:
    """The examples lose with the counts of the paper."""
    direction = Direction.of(*corpus)
    positive = Jumps(*(tuple(c + 0.02 for c in row) for row in (counts.first, counts.between, counts.last)))
    start = Parameters(model_1(direction, 2), positive)
    assert rises(train_from(direction, HmmModel(alpha=alpha), start, 6, "ascent").history)


@st.composite
def untied_corpora(draw: st.DrawFn) -> Direction:
    """Sentences of one length in which every given word has its own position: eq. 11 has no ties."""
    length = draw(st.integers(1, 9))
    source = [[f"{i}{draw(st.sampled_from('ab'))}" for i in range(length)] for _ in range(draw(st.integers(1, 4)))]
    target = [draw(st.lists(st.sampled_from("xyz"), min_size=1, max_size=5)) for _ in source]
    return Direction.of(source, target)


@given(untied_corpora(), st.sampled_from([0.0, 0.5, 3.0, 1000.0]), buckets())
@settings(deadline=None, max_examples=40)
def test_the_map_objective_never_falls_where_eq_11_is_exact(
    direction: Direction, tau: float, prior: tuple[float, ...]
) -> None:
    """Log-likelihood plus log prior, with a fixed prior and without smoothing."""
    fixed = Jumps(NO_COUNTS, tuple(c + 0.1 for c in prior), NO_COUNTS)
    model = HmmModel(tau=tau)
    parameters = Parameters(model_1(direction, 2), UNIFORM, fixed)
    objectives = []
    for _ in range(6):
        fit = train_from(direction, model, parameters, 1)
        objectives.append(fit.history[0] + log_prior(direction, model, parameters))
        parameters = fit.parameters
    assert rises(objectives)


@given(corpora(max_pairs=3, max_length=4), hmm_models())
@settings(deadline=None, max_examples=25)
def test_expected_links_and_jumps_add_up(corpus: Corpus, model: HmmModel) -> None:
    direction = Direction.of(*corpus)
    fit = train(direction, model, model_1_iterations=2, iterations=2)
    found = expect(direction, model, fit.parameters)
    real = 0.0
    for n, j in direction.tokens():
        assert sum(found.links[n][j]) == pytest.approx(1.0)
        real += sum(found.links[n][j][1:])
    # One jump leads to each real link; first and last jumps are as many, but for alignments to NULL alone.
    total = {kind: sum(sum(r) for c, r in found.jumps.items() if c[0] == kind) for kind in ("first", "between", "last")}
    assert total["first"] + total["between"] == pytest.approx(real)
    assert total["first"] == pytest.approx(total["last"])
    assert total["first"] <= len(direction.pairs) + 1e-9
    counted = count_jumps(model, found.jumps)
    assert sum(counted.between) == pytest.approx(total["between"])
    # What the words have sums to what all have; what the words of a class have to what the class has.
    for sums, words in [(counted.between, set("abcdefgh"))] + [
        (counted.by_class.get(group, NO_COUNTS), {w for w, g in CLASSES.items() if g == group})
        for group in ({0, 1} if model.classes else ())
    ]:
        rows = [row for word, row in counted.by_word.items() if word in words]
        assert sums == pytest.approx([sum(row[b] for row in rows) for b in range(BUCKETS)])


@given(corpora(max_pairs=3, max_length=4), hmm_models())
@settings(deadline=None, max_examples=25)
def test_agreement_counts_are_products(corpus: Corpus, model: HmmModel) -> None:
    forward, reverse = both_directions(corpus)
    model = replace(model, classes=None)
    links = tuple(expect(d, model, Parameters(model_1(d, 2), UNIFORM)).links for d in (forward, reverse))
    here, there = products(*links), products(links[1], links[0])
    for n, pair in enumerate(forward.pairs):
        for j in range(pair.emitted_length):
            assert here[n][j][0] == links[0][n][j][0]
            for i in range(pair.given_length):
                assert here[n][j][i + 1] == there[n][i][j + 1]
                assert here[n][j][i + 1] == links[0][n][j][i + 1] * links[1][n][i][j + 1]
    for lexicon in agreed_lexicons((forward, links[0]), (reverse, links[1])):
        for word in {e for e, _ in lexicon}:
            total = sum(t for (e, _), t in lexicon.items() if e == word)
            assert total == pytest.approx(1.0) or total == 0.0


@given(corpora(max_pairs=3, max_length=4), st.booleans())
@settings(deadline=None, max_examples=10)
def test_agreement_is_symmetric(corpus: Corpus, model_1_agrees: bool) -> None:
    forward, reverse = both_directions(corpus)
    model = HmmModel(alpha=0.1, tau=10.0)
    keywords = {"model_1_iterations": 2, "iterations": 2, "model_1_agrees": model_1_agrees}
    once = train_together(forward, reverse, (model, model), **keywords)
    swapped = train_together(reverse, forward, (model, model), **keywords)
    assert once.forward.history == pytest.approx(swapped.reverse.history)
    assert once.reverse.parameters.lexicon == pytest.approx(swapped.forward.parameters.lexicon)
