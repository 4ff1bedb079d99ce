"""The page of promises names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "promises.md").read_text(encoding="utf-8")


def test_every_promise_names_a_test() -> None:
    rows = [
        line
        for line in PAGE.split("\n## ")[0].splitlines()
        if line.startswith("| ") and not line.startswith(("| promise", "| ---"))
    ]
    assert len(rows) == 22
    for row in rows:
        assert "`tests/" in row, row


def test_the_named_tests_are_there() -> None:
    named = re.findall(r"`((?:tests|rust)/[^`:]+)(?:::(\w+))?`", PAGE)
    assert named
    for path, function in named:
        assert (ROOT / path).exists(), path
        if function:
            assert f"def {function}(" in (ROOT / path).read_text(encoding="utf-8"), f"{path}::{function}"
