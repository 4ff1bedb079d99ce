"""Full disks, unwritable folders, signals and kills while an output is written: whole or absent."""

import contextlib
import os
import signal
import subprocess
import sys
import time

import pytest

from plait.errors import ResourceError
from plait.io.atomic import OutputFile, OutputGroup

BLOCK = bytes(range(256)) * 4_096
TEMPORARY = ".plait-tmp"


def names(folder):
    return sorted(os.listdir(folder))


def run(program, stdout=subprocess.PIPE):
    command = [sys.executable, "-c", program]
    return subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, text=True, timeout=20)


def write_much(path, blocks=8, **options):
    with OutputFile(path, **options) as out:
        for _ in range(blocks):
            out.write(BLOCK)


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 2 MiB, where the system lets us make one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=2m", "plait-test", str(folder)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("mounting needs privileges; the limit of file sizes is tested instead")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_a_full_disk_leaves_the_old_file_and_nothing_else(small_disk, suffix):
    path = small_disk / f"out{suffix}"
    path.write_bytes(b"old")

    def write():
        with OutputFile(path, force=True) as out:
            for _ in range(8):
                out.write(os.urandom(1 << 20))

    with pytest.raises(ResourceError) as caught:
        write()
    start, _, rest = str(caught.value).partition(" after ")
    assert start == f"{path}: No space left on device"
    assert rest.endswith(" bytes of output; nothing was changed; make room or choose another folder")
    assert path.read_bytes() == b"old"
    assert names(small_disk) == [path.name]
    # The room is free again.
    write_much(small_disk / "small", blocks=1)


def test_a_disk_that_is_full_at_the_end_is_noticed_there(small_disk):
    """What fits the buffer is written when the file is completed."""
    (small_disk / "filler").write_bytes(bytes((2 << 20) - 4_096 * 2))

    def write():
        with OutputGroup() as group:
            group.open(small_disk / "a").write(b"fits")
            group.open(small_disk / "b").write(bytes(100_000))

    with pytest.raises(ResourceError, match="nothing was changed"):
        write()
    assert names(small_disk) == ["filler"]


def test_a_read_only_disk_is_named(small_disk):
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True, capture_output=True)
    with pytest.raises(OSError, match="Read-only file system") as caught:
        write_much(small_disk / "out")
    assert caught.value.filename == str(small_disk / "out")


@pytest.mark.skipif(os.name != "posix", reason="folder permissions are those of POSIX")
def test_an_unwritable_folder_is_named(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    # Root may write anywhere; another user shall try.
    text = f"""
import os
from plait.io.atomic import OutputFile
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
try:
    OutputFile({str(folder / "out")!r}).__enter__()
except PermissionError as problem:
    print(problem.filename, problem.strerror, sep="|")
"""
    for parent in (tmp_path, *tmp_path.parents):
        if parent.stat().st_uid == os.geteuid() and not parent.stat().st_mode & 0o001:
            parent.chmod(parent.stat().st_mode | 0o011)
        if parent.name.startswith("pytest-of"):
            break
    folder.chmod(0o555)
    output = run(text)
    assert output.stdout == f"{folder / 'out'}|Permission denied\n", output.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no /dev/full")
def test_dev_full_is_an_error_with_its_name():
    with pytest.raises(ResourceError) as caught:
        write_much("/dev/full")
    assert str(caught.value).startswith("/dev/full: No space left on device after ")
    assert "the output is incomplete" in str(caught.value)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no /dev/full")
@pytest.mark.parametrize("data", ["b'short'", "bytes(3 << 20)"])
def test_a_full_standard_output_is_one_error_and_no_noise_at_exit(data):
    text = f"""
import sys
from plait.errors import ResourceError
from plait.io.atomic import OutputFile
try:
    with OutputFile("-") as out: out.write({data})
except ResourceError as problem:
    print(problem, file=sys.stderr)
    sys.exit(1)
"""
    with open("/dev/full", "wb") as full:
        done = run(text, stdout=full)
    assert done.returncode == 1
    assert done.stderr.startswith("standard output: No space left on device after ")
    assert done.stderr.count("\n") == 1


def test_a_limit_of_file_sizes_is_an_error_with_the_name(tmp_path):
    pytest.importorskip("resource")
    path = tmp_path / "out"
    path.write_bytes(b"old")
    text = f"""
import resource, sys
from plait.errors import ResourceError
from plait.io.atomic import OutputFile
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
try:
    with OutputFile({str(path)!r}, force=True) as out:
        for _ in range(5): out.write(bytes(1 << 20))
except ResourceError as problem:
    print(problem)
"""
    done = run(text)
    assert done.stdout.startswith(f"{path}: File too large after "), done.stderr
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["out"]


WRITER = """
import sys
from plait.io.atomic import OutputFile
with OutputFile(sys.argv[1], force=True) as out:
    print("ready", flush=True)
    while True: out.write(bytes(1000))
"""


def start_writer(path, program=WRITER):
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout.readline() == b"ready\n"
    return process


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz"])
@pytest.mark.parametrize("delay", [0.0, 0.05, 0.2])
def test_an_interrupt_leaves_the_old_file_and_nothing_else(tmp_path, suffix, delay):
    path = tmp_path / f"out{suffix}"
    path.write_bytes(b"old")
    with start_writer(path) as process:
        time.sleep(delay)
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.wait(timeout=10)
        assert time.monotonic() - start < 5
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == [path.name]


def test_an_interrupt_while_the_reader_of_a_pipe_sleeps_is_answered(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with start_writer(path) as process:
            # The pipe fills; nobody reads.
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
            process.wait(timeout=10)
    finally:
        os.close(reader)


SAVER = """
import itertools, sys
from plait.io.atomic import OutputFile
print("ready", flush=True)
for n in itertools.count():
    with OutputFile(sys.argv[1], force=True) as out:
        for _ in range(20): out.write(b"%08d\\n" % n * 1000)
"""


def test_a_kill_leaves_the_old_file_or_the_new_one(tmp_path):
    path = tmp_path / "out"
    for round_ in range(8):
        with start_writer(path, SAVER) as process:
            time.sleep(0.05 + 0.013 * round_)
            process.kill()
        # Absent when the kill came before the first was complete.
        with contextlib.suppress(FileNotFoundError):
            lines = path.read_bytes().splitlines()
            assert len(lines) == 20_000
            assert len(set(lines)) == 1
    assert all(name == "out" or name.endswith(TEMPORARY) for name in names(tmp_path))


def test_a_forgotten_output_is_removed(tmp_path):
    out = OutputFile(tmp_path / "out")
    out.__enter__()
    assert len(names(tmp_path)) == 1
    out._file.close()
    del out
    assert names(tmp_path) == []


def test_a_forked_child_does_not_remove_the_output_of_its_parent(tmp_path):
    text = """
import os, sys
from plait.io.atomic import OutputFile
with OutputFile(sys.argv[1]) as out:
    if os.fork() == 0:
        import atexit
        atexit._run_exitfuncs()
        os._exit(0)
    os.wait()
    out.write(b"whole")
"""
    path = tmp_path / "out"
    subprocess.run([sys.executable, "-c", text, str(path)], check=True, timeout=20)
    assert path.read_bytes() == b"whole"
    assert names(tmp_path) == ["out"]
