"""The HMM's twin against hand computation."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from reference.direction import Direction, Pair, both_directions
from reference.hmm import (
    BUCKETS,
    NO_COUNTS,
    UNIFORM,
    HmmModel,
    Jumps,
    Parameters,
    bucket,
    first_jump,
    independent_jump,
    joint_probability,
    last_jump,
    share_out,
    tables,
)
from reference.hmm_agreement import products, train_together
from reference.hmm_inference import by_forward_backward, viterbi
from reference.hmm_training import in_buckets, model_1, relative_frequencies, train, train_from


def counts(**named: float) -> tuple[float, ...]:
    """Buckets by jump: p1 is +1, m1 is -1, z is 0."""
    result = [0.0] * BUCKETS
    for name, value in named.items():
        d = 0 if name == "z" else int(name[1:]) * (1 if name[0] == "p" else -1)
        result[bucket(d)] = value
    return tuple(result)


def test_there_are_15_buckets_with_open_ends() -> None:
    assert [bucket(d) for d in (-100, -8, -7, -6, 0, 6, 7, 8, 100)] == [0, 0, 0, 1, 7, 13, 14, 14, 14]
    assert BUCKETS == 15


def test_an_end_bucket_is_shared_by_the_positions_that_fall_into_it() -> None:
    # From 2 in a sentence of 12: 9, 10, 11, 12 are 7 and more away.
    own = counts(p7=8.0, p1=3.0)
    assert share_out(own, [i - 2 for i in range(1, 13)]) == [0, 0, 3, 0, 0, 0, 0, 0, 2, 2, 2, 2]
    assert independent_jump(Jumps(NO_COUNTS, own, NO_COUNTS), 2, 12)[8:] == pytest.approx([2 / 11] * 4)
    # From 2 in a sentence of 9 the bucket has one position, and all of the count.
    assert independent_jump(Jumps(NO_COUNTS, own, NO_COUNTS), 2, 9)[8] == pytest.approx(8 / 11)


def test_first_and_last_jumps_are_mirrors() -> None:
    own = counts(p1=4.0, p2=1.0, p7=2.0)
    jumps = Jumps(own, NO_COUNTS, own)
    assert first_jump(jumps, 3) == pytest.approx([0.8, 0.2, 0.0])
    assert last_jump(jumps, 3) == pytest.approx([0.0, 0.2, 0.8])
    assert first_jump(jumps, 8) == pytest.approx([4 / 7, 1 / 7, 0, 0, 0, 0, 1 / 7, 1 / 7])
    assert first_jump(UNIFORM, 4) == last_jump(UNIFORM, 4) == [0.25] * 4


def test_null_remembers_the_last_real_position() -> None:
    # (a b | x y x): a_1 = 2, a_2 = NULL, a_3 = 1 jumps from 2 to 1.
    pair = Pair((None, "a", "b"), ("x", "y", "x"))
    jumps = Jumps(counts(p1=1.0, p2=3.0), counts(m1=1.0, z=4.0), counts(p1=1.0, p2=1.0))
    lexicon = {(None, "y"): 0.5, ("a", "x"): 0.3, ("b", "x"): 0.7}
    table = tables(HmmModel(p0=0.2), Parameters(lexicon, jumps), pair)
    # first 3/4, then p0, then -1 of {-1, 0} = 1/5, and the end at 1: 1/2.
    expected = (0.8 * 0.75 * 0.7) * (0.2 * 0.5) * (0.8 * 0.2 * 0.3) * 0.5
    assert joint_probability(table, [2, 0, 1]) == pytest.approx(expected)
    # NULL first: the first real word is still reached by a first jump.
    assert joint_probability(table, [0, 1, 1]) == 0.0, "t(x | NULL) = 0"
    assert table.last[0] == 0.5, "an alignment to NULL alone ends at none of the two positions"


def test_smoothing_holds_for_all_jumps() -> None:
    pair = Pair((None, "a", "b"), ("x",))
    jumps = Jumps(counts(p1=1.0), counts(z=1.0), counts(p1=1.0), {"a": counts(z=1.0)})
    table = tables(HmmModel(alpha=0.1, tau=3.0), Parameters({}, jumps), pair)
    assert table.jump[0] == pytest.approx([0.0, 0.95, 0.05])
    assert table.jump[1] == pytest.approx([0.0, 0.95, 0.05])
    assert table.last == pytest.approx([0.5, 0.05, 0.95])


def test_the_e_step_by_hand() -> None:
    # (a | x): NULL 0.2 * 0.5 * 1, a 0.8 * 1 * 0.25 * 1; the last factor is 1 with I = 1.
    pair = Pair((None, "a"), ("x",))
    table = tables(HmmModel(p0=0.2), Parameters({(None, "x"): 0.5, ("a", "x"): 0.25}, UNIFORM), pair)
    found = by_forward_backward(table, pair)
    assert found.likelihood == pytest.approx(0.3)
    assert found.links == [pytest.approx([1 / 3, 2 / 3])]
    assert found.jumps == {
        ("first", None, 0, 1): [pytest.approx(2 / 3)],
        ("last", None, 0, 1): [pytest.approx(2 / 3)],
    }
    assert viterbi(table) == [1]


def test_a_pair_that_nothing_explains_has_no_counts() -> None:
    pair = Pair((None, "a"), ("x",))
    found = by_forward_backward(tables(HmmModel(), Parameters({}, UNIFORM), pair), pair)
    assert (found.likelihood, found.links, found.jumps) == (0.0, [[0.0, 0.0]], {})
    assert viterbi(tables(HmmModel(), Parameters({}, UNIFORM), pair)) == [0]


def test_jumps_are_counted_in_buckets_of_their_kind() -> None:
    rows = [(("between", "a", 1, 9), [1.0, 2.0, 0, 0, 0, 0, 0, 3.0, 4.0])]
    assert in_buckets(rows) == counts(z=1.0, p1=2.0, p7=7.0)
    assert in_buckets([(("last", None, 0, 9), [5.0, 0, 6.0, 0, 0, 0, 0, 0, 1.0])]) == counts(p7=11.0, p1=1.0)


def test_words_learn_their_own_jumps() -> None:
    # "a b" is always "y x", so that b jumps back; "c d" is "z w", so that c jumps ahead. Single words say who is who.
    sources = ["ab", "cd"] * 8 + ["a", "b", "c", "d"] * 8
    targets = ["yx", "zw"] * 8 + ["x", "y", "z", "w"] * 8
    fit = train(Direction.of(sources, targets), HmmModel(p0=0.01, tau=1.0, alpha=0.01), iterations=10)
    own = fit.parameters.jumps.by_word
    assert own["b"][bucket(-1)] > 7
    assert own["c"][bucket(1)] > 7
    assert own["b"][bucket(1)] == own["c"][bucket(-1)] == 0
    assert fit.history[-1] > fit.history[0]
    pair = Pair((None, "a", "b"), ("y", "x"))
    assert viterbi(tables(fit.model, fit.parameters, pair)) == [2, 1]


def test_the_first_iteration_is_model_1_with_its_own_null() -> None:
    direction = Direction.of(["ab", "a"], ["xy", "x"])
    lexicon = model_1(direction, 5)
    model = HmmModel(p0=1 / 3)
    pair = direction.pairs[0]
    # With uniform jumps and p0 = 1 / (I + 1) all alignments have the weights of Model 1, but for the end of the
    # sentence, which is 1 / I whatever the last position is.
    found = by_forward_backward(tables(model, Parameters(lexicon, UNIFORM), pair), pair)
    expected = math.prod(sum(lexicon[e, f] for e in pair.given) / 3 for f in pair.emitted) / 2
    assert found.likelihood == pytest.approx(expected)
    for j, f in enumerate(pair.emitted):
        total = sum(lexicon[e, f] for e in pair.given)
        assert found.links[j] == pytest.approx([lexicon[e, f] / total for e in pair.given])


def test_products_by_hand() -> None:
    # One pair, I = 2, J = 1: forward rows by j, reverse rows by i.
    assert products([[[0.2, 0.5, 0.3]]], [[[0.6, 0.4], [0.1, 0.9]]]) == [[pytest.approx([0.2, 0.2, 0.27])]]
    assert relative_frequencies({("a", "x"): 1.0, ("a", "y"): 3.0, ("b", "x"): 0.0}) == {
        ("a", "x"): 0.25,
        ("a", "y"): 0.75,
        ("b", "x"): 0.0,
    }


def test_agreement_sharpens_what_both_directions_say() -> None:
    corpus = (["ab", "ac", "b"], ["xy", "xz", "y"])
    forward, reverse = both_directions(corpus)
    model = HmmModel(alpha=0.1)
    alone = train(forward, model).parameters.lexicon
    together = train_together(forward, reverse, (model, model)).forward.parameters.lexicon
    assert together["a", "x"] >= alone["a", "x"]
    assert together["c", "z"] > 0.99


@pytest.mark.parametrize("model", [HmmModel(), HmmModel(alpha=0.2), HmmModel(tau=3.0)])
def test_the_jump_counts_of_the_paper_may_lose_likelihood(model: HmmModel) -> None:
    """Where sentences are short, relative frequencies of jumps are no M-step: the core may do the same."""
    direction = Direction.of(["d", "c", "cbbd"], ["zx", "yzyy", "xyz"])
    start = Parameters(model_1(direction, 2), UNIFORM)
    history = train_from(direction, model, start, 4).history
    assert history[1] < history[0] - 0.5
    assert history[3] > history[1]


def test_steps_that_ascend_count_the_unsmoothed_part_alone() -> None:
    # Nearly all jumps are ahead by one, and smoothing explains the others well: counting those as well would lose.
    direction = Direction.of(["abcdef"] * 4, ["uvwxyz"] * 3 + ["uwvxyz"])
    lexicon = {(e, f): 1.0 for e, f in zip("abcdef", "uvwxyz", strict=True)}
    ahead = tuple(1.0 if b == bucket(1) else 1e-6 for b in range(BUCKETS))
    model = HmmModel(p0=0.01, alpha=0.5)
    start = Parameters(lexicon, Jumps(ahead, ahead, ahead))
    ascending = train_from(direction, model, start, 6, "ascent").history
    assert all(after >= before - 1e-12 for before, after in pairwise(ascending))
    assert train_from(direction, model, start, 2, "counts").history[1] < ascending[0] - 0.01
