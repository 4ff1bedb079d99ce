"""Reports of measurements: JSON for programs, Markdown tables for people."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

from tools import PLAIT, Rivals


def circumstances(rivals: Rivals) -> dict[str, object]:
    """Return what a reader must know to judge the figures: machine, load, versions and the command."""
    info = subprocess.run([*PLAIT, "info", "--json"], capture_output=True, text=True, check=True).stdout
    return {
        "command": " ".join(["python", "benches/run.py", *map(without_folders, sys.argv[1:])]),
        "date": time.strftime("%Y-%m-%d"),
        "plait": json.loads(info),
        "rivals": rivals.versions(),
        "load at start": os.getloadavg()[0],
        "machine": platform.machine(),
        "cpus": len(os.sched_getaffinity(0)),
    }


def without_folders(argument: str) -> str:
    """Return the argument, an absolute path without the folders that mean nothing on another machine."""
    return Path(argument).name if Path(argument).is_absolute() else argument


def write(folder: Path, name: str, circumstance: dict[str, object], rows: list[dict[str, object]]) -> str:
    """Write ``name.json`` and ``name.md`` into the folder; return the Markdown."""
    folder.mkdir(parents=True, exist_ok=True)
    content = json.dumps({"circumstances": circumstance, "rows": rows}, indent=2)
    (folder / f"{name}.json").write_text(content + "\n", encoding="utf-8")
    text = f"## {name}\n\n{preamble(circumstance)}\n\n{table(rows)}"
    (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return text


def preamble(circumstance: dict[str, object]) -> str:
    """Return the circumstances as a paragraph."""
    plait, rivals = circumstance["plait"], circumstance["rivals"]
    assert isinstance(plait, dict)
    assert isinstance(rivals, dict)
    beside = "".join(f", {name} {version}" for name, version in rivals.items())
    return (
        f"`{circumstance['command']}`, {circumstance['date']}, on {plait['cpu']} "
        f"with {circumstance['cpus']} CPUs "
        f"(load {circumstance['load at start']:.1f} at start). plait {plait['plait']}{beside}. Medians."
    )


def table(rows: list[dict[str, object]]) -> str:
    """Return a Markdown table; nested values are left to the JSON."""
    if not rows:
        return "(nothing was measured)\n"
    columns = [key for key in rows[0] if not isinstance(rows[0][key], dict | list)]
    lines = [columns, ["---:" if isinstance(rows[0][key], int | float) else "---" for key in columns]]
    lines += [[cell(row[key]) for key in columns] for row in rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def cell(value: object) -> str:
    """Return a value as a reader wants it: three significant digits, thousands apart."""
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
