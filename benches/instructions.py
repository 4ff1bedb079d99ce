"""Instructions of a Gibbs sweep, counted under valgrind: the same on every run, on a busy machine as well."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
# The text is made by the program itself: a fixed size, whatever the other scenarios measure.
PAIRS = 2_000
SWEEPS = (5, 25)


def count(folder: Path) -> list[dict[str, object]]:
    """Return instructions for each link that is drawn, from two runs of different length."""
    if shutil.which("valgrind") is None:
        sys.exit("benches: valgrind is not there")
    program = build()
    counted, links = [], 0
    for sweeps in SWEEPS:
        total, links = callgrind([program, str(PAIRS), str(sweeps)], folder / f"callgrind.{sweeps}")
        counted.append(total)
    a_sweep = (counted[1] - counted[0]) / (SWEEPS[1] - SWEEPS[0])
    return [
        {
            "corpus": f"made in Rust, {PAIRS} pairs",
            "tool": "plait, one thread",
            "links/sweep": links,
            "instructions/sweep": a_sweep,
            "instructions/link": a_sweep / links,
        }
    ]


def build() -> str:
    """Build the example with the settings of a release and return the path of the program."""
    cargo = ["cargo", "build", "--release", "--locked", "-p", "plait-core", "--example", "sweeps"]
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
