"""Damaged, cut and forged model files, full disks and kills while saving."""

import contextlib
import gzip
import hashlib
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from plait import models
from plait.errors import ModelFileError, ResourceError

ARRAYS = {
    "offsets": np.array([0, 2, 3], dtype=np.uint64),
    "counts": np.array([1.5, -2.0, 0.25], dtype=np.float32),
    "is_word": np.array([True, False, True]),
    "blob": np.frombuffer(b"abc", dtype=np.uint8),
}


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "m.plait"
    models.save(path, "numbers", ARRAYS, {"seed": 1})
    return path


def forge(path, change, data=None):
    """Rewrite the header with a right checksum, as somebody would who knows how."""
    content = path.read_bytes()
    count = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + count])
    change(header)
    header["__metadata__"]["header"] = "sha256:" + "0" * 64
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    length = len(text).to_bytes(8, "little")
    digest = hashlib.sha256(length + text).hexdigest().encode()
    text = text.replace(b"0" * 64, digest, 1)
    path.write_bytes(length + text + (content[8 + count :] if data is None else data))


def assert_refused(path, message=None):
    with pytest.raises(ModelFileError, match=message) as caught:
        models.load(path)
    text = str(caught.value)
    assert text.startswith(str(path))
    assert "again" in text
    return text


def test_a_flipped_bit_is_noticed_wherever_it_is(model):
    content = model.read_bytes()
    for at in range(len(content)):
        damaged = bytearray(content)
        damaged[at] ^= 1 << at % 8
        model.write_bytes(damaged)
        assert_refused(model)


def test_a_file_that_is_cut_anywhere_is_noticed(model):
    content = model.read_bytes()
    for size in range(len(content)):
        model.write_bytes(content[:size])
        assert_refused(model)
    model.write_bytes(content[:-1])
    assert_refused(model, f"is cut short after {len(content) - 1:,} of {len(content):,} bytes; copy the file")


def test_bytes_behind_the_end_are_noticed(model):
    with open(model, "ab") as file:
        file.write(b"\0\0")
    assert_refused(model, "2 bytes behind its end")


def test_damage_of_a_compressed_model_is_noticed(tmp_path):
    path = tmp_path / "m.plait.gz"
    models.save(path, "numbers", ARRAYS, {"seed": 1})
    content = path.read_bytes()
    path.write_bytes(content[:-9])
    assert_refused(path, "the gzip data is cut short")
    plain = bytearray(gzip.decompress(content))
    plain[-1] ^= 1
    path.write_bytes(gzip.compress(plain))
    assert_refused(path, "the checksum of the array 'is_word' is wrong|the checksum of the array 'blob' is wrong")


def test_a_newer_format_is_refused_with_the_versions(model):
    def change(header):
        header["__metadata__"] |= {"format_version": "2", "plait_version": "9.1.0"}

    forge(model, change)
    text = assert_refused(model)
    assert "has format version 2, written by plait 9.1.0" in text
    assert "upgrade plait (pip install -U plait)" in text


@pytest.mark.parametrize("version", ["0", "-1", "one", "1e3", "9" * 5000, ""])
def test_a_version_that_is_none_is_refused(model, version):
    forge(model, lambda header: header["__metadata__"].update(format_version=version))
    assert_refused(model, "has format version")


def test_a_size_that_the_file_does_not_have_allocates_nothing(model):
    def change(header):
        header["offsets"] = {"dtype": "U64", "shape": [1 << 60], "data_offsets": [0, 8 << 60]}
        shift = (8 << 60) - 24
        for name in ("counts", "blob", "is_word"):
            header[name]["data_offsets"] = [place + shift for place in header[name]["data_offsets"]]

    forge(model, change)
    assert_refused(model, "is cut short after")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda h: h["counts"].update(shape=[4]), "does not fit 12 bytes"),
        (lambda h: h["counts"].update(dtype="I32"), None),
        (lambda h: h["counts"].update(dtype="F80"), "unknown dtype"),
        (lambda h: h["counts"].update(data_offsets=[0, 12]), "starts at byte"),
        (lambda h: h.pop("counts"), "starts at byte"),
        (lambda h: h["__metadata__"].update(metadata="[]"), "'metadata' is no JSON object"),
        (lambda h: h["__metadata__"].update(metadata="[" * 100_000), "'metadata' is no JSON object"),
        (lambda h: h["__metadata__"].pop("checksums"), "'checksums' is no JSON object"),
        (lambda h: h["__metadata__"].update(checksums="{}"), "the checksums are not those of the arrays"),
    ],
)
def test_a_forged_header_is_refused(model, change, message):
    forge(model, change)
    if message is None:
        # The same bytes as another type are sound to the container; the kind of model looks at types.
        with pytest.raises(ModelFileError, match="found int32"):
            models.load(model).array("counts", np.float32)
    else:
        assert_refused(model, message)


def test_a_forged_truth_value_is_refused(model):
    content = model.read_bytes()
    count = int.from_bytes(content[:8], "little")
    data = bytearray(content[8 + count :])
    entry = json.loads(content[8 : 8 + count])["is_word"]
    data[entry["data_offsets"][0]] = 2

    def change(header):
        checksums = json.loads(header["__metadata__"]["checksums"])
        start, stop = entry["data_offsets"]
        checksums["is_word"] = "sha256:" + hashlib.sha256(data[start:stop]).hexdigest()
        header["__metadata__"]["checksums"] = json.dumps(checksums)

    forge(model, change, bytes(data))
    assert_refused(model, "other values than 0 and 1")


def test_a_bomb_is_refused(tmp_path):
    path = tmp_path / "m.plait.xz"
    models.save(path, "numbers", {"zeros": np.zeros(96 << 20, dtype=np.uint8)}, {})
    with pytest.raises(ResourceError, match="expand over 200 times"):
        models.load(path)


def test_a_limit_of_file_sizes_leaves_the_old_model(model):
    pytest.importorskip("resource")
    program = """
import resource, sys
import numpy as np
from plait import models
from plait.errors import ResourceError
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
try:
    models.save(sys.argv[1], "numbers", {"a": np.zeros(3 << 20, dtype=np.uint8)}, {}, force=True)
except ResourceError as problem:
    print(problem)
"""
    done = subprocess.run([sys.executable, "-c", program, str(model)], capture_output=True, text=True, timeout=20)
    assert done.stdout.startswith(f"{model}: File too large after "), done.stderr
    assert "nothing was changed" in done.stdout
    assert models.load(model).metadata == {"seed": 1}
    assert os.listdir(model.parent) == [model.name]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no /dev/full")
def test_a_full_disk_is_named():
    with pytest.raises(ResourceError, match="/dev/full: No space left on device"):
        models.save("/dev/full", "numbers", {"a": np.zeros(3 << 20, dtype=np.uint8)}, {})


SAVER = """
import itertools, sys
import numpy as np
from plait import models
print("ready", flush=True)
for n in itertools.count():
    models.save(sys.argv[1], "numbers", {"a": np.full(1 << 18, n)}, {"n": n}, force=True)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_kill_while_saving_leaves_a_whole_model(tmp_path, number):
    path = tmp_path / "m"
    for round_ in range(6):
        command = [sys.executable, "-c", SAVER, str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            assert process.stdout.readline() == b"ready\n"
            time.sleep(0.02 + 0.017 * round_)
            process.send_signal(number)
            process.wait(timeout=10)
        # Absent when the signal came before the first was complete.
        with contextlib.suppress(FileNotFoundError):
            found = models.load(path)
            assert (found.arrays["a"] == found.metadata["n"]).all()
    left = [name for name in os.listdir(tmp_path) if name != "m"]
    assert number == signal.SIGKILL or left == []
    assert all(name.endswith(".plait-tmp") for name in left)
