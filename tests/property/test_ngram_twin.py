"""N-gram models give the probabilities of the definitions, whatever the corpus and the options."""

import itertools
import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plait.errors import NgramWarning
from plait.ngram import NgramModel
from reference.ngram import Twin

WORDS = "abcde"


def corpora(max_sentences=25):
    sentence = st.lists(st.sampled_from(WORDS[:4]), max_size=8).map(tuple)
    return st.lists(sentence, min_size=1, max_size=max_sentences)


def fit(sentences, order, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NgramWarning)
        return NgramModel(order, **options).fit(sentences)


def check(model, twin, sentences):
    for sentence, logs in zip(sentences, model.score(sentences), strict=True):
        for log, exact in zip(logs, twin.sentence(sentence), strict=True):
            expected = math.log(exact) if exact else -math.inf
            assert log == pytest.approx(expected, rel=1e-12, abs=1e-12)


@settings(deadline=None)
@given(corpora(), st.integers(1, 5), st.booleans(), corpora(5))
def test_probabilities_are_those_of_the_definitions(sentences, order, closed, others):
    model = fit(sentences, order, closed=closed, threads=1)
    twin = Twin(sentences, order, closed=closed)
    assert [list(report.counts_of_counts) for report in model.reports_] == twin.counts_of_counts
    check(model, twin, sentences + others + [tuple("eaebe")])


@settings(deadline=None)
@given(corpora(), st.integers(2, 4), st.lists(st.integers(0, 2), min_size=1, max_size=3))
def test_pruned_ngrams_leave_their_mass_to_shorter_contexts(sentences, order, thresholds):
    prune = [0, *sorted(thresholds)][:order]
    check(fit(sentences, order, prune=prune), Twin(sentences, order, prune=prune), [*sentences, tuple("abcde")])


def test_discounts_come_from_counts_of_counts_where_these_are_whole():
    random = np.random.default_rng(7)
    weights = 1 / np.arange(1, 41)
    words = [f"w{n}" for n in range(40)]
    sentences = [
        tuple(random.choice(words, size=random.integers(1, 12), p=weights / weights.sum())) for _ in range(400)
    ]
    model = fit(sentences, 3)
    twin = Twin(sentences, 3)
    # The unigrams of so few words have no counts of 1.
    assert [report.fallback is None for report in model.reports_] == [False, True, True]
    for report, exact in zip(model.reports_, twin.discounts, strict=True):
        assert report.discounts == pytest.approx([float(discount) for discount in exact], rel=1e-14)
    check(model, twin, sentences[:40])


@settings(deadline=None)
@given(corpora(), st.integers(1, 4))
def test_every_context_has_a_distribution(sentences, order):
    model = fit(sentences, order)
    for context in itertools.product(WORDS, repeat=2):
        heads = model.states(context)
        state = heads[-1][1]
        total = math.exp(model.core.end(state)) + math.exp(model.core.step(state, "<unk>")[0])
        total += sum(math.exp(model.core.step(state, word)[0]) for word in model.vocabulary)
        assert total == pytest.approx(1, abs=1e-12)


@settings(deadline=None)
@given(corpora(), st.integers(1, 4), st.integers(2, 4))
def test_threads_change_no_bit(sentences, order, threads):
    one, many = fit(sentences, order, threads=1), fit(sentences, order, threads=threads)
    for a, b in zip(one.score(sentences), many.score(sentences), strict=True):
        assert a.tobytes() == b.tobytes()
    assert one.counts == many.counts
