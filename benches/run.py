"""Measures plait, and beside it the rivals that pip can install, in the same run.

::

    python benches/run.py                                    made inputs, plait alone
    python benches/run.py align --data DIR --sets all --rivals VENV --cpus 2 --summary
    python benches/run.py align --data DIR --sets hansards-10k,hansards-100k --rivals VENV --systems plait eflomal
    python benches/run.py scaling --data DIR --cpus 2
    python benches/run.py model1-sweep --data DIR --sets hansards-100k --rivals VENV
    python benches/run.py hypergraph --data DIR --rivals VENV --repeat 7
    python benches/run.py minrisk --rivals VENV --cpus 2
    python benches/run.py phrases --data DIR --rivals VENV --moses FOLDER
    python benches/run.py reorder --data DIR --sets tanaka50k-kftt-en-ja:train:swap multi30k:de-en --links LINKS
    python benches/run.py crf --data DIR --rivals VENV --cpus 1 2
    python benches/run.py translit --data DIR --rivals VENV --translit-sets cmudict-en
    python benches/run.py memory --source full.src.xz --target full.tgt.xz --repeat 1

DIR holds ``align/<set>/train.src`` and so on; `corpora` says how sets are named. VENV is a virtual environment with the
rivals::

    python -m venv VENV && VENV/bin/pip install cython numpy setuptools
    VENV/bin/pip install -r benches/rivals/requirements.txt

(eflomal needs a C compiler; the rivals of ``hypergraph``, ``minrisk``, ``crf`` and ``translit`` are in
requirements-hypergraph.txt and so on, for environments of their own.)

The reports go to benches/results: a Markdown table and a JSON file for each scenario, renewed after each corpus.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import corpora
import instructions
import report
import subjects
import summary
import systems
from measure import Failed
from scenarios import FINISH, SCENARIOS, Row, Settings
from tools import Rivals

NAMES = (*SCENARIOS, *subjects.SUBJECTS, "instructions")
USUAL_SETS = {"scaling": ["hansards-full/113", "hansards-full/11", "hansards-full"]}


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
    parser.add_argument("--pairs", type=int, nargs="+", default=[10_000], help="sizes of made inputs (default: 10000)")
    parser.add_argument("--data", type=Path, help="folder that holds align/; without it, inputs are made")
    parser.add_argument(
        "--sets",
        nargs="+",
        metavar="SET",
        help="sets below DATA/align, apart by spaces or commas; 'all': every one with gold links, of at most 100,000 "
        f"pairs (default: hansards-10k; scaling: {', '.join(USUAL_SETS['scaling'])})",
    )
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
    parser.add_argument(
        "--preset",
        nargs="+",
        default=["default", "fast", "best"],
        help="presets of plait; ratios are to the first one, and scaling has it alone (default: default fast best)",
    )
    parser.add_argument(
        "--systems",
        nargs="+",
        choices=list(systems.GROUPS),
        default=list(systems.USUAL),
        metavar="GROUP",
        help=f"align: what is compared: {', '.join(systems.GROUPS)} (default: {', '.join(systems.USUAL)})",
    )
    parser.add_argument(
        "--prefixes",
        type=int,
        nargs="+",
        default=[3, 4, 5, 6],
        help="align: lengths for eflomal's stemming options (default: 3 4 5 6)",
    )
    subjects.add_arguments(parser)
    parser.add_argument("--summary", action="store_true", help="align: say at the end what is better than what")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results", help="where reports go")
    chosen = parser.parse_args()
    if (chosen.source is None) != (chosen.target is None):
        parser.error("--source and --target belong together")
    if chosen.summary and chosen.scenario and "align" not in chosen.scenario:
        parser.error("--summary is about the scenario align")
    if chosen.sets and not chosen.data:
        parser.error("--sets needs --data")
    if chosen.sweeps[0] >= chosen.sweeps[1]:
        parser.error("--sweeps: the first number must be the smaller one")
    return chosen


def set_names(chosen: argparse.Namespace, scenario: str) -> list[str]:
    """Return the sets that were asked for, 'all' replaced by what it stands for."""
    asked = chosen.sets or USUAL_SETS.get(scenario, ["hansards-10k"])
    names: list[str] = []
    for name in (name for part in asked for name in part.split(",") if name):
        names += corpora.every_set(chosen.data) if name == "all" else [name]
    return list(dict.fromkeys(names))


def inputs(chosen: argparse.Namespace, scenario: str, folder: Path) -> Iterator[corpora.Corpus]:
    """Make the corpora that were asked for, one after the other."""
    if chosen.source:
        yield corpora.files(chosen.source, chosen.target, folder)
    elif chosen.data:
        yield from (corpora.real(chosen.data, name, folder) for name in set_names(chosen, scenario))
    else:
        yield from (corpora.made(pairs, folder) for pairs in chosen.pairs)


def measured(chosen: argparse.Namespace, scenario: str, settings: Settings) -> Iterator[tuple[list[Row], bool]]:
    """Yield all rows so far after each corpus, and whether a program failed on it, which then has none."""
    rows: list[Row] = []
    for corpus in inputs(chosen, scenario, settings.folder):
        try:
            rows += SCENARIOS[scenario](corpus, settings)
        except Failed as failure:
            print(f"benches: {corpus.name}: {failure}", file=sys.stderr)
            yield FINISH.get(scenario, list)(rows), True
        else:
            yield FINISH.get(scenario, list)(rows), False


def subject(chosen: argparse.Namespace, name: str, settings: Settings, circumstance: dict[str, object]) -> bool:
    """Measure a subject, print its table; return whether nothing failed."""
    text = ""
    try:
        for rows in subjects.SUBJECTS[name](chosen, settings):
            text = report.write(chosen.out, name, circumstance, rows)
    except Failed as failure:
        print(f"benches: {failure}", file=sys.stderr)
        return False
    print(text)
    return True


def main() -> int:
    """Run the scenarios, print their tables; exit code 1 when a program failed."""
    chosen = arguments()
    rivals = Rivals(chosen.rivals)
    circumstance = report.circumstances(rivals)
    has_failed = False
    with tempfile.TemporaryDirectory(prefix="plait-bench-") as made:
        settings = Settings(
            Path(made),
            rivals,
            repeat=chosen.repeat,
            cpus=tuple(chosen.cpus),
            sweeps=tuple(chosen.sweeps),
            sampler=chosen.sampler,
            choice=systems.Choice(tuple(chosen.systems), tuple(chosen.preset), tuple(chosen.prefixes)),
        )
        for name in chosen.scenario or NAMES:
            if name == "instructions":
                print(report.write(chosen.out, name, circumstance, instructions.count(settings.folder)))
                continue
            if name in subjects.SUBJECTS:
                has_failed |= not subject(chosen, name, settings, circumstance)
                continue
            text = ""
            for rows, is_failure in measured(chosen, name, settings):
                text = report.write(chosen.out, name, circumstance, rows)
                has_failed |= is_failure
            print(text)
    if chosen.summary:
        print(summary.of([chosen.out / "align.json"]))
    return int(has_failed)


if __name__ == "__main__":
    sys.exit(main())
