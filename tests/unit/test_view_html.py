"""The HTML view: one file, nothing from outside, text never read as markup."""

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait import Alignments, Bitext
from plait.errors import ConfigError, DataError, UnequalLengthError
from plait.metrics import Gold
from plait.viz.html import render_view, write_view

HOSTILE = [
    "<script>alert(1)</script>",
    "</script>",
    "<!--",
    "]]>",
    "&amp;",
    '"',
    "'",
    "@data@",
    "\u2028",
    "<b>",
    "\\u003c",
]


class Page(HTMLParser):
    """What a browser would find: elements with their attributes, and the text inside of each kind."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.text, self._open = [], {}, []
        self.feed(text)
        self.close()
        assert self._open == [], f"not closed: {self._open}"

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in {"meta", "link", "input", "br"}:
            self._open.append(tag)

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        if self._open:
            self.text.setdefault(self._open[-1], []).append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]

    def by_id(self, name):
        return next(attributes for _, attributes in self.elements if attributes.get("id") == name)

    @property
    def data(self):
        scripts = self.all("script")
        place = next(place for place, attributes in enumerate(scripts) if attributes.get("id") == "data")
        return json.loads(self.text["script"][place])


@pytest.fixture
def text():
    return Bitext.from_lists([["the", "house"], [], ["a", "b", "c"]], [["das", "Haus"], ["x"], ["d"]])


@pytest.fixture
def links():
    return Alignments.from_lists([[(0, 0), (1, 1)], [], [(0, 0), (2, 0)]])


def test_the_page_holds_text_and_links(text, links):
    gold = Gold(Alignments.from_lists([[(0, 0)], [], [(1, 0)]]), Alignments.from_lists([[(1, 0)], [], []]))
    other = Alignments.from_lists([[(0, 1)], [], []])
    data = Page(render_view(text, links, gold=gold, other=other, names=("one", "two"))).data
    assert data == {
        "first": 0,
        "view": "grid",
        "directions": {"source": "ltr", "target": "ltr"},
        "names": {"links": "one", "other": "two"},
        "source": ["the house", "", "a b c"],
        "target": ["das Haus", "x", "d"],
        "links": ["0-0 1-1", "", "0-0 2-0"],
        "probabilities": None,
        "sure": ["0-0", "", "1-0"],
        "possible": ["0-0 1-0", "", "1-0"],
        "other": ["0-1", "", ""],
    }


def test_probabilities_are_whole_percents(text):
    links = Alignments.from_lists([[(0, 0), (1, 1)], [], [(0, 0)]], probabilities=[[0.501, 1.0], [], [0.0001]])
    assert Page(render_view(text, links)).data["probabilities"] == ["50 100", "", "1"]


def test_first_and_limit_choose_pairs(text, links):
    data = Page(render_view(text, links, first=1, limit=1)).data
    assert (data["first"], data["source"], data["links"]) == (1, [""], [""])
    page = render_view(text, links, first=2, limit=99)
    assert Page(page).data["source"] == ["a b c"]
    assert "1 sentence pair of 3" in page


def test_the_summary_scores_the_shown_pairs(text, links):
    gold = Gold(links, links)
    page = render_view(text, links, gold=gold, first=2)
    assert "2 links" in page
    assert "AER 0.00 %, precision 100.00 %, recall 100.00 % on these pairs" in page
    empty = render_view(text, links, gold=gold, first=1, limit=1)
    assert "AER -" in empty


def test_hostile_text_stays_text():
    text = Bitext.from_lists([HOSTILE], [HOSTILE[::-1]])
    links = Alignments.from_lists([[(0, 0)]])
    title = "</title><script>alert(2)</script>@data@"
    page = render_view(text, links, title=title, names=("</script><b>", "<!--"))
    parsed = Page(page)
    assert parsed.data["source"] == [" ".join(HOSTILE)]
    assert parsed.data["names"]["links"] == "</script><b>"
    assert parsed.text["title"] == [title]
    assert parsed.text["h1"] == [title]
    assert len(parsed.all("script")) == 2
    assert not parsed.all("b")
    inside = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1]
    assert not set(inside) & set("<>&\u2028\u2029")


WORD = st.text(st.characters(exclude_characters=" \t\n\r", exclude_categories=["Cs"]), min_size=1, max_size=8)


@given(st.lists(WORD, max_size=6), st.lists(WORD, max_size=6), st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_survives(source, target, title):
    text = Bitext.from_lists([source], [target])
    parsed = Page(render_view(text, Alignments.from_lists([[]]), title=title))
    assert parsed.data["source"] == [" ".join(source)]
    assert parsed.data["target"] == [" ".join(target)]
    assert len(parsed.all("script")) == 2


def test_nothing_is_loaded_from_outside(text, links):
    page = render_view(text, links)
    parsed = Page(page)
    assert "://" not in page
    assert not any("src" in attributes for _, attributes in parsed.elements)
    assert [attributes["href"] for _, attributes in parsed.elements if "href" in attributes] == ["data:,"]
    assert not re.search(r"@import|url\(|fetch\(|XMLHttpRequest|WebSocket|innerHTML|document\.write|eval\(", page)
    policy = next(meta["content"] for meta in parsed.all("meta") if "http-equiv" in meta)
    assert "default-src 'none'" in policy


def test_the_page_is_accessible(text, links):
    parsed = Page(render_view(text, links))
    assert parsed.all("html")[0]["lang"] == "en"
    assert parsed.by_id("say")["aria-live"] == "polite"
    assert parsed.by_id("list")["role"] == "listbox"
    labelled = {label["for"] for label in parsed.all("label")}
    for control in parsed.all("input") + parsed.all("select"):
        assert control["id"] in labelled
    for button in parsed.all("button"):
        assert button["aria-label"]
        assert button["type"] in {"button", "submit"}
    assert parsed.by_id("frame")["aria-label"]
    assert parsed.by_id("count")["aria-live"] == "polite"
    assert parsed.by_id("search")["dir"] == "auto"


def luminance(colour):
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, two):
    high, low = sorted((luminance(one), luminance(two)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_colours_have_contrast_in_both_schemes(text, links):
    """WCAG 2.1: 4.5 for text (1.4.3), 3 for marks that carry meaning (1.4.11)."""
    page = render_view(text, links)
    light, dark = re.findall(r'^:root(?:\[data-theme="dark"\])? \{(\s+--paper.*?)\}', page, re.DOTALL | re.MULTILINE)
    assert "prefers-color-scheme: dark" in page
    for scheme in (light, dark):
        colours = dict(re.findall(r"--(\w+): (#\w{6});", scheme))
        for name in ("ink", "quiet"):
            for ground in ("paper", "panel", "wrong"):
                assert contrast(colours[name], colours[ground]) >= 4.5
        assert contrast(colours["ink"], colours["mark"]) >= 4.5
        for name in ("link", "gold", "other"):
            assert contrast(colours[name], colours["panel"]) >= 3


def test_the_script_of_a_side_gives_its_direction():
    text = Bitext.from_lists([["the", "boy", "reads"], ["IBM"]], [["يقرأ", "الولد"], ["IBM"]])
    data = Page(render_view(text, Alignments.from_lists([[(1, 1), (2, 0)], []]))).data
    assert data["target"] == ["يقرأ الولد", "IBM"]
    assert data["directions"] == {"source": "ltr", "target": "rtl"}


def test_the_first_view_can_be_chosen(text, links):
    assert Page(render_view(text, links, view="arcs")).data["view"] == "arcs"
    with pytest.raises(ConfigError, match="view"):
        render_view(text, links, view="tree")


def test_ten_thousand_pairs_stay_small_and_the_page_does_not_grow_with_them():
    """25 words a side; all markup is made for the shown pair by the script."""
    random = np.random.default_rng(3)
    vocabulary = [f"word{k}" for k in range(5000)]
    lines = [[vocabulary[k] for k in random.integers(0, 5000, 25)] for _ in range(10_000)]
    offsets = np.arange(0, 250_001, 25)
    positions = np.tile(np.arange(25), 10_000)
    links = Alignments(np.stack([positions, positions], axis=1), offsets, random.random(250_000))
    text = Bitext.from_lists(lines, lines)
    page = render_view(text, links, gold=Gold(links, links), other=links)
    assert len(page.encode()) < 20e6
    assert len(Page(page).elements) < 140


def test_links_that_do_not_fit_are_refused(text, links, tmp_path):
    path = tmp_path / "view.html"
    with pytest.raises(UnequalLengthError, match="the alignments ends after line 2"):
        write_view(path, text, links[:2])
    with pytest.raises(UnequalLengthError, match="the gold standard"):
        write_view(path, text, links, gold=Gold(links[:1], links[:1]))
    with pytest.raises(DataError):
        write_view(path, text, links, other=Alignments.from_lists([[(0, 5)], [], []]))
    with pytest.raises(ConfigError, match="first"):
        write_view(path, text, links, first=3)
    with pytest.raises(ConfigError, match="limit"):
        write_view(path, text, links, limit=0)
    assert not path.exists()


def test_a_page_is_not_overwritten_by_chance(text, links, tmp_path):
    path = tmp_path / "view.html"
    write_view(path, text, links, title="old")
    with pytest.raises(ConfigError, match="--force"):
        write_view(path, text, links, title="new")
    assert "old" in path.read_text(encoding="utf-8")
    write_view(path, text, links, title="new", force=True)
    assert "new" in path.read_text(encoding="utf-8")


def test_an_empty_corpus_makes_a_page():
    page = render_view(Bitext.from_lists([], []), Alignments.from_lists([]))
    assert Page(page).data["source"] == []


def test_the_page_is_the_same_each_time(text, links):
    assert render_view(text, links) == render_view(text, links)


@pytest.mark.skipif(shutil.which("node") is None, reason="no JavaScript engine at hand")
def test_the_script_is_javascript(text, links, tmp_path):
    script = tmp_path / "view.js"
    script.write_text(Page(render_view(text, links)).text["script"][1], encoding="utf-8")
    subprocess.run(["node", "--check", script], check=True)
