"""Binary input streams: files, pipes and standard input, decompressed by what they hold, not by their names.

gzip, bzip2, xz and zstd are recognised by their first bytes. Decompression goes in steps of 1 MiB, so that a
small file cannot fill the memory, and stops when the output is out of all proportion to the input
(``max_expansion``).
"""

from __future__ import annotations

import io
import os
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import IO, Any, Protocol

from plait.errors import ConfigError, DataError, ResourceError
from plait.progress import Callback

__all__ = ["BLOCK_BYTES", "MAX_EXPANSION", "display_name", "open_input", "read_blocks", "zstd_module"]

BLOCK_BYTES = 1 << 20
"""Size of a step of reading and of decompression, in bytes."""

MAX_EXPANSION = 200.0
"""Default of ``max_expansion``. Text shrinks 3 to 30 times; gzip bombs grow 1,000 times, others far more."""

# Below this output the ratio is not looked at: no harm is done, and small files of repeated lines have high
# ratios.
_FREE_BYTES = 64 << 20

# The longest signature, that of bzip2.
_MAGIC_BYTES = 10

Path = str | os.PathLike[str]


def display_name(path: Path, *, standard: str = "standard input") -> str:
    """Return the name of a file for messages: ``standard`` for "-", escaped when it has odd characters."""
    name = os.fspath(path)
    if name == "-":
        return standard
    return name if name.isprintable() else repr(name)


def open_input(path: Path, *, max_expansion: float | None = MAX_EXPANSION) -> io.BufferedReader:
    r"""Open a file for reading bytes, decompressing what is compressed.

    Parameters
    ----------
    path
        A file, a named pipe, or "-" for standard input.
    max_expansion
        The largest ratio of decompressed to compressed bytes, looked at after the first 64 MiB; None for no
        limit.

    Returns
    -------
    io.BufferedReader
        The plain bytes. Its lines end at ``\n`` only.

    Raises
    ------
    OSError
        When the file cannot be opened or read; ``filename`` is set.
    plait.errors.DataError
        While reading: the compressed data is cut short or damaged.
    plait.errors.ResourceError
        While reading: the data expands beyond ``max_expansion``.
    plait.errors.ConfigError
        The data is zstd, and this Python has no module for it.
    """
    name = display_name(path)
    file: IO[bytes] = _standard_input() if os.fspath(path) == "-" else open(path, "rb", buffering=0)
    try:
        source = _Source(file, name)
        raw = _Decompressing(source, _coder_of(source), max_expansion)
    except BaseException:
        if not _is_standard_input(file):
            file.close()
        raise
    return io.BufferedReader(raw, BLOCK_BYTES)


def read_blocks(
    path: Path, *, max_expansion: float | None = MAX_EXPANSION, progress: Callback | None = None
) -> Iterator[bytes]:
    """Yield the plain bytes of a file in blocks of at most 1 MiB; see `open_input`.

    ``progress`` is called as ``progress("reading", done, total, ())``, in MiB of the file as it is stored, compressed
    or not; of what has no size, such as a pipe, ``total`` is 0.
    """
    with open_input(path, max_expansion=max_expansion) as stream:
        assert isinstance(stream.raw, _Decompressing)
        total = -(-stream.raw.size() // BLOCK_BYTES)
        while block := stream.read1(BLOCK_BYTES):
            if progress is not None:
                progress("reading", stream.raw.taken // BLOCK_BYTES, total, ())
            yield block
        if progress is not None and total:
            progress("reading", total, total, ())


class _Source:
    """The bytes of the file itself, with a look ahead."""

    def __init__(self, file: IO[bytes], name: str) -> None:
        self.file = file
        self.name = name
        self.taken = 0
        self._ahead = b""

    def peek(self, size: int) -> bytes:
        """Return the next ``size`` bytes, or fewer at the end, without taking them."""
        while len(self._ahead) < size and (more := self._read(BLOCK_BYTES)):
            self._ahead += more
        return self._ahead[:size]

    def take(self) -> bytes:
        """Return the next bytes, at most 1 MiB; none at the end."""
        block = self._ahead or self._read(BLOCK_BYTES)
        self._ahead = b""
        self.taken += len(block)
        return block

    def put_back(self, data: bytes) -> None:
        self._ahead = data + self._ahead
        self.taken -= len(data)

    def _read(self, size: int) -> bytes:
        # read1, where there is one, returns what a pipe holds instead of waiting for a whole block.
        read = getattr(self.file, "read1", self.file.read)
        try:
            data: bytes = read(size)
        except OSError as problem:
            raise type(problem)(problem.errno, problem.strerror, self.name) from problem
        return data

    def close(self) -> None:
        if not _is_standard_input(self.file):
            self.file.close()


def _standard_input() -> IO[bytes]:
    """Return standard input, without its buffer if it is a descriptor.

    Python aborts at its end when a thread still waits inside the buffer, as one does after Ctrl-C.
    """
    buffer: IO[bytes] = sys.stdin.buffer
    raw = getattr(buffer, "raw", None)
    return raw if isinstance(raw, io.FileIO) else buffer


def _is_standard_input(file: object) -> bool:
    # A notebook's stream has no buffer, and a program without a console no stream.
    buffer = getattr(sys.stdin, "buffer", None)
    return file is buffer or (buffer is not None and file is getattr(buffer, "raw", None))


class _Decoder(Protocol):
    """What the decompressors of bz2, lzma and zstd have in common."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /, max_length: int = ...) -> bytes: ...


class _GzipDecoder:
    """zlib's decompressor with the interface of the others."""

    def __init__(self) -> None:
        self._zlib = zlib.decompressobj(wbits=31)

    @property
    def eof(self) -> bool:
        return self._zlib.eof

    @property
    def needs_input(self) -> bool:
        return not self._zlib.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._zlib.unused_data

    def decompress(self, data: bytes, /, max_length: int = 0) -> bytes:
        return self._zlib.decompress(self._zlib.unconsumed_tail + data, max_length)


class _Coder:
    """A compressed format: its name, first bytes, decompressor and the error it raises on damage."""

    def __init__(
        self,
        name: str,
        magics: tuple[bytes, ...],
        decoder: Callable[[], _Decoder],
        errors: Callable[[], type[Exception]],
    ) -> None:
        self.name = name
        self.magics = magics
        self.decoder = decoder
        self.errors = errors


def zstd_module() -> Any:
    """Return the zstd module of the standard library (3.14) or its backport.

    Raises
    ------
    plait.errors.ConfigError
        Neither is there.
    """
    for name in ("compression.zstd", "backports.zstd"):
        try:
            return import_module(name)
        except ModuleNotFoundError:
            continue
    raise ConfigError(
        "zstd data needs Python 3.14 or the package backports.zstd; install it: pip install 'plait[zstd]'"
    )


_BZIP2 = tuple(
    b"BZh%d" % level + block
    for level in range(1, 10)
    for block in (b"\x31\x41\x59\x26\x53\x59", b"\x17\x72\x45\x38\x50\x90")
)

# Most files are plain, and few of these modules are needed in a process: each comes with the first file of its kind.
_CODERS = (
    _Coder("gzip", (b"\x1f\x8b",), _GzipDecoder, lambda: zlib.error),
    # "BZh" alone may begin a text; the level and the signature of the first block do not.
    _Coder("bzip2", _BZIP2, lambda: import_module("bz2").BZ2Decompressor(), lambda: OSError),
    _Coder(
        "xz",
        (b"\xfd7zXZ\x00",),
        lambda: import_module("lzma").LZMADecompressor(),
        lambda: import_module("lzma").LZMAError,
    ),
    # A frame, and the 16 kinds of skippable frames that may come before it.
    _Coder(
        "zstd",
        (b"\x28\xb5\x2f\xfd", *(bytes([0x50 + n]) + b"\x2a\x4d\x18" for n in range(16))),
        lambda: zstd_module().ZstdDecompressor(),
        lambda: zstd_module().ZstdError,
    ),
)


def _coder_of(source: _Source) -> _Coder | None:
    start = source.peek(_MAGIC_BYTES)
    return next((coder for coder in _CODERS if start.startswith(coder.magics)), None)


class _Decompressing(io.RawIOBase):
    """The plain bytes of a source, read in steps."""

    def __init__(self, source: _Source, coder: _Coder | None, max_expansion: float | None) -> None:
        self._source = source
        self._coder = coder
        self._decoder = coder.decoder() if coder else None
        self._errors = coder.errors() if coder else OSError
        self._max_expansion = max_expansion
        self._given = 0
        # Plain bytes that did not fit the caller's buffer.
        self._rest = memoryview(b"")

    @property
    def taken(self) -> int:
        """Bytes of the source that were read."""
        return self._source.taken

    def size(self) -> int:
        """Return the number of bytes of the source, 0 when it has no end that is known."""
        try:
            found = os.fstat(self._source.file.fileno())
        except (OSError, ValueError):
            return 0
        return found.st_size if stat.S_ISREG(found.st_mode) else 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._rest:
            self._rest = memoryview(self._next())
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size

    def close(self) -> None:
        if not self.closed:
            self._source.close()
        super().close()

    def _next(self) -> bytes:
        if self._coder is None:
            return self._source.take()
        while True:
            if self._decoder is None or (self._decoder.eof and not self._start_member(self._coder)):
                return b""
            data = self._step(self._coder, self._decoder)
            self._given += len(data)
            self._check_expansion()
            if data:
                return data

    def _step(self, coder: _Coder, decoder: _Decoder) -> bytes:
        block = b""
        if decoder.needs_input:
            block = self._source.take()
            if not block:
                raise self._damage("is cut short")
        try:
            return decoder.decompress(block, max_length=BLOCK_BYTES)
        except self._errors as problem:
            raise self._damage(f"is damaged ({problem})") from problem

    def _start_member(self, coder: _Coder) -> bool:
        """Go on with the next of several compressed streams in one file; return False at the end."""
        assert self._decoder is not None
        self._source.put_back(self._decoder.unused_data)
        # Tapes and block devices pad with zeros.
        while (start := self._source.peek(_MAGIC_BYTES)).startswith(b"\0"):
            self._source.put_back(self._source.take().lstrip(b"\0"))
        if not start:
            self._decoder = None
            return False
        if not start.startswith(coder.magics):
            raise self._damage("has something else behind it")
        self._decoder = coder.decoder()
        return True

    def _damage(self, what: str) -> DataError:
        kind = self._coder.name if self._coder else ""
        return DataError(
            f"{self._source.name}: the {kind} data {what}, after {self._given} bytes of text; "
            "copy or make the file again"
        )

    def _check_expansion(self) -> None:
        if self._max_expansion is None or self._given <= _FREE_BYTES:
            return
        if self._given > self._max_expansion * max(self._source.taken, 1):
            raise ResourceError(
                f"{self._source.name}: {self._source.taken} compressed bytes expand over "
                f"{self._max_expansion:g} times, to {self._given} so far; if the file is sound, raise "
                "max_expansion or decompress it yourself"
            )
