"""Measures plait, and beside it the rivals that pip can install, in the same run.

::

    python benches/run.py                                     made inputs, plait alone
    python benches/run.py model1-sweep --data DIR --corpus hansards-en-fr --pairs 100000 --rivals VENV
    python benches/run.py memory --source full.src.xz --target full.tgt.xz --repeat 1

DIR holds ``align/<corpus>/train.src`` and so on. VENV is a virtual environment with the rivals::

    python -m venv VENV && VENV/bin/pip install cython numpy eflomal systran-align

(eflomal needs a C compiler.)

The reports go to benches/results: a Markdown table and a JSON file for each scenario.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import corpora
import instructions
import report
from measure import Failed
from scenarios import SCENARIOS, Settings
from tools import Rivals

NAMES = (*SCENARIOS, "instructions")


def scenario(name: str) -> str:
    """Return the name of a scenario that there is."""
    if name not in NAMES:
        raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(NAMES)}")
    return name


def arguments() -> argparse.Namespace:
    """Return the arguments of the command line."""
    parser = argparse.ArgumentParser(
        prog="benches/run.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "scenario",
        nargs="*",
        type=scenario,
        metavar="SCENARIO",
        help=f"{', '.join(NAMES)}; all when none is named",
    )
    parser.add_argument("--pairs", type=int, nargs="+", default=[10_000], help="sizes (default: 10000)")
    parser.add_argument("--data", type=Path, help="folder that holds align/; without it, inputs are made")
    parser.add_argument("--corpus", nargs="+", default=["hansards-en-fr"], help="folders below DATA/align")
    parser.add_argument("--source", type=Path, help="a source text of your own (plain or .xz)")
    parser.add_argument("--target", type=Path, help="its target text")
    parser.add_argument("--rivals", type=Path, help="virtual environment with the rivals")
    parser.add_argument("--repeat", type=int, default=3, help="runs of which the median is taken (default: 3)")
    parser.add_argument("--cpus", type=int, nargs="+", default=[1, 2], help="numbers of CPUs (default: 1 2)")
    parser.add_argument(
        "--sweeps",
        type=int,
        nargs=2,
        default=[10, 60],
        help="model1-sweep: the two run lengths (default: 10 60)",
    )
    parser.add_argument("--sampler", default="auto", help="plait's --sampler in model1-sweep (default: auto)")
    parser.add_argument("--preset", nargs="+", default=["default"], help="presets of plait (default: default)")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results", help="where reports go")
    chosen = parser.parse_args()
    if (chosen.source is None) != (chosen.target is None):
        parser.error("--source and --target belong together")
    if chosen.sweeps[0] >= chosen.sweeps[1]:
        parser.error("--sweeps: the first number must be the smaller one")
    return chosen


def inputs(chosen: argparse.Namespace, folder: Path) -> list[corpora.Corpus]:
    """Return the corpora that were asked for."""
    if chosen.source:
        return [corpora.files(chosen.source, chosen.target, folder)]
    if chosen.data:
        return [corpora.real(chosen.data, name, pairs, folder) for name in chosen.corpus for pairs in chosen.pairs]
    return [corpora.made(pairs, folder) for pairs in chosen.pairs]


def main() -> int:
    """Run the scenarios, print their tables; exit code 1 when a program failed."""
    chosen = arguments()
    rivals = Rivals(chosen.rivals)
    circumstance = report.circumstances(rivals)
    with tempfile.TemporaryDirectory(prefix="plait-bench-") as made:
        folder = Path(made)
        settings = Settings(
            folder,
            rivals,
            repeat=chosen.repeat,
            cpus=tuple(chosen.cpus),
            sweeps=tuple(chosen.sweeps),
            sampler=chosen.sampler,
            presets=tuple(chosen.preset),
        )
        names = chosen.scenario or list(NAMES)
        texts = inputs(chosen, folder) if set(names) & set(SCENARIOS) else []
        for name in names:
            try:
                if name == "instructions":
                    rows = instructions.count(folder)
                else:
                    rows = [row for corpus in texts for row in SCENARIOS[name](corpus, settings)]
            except Failed as failure:
                print(f"benches: {failure}", file=sys.stderr)
                return 1
            print(report.write(chosen.out, name, circumstance, rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
