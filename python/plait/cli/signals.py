"""Signals that end a run: the work stops, what was half-written is removed, and the exit code says which one it was."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, Self

__all__ = ["EndingSignals"]

# Windows has no SIGHUP; there SIGTERM cannot be caught, and ends the process at once.
_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


class EndingSignals:
    """Makes Ctrl-C, SIGTERM and a closed terminal raise `KeyboardInterrupt`; a context manager.

    What is ignored stays ignored (``nohup``, jobs in the background of a script), and nothing changes outside the
    main thread, where Python cannot handle signals.

    Attributes
    ----------
    code
        The exit code of a run that was ended: 128 plus the number of the signal, 130 for Ctrl-C.
    """

    def __init__(self) -> None:
        self.code = 128 + signal.SIGINT
        self._is_closing = False
        self._before: dict[int, Callable[[int, FrameType | None], Any] | int | None] = {}

    def __enter__(self) -> Self:
        """Take the signals over."""
        if threading.current_thread() is threading.main_thread():
            for number in (getattr(signal, name) for name in _NAMES if hasattr(signal, name)):
                before = signal.getsignal(number)
                if before in (signal.SIG_DFL, signal.default_int_handler):
                    self._before[number] = before
                    signal.signal(number, self._end)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give the signals back, unless the process is about to end because of one."""
        if not self._is_closing:
            for number, before in self._before.items():
                signal.signal(number, before)

    def close(self) -> None:
        """Ignore further signals: the process ends by itself, and has files to remove until then."""
        self._is_closing = True
        for number in self._before:
            # Python gives handlers of its own up while it ends, and then a signal would kill.
            signal.signal(number, signal.SIG_IGN)

    def _end(self, number: int, frame: FrameType | None) -> None:
        if not self._is_closing:
            self.code = 128 + number
            raise KeyboardInterrupt
