"""Hypothesis strategies shared by the property tests."""

from __future__ import annotations

import math

from hypothesis import strategies as st

from reference.hmm import HmmModel
from reference.ibm import Model

Corpus = tuple[list[list[str]], list[list[str]]]
"""Source sentences and target sentences of a parallel text."""


def sentences(words: str, *, min_length: int, max_length: int) -> st.SearchStrategy[list[str]]:
    """Sentences over one-letter words."""
    return st.lists(st.sampled_from(words), min_size=min_length, max_size=max_length)


def corpora(
    *, max_pairs: int = 6, max_length: int = 12, max_types: int = 5, allow_empty_sides: bool = True
) -> st.SearchStrategy[Corpus]:
    """Tiny parallel texts with at least one pair whose sides both have words; a side may be empty elsewhere.

    Few types, so that words repeat within sentences and across them.
    """
    source_words, target_words = "abcdefgh"[:max_types], "stuvwxyz"[:max_types]
    least = 0 if allow_empty_sides else 1
    pair = st.tuples(
        sentences(source_words, min_length=least, max_length=max_length),
        sentences(target_words, min_length=least, max_length=max_length),
    )
    pairs = st.lists(pair, min_size=1, max_size=max_pairs)
    return pairs.filter(lambda rows: any(e and f for e, f in rows)).map(
        lambda rows: ([e for e, _ in rows], [f for _, f in rows])
    )


def enumerable_corpora() -> st.SearchStrategy[Corpus]:
    """Texts with at most 3^6 alignments in either direction: three pairs of up to two words."""
    return corpora(max_pairs=3, max_length=2, max_types=2, allow_empty_sides=False)


def hyper_parameters() -> st.SearchStrategy[tuple[float, float]]:
    """(theta, phi): from sparse to flat priors."""
    return st.tuples(st.sampled_from([0.0001, 0.01, 0.1, 0.5, 1.0, 3.0]), st.sampled_from([0.1, 1.0, 2.5]))


@st.composite
def models(draw: st.DrawFn) -> Model:
    """Model 1 with and without a probability of NULL, and Model 2 with both readings of its tails."""
    theta, phi = draw(hyper_parameters())
    p0 = draw(st.sampled_from([0.02, 0.2, 0.5]))
    return draw(
        st.sampled_from(
            [
                Model("ibm1", None, theta, phi),
                Model("ibm1", p0, theta, phi),
                Model("ibm2", p0, theta, phi),
                Model("ibm2", p0, theta, phi, tail="each"),
            ]
        )
    )


CLASSES = {"a": 0, "b": 0, "c": 1, "s": 0, "t": 1, "u": 1}


@st.composite
def hmm_models(draw: st.DrawFn) -> HmmModel:
    """Hyper-parameters of the HMM, limits included; some words have no class."""
    return HmmModel(
        p0=draw(st.sampled_from([0.02, 0.2, 0.5])),
        alpha=draw(st.sampled_from([0.0, 0.1, 0.4])),
        tau=draw(st.sampled_from([0.0, 0.5, 3.0, 1000.0, math.inf])),
        classes=draw(st.sampled_from([None, CLASSES])),
        class_tau=draw(st.sampled_from([0.0, 2.0, math.inf])),
    )
