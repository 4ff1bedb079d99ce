"""Says what is better than what in reports of ``run.py align``: ``python benches/summary.py results/align.json ...``.

Of rows for the same set and system, those of a later file and of more cores count. All rates are AERs in percent.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

Row = dict[str, object]
Rows = dict[str, dict[str, Row]]
"""By set, then by system."""

PLAIT, FAST, RIVAL, STEMMING = "plait default", "plait fast", "eflomal", "eflomal prefix"
GOALS = {
    ("hansards-10k", PLAIT): 5.6,
    ("hansards-100k", PLAIT): 4.5,
    ("hansards-full", PLAIT): 4.2,
    ("hansards-full", "plait best"): 3.7,
    ("nc30k-de-en", PLAIT): 13.0,
    ("czenali-en-cs", PLAIT): 17.0,
}
"""The AER that a system should not exceed; on all other sets the rival is the measure."""
SPEED_SETS = ("hansards-10k", "hansards-100k")
SPEED_GOALS = {PLAIT: 5.0, FAST: 10.0}
"""How many times as long as plait the rival should take, in wall time and in CPU time."""
MEMORY_GOAL = ("hansards-full", PLAIT, 8_000.0)
LEAST_GAIN = 15.0


def of(paths: Sequence[Path]) -> str:
    """Return the summary as Markdown."""
    rows = read(paths)
    text = ["## Summary", "", *quality_table(rows), ""]
    verdicts = [*gain_verdicts(rows), *goal_verdicts(rows), *speed_verdicts(rows), *memory_verdict(rows)]
    return "\n".join([*text, *(f"- {verdict}" for verdict in verdicts)])


def read(paths: Sequence[Path]) -> Rows:
    """Return the rows of the reports."""
    found: Rows = {}
    for path in paths:
        new: Rows = {}
        for row in json.loads(path.read_text(encoding="utf-8"))["rows"]:
            known = new.setdefault(row["corpus"], {}).get(row["tool"])
            if known is None or row["cores"] >= number(known, "cores"):
                new[row["corpus"]][row["tool"]] = row
        for name, systems in new.items():
            found.setdefault(name, {}).update(systems)
    return found


def number(row: Row, key: str) -> float:
    """Return a figure of a row."""
    value = row[key]
    assert isinstance(value, int | float), f"{key} of {row['tool']} on {row['corpus']} is {value!r}"
    return float(value)


def rivals(systems: dict[str, Row]) -> tuple[Row | None, Row | None]:
    """Return the rival as it comes and with its best stemming option."""
    stemmed = [row for name, row in systems.items() if name.startswith(STEMMING) and row["AER %"] is not None]
    plain = systems.get(RIVAL)
    if plain is not None and plain["AER %"] is None:
        plain = None
    return plain, min(stemmed, key=lambda row: number(row, "AER %"), default=None)


def difference(ours: Row, theirs: Row | None) -> float | None:
    """Return our AER less theirs, in percent of theirs."""
    if theirs is None:
        return None
    mine, other = number(ours, "AER %"), number(theirs, "AER %")
    if other == 0:
        return 0.0 if mine == 0 else math.inf
    return 100 * (mine / other - 1)


def compared(rows: Rows) -> Iterator[tuple[str, Row, Row | None, Row | None]]:
    """Yield for each set our row, the rival's, and the rival's with stemming."""
    for name, systems in rows.items():
        ours = systems.get(PLAIT)
        if ours is not None and ours["AER %"] is not None:
            yield name, ours, *rivals(systems)


def quality_table(rows: Rows) -> Iterator[str]:
    """Yield the lines of the table of AERs."""
    columns = ["set", PLAIT, RIVAL, "by", f"{RIVAL} with stemming", "by"]
    yield f"| {' | '.join([*columns, f'against {RIVAL}', 'against stemming', 'below both'])} |"
    yield "|---|---:|---:|---|---:|---|---:|---:|---|"
    for name, ours, plain, stemmed in compared(rows):
        cells = [f"{number(ours, 'AER %'):.2f}"]
        for theirs in (plain, stemmed):
            cells += ["-", "-"] if theirs is None else [f"{number(theirs, 'AER %'):.2f}", way(theirs)]
        changes = [difference(ours, theirs) for theirs in (plain, stemmed)]
        known = [change for change in changes if change is not None]
        cells += ["-" if change is None else f"{change:+.1f}%" for change in changes]
        cells.append("-" if not known else "yes" if max(known) < 0 else "no")
        yield f"| {name} | {' | '.join(cells)} |"


def way(row: Row) -> str:
    """Return how the links came about: the symmetrisation, and the length of the stems."""
    stems = str(row["tool"]).removeprefix(RIVAL).strip()
    return f"{row['symmetrised by']}, {stems}" if stems else str(row["symmetrised by"])


def gain_verdicts(rows: Rows) -> Iterator[str]:
    """Yield what the mean relative difference over the sets is."""
    goals = {name for name, _ in GOALS}
    all_of = {
        name: (difference(ours, plain), difference(ours, stemmed)) for name, ours, plain, stemmed in compared(rows)
    }
    for label, names in (("", set(all_of)), (" without a goal of their own", set(all_of) - goals)):
        for which, rival in enumerate((RIVAL, f"{RIVAL} with stemming")):
            changes = [change for name in names if (change := all_of[name][which]) is not None]
            if not changes:
                continue
            mean = sum(changes) / len(changes)
            text = f"mean over {len(changes)} sets{label} against {rival}: {mean:+.1f}%"
            if which == 0:
                text += f" (goal: {-LEAST_GAIN:+.0f}%): {verdict(mean <= -LEAST_GAIN)}"
            worse = sorted(name for name in names if (change := all_of[name][which]) is not None and change >= 0)
            yield f"{text}; not below it on {', '.join(worse)}" if worse else f"{text}; below it on each"


def goal_verdicts(rows: Rows) -> Iterator[str]:
    """Yield whether the AERs that are aimed at are reached."""
    for (name, system), goal in GOALS.items():
        row = rows.get(name, {}).get(system)
        if row is not None:
            aer = number(row, "AER %")
            # Goals are stated with one decimal, as papers do.
            yield f"{name}: {system} {aer:.2f} (goal: {goal} or lower): {verdict(round(aer, 1) <= goal)}"


def speed_verdicts(rows: Rows) -> Iterator[str]:
    """Yield how many times as long as plait the rival takes."""
    for name in SPEED_SETS:
        theirs = rows.get(name, {}).get(RIVAL)
        for system, goal in SPEED_GOALS.items():
            ours = rows.get(name, {}).get(system)
            if ours is None or theirs is None:
                continue
            wall, cpu = (number(theirs, key) / number(ours, key) for key in ("s", "CPU s"))
            text = f"{name}: {RIVAL} takes {wall:.1f} times as long as {system}, {cpu:.1f} times the CPU time"
            yield f"{text} (goal: {goal:.0f}): {verdict(min(wall, cpu) >= goal)}"
            aers = [number(row, "AER %") for row in (ours, theirs)]
            if system == FAST:
                yield f"{name}: AER of {system} {aers[0]:.2f}, of {RIVAL} {aers[1]:.2f}: {verdict(aers[0] <= aers[1])}"


def memory_verdict(rows: Rows) -> Iterator[str]:
    """Yield whether the full text fits into the memory aimed at."""
    name, system, goal = MEMORY_GOAL
    row = rows.get(name, {}).get(system)
    if row is not None:
        peak = number(row, "peak MB")
        yield f"{name}: {system} takes {peak:,.0f} MB (goal: below {goal:,.0f}): {verdict(peak < goal)}"


def verdict(is_met: bool) -> str:
    """Say it."""
    return "met" if is_met else "NOT met"


if __name__ == "__main__":
    print(of([Path(argument) for argument in sys.argv[1:]]))
