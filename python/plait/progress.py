"""How far long work is: a bar for people, JSON lines for machines, or nothing."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from typing import IO, TYPE_CHECKING, Literal

from plait.errors import ConfigError

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

__all__ = ["Callback", "Reporter", "reporter"]

Callback = Callable[[str, int, int, Sequence[tuple[str, float]]], None]
"""What the core calls: ``(stage, done, total, figures)``."""


class Reporter:
    """Shows nothing; base of those that show something. A context manager, and a `Callback`.

    Attributes
    ----------
    tokens
        Tokens (both sides) that one unit of progress goes through, for a speed in tokens per second; 0 when unknown.
    """

    def __init__(self) -> None:
        self.tokens = 0

    def __enter__(self) -> Reporter:
        """Start."""
        return self

    def __exit__(self, *_: object) -> None:
        """Stop, whatever happened."""

    def __call__(self, stage: str, done: int, total: int, figures: Sequence[tuple[str, float]] = ()) -> None:
        """Hear that a stage has reached ``done`` of ``total``."""


class JsonReporter(Reporter):
    """Writes a JSON object a line: stage, done, total, seconds since the start, tokens per second, named figures."""

    def __init__(self, stream: IO[str]) -> None:
        super().__init__()
        self._stream = stream
        self._start = time.monotonic()
        self._stage: tuple[str, float] = ("", self._start)

    def __call__(self, stage: str, done: int, total: int, figures: Sequence[tuple[str, float]] = ()) -> None:
        """Write one line."""
        now = time.monotonic()
        if stage != self._stage[0]:
            self._stage = (stage, now)
        elapsed = now - self._stage[1]
        record: dict[str, object] = {
            "stage": stage,
            "done": done,
            "total": total,
            "seconds": round(now - self._start, 3),
        }
        if done > 0 and elapsed > 0 and self.tokens:
            record["tokens_per_second"] = round(done * self.tokens / elapsed)
            record["seconds_left"] = round((total - done) * elapsed / done, 3)
        record |= dict(figures)
        print(json.dumps(record), file=self._stream, flush=True)


class BarReporter(Reporter):
    """Draws a bar with the time left, tokens per second and named figures on standard error."""

    def __init__(self) -> None:
        super().__init__()
        self._bar: RichProgress | None = None
        self._task: TaskID | None = None
        self._stage = ""
        self._since = 0.0

    def __enter__(self) -> BarReporter:
        """Start drawing."""
        # Drawing is for people at a terminal; others do not pay for the import.
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}"),
            console=Console(stderr=True),
            transient=True,
        )
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, stage: str, done: int, total: int, figures: Sequence[tuple[str, float]] = ()) -> None:
        """Move the bar."""
        if self._bar is None:
            return
        now = time.monotonic()
        if stage != self._stage or self._task is None:
            if self._task is not None:
                self._bar.remove_task(self._task)
            self._task = self._bar.add_task(stage, total=total, note="")
            self._stage, self._since = stage, now
        notes = [f"{name} {value:,.4g}" for name, value in figures]
        elapsed = now - self._since
        if done > 0 and elapsed > 0 and self.tokens:
            notes.insert(0, f"{done * self.tokens / elapsed / 1e6:.1f}M tokens/s")
        self._bar.update(self._task, completed=done, total=total, note="  ".join(notes))


def reporter(kind: Literal["auto", "bar", "json", "none"] = "auto") -> Reporter:
    """Return a reporter on standard error.

    Parameters
    ----------
    kind
        "bar", "json" (a JSON object a line), "none", or "auto": a bar when standard error is a terminal.
    """
    if kind == "auto":
        kind = "bar" if sys.stderr.isatty() else "none"
    if kind == "bar":
        return BarReporter()
    if kind == "json":
        return JsonReporter(sys.stderr)
    if kind == "none":
        return Reporter()
    raise ConfigError(name="progress", expected="one of auto, bar, json, none", found=repr(kind))
