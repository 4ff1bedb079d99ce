"""Grids for the terminal."""

# ruff: noqa: RUF001 - words of other scripts

import pytest
from rich.cells import cell_len

from plait.viz.terminal import legend, render_grid


def lines(*arguments, **options):
    return str(render_grid(*arguments, **options)).split("\n")


def test_words_stand_over_their_columns_and_beside_their_rows():
    found = lines(["a", "front", "door"], ["eine", "Haustür"], [(0, 0), (1, 1), (2, 1)], ascii_only=True)
    assert found == [
        "      eine",
        "      | Haustür",
        "a     # .",
        "front . #",
        "door  . #",
    ]


def test_marks_tell_right_open_extra_and_missing():
    text = render_grid(["a", "b"], ["c", "d"], [(0, 0), (0, 1), (1, 0)], sure=[(0, 0), (1, 1)], possible=[(1, 0)])
    assert str(text).split("\n")[2:] == ["a ■ ▨", "b ▣ □"]
    styles = {str(text)[span.start : span.end]: str(span.style) for span in text.spans}
    assert len({styles[mark] for mark in "■▨▣□"}) == 4
    ascii_text = lines(
        ["a", "b"], ["c", "d"], [(0, 0), (0, 1), (1, 0)], sure=[(0, 0), (1, 1)], possible=[(1, 0)], ascii_only=True
    )
    assert ascii_text[2:] == ["a # x", "b + o"]


def test_without_gold_a_link_is_a_link():
    assert lines(["a"], ["b"], [(0, 0)])[1] == "a ■"


def test_a_wide_grid_is_cut_into_grids_that_fit():
    target = [f"w{k}" for k in range(30)]
    found = lines(["source"], target, [(0, 29)], width=60, ascii_only=True)
    assert max(map(len, found)) <= 60
    rows = [line for line in found if line.startswith("source")]
    assert len(rows) > 1
    assert sum(row.count(".") + row.count("#") for row in rows) == 30
    assert rows[-1].endswith("#")
    assert all("#" not in row for row in rows[:-1])


def test_wide_characters_take_two_cells():
    found = lines(["我", "ab"], ["x"], [(0, 0)], ascii_only=True)
    assert found[1:] == ["我 #", "ab ."]


def test_long_words_are_shortened_and_control_characters_cannot_steer_the_terminal():
    found = lines(["x" * 60, "\x1b[31mred"], ["\x07y"], [], ascii_only=True)
    assert not set("".join(found)) & set("\x1b\x07")
    assert found[1].startswith("x" * 23 + "~ ")


@pytest.mark.parametrize("ascii_only", [True, False])
def test_the_legend_explains_every_mark(ascii_only):
    text = str(legend(has_gold=True, ascii_only=ascii_only))
    for mark in "#+xo" if ascii_only else "■▣▨□":
        assert mark in text
    assert not ascii_only or text.isascii()
    assert str(legend(has_gold=False, ascii_only=True)) == "# link"


def test_probabilities_are_shades_without_gold():
    links = {(0, 0): 0.1, (0, 1): 0.3, (0, 2): 0.6, (0, 3): 1.0}
    assert lines(["a"], ["w", "x", "y", "z"], links)[-1] == "a ░ ▒ ▓ █"
    assert lines(["a"], ["w", "x", "y", "z"], links, ascii_only=True)[-1] == "a 1 2 3 4"
    assert lines(["a"], ["w"], links, sure=[(0, 0)])[-1] == "a ■"
    assert "quarters" in str(legend(has_gold=False, has_probabilities=True))


def test_a_second_system_stands_beside_the_mark():
    found = lines(["a", "b"], ["c", "d"], [(0, 0)], other=[(0, 0), (1, 1)])
    assert found[-2:] == ["a•■ ·", "b ·•·"]
    assert "• second system" in str(legend(has_gold=True, has_other=True))


def test_right_to_left_words_cannot_turn_a_line_round():
    found = lines(["the", "שלום"], ["عالم", "x"], [(0, 0)])
    assert found[0] == "\u200e     \u2068عالم\u2069"
    assert found[2] == "the  ■ ·"
    assert found[3] == "\u200e\u2068שלום\u2069 · ·"
    assert not found[1].startswith("\u200e")


@pytest.mark.parametrize("width", [12, 20, 33, 80])
def test_no_line_is_longer_than_the_terminal(width):
    source = ["internationalisation", "我们", "x"]
    target = ["Donaudampfschifffahrtsgesellschaft", "a", "漢字漢字漢字漢字", "b" * 9] * 6
    found = lines(source, target, [(0, 3)], width=width)
    assert max(map(cell_len, found)) <= width
    rows = [line for line in found if line.startswith("x")]
    assert sum(row.count("·") for row in rows) == len(target)


def test_joiners_of_persian_and_hindi_stay():
    assert "می\u200cروم" in lines(["می\u200cروم"], ["x"], [])[1]
