"""The memory that this process has taken. It needs nothing but Python, for rivals' environments."""

from __future__ import annotations

import resource
import sys


def peak_mb() -> float:
    """Return the largest resident set of this process since its program began, in MB.

    On Linux `ru_maxrss` begins with the memory of the process that started this one, which can be larger than a small
    model; the peak of the address space, which begins with the program, cannot.
    """
    try:
        with open("/proc/self/status", encoding="ascii") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) / 1024
    except (OSError, StopIteration):
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        # Bytes on macOS, KiB elsewhere.
        return peak / (1 << 20 if sys.platform == "darwin" else 1024)
