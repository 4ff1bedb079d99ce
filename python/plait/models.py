"""Model files: named arrays and settings in one file that is written whole, checked on the way in, and runs no code.

The container is that of safetensors, so that other programs can look inside; what stands in it and how it is checked
is described in ``docs/design/models.md``.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import re
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from plait import _core
from plait.errors import ConfigError, ModelFileError
from plait.io.atomic import OutputFile
from plait.io.model_reader import NO_DIGEST, START, STEP, ModelReader, checksum, opened, sha256
from plait.io.safetensors import LENGTH_BYTES, MAX_HEADER_BYTES, Block, block_of, encode_header, lay_out
from plait.io.streams import Path, display_name, open_input

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Arrays = Mapping[str, npt.NDArray[Any]] | Mapping[str, memoryview[Any]]

__all__ = [
    "FORMAT_VERSION",
    "ModelFile",
    "Writable",
    "is_model",
    "load",
    "pack_words",
    "save",
    "unpack_words",
    "write_to",
]

FORMAT_VERSION = 1
"""The version of the format that `save` writes; `load` reads it and those before it."""

_KIND = re.compile(r"[a-z0-9][a-z0-9_-]*")


class Writable(Protocol):
    """An open file that bytes go to."""

    def write(self, data: bytes | memoryview, /) -> object:
        """Write all of the data."""


@dataclass(frozen=True, eq=False)
class ModelFile:
    """What a model file holds.

    Attributes
    ----------
    kind
        What the model is for: "lexicon" and so on.
    format_version
        The version of the format, up to `FORMAT_VERSION`.
    plait_version
        The version of plait that wrote the file.
    metadata
        What was given to `save`: settings, seed and the like.
    blocks
        The arrays by name, as they stand in the file.
    """

    kind: str
    format_version: int
    plait_version: str
    metadata: dict[str, Any]
    blocks: dict[str, Block]

    @cached_property
    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The arrays by name, read-only; numpy is imported when they are asked for."""
        return {name: block.array() for name, block in self.blocks.items()}

    def array(self, name: str, dtype: npt.DTypeLike, dimensions: int = 1) -> npt.NDArray[Any]:
        """Return an array that a model of this kind must have.

        Raises
        ------
        plait.errors.ModelFileError
            It is not there, or of another dtype or number of dimensions.
        """
        import numpy as np

        self._check(name, np.dtype(dtype).name, dimensions)
        return self.arrays[name]

    def view(self, name: str, dtype: str) -> memoryview[Any]:
        """Return the numbers of an array of one dimension that a model of this kind must have, without numpy.

        Parameters
        ----------
        name
            The array.
        dtype
            Its dtype as numpy calls it, such as "float64".

        Raises
        ------
        plait.errors.ModelFileError
            It is not there, or of another dtype or number of dimensions.
        """
        self._check(name, dtype, 1)
        return self.blocks[name].view()

    def _check(self, name: str, dtype: str, dimensions: int) -> None:
        found = self.blocks.get(name)
        if found is not None and found.dtype.name == dtype and len(found.shape) == dimensions:
            return
        what = "none" if found is None else f"{found.dtype.name} with {len(found.shape)} dimension(s)"
        raise ModelFileError(
            f"a model of kind {self.kind!r} needs the array {name!r}, {dtype} with {dimensions} "
            f"dimension(s); found {what}; make the model again"
        )


def save(
    path: Path,
    kind: str,
    arrays: Arrays,
    metadata: Mapping[str, Any],
    *,
    force: bool = False,
) -> None:
    """Write a model file, whole or not at all.

    Parameters
    ----------
    path
        The file; "-" for standard output. A suffix ``.gz``, ``.bz2``, ``.xz`` or ``.zst`` compresses.
    kind
        What the model is for, in lower-case letters, digits, ``-`` and ``_``; `load` checks it.
    arrays
        Arrays by name, of Booleans, integers or floats of 16 to 64 bits, of any shape; or numbers as a `memoryview`, in
        one dimension.
    metadata
        Values of JSON: dictionaries with texts as keys, lists, texts, finite numbers, Booleans, None. Tuples come back
        as lists.
    force
        Replace a file that exists.

    Raises
    ------
    plait.errors.ConfigError
        The file exists and ``force`` is not set; the kind, an array or the metadata cannot be stored.
    plait.errors.ResourceError
        The disk is full; what stood there before still does.

    Notes
    -----
    The same arguments make the same bytes. Time is that of two passes over the arrays, one for checksums (about 0.5 s
    per GB with processor support for SHA-256) and one for writing; no copy is made of contiguous arrays.

    Examples
    --------
    >>> import numpy as np
    >>> from plait import models
    >>> models.save("m.plait", "numbers", {"counts": np.arange(3)}, {"seed": 1}, force=True)
    >>> models.load("m.plait", "numbers").arrays["counts"]
    array([0, 1, 2])
    """
    with OutputFile(path, force=force) as out:
        write_to(out, kind, arrays, metadata)


def write_to(out: Writable, kind: str, arrays: Arrays, metadata: Mapping[str, Any]) -> None:
    """Write a model to an open file, as `save` does.

    Raises
    ------
    plait.errors.ConfigError
        The kind, an array or the metadata cannot be stored; nothing is written.
    """
    if not _KIND.fullmatch(kind):
        raise ConfigError(name="kind", expected="lower-case letters, digits, - and _", found=repr(kind))
    _check_json(metadata, "metadata")
    try:
        blocks = {name: block_of(name, items) for name, items in arrays.items()}
        tensors = lay_out(blocks)
    except ValueError as problem:
        raise ConfigError(str(problem)) from None
    parts = {tensor.name: blocks[tensor.name].data for tensor in tensors}
    fields = {
        "format": "plait-model",
        "header": f"sha256:{NO_DIGEST}",
        "format_version": str(FORMAT_VERSION),
        "plait_version": _core.__version__,
        "kind": kind,
        "metadata": json.dumps(metadata, allow_nan=False, sort_keys=True, separators=(",", ":")),
        "checksums": json.dumps({name: checksum(part) for name, part in parts.items()}, separators=(",", ":")),
    }
    header = encode_header(fields, tensors)
    length = len(header).to_bytes(LENGTH_BYTES, "little")
    if len(header) > MAX_HEADER_BYTES:
        raise ConfigError(
            f"names and metadata take {len(header):,} bytes, more than {MAX_HEADER_BYTES:,}; put large values in arrays"
        )
    digest = sha256(length + header).hexdigest()
    out.write(length + header[: len(START)] + digest.encode() + header[len(START) + len(digest) :])
    for part in parts.values():
        for start in range(0, len(part), STEP):
            out.write(part[start : start + STEP])


def is_model(path: Path) -> bool:
    """Return whether a file begins as model files do, compressed or not; standard input ("-") never does.

    Raises
    ------
    plait.errors.DataError
        Compressed data is damaged.
    OSError
        The file cannot be opened or read.
    """
    # What is read of a pipe is gone.
    if os.fspath(path) == "-" or not stat.S_ISREG(os.stat(path).st_mode):
        return False
    with open_input(path) as stream:
        start = b""
        while len(start) < LENGTH_BYTES + len(START) and (block := stream.read1(LENGTH_BYTES + len(START))):
            start += block
    return start.startswith(START, LENGTH_BYTES)


def load(path: Path, kind: str | None = None) -> ModelFile:
    """Read a model file that `save` wrote, and check all of it.

    Parameters
    ----------
    path
        The file; "-" for standard input. Compressed files are recognised by content.
    kind
        The kind of model that is wanted; any by default.

    Returns
    -------
    ModelFile

    Raises
    ------
    plait.errors.ModelFileError
        The file is none of plait's, damaged, cut short, has bytes behind its end, is of a newer format or of another
        kind. The message names the file, what was found and what to do.
    plait.errors.ResourceError
        A compressed file expands beyond all proportion.
    OSError
        The file cannot be opened or read.

    Notes
    -----
    Bytes of a plain file go straight into the arrays and are hashed on the way, about 0.7 s per GB; memory is that of
    the arrays. Nothing is allocated for an array before the file is known to be large enough. A compressed file or a
    pipe is decompressed into one buffer, and the arrays are views of it.
    """
    name = display_name(path)
    with opened(path, name) as source:
        reader = ModelReader(source, name)
        fields, tensors = reader.header()
        version = _version(fields, name)
        found = fields.get("kind", "")
        if kind is not None and found != kind:
            raise ModelFileError(
                f"{name}: a model of kind {kind!r} is needed; found one of kind {found!r}; "
                f"give a file that holds a {kind}"
            )
        reader.check_size(tensors)
        metadata, checksums = reader.json(fields, "metadata"), reader.json(fields, "checksums")
        if set(checksums) != {tensor.name for tensor in tensors}:
            reader.damaged("the checksums are not those of the arrays")
        blocks = {tensor.name: reader.block(tensor, checksums[tensor.name]) for tensor in tensors}
    return ModelFile(found, version, fields.get("plait_version", ""), metadata, blocks)


def pack_words(words: Iterable[str | bytes]) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint64]]:
    r"""Return words as two arrays, for a model file.

    Parameters
    ----------
    words
        Texts, which become UTF-8, or bytes.

    Returns
    -------
    blob : uint8[b]
        All words end to end.
    offsets : uint64[n + 1]
        Word ``k`` is ``blob[offsets[k]:offsets[k + 1]]``.

    Examples
    --------
    >>> from plait.models import pack_words, unpack_words
    >>> blob, offsets = pack_words(["the", "", "Straße"])
    >>> offsets.tolist()
    [0, 3, 3, 10]
    >>> unpack_words(blob, offsets)
    [b'the', b'', b'Stra\xc3\x9fe']
    """
    import numpy as np

    encoded = [word.encode() if isinstance(word, str) else word for word in words]
    offsets = np.zeros(len(encoded) + 1, dtype=np.uint64)
    np.cumsum(np.fromiter(map(len, encoded), dtype=np.uint64, count=len(encoded)), out=offsets[1:])
    return np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets


def unpack_words(blob: npt.NDArray[np.uint8], offsets: npt.NDArray[np.uint64]) -> list[bytes]:
    """Return the words that `pack_words` packed.

    Raises
    ------
    plait.errors.ModelFileError
        The offsets do not start at 0, fall, or do not end at the length of ``blob``.
    """
    if not len(offsets) or offsets[0] != 0 or offsets[-1] != len(blob) or (offsets[1:] < offsets[:-1]).any():
        raise ModelFileError(
            f"the offsets of a vocabulary must rise from 0 to its {len(blob)} bytes; found others; make the model again"
        )
    text = blob.tobytes()
    ends = offsets.tolist()
    return [text[start:stop] for start, stop in itertools.pairwise(ends)]


def _check_json(value: object, where: str) -> None:
    """Refuse what JSON does not hold or would change."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if not isinstance(key, str):
                raise ConfigError(name=where, expected="a dictionary with texts as keys", found=f"the key {key!r}")
            _check_json(inner, f"{where}[{key!r}]")
    elif isinstance(value, list | tuple):
        for number, inner in enumerate(value):
            _check_json(inner, f"{where}[{number}]")
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise ConfigError(name=where, expected="a finite number", found=value)
    elif value is not None and not isinstance(value, str | int):
        raise ConfigError(name=where, expected="a value of JSON", found=repr(value))


def _version(fields: Mapping[str, str], name: str) -> int:
    text = fields.get("format_version", "")
    version = int(text) if text.isascii() and text.isdigit() and len(text) < 9 else 0
    if 1 <= version <= FORMAT_VERSION:
        return version
    writer = fields.get("plait_version", "unknown")
    raise ModelFileError(
        f"{name}: the file has format version {text or 'none'}, written by plait {writer}; this is plait "
        f"{_core.__version__}, which reads up to version {FORMAT_VERSION}; upgrade plait (pip install -U plait), or "
        "make the model again"
    )
