"""Analyses of several alignments side by side: as a table, Markdown or JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from plait.analyze import HIGH_FERTILITY, Analysis, SideFigures
from plait.errors import ConfigError

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["SIDES", "Row", "Side", "rows", "to_json", "to_markdown", "to_table"]

Side = Literal["source", "target", "both"]
SIDES: tuple[Side, ...] = get_args(Side)
"""Whose words the figures of fertilities and singletons are about."""


@dataclass(frozen=True)
class Row:
    """One figure of all alignments, as text."""

    label: str
    cells: tuple[str, ...]


def rows(analyses: Sequence[Analysis], *, side: Side = "source") -> list[Row]:
    """Return the figures that there are, one row each with a cell for each analysis.

    Parameters
    ----------
    analyses
        Of one text.
    side
        Whose words the rows about fertilities and singletons are about.

    Raises
    ------
    ConfigError
        There is no such side.
    """
    if side not in SIDES:
        raise ConfigError(name="side", expected=f"one of {', '.join(SIDES)}", found=repr(side))
    found: list[Row] = []

    def add(label: str, figure: Callable[[Analysis], float | None], show: Callable[[float], str]) -> None:
        values = [figure(one) for one in analyses]
        if any(value is not None for value in values):
            cells = tuple("-" if value is None or math.isnan(value) else show(value) for value in values)
            found.append(Row(label, cells))

    add("sentence pairs", lambda a: a.pairs, _count)
    add("links", lambda a: a.links, _count)
    for name in ("source", "target") if side == "both" else (side,):
        _add_side(add, name)
    add("dictionary size / mean vocabulary size", lambda a: a.dictionary_ratio, _ratio)
    add("agreeing links / mean token count", lambda a: a.agreement, _ratio)
    add("source types covered by one-word phrases", lambda a: a.source.coverage, _percent)
    add("target types covered by one-word phrases", lambda a: a.target.coverage, _percent)
    add("phrase pairs", lambda a: a.phrase_pairs, _count)
    add("phrase pairs / mean token count", lambda a: a.phrase_ratio, _ratio)
    for prefix, field in (("", "scores"), ("forward ", "forward_scores"), ("reverse ", "reverse_scores")):
        for rate, label in (("aer", "AER"), ("precision", "precision"), ("recall", "recall")):
            add(prefix + label, _scores_getter(field, rate), _percent)
    return found


def _add_side(add: Callable[..., None], name: str) -> None:
    """Add the rows about the words of one side."""

    def of(get: Callable[[SideFigures], float]) -> Callable[[Analysis], float]:
        return lambda analysis: get(getattr(analysis, name))

    for k in range(5):
        label = "unaligned" if k == 0 else f"with fertility {k}"
        add(f"{name} tokens {label}", of(lambda s, k=k: _fertility_share(s, k, k + 1)), _percent)  # type: ignore[misc]
    add(
        f"{name} tokens with fertility 5 to {HIGH_FERTILITY - 1}",
        of(lambda s: _fertility_share(s, 5, HIGH_FERTILITY)),
        _percent,
    )
    add(f"{name} tokens with fertility {HIGH_FERTILITY} or more", of(lambda s: s.high_fertility_share), _percent)
    add(f"{name} singletons", of(lambda s: s.singletons), _count)
    add(f"{name} singletons unaligned", of(lambda s: s.unaligned_singleton_share), _percent)
    add(f"mean fertility of aligned {name} singletons", of(lambda s: s.singleton_fertility), _ratio)


def _fertility_share(side: SideFigures, start: int, end: int) -> float:
    return sum(side.fertilities[start:end]) / side.tokens if side.tokens else math.nan


def _scores_getter(field: str, rate: str) -> Callable[[Analysis], float | None]:
    def get(analysis: Analysis) -> float | None:
        scores = getattr(analysis, field)
        return None if scores is None else getattr(scores, rate)

    return get


def to_table(analyses: Sequence[Analysis], *, side: Side = "source") -> Table:
    """Return a table for the terminal; figures are rows, alignments are columns."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    table.add_column("")
    for analysis in analyses:
        # Text, not str: a file name may hold what rich takes for markup.
        table.add_column(Text(analysis.name), justify="right", overflow="fold")
    for row in rows(analyses, side=side):
        table.add_row(row.label, *row.cells)
    return table


def to_markdown(analyses: Sequence[Analysis], *, side: Side = "source") -> str:
    """Return a Markdown table; figures are rows, alignments are columns."""
    names = [analysis.name.replace("|", "\\|") for analysis in analyses]
    lines = [f"| figure | {' | '.join(names)} |", f"|---|{'---:|' * len(names)}"]
    lines += [f"| {row.label} | {' | '.join(row.cells)} |" for row in rows(analyses, side=side)]
    return "\n".join(lines) + "\n"


def to_json(analyses: Sequence[Analysis]) -> str:
    """Return all figures of both sides as JSON; NaN becomes null."""
    return json.dumps([_without_nan(asdict(one)) for one in analyses], indent=2, ensure_ascii=False) + "\n"


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nan(entry) for key, entry in value.items()}
    if isinstance(value, float) and math.isnan(value):
        return None
    return value


def _count(value: float) -> str:
    return f"{value:,.0f}"


def _ratio(value: float) -> str:
    return f"{value:.3f}"


def _percent(value: float) -> str:
    return f"{100 * value:.2f} %"
