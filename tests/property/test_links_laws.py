"""Links against their slow twins, and the laws that hold for all of them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from link_strategies import (
    aligned_texts,
    direction_pairs,
    link_sets,
    posteriors,
    to_alignments,
    to_sets,
)
from plait import combine
from plait.alignments import Alignments
from plait.analyze import analyze
from plait.bitext import Bitext
from plait.metrics import Gold, paired_bootstrap, score
from plait.symmetrize import METHODS, VARIANTS, symmetrize
from reference import links as twin

HEURISTICS = [method for method in METHODS if method != "soft"]


@given(st.lists(direction_pairs(), max_size=4), st.sampled_from(HEURISTICS), st.sampled_from(VARIANTS))
def test_heuristics_equal_their_definition(corpus, method, variant):
    forward, reverse = (to_alignments([pair[side] for pair in corpus]) for side in (0, 1))
    found = to_sets(symmetrize(forward, reverse, method, variant=variant, threads=2))
    assert found == [twin.symmetrized(f, r, method, variant) for f, r in corpus]


@given(posteriors(), posteriors(), st.integers(0, 16))
def test_soft_equals_its_definition(forward, reverse, sixteenths):
    def to_links(cells):
        return Alignments.from_lists([list(cells)], [list(cells.values())])

    found = symmetrize(to_links(forward), to_links(reverse), "soft", threshold=sixteenths / 16)
    expected = twin.soft(forward, reverse, sixteenths / 16)
    assert to_sets(found) == [frozenset(expected)]
    assert found.probabilities.tolist() == [expected[i, j] for i, j in found.links.tolist()]


@given(st.lists(st.lists(link_sets(), min_size=2, max_size=2), min_size=1, max_size=5), st.integers(0, 4))
def test_a_vote_equals_its_definition(systems, quarters):
    found = to_sets(combine.vote([to_alignments(corpus) for corpus in systems], threshold=quarters / 4))
    assert found == [twin.vote([corpus[n] for corpus in systems], quarters / 4) for n in range(2)]


@given(st.lists(st.lists(link_sets(), min_size=2, max_size=2), min_size=1, max_size=4))
def test_concatenation_keeps_all_in_order(systems):
    found = combine.concatenate([to_alignments(corpus) for corpus in systems])
    assert to_sets(found) == [links for corpus in systems for links in corpus]


@given(st.lists(link_sets(width=400), max_size=20), st.booleans(), st.integers(1, 3))
def test_pharaoh_reads_back(corpus, with_probabilities, threads):
    alignments = to_alignments(corpus)
    if with_probabilities and len(alignments.links):
        values = (np.arange(len(alignments.links)) % 7 / 7).astype(np.float32)
        alignments = Alignments(alignments.links, alignments.offsets, values)
    text = alignments.to_pharaoh(probabilities=True, threads=threads)
    assert Alignments._parse(text, "text", threads=threads) == alignments


@given(st.lists(link_sets(), max_size=8), st.data())
def test_slices_are_those_of_a_list(corpus, data):
    alignments = to_alignments(corpus)
    chosen = data.draw(st.slices(len(corpus)))
    assert to_sets(alignments[chosen]) == corpus[chosen]
    assert alignments[chosen] == to_alignments(corpus[chosen])


@given(st.lists(link_sets(), max_size=8))
def test_transposition_is_its_own_inverse(corpus):
    alignments = to_alignments(corpus)
    turned = alignments.transposed()
    assert to_sets(turned) == [frozenset((j, i) for i, j in links) for links in corpus]
    assert turned.transposed() == alignments


gold_corpora = st.lists(st.tuples(link_sets(), link_sets(), link_sets()), min_size=1, max_size=5)


@given(gold_corpora)
def test_scores_equal_their_definition(corpus):
    links, sure, possible = (to_alignments([row[k] for row in corpus]) for k in range(3))
    found = score(links, Gold(sure, possible))
    for rate, value in twin.rates(corpus).items():
        got = getattr(found, rate)
        assert math.isnan(got) if value is None else got == pytest.approx(value)


@given(gold_corpora)
def test_scores_lie_between_0_and_1_and_sure_links_are_perfect(corpus):
    links, sure, possible = (to_alignments([row[k] for row in corpus]) for k in range(3))
    gold = Gold(sure, possible)
    for rate in ("aer", "precision", "recall", "f1"):
        value = getattr(score(links, gold), rate)
        assert math.isnan(value) or -1e-12 <= value <= 1 + 1e-12
    if len(sure.links):
        assert score(sure, gold).aer == 0


@settings(max_examples=20)
@given(gold_corpora)
def test_a_system_does_not_differ_from_itself(corpus):
    links, sure, possible = (to_alignments([row[k] for row in corpus]) for k in range(3))
    result = paired_bootstrap(links, links, Gold(sure, possible), resamples=20)
    assert all(value == 0 or math.isnan(value) for value in result.differences.values())
    assert all(value == 1 or math.isnan(value) for value in result.p_values.values())


@given(aligned_texts(), st.integers(1, 4))
def test_analysis_equals_its_definition(text, longest):
    sources, targets, corpus = text
    bitext = Bitext.from_lists(sources, targets)
    found = analyze(bitext, to_alignments(corpus), max_phrase_length=longest, threads=1)
    rows = [row for row in zip(sources, targets, corpus, strict=True) if row[0] and row[1]]
    phrases = [
        (tuple(s[a:b]), tuple(t[c:d]))
        for s, t, links in rows
        for (a, b), (c, d) in twin.phrase_spans(links, len(s), len(t), longest)
    ]
    assert found.pairs == len(rows)
    assert (found.phrase_occurrences, found.phrase_pairs) == (len(phrases), len(set(phrases)))
    assert found.dictionary_size == len({(s[i], t[j]) for s, t, links in rows for i, j in links})
    for side, name in enumerate(("source", "target")):
        figures = getattr(found, name)
        tokens = [word for row in rows for word in row[side]]
        fertility = [sum(link[side] == place for link in row[2]) for row in rows for place in range(len(row[side]))]
        single = [f for f, word in zip(fertility, tokens, strict=True) if tokens.count(word) == 1]
        linked = [f for f in single if f]
        assert figures.tokens == len(tokens)
        assert figures.types == len(set(tokens))
        assert list(figures.fertilities) == [fertility.count(k) for k in range(max(fertility, default=-1) + 1)]
        assert figures.singletons == len(single)
        assert figures.unaligned_singleton_share == pytest.approx(
            single.count(0) / len(single) if single else math.nan, nan_ok=True
        )
        assert figures.singleton_fertility == pytest.approx(
            sum(linked) / len(linked) if linked else math.nan, nan_ok=True
        )
        assert figures.covered_types == len({p[side] for p in phrases if len(p[side]) == 1})


@given(aligned_texts(), st.data())
def test_agreement_counts_the_links_of_both_directions(text, data):
    sources, targets, forward = text
    sides = [(range(len(s)), range(len(t))) for s, t in zip(sources, targets, strict=True)]
    reverse = [
        data.draw(st.frozensets(st.tuples(st.sampled_from(i), st.sampled_from(j)))) if i and j else frozenset()
        for i, j in sides
    ]
    bitext = Bitext.from_lists(sources, targets)
    pair = {"forward": to_alignments(forward), "reverse": to_alignments(reverse)}
    found = analyze(bitext, to_alignments(forward), **pair, threads=1)
    assert found.agreeing_links == sum(len(a & b) for a, b in zip(forward, reverse, strict=True))
