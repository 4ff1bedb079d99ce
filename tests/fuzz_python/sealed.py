"""Puts sound checksums on a model file, so that a fuzzer comes past them."""

from __future__ import annotations

import hashlib
import json

from plait.io.model_reader import NO_DIGEST, START, checksum
from plait.io.safetensors import LENGTH_BYTES

__all__ = ["header", "whole"]

_TEXT = LENGTH_BYTES + len(START)


def header(data: bytes) -> bytes:
    """Return the file with the checksum of its header made right; its arrays keep theirs."""
    if not data.startswith(START, LENGTH_BYTES):
        return data
    count = int.from_bytes(data[:LENGTH_BYTES], "little")
    end = LENGTH_BYTES + count
    if count < len(START) + len(NO_DIGEST) or end > len(data):
        return data
    unsigned = data[:_TEXT] + NO_DIGEST.encode() + data[_TEXT + len(NO_DIGEST) : end]
    digest = hashlib.sha256(unsigned).hexdigest().encode()
    return data[:_TEXT] + digest + data[_TEXT + len(digest) :]


def whole(data: bytes) -> bytes:
    """Return the file with all checksums made right, its length as well; unchanged where its header is no JSON."""
    end = LENGTH_BYTES + min(int.from_bytes(data[:LENGTH_BYTES], "little"), len(data))
    arrays = data[end:]
    try:
        content = json.loads(data[LENGTH_BYTES:end])
        fields = content["__metadata__"]
        places = {name: entry["data_offsets"] for name, entry in content.items() if name != "__metadata__"}
        sums = {name: checksum(memoryview(arrays)[start:stop]) for name, (start, stop) in places.items()}
        fields["checksums"] = json.dumps(sums, separators=(",", ":"))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return header(data)
    text = json.dumps(content, separators=(",", ":")).encode()
    text += b" " * (-len(text) % LENGTH_BYTES)
    return header(len(text).to_bytes(LENGTH_BYTES, "little") + text + arrays)
