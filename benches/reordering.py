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
        yield baseline(name, facts)
        for system in [*OURS, *(RIVALS if rival else [])]:
            if systems and system not in systems:
                continue
            python = sys.executable if system in OURS else str(rival)
            yield row(name, system, facts, run(python, system, place))


def make_examples(source: Path, target: Path, place: Path, given: Path | None = None) -> Result:
    """Align a text, unless links are given, and write the arrays of its examples; return their sizes."""
    from plait import Alignments, Bitext
    from plait.reorder.examples import Examples, example_blocks

    links = align(source, target, place) if given is None else given
    text, found = Bitext.read(source, target), Alignments.read(links)
    parts = {"train": bytearray(), "test": bytearray()}
    lines_of = {"max_length": 7, "threads": 1}
    start = 0
    while start < len(text):
        stop = min(start + HELD_OUT, len(text))
        for part, first, last in (("test", start, start + 1), ("train", start + 1, stop)):
            pairs = range(first, last)
            if len(pairs):
                piece = Bitext.from_lists([text.source(n) for n in pairs], [text.target(n) for n in pairs])
                for block in example_blocks(piece, found[first:last], **lines_of):  # type: ignore[arg-type]
                    parts[part] += block
        start = stop
    train = Examples.from_blocks([bytes(parts["train"])], pairs=True)
    test = Examples.from_blocks(
        [bytes(parts["test"])], pairs=True, vocabulary=train.vocabulary, classes=list(train.classes)
    )
    assert train.pairs is not None
    assert test.pairs is not None
    places = {pair: n for n, pair in enumerate(train.pairs)}
    moved = [places.setdefault(pair, len(places)) for pair in test.pairs]
    arrays = {
        "offsets": train.rows.offsets,
        "features": train.rows.features,
        "labels": train.labels,
        "pair_of_row": train.pair_of_row,
        "test_offsets": test.rows.offsets,
        "test_features": test.rows.features,
        "test_labels": test.labels,
        "test_pair_of_row": np.array(moved, dtype=np.uint32)[test.pair_of_row],
        "columns": np.array(train.rows.columns),
    }
    for name, array in arrays.items():
        assert array is not None
        np.save(place / f"{name}.npy", array)
    counts = np.bincount(test.labels, minlength=len(train.classes))
    return {
        "examples": len(train),
        "held out": len(test),
        "features": train.rows.columns,
        "classes": train.classes,
        "shares": (counts / len(test)).round(4).tolist(),
        "majority": 1 - float(counts.max()) / len(test),
    }


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
