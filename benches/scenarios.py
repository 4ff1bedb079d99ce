"""What is measured. A scenario interleaves the tools and repeats them, so that a busy minute hits all."""

from __future__ import annotations

import dataclasses
import functools
import json
import os
import statistics
from collections.abc import Callable, Sequence
from pathlib import Path

import systems
import tools
from corpora import Corpus, first_pair
from measure import Run, floor, median, per_unit, run
from quality import Rates, rates

Row = dict[str, object]


@dataclasses.dataclass(frozen=True)
class Settings:
    """How to measure."""

    folder: Path
    rivals: tools.Rivals
    repeat: int = 3
    cpus: tuple[int, ...] = (1, 2)
    sweeps: tuple[int, int] = (10, 60)
    sampler: str = "auto"
    choice: systems.Choice = systems.USUAL_CHOICE

    def masks(self) -> list[list[int]]:
        """Return the CPU masks to run on, of the sizes asked for and there."""
        there = sorted(os.sched_getaffinity(0))
        return [there[:count] for count in self.cpus if count <= len(there)]


def model1_sweep(corpus: Corpus, settings: Settings) -> list[Row]:
    """Time of one Gibbs sweep of Model 1 over both directions, from two runs of different length."""
    short, long = settings.sweeps
    out = settings.folder / "sweep.align"
    rows: list[Row] = []
    for mask in settings.masks():
        ours = functools.partial(tools.plait_sweeps, corpus, out, threads=len(mask), sampler=settings.sampler)
        commands: dict[str, Callable[..., list[str]]] = {"plait": ours}
        if program := settings.rivals.eflomal:
            commands["eflomal -m 1"] = functools.partial(tools.eflomal_sweeps, program, corpus, out)
        runs: dict[str, dict[int, list[Run]]] = {name: {short: [], long: []} for name in commands}
        for _ in range(settings.repeat):
            for name, command in commands.items():
                for sweeps in (short, long):
                    measured = run(command(sweeps=sweeps), cpus=mask, OMP_NUM_THREADS=str(len(mask)))
                    runs[name][sweeps].append(measured)
        for name, both in runs.items():
            cost = per_unit(both[short], both[long], long - short)
            rows.append(
                {
                    "corpus": corpus.name,
                    "tool": name,
                    "cores": len(mask),
                    "ms/sweep": cost.seconds * 1e3,
                    "±": cost.doubt * 1e3,
                    "CPU ms/sweep": cost.cpu_seconds * 1e3,
                    "links/s": rate(corpus.tokens, cost.seconds),
                    "links/s/core": rate(corpus.tokens, cost.seconds * len(mask)),
                    "links/CPU s": rate(corpus.tokens, cost.cpu_seconds),
                }
            )
    return compared(rows, "ms/sweep")


def align(corpus: Corpus, settings: Settings) -> list[Row]:
    """Time and memory of the whole process, from reading to writing; AER where there are gold links.

    Rivals that leave the directions apart are symmetrised outside the measured time, in every way; the best one by its
    mean AER over all runs stands in the table.
    """
    rows: list[Row] = []
    for mask in settings.masks():
        found = systems.chosen(settings.choice, corpus, settings.rivals, settings.folder, len(mask))
        runs: dict[str, list[Run]] = {system.name: [] for system in found}
        qualities: dict[str, list[dict[str, Rates]]] = {system.name: [] for system in found}
        for number in range(1, settings.repeat + 1):
            for system in found:
                runs[system.name].append(run(system.command(number), cpus=mask))
                if corpus.gold is not None:
                    qualities[system.name].append(rates(corpus.gold, corpus.tested, system.outputs))
        for system in found:
            middle = median(runs[system.name])
            rows.append(
                {
                    "corpus": corpus.name,
                    "tool": system.name,
                    "cores": len(mask),
                    "s": middle.seconds,
                    "CPU s": middle.cpu_seconds,
                    "tokens/s": rate(corpus.tokens, middle.seconds),
                    "peak MB": middle.peak_bytes / 1e6,
                    "bytes/token": middle.peak_bytes / corpus.tokens,
                    **quality(qualities[system.name]),
                }
            )
    return compared(compared(rows, "s"), "CPU s")


def quality(runs: Sequence[dict[str, Rates]]) -> Row:
    """Return the mean rates over the runs of the best way to symmetrise, and the mean AER of each way."""
    if not runs:
        return {"AER %": None, "±": None, "symmetrised by": "-", "precision %": None, "recall %": None, "AERs": {}}

    def mean(method: str, name: str) -> float:
        return statistics.fmean(getattr(found[method], name) for found in runs)

    means = {method: mean(method, "aer") for method in runs[0]}
    best = min(means, key=means.__getitem__)
    all_of_best = [found[best].aer for found in runs]
    return {
        "AER %": means[best],
        "±": (max(all_of_best) - min(all_of_best)) / 2,
        "symmetrised by": best,
        "precision %": mean(best, "precision"),
        "recall %": mean(best, "recall"),
        "AERs": means,
    }


def scaling(corpus: Corpus, settings: Settings) -> list[Row]:
    """Time for each token of plait's first preset on all cores asked for; see `against_first`."""
    mask, preset = settings.masks()[-1], settings.choice.presets[0]
    out, one = settings.folder / "scaling.align", first_pair(corpus, settings.folder)
    commands = [tools.plait_align(text, out, threads=len(mask), preset=preset) for text in (one, corpus)]
    runs: list[list[Run]] = [[], []]
    for _ in range(settings.repeat):
        for command, measured in zip(commands, runs, strict=True):
            measured.append(run(command, cpus=mask))
    start, whole = (median(measured) for measured in runs)
    return [
        {
            "corpus": corpus.name,
            "tool": f"plait {preset}",
            "cores": len(mask),
            "pairs": corpus.pairs,
            "tokens": corpus.tokens,
            "tokens/pair": corpus.tokens / corpus.pairs,
            "s": whole.seconds,
            "CPU s": whole.cpu_seconds,
            "s to start": start.seconds,
            "peak MB": whole.peak_bytes / 1e6,
            "bytes/token": whole.peak_bytes / corpus.tokens,
            "µs/token": whole.seconds * 1e6 / corpus.tokens,
            "CPU µs/token": whole.cpu_seconds * 1e6 / corpus.tokens,
            "µs/token without start": (whole.seconds - start.seconds) * 1e6 / corpus.tokens,
        }
    ]


def against_first(rows: Sequence[Row]) -> list[Row]:
    """Add to each size the time for a token as a multiple of that of the first size."""
    figures = ("µs/token", "CPU µs/token", "µs/token without start")
    return [{**row, **{f"{name}, first = 1": ratio(row[name], rows[0][name]) for name in figures}} for row in rows]


def memory(corpus: Corpus, settings: Settings) -> list[Row]:
    """Peak memory of one whole alignment on all cores asked for, and where the time went."""
    mask = settings.masks()[-1]
    rows: list[Row] = []
    for preset in settings.choice.presets:
        out, report = settings.folder / "memory.align", settings.folder / "memory.json"
        command = tools.plait_align(corpus, out, threads=len(mask), preset=preset)
        measured = run([*command, "--report", str(report)], cpus=mask)
        rows.append(
            {
                "corpus": corpus.name,
                "tool": f"plait {preset}",
                "pairs": corpus.pairs,
                "tokens": corpus.tokens,
                "s": measured.seconds,
                "CPU s": measured.cpu_seconds,
                "peak MB": measured.peak_bytes / 1e6,
                "bytes/token": measured.peak_bytes / corpus.tokens,
                "floor MB": floor() / 1e6,
                "report": json.loads(report.read_text(encoding="utf-8")),
            }
        )
    return rows


def rate(count: int, seconds: float) -> float | None:
    """Return units a second; a difference of two short runs can come out at 0 or below: nothing to say."""
    return count / seconds if seconds > 0 else None


def ratio(figure: object, base: object) -> float | None:
    """Return a figure as a multiple of another one."""
    assert isinstance(figure, float)
    assert isinstance(base, float)
    return figure / base if base > 0 else None


def compared(rows: Sequence[Row], key: str) -> list[Row]:
    """Add to each row its figure as a multiple of the first row's on as many cores: plait's, where it takes part."""
    for row in rows:
        first = next(other for other in rows if other["cores"] == row["cores"])
        row[f"{key}, {first['tool']} = 1"] = ratio(row[key], first[key])
    return list(rows)


SCENARIOS: dict[str, Callable[[Corpus, Settings], list[Row]]] = {
    "model1-sweep": model1_sweep,
    "align": align,
    "memory": memory,
    "scaling": scaling,
}
FINISH: dict[str, Callable[[Sequence[Row]], list[Row]]] = {"scaling": against_first}
"""What looks at the rows of all corpora together."""
