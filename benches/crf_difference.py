"""Whether one system labels a test set better than another, or by chance, as JSON.

::

    python benches/crf_difference.py FILE LABELS OTHER_LABELS

Labels are files with a line for each sequence of FILE.test, a tab between two labels. Told are the difference of F1 in
points, LABELS minus OTHER_LABELS; the middle 95% of it over resampled sequences (paired bootstrap); and the two-sided p
of approximate randomisation: how often a difference at least as large comes about when, for each sequence, it is drawn
which system's labels are whose (Noreen 1989; Yeh 2000). 10,000 rounds of each, with a fixed seed.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt

from plait.crf import Sequences, evaluate
from plait.metrics.resampling import interval, resampled_totals

ROUNDS = 10_000
SEED = 1

Counts = npt.NDArray[np.int64]


def read(path: str) -> list[list[str]]:
    """Return the labels in a file."""
    return [line.split("\t") for line in Path(path).read_text(encoding="utf-8").splitlines()]


def counts_of(gold: list[list[str]], found: list[list[str]]) -> Counts:
    """Return how many units each sequence has, how many were found, and how many of these are right.

    What is counted, chunks or labels, is told by all labels, as `evaluate` does for the whole set.
    """
    unit = evaluate(gold, found).unit
    scores = [evaluate([a], [b], unit=unit).all for a, b in zip(gold, found, strict=True)]
    return np.array([(score.gold, score.found, score.correct) for score in scores], dtype=np.int64).reshape(-1, 3)


def f1(totals: npt.NDArray[np.int64] | npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return F1 in points of counts in the last dimension."""
    both = totals[..., 0] + totals[..., 1]
    return np.asarray(200 * totals[..., 2] / np.maximum(both, 1))


def difference(ours: Counts, theirs: Counts, rounds: int = ROUNDS, seed: int = SEED) -> dict[str, float]:
    """Return the difference of F1, the ends of its interval, and p."""
    observed = float(f1(ours.sum(axis=0)) - f1(theirs.sum(axis=0)))
    totals = np.array(list(resampled_totals(np.hstack([ours, theirs]), rounds, seed)))
    resampled = interval(f1(totals[:, :3]) - f1(totals[:, 3:]), 0.95)
    # Sequences with the same counts change nothing when they are exchanged.
    differs = (ours != theirs).any(axis=1)
    change = (theirs - ours)[differs]
    draw = np.random.Generator(np.random.PCG64(seed))
    extreme = 0
    for _ in range(rounds):
        moved = draw.integers(2, size=len(change)) @ change
        shuffled = float(f1(ours.sum(axis=0) + moved) - f1(theirs.sum(axis=0) - moved))
        extreme += abs(shuffled) >= abs(observed) - 1e-9
    return {
        "F1 difference": observed,
        "low": resampled.low,
        "high": resampled.high,
        "p": (extreme + 1) / (rounds + 1),
        "sequences that differ": int(differs.sum()),
    }


def main(file: str, ours: str, theirs: str) -> None:
    gold = Sequences.read(f"{file}.test", format="crfsuite").labels()
    print(json.dumps(difference(counts_of(gold, read(ours)), counts_of(gold, read(theirs)))))


if __name__ == "__main__":
    main(*sys.argv[1:4])
