"""What the two-step random field does about large sets: pairs that are noise, and trials on a part."""

from __future__ import annotations

import pytest

from plait.errors import AlignmentWarning, ConfigError
from plait.translit import TwoStepCRF
from plait.translit.two_step_chunks import sampled

# Of 300 letters b, 299 become y.
PAIRS = [("ab", "xy")] * 299 + [("ab", "xz"), ("ac", "xz")]


def fitted(**options):
    return TwoStepCRF(max_source=1, max_target=1, deletions=False, rare=0, max_iterations=5, **options)


def targets(model):
    return [candidate.target for candidate in model.nbest(["ab"])[0]]


@pytest.mark.filterwarnings("ignore::plait.errors.ConvergenceWarning")
def test_pairs_with_an_unusual_unit_are_left_out_and_told():
    with pytest.warns(AlignmentWarning, match=r"its chunk 'b' becomes 'z' only 1 of 300 times; lower unusual"):
        model = fitted(unusual=0.01, rivals="seen").fit(PAIRS)
    assert [left.pair for left in model.unaligned_] == [299]
    assert "xz" not in targets(model)


@pytest.mark.filterwarnings("ignore::plait.errors.ConvergenceWarning")
@pytest.mark.parametrize("options", [{"unusual": 0, "rivals": "seen"}, {"unusual": 0.01, "rivals": "all"}, {}])
def test_units_are_kept_below_the_share_and_with_all_rivals(options):
    model = fitted(**options).fit(PAIRS)
    assert model.unaligned_ == []
    assert "xz" in targets(model)


@pytest.mark.parametrize("share", [-0.1, 1.0, float("nan")])
def test_a_share_is_from_0_to_below_1(share):
    with pytest.raises(ConfigError, match="unusual"):
        fitted(unusual=share).fit(PAIRS)


def test_a_sample_is_spread_evenly():
    assert list(sampled(range(10), 5)) == [0, 2, 4, 6, 8]
    assert list(sampled(range(7), 3)) == [0, 2, 4]
    assert sampled(range(7), 7) == range(7)


@pytest.mark.filterwarnings("ignore::plait.errors.ConvergenceWarning")
def test_trials_of_a_part_end_with_a_training_on_all(monkeypatch):
    pairs = [("ab", "xy"), ("ac", "xz"), ("ba", "yx"), ("ca", "zx"), ("bc", "yz"), ("cb", "zy")] * 2 + [("d", "w")]
    monkeypatch.setattr("plait.translit.two_step.TRIED", 6)
    model = fitted().fit(pairs, dev=[("abc", "xyz"), ("bac", "yxz")])
    assert len(model.trials_) == 5
    assert model.l2_ == max(model.trials_, key=lambda tried: tried.accuracy)[:2]
    # The last pair is in no sample.
    assert model.transliterate(["d"]) == ["w"]
    again = fitted(l2_segmenter=model.l2_[0], l2_converter=model.l2_[1]).fit(pairs)
    assert [list(own) for own in again.nbest(["abcd"])] == [list(own) for own in model.nbest(["abcd"])]
