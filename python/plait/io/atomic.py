"""Output files that are whole or absent.

A file is written beside its place, flushed to the disk, and renamed when it is complete; on any error, Ctrl-C
included, it is removed and what stood in its place stays. Standard output, pipes and devices are written
directly, for there is nothing to rename.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import signal
import stat
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from types import TracebackType
from typing import IO, Self

from plait.errors import ConfigError, ResourceError
from plait.io.compressors import compressing
from plait.io.streams import Path, display_name

try:
    import fcntl
except ImportError:  # Windows has no flock; stray files of killed runs stay there.
    fcntl = None  # type: ignore[assignment]

__all__ = ["OutputFile", "OutputGroup"]

# Writes of a megabyte and more at a time took two to three times the system's time of these, measured on ext4.
# What is larger than the buffer goes past it, without another copy.
_WRITE_BYTES, _BUFFER_BYTES = 1 << 16, 1 << 15
_NO_ROOM = {errno.ENOSPC, errno.EFBIG} | ({errno.EDQUOT} if hasattr(errno, "EDQUOT") else set())
_DESCRIPTORS = re.compile(r"/dev/(stdout|stderr|fd/(\d+))|/proc/self/fd/(\d+)")
_TEMPORARY = ".plait-tmp"
_STRAY_SECONDS = 24 * 3600


class OutputFile:
    r"""A file to write bytes to, compressed as its name says; a context manager.

    Parameters
    ----------
    path
        Where the file goes; "-" is standard output. A symbolic link stays, and what it points to is replaced.
        The suffixes ``.gz .bz2 .xz .zst`` choose a compression.
    force
        Whether a file that exists may be replaced. It keeps its permissions.
    threads
        For ``.gz``: so many threads compress parts of a mebibyte, to the same bytes for any number. None: one part.

    Raises
    ------
    plait.errors.ConfigError
        On entry: the file exists, and ``force`` is false.
    OSError
        On entry: the folder is missing or cannot be written; ``filename`` is set.
    plait.errors.ResourceError
        While writing, or at the end: the disk is full. The file is then absent, or the old one.

    Examples
    --------
    >>> from plait.io.atomic import OutputFile
    >>> with OutputFile("links.txt.gz", force=True) as out:
    ...     _ = out.write(b"0-0 1-1\n")
    """

    def __init__(self, path: Path, force: bool = False, *, threads: int | None = None) -> None:
        self.path = os.fspath(path)
        self.name = display_name(path, standard="standard output")
        self.force = force
        self._threads = threads
        self._given = 0
        self._file: IO[bytes] | None = None
        self._stream: IO[bytes] | None = None
        self._target = ""
        self._temporary: str | None = None
        self._remover: weakref.finalize[[str, int], OutputFile] | None = None

    def __enter__(self) -> Self:
        """Open the file; nothing appears under its name yet."""
        try:
            self._open()
        except BaseException:
            self.discard()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Put the file in its place, or remove it when the block has failed."""
        try:
            if kind is None:
                self.complete()
                self.publish()
        finally:
            self.discard()

    def write(self, data: bytes | memoryview) -> int:
        """Write bytes (a memory view is one of bytes); return their number."""
        if self._stream is None:
            raise ValueError(f"{self.name} is not open; write inside its with block")
        with self._explained():
            step = _WRITE_BYTES if self._stream is self._file else max(len(data), 1)
            for start in range(0, len(data), step):
                self._stream.write(memoryview(data)[start : start + step])
        self._given += len(data)
        return len(data)

    def complete(self) -> None:
        """Bring everything to the disk; `publish` then only renames."""
        stream, file = self._stream, self._file
        if stream is None or file is None:
            return
        # When this fails or is interrupted, `discard` closes the file, without another attempt to write.
        with self._explained():
            if stream is not file:
                # Writes the trailer of a compressed stream; the file under it stays open.
                stream.close()
            file.flush()
            if self._temporary is not None:
                _sync(file.fileno())
            if not _is_standard_output(file):
                file.close()
        self._stream = self._file = None

    def publish(self) -> None:
        """Give the complete file its name."""
        if self._temporary is None:
            return
        if not self.force and os.path.lexists(self._target):
            # It has come while we worked.
            raise self._exists()
        with self._explained():
            os.replace(self._temporary, self._target)
        self._temporary = None
        if self._remover is not None:
            self._remover.detach()
        _sync_folder(os.path.dirname(self._target))

    def discard(self) -> None:
        """Close and remove what is not published; harmless afterwards and when repeated."""
        stream, self._stream = self._stream, None
        file, self._file = self._file, None
        if not _is_standard_output(file):
            # The descriptor first: what is left must not go to a full disk, or to a pipe that nobody reads.
            for part in (getattr(file, "raw", None), stream, file):
                if part is not None:
                    with contextlib.suppress(OSError, ValueError):
                        part.close()
        temporary, self._temporary = self._temporary, None
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        # Not before: an interrupt above leaves the removal to the finalizer.
        if self._remover is not None:
            self._remover.detach()

    def _open(self) -> None:
        if self.path == "-":
            self._file = self._stream = _standard_output()
            return
        if not self.path:
            raise ConfigError("the name of an output is empty; give a name, or - for standard output")
        self._file = self._open_direct() or self._open_temporary()
        self._stream = compressing(self._file, self.path, self._threads)

    def _open_direct(self) -> IO[bytes] | None:
        """Open what is no regular file; None for what is, or will be."""
        descriptor = _DESCRIPTORS.fullmatch(self.path)
        if descriptor:
            # Opening /dev/stdout anew would truncate the file behind it, and write from its start.
            number = {"stdout": "1", "stderr": "2"}.get(descriptor[1]) or descriptor[2] or descriptor[3]
            with self._explained():
                return os.fdopen(os.dup(int(number)), "wb", _BUFFER_BYTES)
        try:
            mode = os.stat(self.path).st_mode
        except FileNotFoundError:
            return None
        if stat.S_ISREG(mode):
            return None
        # A folder fails here, as it should.
        return open(self.path, "wb", _BUFFER_BYTES)

    def _open_temporary(self) -> IO[bytes]:
        self._target = os.path.realpath(self.path)
        folder, base = os.path.split(self._target)
        if self.path.endswith(os.sep):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), self.path)
        if not os.path.isdir(folder):
            raise FileNotFoundError(
                errno.ENOENT, f"there is no folder {display_name(folder)}; make it first", self.path
            )
        old = None
        if os.path.lexists(self._target):
            if not self.force:
                raise self._exists()
            old = os.stat(self._target)
            if not os.access(self._target, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), self.path)
        _remove_strays(folder, base)
        # The name is short even when that of the file is as long as may be.
        temporary = os.path.join(folder, f".{base[:100]}.{os.urandom(6).hex()}{_TEMPORARY}")
        self._temporary = temporary
        self._remover = weakref.finalize(self, _remove, temporary, os.getpid())
        with self._explained():
            # Mode 0666 minus the umask, as for any new file.
            number = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
            file = os.fdopen(number, "wb", _BUFFER_BYTES)
            if fcntl is not None:
                with contextlib.suppress(OSError):
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if old is not None and hasattr(os, "fchmod"):
            with contextlib.suppress(OSError):
                os.fchown(file.fileno(), old.st_uid, old.st_gid)
            with contextlib.suppress(OSError):
                os.fchmod(file.fileno(), stat.S_IMODE(old.st_mode))
        return file

    def _exists(self) -> ConfigError:
        return ConfigError(f"{self.name} exists; choose another name, or replace it with --force (force=True)")

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        """Name the file in errors of the system, and say what a full disk leaves."""
        try:
            yield
        except BrokenPipeError:
            raise
        except OSError as problem:
            if problem.errno in _NO_ROOM:
                left = "nothing was changed" if self._temporary else "the output is incomplete"
                raise ResourceError(
                    f"{self.name}: {problem.strerror} after {self._given} bytes of output; {left}; "
                    "make room or choose another folder"
                ) from problem
            raise type(problem)(problem.errno, problem.strerror, self.path) from problem


class OutputGroup:
    r"""Several files that appear together; a context manager.

    All are complete before the first gets its name.

    Parameters
    ----------
    force, threads
        As for `OutputFile`.

    Examples
    --------
    >>> from plait.io.atomic import OutputGroup
    >>> with OutputGroup(force=True) as group:
    ...     forward, reverse = group.open("forward.txt"), group.open("reverse.txt")
    ...     _ = forward.write(b"0-0\n"), reverse.write(b"0-0\n")
    """

    def __init__(self, force: bool = False, *, threads: int | None = None) -> None:
        self.force = force
        self._threads = threads
        self._files: list[OutputFile] = []

    def open(self, path: Path) -> OutputFile:
        """Open one more file of the group.

        Raises
        ------
        plait.errors.ConfigError
            The file exists, and ``force`` is false; or the group has it already. Otherwise as `OutputFile`.
        """
        place = _place(path)
        if any(_place(file.path) == place for file in self._files):
            raise ConfigError(f"{display_name(path, standard='standard output')} is named for two outputs")
        file = OutputFile(path, self.force, threads=self._threads)
        # Known before it is opened, so that an interrupt in between leaves nothing behind.
        self._files.append(file)
        return file.__enter__()

    def __enter__(self) -> Self:
        """Start with no file."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Put all files in their places, or remove all when the block has failed."""
        try:
            if kind is None:
                for file in self._files:
                    file.complete()
                with _interrupts_held():
                    for file in self._files:
                        file.publish()
        finally:
            for file in self._files:
                file.discard()


@contextlib.contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C and SIGTERM back until complete files have their names: all of them, not some.

    Only where Python handles them: in the main thread.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    held: list[int] = []
    numbers = [number for number in (signal.SIGINT, signal.SIGTERM) if callable(signal.getsignal(number))]
    before = {number: signal.signal(number, lambda number, _: held.append(number)) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for caught in held[:1]:
            signal.raise_signal(caught)


def _place(path: Path) -> str:
    name = os.fspath(path)
    return name if name == "-" else os.path.realpath(name)


def _remove(temporary: str, owner: int) -> None:
    # A forked child ends with a copy of the parent's object; the file is the parent's.
    if os.getpid() == owner:
        with contextlib.suppress(OSError):
            os.unlink(temporary)


def _remove_strays(folder: str, base: str) -> None:
    """Remove what killed runs have left of the same output: a day old, and locked by nobody."""
    if fcntl is None:
        return
    start = f".{base[:100]}."
    with contextlib.suppress(OSError), os.scandir(folder or ".") as entries:
        for entry in entries:
            if entry.name.startswith(start) and entry.name.endswith(_TEMPORARY):
                with contextlib.suppress(OSError):
                    _remove_stray(entry.path)


def _remove_stray(path: str) -> None:
    if time.time() - os.stat(path).st_mtime < _STRAY_SECONDS:
        return
    with open(path, "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.unlink(path)


def _standard_output() -> IO[bytes]:
    """Return a stream of its own to standard output.

    When a full disk fails a write, the bytes that are left in ``sys.stdout`` would fail again at exit.
    """
    sys.stdout.flush()
    try:
        number = sys.stdout.fileno()
    except (OSError, ValueError):
        # A test or a notebook has put something without a descriptor there.
        return sys.stdout.buffer
    return os.fdopen(os.dup(number), "wb", _BUFFER_BYTES)


def _is_standard_output(file: object) -> bool:
    # A notebook's stream has no buffer, and a program without a console no stream.
    return file is getattr(sys.stdout, "buffer", None)


def _sync(number: int) -> None:
    try:
        os.fsync(number)
    except OSError as problem:
        # Some network and user-space file systems have no such thing.
        if problem.errno not in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP):
            raise


def _sync_folder(folder: str) -> None:
    """Bring the new name to the disk, where the system can do that for a folder."""
    with contextlib.suppress(OSError):
        number = os.open(folder or ".", os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
