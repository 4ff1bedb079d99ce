"""Bytes in each of the compressed formats that plait reads."""

from __future__ import annotations

import bz2
import gzip
import importlib.util
import lzma

import pytest

from plait.io.streams import zstd_module

HAS_ZSTD = any(importlib.util.find_spec(name.split(".")[0]) for name in ("compression.zstd", "backports.zstd"))
needs_zstd = pytest.mark.skipif(not HAS_ZSTD, reason="this Python has no zstd")
FORMATS = ["gz", "bz2", "xz", pytest.param("zst", marks=needs_zstd)]


def compress(data: bytes, kind: str) -> bytes:
    """Return ``data`` compressed as files with the suffix ``kind`` are."""
    if kind == "gz":
        return gzip.compress(data, mtime=0)
    if kind == "bz2":
        return bz2.compress(data)
    if kind == "xz":
        # Level 1: higher ones take 100 MB for their dictionaries.
        return lzma.compress(data, preset=1)
    compressed: bytes = zstd_module().compress(data)
    return compressed
