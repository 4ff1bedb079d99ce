"""Pictures that need no script."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from plait import Alignments, Bitext
from plait.errors import ConfigError, DataError
from plait.metrics import Gold
from plait.viz.picture import grid_svg, show


def boxes(svg, name):
    return [
        (float(box.get("x")), float(box.get("y")))
        for box in ElementTree.fromstring(svg).iter("rect")
        if box.get("class") == name
    ]


def test_each_mark_is_drawn_once_and_errors_are_tinted():
    svg = grid_svg(["a", "b"], ["c", "d"], {(0, 0): 0.5, (0, 1): 1.0}, sure=[(0, 0), (1, 1)], possible=[(1, 0)])
    counts = {name: len(boxes(svg, name)) for name in ("link", "sure", "possible", "wrong")}
    assert counts == {"link": 2, "sure": 2, "possible": 1, "wrong": 2}


def test_columns_of_a_right_to_left_target_run_from_the_right():
    links = [(0, 0), (0, 1), (0, 2)]
    left = [x for x, _ in boxes(grid_svg(["a"], ["x", "y", "z"], links), "link")]
    right = [x for x, _ in boxes(grid_svg(["a"], ["אב", "גד", "הו"], links), "link")]
    assert left == sorted(left)
    assert right == sorted(right, reverse=True)


def test_less_probable_links_are_paler_and_all_can_be_seen():
    svg = grid_svg(["a"], ["b", "c", "d"], {(0, 0): 0.0, (0, 1): 0.5, (0, 2): 1.0})
    shades = [float(shade) for shade in re.findall(r'fill-opacity="([\d.]+)" stroke="', svg)]
    assert shades == sorted(shades)
    assert 0 < shades[0] < shades[1] < shades[2] == 1


def test_words_are_text_and_long_ones_are_shortened():
    svg = grid_svg(["<b>", "\x00", "w" * 50], ['"&'], [])
    words = [text.text for text in ElementTree.fromstring(svg).iter("text")]
    assert words == ['"&', "<b>", "\N{REPLACEMENT CHARACTER}", "w" * 17 + "…"]


def test_empty_pairs_draw():
    for source, target in (([], []), (["a"], []), ([], ["b"])):
        ElementTree.fromstring(grid_svg(source, target, []))


def test_show_draws_the_chosen_pairs():
    text = Bitext.from_lists([["a"], ["b"]], [["c"], ["d"]])
    links = Alignments.from_lists([[(0, 0)], []])
    pictures = show(text, links, [1, 0, 5], gold=Gold(links, links))
    assert pictures._repr_html_() == str(pictures)
    assert re.findall("pair [0-9]", str(pictures)) == ["pair 1", "pair 0"]
    with pytest.raises(ConfigError, match="alignments"):
        show(text, links[:1])
    with pytest.raises(DataError):
        show(text, Alignments.from_lists([[(0, 5)], []]))


def test_alignments_show_positions_and_say_what_is_too_long():
    page = Alignments.from_lists([[(0, 1)], [], [(0, 0), (90, 3)]], [[0.5], [], [1.0, 1.0]])._repr_html_()
    assert page.count("<svg") == 1
    assert "0 links" in page
    assert "2 links, too long to draw" in page
