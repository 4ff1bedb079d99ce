"""Labels in a notebook: every word and label is there once, escaped, and chunks of one kind have one colour."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.crf import ChainCRF
from plait.errors import ConfigError
from plait.viz.labels import labels_html, show_labels

CELL = re.compile(r'<td style="([^"]*)">(.*?)</td>')


def rows(markup):
    return [CELL.findall(row) for row in re.findall(r"<tr>(.*?)</tr>", markup)]


def colour(style):
    found = re.search(r"rgba\([^)]*\)", style)
    return found and found[0]


def test_chunks_of_a_kind_have_one_colour_and_what_is_outside_has_none():
    words, labels = rows(labels_html(["B-NP", "I-NP", "O", "B-VP", "S-NP"], list("abcde")))
    assert [text for _, text in words] == list("abcde")
    assert [text for _, text in labels] == ["B-NP", "I-NP", "O", "B-VP", "S-NP"]
    noun, goes_on, outside, verb, single = (colour(style) for style, _ in labels)
    assert noun == goes_on == single
    assert outside is None
    assert verb not in (noun, None)


def test_a_dash_in_a_label_that_is_no_chunk_is_part_of_the_label():
    (_, labels) = rows(labels_html(["X-a", "Y-a"]))
    assert colour(labels[0][0]) != colour(labels[1][0])


def test_positions_stand_where_there_are_no_words_and_probabilities_below():
    numbers, _, chances = rows(labels_html(["A", "B"], probabilities=[0.126, 1.0]))
    assert [text for _, text in numbers] == ["0", "1"]
    assert [text for _, text in chances] == ["0.13", "1.00"]


@given(st.lists(st.tuples(st.text(max_size=6), st.text(max_size=6)), min_size=1, max_size=5))
def test_no_word_and_no_label_becomes_markup(pairs):
    words, labels = zip(*pairs, strict=True)
    markup = labels_html(labels, words, title="<b>")
    assert len(re.findall(r"<(?!/?(?:div|table|tr|td)\b)", markup)) == 0
    assert markup.count("<td") == 2 * len(pairs)
    assert markup.startswith("<div>&lt;b&gt;</div>")


def test_long_sequences_and_many_of_them_are_counted():
    assert "… 50 more positions" in labels_html(["A"] * 250)
    assert labels_html(["A"] * 250).count("<td") == 400
    markup = str(show_labels([["A"]] * 23))
    assert markup.count("<table") == 20
    assert markup.endswith(">… 3 more</div>")


def test_a_label_has_the_same_colour_in_every_sequence():
    first, second = re.findall(r"<table.*?</table>", str(show_labels([["A", "B"], ["B", "A"]])))
    colours = [[colour(style) for style, _ in rows(table)[1]] for table in (first, second)]
    assert colours[0] == colours[1][::-1]


def test_words_from_the_right_stand_from_the_right():
    assert 'dir="rtl"' in labels_html(["N"], ["\u05e9\u05dc\u05d5\u05dd"])
    assert 'dir="ltr"' in labels_html(["N"], ["peace"])


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"words": []}, "words"),
        ({"words": [["a", "b"]]}, "words"),
        ({"marginals": []}, "marginals"),
        ({"marginals": [[{"A": 1.0}, {"A": 1.0}]]}, "marginals"),
        ({"marginals": [[{"B": 1.0}]]}, "marginals"),
    ],
)
def test_what_does_not_fit_is_refused(arguments, name):
    with pytest.raises(ConfigError, match=f"^{name}"):
        show_labels([["A"]], **arguments)


def test_what_a_model_finds_shows_itself():
    items = [[{"w": "the"}, {"w": "cat"}], [{"w": "a"}, {"w": "dog"}]]
    model = ChainCRF(max_iterations=5).fit(items, [["D", "N"], ["D", "N"]])
    best = model.predict_nbest(items, 1)[0][0]
    markup = best._repr_html_()
    assert [text for _, text in rows(markup)[1]] == best.labels
    assert markup.startswith(f"<div>probability {best.probability:.4g}</div>")
    drawn = str(
        show_labels(model.predict(items), [["the", "cat"], ["a", "dog"]], marginals=model.predict_marginals(items))
    )
    assert drawn.count("<table") == 2
