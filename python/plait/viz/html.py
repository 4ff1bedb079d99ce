"""A page that shows links: one self-contained HTML file with a grid, arcs and a table for each sentence pair."""

from __future__ import annotations

import html
import json
import math
import os
import re
from collections.abc import Mapping
from importlib import resources
from itertools import pairwise
from typing import Literal, get_args

import numpy as np

from plait._core import __version__
from plait.alignments import Alignments
from plait.bitext import Bitext
from plait.errors import ConfigError, UnequalLengthError
from plait.io.atomic import OutputFile
from plait.metrics import Gold, score
from plait.viz.scripts import direction_of

__all__ = ["View", "render_view", "write_view"]

View = Literal["grid", "arcs", "table"]

_MARK = re.compile(r"@(version|title|summary|css|marks|data|script)@")
# In this order: each uses what stands in those before it.
_SCRIPTS = ("corpus", "drawing", "grid", "arcs", "frame", "table", "list", "page")


def write_view(
    path: str | os.PathLike[str],
    bitext: Bitext,
    alignments: Alignments,
    *,
    gold: Gold | None = None,
    other: Alignments | None = None,
    title: str = "Word alignment",
    names: tuple[str, str] = ("links", "second system"),
    first: int = 0,
    limit: int | None = None,
    view: View = "grid",
    force: bool = False,
) -> None:
    """Write a page that shows the links of a corpus, pair by pair.

    Parameters
    ----------
    path
        The HTML file; "-" for standard output. Suffixes such as ``.gz`` compress.
    bitext
        The text.
    alignments
        Its links, drawn as filled squares; with probabilities, the less probable ones are paler.
    gold
        Links that people made: sure ones as solid, possible ones as dashed outlines. The page can then show only
        pairs with errors.
    other
        Links of a second system, drawn as dots. The page can then show only pairs where the systems differ.
    title
        Heading of the page.
    names
        What to call `alignments` and `other`.
    first, limit
        Show `limit` pairs from the pair with this index (0-based) on; None for all.
    view
        How the page draws a pair at first; its reader can switch.
    force
        Whether a file that exists may be replaced.

    Raises
    ------
    plait.errors.UnequalLengthError
        The numbers of sentence pairs differ.
    plait.errors.DataError
        A link lies outside of its sentence pair.
    plait.errors.ConfigError
        `first` is outside the corpus, `limit` is not positive, `view` is unknown, or the file exists and
        `force` is false.
    OSError
        The file cannot be written.

    Notes
    -----
    O(tokens + links) time and memory; 10,000 pairs of 25 words make a page of 5 to 11 MB. The page loads nothing
    from anywhere, and draws only what is in its windows: the rows of the list that are seen, and of the shown pair
    the words and links that are seen, so it stays quick with many pairs and with long ones. A side that is mostly
    in a right-to-left script runs from the right. Text is never read as markup.

    Examples
    --------
    >>> from plait import Alignments, Bitext
    >>> from plait.viz.html import write_view
    >>> text = Bitext.from_lists([["the", "house"]], [["das", "Haus"]])
    >>> write_view("links.html", text, Alignments.from_lists([[(0, 0), (1, 1)]]), force=True)
    """
    page = render_view(
        bitext, alignments, gold=gold, other=other, title=title, names=names, first=first, limit=limit, view=view
    )
    with OutputFile(path, force=force) as out:
        out.write(page.encode())


def render_view(
    bitext: Bitext,
    alignments: Alignments,
    *,
    gold: Gold | None = None,
    other: Alignments | None = None,
    title: str = "Word alignment",
    names: tuple[str, str] = ("links", "second system"),
    first: int = 0,
    limit: int | None = None,
    view: View = "grid",
) -> str:
    """Return the page that `write_view` writes."""
    stop = _check(bitext, alignments, gold, other, first, limit)
    if view not in get_args(View):
        raise ConfigError(name="view", expected="one of " + ", ".join(get_args(View)), found=repr(view))
    data = {
        "first": first,
        "view": view,
        "directions": {
            "source": direction_of(bitext.source(n) for n in range(first, stop)),
            "target": direction_of(bitext.target(n) for n in range(first, stop)),
        },
        "names": {"links": names[0], "other": names[1]},
        "source": [" ".join(bitext.source(n)) for n in range(first, stop)],
        "target": [" ".join(bitext.target(n)) for n in range(first, stop)],
        "links": _lines(alignments[first:stop]),
        "probabilities": _percents(alignments[first:stop]),
        "sure": None if gold is None else _lines(gold.sure[first:stop]),
        "possible": None if gold is None else _lines(gold.possible[first:stop]),
        "other": None if other is None else _lines(other[first:stop]),
    }
    parts = {
        "version": html.escape(__version__),
        "title": html.escape(title),
        "summary": html.escape(_summary(bitext, alignments, gold, first, stop)),
        "css": _template("view.css").replace("@dark@\n", _template("dark.css")),
        "marks": _template("marks.css"),
        "script": _script(),
        "data": _json_in_html(data),
    }
    # One pass: what is put in is not looked at again, so no text can act as a mark.
    return _MARK.sub(lambda mark: parts[mark[1]], _template("view.html"))


def _check(
    bitext: Bitext,
    alignments: Alignments,
    gold: Gold | None,
    other: Alignments | None,
    first: int,
    limit: int | None,
) -> int:
    """Check that all inputs are parallel and within range; return the end of the shown pairs."""
    lengths = bitext.source_lengths, bitext.target_lengths
    for name, links in (
        ("the alignments", alignments),
        ("the gold standard", gold.possible if gold else None),
        ("the second alignments", other),
    ):
        if links is None:
            continue
        if len(links) != len(bitext):
            both = sorted([(len(links), name), (len(bitext), "the text")])
            (shorter_len, shorter), (longer_len, longer) = both
            raise UnequalLengthError(shorter=shorter, shorter_len=shorter_len, longer=longer, longer_len=longer_len)
        links.check_within(*lengths)
    if not 0 <= first <= max(0, len(bitext) - 1):
        raise ConfigError(name="first", expected=f"from 0 to {len(bitext) - 1}", found=first)
    if limit is not None and limit < 1:
        raise ConfigError(name="limit", expected="1 or more", found=limit)
    return len(bitext) if limit is None else min(len(bitext), first + limit)


def _lines(alignments: Alignments) -> list[str]:
    """Return the links of each pair as ``i-j i-j``."""
    return alignments.to_pharaoh().decode("ascii").split("\n")[:-1]


def _percents(alignments: Alignments) -> list[str] | None:
    """Return the probabilities of each pair's links as whole percents, at least 1, so that every link is seen."""
    if alignments.probabilities is None:
        return None
    percents = np.maximum(np.rint(alignments.probabilities * 100), 1).astype(np.int64).tolist()
    ends = alignments.offsets.tolist()
    return [" ".join(map(str, percents[start:stop])) for start, stop in pairwise(ends)]


def _summary(bitext: Bitext, alignments: Alignments, gold: Gold | None, first: int, stop: int) -> str:
    """Say what is shown and, with a gold standard, how good the links of these pairs are."""
    count = stop - first
    shown = alignments[first:stop]
    parts = [f"{count:,} sentence pair{'s' if count != 1 else ''}"]
    if count < len(bitext):
        parts[0] += f" of {len(bitext):,}"
    parts.append(f"{len(shown.links):,} links")
    if gold is not None:
        scores = score(shown, Gold(gold.sure[first:stop], gold.possible[first:stop]))
        rates = {"AER": scores.aer, "precision": scores.precision, "recall": scores.recall}
        parts.append(", ".join(f"{name} {_percent(rate)}" for name, rate in rates.items()) + " on these pairs")
    return " · ".join(parts)


def _percent(rate: float) -> str:
    return "-" if math.isnan(rate) else f"{100 * rate:.2f} %"


def _json_in_html(data: Mapping[str, object]) -> str:
    """Return JSON that may stand in a script element: no character in it can end the element or open a comment."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    # Half a surrogate pair cannot be written as UTF-8.
    return text.encode("utf-8", "replace").decode("utf-8")


def _script() -> str:
    """Return all scripts in one scope of their own."""
    parts = "\n".join(_template(f"{name}.js") for name in _SCRIPTS)
    return f'"use strict";\n(() => {{\n{parts}}})();\n'


def _template(name: str) -> str:
    return resources.files("plait.viz").joinpath("template", name).read_text(encoding="utf-8")
