"""The scenario ``reorder``: all reordering models on the same examples, and rivals beside them.

Every twentieth sentence pair is held out. Links are plait's, by its drop-in of fast_align in both directions, joined by
grow-diag-final-and, or those of a file, ``--links DIR`` with ``DIR/SET.links``. Which links matters more than which
model: those of fast_align are half as many again, and leave a third of the phrase pairs. Phrase pairs up to seven
words, hierarchical orientations to the previous phrase, features that occur more than ten times.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from measure import Failed
from reorder_system import OURS, RIVALS
from tools import PLAIT

HELD_OUT = 20
SIGMA2 = 0.1
Row = dict[str, object]
Result = dict[str, Any]


def measured(
    sets: Sequence[tuple[str, Path, Path]],
    rival: str | None,
    folder: Path,
    systems: Sequence[str] | None,
    links: Path | None,
) -> Iterator[Row]:
    """Yield the rows of each set: its name, source and target; ``rival`` is a Python with scikit-learn.

    ``links`` is a folder that holds links from elsewhere.
    """
    known = [*OURS, *RIVALS]
    for system in systems or ():
        if system not in known:
            raise Failed(f"there is no model {system!r}; the models are {', '.join(repr(each) for each in known)}")
    for name, source, target in sets:
        place = folder / name.replace("/", "-")
        place.mkdir()
        given = None if links is None else links / f"{name.replace('/', '-')}.links"
        facts = make_examples(source, target, place, given)
        yield row(name, "examples, from text and links", facts, {"seconds": facts["seconds"]})
        yield baseline(name, facts)
        for system in [*OURS, *(RIVALS if rival else [])]:
            if systems and system not in systems:
                continue
            python = sys.executable if system in OURS else str(rival)
            yield row(name, system, facts, run(python, system, place))


def make_examples(source: Path, target: Path, place: Path, given: Path | None = None) -> Result:
    """Align a text, unless links are given, and write the arrays of its examples; return their sizes."""
    links = align(source, target, place) if given is None else given
    start = time.process_time()
    train = examples_of(parted(source, target, links, place, held_out=False), None)
    for name, array in arrays_of(train).items():
        np.save(place / f"{name}.npy", array)
    np.save(place / "columns.npy", np.array(train.rows.columns))
    # Of a large text the names of phrase pairs are most of the memory; from here on nothing else of `train` is needed.
    facts = {"examples": len(train), "features": train.rows.columns, "classes": train.classes}
    known, vocabulary = train.pairs, train.vocabulary
    del train
    test = examples_of(parted(source, target, links, place, held_out=True), (vocabulary, facts["classes"]))
    arrays = arrays_of(test)
    assert known is not None
    assert test.pairs is not None
    arrays["pair_of_row"] = numbers(test.pairs, known)[arrays["pair_of_row"]]
    for name, array in arrays.items():
        np.save(place / f"test_{name}.npy", array)
    counts = np.bincount(test.labels, minlength=len(test.classes))
    return facts | {
        "held out": len(test),
        "shares": (counts / len(test)).round(4).tolist(),
        "majority": 1 - float(counts.max()) / len(test),
        "seconds": time.process_time() - start,
    }


def parted(source: Path, target: Path, links: Path, place: Path, *, held_out: bool) -> list[Path]:
    """Write the held-out sentence pairs, or the others, of source, target and links to files of their own."""
    paths = []
    for kind, path in (("source", source), ("target", target), ("links", links)):
        paths.append(place / f"part.{kind}")
        with open(path, "rb") as lines, open(paths[-1], "wb") as out:
            out.writelines(line for n, line in enumerate(lines) if (n % HELD_OUT == 0) == held_out)
    return paths


def examples_of(paths: Sequence[Path], known: tuple[Sequence[str], Sequence[str]] | None) -> Any:
    """Return the examples of a text, with the features and classes of others if they are given.

    Their lines are read block by block as they are made: those of a million sentence pairs are seven gigabytes.
    """
    from plait import Alignments, Bitext
    from plait.reorder.examples import Examples, example_blocks

    source, target, links = paths
    blocks = example_blocks(Bitext.read(source, target), Alignments.read(links), max_length=7, threads=1)
    vocabulary, classes = known or (None, None)
    return Examples.from_blocks(blocks, pairs=True, vocabulary=vocabulary, classes=classes)


def arrays_of(examples: Any) -> dict[str, Any]:
    """Return what a system needs of examples."""
    rows = examples.rows
    return {
        "offsets": rows.offsets,
        "features": rows.features,
        "labels": examples.labels,
        "pair_of_row": examples.pair_of_row,
    }


def numbers(pairs: Sequence[str], known: Sequence[str]) -> Any:
    """Return the number of each pair among the known ones; others get numbers behind those."""
    places = {pair: n for n, pair in enumerate(pairs)}
    found = np.arange(len(known), len(known) + len(pairs), dtype=np.uint32)
    for number, pair in enumerate(known):
        place = places.get(pair)
        if place is not None:
            found[place] = number
    return found


def align(source: Path, target: Path, place: Path) -> Path:
    """Return a file of links: fast_align both ways, grow-diag-final-and."""
    joint = place / "joint"
    with open(source, "rb") as left, open(target, "rb") as right, open(joint, "wb") as out:
        for a, b in zip(left, right, strict=True):
            out.write(a.rstrip(b"\r\n") + b" ||| " + b)
    links = []
    for name, reverse in (("forward", []), ("reverse", ["-r"])):
        links.append(place / name)
        output(["fast_align", "-i", str(joint), "-d", "-o", "-v", *reverse], links[-1])
    both = place / "links"
    output(["atools", "-i", str(links[0]), "-j", str(links[1]), "-c", "grow-diag-final-and"], both)
    return both


def output(words: list[str], path: Path) -> None:
    """Write what a command of plait prints into a file."""
    with open(path, "wb") as out:
        done = subprocess.run([*PLAIT, *words], stdout=out, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise Failed(f"plait {' '.join(words)}\n{done.stderr.decode(errors='replace')[-2000:]}")


def run(python: str, system: str, place: Path) -> Result:
    """Train and measure one system in a process of its own."""
    command = [python, str(Path(__file__).parent / "reorder_system.py"), system, str(place), str(SIGMA2)]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise Failed(f"{system}\n{done.stderr[-2000:]}")
    result: Result = json.loads(done.stdout)
    return result


def baseline(name: str, facts: Result) -> Row:
    """Return the row of always saying the most frequent class."""
    shares = {"recall": dict(zip(facts["classes"], facts["shares"], strict=True)), "active": []}
    return row(name, "majority", facts, {"error": facts["majority"], **shares})


def row(name: str, system: str, facts: Result, result: Result) -> Row:
    """Return the figures of one system."""
    objective = result.get("objective")
    peak = result.get("peak")
    return {
        "set": name,
        "examples": facts["examples"],
        "features": facts["features"],
        "model": system,
        "CPU s": result.get("seconds"),
        "peak MB": None if peak is None else peak / 1e6,
        "error %": None if "error" not in result else f"{100 * result['error']:.2f}",
        "log-loss": None if "log_loss" not in result else f"{result['log_loss']:.4f}",
        "P/N": None if objective is None else f"{objective / facts['examples']:.6f}",
        "gap": result.get("gap"),
        "passes": result.get("n_iter"),
        "recall %": " / ".join(f"{100 * value:.1f}" for value in values(result.get("recall", []))) or None,
        "active": result.get("active", []),
    }


def values(recall: Any) -> list[float]:
    """Return the recall of each class."""
    return list(recall.values()) if isinstance(recall, dict) else list(recall)
