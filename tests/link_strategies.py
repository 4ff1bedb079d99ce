"""Hypothesis strategies of links and of texts that they fit."""

from __future__ import annotations

from hypothesis import strategies as st

from plait.alignments import Alignments
from reference.links import Links, Pair


def link_sets(*, width: int = 7, height: int = 7, max_size: int = 16) -> st.SearchStrategy[Links]:
    """Any links in a grid."""
    return st.frozensets(st.tuples(st.integers(0, width - 1), st.integers(0, height - 1)), max_size=max_size)


def functions() -> st.SearchStrategy[Links]:
    """Links as one direction of an aligner gives them: each target word has at most one source word."""
    sources = st.lists(st.none() | st.integers(0, 9), max_size=10)
    return sources.map(lambda row: frozenset((i, j) for j, i in enumerate(row) if i is not None))


def direction_pairs() -> st.SearchStrategy[tuple[Links, Links]]:
    """Forward and reverse links of a sentence pair; aligners' or any."""
    flipped = functions().map(lambda links: frozenset((i, j) for j, i in links))
    return st.one_of(st.tuples(functions(), flipped), st.tuples(link_sets(), link_sets()))


def posteriors() -> st.SearchStrategy[dict[Pair, float]]:
    """Posteriors in sixteenths, so that means hit thresholds exactly."""
    cell = st.tuples(st.integers(0, 4), st.integers(0, 4))
    return st.dictionaries(cell, st.integers(0, 16).map(lambda n: n / 16), max_size=12)


def to_alignments(corpus: list[Links]) -> Alignments:
    return Alignments.from_lists([sorted(links) for links in corpus])


def to_sets(alignments: Alignments) -> list[Links]:
    return [frozenset((i, j) for i, j in links.tolist()) for links in alignments]


@st.composite
def aligned_texts(draw: st.DrawFn) -> tuple[list[list[str]], list[list[str]], list[Links]]:
    """Source sentences, target sentences, and links that lie inside them; sides may be empty."""
    sources, targets, corpus = [], [], []
    for _ in range(draw(st.integers(0, 5))):
        source = draw(st.lists(st.sampled_from("abcd"), max_size=5))
        target = draw(st.lists(st.sampled_from("wxyz"), max_size=5))
        cells = [(i, j) for i in range(len(source)) for j in range(len(target))]
        links = draw(st.frozensets(st.sampled_from(cells), max_size=8)) if cells else frozenset()
        sources.append(source)
        targets.append(target)
        corpus.append(links)
    return sources, targets, corpus
