"""What the tools of Moses (mosesdecoder 34452895) wrote for two small texts that were made up for tests.

``tiny`` has five sentence pairs with ordinary reordering. ``edge`` has a case a line: a block longer than the limit,
two inside-out permutations, unlinked words on all sides, a word linked to two places, full inversion, crossing links,
a long jump, a nested swap that words alone call "other", and a repeated link.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path

FOLDER = Path(__file__).parent / "golden" / "phrases"
NAMES = ("tiny", "edge")
INPUTS = ("corpus.tgt", "corpus.src", "aligned.gdfa")


@functools.cache
def vectors(name: str) -> dict[str, bytes]:
    """Return the files of a set."""
    files = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return {file: text.encode() for file, text in files.items()}


def put(name: str, folder: Path) -> list[Path]:
    """Write target, source and links of a set into a folder; return their paths."""
    paths = [folder / file for file in INPUTS]
    for path in paths:
        path.write_bytes(vectors(name)[path.name])
    return paths
