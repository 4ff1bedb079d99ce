"""Symmetrisation and combination: worked examples and what is refused."""

from __future__ import annotations

import random

import pytest

from plait import combine
from plait.alignments import Alignments
from plait.errors import ConfigError, UnequalLengthError
from plait.symmetrize import METHODS, symmetrize


def one(*links):
    return Alignments.from_lists([links])


# Rows are source words, columns target words; F and R are in one direction, B in both.
#
#       0 1 2 3 4
#   0   B F . . .
#   1   . . R . .
#   2   . . . . F
#   3   . . . R .
#   4   F . . . .
FORWARD = one((0, 0), (0, 1), (2, 4), (4, 0))
REVERSE = one((0, 0), (1, 2), (3, 3))


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("intersection", [(0, 0)]),
        ("union", [(0, 0), (0, 1), (1, 2), (2, 4), (3, 3), (4, 0)]),
        # (0, 1) is beside (0, 0); (1, 2) touches it by a corner only; (2, 4) touches nothing that is in.
        ("grow", [(0, 0), (0, 1)]),
        ("grow-diag", [(0, 0), (0, 1), (1, 2)]),
        # (4, 0): target word 0 is aligned, source word 4 is not.
        ("grow-diag-final", [(0, 0), (0, 1), (1, 2), (2, 4), (3, 3), (4, 0)]),
        ("grow-diag-final-and", [(0, 0), (0, 1), (1, 2), (2, 4), (3, 3)]),
        ("grow-final", [(0, 0), (0, 1), (1, 2), (2, 4), (3, 3), (4, 0)]),
    ],
)
@pytest.mark.parametrize("variant", ["symal", "atools"])
def test_a_worked_example(method, variant, expected):
    assert symmetrize(FORWARD, REVERSE, method, variant=variant) == one(*expected)


def test_the_final_step_prefers_the_forward_direction():
    # Both candidates want source word 5; whichever comes first takes it.
    forward, reverse = one((5, 0)), one((5, 9))
    assert symmetrize(forward, reverse, "grow-diag-final-and") == one((5, 0))
    assert symmetrize(reverse, forward, "grow-diag-final-and") == one((5, 9))


def test_the_variants_scan_in_different_orders():
    # The corner (0, 0) against its neighbours (0, 1) and (1, 0): symal looks at straight neighbours first, atools at
    # the candidate with the smallest source position.
    forward, reverse = one((1, 1), (0, 0)), one((1, 1), (0, 1), (1, 0))
    assert symmetrize(forward, reverse, "grow-diag") == one((0, 1), (1, 0), (1, 1))
    assert symmetrize(forward, reverse, "grow-diag", variant="atools") == one((0, 0), (1, 1))


def test_probabilities_become_means_when_both_directions_have_them():
    forward = Alignments.from_lists([[(0, 0), (0, 1)]], [[0.5, 0.75]])
    reverse = Alignments.from_lists([[(0, 0)]], [[1.0]])
    assert symmetrize(forward, reverse, "union").probabilities.tolist() == [0.75, 0.375]
    assert symmetrize(forward, one((0, 0)), "union").probabilities is None


def test_soft_compares_strictly():
    forward = Alignments.from_lists([[(0, 0), (1, 1)]], [[1.0, 1.0]])
    reverse = Alignments.from_lists([[(1, 1)]], [[0.0009765625]])
    found = symmetrize(forward, reverse, "soft", threshold=0.5)
    assert found[0].tolist() == [[1, 1]], "a mean of exactly the threshold is not above it"
    assert len(symmetrize(forward, reverse, "soft", threshold=1.0).links) == 0


def test_bad_arguments_are_refused():
    two = Alignments.from_lists([[], []])
    with pytest.raises(UnequalLengthError, match="the forward direction ends after line 1"):
        symmetrize(one(), two)
    with pytest.raises(ConfigError, match="method must be one of intersection"):
        symmetrize(two, two, "gdfa")
    with pytest.raises(ConfigError, match="variant must be symal or atools"):
        symmetrize(two, two, variant="moses")
    with pytest.raises(ConfigError, match="without probabilities"):
        symmetrize(one((0, 0)), one((0, 0)), "soft")
    for threshold in (-0.1, 1.5, float("nan")):
        with pytest.raises(ConfigError, match="threshold must be a number from 0 to 1"):
            symmetrize(two, two, "soft", threshold=threshold)


@pytest.mark.parametrize("method", METHODS)
def test_nothing_gives_nothing(method):
    nothing = Alignments.from_lists([])
    assert len(symmetrize(nothing, nothing, method)) == 0


def test_results_do_not_depend_on_threads():
    # More pairs than a block holds, with more than one kind of pair.
    forward = Alignments.from_lists([FORWARD[0].tolist(), [], [(0, 0)]] * 2000)
    reverse = Alignments.from_lists([REVERSE[0].tolist(), [(1, 1)], [(0, 1)]] * 2000)
    expected = symmetrize(forward, reverse, threads=1)
    for threads in (2, 3, 8):
        assert symmetrize(forward, reverse, threads=threads) == expected
        assert combine.vote([forward, reverse], threads=threads) == combine.vote([forward, reverse], threads=1)


def test_half_of_the_votes_is_no_majority():
    systems = [one((0, 0), (1, 1)), one((0, 0)), one((0, 0), (1, 1)), one((2, 2))]
    found = combine.vote(systems)
    assert found[0].tolist() == [[0, 0]]
    assert found.probabilities.tolist() == [0.75]
    assert combine.vote(systems, threshold=0.49)[0].tolist() == [[0, 0], [1, 1]]
    assert len(combine.vote(systems, threshold=1).links) == 0
    assert len(combine.vote(systems, threshold=0).links) == 3


def test_average_is_the_mean_over_all_alignments():
    systems = [Alignments.from_lists([[(0, 0)]], [[p]]) for p in (1.0, 0.5)] + [Alignments.from_lists([[]], [[]])]
    assert combine.average(systems, threshold=0.4).probabilities.tolist() == [0.5]
    assert len(combine.average(systems, threshold=0.5).links) == 0


def test_bad_combinations_are_refused():
    with pytest.raises(ConfigError, match="at least one alignment"):
        combine.combine([])
    with pytest.raises(ConfigError, match="method must be one of concatenate, vote, average"):
        combine.combine([one()], "mean")
    with pytest.raises(ConfigError, match="alignment 2 of 2 without probabilities"):
        combine.average([Alignments.from_lists([[(0, 0)]], [[1.0]]), one((0, 0))])
    with pytest.raises(UnequalLengthError, match="alignment 3 ends after line 0, but alignment 1 has 1"):
        combine.vote([one(), one(), Alignments.from_lists([])])
    with pytest.raises(ConfigError, match="present in all parts or in none"):
        combine.concatenate([Alignments.from_lists([[(0, 0)]], [[1.0]]), one((0, 0))])


@pytest.mark.parametrize("method", METHODS)
def test_long_texts_go_in_stretches_without_a_trace(method, monkeypatch):
    def random_links(seed):
        draws = random.Random(seed)
        links = [[(i, draws.randrange(5)) for i in range(draws.randrange(5))] for _ in range(100)]
        return Alignments.from_lists(links, [[draws.random() for _ in pair] for pair in links])

    forward, reverse = random_links(1), random_links(2)
    whole = symmetrize(forward, reverse, method)
    monkeypatch.setattr("plait.symmetrize._PAIRS_AT_A_TIME", 7)
    assert symmetrize(forward, reverse, method) == whole
