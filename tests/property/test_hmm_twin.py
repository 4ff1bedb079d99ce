"""The HMM of the core against its twin."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import fitting
import hmm_fitting
from reference import readout
from reference.direction import both_directions
from reference.hmm import UNIFORM, HmmModel, Parameters, joint_probability
from reference.hmm_agreement import train_together
from reference.hmm_inference import viterbi
from reference.hmm_lexicon import Settings
from reference.hmm_smoothed import fold_in, peaked, train_smoothed
from reference.hmm_training import model_1, train_from
from strategies import Corpus, corpora, hmm_models

# The core keeps tables as f32; a few iterations magnify that.
TOLERANCE = 2e-4
# A number that is so near to a threshold, relatively, may be on its other side in the core.
MARGIN = 1e-3


@given(corpora(max_length=6), hmm_models(), st.integers(0, 3), st.integers(1, 3), st.booleans())
@settings(deadline=None, max_examples=30)
def test_without_smoothing_the_twin_is_that_of_the_papers(
    corpus: Corpus, model: HmmModel, warm_up: int, iterations: int, agree: bool
) -> None:
    """The twin that the core is held against, without its thresholds, against the one that is written after He 2007."""
    # Models 1 and 2 start with the words of all pairs, the HMM with those of pairs that are trained on.
    kept = [(e, f) for e, f in zip(*corpus, strict=True) if e and f]
    directions = both_directions(([e for e, _ in kept], [f for _, f in kept]))
    lexicon = Settings(agree=agree, smallest_link=0.0)
    found = train_smoothed(directions, model, lexicon, warm_up=warm_up, iterations=iterations)
    if agree:
        both = train_together(*directions, (model, model), model_1_iterations=warm_up, iterations=iterations)
        fits = [both.forward, both.reverse]
    else:
        fits = [train_from(d, model, Parameters(model_1(d, warm_up), UNIFORM), iterations) for d in directions]
    for reverse, fit in enumerate(fits):
        assert found.history[reverse][warm_up:] == pytest.approx(fit.history, rel=1e-9, abs=1e-9)
        for (e, f), t in fit.parameters.lexicon.items():
            if e is not None:
                pair = (f, e) if reverse else (e, f)
                assert found.estimates.probability(reverse, *pair) == pytest.approx(t, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("agree", [False, True])
@given(corpora(max_length=9), hmm_models(), st.integers(0, 3), st.integers(1, 4))
@settings(deadline=None, max_examples=80)
def test_posteriors_links_and_likelihoods_equal_the_twin(
    agree: bool, corpus: Corpus, model: HmmModel, warm_up: int, iterations: int
) -> None:
    directions = both_directions(corpus)
    twin = train_smoothed(directions, model, Settings(agree=agree), warm_up=warm_up, iterations=iterations)
    assume(twin.margin > MARGIN)
    trained = hmm_fitting.train(corpus, model, warm_up=warm_up, iterations=iterations, agree=agree)
    for reverse, direction in enumerate(directions):
        fitting.assert_posteriors_agree(
            trained.posteriors_of(reverse=bool(reverse)),
            readout.source_target_posteriors(direction, twin.links[reverse]),
            TOLERANCE,
        )
        fitting.assert_links_agree(direction, trained.links_of(reverse=bool(reverse)), twin.links[reverse], TOLERANCE)
        assert trained.history[reverse] == pytest.approx(twin.history[reverse], rel=1e-4, abs=1e-3)


@st.composite
def long_corpora(draw: st.DrawFn) -> Corpus:
    """Sentences with many positions beyond the buckets of jumps on either side of a word."""
    sentence = [st.lists(st.sampled_from(words), min_size=1, max_size=30) for words in ("abcdefgh", "uvwxyz")]
    longer = [st.lists(st.sampled_from(words), min_size=16, max_size=30) for words in ("abcdefgh", "uvwxyz")]
    pairs = [*draw(st.lists(st.tuples(*sentence), max_size=2)), draw(st.tuples(*longer))]
    return [e for e, _ in pairs], [f for _, f in pairs]


@given(long_corpora(), hmm_models(), st.integers(0, 2), st.integers(1, 3), st.booleans(), st.booleans())
@settings(deadline=None, max_examples=40)
def test_long_sentences_equal_the_twin(
    corpus: Corpus, model: HmmModel, warm_up: int, iterations: int, agree: bool, by_viterbi: bool
) -> None:
    """The core adds up all jumps far to one side of a word; the twin takes them one by one."""
    directions = both_directions(corpus)
    twin = train_smoothed(directions, model, Settings(agree=agree), warm_up=warm_up, iterations=iterations)
    assume(twin.margin > MARGIN)
    options = {"warm_up": warm_up, "iterations": iterations, "agree": agree, "viterbi": by_viterbi}
    trained = hmm_fitting.train(corpus, model, **options)
    for reverse, direction in enumerate(directions):
        fitting.assert_posteriors_agree(
            trained.posteriors_of(reverse=bool(reverse)),
            readout.source_target_posteriors(direction, twin.links[reverse]),
            TOLERANCE,
        )
        assert trained.history[reverse] == pytest.approx(twin.history[reverse], rel=1e-4, abs=1e-3)
        if by_viterbi:
            found = fitting.alignment(direction, trained.links_of(reverse=bool(reverse)))
            for table, alignment in zip(twin.tables[reverse], found, strict=True):
                best = joint_probability(table, viterbi(table))
                assert joint_probability(table, alignment) == pytest.approx(best, rel=2e-3)


WORDS = ["Aa", "aa", "aab", "ab", "abc", "b", "Bcd"], ["Xx", "xx", "xxy", "xy", "xyz", "y", "Yzz"]
NEW_WORDS = [*WORDS[0], "abd", "bb", "c", "AA"], [*WORDS[1], "xyy", "yy", "z", "XX"]


@st.composite
def texts(draw: st.DrawFn, words: tuple[list[str], list[str]] = WORDS) -> Corpus:
    """Words that differ in case, or share prefixes."""
    pairs = draw(
        st.lists(
            st.tuples(*(st.lists(st.sampled_from(side), min_size=0, max_size=5) for side in words)),
            min_size=1,
            max_size=5,
        ).filter(lambda rows: any(e and f for e, f in rows))
    )
    return [e for e, _ in pairs], [f for _, f in pairs]


@st.composite
def lexicon_settings(draw: st.DrawFn) -> Settings:
    prefixes = draw(st.sampled_from([(), (1,), (2,), (2, 1), (3, 2, 1), (9,)]))
    variety = draw(st.sampled_from([0.0, 0.3, 2.0]))
    # Without any pseudo-count a word's expected links may all be too small to be counted: another test.
    values = st.sampled_from([0.5, 4.0, 10.0] if variety == 0 else [0.0, 0.5, 4.0])
    levels = len(prefixes) + 1
    return Settings(
        prefixes=prefixes,
        strength=draw(st.one_of(values.map(lambda k: (k,) * levels), st.tuples(*[values] * levels))),
        variety=variety,
        # No ratio of small numbers, so that many examples do not hang on rounding.
        leave_out=draw(st.sampled_from([0.0, 0.4137, 0.8371, 0.9973])),
        null_mixture=draw(st.sampled_from([0.0, 0.5, 1.0])),
        agree=draw(st.booleans()),
        warm_up_p0=draw(st.sampled_from([None, 0.2, 0.05])),
    )


def options_of(lexicon: Settings) -> dict[str, Any]:
    return {
        "prefixes": list(lexicon.prefixes),
        "strength": list(lexicon.strength),
        "variety": lexicon.variety,
        "leave_out": lexicon.leave_out,
        "null_mixture": lexicon.null_mixture,
        "agree": lexicon.agree,
        "warm_up_p0": lexicon.warm_up_p0,
    }


@given(texts(), hmm_models(), lexicon_settings(), st.integers(0, 3), st.integers(0, 3), st.sampled_from([0.0, 0.7]))
@settings(deadline=None, max_examples=100)
def test_the_lexicon_that_backs_off_equals_the_twin(
    corpus: Corpus, model: HmmModel, lexicon: Settings, warm_up: int, iterations: int, decay: float
) -> None:
    iterations = iterations if warm_up else max(iterations, 1)
    directions = both_directions(corpus)
    twin = train_smoothed(
        directions,
        model,
        lexicon,
        warm_up=warm_up,
        iterations=iterations,
        jumps=peaked(decay) if decay else UNIFORM,
    )
    assume(twin.margin > MARGIN)
    trained = hmm_fitting.train(
        corpus, model, warm_up=warm_up, iterations=iterations, initial_decay=decay, **options_of(lexicon)
    )
    for reverse, direction in enumerate(directions):
        fitting.assert_posteriors_agree(
            trained.posteriors_of(reverse=bool(reverse)),
            readout.source_target_posteriors(direction, twin.links[reverse]),
            TOLERANCE,
        )
        assert trained.history[reverse] == pytest.approx(twin.history[reverse], rel=1e-4, abs=1e-3)


@given(texts(), hmm_models(), lexicon_settings(), st.integers(0, 2), st.integers(1, 3))
@settings(deadline=None, max_examples=60)
def test_viterbi_alignments_are_as_probable_as_the_twins(
    corpus: Corpus, model: HmmModel, lexicon: Settings, warm_up: int, iterations: int
) -> None:
    """Ties and near ties may go either way, so probabilities are compared, not alignments."""
    directions = both_directions(corpus)
    twin = train_smoothed(directions, model, lexicon, warm_up=warm_up, iterations=iterations)
    assume(twin.margin > MARGIN)
    trained = hmm_fitting.train(
        corpus, model, warm_up=warm_up, iterations=iterations, viterbi=True, **options_of(lexicon)
    )
    for reverse, direction in enumerate(directions):
        found = fitting.alignment(direction, trained.links_of(reverse=bool(reverse)))
        for table, alignment in zip(twin.tables[reverse], found, strict=True):
            best = joint_probability(table, viterbi(table))
            assert joint_probability(table, alignment) == pytest.approx(best, rel=2e-3)


@given(texts(), texts(NEW_WORDS), hmm_models(), lexicon_settings(), st.integers(0, 2), st.integers(1, 3))
@settings(deadline=None, max_examples=100)
def test_new_text_equals_the_twin(
    corpus: Corpus, new: Corpus, model: HmmModel, lexicon: Settings, warm_up: int, iterations: int
) -> None:
    """Links, posteriors and scores; some words were never seen, or share only a shorter form with one that was."""
    twin = train_smoothed(both_directions(corpus), model, lexicon, warm_up=warm_up, iterations=iterations)
    directions = both_directions(new)
    expected, margin = fold_in(directions, model, twin)
    assume(margin > MARGIN)
    trained = hmm_fitting.train(corpus, model, warm_up=warm_up, iterations=iterations, **options_of(lexicon))
    found = trained.align(new)
    for reverse, direction in enumerate(directions):
        table = [s.links for s in expected[reverse]]
        fitting.assert_posteriors_agree(
            fitting.table_of(found.posteriors[reverse]),
            readout.source_target_posteriors(direction, table),
            TOLERANCE,
        )
        fitting.assert_links_agree(direction, fitting.links_of(found.links[reverse]), table, TOLERANCE)
        scores = [found.scores[reverse][place] for place in direction.places]
        likelihoods = [s.likelihood for s in expected[reverse]]
        assert scores == pytest.approx([math.log(p) if p else -math.inf for p in likelihoods], rel=1e-4, abs=1e-3)
        unused = set(range(direction.corpus_length)) - set(direction.places)
        assert all(math.isnan(found.scores[reverse][place]) for place in unused)
