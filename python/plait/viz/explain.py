"""An explanation of a sentence pair's links as text for a terminal and as HTML for a notebook."""

from __future__ import annotations

import html
from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text

from plait.explanation import DirectionEvidence, LinkExplanation, PairExplanation
from plait.viz.picture import grid_svg
from plait.viz.scripts import isolated, printable

__all__ = ["explanation_html", "explanation_text"]

_HEADS = ("link", "both", "direction", "posterior", "translation", "of it by back-off", "jump", "best rival")


def explanation_text(explanation: PairExplanation) -> Text:
    """Return an explanation as lines: one for each link and, below it, one for each direction.

    Near misses are dim. Small probabilities are in scientific notation.

    Parameters
    ----------
    explanation
        What `AlignmentModel.explain` returns.

    Returns
    -------
    rich.text.Text
        ``str()`` of it is the plain text; without links it says so.
    """
    if not explanation.links:
        return Text("no links")
    lines = []
    for link in explanation.links:
        source, target = _words(explanation, link)
        line = Text(f"{source} - {target}", "bold" if link.is_linked else "dim")
        line.append(f"  {_number(link.posterior)}", "" if link.is_linked else "dim")
        if not link.is_linked:
            line.append("  near miss", "dim")
        lines.append(line)
        sides = _directions(explanation, link)
        width = max(cell_len(name) for name, _, _ in sides)
        for name, evidence, given in sides:
            padding = " " * (width - cell_len(name))
            lines.append(Text(f"  {name}{padding}   {_evidence(evidence, given)}", "" if link.is_linked else "dim"))
    return Text("\n").join(lines)


def explanation_html(explanation: PairExplanation) -> str:
    """Return an explanation as HTML: the grid of the links and a table, two rows for each link.

    It loads nothing, has no script and no style sheet, and takes over colours and fonts of the page around it.
    """
    linked = {(link.source, link.target): link.posterior for link in explanation.links if link.is_linked}
    grid = grid_svg(explanation.source, explanation.target, linked)
    heads = "".join(f'<th scope="col" style="text-align:start;padding:.2em .7em">{head}</th>' for head in _HEADS)
    body = "".join(_rows(explanation, link) for link in explanation.links)
    return (
        f'<div style="display:flex;flex-wrap:wrap;gap:1.5em 2.5em;align-items:flex-start">{grid}'
        '<table style="border-collapse:collapse;font-variant-numeric:tabular-nums">'
        f"<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _words(explanation: PairExplanation, link: LinkExplanation) -> tuple[str, str]:
    return (
        isolated(printable(explanation.source[link.source])),
        isolated(printable(explanation.target[link.target])),
    )


def _directions(
    explanation: PairExplanation, link: LinkExplanation
) -> tuple[tuple[str, DirectionEvidence, Sequence[str]], ...]:
    """Return both directions: what it is called, its evidence, the words that are given in it."""
    source, target = _words(explanation, link)
    return (
        (f"{target} given {source}", link.tgt_given_src, explanation.source),
        (f"{source} given {target}", link.src_given_tgt, explanation.target),
    )


def _evidence(evidence: DirectionEvidence, given: Sequence[str]) -> str:
    parts = [f"posterior {_number(evidence.posterior)}", f"translation {_number(evidence.translation)}"]
    if evidence.backoff > 0:
        parts[-1] += f" ({_backoff(evidence)} back-off)"
    if evidence.jump is not None:
        parts.append(f"jump {_number(evidence.jump)}")
    if evidence.rival is not None:
        parts.append(f"rival {_rival(evidence, given)}")
    return "  ".join(parts)


def _backoff(evidence: DirectionEvidence) -> str:
    share = f"{100 * evidence.backoff:.0f} %"
    return f"{share} {printable(evidence.backoff_level)}" if evidence.backoff_level else share


def _rival(evidence: DirectionEvidence, given: Sequence[str]) -> str:
    if evidence.rival is None:
        return "\N{EN DASH}"
    position = evidence.rival.position
    word = "NULL" if position is None else f"{isolated(printable(given[position]))} [{position}]"
    return f"{word} {_number(evidence.rival.posterior)}"


def _number(value: float) -> str:
    """Two decimals; what would round to 0.00 keeps its size."""
    return f"{value:.2f}" if value == 0 or value >= 0.005 else f"{value:.0e}"


def _rows(explanation: PairExplanation, link: LinkExplanation) -> str:
    """Return two table rows; the cells of the link span both."""
    source, target = map(html.escape, _words(explanation, link))
    faded = "" if link.is_linked else ";opacity:.6"
    border = "border-top:1px solid rgb(138 143 152 / 50%)"
    note = "" if link.is_linked else "<br><small>near miss</small>"
    span = f'rowspan="2" style="{border};padding:.25em .7em;text-align:start;vertical-align:top'
    rows = []
    for number, (name, evidence, given) in enumerate(_directions(explanation, link)):
        first = ""
        if number == 0:
            first = f'<th scope="rowgroup" {span}">{source} \N{EN DASH} {target}{note}</th>'
            first += f'<td {span}">{_bar(link.posterior)}</td>'
        cells = (
            html.escape(name),
            _bar(evidence.posterior),
            _bar(evidence.translation),
            html.escape(_backoff(evidence)) if evidence.backoff > 0 else "\N{EN DASH}",
            "\N{EN DASH}" if evidence.jump is None else _bar(evidence.jump),
            html.escape(_rival(evidence, given)),
        )
        edge = border if number == 0 else "border:0"
        opening = f'<td style="padding:.25em .7em;text-align:start;{edge}">'
        filled = "".join(f"{opening}{cell}</td>" for cell in cells)
        rows.append(f'<tr style="background:none{faded}">{first}{filled}</tr>')
    return "".join(rows)


def _bar(value: float) -> str:
    """Return a probability as a bar with its figure."""
    filled = f"linear-gradient(#3f7fd0,#3f7fd0) 0/{100 * value:.0f}% 100% no-repeat rgb(138 143 152 / 28%)"
    bar = f'<span style="display:inline-block;width:3em;height:.55em;border-radius:2px;background:{filled}"></span>'
    return f'<span style="white-space:nowrap">{bar} {_number(value)}</span>'
