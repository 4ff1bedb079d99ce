"""A sentence pair as a grid for a terminal: rows are source words, columns are target words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from rich.cells import cell_len, set_cell_size
from rich.text import Text

__all__ = ["legend", "render_grid"]

Link = tuple[int, int]

# mark, style: a right link, a link that gold leaves open, one that gold does not have, a sure link that is missing
_BLOCKS = {"right": "■", "open": "▣", "extra": "▨", "missing": "□", "none": "·", "bar": "│"}
_ASCII = {"right": "#", "open": "+", "extra": "x", "missing": "o", "none": ".", "bar": "|"}
_STYLES = {
    "right": "bold green",
    "open": "cyan",
    "extra": "bold red",
    "missing": "bold yellow",
    "none": "dim",
    "bar": "dim",
}
_MEANINGS = {
    "right": "sure, found",
    "open": "possible, found",
    "extra": "not in the gold",
    "missing": "sure, missed",
}
_LONGEST_LABEL = 24


def render_grid(
    source: Sequence[str],
    target: Sequence[str],
    links: Iterable[Link],
    *,
    sure: Iterable[Link] | None = None,
    possible: Iterable[Link] = (),
    ascii_only: bool = False,
    width: int = 100,
) -> Text:
    """Draw the links of a sentence pair.

    Parameters
    ----------
    source, target
        The words.
    links
        (source, target) positions, 0-based.
    sure, possible
        Gold links; without `sure` there is nothing to compare with.
    ascii_only
        Draw with ASCII characters only; words are left as they are.
    width
        Columns of the terminal. Target words that do not fit go into further grids below.

    Returns
    -------
    rich.text.Text
        Lines with styles; ``str()`` of it is the plain text.

    Examples
    --------
    >>> print(render_grid(["a", "house"], ["ein", "Haus"], [(0, 0), (1, 1)], ascii_only=True))
          ein
          | Haus
    a     # .
    house . #
    """
    marks = _ASCII if ascii_only else _BLOCKS
    label_width = min(_LONGEST_LABEL, max((cell_len(word) for word in source), default=0))
    kind = _judge(set(links), None if sure is None else set(sure), set(possible))
    columns = max(4, (width - label_width - 1 - _LONGEST_LABEL) // 2)
    text = Text()
    for start in range(0, len(target), columns):
        if start:
            text.append("\n\n")
        shown = range(start, min(start + columns, len(target)))
        _draw(text, source, target, shown, kind, marks, label_width)
    return text


def legend(*, has_gold: bool, ascii_only: bool = False) -> Text:
    """Say what the marks of `render_grid` mean."""
    marks = _ASCII if ascii_only else _BLOCKS
    if not has_gold:
        return Text.assemble((marks["right"], _STYLES["right"]), " link")
    text = Text()
    for name, meaning in _MEANINGS.items():
        text.append("   " if text else "")
        text.append(marks[name], _STYLES[name])
        text.append(f" {meaning}")
    return text


def _judge(links: set[Link], sure: set[Link] | None, possible: set[Link]) -> Callable[[Link], str]:
    def kind(link: Link) -> str:
        if link not in links:
            return "missing" if sure is not None and link in sure else "none"
        if sure is None or link in sure:
            return "right"
        return "open" if link in possible else "extra"

    return kind


def _draw(
    text: Text,
    source: Sequence[str],
    target: Sequence[str],
    shown: range,
    kind: Callable[[Link], str],
    marks: dict[str, str],
    label_width: int,
) -> None:
    """Append one grid: target words on steps above their columns, then a row for each source word."""
    indent = " " * (label_width + 1)
    lines: list[Text] = []
    for place, j in enumerate(shown):
        line = Text(indent)
        line.append(f"{marks['bar']} " * place, _STYLES["bar"])
        line.append(_printable(target[j]))
        lines.append(line)
    for i, word in enumerate(source):
        line = Text(set_cell_size(_shortened(_printable(word), label_width), label_width))
        for j in shown:
            name = kind((i, j))
            line.append(" ")
            line.append(marks[name], _STYLES[name])
        lines.append(line)
    text.append_text(Text("\n").join(lines))


def _printable(word: str) -> str:
    """Replace control characters: text of others must not steer the terminal."""
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in word)


def _shortened(word: str, width: int) -> str:
    return word if cell_len(word) <= width else set_cell_size(word, width - 1) + "~"
