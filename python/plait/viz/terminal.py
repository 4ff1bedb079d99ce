"""A sentence pair as a grid for a terminal: rows are source words, columns are target words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from plait.viz.scripts import FIRST_STRONG_ISOLATE, isolated, printable

__all__ = ["legend", "render_grid"]

Link = tuple[int, int]

# mark, style: a right link, a link that gold leaves open, one that gold does not have, a sure link that is missing
_BLOCKS = {"right": "■", "open": "▣", "extra": "▨", "missing": "□", "none": "·", "bar": "│", "other": "•"}
_ASCII = {"right": "#", "open": "+", "extra": "x", "missing": "o", "none": ".", "bar": "|", "other": "*"}
_STYLES = {
    "right": "bold green",
    "open": "cyan",
    "extra": "bold red",
    "missing": "bold yellow",
    "none": "dim",
    "bar": "dim",
    "other": "magenta",
}
_MEANINGS = {
    "right": "sure, found",
    "open": "possible, found",
    "extra": "not in the gold",
    "missing": "sure, missed",
}
# Without gold a link is shaded by its probability: below 1/4, 1/2, 3/4, and above.
_SHADES, _ASCII_SHADES = "░▒▓█", "1234"
_LONGEST_LABEL = 24
# A terminal that reorders text must not turn a line round because a word of it runs from the right.
_LEFT_TO_RIGHT = "\N{LEFT-TO-RIGHT MARK}"


def render_grid(
    source: Sequence[str],
    target: Sequence[str],
    links: Mapping[Link, float] | Iterable[Link],
    *,
    sure: Iterable[Link] | None = None,
    possible: Iterable[Link] = (),
    other: Iterable[Link] = (),
    ascii_only: bool = False,
    width: int = 100,
) -> Text:
    """Draw the links of a sentence pair.

    Parameters
    ----------
    source, target
        The words.
    links
        (source, target) positions, 0-based; a mapping gives their probabilities, drawn as shades when there is no
        gold standard.
    sure, possible
        Gold links; without `sure` there is nothing to compare with.
    other
        Links of a second system, drawn to the left of the mark.
    ascii_only
        Draw with ASCII characters only; words are left as they are.
    width
        Columns of the terminal. Target words that do not fit go into further grids below, and long words are
        shortened; no line is longer, unless `width` is below 12.

    Returns
    -------
    rich.text.Text
        Lines with styles; ``str()`` of it is the plain text.

    Notes
    -----
    A line with a right-to-left word starts with U+200E, and the word is isolated (UAX #9), so that a terminal that
    knows about directions leaves the columns where they are. Columns always run from the left.

    Examples
    --------
    >>> print(render_grid(["a", "house"], ["ein", "Haus"], [(0, 0), (1, 1)], ascii_only=True))
          ein
          | Haus
    a     # .
    house . #
    """
    marks = _ASCII if ascii_only else _BLOCKS
    longest = max(3, min(_LONGEST_LABEL, width // 3))
    label_width = min(longest, max((cell_len(word) for word in source), default=0))
    head_width = min(longest, max((cell_len(word) for word in target), default=0))
    mark = _marker(links, None if sure is None else set(sure), set(possible), ascii_only)
    second = set(other)
    columns = max(1, (width - label_width - 1 - head_width) // 2)
    parts = []
    for start in range(0, len(target), columns):
        shown = range(start, min(start + columns, len(target)))
        lines = _heads(target, shown, marks["bar"], label_width, width)
        for i, word in enumerate(source):
            line = _label(word, label_width)
            for j in shown:
                line.append(*((marks["other"], _STYLES["other"]) if (i, j) in second else (" ", "")))
                line.append(*mark((i, j)))
            lines.append(line)
        parts.append(Text("\n").join(lines))
    return Text("\n\n").join(parts)


def legend(
    *, has_gold: bool, has_probabilities: bool = False, has_other: bool = False, ascii_only: bool = False
) -> Text:
    """Say what the marks of `render_grid` mean."""
    marks = _ASCII if ascii_only else _BLOCKS
    text = Text()
    if has_gold:
        for name, meaning in _MEANINGS.items():
            text.append("   " if text else "")
            text.append(marks[name], _STYLES[name])
            text.append(f" {meaning}")
    elif has_probabilities:
        text.append(_ASCII_SHADES if ascii_only else _SHADES, _STYLES["right"])
        text.append(" link, by probability in quarters")
    else:
        text.append(marks["right"], _STYLES["right"])
        text.append(" link")
    if has_other:
        text.append("   ")
        text.append(marks["other"], _STYLES["other"])
        text.append(" second system")
    return text


def _marker(
    links: Mapping[Link, float] | Iterable[Link], sure: set[Link] | None, possible: set[Link], ascii_only: bool
) -> Callable[[Link], tuple[str, str]]:
    """Return what to draw for a cell: a character and its style."""
    marks = _ASCII if ascii_only else _BLOCKS
    shades = _ASCII_SHADES if ascii_only else _SHADES
    probabilities = links if isinstance(links, Mapping) else None
    found = set(links)

    def mark(link: Link) -> tuple[str, str]:
        if link not in found:
            name = "missing" if sure is not None and link in sure else "none"
        elif sure is None:
            if probabilities is not None:
                return shades[min(3, int(4 * probabilities[link]))], _STYLES["right"]
            name = "right"
        else:
            name = "right" if link in sure else "open" if link in possible else "extra"
        return marks[name], _STYLES[name]

    return mark


def _heads(target: Sequence[str], shown: range, bar: str, label_width: int, width: int) -> list[Text]:
    """Return target words on steps above their columns."""
    lines = []
    for place, j in enumerate(shown):
        room = max(2, width - label_width - 1 - 2 * place)
        word = isolated(_shortened(printable(target[j]), room))
        line = Text(_guard(word) + " " * (label_width + 1))
        line.append(f"{bar} " * place, _STYLES["bar"])
        line.append(word)
        lines.append(line)
    return lines


def _label(word: str, width: int) -> Text:
    short = isolated(_shortened(printable(word), width))
    return Text(_guard(short) + short + " " * (width - cell_len(short)))


def _guard(word: str) -> str:
    return _LEFT_TO_RIGHT if FIRST_STRONG_ISOLATE in word else ""


def _shortened(word: str, width: int) -> str:
    return word if cell_len(word) <= width else set_cell_size(word, width - 1) + "~"
