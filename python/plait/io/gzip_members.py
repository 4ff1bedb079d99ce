"""Gzip in members of a fixed size, several at a time."""

from __future__ import annotations

import io
import zlib
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from typing import IO, Any

__all__ = ["MEMBER_BYTES", "GzipMembers"]

MEMBER_BYTES = 1 << 20
"""Plain bytes of a member. Part of the format, not of the machine: the output does not depend on the threads."""

_LEVEL = 6
# A window of 32 KiB, and gzip's header and trailer: without a name and with a time of 0.
_GZIP = 31


class GzipMembers(io.RawIOBase):
    """Compresses what is written into one gzip member after the other, which readers of gzip take as one file.

    Parameters
    ----------
    file
        Where the members go; closing leaves it open.
    threads
        Members that are compressed at the same time.

    Notes
    -----
    A member costs 18 bytes and a fresh dictionary, together about half a thousandth of the size. Memory is two
    megabytes a thread.
    """

    def __init__(self, file: IO[bytes], threads: int) -> None:
        super().__init__()
        self._file = file
        self._threads = threads
        self._plain = bytearray()
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="plait-gzip") if threads > 1 else None
        self._pending: deque[Future[bytes]] = deque()
        self._members = 0

    def writable(self) -> bool:
        """Return that it can be written to."""
        return True

    def write(self, data: Any) -> int:
        """Take bytes; return their number."""
        self._plain += data
        while len(self._plain) >= MEMBER_BYTES:
            self._add(bytes(memoryview(self._plain)[:MEMBER_BYTES]))
            del self._plain[:MEMBER_BYTES]
        return len(data)

    def close(self) -> None:
        """Write what is left; a file of nothing is one empty member."""
        if self.closed:
            return
        try:
            if self._plain or not self._members:
                self._add(bytes(self._plain))
                self._plain.clear()
            while self._pending:
                self._file.write(self._pending.popleft().result())
        finally:
            # After an error, members that nobody waits for are not begun.
            self._pending.clear()
            if self._pool is not None:
                self._pool.shutdown(wait=False, cancel_futures=True)
            super().close()

    def _add(self, plain: bytes) -> None:
        self._members += 1
        if self._pool is None:
            self._file.write(_member(plain))
            return
        self._pending.append(self._pool.submit(_member, plain))
        # One waits for each thread, so that none is idle and memory does not grow.
        while len(self._pending) > 2 * self._threads:
            self._file.write(self._pending.popleft().result())


def _member(plain: bytes) -> bytes:
    coder = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
    return coder.compress(plain) + coder.flush()
