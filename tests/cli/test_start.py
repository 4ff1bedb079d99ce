"""What the command sets up before it loads anything."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SCRIPT = """
import os, sys
sys.argv = ["plait", "--version"]
from plait.cli.start import main
try:
    main()
except SystemExit:
    pass
assert "numpy" not in sys.modules, "loaded before it is known to be needed"
print(os.environ["OPENBLAS_NUM_THREADS"])
"""


@pytest.mark.parametrize(("given", "expected"), [(None, "1"), ("3", "3")])
def test_numpy_starts_no_threads_unless_the_user_asks_for_them(given: str | None, expected: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    if given is not None:
        environment["OPENBLAS_NUM_THREADS"] = given
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.splitlines()[-1] == expected
