"""Discounted phrase tables equal their definitions, in one step and by way of halves, and keep the mass they should."""

import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plait.errors import ConfigError
from plait.phrases import consolidate_files, score_files
from reference.discounts import discount_of, good_turing, kneser_ney, totals

TWINS = {"good-turing": good_turing, "kneser-ney": kneser_ney}


@st.composite
def counted_pairs(draw):
    """Counts of phrase pairs; some are counted once, twice and three times, as Kneser-Ney needs."""
    pairs = draw(
        st.dictionaries(
            st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("stuvwxyz")), st.integers(1, 12), min_size=4
        )
    )
    for place, count in zip(sorted(pairs), (1, 2, 3), strict=False):
        pairs[place] = count
    return pairs


def put(pairs, folder):
    """Write extract and extract.inv with each phrase pair as often as it is counted."""
    rows = [pair for pair, count in pairs.items() for _ in range(count)]
    (folder / "extract").write_text("".join(f"{s} ||| {t} ||| 0-0\n" for s, t in rows))
    (folder / "extract.inv").write_text("".join(f"{t} ||| {s} ||| 0-0\n" for s, t in rows))


def probabilities(path):
    """Return p(s|t) and p(t|s) of each phrase pair of a table."""
    found = {}
    for line in path.read_text().splitlines():
        source, target, scores, *_ = line.split(" ||| ")
        inverse, direct = map(float, scores.split())
        found[source, target] = inverse, direct
    return found


def halves(folder, smoothing, compat=None):
    """Make a table by way of its halves; the inverse one is sorted, as it must be."""
    for kind, name in (("direct", "extract"), ("inverse", "extract.inv")):
        score_files(folder / name, folder / kind, lexical=None, kind=kind, smoothing=smoothing, compat=compat)
    (folder / "inverse").write_bytes(b"".join(sorted((folder / "inverse").read_bytes().splitlines(keepends=True))))
    consolidate_files(folder / "direct", folder / "inverse", folder / "joined", smoothing=smoothing, compat=compat)


@pytest.mark.parametrize("smoothing", ["good-turing", "kneser-ney"])
@settings(deadline=None, max_examples=25)
@given(pairs=counted_pairs())
def test_discounted_tables_equal_their_definitions(smoothing, pairs):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        put(pairs, folder)
        score_files(folder / "extract", folder / "table", lexical=None, smoothing=smoothing)
        found = probabilities(folder / "table")
        halves(folder, smoothing)
        assert (folder / "joined").read_bytes() == (folder / "table").read_bytes()
    expected = TWINS[smoothing](pairs)
    assert set(found) == set(expected)
    for pair, both in expected.items():
        assert found[pair] == pytest.approx(both, rel=1e-5)


@settings(deadline=None)
@given(pairs=counted_pairs())
def test_kneser_ney_is_a_distribution_over_all_sources(pairs):
    """A law of the twin: what is taken from pairs that were seen goes to all, seen or not, by their share."""
    sources, targets = totals(pairs)
    table = kneser_ney(pairs)
    for target in targets:
        partners = [source for source in sources if (source, target) in pairs]
        mass = sum(discount_of(pairs, pairs[source, target]) for source in partners) / targets[target]
        unseen = sum(1 for source, other in pairs if source not in partners) / len(pairs)
        assert sum(table[source, target][0] for source in partners) + mass * unseen == pytest.approx(1.0)


@settings(deadline=None, max_examples=25)
@given(pairs=counted_pairs())
def test_compatible_tables_share_out_by_the_discount_of_each_pair(pairs):
    """As in Moses' consolidate, which knows how many partners a phrase has and not how they are counted."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        put(pairs, folder)
        score_files(folder / "extract", folder / "table", lexical=None, smoothing="kneser-ney", compat="moses")
        found = probabilities(folder / "table")
        halves(folder, "kneser-ney", "moses")
        assert (folder / "joined").read_bytes() == (folder / "table").read_bytes()
    sources, targets = totals(pairs)
    partners_of_source, partners_of_target = Counter(s for s, _ in pairs), Counter(t for _, t in pairs)
    for (source, target), count in pairs.items():
        discount = discount_of(pairs, count)
        shared = discount * partners_of_source[source] * partners_of_target[target] / len(pairs)
        expected = [(count - discount + shared) / total for total in (targets[target], sources[source])]
        assert found[source, target] == pytest.approx(expected, rel=1e-4)


def test_kneser_ney_needs_small_counts(tmp_path):
    put({("a", "x"): 1, ("b", "x"): 2}, tmp_path)
    with pytest.raises(ConfigError, match="once, twice or three times"):
        score_files(tmp_path / "extract", tmp_path / "table", lexical=None, smoothing="kneser-ney")
    assert not (tmp_path / "table").exists()
