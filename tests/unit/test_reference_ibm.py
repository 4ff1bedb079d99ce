"""The twins of the IBM models against hand computation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from reference import initial, readout
from reference.direction import Direction
from reference.enumeration import exact_posterior, marginals, to_alignment
from reference.expectation import em, posteriors, vb
from reference.folding import fold_in, mean_parameters
from reference.gibbs import conditional, log_joint, sample
from reference.ibm import JUMPS, Model, diagonal, jump, log_position, tail_share, uniform_distortion


def test_direction_drops_pairs_that_do_not_train() -> None:
    sources = [["a", "b"], [], ["c"], ["a"] * 4]
    targets = [["x"], ["y"], [], ["z"]]
    forward = Direction.of(sources, targets, max_length=3)
    assert [pair.given for pair in forward.pairs] == [(None, "a", "b")]
    assert forward.places == (0,)
    assert forward.emitted_types == 3, "types of untrained pairs belong to the vocabulary"
    assert Direction.of(sources, targets, reverse=True).emitted_types == 3
    assert [pair.emitted for pair in Direction.of(sources, targets, reverse=True).pairs] == [
        ("a", "b"),
        ("a",) * 4,
    ]


def test_the_diagonal_is_straight_when_lengths_agree() -> None:
    assert [diagonal(j, 7, 7) for j in range(7)] == list(range(7))


@pytest.mark.parametrize(
    ("given", "emitted", "expected"), [(1, 3, [0, 0, 0]), (3, 1, [1]), (4, 2, [1, 3]), (2, 3, [0, 1, 1])]
)
def test_the_diagonal_by_hand(given: int, emitted: int, expected: list[int]) -> None:
    assert [diagonal(j, given, emitted) for j in range(emitted)] == expected


def test_jumps_are_clipped() -> None:
    assert jump(0, 19, 20, 20) == -5
    assert jump(19, 0, 20, 20) == 5
    assert jump(4, 2, 20, 20) == 2
    assert len(JUMPS) == 11


def test_position_weights() -> None:
    pair = Direction.of([["a", "b"]], [["x", "y"]]).pairs[0]
    flat = uniform_distortion()
    assert [math.exp(log_position(Model("ibm1"), flat, pair, i, 0)) for i in range(3)] == pytest.approx([1 / 3] * 3)
    assert [math.exp(log_position(Model("ibm1", 0.2), flat, pair, i, 0)) for i in range(3)] == pytest.approx(
        [0.2, 0.4, 0.4]
    )
    assert [math.exp(log_position(Model("ibm2", 0.2), flat, pair, i, 0)) for i in range(3)] == pytest.approx(
        [0.2, 0.8 / 11, 0.8 / 11]
    )


def test_tails_are_shared_or_whole() -> None:
    # I = 20, J = 1: the diagonal is at 10; positions 0 .. 5 and 15 .. 19 are the tails.
    pair = Direction.of([list("abcdefghijklmnopqrst")], [["x"]]).pairs[0]
    shared, each = Model("ibm2", 0.2), Model("ibm2", 0.2, tail="each")
    assert [1 / tail_share(shared, pair, i, 0) for i in range(21)] == pytest.approx([1.0] + [6] * 6 + [1] * 9 + [5] * 5)
    assert [tail_share(each, pair, i, 0) for i in range(21)] == [1.0] * 21
    flat = uniform_distortion()
    whole = sum(math.exp(log_position(shared, flat, pair, i, 0)) for i in range(21))
    assert whole == pytest.approx(1.0), "where every jump is possible, shared tails are a distribution"


def test_em_by_hand() -> None:
    # (a | x), (a b | x y), Model 1, V = 2, all t = 1/2: posteriors 1/2 in pair 1 and 1/3 in pair 2.
    # c(NULL, x) = c(a, x) = 1/2 + 1/3 = 5/6, c(NULL, y) = c(a, y) = 1/3, c(b, x) = c(b, y) = 1/3.
    direction = Direction.of([["a"], ["a", "b"]], [["x"], ["x", "y"]])
    fit = em(direction, Model("ibm1"), 1)
    t = {pair: math.exp(x) for pair, x in fit.weights.lexicon.items()}
    assert fit.history == pytest.approx([3 * math.log(1 / 2)])
    assert [t[None, "x"], t["a", "x"], t["b", "x"]] == pytest.approx([5 / 7, 5 / 7, 1 / 2])
    assert [t[None, "y"], t["a", "y"], t["b", "y"]] == pytest.approx([2 / 7, 2 / 7, 1 / 2])
    # x of pair 2: 5/7 : 5/7 : 1/2 = 10 : 10 : 7; y: 2/7 : 2/7 : 1/2 = 4 : 4 : 7.
    table = posteriors(direction, Model("ibm1"), fit.weights)
    assert table[0] == [pytest.approx([1 / 2, 1 / 2])]
    assert table[1] == [pytest.approx([10 / 27, 10 / 27, 7 / 27]), pytest.approx([4 / 15, 4 / 15, 7 / 15])]
    assert readout.viterbi(table) == [[0], [0, 2]], "a tie goes to NULL"
    second = em(direction, Model("ibm1"), 2)
    expected = math.log(5 / 7) + math.log((5 / 7 + 5 / 7 + 1 / 2) / 3) + math.log((2 / 7 + 2 / 7 + 1 / 2) / 3)
    assert second.history[1] == pytest.approx(expected)


def test_model_2_em_by_hand() -> None:
    # One pair (a | x): t = 1 for NULL and a from the first iteration on. Weights p0 : (1 - p0) d(0); d(0) =
    # 1/11, then 1.
    direction = Direction.of([["a"]], [["x"]])
    model = Model("ibm2", 0.2)
    fit = em(direction, model, 2)
    assert fit.history == pytest.approx([math.log(0.2 + 0.8 / 11), math.log(1.0)])
    assert posteriors(direction, model, fit.weights) == [[pytest.approx([0.2, 0.8])]]
    assert fit.weights.distortion[0] == pytest.approx(0.0)
    assert fit.weights.distortion[1] == -math.inf


def test_vb_by_hand() -> None:
    # One pair (a | x x), V = 1: both rows get one link in the mean; t = exp(psi(1 + theta) - psi(1 + theta))
    # = 1.
    fit = vb(Direction.of([["a"]], [["x", "x"]]), Model("ibm1", theta=0.5), 2)
    assert fit.weights.lexicon == {(None, "x"): pytest.approx(0.0), ("a", "x"): pytest.approx(0.0)}
    # The bound is exact: V = 1, so every alignment gives probability 1.
    assert fit.history == pytest.approx([0.0])
    # One pair (a | x y), V = 2, theta = 1: rows get (1/2, 1/2); psi(3/2) - psi(3) = (2 - 2 ln 2) - 3/2 = 1/2
    # - 2 ln 2.
    fit = vb(Direction.of([["a"]], [["x", "y"]]), Model("ibm1", theta=1.0), 1)
    assert fit.weights.lexicon["a", "x"] == pytest.approx(0.5 - math.log(4))


def test_gibbs_conditional_by_hand() -> None:
    # (a | x), (a b | x y): resample y of pair 2 when x = a in both pairs. theta = 1/2, V = 2.
    # NULL: (0 + 1/2) / (0 + 1) = 1/2; a: (0 + 1/2) / (2 + 1) = 1/6; b: 1/2. Together 7/6.
    direction = Direction.of([["a"], ["a", "b"]], [["x"], ["x", "y"]])
    alignment = [[1], [1, 2]]
    assert conditional(direction, Model("ibm1", theta=0.5), alignment, 1, 1) == pytest.approx([3 / 7, 1 / 7, 3 / 7])
    # x of pair 2, y = b: NULL 1/2, a: (1 + 1/2) / (1 + 1) = 3/4, b: (0 + 1/2) / (1 + 1) = 1/4.
    assert conditional(direction, Model("ibm1", theta=0.5), alignment, 1, 0) == pytest.approx([1 / 3, 1 / 2, 1 / 6])
    # Model 2, phi = 1, the same token: jumps of the others are 0 and 0; a is jump 0, b is jump 1:
    # NULL 1/2 * 1/5; a 3/4 * 4/5 * 3/13; b 1/4 * 4/5 * 1/13.
    weights = [1 / 10, 9 / 65, 1 / 65]
    expected = [w / sum(weights) for w in weights]
    assert conditional(direction, Model("ibm2", 0.2, 0.5, 1.0), alignment, 1, 0) == pytest.approx(expected)


def test_joint_by_hand() -> None:
    # (a | x x), V = 2 (y occurs in a pair that does not train), theta = 1/2.
    direction = Direction.of([["a"], []], [["x", "x"], ["y"]])
    model = Model("ibm1", theta=0.5)
    # Both from a: 1/2 * 3/4 (the second is (1 + 1/2) / (1 + 1)); one from each: 1/2 * 1/2. Positions: 1/2
    # each.
    assert log_joint(direction, model, [[1, 1]]) == pytest.approx(math.log(1 / 2 * 3 / 4 / 4))
    assert log_joint(direction, model, [[0, 1]]) == pytest.approx(math.log(1 / 2 * 1 / 2 / 4))
    posterior = exact_posterior(direction, model)
    assert posterior == {
        (0, 0): pytest.approx(0.3),
        (0, 1): pytest.approx(0.2),
        (1, 0): pytest.approx(0.2),
        (1, 1): pytest.approx(0.3),
    }
    assert marginals(direction, posterior) == [[pytest.approx([0.5, 0.5])] * 2]
    # Model 2: diagonal 0 for both tokens, so both jumps are 0: p0 0.2; (a, a): 0.8^2 * 1/11 * 2/12.
    model = Model("ibm2", 0.2, 0.5, 1.0)
    assert log_joint(direction, model, [[1, 1]]) == pytest.approx(math.log(3 / 8 * 0.64 * 2 / 132))
    assert log_joint(direction, model, [[0, 1]]) == pytest.approx(math.log(1 / 4 * 0.2 * 0.8 / 11))


def test_cooccurrence_start_by_hand() -> None:
    sources = [["a", "b"], ["a", "c"], ["b", "c", "a"]]
    targets = [["x"], ["x", "y"], ["z", "y", "x"]]
    # x is with a in 3 pairs; y with c and with a in 2; z once with each: ties to the smallest position.
    assert initial.cooccurrence(Direction.of(sources, targets)) == [[1], [1, 1], [1, 2, 3]]
    # Repetition within a sentence counts once.
    assert initial.cooccurrence(Direction.of([["a", "a", "b"], ["b"]], [["x"], ["x"]])) == [[3], [1]]


def test_mode_and_its_ties() -> None:
    samples = [[[2, 1]], [[0, 1]], [[0, 2]], [[2, 2]]]
    assert readout.mode(samples) == [[0, 1]]


def test_links_are_written_source_target() -> None:
    sources, targets = [["a", "b"], [], ["c"]], [["x", "y", "z"], ["w"], ["x"]]
    forward = Direction.of(sources, targets)
    assert readout.source_target_links(forward, [[2, 0, 1], [1]]) == [[(0, 2), (1, 0)], [], [(0, 0)]]
    reverse = Direction.of(sources, targets, reverse=True)
    assert readout.source_target_links(reverse, [[3, 1], [0]]) == [[(0, 2), (1, 0)], [], []]
    table = [[[0.5, 0.25, 0.0, 0.25], [0.0, 0.0, 1.0, 0.0]], [[0.25, 0.75]]]
    assert readout.source_target_posteriors(reverse, table)[0][1, 1] == 1.0
    assert readout.source_target_posteriors(reverse, table)[2] == {(0, 0): 0.75}


def test_sampler_counts_its_sweeps() -> None:
    direction = Direction.of([["a", "b"]] * 2, [["x", "y"]] * 2)
    model = Model("ibm1", theta=0.5)
    start = initial.uniform(direction, np.random.default_rng(1))
    chain = sample(direction, model, start, np.random.default_rng(2), burn_in=0, samples=12, lag=1)
    thinned = sample(direction, model, start, np.random.default_rng(2), burn_in=2, samples=5, lag=2)
    assert thinned == chain[3:12:2]


def test_folding_in_uses_the_predictive_of_the_counts() -> None:
    training = Direction.of([["a"], ["a", "b"]], [["x"], ["x", "y"]])
    text = Direction.of([["a", "z"]], [["y"]])
    model = Model("ibm1", theta=0.5)
    weights = mean_parameters(training, model, [[[1], [1, 2]]], text)
    # N(a, y) = 0 of N(a) = 2; NULL and z unseen: 1/2, 1/6, 1/2.
    assert fold_in(text, model, weights) == [[pytest.approx([3 / 7, 1 / 7, 3 / 7])]]


def test_to_alignment_restores_the_sentences() -> None:
    direction = Direction.of([["a"], ["a"]], [["x", "y"], ["z"]])
    assert to_alignment(direction, (1, 0, 1)) == [[1, 0], [1]]
