"""Labelled sequences for measuring random fields, as CRFsuite's attribute files, which all systems read.

::

    python benches/crf_sets.py NAME FOLDER [DATA]     writes FOLDER/NAME.train and, if there is one, FOLDER/NAME.test

NAME is one of `COLUMNS` or ``converter`` (sets below DATA/crf), or ``made-SEQUENCES-LABELS``.
"""

from __future__ import annotations

import gzip
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path

COLUMNS = {
    "conll2000": ("conll2000/train.txt", "conll2000/test.txt", "crfpp-chunking"),
    "chunking": ("wapiti-chunking/train.txt", "wapiti-chunking/test.txt", "crfpp-chunking"),
    "basenp": ("wapiti-basenp/train.txt", "wapiti-basenp/test.txt", "crfpp-basenp"),
    "japanesene": ("crfpp-japanesene/train.data", "crfpp-japanesene/test.data", "crfpp-japanesene"),
    "seg": ("crfpp-seg/train.data", "crfpp-seg/test.data", "crfpp-seg"),
    "wnut17": ("wnut17-ner/train.conll", "wnut17-ner/test.conll", "crfpp-chunking"),
}
"""Files of columns, and CRF++'s templates for them, of which those for columns that are not there are left out."""

CELL = re.compile(r"%x\[(-?\d+),(\d+)\]")


def expand(rows: list[list[str]], patterns: list[str]) -> Iterator[str]:
    """Yield the line of each position: CRF++'s templates as attributes."""

    def cell(position: int, row: int, column: int) -> str:
        at = position + row
        if at < 0:
            return f"_B{at}"
        return rows[at][column] if at < len(rows) else f"_B+{at - len(rows) + 1}"

    for position, row in enumerate(rows):

        def put(match: re.Match[str], position: int = position) -> str:
            return cell(position, int(match[1]), int(match[2]))

        names = [CELL.sub(put, pattern) for pattern in patterns]
        escaped = [name.replace("\\", "\\\\").replace(":", "\\:") for name in names]
        yield "\t".join([row[-1], *escaped])


def columns(file: Path, patterns: list[str]) -> str:
    """Return a file of columns as attributes."""
    blocks = file.read_text(encoding="utf-8").split("\n\n")
    # Other white space, such as the ideographic space, is a cell of its own.
    sequences = [[re.split("[ \t]+", line.strip(" \t")) for line in block.split("\n") if line] for block in blocks]
    width = len(next(rows[0] for rows in sequences if rows)) - 1
    patterns = [pattern for pattern in patterns if all(int(cell[2]) < width for cell in CELL.finditer(pattern))]
    return "\n\n".join("\n".join(expand(rows, patterns)) for rows in sequences if rows) + "\n"


def made(sequences: int, labels: int) -> str:
    """Return sequences of a Markov chain that shows a third of its states."""
    draw = random.Random(1)
    texts = []
    for _ in range(sequences):
        state, lines = draw.randrange(labels), []
        for _ in range(draw.randint(2, 12)):
            state = (state * 7 + draw.randrange(5)) % labels
            shown = state if draw.random() < 1 / 3 else draw.randrange(labels)
            lines.append(f"l{state}\ta{shown}\tb{shown % 11}\tc{draw.randrange(2000)}")
        texts.append("\n".join(lines))
    return "\n\n".join(texts) + "\n"


def write(name: str, folder: Path, data: Path | None) -> None:
    """Write a set."""
    parts = {}
    if name.startswith("made-"):
        _, sequences, labels = name.split("-")
        parts["train"] = made(int(sequences), int(labels))
    elif data is None:
        raise SystemExit(f"the set {name!r} needs --data")
    elif name == "converter":
        packed = (data / "crf" / "converter-333-labels" / "conv.crfsuite.gz").read_bytes()
        parts["train"] = gzip.decompress(packed).decode()
    elif name in COLUMNS:
        *files, template = COLUMNS[name]
        lines = (data / "crf" / template / "template").read_text().splitlines()
        patterns = [line for line in lines if line.startswith("U")]
        for part, file in zip(("train", "test"), files, strict=True):
            parts[part] = columns(data / "crf" / file, patterns)
    else:
        known = ", ".join([*COLUMNS, "converter"])
        raise SystemExit(f"there is no set {name!r}; give one of {known}, or made-SEQUENCES-LABELS")
    for part, text in parts.items():
        (folder / f"{name}.{part}").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]) if len(sys.argv) > 3 else None)
