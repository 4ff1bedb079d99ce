"""A file that grows with each evaluation of a function, so that an interrupted optimisation can be replayed."""

from __future__ import annotations

import hashlib
import os
import struct
from types import TracebackType
from typing import IO, NoReturn, Self

import numpy as np
import numpy.typing as npt

from plait.errors import ConfigError, ModelFileError, ResourceError

try:
    import fcntl
except ImportError:  # Windows has no flock; there nobody watches that two runs do not share a journal.
    fcntl = None  # type: ignore[assignment]

__all__ = ["Journal"]

Vector = npt.NDArray[np.float64]

_MAGIC = b"plait journal 1\n"
_DIGEST = 16
# What the function is asked (a byte), how many numbers it answers, and the digest of the point.
_HEAD = struct.Struct(f"<BI{_DIGEST}s")
# A checksum of the head alone: a damaged length must not pass for a record that was cut short.
_HEAD_DIGEST = 4


class Journal:
    """Answers of a function, recorded as they come and given again in the same order; a context manager.

    Parameters
    ----------
    path
        The file. One that is there is replayed if it belongs to the same work, and replaced if it is left from an
        earlier stage of it.
    run : bytes
        Tells the work: a digest of its options and data, 32 bytes.
    stage : int
        Tells the part of the work.
    start : ndarray of float64
        The point where this part starts.

    Raises
    ------
    ModelFileError
        On entry: the file is none, is damaged, or belongs to other work. A last record that was cut short, as a killed
        process leaves it, is dropped.
    ConfigError
        On entry: another process works with it.

    Notes
    -----
    A record has the digest of the point, the numbers, and a checksum that also covers all records before it. Each is
    handed to the system at once, so that it outlasts the process, not the power supply.
    """

    def __init__(self, path: str, *, run: bytes, stage: int, start: Vector) -> None:
        self.path = path
        self.stage = stage
        body = _MAGIC + run + struct.pack("<Q", stage) + _digest(start.astype("<f8").tobytes())
        self._header = body + _digest(body)
        self._run = run
        self._chain = b""
        self._file: IO[bytes] | None = None
        self._is_replaying = True

    def __enter__(self) -> Self:
        """Open the file and check all of it."""
        file = open(self.path, "a+b", 0)
        try:
            if fcntl is not None:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError:
                    raise ConfigError(f"{self.path}: another run works with this checkpoint; let it end") from None
            self._check(file)
        except BaseException:
            file.close()
            raise
        self._file = file
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file; it stays."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def recall(self, kind: int, point: Vector) -> Vector | None:
        """Return the next recorded answer, or None when all have been given.

        Raises
        ------
        ModelFileError
            The next one answers something else: the optimiser takes another way than it took before.
        """
        assert self._file is not None
        if not self._is_replaying:
            return None
        record = _read_record(self._file, self._chain)
        if record is None:
            self._is_replaying = False
            return None
        found_kind, found_point, values, self._chain = record
        if (found_kind, found_point) != (kind, _digest(point.tobytes())):
            self._refuse(
                "the optimiser asks for another point than the interrupted run did, as another version of SciPy or of "
                "its linear algebra may; use what that run used"
            )
        return values

    def record(self, kind: int, point: Vector, values: Vector) -> None:
        """Append an answer."""
        assert self._file is not None
        head = _HEAD.pack(kind, len(values), _digest(point.tobytes()))
        body = head + _digest(head)[:_HEAD_DIGEST] + values.astype("<f8").tobytes()
        self._chain = _digest(self._chain + body)
        # One call, which a signal does not split; a full disk cuts the record short, and it is dropped when resumed.
        data = memoryview(body + self._chain)
        try:
            while data:
                data = data[self._file.write(data) :]
        except OSError as problem:
            raise ResourceError(
                f"{self.path}: {problem.strerror}; make room, and call training again: it goes on from here"
            ) from problem

    def _check(self, file: IO[bytes]) -> None:
        """Leave the file with the header of this work and whole records, read up to the first record."""
        file.seek(0)
        header = file.read(len(self._header))
        if header != self._header:
            self._check_other(header)
            self._begin(file)
            return
        self._chain, whole = b"", file.tell()
        while (record := _read_record(file, self._chain, self.path)) is not None:
            self._chain, whole = record[3], file.tell()
        if whole < os.fstat(file.fileno()).st_size:
            file.truncate(whole)
        file.seek(len(self._header))
        self._chain = b""

    def _check_other(self, header: bytes) -> None:
        """Refuse a header that is not of an earlier stage of the same work, nor the beginning of ours."""
        if self._header.startswith(header):
            return
        body, checksum = header[:-_DIGEST], header[-_DIGEST:]
        if len(header) < len(self._header) and not _MAGIC.startswith(header[: len(_MAGIC)]):
            self._refuse("it is no journal")
        if len(header) == len(self._header) and checksum != _digest(body):
            self._refuse("it is no journal, or damaged")
        if len(header) == len(self._header) and body[len(_MAGIC) :][: len(self._run)] != self._run:
            self._refuse("it is the journal of another run, with other options or data")
        (stage,) = struct.unpack_from("<Q", header.ljust(len(self._header), b"\0"), len(_MAGIC) + len(self._run))
        if len(header) == len(self._header) and stage >= self.stage:
            self._refuse("it is the journal of another stage than the checkpoint is at")

    def _begin(self, file: IO[bytes]) -> None:
        file.truncate(0)
        file.seek(0)
        file.write(self._header)

    def _refuse(self, problem: str) -> NoReturn:
        raise ModelFileError(
            f"{self.path}: {problem}; remove this file to start the present stage again, and the checkpoint with it to "
            "start from the beginning"
        )


def _read_record(file: IO[bytes], chain: bytes, path: str = "") -> tuple[int, bytes, Vector, bytes] | None:
    """Read kind, digest of the point, answer and checksum of the next record; None at the end, or where it is cut."""
    start = file.tell()
    head = file.read(_HEAD.size + _HEAD_DIGEST)
    if len(head) < _HEAD.size + _HEAD_DIGEST:
        return None
    is_sound = head[_HEAD.size :] == _digest(head[: _HEAD.size])[:_HEAD_DIGEST]
    kind, count, point = _HEAD.unpack_from(head)
    if is_sound and os.fstat(file.fileno()).st_size - file.tell() < 8 * count + _DIGEST:
        return None
    numbers = file.read(8 * count if is_sound else 0)
    checksum = file.read(_DIGEST)
    if not is_sound or checksum != _digest(chain + head + numbers):
        raise ModelFileError(
            f"{path}: the record at byte {start} is damaged; remove this file to start the present stage again"
        )
    return kind, point, np.frombuffer(numbers, "<f8").astype(np.float64), checksum


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_DIGEST).digest()
