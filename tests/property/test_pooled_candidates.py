"""Candidates of two systems made at once against lists and questions made apart."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plait.translit import Interpolation, JointSourceChannel, TwoStepCRF
from plait.translit.pooled import poolable
from plait.translit.systems import probabilities_of
from plait.translit.tuning import Pool

words = st.text("abc", min_size=1, max_size=6)
pairs = st.lists(st.tuples(words, st.text("xyz", min_size=1, max_size=6)), min_size=3, max_size=12)
phones = st.lists(
    st.tuples(words, st.lists(st.sampled_from(["x", "yy", "zh"]), min_size=1, max_size=5).map(" ".join)),
    min_size=3,
    max_size=12,
)


def systems_for(data, **options):
    two_step = TwoStepCRF(max_source=2, max_target=2, max_iterations=15, l2_segmenter=0.1, l2_converter=0.1, **options)
    return two_step.fit(data), JointSourceChannel(max_source=3, max_target=2, order=3, discard=0.2).fit(data)


def apart(systems, asked, count):
    pool = Pool.from_lists([system.nbest(asked, count) for system in systems])
    for number, system in enumerate(systems):
        absent = np.flatnonzero(~pool.listed[:, number])
        if len(absent):
            sources, targets = [asked[pool.words[row]] for row in absent], [pool.targets[row] for row in absent]
            pool.probabilities[absent, number] = probabilities_of(system, sources, targets)
    return pool


def assert_same(found, expected):
    assert found.targets == expected.targets
    for name in ("starts", "words", "listed"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    # To the last bit.
    np.testing.assert_array_equal(found.probabilities, expected.probabilities)


@pytest.mark.filterwarnings("ignore::plait.errors.AlignmentWarning", "ignore::plait.errors.ConvergenceWarning")
@settings(deadline=None)
@given(
    st.one_of(pairs, phones),
    st.lists(st.text("abcd", max_size=8), max_size=6),
    st.sampled_from([1, 2, 10]),
    st.sampled_from([1, 3, 40]),
    st.sampled_from([1, 4]),
)
def test_pools_are_those_of_lists_and_questions_apart(data, asked, count, segmentations, conversions):
    try:
        systems = systems_for(data, segmentations=segmentations, conversions=conversions)
    except ValueError:
        return  # no pair can be cut
    if poolable(systems) is None:
        return  # in one of them, most targets of the pairs it kept have one symbol
    pool = Interpolation(systems, candidates=count).pool(asked)
    assert_same(pool, apart(systems, asked, count))


def test_pools_do_not_depend_on_threads():
    data = [("abcab", "xyzxy"), ("bca", "yzx"), ("cab", "zxy"), ("aab", "xy"), ("abb", "xyy"), ("cc", "z")]
    systems = systems_for(data)
    asked = ["".join("abc"[(number // 3**place) % 3] for place in range(6)) for number in range(700)]
    model = Interpolation(systems)
    model.threads = 1
    expected = model.pool(asked)
    for threads in (2, 5):
        model.threads = threads
        assert_same(model.pool(asked), expected)


def test_systems_with_other_symbols_are_asked_apart():
    data = [("abc", "xyz"), ("ab", "xy"), ("bc", "yz"), ("ca", "zx")]
    two_step, joint = systems_for(data)
    assert poolable([two_step, joint]) == (two_step, joint)
    assert poolable([joint, two_step]) is None
    assert poolable([two_step, joint, joint]) is None
    copying = JointSourceChannel(max_source=2, max_target=2, unknown="copy").fit(data)
    assert poolable([two_step, copying]) is None
    clusters = [TwoStepCRF(max_source=2, max_target=2, target_units="clusters").fit(data)]
    clusters.append(JointSourceChannel(max_source=2, max_target=2, target_units="clusters").fit(data))
    assert poolable(clusters) is None
    mixed = Interpolation([two_step, copying])
    assert_same(mixed.pool(["abcd", "d"]), apart(mixed.systems, ["abcd", "d"], 10))
