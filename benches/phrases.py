"""The scenario ``phrases``: extraction, phrase table and reordering table, beside NLTK and, where it is, Moses.

Inputs are word-aligned texts: made ones, or with data ``phrase/moses/models/extract.phrase-based`` (10,000 pairs) and
``align/nc30k-de-en``. Speeds are phrase pairs a CPU second of the whole process, start-up included.
"""

from __future__ import annotations

import random
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import measure
from tools import PLAIT, Rivals

HERE = Path(__file__).parent
MODELS = ("wbe-mslr", "phrase-mslr", "hier-mslr")
FOR_NLTK = 200
"""Sentence pairs: NLTK's function in Python takes tens of milliseconds for one."""

Row = dict[str, object]


@dataclass(frozen=True)
class Aligned:
    """A word-aligned text in files."""

    name: str
    target: Path
    source: Path
    links: Path

    @property
    def files(self) -> list[str]:
        """Target, source and links, in the order of Moses' ``extract``."""
        return [str(self.target), str(self.source), str(self.links)]


def texts(data: Path | None, pairs: Sequence[int], folder: Path) -> list[Aligned]:
    """Return the inputs; without data they are made."""
    if data is None:
        return [made(count, folder) for count in pairs]
    moses = data / "phrase" / "moses" / "models" / "extract.phrase-based"
    news = data / "align" / "nc30k-de-en"
    found = [
        Aligned("europarl-10k-fr-en", moses / "en", moses / "fr", moses / "align.fr-en"),
        Aligned("nc30k-de-en", news / "train.tgt", news / "train.src", news / "train.auto"),
    ]
    return [text for text in found if all(Path(file).exists() for file in text.files)]


def made(pairs: int, folder: Path) -> Aligned:
    """Make sentences whose words are linked in order, with local jumps and some words without links."""
    draw = random.Random(5)
    out = Aligned(f"made-{pairs}", folder / "p.tgt", folder / "p.src", folder / "p.links")
    with out.target.open("w") as targets, out.source.open("w") as sources, out.links.open("w") as links:
        for _ in range(pairs):
            length = draw.randint(5, 45)
            order = sorted(range(length), key=lambda at: at + draw.gauss(0, 1.5))
            linked = [(i, j) for j, i in enumerate(order) if draw.random() < 0.9]
            words = [str(int(draw.paretovariate(0.7))) for _ in range(length)]
            sources.write(" ".join(f"s{word}" for word in words) + "\n")
            targets.write(" ".join(f"t{words[i]}" for i in order) + "\n")
            links.write(" ".join(f"{i}-{j}" for i, j in linked) + "\n")
    return out


def measured(inputs: Sequence[Aligned], rivals: Rivals, moses: Path | None, folder: Path, repeat: int) -> list[Row]:
    """Return rows for each text, step and system.

    Raises
    ------
    Failed
        A program failed.
    """
    rows: list[Row] = []
    for text in inputs:
        rows += extraction(text, rivals, moses, folder, repeat)
        rows += tables(text, moses, folder, repeat)
    return rows


def plait(*words: object) -> list[str]:
    """Return the command line of plait."""
    return [*PLAIT, *map(str, words)]


def times(command: Sequence[str], repeat: int, cpus: int) -> measure.Run:
    """Return the medians of some runs on this many CPUs."""
    return measure.median([measure.run(command, cpus=range(cpus)) for _ in range(repeat)])


def extraction(text: Aligned, rivals: Rivals, moses: Path | None, folder: Path, repeat: int) -> list[Row]:
    """Measure extraction to files."""
    out = folder / "extract"
    options = [word for model in MODELS for word in ("--model", model)]
    commands = {
        ("plait, 3 models", 1): plait("phrases", "extract", *text.files, out, 7, *options, "--force", "--threads", 1),
        ("plait, 3 models", 2): plait("phrases", "extract", *text.files, out, 7, *options, "--force", "--threads", 2),
        ("plait, hier-msd", 1): plait(
            "phrases", "extract", *text.files, out, 7, "--model", "hier-msd", "--force", "--threads", 1
        ),
        ("plait, no models", 1): plait("phrases", "extract", *text.files, out, 7, "--force", "--threads", 1),
    }
    if moses is not None:
        program = moses / "extract"
        commands["moses, hier-msd", 1] = [
            str(program),
            *text.files,
            str(out),
            "7",
            "orientation",
            "--model",
            "hier-msd",
        ]
        commands["moses, wbe-msd", 1] = [str(program), *text.files, str(out), "7", "orientation", "--model", "wbe-msd"]
    rows = []
    for (system, cpus), command in commands.items():
        run = times(command, repeat, cpus)
        rows.append(row(text, "extract", system, cpus, run, lines(out)))
    python = rivals.python_with("nltk")
    if python is not None:
        command = [python, str(HERE / "rivals" / "nltk_phrases.py"), *text.files, str(FOR_NLTK)]
        run = times(command, 1, 1)
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        rows.append(row(text, f"extract, {FOR_NLTK} sentences", "nltk", 1, run, int(said)))
    return rows


def tables(text: Aligned, moses: Path | None, folder: Path, repeat: int) -> list[Row]:
    """Measure phrase table and reordering table, from what plait has extracted."""
    extract, lex = folder / "x", folder / "lex"
    measure.run(plait("phrases", "extract", *text.files, extract, 7, "--model", "hier-msd", "--force"))
    words = ["-s", text.source, "-t", text.target, "-a", text.links, "-o", lex, "--format", "moses", "--force"]
    measure.run(plait("lexicon", *words))
    pairs = lines(extract)
    spec = "hier-msd-bidirectional-fe"
    rows = []
    for cpus in (1, 2):
        common = ["--force", "--threads", cpus]
        score = plait("phrases", "score", extract, folder / "table", "--lex", lex, *common)
        orient = plait("phrases", "reordering", f"{extract}.o", folder / "r.", "--model", spec, "--suffix", "", *common)
        rows.append(row(text, "phrase table", "plait", cpus, times(score, repeat, cpus), pairs))
        rows.append(row(text, "reordering table", "plait", cpus, times(orient, repeat, cpus), pairs))
    if moses is not None:
        rows += moses_tables(text, moses, folder, pairs)
    return rows


def moses_tables(text: Aligned, moses: Path, folder: Path, pairs: int) -> list[Row]:
    """Measure the steps of Moses together: sorts, both halves, and their consolidation."""
    score = (
        "export LC_ALL=C; sort x > x.sorted; {m}/score x.sorted lex.f2e f2e; sort x.inv > x.inv.sorted; "
        "{m}/score x.inv.sorted lex.e2f e2f --Inverse; sort e2f > e2f.sorted; {m}/consolidate f2e e2f.sorted table"
    )
    orient = (
        "export LC_ALL=C; sort x.o > x.o.sorted; "
        "{m}/lexical-reordering-score x.o.sorted 0.5 r. --model 'hier msd hier-msd-bidirectional-fe'"
    )
    rows = []
    for step, script in (("phrase table", score), ("reordering table", orient)):
        command = ["sh", "-ec", f"cd {folder}; {script.format(m=moses)}"]
        rows.append(row(text, step, "moses", 1, measure.run(command, cpus=range(1)), pairs))
    return rows


def row(text: Aligned, step: str, system: str, cpus: int, run: measure.Run, pairs: int) -> Row:
    """Return the figures of one step of one system."""
    return {
        "text": text.name,
        "step": step,
        "system": system,
        "CPUs": cpus,
        "phrase pairs": pairs,
        "seconds": run.seconds,
        "CPU seconds": run.cpu_seconds,
        "pairs a CPU second": round(pairs / run.cpu_seconds),
        "peak MB": round(run.peak_bytes / 1e6),
    }


def lines(path: Path) -> int:
    """Count the lines of a file."""
    with path.open("rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))
