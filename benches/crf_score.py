"""Scores labels that a rival wrote for a test set, as those of plait are scored, as JSON.

::

    python benches/crf_score.py FILE LABELS
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from plait.crf import Sequences, evaluate


def main(file: str, labels: str) -> None:
    gold = Sequences.read(f"{file}.test", format="crfsuite").labels()
    found = [line.split("\t") for line in Path(labels).read_text(encoding="utf-8").splitlines()]
    print(json.dumps({"F1 %": 100 * evaluate(gold, found).all.f1}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
