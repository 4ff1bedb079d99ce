"""What the command ``plait`` starts with: Ctrl-C ends it in one line even while Python still loads the rest."""

from __future__ import annotations

import os
import signal
from types import FrameType
from typing import NoReturn

__all__ = ["INTERRUPTED", "main"]

INTERRUPTED = "plait: interrupted; output files are whole or as they were before"


def main() -> NoReturn:
    """Load the command line and run it; see `plait.cli.main.main`."""
    # NumPy's library would start a thread for each CPU, which spins for a tenth of a second whatever the command; no
    # command has work for them, and sums of one thread have the same bits everywhere.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # What is ignored stays ignored.
    is_ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_ours:
        signal.signal(signal.SIGINT, _end)
    from plait.cli.main import main as run

    if is_ours:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run()


def _end(number: int, frame: FrameType | None) -> NoReturn:
    """End at once: no output is open yet, and an exception would come out of the middle of an import."""
    os.write(2, INTERRUPTED.encode() + b"\n")
    os._exit(128 + number)
