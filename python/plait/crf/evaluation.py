"""How good labels are: chunks as conlleval counts them, and labels one by one.

Source: Tjong Kim Sang and Buchholz (2000), Introduction to the CoNLL-2000 shared task; its script conlleval.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from plait.errors import DataError

__all__ = ["Evaluation", "Scores", "chunks", "evaluate"]

_CHUNK_LABEL = re.compile(r"O|[BIESLU]-.+")


@dataclass(frozen=True)
class Scores:
    """Counts and what follows from them.

    Attributes
    ----------
    gold, found, correct
        How many there are, how many were found, and how many of these are right.
    """

    gold: int
    found: int
    correct: int

    @property
    def precision(self) -> float:
        """The share of what was found that is right; 0 when nothing was found."""
        return self.correct / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        """The share of what there is that was found; 0 when there is nothing."""
        return self.correct / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of both; 0 when both are."""
        total = self.gold + self.found
        return 2 * self.correct / total if total else 0.0

    def as_dict(self) -> dict[str, float]:
        """Return shares and counts by name."""
        return {
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "gold": self.gold,
            "found": self.found,
            "correct": self.correct,
        }


@dataclass(frozen=True)
class Evaluation:
    """A comparison of labels with gold ones.

    Attributes
    ----------
    unit
        "chunk": precision, recall and F count chunks (conlleval); "label": they count labels.
    positions, right
        Positions, and those with the right label.
    all
        Scores over all types.
    by_type
        Scores of each type of chunk, or each label, in alphabetical order.
    """

    unit: Literal["chunk", "label"]
    positions: int
    right: int
    all: Scores
    by_type: dict[str, Scores]

    @property
    def accuracy(self) -> float:
        """The share of positions with the right label."""
        return self.right / self.positions

    def as_dict(self) -> dict[str, Any]:
        """Return everything as values of JSON; shares are between 0 and 1."""
        return {
            "unit": self.unit,
            "positions": self.positions,
            "accuracy": self.accuracy,
            **self.all.as_dict(),
            "types": {name: scores.as_dict() for name, scores in self.by_type.items()},
        }


def evaluate(
    gold: Iterable[Sequence[str]],
    found: Iterable[Sequence[str]],
    *,
    unit: Literal["chunk", "label", "auto"] = "auto",
) -> Evaluation:
    """Compare labels with gold ones.

    Parameters
    ----------
    gold, found
        Labels for each sequence.
    unit
        "chunk" for labels as B-NP, I-NP, O (also E-, S-, L-, U-); "label" for any; "auto" looks whether all are of the
        first sort.

    Raises
    ------
    DataError
        Numbers of sequences or lengths differ, or there is no position.

    Examples
    --------
    >>> from plait.crf import evaluate
    >>> result = evaluate([["B-NP", "I-NP", "O"]], [["B-NP", "I-NP", "B-NP"]])
    >>> result.all.precision, result.all.recall, round(result.accuracy, 3)
    (0.5, 1.0, 0.667)
    """
    pairs = _paired(gold, found)
    positions = sum(len(labels) for labels, _ in pairs)
    if not positions:
        raise DataError("there is no position to evaluate; give at least one")
    right = sum(a == b for pair in pairs for a, b in zip(*pair, strict=True))
    if unit == "auto":
        labels = {label for pair in pairs for labels in pair for label in labels}
        unit = "chunk" if all(map(_CHUNK_LABEL.fullmatch, labels)) else "label"
    there: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    correct: Counter[str] = Counter()
    for ours, theirs in pairs:
        if unit == "chunk":
            left, other = set(chunks(ours)), set(chunks(theirs))
            there.update(kind for *_, kind in left)
            seen.update(kind for *_, kind in other)
            correct.update(kind for *_, kind in left & other)
        else:
            there.update(ours)
            seen.update(theirs)
            correct.update(a for a, b in zip(ours, theirs, strict=True) if a == b)
    by_type = {kind: Scores(there[kind], seen[kind], correct[kind]) for kind in sorted({*there, *seen})}
    total = Scores(there.total(), seen.total(), correct.total())
    return Evaluation(unit, positions, right, total, by_type)


def chunks(labels: Sequence[str]) -> list[tuple[int, int, str]]:
    """Return the chunks of a sequence as (first position, position behind the last, type).

    As in conlleval, a chunk begins at B, S and U, where the type changes, and after what does not continue; so labels
    that do not begin with B where they should make chunks too.
    """
    found = []
    start, kind_before, can_continue = 0, "", False
    for position, label in enumerate([*labels, "O"]):
        tag, _, kind = label.partition("-")
        is_inside = tag != "O"
        continues = can_continue and is_inside and tag not in "BSU" and kind == kind_before
        if can_continue and not continues:
            found.append((start, position, kind_before))
        if is_inside and not continues:
            start = position
        can_continue, kind_before = is_inside, kind
        if tag in ("E", "S", "L", "U"):
            found.append((start, position + 1, kind))
            can_continue = False
    return found


def _paired(gold: Iterable[Sequence[str]], found: Iterable[Sequence[str]]) -> list[tuple[Sequence[str], Sequence[str]]]:
    ours, theirs = list(gold), list(found)
    if len(ours) != len(theirs):
        raise DataError(f"there are {len(ours)} gold sequences but {len(theirs)} others; give the same ones")
    for number, (left, right) in enumerate(zip(ours, theirs, strict=True)):
        if len(left) != len(right):
            raise DataError(
                f"sequence {number} has {len(left)} gold labels but {len(right)} others; give the same ones"
            )
    return list(zip(ours, theirs, strict=True))
