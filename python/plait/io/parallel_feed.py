"""Two independent readers on two threads, with the outcome of reading one after the other."""

from __future__ import annotations

import threading
from collections.abc import Callable

__all__ = ["feed_two"]


def feed_two(first: Callable[[threading.Event], None], second: Callable[[threading.Event], None]) -> None:
    """Run ``first`` on this thread and ``second`` beside it.

    The error of ``first`` is raised if it has one, otherwise that of ``second``: what the caller sees does
    not depend on timing. When ``first`` fails or is interrupted, the event tells ``second`` that nobody
    waits for it; it is not joined then, because it may hang in a read of a pipe, and Ctrl-C must answer.
    """
    nobody_waits = threading.Event()
    failure: list[BaseException] = []

    def run() -> None:
        try:
            second(nobody_waits)
        except BaseException as problem:
            failure.append(problem)

    thread = threading.Thread(target=run, name="plait-target-reader", daemon=True)
    thread.start()
    try:
        first(nobody_waits)
        while thread.is_alive():
            # In slices: not every platform lets a signal end an unlimited wait.
            thread.join(0.1)
    except BaseException:
        nobody_waits.set()
        raise
    if failure:
        raise failure[0]
