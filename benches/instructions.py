"""Instructions of kernels, counted under valgrind: the same on every run, on a busy machine as well."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
# The inputs are made by the programs themselves: a fixed size, whatever the other scenarios measure.
PAIRS = 2_000
SWEEPS = (5, 25)
FORESTS = ("cky-20-20-200", "chain-50000-4")
REPEATS = (1, 3)


def count(folder: Path) -> list[dict[str, object]]:
    """Return instructions for each link that is drawn and for each edge, from two runs of different length."""
    if shutil.which("valgrind") is None:
        sys.exit("benches: valgrind is not there")
    sweeps, passes = build("sweeps"), build("forest_passes")
    rows = [row(f"a Gibbs sweep over {PAIRS} made pairs", "link", [sweeps, str(PAIRS)], SWEEPS, folder)]
    for forest in FORESTS:
        rows.append(row(f"inside, outside and posteriors of {forest}", "edge", [passes, forest], REPEATS, folder))
    return rows


def row(what: str, unit: str, command: list[str], lengths: tuple[int, int], folder: Path) -> dict[str, object]:
    """Return the figures of one program, whose last argument is how often it does the same."""
    counted, units = [], 0
    for length in lengths:
        total, units = callgrind([*command, str(length)], folder / f"callgrind.{length}")
        counted.append(total)
    once = (counted[1] - counted[0]) / (lengths[1] - lengths[0])
    return {"what": what, "unit": unit, "units": units, "instructions": once, "instructions/unit": once / units}


def build(example: str) -> str:
    """Build an example with the settings of a release and return the path of the program."""
    cargo = ["cargo", "build", "--release", "--locked", "-p", "plait-core", "--example", example]
    lines = subprocess.run(
        [*cargo, "--message-format", "json"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    ).stdout.splitlines()
    messages = (json.loads(line) for line in lines)
    programs = [message["executable"] for message in messages if message.get("executable")]
    return str(programs[-1])


def callgrind(command: list[str], out: Path) -> tuple[int, int]:
    """Return the instructions that a command took and the number that it printed."""
    tool = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}"]
    finished = subprocess.run([*tool, *command], check=True, capture_output=True, text=True)
    totals = re.search(r"^(?:totals|summary): (\d+)", out.read_text(encoding="utf-8"), re.MULTILINE)
    if totals is None:
        sys.exit(f"benches: no total in {out}")
    return int(totals[1]), int(finished.stdout)
