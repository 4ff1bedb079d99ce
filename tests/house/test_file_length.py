"""A file holds one concept: above 400 lines it is split, or stands here with its reason."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
LIMIT = 400
# Lists of words, not code.
DATA = {"python/plait/demo/words/nouns.py"}
# How long these files may be at the most, and why. A number may fall, none may rise, and a file that fits leaves.
LONGER = {}


def lengths():
    """The number of lines of each source file that is neither a test nor data."""
    folders = [(ROOT / "rust" / crate / "src", "*.rs") for crate in ("core", "bindings")]
    for folder, pattern in [*folders, (ROOT / "python" / "plait", "*.py")]:
        for path in sorted(folder.rglob(pattern)):
            name = path.relative_to(ROOT).as_posix()
            if name not in DATA and "tests" not in path.name:
                yield name, path.read_bytes().count(b"\n")


def test_files_are_short_or_have_a_reason():
    assert [f"{name}: {n} lines" for name, n in lengths() if n > LONGER.get(name, (LIMIT, ""))[0]] == []


def test_the_list_of_longer_files_shrinks():
    found = dict(lengths())
    assert [name for name in LONGER if found.get(name, 0) <= LIMIT] == []
