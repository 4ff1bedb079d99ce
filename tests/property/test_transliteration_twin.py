"""Chunk alignment and the joint source-channel model against enumeration."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plait.translit import JointSourceChannel, align_chunks
from reference.transliteration_chunks import JointTwin, shapes, train, ways

words = st.text("abc", min_size=1, max_size=4)
pairs = st.lists(st.tuples(words, st.text("xy", min_size=1, max_size=4)), min_size=1, max_size=6)
limits = st.fixed_dictionaries(
    {
        "max_source": st.integers(1, 3),
        "max_target": st.integers(1, 3),
        "many_to_many": st.booleans(),
        "deletions": st.booleans(),
        "insertions": st.booleans(),
    }
)


def weight(weights, way):
    return math.prod(weights[unit] for unit in way)


@settings(deadline=None)
@given(pairs, limits, st.integers(1, 4), st.sampled_from([0.0, 0.5]))
def test_passes_are_those_of_the_twin(data, allowed, passes, penalty):
    kept = [pair for pair in data if ways(*pair, shapes(**allowed))]
    found = align_chunks(data, **allowed, iterations=passes, tolerance=0.0, length_penalty=penalty, unaligned="ignore")
    assert [pair for pair, _ in found.unaligned] == [n for n, pair in enumerate(data) if pair not in kept]
    if not kept:
        return
    weights, history = train(kept, shapes(**allowed), passes, penalty=penalty)
    assert found.history == pytest.approx(history, rel=1e-6, abs=1e-6)
    for number, pair in enumerate(data):
        chunks = found.chunks(number)
        if pair not in kept:
            assert chunks == []
            assert np.isnan(found.scores[number])
            continue
        # The words are those of the chunks, and no way is better.
        assert ["".join(itertools.chain.from_iterable(unit[side] for unit in chunks)) for side in (0, 1)] == list(pair)
        best = max(weight(weights, way) for way in ways(*pair, shapes(**allowed)))
        assert weight(weights, chunks) == pytest.approx(best, rel=1e-5)
        assert found.scores[number] == pytest.approx(math.log(best), abs=1e-5)


@settings(deadline=None)
@given(pairs, st.integers(1, 12), st.booleans())
def test_the_likelihood_never_falls(data, passes, viterbi):
    """But for rounding of counts, and where the last soft pass is followed by the first hard one."""
    method = "viterbi" if viterbi else "em"
    found = align_chunks(
        data, max_source=4, deletions=True, insertions=True, method=method, soft_iterations=1, iterations=passes,
        tolerance=0.0,
    )  # fmt: skip
    history = found.history[2 if viterbi else 1 :]
    for before, after in itertools.pairwise(history):
        assert after >= before - 1e-6


def sequences(model):
    """Training pairs as units of symbols."""
    parts = model.parts
    units = [
        tuple(
            tuple(names[symbol] for symbol in symbols[int(starts[n]) : int(starts[n + 1])].tolist())
            for names, (starts, symbols) in (
                (parts.source_names, parts.unit_sources),
                (parts.target_names, parts.unit_targets),
            )
        )
        for n in range(len(parts.unit_sources[0]) - 1)
    ]
    starts, ids = parts.sequences
    return [[units[unit] for unit in ids[a:b].tolist()] for a, b in itertools.pairwise(starts.astype(int).tolist())]


models = st.fixed_dictionaries(
    {
        "order": st.integers(1, 4),
        "prune": st.sampled_from([(0,), (0, 1), (0, 0, 1)]),
        "max_source": st.integers(1, 2),
        "max_target": st.integers(1, 2),
        "deletions": st.just(True),
        "insertions": st.booleans(),
        "unknown": st.sampled_from(["skip", "copy"]),
    }
)


@settings(max_examples=40, deadline=None)
@given(pairs, models, st.text("abcd", max_size=3))
def test_lists_are_those_of_the_twin(data, options, word):
    alignable = [
        pair
        for pair in data
        if ways(*pair, shapes(options["max_source"], options["max_target"], deletions=True,
                              insertions=options["insertions"]))
    ]  # fmt: skip
    if not alignable:
        return
    model = JointSourceChannel(**options).fit(alignable)
    kept = options["prune"][: options["order"]]
    twin = JointTwin(sequences(model), options["order"], kept, options["unknown"])
    sums, best = twin.targets(word)
    total = sum(sums.values())
    found = model.nbest([word], 10_000)[0]
    expected = {"".join(target): value / total for target, value in sums.items()}
    assert {target: value for target, value in found} == pytest.approx(expected, rel=1e-9)
    assert sum(value for _, value in found) == pytest.approx(1, rel=1e-9)
    assert [value for _, value in found] == sorted((value for _, value in found), reverse=True)
    # The first in a short list is among those with the best ways.
    model.candidates = 1
    first = model.nbest([word], 1)[0][0].target
    assert best[tuple(first)] == pytest.approx(max(best.values()), rel=1e-9)
    for target, value in sums.items():
        log = model.log_probability(word, "".join(target), joint=True)
        assert log == pytest.approx(math.log(value), abs=1e-8)
    assert model.log_probability(word, "zz") == -math.inf


@settings(max_examples=30, deadline=None)
@given(pairs, st.lists(st.text("abcd", max_size=4), max_size=5), st.integers(1, 4))
def test_threads_change_no_bit(data, decoded, threads):
    options = {"max_source": 2, "max_target": 4, "deletions": True, "insertions": True, "order": 3}
    one, many = (JointSourceChannel(**options, threads=count).fit(data) for count in (1, threads))
    assert one.alignment_ is not None
    assert many.alignment_ is not None
    assert one.alignment_.history == many.alignment_.history
    assert np.array_equal(one.alignment_.units, many.alignment_.units)
    assert one.nbest(decoded, 5) == many.nbest(decoded, 5)
