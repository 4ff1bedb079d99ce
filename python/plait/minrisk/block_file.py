"""Blocks of forests in a file: written in one go, read a block at a time into the same memory.

The file begins with a magic number and a version. Blocks follow, each padded to a multiple of 8 bytes: its numbers of
64 bits, then those of 32, then those of 16, little-endian, as ``rust/core/src/minrisk/block.rs`` describes them. At the
end stands an index in JSON (names of features, and place, sizes and checksum of each block), its length, its checksum
and the magic number again. So a file can be written as forests come, and one that is cut short has no end.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from plait import _core
from plait.errors import ModelFileError
from plait.io.atomic import OutputFile
from plait.io.streams import Path, display_name

__all__ = ["Arrays", "Block", "BlockFile", "BlockWriter", "Index"]

FORMAT_VERSION = 1
_MAGIC = b"plait-forests\r\n\x1a"
_START_BYTES = len(_MAGIC) + 8
_DIGEST_BYTES = hashlib.sha256().digest_size
_END_BYTES = 8 + _DIGEST_BYTES + len(_MAGIC)
_WORD = 8

Arrays = tuple[int, int, npt.NDArray[np.float64], npt.NDArray[np.uint32], npt.NDArray[np.uint16]]
"""A block as the core takes it: the number of its first forest, its forests, and what has 64, 32 and 16 bits."""


@dataclass(frozen=True)
class Block:
    """Where a block stands.

    Attributes
    ----------
    start
        Its first byte.
    first, forests
        The number of its first forest, and how many it holds.
    doubles, words, shorts
        How many numbers of 64, 32 and 16 bits it has.
    digest
        The SHA-256 of its bytes, padding included, in hexadecimal digits.
    """

    start: int
    first: int
    forests: int
    doubles: int
    words: int
    shorts: int
    digest: str

    @property
    def size(self) -> int:
        """Bytes, padding included."""
        return _padded(8 * self.doubles + 4 * self.words + 2 * self.shorts)


@dataclass(frozen=True)
class Index:
    """What a file of blocks says of itself.

    Attributes
    ----------
    feature_names
        The name of each feature, by id.
    blocks
        In order.
    empty, nodes, edges
        How many forests are empty, and the nodes and edges of the others.
    """

    feature_names: tuple[str, ...]
    blocks: tuple[Block, ...]
    empty: int
    nodes: int
    edges: int


class BlockWriter:
    """Writes blocks to an open file, and the index at the end."""

    def __init__(self, out: OutputFile) -> None:
        self._out = out
        self._at = out.write(_MAGIC + FORMAT_VERSION.to_bytes(8, "little"))
        self._blocks: list[Block] = []

    def write(self, arrays: Arrays) -> None:
        """Write a block."""
        first, forests, doubles, words, shorts = arrays
        # NumPy has no little-endian type of its own where that is the machine's.
        parts = [doubles.astype("<f8", copy=False), words.astype("<u4", copy=False), shorts.astype("<u2", copy=False)]
        digest = hashlib.sha256()
        written = 0
        for part in [*(part.view(np.uint8) for part in parts), None]:
            data = part.data if part is not None else memoryview(bytes(_padded(written) - written))
            digest.update(data)
            written += self._out.write(data)
        block = Block(self._at, first, forests, len(doubles), len(words), len(shorts), digest.hexdigest())
        self._blocks.append(block)
        self._at += written

    def finish(self, feature_names: Sequence[str], *, empty: int, nodes: int, edges: int) -> None:
        """Write the index."""
        fields = {
            "plait_version": _core.__version__,
            "feature_names": list(feature_names),
            "blocks": [[b.start, b.first, b.forests, b.doubles, b.words, b.shorts, b.digest] for b in self._blocks],
            "empty": empty,
            "nodes": nodes,
            "edges": edges,
        }
        index = json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()
        self._out.write(index)
        self._out.write(len(index).to_bytes(8, "little") + hashlib.sha256(index).digest() + _MAGIC)


class BlockFile:
    """An open file of blocks.

    Raises
    ------
    plait.errors.ModelFileError
        The file is none of blocks, cut short, damaged, or of a newer version.
    OSError
        It cannot be opened or read.
    """

    def __init__(self, path: Path) -> None:
        self.path = os.fspath(path)
        self.name = display_name(path)
        with open(self.path, "rb", buffering=0) as file:
            self._number = os.dup(file.fileno())
        # Nobody need close what nobody uses any more.
        self._closer = weakref.finalize(self, os.close, self._number)
        self._lock = threading.Lock()
        self._state = self._now()
        self.index = self._read_index()
        self._checked = [False] * len(self.index.blocks)

    def close(self) -> None:
        """Close the file."""
        self._closer()

    @property
    def is_closed(self) -> bool:
        """Whether it is closed."""
        return not self._closer.alive

    def begin(self) -> npt.NDArray[np.uint64]:
        """Prepare to go through the file once; return memory that holds any of its blocks, to be filled.

        Checksums and contents of blocks are looked at when they are read for the first time, and again when the file
        has another time of change or size than before.
        """
        state = self._now()
        if state != self._state:
            self._state = state
            self._checked = [False] * len(self._checked)
        return self.memory()

    def memory(self) -> npt.NDArray[np.uint64]:
        """Return memory that holds any of the blocks."""
        largest = max((block.size for block in self.index.blocks), default=0)
        return np.empty(largest // _WORD, np.uint64)

    def read(self, number: int, memory: npt.NDArray[np.uint64]) -> Arrays:
        """Read a block; its arrays are views of the memory. Any thread may call.

        Raises
        ------
        plait.errors.ModelFileError
            The block is damaged.
        """
        block = self.index.blocks[number]
        data = memory[: block.size // _WORD].view(np.uint8)
        self._fill(block.start, data.data)
        if not self._checked[number]:
            if hashlib.sha256(data.data).hexdigest() != block.digest:
                self._damaged(f"the checksum of block {number} does not fit")
            try:
                _core.check_risk_block(_arrays(block, data), len(self.index.feature_names))
            except ModelFileError as problem:
                self._damaged(f"block {number}: {problem}")
            self._checked[number] = True
        return _arrays(block, data)

    def _read_index(self) -> Index:
        start = self._read(0, min(_START_BYTES, self._state[0]))
        if not start.startswith(_MAGIC):
            raise ModelFileError(
                f"{self.name}: this is no file of forests for training; make it with TrainingSet.build"
            )
        if len(start) < _START_BYTES:
            self._damaged("it is cut short")
        version = int.from_bytes(start[len(_MAGIC) :], "little")
        if version != FORMAT_VERSION:
            raise ModelFileError(
                f"{self.name}: the file has format version {version}; this is plait {_core.__version__}, which reads "
                f"version {FORMAT_VERSION}; upgrade plait (pip install -U plait), or build the file again"
            )
        index_start, text = self._read_end()
        try:
            index = _index_of(json.loads(text))
        except (ValueError, TypeError, KeyError, RecursionError) as problem:
            self._damaged(f"its index is no index ({problem})")
        at, first = _START_BYTES, 0
        for number, block in enumerate(index.blocks):
            if (block.start, block.first) != (at, first):
                self._damaged(f"block {number} is not where the one before it ends")
            at, first = at + block.size, first + block.forests
        if at != index_start:
            self._damaged("its blocks do not fill it")
        return index

    def _read_end(self) -> tuple[int, bytes]:
        """Return where the index starts, and its text."""
        end_start = self._state[0] - _END_BYTES
        if end_start < _START_BYTES:
            self._damaged("it is cut short")
        end = self._read(end_start, _END_BYTES)
        if not end.endswith(_MAGIC):
            self._damaged("it is cut short, or has bytes behind its end")
        length = int.from_bytes(end[:8], "little")
        if length > end_start - _START_BYTES:
            self._damaged("its index is longer than the file")
        text = self._read(end_start - length, length)
        if hashlib.sha256(text).digest() != end[8 : 8 + _DIGEST_BYTES]:
            self._damaged("the checksum of its index does not fit")
        return end_start - length, text

    def _read(self, start: int, size: int) -> bytes:
        data = bytearray(size)
        self._fill(start, memoryview(data))
        return bytes(data)

    def _fill(self, start: int, view: memoryview) -> None:
        """Read so many bytes from a place of the file."""
        done = 0
        while done < len(view):
            count = self._read_into(view[done:], start + done)
            if not count:
                self._damaged("it is cut short")
            done += count

    def _read_into(self, view: memoryview, place: int) -> int:
        """Read some bytes; evaluations on several threads share the file."""
        if hasattr(os, "preadv"):
            return os.preadv(self._number, [view], place)
        # Windows has no reading without moving.
        with self._lock:
            os.lseek(self._number, place, os.SEEK_SET)
            data = os.read(self._number, len(view))
        view[: len(data)] = data
        return len(data)

    def _now(self) -> tuple[int, int]:
        state = os.fstat(self._number)
        return state.st_size, state.st_mtime_ns

    def _damaged(self, problem: str) -> NoReturn:
        raise ModelFileError(f"{self.name}: the file of forests is damaged: {problem}; build it again")


def _arrays(block: Block, data: npt.NDArray[np.uint8]) -> Arrays:
    words, shorts = 8 * block.doubles, 8 * block.doubles + 4 * block.words
    return (
        block.first,
        block.forests,
        data[:words].view("<f8").astype(np.float64, copy=False),
        data[words:shorts].view("<u4").astype(np.uint32, copy=False),
        data[shorts : shorts + 2 * block.shorts].view("<u2").astype(np.uint16, copy=False),
    )


def _padded(size: int) -> int:
    return size + -size % _WORD


def _index_of(fields: dict[str, Any]) -> Index:
    names = fields["feature_names"]
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError("names of features must be texts")
    blocks = []
    for *sizes, digest in fields["blocks"]:
        if len(sizes) != 6 or not all(type(size) is int and 0 <= size < 2**62 for size in sizes):
            raise ValueError("sizes of blocks must be whole numbers")
        start, first, forests, doubles, words, shorts = sizes
        blocks.append(Block(start, first, forests, doubles, words, shorts, digest))
    counts = [fields[name] for name in ("empty", "nodes", "edges")]
    if not all(type(count) is int and count >= 0 for count in counts):
        raise ValueError("counts must be whole numbers")
    return Index(tuple(names), tuple(blocks), *counts)
