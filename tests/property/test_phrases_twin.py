"""Extraction equals the definitions, found by looking at every pair of spans."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait import _core
from reference.phrases import LABELS, orientations

MODELS = ("wbe", "phrase", "hier")


@st.composite
def sentence_pairs(draw):
    """Lengths of both sides and links: few, so that words stay unlinked, or a permutation with changes."""
    source, target = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    cells = st.tuples(st.integers(0, source - 1), st.integers(0, target - 1))
    if draw(st.booleans()):
        return source, target, sorted(draw(st.sets(cells, max_size=8)))
    order = draw(st.permutations(range(min(source, target))))
    links = set(enumerate(order)) - draw(st.sets(cells, max_size=2))
    return source, target, sorted(links)


def lines(source, target, links, max_length, models, *, compat=None, threads=1):
    """Return the lines of the three files for one sentence pair."""
    texts = [" ".join(f"{side}{n}" for n in range(length)).encode() for side, length in (("t", target), ("s", source))]
    alignment = " ".join(f"{i}-{j}" for i, j in links).encode()
    writer = _core.PhraseLineWriter(
        ("t", "s", "a", "w"), max_length=max_length, models=models, compat=compat, threads=threads
    )
    # Of a block and the next, in the same arrays.
    for _ in range(2):
        _, parts = writer.run(texts[0] + b"\n", texts[1] + b"\n", alignment + b"\n")
    joined = [b"".join(lines[:size].tobytes() for lines, size in kind) for kind in zip(*parts, strict=True)]
    return [text.decode().splitlines() for text in joined]


def test_lines_that_outgrow_their_arrays_are_whole():
    writer = _core.PhraseLineWriter(("t", "s", "a", "w"), models=["hier-msd"])
    for words in (1, 20, 3, 200, 200):
        text = b" ".join(b"w%d" % n for n in range(words)) + b"\n"
        block = (text, text, b" ".join(b"%d-%d" % (n, n) for n in range(words)) + b"\n")
        found, parts = writer.run(*block)
        fresh_found, fresh = _core.PhraseLineWriter(("t", "s", "a", "w"), models=["hier-msd"], threads=2).run(*block)
        assert found == fresh_found > 0
        for (lines, size), (expected, length) in zip(parts[0], fresh[0], strict=True):
            assert lines[:size].tobytes() == expected[:length].tobytes()
            assert lines[:size].tobytes().count(b"\n") == found


@pytest.mark.parametrize("compat", [None, "moses"])
@given(pair=sentence_pairs(), max_length=st.integers(1, 7), classes=st.sampled_from(sorted(LABELS)))
def test_phrase_pairs_and_orientations_are_those_of_the_definitions(compat, pair, max_length, classes):
    source, target, links = pair
    expected = orientations(source, target, links, max_length, moses=compat == "moses")
    direct, inverse, _ = lines(source, target, links, max_length, [], compat=compat)

    def words(side, first, last):
        return " ".join(f"{side}{n}" for n in range(first, last + 1))

    heads = [(words("s", i1, i2), words("t", j1, j2)) for (i1, i2, j1, j2), _ in expected]
    inside = [
        [(i - i1, j - j1) for j, i in sorted((j, i) for i, j in links) if j1 <= j <= j2]
        for (i1, _, j1, j2), _ in expected
    ]
    assert direct == [
        f"{s} ||| {t} ||| " + " ".join(f"{i}-{j}" for i, j in cells)
        for (s, t), cells in zip(heads, inside, strict=True)
    ]
    assert inverse == [
        f"{t} ||| {s} ||| " + " ".join(f"{j}-{i}" for i, j in cells)
        for (s, t), cells in zip(heads, inside, strict=True)
    ]
    for model in MODELS:
        *_, found = lines(source, target, links, max_length, [f"{model}-{classes}"], compat=compat)
        labels = [line.rsplit(" ||| ", 1)[-1].strip(" |").split() for line in found]
        assert labels == [[LABELS[classes][code] for code in columns[model]] for _, columns in expected]


@given(pair=sentence_pairs(), max_length=st.integers(1, 7))
def test_all_models_come_from_one_pass_each_in_its_column(pair, max_length):
    """Moses writes only the first of them (and cannot read such a file)."""
    source, target, links = pair
    *_, together = lines(source, target, links, max_length, ["wbe-msd", "phrase-mslr", "hier-msd"])
    apart = [lines(source, target, links, max_length, [model])[2] for model in ("wbe-msd", "phrase-mslr", "hier-msd")]
    for line, *singles in zip(together, *apart, strict=True):
        words = [single.rsplit("|||", 1)[-1].strip(" |") for single in singles]
        assert line.rsplit("||| ", 1)[-1] == " | ".join(words)
