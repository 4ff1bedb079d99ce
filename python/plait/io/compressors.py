"""Compression of outputs, chosen by the suffix of their names."""

from __future__ import annotations

import os
from typing import IO, cast

from plait.io.gzip_members import GzipMembers
from plait.io.streams import zstd_module

__all__ = ["compressing"]


def compressing(file: IO[bytes], path: str, threads: int | None = None) -> IO[bytes]:
    """Return a stream that compresses into ``file`` as the suffix of ``path`` says, or ``file`` itself.

    With ``threads``, gzip is written in members of one mebibyte, so many at a time: the same bytes for any number of
    them. Closing the stream writes its end and leaves ``file`` open. Nothing of the name or the time goes into the
    output: same data, same bytes.

    Raises
    ------
    plait.errors.ConfigError
        The suffix is ``.zst``, and this Python has no module for it.
    """
    match os.path.splitext(path)[1].lower():
        case ".gz" if threads is not None:
            return cast(IO[bytes], GzipMembers(file, threads))
        case ".gz":
            # Each comes with the first file of its kind.
            import gzip

            return cast(IO[bytes], gzip.GzipFile(filename="", mode="wb", fileobj=file, compresslevel=6, mtime=0))
        case ".bz2":
            import bz2

            return bz2.BZ2File(file, "wb")
        case ".xz":
            import lzma

            return lzma.LZMAFile(file, "wb")
        case ".zst":
            return cast(IO[bytes], zstd_module().ZstdFile(file, "wb"))
        case _:
            return file
