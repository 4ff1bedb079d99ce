"""Running the command line inside the test's process: as a shell would, a few hundred times faster."""

from __future__ import annotations

import io
import sys
from dataclasses import dataclass
from unittest import mock

import pytest

from plait.cli.main import main


@dataclass(frozen=True)
class Outcome:
    """What a command left behind."""

    code: int
    out: str
    err: str


def run(capfdbinary: pytest.CaptureFixture[bytes], *words: object, stdin: bytes = b"") -> Outcome:
    """Run ``plait`` with these words."""
    capfdbinary.readouterr()
    given = io.TextIOWrapper(io.BytesIO(stdin))
    with (
        mock.patch.object(sys, "argv", ["plait", *map(str, words)]),
        mock.patch.object(sys, "stdin", given),
        pytest.raises(SystemExit) as stop,
    ):
        main()
    out, err = capfdbinary.readouterr()
    return Outcome(int(stop.value.code or 0), out.decode(), err.decode())
