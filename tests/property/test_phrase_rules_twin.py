"""Rules with gaps equal trying every set of gaps, for any limits and number of threads."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plait.phrases import RuleOptions, extract_rules_files
from reference.phrase_rules import rules


@st.composite
def sentence_pairs(draw):
    """Short sentences with few words, so that rules repeat, and any links."""
    source = draw(st.lists(st.sampled_from("ab"), min_size=1, max_size=6))
    target = draw(st.lists(st.sampled_from("xy"), min_size=1, max_size=6))
    cells = [(i, j) for i in range(len(source)) for j in range(len(target))]
    links = draw(st.lists(st.sampled_from(cells), max_size=8))
    return source, target, links


LIMITS = st.fixed_dictionaries(
    {},
    optional={
        "max_span": st.integers(1, 6),
        "min_gap_source": st.integers(1, 3),
        "min_gap_target": st.integers(1, 3),
        "min_words": st.integers(0, 2),
        "max_symbols_source": st.integers(1, 6),
        "max_symbols_target": st.integers(1, 6),
        "max_gaps": st.integers(0, 3),
        "neighbours": st.booleans(),
        "whole_counts": st.booleans(),
    },
)


def run(pairs, **options):
    """Return the lines of each file."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, lines in (
            ("t", [" ".join(target) for _, target, _ in pairs]),
            ("s", [" ".join(source) for source, _, _ in pairs]),
            ("a", [" ".join(f"{i}-{j}" for i, j in links) for _, _, links in pairs]),
        ):
            (folder / file).write_text("".join(line + "\n" for line in lines))
        extract_rules_files(*(folder / file for file in "tsa"), folder / "x", **options)
        return (folder / "x").read_text().splitlines(), (folder / "x.inv").read_text().splitlines()


@settings(deadline=None)
@given(pair=sentence_pairs(), limits=LIMITS)
def test_rules_are_those_of_all_sets_of_gaps(pair, limits):
    direct, inverse = run([pair], options=RuleOptions(**limits))
    expected = rules(*pair, **limits)
    found = {}
    for line in direct:
        rule, _, count = line.rpartition(" ||| ")
        assert rule not in found
        found[rule] = float(count)
    assert found == pytest.approx({rule: float(count) for rule, count in expected.items()}, rel=1e-5)
    for line, turned in zip(direct, inverse, strict=True):
        source, target, links, count = line.split(" ||| ")
        swapped = " ".join("-".join(reversed(link.split("-"))) for link in links.split())
        assert turned == f"{target} ||| {source} ||| {swapped} ||| {count}"


@settings(deadline=None, max_examples=10)
@given(pairs=st.lists(sentence_pairs(), max_size=20))
def test_sentence_pairs_follow_each_other_whatever_the_threads(pairs):
    one, three = run(pairs, threads=1), run(pairs, threads=3)
    assert one == three
    assert one[0] == [line for pair in pairs for line in run([pair])[0]]
