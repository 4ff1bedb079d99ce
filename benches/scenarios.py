"""What is measured. A scenario interleaves the tools and repeats them, so that a busy minute hits all."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import tools
from corpora import Corpus
from measure import Run, floor, median, per_unit, run

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
    presets: tuple[str, ...] = ("default",)

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
        commands: dict[str, Callable[[int], list[str]]] = {
            "plait": lambda sweeps, mask=mask: tools.plait_sweeps(
                corpus, out, sweeps=sweeps, threads=len(mask), sampler=settings.sampler
            )
        }
        if program := settings.rivals.eflomal:
            commands["eflomal -m 1"] = lambda sweeps, program=program: tools.eflomal_sweeps(
                program, corpus, out, sweeps=sweeps
            )
        runs: dict[str, dict[int, list[Run]]] = {name: {short: [], long: []} for name in commands}
        for _ in range(settings.repeat):
            for name, command in commands.items():
                for sweeps in (short, long):
                    measured = run(command(sweeps), cpus=mask, OMP_NUM_THREADS=str(len(mask)))
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
    """Time and memory of the whole process, from reading to writing; AER where there are gold links."""
    rows: list[Row] = []
    for mask in settings.masks():
        commands = whole_processes(corpus, settings, len(mask))
        runs: dict[str, list[Run]] = {name: [] for name in commands}
        for _ in range(settings.repeat):
            for name, (command, _, _) in commands.items():
                runs[name].append(run(command, cpus=mask, OMP_NUM_THREADS=str(len(mask))))
        for name, (_, out, is_apart) in commands.items():
            middle = median(runs[name])
            if is_apart:
                tools.symmetrize(out)
            rows.append(
                {
                    "corpus": corpus.name,
                    "tool": name,
                    "cores": len(mask),
                    "s": middle.seconds,
                    "CPU s": middle.cpu_seconds,
                    "tokens/s": rate(corpus.tokens, middle.seconds),
                    "peak MB": middle.peak_bytes / 1e6,
                    "bytes/token": middle.peak_bytes / corpus.tokens,
                    "AER %": aer(corpus, out),
                }
            )
    return compared(rows, "s")


def whole_processes(corpus: Corpus, settings: Settings, threads: int) -> dict[str, tuple[list[str], Path, bool]]:
    """Return for each tool its command, its output, and whether it leaves the two directions apart."""
    commands = {}
    for preset in settings.presets:
        out = settings.folder / f"plait-{preset}.align"
        command = tools.plait_align(corpus, out, threads=threads, preset=preset)
        commands[f"plait {preset}"] = (command, out, False)
    if program := settings.rivals.eflomal:
        for model in ("1", "3"):
            out = settings.folder / f"eflomal-{model}.align"
            command = [*tools.eflomal_align(program, corpus, out), "-m", model]
            commands[f"eflomal -m {model}"] = (command, out, True)
    if python := settings.rivals.systran:
        out = settings.folder / "systran.align"
        commands["systran-align (fast_align)"] = (tools.systran_align(python, corpus, out), out, False)
    return commands


def memory(corpus: Corpus, settings: Settings) -> list[Row]:
    """Peak memory of one whole alignment on all cores asked for, and where the time went."""
    mask = settings.masks()[-1]
    rows: list[Row] = []
    for preset in settings.presets:
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


def aer(corpus: Corpus, out: Path) -> float | None:
    """Return the alignment error rate of the tested lines in percent."""
    if corpus.gold is None:
        return None
    tested = out.with_suffix(".tested")
    lines = out.read_text(encoding="utf-8").split("\n")[:-1][-corpus.tested :]
    tested.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    # In a process of its own: numpy in this one would count towards every measured peak.
    program = (
        "import sys; from plait.alignments import Alignments; from plait import metrics; "
        "print(metrics.score(Alignments.read(sys.argv[1]), metrics.read_gold(sys.argv[2])).aer)"
    )
    command = [tools.PLAIT[0], "-c", program, str(tested), str(corpus.gold)]
    return 100 * float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def rate(count: int, seconds: float) -> float | None:
    """Return units a second; a difference of two short runs can come out at 0 or below: nothing to say."""
    return count / seconds if seconds > 0 else None


def compared(rows: Sequence[Row], key: str) -> list[Row]:
    """Add to each row how many times as long as plait's first row on as many cores its tool takes."""
    for row in rows:
        ours = next(other[key] for other in rows if other["cores"] == row["cores"])
        assert isinstance(ours, float)
        assert isinstance(row[key], float)
        row["time, plait = 1"] = row[key] / ours if ours > 0 else None
    return list(rows)


SCENARIOS: dict[str, Callable[[Corpus, Settings], list[Row]]] = {
    "model1-sweep": model1_sweep,
    "align": align,
    "memory": memory,
}
