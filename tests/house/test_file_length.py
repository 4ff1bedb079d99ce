"""A file holds one concept: above 400 lines it is split."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LIMIT = 400
# Lists of words, not code.
DATA = {"python/plait/demo/words/nouns.py"}
# Some files of these are longer still, none than this.
LONGER = 700
BEING_SPLIT = ("crf", "translit", "reorder")


def lengths():
    """The number of lines of each source file that is neither a test nor data."""
    folders = [(ROOT / "rust" / crate / "src", "*.rs") for crate in ("core", "bindings")]
    for folder, pattern in [*folders, (ROOT / "python" / "plait", "*.py")]:
        for path in sorted(folder.rglob(pattern)):
            name = path.relative_to(ROOT).as_posix()
            if name not in DATA and "tests" not in path.relative_to(folder).as_posix():
                limit = LONGER if path.relative_to(folder).parts[0] in BEING_SPLIT else LIMIT
                yield name, path.read_bytes().count(b"\n"), limit


def test_files_are_short():
    found = list(lengths())
    assert len(found) > 300
    assert [f"{name}: {lines} lines" for name, lines, limit in found if lines > limit] == []


@pytest.mark.parametrize("folder", BEING_SPLIT)
def test_the_folders_that_are_being_split_are_there(folder):
    assert (ROOT / "rust" / "core" / "src" / folder).is_dir()
