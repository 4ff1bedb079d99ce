"""The folder that commands run in."""

from __future__ import annotations

from pathlib import Path

import pytest

from align_commands import FILES, Plait
from command_line import run


@pytest.fixture
def plait(capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plait:
    """How to run a command in a folder with the corpus as ``s`` and ``t``, and in one file of each format."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return lambda *words, **keywords: run(capfdbinary, *words, **keywords)
