"""Explanations of links: what they refuse, and what they show."""

# ruff: noqa: RUF001 - words of other scripts

from __future__ import annotations

import dataclasses
import re

import pytest

from plait.errors import DataError
from plait.explanation import DirectionEvidence, LinkExplanation, PairExplanation, Rival
from plait.viz.explain import explanation_html, explanation_text

STRONG = DirectionEvidence(posterior=0.98, translation=0.41, jump=0.3, rival=Rival(None, 0.01))
WEAK = DirectionEvidence(
    posterior=0.2, translation=0.0004, backoff=0.87, backoff_level="prefix 4", jump=0.05, rival=Rival(0, 0.7)
)
EXAMPLE = PairExplanation(
    ("the", "<house>"),
    ("das", "בית"),
    (LinkExplanation(0, 0, 0.97, STRONG, STRONG), LinkExplanation(1, 1, 0.2, WEAK, WEAK, is_linked=False)),
)


def test_text_tells_all_that_is_behind_a_link():
    weak = "   posterior 0.20  translation 4e-04 (87 % prefix 4 back-off)  jump 0.05  "
    assert str(explanation_text(EXAMPLE)).split("\n") == [
        "the - das  0.97",
        "  das given the   posterior 0.98  translation 0.41  jump 0.30  rival NULL 0.01",
        "  the given das   posterior 0.98  translation 0.41  jump 0.30  rival NULL 0.01",
        "<house> - \u2068בית\u2069  0.20  near miss",
        "  \u2068בית\u2069 given <house>" + weak + "rival the [0] 0.70",
        "  <house> given \u2068בית\u2069" + weak + "rival das [0] 0.70",
    ]
    assert str(EXAMPLE) == str(explanation_text(EXAMPLE))
    assert str(PairExplanation(("a",), (), ())) == "no links"


def test_models_without_jumps_and_back_off_show_none():
    plain = DirectionEvidence(posterior=0.5, translation=0.25)
    text = str(PairExplanation(("a",), ("b",), (LinkExplanation(0, 0, 0.5, plain, plain),)))
    assert not re.search("jump|back-off|rival", text)


def test_html_has_a_row_for_each_direction_and_no_markup_of_words():
    page = explanation_html(EXAMPLE)
    assert page == EXAMPLE._repr_html_()
    assert page.count("<tr") == 1 + 4
    assert "<house>" not in page
    assert "&lt;house&gt;" in page
    assert page.count('class="link"') == 1
    assert "near miss" in page
    assert "87 % prefix 4" in page
    assert not re.search("script|://|<style", page)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"source": 2}, "link 2-0 lies outside"),
        ({"target": -1}, "link 0--1 lies outside"),
        ({"posterior": 1.5}, "posterior must be a probability"),
        ({"posterior": float("nan")}, "posterior must be a probability"),
        ({"tgt_given_src": dataclasses.replace(STRONG, jump=-0.1)}, r"tgt_given_src\.jump"),
        ({"src_given_tgt": dataclasses.replace(STRONG, backoff=2.0)}, r"src_given_tgt\.backoff"),
        ({"tgt_given_src": dataclasses.replace(STRONG, rival=Rival(2, 0.1))}, "from 0 to 1 or None"),
        ({"tgt_given_src": dataclasses.replace(STRONG, rival=Rival(1, 7.0))}, r"rival\.posterior"),
    ],
)
def test_what_cannot_be_is_refused(change, message):
    link = dataclasses.replace(LinkExplanation(0, 0, 0.97, STRONG, STRONG), **change)
    with pytest.raises(DataError, match=message):
        PairExplanation(("the", "house"), ("das", "Haus"), (link,))


def test_links_are_sorted_and_differ():
    one, two = (LinkExplanation(0, j, 0.9, STRONG, STRONG) for j in (0, 1))
    for links in ((two, one), (one, one)):
        with pytest.raises(DataError, match="sorted"):
            PairExplanation(("a",), ("b", "c"), links)
