"""Gzip in members: any reader takes them as one file, and threads do not change a byte."""

import gzip
import io
import shutil
import subprocess
import threading

import numpy as np
import pytest

from plait.io.atomic import OutputFile
from plait.io.gzip_members import MEMBER_BYTES, GzipMembers

SIZES = [0, 1, MEMBER_BYTES - 1, MEMBER_BYTES, MEMBER_BYTES + 1, 5 * MEMBER_BYTES // 2]


def data(size):
    return np.random.default_rng(size).integers(0, 4, size, dtype=np.uint8).tobytes()


def compressed(plain, threads, step=100_003):
    file = io.BytesIO()
    with GzipMembers(file, threads) as out:
        for start in range(0, len(plain), step):
            assert out.write(plain[start : start + step]) == len(plain[start : start + step])
    return file.getvalue()


@pytest.mark.parametrize("size", SIZES)
def test_it_is_read_back(size):
    plain = data(size)
    assert gzip.decompress(compressed(plain, 2)) == plain


@pytest.mark.parametrize("size", SIZES)
def test_threads_and_pieces_do_not_change_a_byte(size):
    plain = data(size)
    one = compressed(plain, 1)
    assert compressed(plain, 2) == one
    assert compressed(plain, 7, step=3 * MEMBER_BYTES) == one


@pytest.mark.skipif(shutil.which("gzip") is None, reason="there is no gzip")
def test_the_program_gzip_reads_it(tmp_path):
    plain = data(SIZES[-1])
    with OutputFile(tmp_path / "x.gz", threads=2) as out:
        out.write(plain)
    found = subprocess.run(["gzip", "-dc", str(tmp_path / "x.gz")], capture_output=True, check=True)
    assert found.stdout == plain


def test_an_error_of_the_file_is_raised_and_no_thread_stays():
    class Full(io.BytesIO):
        def write(self, _):
            raise OSError(28, "No space left on device")

    out = GzipMembers(Full(), 2)
    out.write(data(SIZES[-1]))
    with pytest.raises(OSError, match="No space"):
        out.close()
    assert out.closed
    for thread in threading.enumerate():
        if thread.name.startswith("plait-gzip"):
            thread.join(10)
            assert not thread.is_alive()


def test_a_failed_file_is_absent(tmp_path):
    def write_and_fail():
        with OutputFile(tmp_path / "x.gz", threads=2) as out:
            out.write(data(SIZES[-1]))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_and_fail()
    assert list(tmp_path.iterdir()) == []
