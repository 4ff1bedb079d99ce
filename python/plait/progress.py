"""How far long work is: a bar for people, JSON lines for machines, or nothing."""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import IO, TYPE_CHECKING, Literal

from plait.errors import ConfigError

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

__all__ = ["Callback", "Reporter", "duration", "reporter"]

SECONDS_BETWEEN_LINES = 0.1
Callback = Callable[[str, int, int, Sequence[tuple[str, float]]], None]
"""What the core calls: ``(stage, done, total, figures)``. A slow one misses reports, but not the first and last of a
stage."""


class Reporter:
    """Shows nothing; base of those that show something. A context manager, and a `Callback`.

    Attributes
    ----------
    tokens
        Tokens (both sides) that one unit of progress goes through, for a speed in tokens per second; 0 when unknown.
    shows_figures
        Whether named figures are shown, so that they are worth computing.
    """

    shows_figures = False

    def __init__(self) -> None:
        self.tokens = 0

    def __enter__(self) -> Reporter:
        """Start."""
        return self

    def __exit__(self, *_: object) -> None:
        """Stop, whatever happened."""

    def __call__(self, stage: str, done: int, total: int, figures: Sequence[tuple[str, float]] = ()) -> None:
        """Hear that a stage has reached ``done`` of ``total``."""

    def note(self, message: str) -> None:
        """Show a warning."""
        print(f"plait: warning: {message}", file=sys.stderr, flush=True)

    def announce(self, text: str, facts: Mapping[str, object]) -> None:
        """Hear what is known before the work begins, in words and in figures."""

    def summarize(self, text: str, facts: Mapping[str, object]) -> None:
        """Hear what a finished run has done, in words and in figures."""


class _Pace:
    """How fast a stage goes, from its first report on."""

    def __init__(self) -> None:
        self._stage = ""
        self._done = 0
        self._since = 0.0

    def update(self, stage: str, done: int, now: float) -> float | None:
        """Return units per second; None before there is anything to tell."""
        if stage != self._stage or done < self._done:
            self._stage, self._done, self._since = stage, done, now
            return None
        if done == self._done or now <= self._since:
            return None
        return (done - self._done) / (now - self._since)


class JsonReporter(Reporter):
    """Writes a JSON object a line, ten a second at most within a stage.

    Progress has stage, done, total, seconds since the start, from the second report of a stage on tokens_per_second
    and seconds_left, and named figures. A warning has the key warning; the last line, of stage "done", sums up.
    """

    shows_figures = True

    def __init__(self, stream: IO[str]) -> None:
        super().__init__()
        self._stream = stream
        self._start = time.monotonic()
        self._pace = _Pace()
        self._written = ("", self._start)

    def __call__(self, stage: str, done: int, total: int, figures: Sequence[tuple[str, float]] = ()) -> None:
        """Write one line."""
        now = time.monotonic()
        pace = self._pace.update(stage, done, now)
        if stage == self._written[0] and done < total and now < self._written[1] + SECONDS_BETWEEN_LINES:
            return
        self._written = (stage, now)
        record: dict[str, object] = {
            "stage": stage,
            "done": done,
            "total": total,
            "seconds": round(now - self._start, 3),
        }
        if pace is not None and self.tokens:
            record["tokens_per_second"] = round(pace * self.tokens)
        if pace is not None and total >= done:
            record["seconds_left"] = round((total - done) / pace, 3)
        # JSON has no word for infinity.
        record |= {name: value if math.isfinite(value) else None for name, value in figures}
        self._write(record)

    def note(self, message: str) -> None:
        """Write a warning as a line."""
        self._write({"warning": message})

    def announce(self, text: str, facts: Mapping[str, object]) -> None:
        """Write the figures as a line."""
        self._write(facts)

    def summarize(self, text: str, facts: Mapping[str, object]) -> None:
        """Write the figures as a line."""
        self._write({"stage": "done", **facts})

    def _write(self, record: Mapping[str, object]) -> None:
        print(json.dumps(record), file=self._stream, flush=True)


class QuietReporter(Reporter):
    """Shows no progress, but what a run has done; for standard error that is no terminal."""

    def summarize(self, text: str, facts: Mapping[str, object]) -> None:
        """Write the words."""
        print(f"plait: {text}", file=sys.stderr, flush=True)


class BarReporter(QuietReporter):
    """Draws a bar with the time left, tokens per second and named figures on standard error."""

    shows_figures = True

    def __init__(self) -> None:
        super().__init__()
        self._bar: RichProgress | None = None
        self._task: TaskID | None = None
        self._stage = ""
        self._pace = _Pace()

    def __enter__(self) -> BarReporter:
        """Start drawing."""
        # Drawing is for people at a terminal; others do not pay for the import.
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        self._bar = Progress(
            TextColumn("{task.description:<12}"),
            BarColumn(bar_width=24),
            # No column of rich's knows the speed of a stage apart from its preparation.
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
        if stage != self._stage or self._task is None:
            if self._task is not None:
                self._bar.remove_task(self._task)
            # What comes in one piece has a bar without an end.
            self._task = self._bar.add_task(stage, total=None if total <= 1 else total, note="")
            self._stage = stage
        pace = self._pace.update(stage, done, time.monotonic())
        notes = [f"{done}/{total}"] if total > 1 else []
        # Where the end is not known, neither is the time left.
        if pace is not None and total >= done:
            notes.append(f"{duration((total - done) / pace)} left")
            if self.tokens:
                notes.append(f"{pace * self.tokens / 1e6:.1f}M tokens/s")
        notes += [f"{name} {value:,.4g}" for name, value in figures]
        self._bar.update(self._task, completed=done, note="  ".join(notes))

    def note(self, message: str) -> None:
        """Show a warning above the bar."""
        if self._bar is None:
            super().note(message)
        else:
            self._print(f"plait: warning: {message}")

    def announce(self, text: str, facts: Mapping[str, object]) -> None:
        """Write the words above the bar."""
        if self._bar is not None:
            self._print(f"plait: {text}")

    def _print(self, line: str) -> None:
        assert self._bar is not None
        # Plain text: rich would read brackets as its markup.
        self._bar.console.print(line, markup=False, highlight=False, soft_wrap=True)

    def summarize(self, text: str, facts: Mapping[str, object]) -> None:
        """Write the words where the bar was."""
        if self._bar is not None:
            self._bar.stop()
        super().summarize(text, facts)


def duration(seconds: float) -> str:
    """Return a time for people: "4.2 s", "3:07", "1:02:45"."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def reporter(kind: Literal["auto", "bar", "json", "none"] = "auto") -> Reporter:
    """Return a reporter on standard error.

    Parameters
    ----------
    kind
        "bar", "json" (a JSON object a line), "none", or "auto": a bar when standard error is a terminal, otherwise
        only what the run has done, at its end.
    """
    if kind == "auto" and not sys.stderr.isatty():
        return QuietReporter()
    if kind == "auto":
        kind = "bar"
    if kind == "bar":
        return BarReporter()
    if kind == "json":
        return JsonReporter(sys.stderr)
    if kind == "none":
        return Reporter()
    raise ConfigError(name="progress", expected="one of auto, bar, json, none", found=repr(kind))
