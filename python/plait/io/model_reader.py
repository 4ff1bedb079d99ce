"""The bytes of a model file on their way in: header and arrays, checked against their checksums as they are read.

What stands in the file is described in ``docs/design/models.md``; `plait.models` gives it its meaning.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
from collections.abc import Iterator, Mapping
from typing import IO, TYPE_CHECKING, Any, NoReturn

from plait.errors import DataError, ModelFileError
from plait.io.safetensors import LENGTH_BYTES, MAX_HEADER_BYTES, Block, Tensor, parse_header
from plait.io.streams import BLOCK_BYTES, Path, open_input

if TYPE_CHECKING:
    from hashlib import _Hash

# Every model file begins so, after the length of the header, in every version of the format.
START = b'{"__metadata__":{"format":"plait-model","header":"sha256:'
NO_DIGEST = "0" * 64
# What is hashed and written or read at a time: small enough for the cache, large enough for the disk.
STEP = 4 << 20


def checksum(part: memoryview) -> str:
    """Return the checksum of some bytes as model files have it."""
    return "sha256:" + sha256(part).hexdigest()


def sha256(part: bytes | memoryview = b"") -> _Hash:
    """Return the digest of some bytes, to which more can be added.

    hashlib is imported here and not above: it brings in OpenSSL, 4 MB that a process without model files does without.
    """
    import hashlib

    return hashlib.sha256(part)


class FileSource:
    """A plain file on the disk, from its start."""

    def __init__(self, file: IO[bytes], size: int) -> None:
        self.size = size
        self._file = file

    def read(self, size: int) -> bytes:
        """Return the next bytes; fewer at the end."""
        data = bytearray(size)
        return bytes(data[: self._fill(memoryview(data))])

    def take(self, size: int) -> tuple[memoryview, str]:
        """Return the next bytes, read-only, and their checksum."""
        part = memoryview(bytearray(size))
        digest = sha256()
        for start in range(0, len(part), STEP):
            step = part[start : start + STEP]
            # A file that is cut while it is read gives fewer bytes; the checksum tells.
            digest.update(step[: self._fill(step)])
        return part.toreadonly(), "sha256:" + digest.hexdigest()

    def _fill(self, view: memoryview) -> int:
        done = 0
        while done < len(view) and (count := self._file.readinto(view[done:])):  # type: ignore[attr-defined]
            done += count
        return done


class MemorySource:
    """Bytes in memory; what is taken are views of them."""

    def __init__(self, data: bytearray) -> None:
        self.size = len(data)
        self._rest = memoryview(data).toreadonly()

    def read(self, size: int) -> bytes:
        """Return the next bytes; fewer at the end."""
        return bytes(self._take(size))

    def take(self, size: int) -> tuple[memoryview, str]:
        """Return the next bytes, read-only, and their checksum."""
        part = self._take(size)
        return part, checksum(part)

    def _take(self, size: int) -> memoryview:
        part, self._rest = self._rest[:size], self._rest[size:]
        return part


@contextlib.contextmanager
def opened(path: Path, name: str) -> Iterator[FileSource | MemorySource]:
    """Open a file that begins as a model file does, plain or compressed."""
    # A pipe must not be opened twice.
    if os.fspath(path) != "-" and stat.S_ISREG(os.stat(path).st_mode):
        with open(path, "rb", buffering=0) as file:
            if file.read(LENGTH_BYTES + len(START)).endswith(START):
                file.seek(0)
                yield FileSource(file, os.fstat(file.fileno()).st_size)
                return
    yield MemorySource(_decompressed(path, name))


def _decompressed(path: Path, name: str) -> bytearray:
    """Return the bytes of a compressed file or a pipe; of any other file no more than its start."""
    data = bytearray()
    try:
        with open_input(path) as stream:
            while block := stream.read1(BLOCK_BYTES):
                data += block
                if len(data) >= LENGTH_BYTES + len(START) and not data.startswith(START, LENGTH_BYTES):
                    break
    except DataError as problem:
        raise ModelFileError(str(problem)) from None
    if data.startswith(START, LENGTH_BYTES):
        return data
    if not data:
        found = "an empty file"
    elif data[LENGTH_BYTES : LENGTH_BYTES + 2] == b'{"':
        found = "a safetensors file of another program, or one whose start is damaged"
    else:
        found = f"a file that starts with {bytes(data[:8])!r}"
    raise ModelFileError(
        f"{name}: this is no model file of plait; found {found}; give a file that plait has saved, or copy it again"
    )


class ModelReader:
    """The parts of a model file in their order."""

    def __init__(self, source: FileSource | MemorySource, name: str) -> None:
        self._source = source
        self._name = name
        self._header_bytes = 0

    def header(self) -> tuple[dict[str, str], list[Tensor]]:
        """Return what the header says, after checking that it is what was written."""
        length = self._source.read(LENGTH_BYTES)
        count = self._header_bytes = int.from_bytes(length, "little")
        rest = self._source.size - LENGTH_BYTES
        if count > min(rest, MAX_HEADER_BYTES):
            self.damaged(f"its header should have {count:,} bytes, but the file has {rest:,} after the length")
        header = self._source.read(count)
        at = len(START), len(START) + len(NO_DIGEST)
        unsigned = header[: at[0]] + NO_DIGEST.encode() + header[at[1] :]
        if sha256(length + unsigned).hexdigest().encode() != header[at[0] : at[1]]:
            self.damaged("the checksum of its header is wrong")
        try:
            return parse_header(header)
        except ValueError as problem:
            self.damaged(f"its header cannot be read: {problem}")

    def check_size(self, tensors: list[Tensor]) -> None:
        """Compare what the header announces with the size of the file, before anything is allocated."""
        expected = LENGTH_BYTES + self._header_bytes + (tensors[-1].stop if tensors else 0)
        if self._source.size < expected:
            self.damaged(f"it is cut short after {self._source.size:,} of {expected:,} bytes")
        if self._source.size > expected:
            self.damaged(f"it has {self._source.size - expected:,} bytes behind its end")

    def json(self, fields: Mapping[str, str], name: str) -> dict[str, Any]:
        """Return a field that holds a JSON object."""
        try:
            value = json.loads(fields[name])
        except (KeyError, ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            self.damaged(f"its field {name!r} is no JSON object")
        return value

    def block(self, tensor: Tensor, expected: object) -> Block:
        """Return the next array, after checking that it is what was written."""
        data, found = self._source.take(tensor.stop - tensor.start)
        if found != expected:
            self.damaged(f"the checksum of the array {tensor.name!r} is wrong")
        if tensor.dtype.code == "BOOL" and data.tobytes().strip(b"\0\1"):
            self.damaged(f"the Boolean array {tensor.name!r} has other values than 0 and 1")
        return Block(tensor.dtype, tensor.shape, data)

    def damaged(self, what: str) -> NoReturn:
        """Refuse the file."""
        raise ModelFileError(f"{self._name}: the model file is damaged: {what}; copy the file or make the model again")
