"""Full disks, bombs and interrupts while tables and priors are written and read."""

import contextlib
import gzip
import os
import signal
import subprocess
import sys
import time

import pytest

import plait
from plait.errors import DataError, ResourceError
from plait.io import streams
from plait.lexicon import Lexicon
from plait.priors import Priors


@pytest.fixture
def corpus():
    text = plait.Bitext.from_lists([[f"e{n}", "the"] for n in range(20_000)], [[f"f{n}"] for n in range(20_000)])
    return text, plait.Alignments.from_lists([[(0, 0)]] * 20_000)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no /dev/full")
@pytest.mark.parametrize("format", ["tsv", "jsonl", "marian"])
def test_a_full_disk_is_named(corpus, format):
    with pytest.raises(ResourceError, match="/dev/full: No space left on device"):
        Lexicon.from_links(*corpus).write("/dev/full", format)
    with pytest.raises(ResourceError, match="/dev/full: No space left on device"):
        Priors.from_links(*corpus).write("/dev/full")


LIMITED = """
import resource, sys
import plait
from plait.errors import ResourceError
from plait.lexicon import Lexicon
text = plait.Bitext.from_lists([[f"e{n}"] for n in range(20_000)], [[f"f{n}"] for n in range(20_000)])
lexicon = Lexicon.from_links(text, plait.Alignments.from_lists([[(0, 0)]] * 20_000))
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 18, 1 << 18))
try:
    lexicon.write("lex", "moses", force=True)
except ResourceError as problem:
    print(problem)
"""


def test_both_tables_of_moses_stay_as_they_were_when_one_does_not_fit(tmp_path):
    pytest.importorskip("resource")
    (tmp_path / "lex.f2e").write_bytes(b"old")
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(plait.__file__))}
    command = [sys.executable, "-c", LIMITED]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=25)
    assert "lex.f2e: File too large after " in done.stdout, done.stderr
    assert (tmp_path / "lex.f2e").read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["lex.f2e"]


def test_a_compressed_table_that_is_cut_or_expands_too_far_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "p.gz"
    path.write_bytes(gzip.compress(b"LEX\ta\tb\t1\n" * 1000)[:-4])
    with pytest.raises(DataError, match="is cut short"):
        Priors.read(path)
    monkeypatch.setattr(streams, "_FREE_BYTES", 1 << 20)
    path.write_bytes(gzip.compress(b"LEX\ta\tb\t1\n" * 1_000_000))
    with pytest.raises(ResourceError, match="expand over 200 times"):
        Priors.read(path)


WRITER = """
import sys
import numpy as np
from plait.lexicon import Lexicon
words = [f"w{n}" for n in range(2_000_000)]
ends = np.append(np.arange(len(words) + 1), len(words)).astype(np.uint64)
lexicon = Lexicon(words, words, ends, np.arange(len(words), dtype=np.uint32), np.ones(len(words), dtype=np.float32))
print("ready", flush=True)
while True: lexicon.write(sys.argv[1], force=True)
"""


@pytest.mark.parametrize("delay", [0.1, 0.6, 1.1])
def test_an_interrupt_is_answered_and_leaves_the_old_table_or_the_new_one(tmp_path, delay):
    path = tmp_path / "lex"
    command = [sys.executable, "-c", WRITER, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"ready\n"
        time.sleep(delay)
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
        assert time.monotonic() - start < 10
    assert b"KeyboardInterrupt" in err
    with contextlib.suppress(FileNotFoundError):
        assert path.read_bytes().count(b"\n") == 2_000_001
    assert os.listdir(tmp_path) in ([], ["lex"])
