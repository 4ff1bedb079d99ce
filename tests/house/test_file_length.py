"""A file holds one concept: above 400 lines it is split."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
LIMIT = 400
# Lists of words, not code.
DATA = {"python/plait/demo/words/nouns.py"}


def lengths():
    """The number of lines of each source file that is neither a test nor data."""
    folders = [(ROOT / "rust" / crate / "src", "*.rs") for crate in ("core", "bindings")]
    for folder, pattern in [*folders, (ROOT / "python" / "plait", "*.py")]:
        for path in sorted(folder.rglob(pattern)):
            name = path.relative_to(ROOT).as_posix()
            if name not in DATA and "tests" not in path.relative_to(folder).as_posix():
                yield name, path.read_bytes().count(b"\n")


def test_files_are_short():
    found = list(lengths())
    assert len(found) > 300
    assert [f"{name}: {lines} lines" for name, lines in found if lines > LIMIT] == []
