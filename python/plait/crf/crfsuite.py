"""CRFsuite's binary models, as CRFsuite, python-crfsuite, crfs and chaine write them.

A header of 48 bytes with the places of: features (type, source, label, weight), and two constant databases that
hold the names of labels and of attributes by number. All numbers are little-endian. The tables that find names by hash,
and features by attribute, say nothing that is not there too, and are not looked at.
"""

from __future__ import annotations

import struct
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from plait.errors import ModelFileError
from plait.io.streams import Path, display_name, open_input
from plait.models import pack_words

__all__ = ["MAGIC", "is_crfsuite", "read_arrays"]

MAGIC = b"lCRF"
_HEADER = struct.Struct("<4sI4s9I")
_FEATURES = struct.Struct("<4sII")
_NAMES = struct.Struct("<4s5I")
_KEY = struct.Struct("<II")
_FEATURE = np.dtype([("type", "<u4"), ("source", "<u4"), ("label", "<u4"), ("weight", "<f8")])
_BYTE_ORDER = 0x62445371
_STATE, _TRANSITION = 0, 1


def is_crfsuite(path: Path) -> bool:
    """Return whether a regular file begins as CRFsuite's models do, compressed or not."""
    with open_input(path) as stream:
        return stream.read(len(MAGIC)) == MAGIC


def read_arrays(path: Path) -> dict[str, npt.NDArray[Any]]:
    """Read a model as the arrays of plait's models.

    Raises
    ------
    ModelFileError
        The file is no such model, cut short or damaged. Not all damage can be seen: the format has no checksums.
    OSError
        The file cannot be opened or read.
    """
    with open_input(path) as stream:
        data = stream.read()
    return _Reader(data, display_name(path)).arrays()


class _Reader:
    """The bytes of a model; every place is checked before it is read."""

    def __init__(self, data: bytes, name: str) -> None:
        self.data = data
        self.name = name

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        magic, size, kind, version, _, labels, attributes, *places = self.unpack(_HEADER, 0)
        if (magic, kind) != (MAGIC, b"FOMC") or version != 100:
            self.damaged(f"a chain model of version 100 is needed; found {kind!r} of version {version}")
        if size != len(self.data):
            self.damaged(f"it should have {size} bytes, and has {len(self.data)}")
        features = self.features(places[0])
        label_names, attribute_names = self.names(places[1], labels), self.names(places[2], attributes)
        is_state = features["type"] == _STATE
        if not np.isin(features["type"], (_STATE, _TRANSITION)).all():
            self.damaged("a feature is neither of an attribute and a label nor of two labels")
        states, transitions = features[is_state], features[~is_state]
        arrays: dict[str, npt.NDArray[Any]] = {}
        for kind_, found, rows in (("states", states, attributes), ("transitions", transitions, labels)):
            if len(found) and (found["source"].max() >= rows or found["label"].max() >= labels):
                self.damaged("a feature names an attribute or a label that there is not")
            found = found[np.lexsort((found["label"], found["source"]))]
            same = (found["source"][1:] == found["source"][:-1]) & (found["label"][1:] == found["label"][:-1])
            if same.any():
                self.damaged("a feature is there twice")
            counts = np.bincount(found["source"], minlength=rows)
            arrays[f"{kind_}.starts"] = np.concatenate([[0], np.cumsum(counts)]).astype(np.uint64)
            arrays[f"{kind_}.labels"] = found["label"].astype(np.uint32)
            arrays[f"{kind_}.weights"] = found["weight"].astype(np.float64)
        arrays["weights"] = np.concatenate([arrays.pop("states.weights"), arrays.pop("transitions.weights")])
        for kind_, names in (("attributes", attribute_names), ("labels", label_names)):
            arrays[f"{kind_}.bytes"], arrays[f"{kind_}.offsets"] = pack_words(names)
        return arrays

    def features(self, start: int) -> npt.NDArray[Any]:
        chunk, _, count = self.unpack(_FEATURES, start)
        if chunk != b"FEAT":
            self.damaged("there are no features where the header says")
        return np.frombuffer(self.part(start + _FEATURES.size, count * _FEATURE.itemsize), dtype=_FEATURE)

    def names(self, start: int, count: int) -> list[bytes]:
        chunk, _, _, order, found, places = self.unpack(_NAMES, start)
        if chunk != b"CQDB" or order != _BYTE_ORDER:
            self.damaged("there are no names where the header says")
        if not count:
            return []
        if not places or found < count:
            self.damaged(f"{count} names are needed, and {found} are there by number")
        offsets = np.frombuffer(self.part(start + places, 4 * count), dtype="<u4").tolist()
        names = []
        for number, offset in enumerate(offsets):
            own, length = self.unpack(_KEY, start + offset)
            name = self.part(start + offset + _KEY.size, length)
            if own != number or not name.endswith(b"\0"):
                self.damaged(f"the name with the number {number} is not where it should be")
            names.append(name[:-1])
        return names

    def unpack(self, layout: struct.Struct, start: int) -> tuple[Any, ...]:
        return layout.unpack(self.part(start, layout.size))

    def part(self, start: int, length: int) -> bytes:
        found = self.data[start : start + length]
        if len(found) != length:
            self.damaged(f"{length} bytes are needed at {start}, but the file ends at {len(self.data)}")
        return found

    def damaged(self, problem: str) -> NoReturn:
        raise ModelFileError(f"{self.name}: this is no sound model of CRFsuite: {problem}; make the model again")
