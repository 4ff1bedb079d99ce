"""The figures of the analysis on a text small enough to count by hand, their tables and pictures."""

from __future__ import annotations

import io
import json
import math
import sys

import pytest
from rich.console import Console

from plait.alignments import Alignments
from plait.analysis_report import rows, to_json, to_markdown, to_table
from plait.analyze import analyze
from plait.bitext import Bitext
from plait.errors import ConfigError, DataError, UnequalLengthError
from plait.metrics import Gold

# Source: a (3 times), b, c, d (once each; d unlinked). Target: x (5 times), y, z (twice).
TEXT = Bitext.from_lists(["a b d", "a c", "a", "e"], ["x x y", "z x", "z x x", ""])
LINKS = Alignments.from_lists([[(0, 0), (1, 1), (1, 2)], [(0, 0), (1, 1)], [(0, 0), (0, 1), (0, 2)], []])


def test_figures_of_a_small_text():
    found = analyze(TEXT, LINKS)
    assert (found.pairs, found.links) == (3, 8), "the pair without target words takes no part"
    assert (found.source.tokens, found.source.types) == (6, 4)
    assert (found.target.tokens, found.target.types) == (8, 3)
    # Source fertilities: 1 2 0 | 1 1 | 3; target: 1 1 1 | 1 1 | 1 1 1.
    assert found.source.fertilities == (1, 3, 1, 1)
    assert found.target.fertilities == (0, 8)
    # Source singletons: b (2), c (1), d (0). Target singletons: y (1).
    assert found.source.singletons == 3
    assert found.source.unaligned_singleton_share == pytest.approx(1 / 3)
    assert found.source.singleton_fertility == pytest.approx(1.5)
    assert (found.target.singletons, found.target.unaligned_singleton_share) == (1, 0.0)
    # a-x b-x b-y a-z c-x; vocabularies of 4 and 3.
    assert found.dictionary_size == 5
    assert found.dictionary_ratio == pytest.approx(5 / 3.5)
    # (a,x) (b,xy) (bd,xy) (ab,xxy) (abd,xxy) | (a,z) (c,x) (ac,zx) | (a,zxx)
    assert (found.phrase_pairs, found.phrase_occurrences) == (9, 9)
    assert found.phrase_ratio == pytest.approx(9 / 7)
    assert (found.source.covered_types, found.source.coverage) == (3, 0.75)
    assert (found.target.covered_types, found.target.coverage) == (2, pytest.approx(2 / 3))
    assert (found.agreement, found.scores) == (None, None)


def test_high_fertilities():
    text = Bitext.from_lists(["a b"], [" ".join("x" * 10)])
    found = analyze(text, Alignments.from_lists([[(0, j) for j in range(9)] + [(1, 9)]]))
    assert found.source.fertilities == (0, 1, 0, 0, 0, 0, 0, 0, 0, 1)
    assert found.source.high_fertility_share == 0.5
    eight = analyze(text, Alignments.from_lists([[(0, j) for j in range(8)]]))
    assert eight.source.high_fertility_share == 0.0


def test_agreement_and_scores():
    reverse = Alignments.from_lists([[(0, 0)], [(1, 0)], [(0, 2)], []])
    gold = Gold(Alignments.from_lists([[(1, 1)]]), Alignments.from_lists([[]]))
    found = analyze(TEXT, LINKS, forward=LINKS, reverse=reverse, gold=gold, gold_start=0)
    assert (found.agreeing_links, found.agreement) == (2, pytest.approx(2 / 7))
    assert found.scores.recall == 1.0
    assert found.reverse_scores.recall == 0.0
    assert analyze(TEXT, LINKS, gold=gold, gold_start=-4).scores == found.scores
    assert math.isnan(analyze(TEXT, LINKS, gold=gold, gold_start=3).scores.precision)


def test_what_does_not_fit_is_refused():
    gold = Gold(Alignments.from_lists([[]]), Alignments.from_lists([[]]))
    with pytest.raises(UnequalLengthError, match="the gold standard ends after line 1"):
        analyze(TEXT, LINKS, gold=gold)
    for start in (4, -5):
        with pytest.raises(ConfigError, match="does not fit"):
            analyze(TEXT, LINKS, gold=gold, gold_start=start)
    with pytest.raises(ConfigError, match="both directions"):
        analyze(TEXT, LINKS, forward=LINKS)
    with pytest.raises(DataError, match="points outside"):
        analyze(TEXT, LINKS.transposed())
    with pytest.raises(UnequalLengthError):
        analyze(TEXT, LINKS[:3])
    with pytest.raises(ConfigError, match="max_length must be at least 1"):
        analyze(TEXT, LINKS, max_phrase_length=0)


def test_nothing_usable_gives_undefined_shares():
    found = analyze(Bitext.from_lists(["", "a"], ["x", ""]), Alignments.from_lists([[], []]))
    assert (found.pairs, found.source.tokens) == (0, 0)
    assert math.isnan(found.source.high_fertility_share)
    assert all(row.cells for row in rows([found]))


def test_tables_have_a_column_for_each_alignment():
    both = [analyze(TEXT, LINKS, name="a|b"), analyze(TEXT, LINKS[:], forward=LINKS, reverse=LINKS, name="[red]")]
    found = {row.label: row.cells for row in rows(both, side="both")}
    assert found["links"] == ("8", "8")
    assert found["source tokens with fertility 1"] == ("50.00 %", "50.00 %")
    assert found["target tokens with fertility 1"] == ("100.00 %", "100.00 %")
    assert found["source singletons unaligned"] == ("33.33 %", "33.33 %")
    assert found["agreeing links / mean token count"] == ("-", "1.143")
    assert "target singletons" not in {row.label for row in rows(both)}
    assert "AER" not in found
    with pytest.raises(ConfigError, match="side must be one of"):
        rows(both, side="left")
    lines = to_markdown(both).splitlines()
    assert lines[0] == "| figure | a\\|b | [red] |"
    stream = io.StringIO()
    Console(file=stream, width=200).print(to_table(both))
    assert "[red]" in stream.getvalue(), "a file name is no markup"


def test_json_has_null_for_what_is_undefined():
    text = Bitext.from_lists(["a a"], ["x x"])
    found = json.loads(to_json([analyze(text, Alignments.from_lists([[]]))]))
    assert found[0]["source"]["unaligned_singleton_share"] is None
    assert found[0]["source"]["fertilities"] == [2]
    assert found[0]["scores"] is None


def test_pictures(tmp_path):
    pytest.importorskip("matplotlib")
    from plait.viz.figures import write_figures

    gold = Gold(LINKS, LINKS)
    analyses = [analyze(TEXT, LINKS, name="one", gold=gold), analyze(TEXT, LINKS, forward=LINKS, reverse=LINKS)]
    paths = write_figures(analyses, tmp_path / "new" / "figures")
    assert [path.rsplit("/", 1)[1] for path in paths] == [
        "fertilities.png",
        "fertilities.svg",
        "overview.png",
        "overview.svg",
    ]
    contents = [(tmp_path / "new" / "figures" / path).read_bytes() for path in paths]
    assert contents[0].startswith(b"\x89PNG")
    assert b"<svg" in contents[1]
    with pytest.raises(ConfigError, match="--force"):
        write_figures(analyses, tmp_path / "new" / "figures")
    again = write_figures(analyses, tmp_path / "new" / "figures", side="source", force=True)
    assert [(tmp_path / path).read_bytes() for path in again] == contents, "the same figures give the same files"
    with pytest.raises(ConfigError, match="at least one analysis"):
        write_figures([], tmp_path)


def test_pictures_without_matplotlib_say_how_to_get_it(tmp_path, monkeypatch):
    from plait.viz.figures import write_figures

    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ConfigError, match=r"pip install 'plait\[plot\]'"):
        write_figures([analyze(TEXT, LINKS)], tmp_path / "figures")
    assert not (tmp_path / "figures").exists()
