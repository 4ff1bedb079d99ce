"""The safetensors container: named arrays behind a JSON header.

A file is the length of the header in 8 bytes (little endian), the header, and the arrays one after the other without
gaps. The header is a JSON object with the dtype, shape and place of each array, and texts under ``__metadata__``. It is
padded with spaces to a multiple of 8 bytes, and arrays of large items come first, so that every array starts at a
multiple of the size of its items.

The container is read and written here, and not by the package of the same name, because a header takes a page to
parse, plait needs more checks than that package makes (checksums, no byte that nobody accounts for), and each
dependency is one more thing that can fail to install.
"""

from __future__ import annotations

import array
import json
import math
import struct
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = [
    "DTYPES",
    "LENGTH_BYTES",
    "MAX_HEADER_BYTES",
    "Block",
    "Dtype",
    "Tensor",
    "block_of",
    "encode_header",
    "lay_out",
    "parse_header",
]

LENGTH_BYTES = 8
"""Size of the length of the header, in bytes."""

MAX_HEADER_BYTES = 100_000_000
"""The longest header that the format allows, in bytes."""


class Dtype(NamedTuple):
    """A kind of items, without numpy: a process that makes no arrays does without its 16 MB.

    Attributes
    ----------
    code
        Its name in the header: "F64".
    name
        Its name in numpy: "float64".
    letter
        That of `struct` and of numpy, in standard size: "d".
    """

    code: str
    name: str
    letter: str

    @property
    def itemsize(self) -> int:
        """Bytes of an item."""
        return struct.calcsize(f"<{self.letter}")


DTYPES: dict[str, Dtype] = {
    dtype.code: dtype
    for dtype in (
        Dtype("BOOL", "bool", "?"),
        *(Dtype(f"U{8 << n}", f"uint{8 << n}", letter) for n, letter in enumerate("BHIQ")),
        *(Dtype(f"I{8 << n}", f"int{8 << n}", letter) for n, letter in enumerate("bhiq")),
        *(Dtype(f"F{16 << n}", f"float{16 << n}", letter) for n, letter in enumerate("efd")),
    )
}
"""The dtypes that can be stored, by their names in the header."""

_NAMES = {dtype.name: dtype for dtype in DTYPES.values()}
_LETTERS = {dtype.letter: dtype for dtype in DTYPES.values()}
_METADATA = "__metadata__"
# The most that every version of numpy takes.
_MAX_DIMENSIONS = 32


class Block(NamedTuple):
    """An array as it stands in a file.

    Attributes
    ----------
    dtype, shape
        Of the array.
    data
        Its bytes, little endian, in C order.
    """

    dtype: Dtype
    shape: tuple[int, ...]
    data: memoryview

    def view(self) -> memoryview[Any]:
        """Return the items in one dimension; without a copy where the machine is little endian, as most are."""
        if sys.byteorder == "little" or self.dtype.itemsize == 1:
            letter: Any = self.dtype.letter
            return memoryview(self.data).cast(letter)
        items = array.array(self.dtype.letter, self.data.tobytes())
        items.byteswap()
        return memoryview(items)

    def array(self) -> npt.NDArray[Any]:
        """Return the array, read-only; without a copy where the machine is little endian."""
        import numpy as np

        found = np.frombuffer(self.data, dtype=np.dtype(self.dtype.name).newbyteorder("<")).reshape(self.shape)
        found = found.astype(found.dtype.newbyteorder("="), copy=False)
        found.flags.writeable = False
        return found


def block_of(name: str, items: npt.NDArray[Any] | memoryview[Any]) -> Block:
    """Return an array, or numbers as the core shows them, as they stand in a file; a copy only where order needs it.

    Raises
    ------
    ValueError
        The dtype is none of `DTYPES`; the message has the name of the array.
    """
    return _of_view(items) if isinstance(items, memoryview) else _of_array(name, items)


def _of_view(items: memoryview[Any]) -> Block:
    if sys.byteorder == "big":
        swapped = array.array(items.format, items)
        swapped.byteswap()
        return Block(_LETTERS[items.format], items.shape or (), memoryview(swapped).cast("B"))
    return Block(_LETTERS[items.format], items.shape or (), items.cast("B"))


def _of_array(name: str, items: npt.NDArray[Any]) -> Block:
    import numpy as np

    dtype = _NAMES.get(items.dtype.newbyteorder("=").name)
    if dtype is None:
        kinds = ", ".join(_NAMES)
        raise ValueError(f"array {name!r} has dtype {items.dtype}; convert it to one of {kinds}")
    ordered = np.asarray(items, dtype=np.dtype(dtype.name).newbyteorder("<"), order="C")
    return Block(dtype, ordered.shape, ordered.reshape(-1).view(np.uint8).data)


@dataclass(frozen=True)
class Tensor:
    """Where an array lies.

    Attributes
    ----------
    name, dtype, shape
        Of the array.
    start, stop
        Its bytes, counted from the end of the header.
    """

    name: str
    dtype: Dtype
    shape: tuple[int, ...]
    start: int
    stop: int


def lay_out(blocks: Mapping[str, Block]) -> list[Tensor]:
    """Return the places of these arrays: large items first, then by name.

    Raises
    ------
    ValueError
        An array has a name that is taken.
    """
    tensors = []
    start = 0
    for name, block in sorted(blocks.items(), key=lambda item: (-item[1].dtype.itemsize, item[0])):
        if name == _METADATA:
            raise ValueError(f"no array can be called {name!r}; choose another name")
        tensors.append(Tensor(name, block.dtype, block.shape, start, start + block.data.nbytes))
        start += block.data.nbytes
    return tensors


def encode_header(metadata: Mapping[str, str], tensors: list[Tensor]) -> bytes:
    """Return the header, padded, without its length; ``metadata`` comes first, in its order."""
    header: dict[str, object] = {_METADATA: dict(metadata)}
    for tensor in tensors:
        place = [tensor.start, tensor.stop]
        header[tensor.name] = {"dtype": tensor.dtype.code, "shape": list(tensor.shape), "data_offsets": place}
    text = json.dumps(header, separators=(",", ":")).encode()
    return text + b" " * (-len(text) % LENGTH_BYTES)


def parse_header(header: bytes) -> tuple[dict[str, str], list[Tensor]]:
    """Return the metadata and the arrays, in the order of their places.

    Raises
    ------
    ValueError
        The header is not that of a safetensors file: not JSON, a key twice, an unknown dtype, places that overlap,
        leave gaps, or do not fit the shape. The message says what.
    """
    try:
        content = json.loads(header, object_pairs_hook=_without_repeats)
    except RecursionError:
        raise ValueError("its JSON is nested without end") from None
    if not isinstance(content, dict):
        raise ValueError("it is no JSON object")
    metadata = content.pop(_METADATA, {})
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise ValueError("its metadata is not text")
    tensors = sorted((_tensor(name, entry) for name, entry in content.items()), key=lambda t: (t.start, t.stop))
    end = 0
    for tensor in tensors:
        if tensor.start != end:
            raise ValueError(f"array {tensor.name!r} starts at byte {tensor.start} where {end} is expected")
        end = tensor.stop
    return metadata, tensors


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) != len(pairs):
        raise ValueError("a key stands twice in an object")
    return content


def _tensor(name: str, entry: object) -> Tensor:
    if not isinstance(entry, dict):
        raise ValueError(f"array {name!r} is not described by an object")
    dtype = DTYPES.get(entry["dtype"]) if isinstance(entry.get("dtype"), str) else None
    if dtype is None:
        raise ValueError(f"array {name!r} has the unknown dtype {entry.get('dtype')!r}")
    shape, place = _sizes(entry.get("shape")), _sizes(entry.get("data_offsets"))
    if shape is None or place is None or len(place) != 2:
        raise ValueError(f"array {name!r} has no shape or no place")
    start, stop = place
    if stop - start != math.prod(shape) * dtype.itemsize:
        raise ValueError(f"array {name!r} of shape {shape} and dtype {dtype.name} does not fit {stop - start} bytes")
    # An array without items fits a file of any size; numpy has its limits all the same.
    is_too_wide = 0 in shape and math.prod(size or 1 for size in shape) * dtype.itemsize > sys.maxsize
    if is_too_wide or len(shape) > _MAX_DIMENSIONS:
        raise ValueError(f"array {name!r} has {len(shape)} dimensions, more or larger ones than an array can have")
    return Tensor(name, dtype, shape, start, stop)


def _sizes(value: object) -> tuple[int, ...] | None:
    """Return a list of whole numbers of at least 0 as a tuple; None for anything else."""
    # A Boolean is a whole number for Python.
    is_good = isinstance(value, list) and all(type(size) is int and size >= 0 for size in value)
    return tuple(value) if is_good and isinstance(value, list) else None
