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

import json
import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["DTYPES", "LENGTH_BYTES", "MAX_HEADER_BYTES", "Tensor", "encode_header", "lay_out", "parse_header"]

LENGTH_BYTES = 8
"""Size of the length of the header, in bytes."""

MAX_HEADER_BYTES = 100_000_000
"""The longest header that the format allows, in bytes."""

DTYPES: dict[str, np.dtype[Any]] = {
    "BOOL": np.dtype(np.bool_),
    **{f"U{8 * size}": np.dtype(f"<u{size}") for size in (1, 2, 4, 8)},
    **{f"I{8 * size}": np.dtype(f"<i{size}") for size in (1, 2, 4, 8)},
    **{f"F{8 * size}": np.dtype(f"<f{size}") for size in (2, 4, 8)},
}
"""The dtypes that can be stored, by their names in the header."""

_NAMES = {dtype: name for name, dtype in DTYPES.items()}
_METADATA = "__metadata__"
# The most that every version of numpy takes.
_MAX_DIMENSIONS = 32


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
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    start: int
    stop: int


def lay_out(arrays: Mapping[str, npt.NDArray[Any]]) -> list[Tensor]:
    """Return the places of these arrays: large items first, then by name.

    Raises
    ------
    ValueError
        An array has a dtype that cannot be stored, or a name that is taken; the message says which.
    """
    tensors = []
    start = 0
    for name, array in sorted(arrays.items(), key=lambda item: (-item[1].dtype.itemsize, item[0])):
        dtype = array.dtype.newbyteorder("<")
        if dtype not in _NAMES:
            kinds = ", ".join(str(dtype) for dtype in DTYPES.values())
            raise ValueError(f"array {name!r} has dtype {array.dtype}; convert it to one of {kinds}")
        if name == _METADATA:
            raise ValueError(f"no array can be called {name!r}; choose another name")
        tensors.append(Tensor(name, dtype, array.shape, start, start + array.nbytes))
        start += array.nbytes
    return tensors


def encode_header(metadata: Mapping[str, str], tensors: list[Tensor]) -> bytes:
    """Return the header, padded, without its length; ``metadata`` comes first, in its order."""
    header: dict[str, object] = {_METADATA: dict(metadata)}
    for tensor in tensors:
        place = [tensor.start, tensor.stop]
        header[tensor.name] = {"dtype": _NAMES[tensor.dtype], "shape": list(tensor.shape), "data_offsets": place}
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
        raise ValueError(f"array {name!r} of shape {shape} and dtype {dtype} does not fit {stop - start} bytes")
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
