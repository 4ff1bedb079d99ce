"""The memory of an alignment, told before it is begun."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from made_corpora import zipf_corpus
from plait.align import PRESETS
from plait.bitext import Bitext
from plait.errors import ConfigError
from plait.memory import available_memory, estimate_memory, parse_size, show_size
from plait_fixture import plait

__all__ = ["plait"]

# A process of its own, whose peak is known; 2,500 sentences of 40 words make tables that outweigh the program.
MEASURED = """
import re, sys
sys.path.insert(0, {tests!r})
from made_corpora import zipf_corpus
from plait import align
from plait.align import PRESETS
from plait.bitext import Bitext
from plait.memory import estimate_memory

text = Bitext.from_lists(*zipf_corpus(2500, types=20000, mean_length=40))
open("/proc/self/clear_refs", "w").write("5")
align.fit(text, {preset!r}, objective=False, threads=2)
peak = re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())
print(int(peak[1]) * 1024, estimate_memory(text, PRESETS[{preset!r}]))
"""


@pytest.mark.slow
@pytest.mark.timeout(200)
@pytest.mark.skipif(not os.access("/proc/self/clear_refs", os.W_OK), reason="needs Linux's measure of a peak")
@pytest.mark.parametrize("preset", ["default", "fast", "hmm", "EM-5", "gibbs"])
def test_the_estimate_is_within_a_quarter_of_the_peak(preset: str) -> None:
    script = MEASURED.format(tests=str(Path(__file__).parents[1]), preset=preset)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=180)
    assert done.returncode == 0, done.stderr
    peak, estimate = map(int, done.stdout.split())
    assert 0.75 < estimate / peak < 1.25, (estimate / 2**20, peak / 2**20)


def test_it_grows_with_the_text_and_with_what_is_kept() -> None:
    small, large = (Bitext.from_lists(*zipf_corpus(count, types=500, mean_length=8)) for count in (200, 2000))
    for config in PRESETS.values():
        assert estimate_memory(small, config) < estimate_memory(large, config)
        assert estimate_memory(large, config) < estimate_memory(large, config, posteriors=True)


def test_any_number_of_threads_tells_the_same() -> None:
    text = Bitext.from_lists(*zipf_corpus(500, types=100))
    assert len({estimate_memory(text, PRESETS["default"], threads=threads) for threads in (1, 2, 5)}) == 1


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("0", 0),
        ("123", 123),
        ("1k", 1024),
        ("1.5 GiB", 3 << 29),
        ("800M", 800 << 20),
        ("4GB", 4 << 30),
        ("2t", 2 << 40),
    ],
)
def test_sizes(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "G", "-1G", "1x", "1e9", "nan", "1,5G", "1 G B"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(ConfigError, match="a number with K, M, G or T behind it"):
        parse_size(text)


def test_sizes_for_people() -> None:
    assert [show_size(size) for size in (5 << 20, 1023 << 20, 1 << 30, 6500 << 20)] == [
        "5 MB",
        "1,023 MB",
        "1.0 GB",
        "6.3 GB",
    ]


def test_free_memory_is_the_least_of_machine_and_container(tmp_path: Path) -> None:
    meminfo = tmp_path / "meminfo"
    assert available_memory(meminfo, tmp_path) is None
    meminfo.write_text("MemTotal:  100 kB\nMemAvailable:   50 kB\n")
    assert available_memory(meminfo, tmp_path) == 50 * 1024
    (tmp_path / "memory.max").write_text("30000\n")
    (tmp_path / "memory.current").write_text("10000\n")
    assert available_memory(meminfo, tmp_path) == 20000
    (tmp_path / "memory.max").write_text("max\n")
    assert available_memory(meminfo, tmp_path) == 50 * 1024


def test_a_limit_ends_the_command_before_training_and_leaves_no_file(plait, tmp_path: Path) -> None:
    outcome = plait("align", "-s", "s", "-t", "t", "-o", "out", "--max-memory", "1M")
    assert outcome.code == 1
    assert "of memory are needed for these" in outcome.err
    assert "--max-memory allows 1 MB; take --preset fast" in outcome.err
    assert not (tmp_path / "out").exists()
    assert plait("align", "-s", "s", "-t", "t", "-o", "out", "--max-memory", "1G").code == 0


def test_a_limit_does_nothing_for_a_saved_model_and_that_is_told(plait) -> None:
    plait("align", "-s", "s", "-t", "t", "--save", "model")
    outcome = plait("align", "--model", "model", "-s", "s", "-t", "t", "-o", "out", "--max-memory", "1M")
    assert outcome.code == 0
    assert "--max-memory has no effect with a saved model" in outcome.err


def test_too_little_free_memory_is_a_warning(plait, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plait.cli.align_memory.available_memory", lambda: 1 << 20)
    outcome = plait("align", "-s", "s", "-t", "t", "-o", "out")
    assert outcome.code == 0
    assert "of memory are needed, and 1 MB are free" in outcome.err
