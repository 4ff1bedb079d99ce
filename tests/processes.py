"""``plait`` in a process of its own, for signals, pipes and limits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import plait

Process = subprocess.Popen[bytes]

PEAK = """
def peak():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM:"))
"""
"""For a program of its own: the most memory it has held, in kilobytes (Linux).

`ru_maxrss` will not do: a new process starts with that of the process that started it.
"""


def start(*words: object, **keywords: Any) -> Process:
    """Start the command line with pipes for both outputs."""
    environment = {**os.environ, **keywords.pop("env", {})}
    # A relative PYTHONPATH would not hold in another folder.
    environment["PYTHONPATH"] = str(Path(plait.__file__).parents[1])
    keywords = {"env": environment, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **keywords}
    return subprocess.Popen([sys.executable, "-m", "plait.cli.main", *map(str, words)], **keywords)


def run(*words: object, **keywords: Any) -> tuple[int, bytes, str]:
    """Run the command line; return its exit code and outputs."""
    with start(*words, **keywords) as process:
        out, err = process.communicate(timeout=25)
    return process.returncode, out, err.decode()


def wait_for_stage(process: Process, stage: str, *, done: int = 0) -> None:
    """Read ``--progress json`` until a stage has come so far."""
    assert process.stderr is not None
    for line in process.stderr:
        record = json.loads(line)
        if record.get("stage") == stage and record["done"] >= done:
            return
    raise AssertionError(f"the run ended with code {process.wait()} before {stage}")


def processor_seconds(process: Process) -> float:
    """User and system time of a process so far (Linux)."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_with_processor_seconds(process: Process) -> tuple[int, float]:
    """Wait for the end; return the exit code and all user and system time of the process (POSIX)."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_utime + usage.ru_stime


def wait_until(condition: Any, *, seconds: float = 20) -> None:
    """Wait until the function returns something true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def temporary_files(folder: Path) -> list[str]:
    """The names of unfinished outputs."""
    return [name for name in os.listdir(folder) if "plait-tmp" in name]


def finish(process: Process, *, seconds: float = 5) -> tuple[int, str]:
    """Return the exit code and what is left of standard error; the process must end soon."""
    start_ = time.monotonic()
    _, err = process.communicate(timeout=25)
    assert time.monotonic() - start_ < seconds, "too slow to end"
    return process.returncode, err.decode()
