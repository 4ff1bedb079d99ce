"""Hypothesis strategies of texts with links."""

from __future__ import annotations

from hypothesis import strategies as st

from reference.tables import Links, Sentences

WORDS = ["a", "b", "é", "NULL", "Ä", "\U0001d54f", "\ufffd"]


@st.composite
def linked_texts(draw: st.DrawFn, *, allow_empty: bool = True) -> tuple[Sentences, Sentences, Links, Links]:
    """Source sentences, target sentences, and two sets of links that fit them."""
    least = 0 if allow_empty else 1
    sentence = st.lists(st.sampled_from(WORDS), min_size=least, max_size=5)
    pairs = draw(st.lists(st.tuples(sentence, sentence), max_size=6))
    links: tuple[Links, Links] = ([], [])
    for source, target in pairs:
        grid = [(i, j) for i in range(len(source)) for j in range(len(target))]
        for one in links:
            one.append(sorted(draw(st.sets(st.sampled_from(grid), max_size=6))) if grid else [])
    return [e for e, _ in pairs], [f for _, f in pairs], *links
