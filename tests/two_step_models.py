"""Small word pairs that are cut into chunks, and models trained on them."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from plait.translit import TwoStepCRF

Pair = tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]

PRECISE = {"epsilon": 1e-9, "delta": 1e-12, "max_iterations": 2000}


@st.composite
def chunked_pairs(draw: st.DrawFn, *, labels: Sequence[tuple[str, ...]]) -> list[Pair]:
    """Draw some word pairs over two or three letters; one has a chunk of two letters, so that both tags occur."""
    source = st.lists(st.sampled_from("ab"), min_size=1, max_size=2).map(tuple)
    chunk = st.tuples(source, st.sampled_from(list(labels)))
    pairs = draw(st.lists(st.lists(chunk, min_size=1, max_size=3).map(tuple), min_size=2, max_size=6))
    return [((("a", "b"), labels[0]), (("a",), labels[-1])), *pairs]


def trained(pairs: Sequence[Pair], **options: object) -> TwoStepCRF:
    """Return a model with the features and the training of the paper, until nothing changes."""
    settings = {
        "features": "paper",
        "rivals": "all",
        "l2_segmenter": 0.1,
        "l2_converter": 0.1,
        "threads": 1,
        **PRECISE,
        **options,
    }
    return TwoStepCRF(**settings).fit_chunks(pairs, target_units="words")
