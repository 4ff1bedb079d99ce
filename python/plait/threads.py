"""How many threads plait may use."""

from __future__ import annotations

import operator
import os

from plait.errors import ConfigError

__all__ = ["available_threads", "resolve_threads"]

ENVIRONMENT = "PLAIT_NUM_THREADS"


def available_threads() -> int:
    """Return the number of CPUs this process may run on, capped by ``PLAIT_NUM_THREADS``.

    Returns
    -------
    int
        At least 1. Where the system can tell (Linux), only the CPUs of the process's affinity mask count, so
        that ``taskset`` and container limits that set the mask are respected.

    Raises
    ------
    ConfigError
        ``PLAIT_NUM_THREADS`` is set to something that is not a whole number above 0.
    """
    # `sched_getaffinity` is missing on macOS and Windows.
    affinity = getattr(os, "sched_getaffinity", None)
    cpus = len(affinity(0)) if affinity is not None else (os.cpu_count() or 1)
    text = os.environ.get(ENVIRONMENT, "").strip()
    if not text:
        return cpus
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise ConfigError(name=ENVIRONMENT, expected="a whole number above 0, or unset", found=repr(text))
    return min(cpus, int(text))


def resolve_threads(threads: int | None) -> int:
    """Return how many threads to use for an argument ``threads``.

    Parameters
    ----------
    threads : int or None
        The caller's wish; ``None`` asks `available_threads`. A wish above the number of CPUs is granted:
        results do not depend on it.

    Returns
    -------
    int
        At least 1.

    Raises
    ------
    ConfigError
        ``threads`` is no whole number, or below 1.
    """
    if threads is None:
        return available_threads()
    try:
        count = 0 if isinstance(threads, bool) else operator.index(threads)
    except TypeError:
        count = 0
    if count < 1:
        raise ConfigError(name="threads", expected="at least 1, or unset for all CPUs", found=threads)
    return count
