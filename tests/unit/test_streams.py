"""Input streams: compression by content, damage, pipes."""

import gzip
import io
import os
import sys

import numpy as np
import pytest

from compressed import FORMATS, compress
from plait.errors import ConfigError, DataError, ResourceError
from plait.io import streams
from plait.io.streams import BLOCK_BYTES, display_name, open_input, read_blocks

TEXT = "".join(f"zeile {n} é\n" for n in range(200_000)).encode()


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("data", [b"", b"a\n", TEXT], ids=["empty", "small", "large"])
def test_compressed_data_is_known_by_its_content(tmp_path, kind, data):
    path = tmp_path / "no_suffix"
    path.write_bytes(compress(data, kind))
    with open_input(path) as stream:
        assert stream.read() == data
    assert b"".join(read_blocks(path)) == data


@pytest.mark.parametrize("kind", FORMATS)
def test_several_members_and_padding_are_read(tmp_path, kind):
    path = tmp_path / "members"
    path.write_bytes(
        compress(b"a\n", kind) + bytes(8) + compress(TEXT, kind) + compress(b"", kind) + bytes(3 * BLOCK_BYTES)
    )
    with open_input(path) as stream:
        assert stream.read() == b"a\n" + TEXT


@pytest.mark.parametrize("data", [b"", b"B", b"BZh", b"BZh9 is a word\n", b"\x1f", b"\xfd7z", TEXT])
def test_plain_data_passes_through(tmp_path, data):
    path = tmp_path / "named.gz"
    path.write_bytes(data)
    with open_input(path) as stream:
        assert stream.read() == data


def test_blocks_are_at_most_a_mebibyte(tmp_path):
    for kind in ("gz", "plain"):
        (tmp_path / kind).write_bytes(compress(TEXT, "gz") if kind == "gz" else TEXT)
        sizes = [len(block) for block in read_blocks(tmp_path / kind)]
        assert sum(sizes) == len(TEXT)
        assert max(sizes) <= BLOCK_BYTES


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_progress_is_in_mebibytes_of_the_stored_file(tmp_path, suffix):
    path = tmp_path / f"text{suffix}"
    data = np.random.default_rng(1).bytes(5 * BLOCK_BYTES // 2)
    path.write_bytes(gzip.compress(data) if suffix else data)
    heard = []
    assert b"".join(read_blocks(path, progress=lambda *report: heard.append(report))) == data
    assert {(stage, total, figures) for stage, _, total, figures in heard} == {("reading", 3, ())}
    done = [report[1] for report in heard]
    assert done == sorted(done)
    assert done[-1] == 3
    assert set(done) >= {2, 3}


def test_progress_of_a_pipe_has_no_total(monkeypatch):
    reader, writer = os.pipe()
    os.write(writer, b"a\n")
    os.close(writer)
    heard = []
    with open(reader, "rb") as stream:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(stream))
        assert list(read_blocks("-", progress=lambda *report: heard.append(report))) == [b"a\n"]
    assert heard == [("reading", 0, 0, ())]


def test_lines_end_at_newline_only(tmp_path):
    (tmp_path / "text").write_bytes("a\u2028b\x0cc\rd\n\u0085e".encode())
    with open_input(tmp_path / "text") as stream:
        assert list(stream) == ["a\u2028b\x0cc\rd\n".encode(), "\u0085e".encode()]


def test_standard_input_is_decompressed_and_left_open(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(compress(TEXT, "gz"))))
    with open_input("-") as stream:
        assert stream.read() == TEXT
    assert not sys.stdin.buffer.closed


def test_a_pipe_that_gives_a_byte_at_a_time_is_recognised(monkeypatch):
    class Dribble(io.RawIOBase):
        def __init__(self, data):
            self.data = data

        def readable(self):
            return True

        def readinto(self, buffer):
            part, self.data = self.data[:1], self.data[1:]
            buffer[: len(part)] = part
            return len(part)

    stdin = io.TextIOWrapper(io.BufferedReader(Dribble(compress(b"a\nb\n", "bz2"))))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert b"".join(read_blocks("-")) == b"a\nb\n"


@pytest.mark.parametrize("kind", FORMATS)
def test_every_cut_is_noticed(tmp_path, kind):
    whole = compress(b"some text\n" * 3, kind)
    path = tmp_path / f"cut.{kind}"
    for size in range(10, len(whole)):
        path.write_bytes(whole[:size])
        with pytest.raises(DataError, match="is cut short, after") as caught, open_input(path) as stream:
            stream.read()
        assert str(caught.value).startswith(f"{path}: the ")


@pytest.mark.parametrize("kind", FORMATS)
def test_damage_is_noticed_and_named(tmp_path, kind):
    whole = bytearray(compress(TEXT, kind))
    middle = len(whole) // 2
    whole[middle : middle + 64] = bytes(64)
    path = tmp_path / "damaged"
    path.write_bytes(whole)
    with pytest.raises(DataError, match="damaged") as caught, open_input(path) as stream:
        stream.read()
    assert str(caught.value).startswith(f"{path}: the ")


def test_something_else_after_the_data_is_noticed(tmp_path):
    path = tmp_path / "mixed"
    path.write_bytes(compress(b"a\n", "gz") + b"plain")
    with pytest.raises(DataError, match="the gzip data has something else behind it, after 2 bytes"):
        list(read_blocks(path))


@pytest.mark.parametrize("kind", ["gz", "bz2", "xz"])
def test_a_bomb_is_stopped_early_and_a_limit_can_be_raised(tmp_path, kind):
    path = tmp_path / "bomb"
    # Members of 10 MiB, so that the bomb is not in memory here either.
    path.write_bytes(compress(bytes(10 << 20), kind) * 10)
    given = 0

    def read_all():
        nonlocal given
        for block in read_blocks(path):
            given += len(block)

    with pytest.raises(ResourceError, match=r"expand over 200 times.*max_expansion") as caught:
        read_all()
    assert given <= 65 << 20
    assert str(caught.value).startswith(str(path))
    assert sum(map(len, read_blocks(path, max_expansion=None))) == 100 << 20


def test_a_small_file_may_expand_as_it_likes(tmp_path):
    path = tmp_path / "repeated"
    path.write_bytes(compress(b"\n" * (8 << 20), "gz"))
    assert sum(map(len, read_blocks(path))) == 8 << 20


def test_without_a_module_zstd_says_what_to_install(tmp_path, monkeypatch):
    def no_module(name):
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(streams, "import_module", no_module)
    path = tmp_path / "zstd"
    path.write_bytes(b"\x28\xb5\x2f\xfdxxxx")
    with pytest.raises(ConfigError, match=r"pip install 'plait\[zstd\]'"):
        open_input(path)


def test_the_system_names_the_file(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        open_input(tmp_path / "missing")
    assert os.fspath(caught.value.filename) == str(tmp_path / "missing")
    with pytest.raises(IsADirectoryError):
        open_input(tmp_path)


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="needs a file that opens and fails to read")
def test_an_error_while_reading_names_the_file():
    with pytest.raises(OSError, match="/proc/self/mem") as caught:
        open_input("/proc/self/mem")
    assert caught.value.filename == "/proc/self/mem"


def test_odd_names_are_escaped_for_display():
    assert display_name("-") == "standard input"
    assert display_name("a b.é") == "a b.é"
    assert display_name("a\nb") == r"'a\nb'"
    assert display_name("a\udcff") == r"'a\udcff'"
