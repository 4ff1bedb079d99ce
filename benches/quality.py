"""Rates of links against gold links: GOLD TESTED FILE, or GOLD TESTED FORWARD REVERSE; prints JSON.

Run as a program of its own: numpy in the process that measures would count towards every measured peak. Of one file,
the rates of its links stand under "own". Of two directions, they stand under the name of each way to symmetrise them.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tools import PLAIT

if TYPE_CHECKING:
    from plait.alignments import Alignments


@dataclass(frozen=True)
class Rates:
    """Rates of one set of links, in percent."""

    aer: float
    precision: float
    recall: float


def rates(gold: Path, tested: int, outputs: tuple[Path, ...]) -> dict[str, Rates]:
    """Return the rates of the last ``tested`` lines of a system's outputs, in a process of its own."""
    command = [PLAIT[0], __file__, str(gold), str(tested), *map(str, outputs)]
    answer = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    return {method: Rates(**found) for method, found in json.loads(answer).items()}


def main(gold_name: str, tested: str, *outputs: str) -> None:
    """Print the rates."""
    from plait.metrics import read_gold, score
    from plait.symmetrize import METHODS, symmetrize

    gold = read_gold(gold_name, "pharaoh")
    links = [last(Path(output), int(tested)) for output in outputs]
    ways = {"own": links[0]}
    if len(links) == 2:
        ways = {method: symmetrize(links[0], links[1], method) for method in METHODS if method != "soft"}
    scores = {method: score(found, gold) for method, found in ways.items()}
    percents = {
        method: {rate: 100 * getattr(found, rate) for rate in ("aer", "precision", "recall")}
        for method, found in scores.items()
    }
    print(json.dumps(percents))


def last(path: Path, count: int) -> Alignments:
    """Return the links of the last lines of a Pharaoh file."""
    from plait.alignments import Alignments

    lines = path.read_bytes().split(b"\n")[:-1]
    with tempfile.NamedTemporaryFile(suffix=".align") as tail:
        tail.write(b"".join(line + b"\n" for line in lines[-count:]))
        tail.flush()
        return Alignments.read(tail.name)


if __name__ == "__main__":
    main(*sys.argv[1:])
