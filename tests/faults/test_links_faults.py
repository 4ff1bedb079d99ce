"""Damaged and hostile link files: a clear message, quickly, in little memory, and nothing half-written."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
import tracemalloc

import pytest

from command_line import run
from plait.alignments import Alignments
from plait.errors import DataError, PlaitError, TextError
from plait.io.link_blocks import read_in_step
from plait.metrics import read_gold
from plait.symmetrize import symmetrize

DAMAGED = [
    (b"3-x\n", r":1:1: expected a link"),
    (b"0-0\n0-\n", r":2:1: expected a link"),
    (b"0-0 1--1\n", r":1:5: expected a link"),
    (b"0-0\x001-1\n", r":1:1: expected a link"),
    (b"\xff\xfe0\x00-\x000\x00\n", r":1:1: expected a link"),
    ("0\u20130\n".encode(), r":1:1: expected a link"),
    ("0-0\u00a01-1\n".encode(), r":1:1: expected a link"),
    ("0-0\u20281-1\n".encode(), r":1:1: expected a link"),
    ("٣-٤\n".encode(), r":1:1: expected a link"),
    (b"0-0\r1-1\n", r":1:1: expected a link"),
    (b"4294967296-0\n", r":1:1: the source position is above 2147483647"),
    (b"0-2147483648\n", r":1:1: the target position is above 2147483647"),
    (b"0-" + b"9" * 5000 + b"\n", r":1:1: the target position is above .*…"),
    (b"-1-0\n", r":1:1: expected a link"),
    (b"0-0:nan\n", r":1:1: the probability after ':' must be a number from 0 to 1"),
    (b"0-0:inf\n", r":1:1: the probability"),
    (b"0-0:-0.1\n", r":1:1: the probability"),
    (b"0-0:0.5 1-1\n", r":1:9: a link has no probability"),
    (b"0-0 ||| 1-1\n", r":1:5: expected a link"),
]


@pytest.mark.parametrize(("text", "message"), DAMAGED, ids=lambda value: repr(value)[:24])
def test_damaged_lines_are_named(tmp_path, text, message):
    path = tmp_path / "links"
    path.write_bytes(text)
    with pytest.raises(TextError, match=message) as caught:
        Alignments.read(path)
    assert len(str(caught.value)) < 400, "a long token is cut"
    assert str(caught.value).isprintable()


def test_any_damage_gives_links_or_an_error_of_ours(tmp_path):
    chooser = random.Random(5)
    good = b"0-0 1-2:0.5 3?4\n5p6 7-8\n\n1 2 3 S\n1 2\n"
    path = tmp_path / "links"
    for _ in range(300):
        text = bytearray(good * chooser.randint(1, 2))
        for _ in range(chooser.randint(1, 6)):
            place = chooser.randrange(len(text))
            text[place : place + chooser.randint(0, 3)] = chooser.randbytes(chooser.randint(0, 3))
        path.write_bytes(text)
        for read in (Alignments.read, read_gold):
            try:
                read(path)
            except PlaitError:
                continue


def test_a_huge_position_costs_no_memory():
    far = 2**31 - 1
    forward = Alignments.from_lists([[(far, far), (far, far - 1)]])
    reverse = Alignments.from_lists([[(far, far)]])
    tracemalloc.start()
    assert symmetrize(forward, reverse, "grow-diag-final") == forward
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_000_000
    with pytest.raises(DataError, match="points outside"):
        forward.check_within([3], [3])


def test_a_line_of_many_links_is_symmetrised_quickly():
    # A chain that grows against the direction of the walk: quadratic for a tool that walks over everything in each
    # pass.
    length = 100_000
    chain = Alignments.from_lists([[(k, k) for k in range(length)]])
    end = Alignments.from_lists([[(length - 1, length - 1)]])
    start = time.perf_counter()
    assert symmetrize(chain, end, "grow-diag") == chain
    assert time.perf_counter() - start < 5


def test_blocks_count_lines_and_keep_to_one_notation(tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_text("0-0\n" * 5)
    second.write_text("0-0\n" * 4 + "0-x\n")
    with pytest.raises(TextError, match="second:5:1"):
        list(read_in_step([first, second], pairs=2))
    second.write_text("\n0-0\n\n\n0-0:0.5\n")
    with pytest.raises(DataError, match="second:5: a link has probability, unlike those before"):
        list(read_in_step([first, second], pairs=2))
    second.write_text("\n0-0:0.25\n\n\n0-0:0.5\n")
    assert [len(blocks[1]) for blocks in read_in_step([first, second], pairs=2)] == [2, 2, 1]


def test_an_unwritable_output_is_told_before_the_work(tmp_path, capfdbinary):
    path = tmp_path / "links"
    path.write_text("0-0\n")
    found = run(capfdbinary, "symmetrize", path, path, "-o", tmp_path / "no" / "such" / "folder")
    assert found.code == 1
    assert "there is no folder" in found.err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_ctrl_c_ends_at_once_and_leaves_the_old_file(tmp_path):
    forward, reverse, out = tmp_path / "f", tmp_path / "r", tmp_path / "out"
    os.mkfifo(forward)
    reverse.write_text("0-0\n" * 200_000)
    out.write_text("old\n")
    words = ["symmetrize", str(forward), str(reverse), "-o", str(out), "--force"]
    process = subprocess.Popen(
        [sys.executable, "-m", "plait.cli.main", *words], stderr=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with open(forward, "wb", buffering=0) as pipe:
        # It is past its first block, and waits for the rest of the second.
        pipe.write(b"0-0\n" * 70_000)
        time.sleep(0.3)
        start = time.perf_counter()
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=10)
        assert time.perf_counter() - start < 1.5
    assert process.returncode == 130
    assert b"interrupted" in error
    assert sorted(path.name for path in tmp_path.iterdir()) == ["f", "out", "r"]
    assert out.read_text() == "old\n"
