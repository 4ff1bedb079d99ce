"""Model files: what is saved comes back, and what is not a sound model file is refused with a remedy."""

import gzip
import io
import json
import os
import re
import subprocess
import sys
import threading
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import processes
from plait import models
from plait.errors import ConfigError, ModelFileError
from plait.io import model_reader
from plait.io.safetensors import DTYPES, parse_header

ARRAYS = {
    "offsets": np.array([0, 2, 3], dtype=np.uint64),
    "counts": np.array([[1.5, -2.0], [np.inf, np.nan]], dtype=np.float32),
    "is_word": np.array([True, False, True]),
    "none": np.zeros((0, 3), dtype=np.int32),
    "scalar": np.array(7, dtype=np.int64),
    "bytes": np.frombuffer(b"abc", dtype=np.uint8),
}
METADATA = {"config": {"preset": "default", "tau": 0.5}, "seed": 1, "words": ["é", None, True]}


def assert_same(found, arrays):
    assert set(found) == set(arrays)
    for name, array in arrays.items():
        assert found[name].dtype == array.dtype.newbyteorder("=")
        assert found[name].shape == array.shape
        assert found[name].tobytes() == array.astype(array.dtype.newbyteorder("=")).tobytes()
        assert not found[name].flags.writeable
        assert found[name].flags.aligned


def header_of(path):
    data = path.read_bytes()
    count = int.from_bytes(data[:8], "little")
    return data[8 : 8 + count], data[8 + count :]


def test_what_is_saved_comes_back(tmp_path):
    path = tmp_path / "m.plait"
    models.save(path, "numbers", ARRAYS, METADATA)
    found = models.load(path, "numbers")
    assert (found.kind, found.format_version, found.metadata) == ("numbers", 1, METADATA)
    assert re.fullmatch(r"\d+\.\d+\.\d+.*", found.plait_version)
    assert_same(found.arrays, ARRAYS)
    assert found.array("offsets", np.uint64).tolist() == [0, 2, 3]


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz"])
def test_a_compressed_model_comes_back(tmp_path, suffix):
    path = tmp_path / f"m.plait{suffix}"
    models.save(path, "numbers", ARRAYS, METADATA)
    assert_same(models.load(path).arrays, ARRAYS)


def test_the_same_model_makes_the_same_bytes(tmp_path):
    a, b = tmp_path / "a", tmp_path / "b"
    models.save(a, "numbers", ARRAYS, METADATA)
    models.save(b, "numbers", dict(reversed(ARRAYS.items())), dict(reversed(METADATA.items())))
    assert a.read_bytes() == b.read_bytes()


def test_the_file_is_a_safetensors_file_with_aligned_arrays(tmp_path):
    path = tmp_path / "m.plait"
    models.save(path, "numbers", ARRAYS, METADATA)
    header, data = header_of(path)
    assert len(header) % 8 == 0
    content = json.loads(header)
    fields = content.pop("__metadata__")
    assert fields["format"] == "plait-model"
    for name, entry in content.items():
        start, stop = entry["data_offsets"]
        dtype = np.dtype(f"<{DTYPES[entry['dtype']].letter}")
        assert start % dtype.itemsize == 0
        array = np.frombuffer(data[start:stop], dtype=dtype).reshape(entry["shape"])
        assert array.tobytes() == ARRAYS[name].tobytes()
    assert sum(a.nbytes for a in ARRAYS.values()) == len(data)


def test_the_package_of_that_name_reads_it(tmp_path):
    numpy_side = pytest.importorskip("safetensors.numpy")
    path = tmp_path / "m.plait"
    models.save(path, "numbers", ARRAYS, METADATA)
    found = numpy_side.load_file(path)
    assert {name: array.tobytes() for name, array in found.items()} == {
        name: array.tobytes() for name, array in ARRAYS.items()
    }


def test_arrays_in_any_order_of_bytes_and_items_are_saved(tmp_path):
    path = tmp_path / "m"
    arrays = {
        "big": np.arange(5, dtype=">u4"),
        "columns": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        "every_other": np.arange(10)[::2],
    }
    models.save(path, "numbers", arrays, {})
    found = models.load(path).arrays
    assert found["big"].tolist() == [0, 1, 2, 3, 4]
    assert found["columns"].tolist() == arrays["columns"].tolist()
    assert found["every_other"].tolist() == [0, 2, 4, 6, 8]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("Numbers", {}, {}), "kind must be lower-case"),
        (("n", {"a": np.array(["x"])}, {}), "array 'a' has dtype <U1; convert it to one of bool, uint8"),
        (("n", {"a": np.array([None])}, {}), "array 'a' has dtype object"),
        (("n", {"a": np.array([1j])}, {}), "array 'a' has dtype complex128"),
        (("n", {"__metadata__": np.array([1])}, {}), "no array can be called '__metadata__'"),
        (("n", {}, {"a": [1, {"b": np.int64(3)}]}), r"metadata\['a'\]\[1\]\['b'\] must be a value of JSON"),
        (("n", {}, {"a": float("nan")}), r"metadata\['a'\] must be a finite number; found nan"),
        (("n", {}, {"a": {1: 2}}), r"metadata\['a'\] must be a dictionary with texts as keys; found the key 1"),
    ],
)
def test_what_cannot_be_stored_is_refused_by_name_and_nothing_is_written(tmp_path, arguments, message):
    with pytest.raises(ConfigError, match=message):
        models.save(tmp_path / "m", *arguments)
    assert os.listdir(tmp_path) == []


def test_a_file_that_exists_stays_unless_told_otherwise(tmp_path):
    path = tmp_path / "m"
    models.save(path, "numbers", ARRAYS, {})
    with pytest.raises(ConfigError, match="exists; choose another name"):
        models.save(path, "numbers", {}, {})
    assert len(models.load(path).arrays) == len(ARRAYS)
    models.save(path, "numbers", {}, {}, force=True)
    assert models.load(path).arrays == {}


def test_another_kind_is_refused_before_any_array_is_read(tmp_path):
    path = tmp_path / "m"
    models.save(path, "numbers", ARRAYS, {})
    with (
        mock.patch.object(model_reader.FileSource, "take", side_effect=AssertionError),
        pytest.raises(ModelFileError, match=r"m: a model of kind 'lexicon' is needed; found one of kind 'numbers'"),
    ):
        models.load(path, "lexicon")


def test_an_array_that_a_kind_needs_is_checked(tmp_path):
    path = tmp_path / "m"
    models.save(path, "numbers", ARRAYS, {})
    found = models.load(path)
    with pytest.raises(ModelFileError, match=r"needs the array 'more', float32 with 1 dimension.*found none"):
        found.array("more", np.float32)
    with pytest.raises(ModelFileError, match="found uint64 with 1"):
        found.array("offsets", np.uint32)
    with pytest.raises(ModelFileError, match="found float32 with 2"):
        found.array("counts", np.float32)


def test_a_model_comes_from_a_pipe_and_from_standard_input(tmp_path, monkeypatch):
    path = tmp_path / "m"
    models.save(path, "numbers", ARRAYS, METADATA)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(path.read_bytes()))
    writer.start()
    assert_same(models.load(pipe).arrays, ARRAYS)
    writer.join()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
    assert_same(models.load("-").arrays, ARRAYS)


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"", "an empty file"),
        (b"the house ||| das Haus\n" * 100, "a file that starts with b'the hous'"),
        (b"\x80\x04\x95" + bytes(100), "a file that starts with"),
        (b"\x10\0\0\0\0\0\0\0" + b'{"a":1}         ', "a safetensors file of another program"),
        (gzip.compress(b"some text"), "a file that starts with b'some tex'"),
    ],
)
def test_a_foreign_file_is_refused(tmp_path, content, found):
    path = tmp_path / "m"
    path.write_bytes(content)
    with pytest.raises(ModelFileError) as caught:
        models.load(path)
    assert str(caught.value).startswith(f"{path}: this is no model file of plait; found {found}")
    assert "give a file that plait has saved" in str(caught.value)


def test_a_foreign_file_is_not_read_to_its_end(tmp_path):
    path = tmp_path / "huge"
    with open(path, "wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(ModelFileError, match="no model file"):
        models.load(path)


def test_a_missing_file_and_a_folder_are_errors_of_the_system(tmp_path):
    with pytest.raises(FileNotFoundError):
        models.load(tmp_path / "m")
    with pytest.raises(IsADirectoryError):
        models.load(tmp_path)


@given(
    arrays=st.dictionaries(
        st.text(max_size=8),
        st.sampled_from([np.dtype(f"<{dtype.letter}") for dtype in DTYPES.values()]).flatmap(
            lambda dtype: npst.arrays(dtype, npst.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5))
        ),
        max_size=5,
    ),
    metadata=st.dictionaries(
        st.text(max_size=5),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
            max_leaves=8,
        ),
        max_size=4,
    ),
)
def test_any_model_comes_back(tmp_path_factory, arrays, metadata):
    path = tmp_path_factory.mktemp("any") / "m"
    models.save(path, "numbers", arrays, metadata)
    found = models.load(path)
    assert found.metadata == metadata
    assert_same(found.arrays, arrays)


@given(st.lists(st.binary(max_size=6)))
def test_words_come_back(words):
    blob, offsets = models.pack_words(words)
    assert (blob.dtype, offsets.dtype, len(offsets)) == (np.uint8, np.uint64, len(words) + 1)
    assert models.unpack_words(blob, offsets) == words


def test_a_large_vocabulary_goes_through_a_file(tmp_path):
    words = [f"wörd-{n}" for n in range(300_000)]
    blob, offsets = models.pack_words(words)
    models.save(tmp_path / "m", "words", {"blob": blob, "offsets": offsets}, {})
    arrays = models.load(tmp_path / "m").arrays
    assert models.unpack_words(arrays["blob"], arrays["offsets"]) == [word.encode() for word in words]


@pytest.mark.parametrize("offsets", [[], [1, 3], [0, 2], [0, 2, 1, 3]])
def test_offsets_that_are_not_those_of_words_are_refused(offsets):
    with pytest.raises(ModelFileError, match="must rise from 0 to its 3 bytes"):
        models.unpack_words(np.frombuffer(b"abc", dtype=np.uint8), np.array(offsets, dtype=np.uint64))


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (b"[]", "no JSON object"),
        (b"[" * 100_000, "nested without end"),
        (b'{"a":', "Expecting value"),
        (b"\xff", "codec"),
        (b'{"__metadata__":{"a":1}}', "metadata is not text"),
        (b'{"a":1}', "not described by an object"),
        (b'{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":1}', "a key stands twice"),
        (b'{"a":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[0,1]}}', "unknown dtype 'F8_E4M3'"),
        (b'{"a":{"dtype":["U8"],"shape":[1],"data_offsets":[0,1]}}', "unknown dtype"),
        (b'{"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}}', "no shape or no place"),
        (b'{"a":{"dtype":"U8","shape":[true],"data_offsets":[0,1]}}', "no shape or no place"),
        (b'{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1,2]}}', "no shape or no place"),
        (b'{"a":{"dtype":"U16","shape":[1],"data_offsets":[0,1]}}', "does not fit 1 bytes"),
        (b'{"a":{"dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,0]}}', "does not fit 0 bytes"),
        (b'{"a":{"dtype":"U8","shape":[0,9223372036854775808],"data_offsets":[0,0]}}', "has 2 dimensions"),
        (b'{"a":{"dtype":"U8","shape":[%b1],"data_offsets":[0,1]}}' % (b"1," * 99), "has 100 dimensions"),
        (b'{"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}', "starts at byte 1 where 0 is expected"),
        (
            b'{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}}',
            "starts at byte 1 where 2 is expected",
        ),
    ],
)
def test_a_header_that_is_none_is_refused(header, message):
    with pytest.raises(ValueError, match=message):
        parse_header(header)


def test_loading_does_not_double_the_memory(tmp_path):
    path = tmp_path / "m"
    size = 64 << 20
    models.save(path, "numbers", {"a": np.zeros(size, dtype=np.uint8)}, {})
    program = f"""{processes.PEAK}
import sys
from plait import models
from plait.io import model_reader
before = peak()
models.load(sys.argv[1])
print((peak() - before) * 1024)
"""
    if sys.platform != "linux":
        pytest.skip("the system does not tell the peak")
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 1.3 * size
