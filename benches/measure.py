"""Runs a program and measures it with all its children: wall seconds, CPU seconds and peak memory.

This process stays small on purpose: Linux counts the memory of a process that forks towards its child's peak,
so a peak below this process's own size cannot be told from it (`floor`).
"""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class Run:
    """One run, or the medians of several.

    Parameters
    ----------
    seconds
        Wall time from start to end of the process.
    cpu_seconds
        User and system time of the process and of all processes that it started and waited for.
    peak_bytes
        Largest resident set of any of these processes.
    """

    seconds: float
    cpu_seconds: float
    peak_bytes: int


class Failed(Exception):
    """A measured program ended with an error; the message holds the end of what it said."""


def run(command: Sequence[str], *, cpus: Sequence[int] | None = None, **environment: str) -> Run:
    """Run a command to its end, on these CPUs only, with these variables added to the environment.

    Raises
    ------
    Failed
        The exit code is not 0.
    """
    with tempfile.TemporaryFile() as output:
        start = time.perf_counter()
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env={**os.environ, **environment},
            preexec_fn=(lambda: os.sched_setaffinity(0, cpus)) if cpus is not None else None,
        )
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            output.seek(0)
            said = output.read()[-2000:].decode("utf-8", "replace")
            raise Failed(f"{' '.join(command)}\nexit code {child.returncode}\n{said}")
    return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


@cache
def floor() -> int:
    """Return the peak that a program is seen with which does nothing, in bytes."""
    return run(["true"]).peak_bytes


def median(runs: Sequence[Run]) -> Run:
    """Return the median of each figure."""
    return Run(
        statistics.median(run.seconds for run in runs),
        statistics.median(run.cpu_seconds for run in runs),
        int(statistics.median(run.peak_bytes for run in runs)),
    )


@dataclass(frozen=True)
class PerUnit:
    """Cost of one unit of work, from runs that differ by a number of units and in nothing else.

    Parameters
    ----------
    seconds, cpu_seconds
        Wall and CPU time of a unit; start-up, reading, initialisation and writing are in all runs and cancel.
    doubt
        How far ``seconds`` could be off, in seconds: half of the spread of both kinds of runs together.
    """

    seconds: float
    cpu_seconds: float
    doubt: float


def per_unit(short: Sequence[Run], long: Sequence[Run], units: int) -> PerUnit:
    """Return the cost of a unit, from runs of which the longer ones did ``units`` more of them."""
    brief, lasting = median(short), median(long)
    spread = sum(max(run.seconds for run in runs) - min(run.seconds for run in runs) for runs in (short, long))
    return PerUnit(
        (lasting.seconds - brief.seconds) / units,
        (lasting.cpu_seconds - brief.cpu_seconds) / units,
        spread / 2 / units,
    )
