"""Output files: whole or absent, where and how the user said."""

import bz2
import fcntl
import gzip
import io
import lzma
import os
import stat
import subprocess
import sys
import time

import pytest

from compressed import FORMATS
from plait.errors import ConfigError
from plait.io.atomic import OutputFile, OutputGroup
from plait.io.streams import open_input, zstd_module

DATA = "".join(f"{n}-{n} é\n" for n in range(20_000)).encode()


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_appears_whole_at_the_end(tmp_path):
    with OutputFile(tmp_path / "out") as out:
        assert out.write(b"one\n") == 4
        assert "out" not in names(tmp_path)
        out.write(DATA)
    assert (tmp_path / "out").read_bytes() == b"one\n" + DATA
    assert names(tmp_path) == ["out"]


def test_an_empty_file_is_a_file(tmp_path):
    with OutputFile(tmp_path / "out"):
        pass
    assert (tmp_path / "out").read_bytes() == b""


def test_an_existing_file_needs_force_and_is_seen_at_once(tmp_path):
    path = tmp_path / "out"
    path.write_bytes(b"old")
    with pytest.raises(ConfigError, match=r"out exists; choose another name, or replace it with --force"):
        OutputFile(path).__enter__()
    with OutputFile(path, force=True) as out:
        out.write(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"


def test_a_file_that_comes_meanwhile_is_not_overwritten(tmp_path):
    path = tmp_path / "out"

    def write():
        with OutputFile(path) as out:
            out.write(b"new")
            path.write_bytes(b"of another process")

    with pytest.raises(ConfigError, match="exists"):
        write()
    assert path.read_bytes() == b"of another process"
    assert names(tmp_path) == ["out"]


@pytest.mark.parametrize("problem", [ValueError, KeyboardInterrupt, SystemExit, GeneratorExit])
@pytest.mark.parametrize("is_there", [False, True])
def test_a_failure_leaves_what_was_there(tmp_path, problem, is_there):
    path = tmp_path / "out.gz"
    if is_there:
        path.write_bytes(b"old")

    def write():
        with OutputFile(path, force=True) as out:
            out.write(DATA)
            raise problem

    with pytest.raises(problem):
        write()
    assert names(tmp_path) == (["out.gz"] if is_there else [])
    assert not is_there or path.read_bytes() == b"old"


@pytest.mark.parametrize("kind", FORMATS)
def test_the_suffix_chooses_the_compression_and_the_bytes_are_always_the_same(tmp_path, kind, monkeypatch):
    copies = []
    for name in ("a", "b"):
        with OutputFile(tmp_path / f"{name}.{kind.upper() if name == 'b' else kind}") as out:
            for start in range(0, len(DATA), 1_000):
                out.write(DATA[start : start + 1_000])
        copies.append((tmp_path / f"{name}.{kind.upper() if name == 'b' else kind}").read_bytes())
        monkeypatch.setattr(time, "time", lambda: 1e9)
    assert copies[0] == copies[1]
    openers = {"gz": gzip.decompress, "bz2": bz2.decompress, "xz": lzma.decompress}
    decompress = openers.get(kind) or zstd_module().decompress
    assert decompress(copies[0]) == DATA
    with open_input(tmp_path / f"a.{kind}") as stream:
        assert stream.read() == DATA


def test_permissions_of_an_existing_file_stay_and_new_ones_follow_the_umask(tmp_path):
    path = tmp_path / "out"
    path.write_bytes(b"old")
    path.chmod(0o640)
    with OutputFile(path, force=True) as out:
        out.write(b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    before = os.umask(0o027)
    try:
        with OutputFile(tmp_path / "new"):
            pass
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


def test_a_symbolic_link_stays_and_its_target_is_replaced(tmp_path):
    (tmp_path / "far").mkdir()
    target, link = tmp_path / "far" / "target", tmp_path / "link"
    link.symlink_to(target)
    with OutputFile(link) as out:
        out.write(b"one")
    with pytest.raises(ConfigError, match="exists"):
        OutputFile(link).__enter__()
    with OutputFile(link, force=True) as out:
        out.write(b"two")
    assert link.is_symlink()
    assert target.read_bytes() == b"two"
    assert names(tmp_path) == ["far", "link"]
    assert names(tmp_path / "far") == ["target"]


@pytest.mark.parametrize("name", ["a b", "new\nline", "\udcff", ".hidden", "x" * 255, "é" * 127])
def test_odd_names_are_written_as_typed(tmp_path, name):
    path = os.path.join(tmp_path, name)
    with OutputFile(path) as out:
        out.write(b"x")
    assert os.listdir(tmp_path) == [name]


def test_a_relative_name_goes_to_the_working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with OutputFile("out") as out:
        out.write(b"x")
    assert names(tmp_path) == ["out"]


def test_standard_output_is_written_directly(capfdbinary):
    print("before")
    with OutputFile("-") as out:
        out.write(DATA)
    print("after")
    sys.stdout.flush()
    assert capfdbinary.readouterr().out == b"before\n" + DATA + b"after\n"


def test_a_standard_output_without_a_descriptor_is_written_too(monkeypatch):
    stdout = io.TextIOWrapper(io.BytesIO())
    monkeypatch.setattr(sys, "stdout", stdout)
    with OutputFile("-") as out:
        out.write(b"x")
    assert stdout.buffer.getvalue() == b"x"
    assert not stdout.buffer.closed


def program(text):
    return [sys.executable, "-c", "import sys\nfrom plait.io.atomic import OutputFile\n" + text]


@pytest.mark.skipif(not os.path.exists("/dev/fd/1"), reason="the system has no /dev/fd")
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_the_file_behind_dev_stdout_is_appended_to(tmp_path, name):
    path = tmp_path / "log"
    path.write_bytes(b"first\n")
    with open(path, "ab") as file:
        text = f"with OutputFile({name!r}) as out: out.write(b'second\\n')"
        subprocess.run(program(text), stdout=file, check=True, timeout=20)
    assert path.read_bytes() == b"first\nsecond\n"
    assert names(tmp_path) == ["log"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_named_pipe_is_written_directly(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with open(tmp_path / "copy", "wb") as copy, subprocess.Popen(["cat", path], stdout=copy) as reader:
        with OutputFile(path) as out:
            out.write(DATA)
        assert reader.wait(timeout=20) == 0
    assert (tmp_path / "copy").read_bytes() == DATA
    assert stat.S_ISFIFO(path.stat().st_mode)


def test_devices_are_written_directly():
    with OutputFile(os.devnull) as out:
        out.write(DATA)
    assert not os.path.isfile(os.devnull)


def test_what_cannot_be_a_file_is_refused_by_name(tmp_path):
    with pytest.raises(IsADirectoryError) as folder:
        OutputFile(tmp_path).__enter__()
    assert os.fspath(folder.value.filename) == str(tmp_path)
    with pytest.raises(IsADirectoryError):
        OutputFile(str(tmp_path / "new") + os.sep).__enter__()
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*missing; make it first") as missing:
        OutputFile(tmp_path / "missing" / "out").__enter__()
    assert missing.value.filename == str(tmp_path / "missing" / "out")
    with pytest.raises(ConfigError, match="the name of an output is empty"):
        OutputFile("").__enter__()
    assert names(tmp_path) == []


def test_writing_outside_the_block_is_refused(tmp_path):
    out = OutputFile(tmp_path / "out")
    with pytest.raises(ValueError, match="not open"):
        out.write(b"x")
    with out:
        pass
    with pytest.raises(ValueError, match="not open"):
        out.write(b"x")


def test_old_files_of_killed_runs_go_and_those_of_living_ones_stay(tmp_path):
    old, young, locked, other = (
        tmp_path / name for name in (".out.1.plait-tmp", ".out.2.plait-tmp", ".out.3.plait-tmp", ".another.1.plait-tmp")
    )
    for path in (old, young, locked, other):
        path.write_bytes(b"x")
    two_days_ago = time.time() - 2 * 86_400
    for path in (old, locked, other):
        os.utime(path, (two_days_ago, two_days_ago))
    with open(locked, "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with OutputFile(tmp_path / "out"):
            pass
    assert names(tmp_path) == sorted(["out", young.name, locked.name, other.name])


def test_the_files_of_a_group_appear_together(tmp_path):
    with OutputGroup() as group:
        outputs = [group.open(tmp_path / name) for name in ("a", "b.gz", "c")]
        for out in outputs:
            out.write(DATA)
        assert not {"a", "b.gz", "c"} & set(names(tmp_path))
    assert names(tmp_path) == ["a", "b.gz", "c"]
    assert gzip.decompress((tmp_path / "b.gz").read_bytes()) == DATA


def test_a_group_that_fails_leaves_nothing(tmp_path):
    (tmp_path / "b").write_bytes(b"old")

    def write():
        with OutputGroup() as group:
            group.open(tmp_path / "a").write(DATA)
            group.open(tmp_path / "b")

    with pytest.raises(ConfigError, match="b exists"):
        write()
    assert names(tmp_path) == ["b"]


def test_a_group_that_cannot_complete_one_publishes_none(tmp_path):
    def write():
        with OutputGroup(force=True) as group:
            group.open(tmp_path / "a").write(b"new")
            bad = group.open(tmp_path / "b")
            bad.write(b"new")
            bad._file.close()

    (tmp_path / "a").write_bytes(b"old")
    with pytest.raises(ValueError, match="closed"):
        write()
    assert names(tmp_path) == ["a"]
    assert (tmp_path / "a").read_bytes() == b"old"


def test_a_group_refuses_one_file_twice(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "a")
    for second in ("a", "link", "./a"):
        with OutputGroup() as group:
            group.open(tmp_path / "a")
            with pytest.raises(ConfigError, match="is named for two outputs"):
                group.open(os.path.join(tmp_path, second))
        (tmp_path / "a").unlink()
    with OutputGroup() as group:
        group.open("-")
        with pytest.raises(ConfigError, match="standard output is named for two outputs"):
            group.open("-")
