"""The grid of the page as a picture that needs no script: for notebooks, reports and explanations."""

from __future__ import annotations

import html
import math
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from plait.alignments import Alignments
from plait.bitext import Bitext
from plait.errors import ConfigError
from plait.metrics import Gold
from plait.viz.scripts import Direction, direction_of, isolated, printable

__all__ = ["PairPictures", "grid_svg", "show"]

Link = tuple[int, int]

_CELL = 24
_FONT_SIZE = 13
_SLANT = 55
_LONGEST_LABEL = 18
# Middle tones: they stand out (WCAG 2.1, 1.4.11) on the white and on the black of notebooks, and to the colour-blind.
_LINK, _GOLD, _WRONG, _LINES = "#3f7fd0", "#b8740f", "#d9604a", "#8a8f98"


def grid_svg(
    source: Sequence[str],
    target: Sequence[str],
    links: Mapping[Link, float] | Iterable[Link],
    *,
    sure: Iterable[Link] | None = None,
    possible: Iterable[Link] = (),
    direction: Direction | None = None,
) -> str:
    """Return the grid of a sentence pair as an SVG element.

    Parameters
    ----------
    source, target
        The words; source words are rows.
    links
        (source, target) positions, 0-based, within the pair; a mapping gives their probabilities (0 to 1), drawn
        as shades.
    sure, possible
        Gold links: solid and dashed outlines. Without `sure` there is nothing to compare with.
    direction
        Which way the target runs; by default the way of most of its letters. Columns of "rtl" run from the right.

    Returns
    -------
    str
        Markup; words in it are escaped.

    Notes
    -----
    O(words + links): empty cells are lines, not elements.

    Examples
    --------
    >>> grid_svg(["house"], ["Haus"], {(0, 0): 0.5}).count('class="link"')
    1
    """
    probabilities = dict(links) if isinstance(links, Mapping) else dict.fromkeys(links, 1.0)
    mirrored = (direction or direction_of([target])) == "rtl"
    rows, heads = [_shortened(word) for word in source], [_shortened(word) for word in target]
    rise, run = math.sin(math.radians(_SLANT)), math.cos(math.radians(_SLANT))
    left = max((_width(word) for word in rows), default=0) + 18
    top = max((_width(word) for word in heads), default=0) * rise + 20
    overhang = max((_width(word) * run - (len(heads) - 1 - j) * _CELL for j, word in enumerate(heads)), default=0)
    overhang = max(4, overhang)
    width, height = left + len(heads) * _CELL + overhang, top + len(rows) * _CELL + 2

    def column(j: int) -> float:
        return overhang + (len(heads) - 1 - j) * _CELL if mirrored else left + j * _CELL

    parts = [_lines(column(len(heads) - 1 if mirrored else 0), top, len(heads), len(rows))]
    for j, word in enumerate(heads):
        turn, anchor, shift = (_SLANT, "end", -3) if mirrored else (-_SLANT, "start", 3)
        place = f"translate({column(j) + _CELL / 2 + shift:.1f} {top - 7:.1f}) rotate({turn})"
        parts.append(_label(word, f'transform="{place}" text-anchor="{anchor}"'))
    for i, word in enumerate(rows):
        x, anchor = (width - left + 9, "start") if mirrored else (left - 9, "end")
        y = top + i * _CELL + _CELL / 2 + 4.5
        parts.append(_label(word, f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'))
    gold = None if sure is None else set(sure)
    allowed = set(possible) - (gold or set())
    for i, j in sorted({*probabilities, *(gold or ()), *allowed}):
        parts.append(_mark(column(j), top + i * _CELL, probabilities.get((i, j)), (i, j), gold, allowed))
    return (
        f'<svg role="img" aria-label="Grid of {len(probabilities)} links" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" style="max-width:100%" font-size="{_FONT_SIZE}" '
        f'font-family="system-ui, sans-serif">{"".join(parts)}</svg>'
    )


class PairPictures:
    """Pictures of sentence pairs that a notebook shows; `str` gives their markup.

    Made by `show`.
    """

    def __init__(self, markup: str) -> None:
        self._markup = markup

    def __str__(self) -> str:
        return self._markup

    def _repr_html_(self) -> str:
        return self._markup


def show(
    bitext: Bitext, alignments: Alignments, pairs: Iterable[int] = range(3), *, gold: Gold | None = None
) -> PairPictures:
    """Draw a few sentence pairs, as the last line of a notebook cell.

    Parameters
    ----------
    bitext, alignments
        A text and its links.
    pairs
        Indices of pairs, 0-based; those past the end are left out.
    gold
        Links that people made, drawn as outlines.

    Returns
    -------
    PairPictures

    Raises
    ------
    ConfigError
        The numbers of sentence pairs differ.
    DataError
        A link lies outside of its sentence pair.

    Examples
    --------
    >>> text = Bitext.from_lists([["the", "house"]], [["das", "Haus"]])
    >>> str(show(text, Alignments.from_lists([[(0, 0), (1, 1)]]))).count("<svg")
    1
    """
    for name, links in (("alignments", alignments), ("gold", gold.possible if gold else None)):
        if links is None:
            continue
        if len(links) != len(bitext):
            raise ConfigError(name=name, expected=f"{len(bitext)} sentence pairs", found=len(links))
        links.check_within(bitext.source_lengths, bitext.target_lengths)
    direction = direction_of(bitext.target(n) for n in range(min(len(bitext), 1000)))
    figures = []
    for n in pairs:
        if not 0 <= n < len(bitext):
            continue
        drawn = grid_svg(
            bitext.source(n),
            bitext.target(n),
            _with_probabilities(alignments, n),
            sure=None if gold is None else _links(gold.sure, n),
            possible=() if gold is None else _links(gold.possible, n),
            direction=direction,
        )
        figures.append(_figure(f"pair {n}", drawn))
    return PairPictures(_row(figures))


def positions_html(alignments: Alignments, *, pairs: int, longest: int) -> str:
    """Return the first pairs as grids whose words are their positions: `Alignments` knows no words."""
    figures = []
    for n in range(min(pairs, len(alignments))):
        links = alignments[n]
        rows, columns = (int(links[:, side].max()) + 1 if len(links) else 0 for side in (0, 1))
        if max(rows, columns) > longest or not len(links):
            drawn = f"<span>{len(links)} links{', too long to draw' if len(links) else ''}</span>"
        else:
            source, target = ([str(k) for k in range(count)] for count in (rows, columns))
            drawn = grid_svg(source, target, _with_probabilities(alignments, n), direction="ltr")
        figures.append(_figure(f"pair {n}", drawn))
    return _row(figures)


def _row(figures: Sequence[str]) -> str:
    return f'<div style="display:flex;flex-wrap:wrap;gap:1em 2em;align-items:flex-end">{"".join(figures)}</div>'


def _figure(caption: str, drawn: str) -> str:
    small = f'<figcaption style="font-size:85%;opacity:.75">{html.escape(caption)}</figcaption>'
    return f'<figure style="margin:0">{drawn}{small}</figure>'


def _links(alignments: Alignments, n: int) -> list[Link]:
    return [(i, j) for i, j in alignments[n].tolist()]


def _with_probabilities(alignments: Alignments, n: int) -> dict[Link, float]:
    values = alignments.sentence_probabilities(n)
    links = _links(alignments, n)
    return dict(zip(links, [1.0] * len(links) if values is None else values.tolist(), strict=True))


def _shortened(word: str) -> str:
    """Keep the start of a long word; control characters and halves of surrogate pairs cannot stand in markup."""
    clean = printable(word)
    return clean if len(clean) <= _LONGEST_LABEL else clean[: _LONGEST_LABEL - 1] + "\N{HORIZONTAL ELLIPSIS}"


def _width(word: str) -> float:
    """Estimate pixels; nobody can measure a font that a reader will choose."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in word)
    marks = sum(unicodedata.combining(character) > 0 for character in word)
    return _FONT_SIZE * (0.6 * (len(word) - wide - marks) + wide)


def _lines(x: float, y: float, columns: int, rows: int) -> str:
    across = "".join(f"M{x:.1f} {y + k * _CELL:.1f}h{columns * _CELL}" for k in range(rows + 1))
    down = "".join(f"M{x + k * _CELL:.1f} {y:.1f}v{rows * _CELL}" for k in range(columns + 1))
    return f'<path d="{across}{down}" fill="none" stroke="{_LINES}" stroke-opacity=".35"/>'


def _label(word: str, attributes: str) -> str:
    return f'<text {attributes} fill="currentColor">{html.escape(isolated(word))}</text>'


def _mark(
    x: float, y: float, probability: float | None, link: Link, sure: set[Link] | None, possible: set[Link]
) -> str:
    parts = []
    is_right = sure is None or link in sure or link in possible
    if (probability is None and sure is not None and link in sure) or (probability is not None and not is_right):
        parts.append(
            f'<rect class="wrong" x="{x:.1f}" y="{y:.1f}" width="{_CELL}" height="{_CELL}" '
            f'fill="{_WRONG}" fill-opacity=".22"/>'
        )
    if probability is not None:
        shade = 0.12 + 0.88 * min(1.0, max(0.0, probability))
        parts.append(
            f'<rect class="link" x="{x + 5:.1f}" y="{y + 5:.1f}" width="{_CELL - 10}" height="{_CELL - 10}" rx="2" '
            f'fill="{_LINK}" fill-opacity="{shade:.2f}" stroke="{_LINK}"><title>{probability:.2f}</title></rect>'
        )
    if sure is not None and (link in sure or link in possible):
        dash = "" if link in sure else ' stroke-dasharray="3.5 2.5"'
        name = "sure" if link in sure else "possible"
        parts.append(
            f'<rect class="{name}" x="{x + 2:.1f}" y="{y + 2:.1f}" width="{_CELL - 4}" height="{_CELL - 4}" rx="4" '
            f'fill="none" stroke="{_GOLD}" stroke-width="2"{dash}/>'
        )
    return "".join(parts)
