"""Sentences of thousands of words: bounded memory, no crash, and a warning for those that the HMM leaves out."""

from __future__ import annotations

import json
import math
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

import processes
from align_commands import Plait
from made_corpora import zipf_corpus
from plait import _core, align
from plait.align import takes_part
from plait.bitext import Bitext
from plait.errors import AlignmentWarning
from plait.presets import PRESETS

LONG = 2000
# Longer than MAX_CELLS allows on both sides together, and about the longest that it allows.
TOO_LONG, BARELY = 4097, 4096

MEMORY_OF_A_FIT = (
    processes.PEAK
    + """
import sys
import numpy as np
import plait

length, preset, repeats, threads = int(sys.argv[1]), sys.argv[2], sys.argv[3] == "words repeat", int(sys.argv[4])
if repeats:
    rng = np.random.default_rng(1)
    shares = 1 / np.arange(1, 3000)
    words = rng.choice(2999, size=length, p=shares / shares.sum())
else:
    words = np.arange(length)
sides = [[f"{side}{word}" for word in words] for side in "st"]
alone = [[[f"{side}{word}"] for word in words[::3]] for side in "st"]
text = plait.Bitext.from_lists([sides[0], *alone[0]], [sides[1], *alone[1]])
short = plait.Bitext.from_lists(["a b", "a"], ["x y", "x"])
plait.align.fit(short, preset, threads=threads)
before = peak()
model = plait.align.fit(text, preset, threads=threads)
assert model.align(text, threads=threads).links.shape[1] == 2
kilobytes = peak() - before
links = set(map(tuple, model.alignments[0].tolist()))
# Words that stand alone elsewhere, too, and once only in the sentence.
clear = [k for k in range(0, length, 3) if list(words).count(words[k]) == 1]
print(kilobytes, sum((k, k) in links for k in clear), len(clear), model._core.left_out())
"""
)
on_linux = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not tell the peak")


def memory_of_a_fit(length: int, preset: str, kind: str, threads: int) -> tuple[int, int, int, str]:
    """Kilobytes at the peak beyond a tiny training, clear links that were found, and all of them; pairs left out."""
    words = [sys.executable, "-c", MEMORY_OF_A_FIT, str(length), preset, kind, str(threads)]
    found = subprocess.run(words, capture_output=True, text=True, check=False, timeout=110)
    assert found.returncode == 0, found.stderr
    kilobytes, clear, all_clear, left_out = found.stdout.split(maxsplit=3)
    return int(kilobytes), int(clear), int(all_clear), left_out.strip()


@pytest.mark.slow
@pytest.mark.timeout(120)
@on_linux
@pytest.mark.parametrize("kind", ["words repeat", "all words differ"])
@pytest.mark.parametrize("preset", ["default", "fast"])
def test_2000_words_on_each_side_take_bounded_memory(preset: str, kind: str) -> None:
    """The second kind is the worst: each of the 4,000,000 cells is a pair of words of its own at every level."""
    kilobytes, found, clear, left_out = memory_of_a_fit(LONG, preset, kind, 2)
    assert left_out == "(0, 0)"
    # 150 bytes a cell when all words differ.
    assert kilobytes < (300_000 if kind == "words repeat" else 600_000)
    assert clear > 100
    assert found > 0.9 * clear


@pytest.mark.slow
@pytest.mark.timeout(120)
@on_linux
def test_memory_grows_with_cells_and_no_faster() -> None:
    small, large = (memory_of_a_fit(length, "default", "all words differ", 1)[0] for length in (1000, 2000))
    assert 3 < large / small < 5


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["hmm", "wdhmm-1000"])
def test_the_papers_presets_take_seconds_for_2000_different_words_on_each_side(preset: str) -> None:
    """Without a beam that helps, and with I^2 J steps for each pass, it would be minutes."""
    text = Bitext.from_lists(*([[f"{side}{n}" for n in range(LONG)]] for side in "st"))
    before = time.process_time()
    align.fit(text, preset, threads=1)
    assert time.process_time() - before < 20


def sides(length: int) -> tuple[list[str], list[str]]:
    """A sentence of the words of a small corpus, and its translation word by word."""
    numbers = np.random.default_rng(3).integers(40, size=length)
    return [f"s{n}" for n in numbers], [f"t{n}" for n in numbers]


@pytest.mark.slow
@pytest.mark.timeout(120)
@on_linux
@pytest.mark.parametrize(
    ("preset", "options", "stage"),
    [
        ("default", (), "aligning"),
        ("default", ("--warm-up", 0), "aligning"),
        ("hmm", ("--warm-up", 0), "aligning"),
        ("best", ("--warm-up", 1, "--iterations", 1), "sampling"),
    ],
)
@pytest.mark.parametrize("seconds", [0.3, 1.0])
def test_ctrl_c_is_answered_inside_of_a_long_pair(
    preset: str, options: tuple[object, ...], stage: str, seconds: float, tmp_path: Path
) -> None:
    """One pass over 4,096 by 4,096 words takes seconds. Times are the processor's, because tests share theirs."""
    for name, words in zip("st", sides(BARELY), strict=True):
        (tmp_path / name).write_text(" ".join(words) + "\n")
    files = ("-s", tmp_path / "s", "-t", tmp_path / "t", "-o", tmp_path / "o")
    how = ("--preset", preset, *options, "--threads", 1, "--progress", "json")
    with processes.start("align", *files, *how) as process:
        try:
            processes.wait_for_stage(process, stage)
            start = processes.processor_seconds(process)
            processes.wait_until(lambda: processes.processor_seconds(process) > start + seconds, seconds=60)
            asked = processes.processor_seconds(process)
            process.send_signal(signal.SIGINT)
            code, used = processes.wait_with_processor_seconds(process)
        finally:
            process.kill()
    assert code == 130
    assert used - asked < 1
    assert not (tmp_path / "o").exists()


def test_the_limit_is_2_to_the_24_cells() -> None:
    assert _core.MAX_CELLS == BARELY**2 == 2**24
    (s, t), (_, over) = sides(BARELY), sides(TOO_LONG)
    text = Bitext.from_lists([s, s, s[:256], s[:257]], [t, over, sides(65_534)[1], sides(65_534)[1]])
    assert takes_part(text, PRESETS["default"]).tolist() == [True, False, True, False]
    assert takes_part(text, PRESETS["EM-5"]).all(), "Models 1 and 2 have no such limit"


@pytest.mark.parametrize("preset", ["default", "fast", "wdhmm-1000"])
def test_a_pair_over_the_limit_changes_nothing_for_others_and_is_told(preset: str) -> None:
    short = zipf_corpus(40, types=40, mean_length=6)
    long = sides(TOO_LONG)
    with pytest.warns(AlignmentWarning, match=r"1 of 41 .*1 of more than 16,777,216 cells"):
        found = align.fit(Bitext.from_lists([*short[0], long[0]], [*short[1], long[1]]), preset, posteriors=True)
    plain = align.fit(Bitext.from_lists(*short), preset, posteriors=True)
    assert found._core.left_out() == (1, 0)
    assert found.history == plain.history
    for one, other in (
        (found.alignments, plain.alignments),
        (found.forward_posteriors, plain.forward_posteriors),
        (found.reverse_posteriors, plain.reverse_posteriors),
    ):
        assert [links.tolist() for links in one] == [*(links.tolist() for links in other), []]
        assert one.probabilities.tobytes() == other.probabilities.tobytes()
    # New text has the same limit, and says so by a score of NaN.
    new = Bitext.from_lists([long[0], *short[0]], [long[1], *short[1]])
    links, scores = found.align(new), found.score(new)
    assert len(links[0]) == 0
    assert [part.tolist() for part in links[1:]] == [part.tolist() for part in found.align(Bitext.from_lists(*short))]
    assert math.isnan(scores.forward[0])
    assert math.isnan(scores.reverse[0])
    assert np.isfinite(scores.mean[1:]).all()


def test_on_the_command_line_it_is_an_empty_line_and_a_warning(plait: Plait, tmp_path: Path) -> None:
    long = sides(TOO_LONG)
    for name, side in zip("st", long, strict=True):
        path = tmp_path / name
        path.write_text(f"{' '.join(side)}\n{path.read_text()}")
    found = plait("align", "-s", "s", "-t", "t", "-o", "-", "--report", "run.json")
    assert found.code == 0
    lines = found.out.split("\n")
    assert lines[0] == ""
    assert sum(map(bool, lines)) > 70
    assert "1 of more than 16,777,216 cells, source times target words, for the HMM" in found.err
    assert json.loads((tmp_path / "run.json").read_text())["counts"]["empty"] == 2
    # Two models in one command say what else there is: Model 2 takes such pairs.
    found = plait("align", "-s", "s", "-t", "t", "-o", "-", "--preset", "EM-5")
    assert found.out.split("\n")[0] != ""


def test_one_word_against_65_534() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for text in (
            Bitext.from_lists([["s1"], ["s1"]], [["t1"], [f"t{n % 9}" for n in range(65_534)]]),
            Bitext.from_lists([["s1"], [f"s{n % 9}" for n in range(65_534)]], [["t1"], ["t1"]]),
        ):
            model = align.fit(text)
            model.alignments.check_within(text.source_lengths, text.target_lengths)
            assert np.isfinite(model.history["forward"]).all()
            assert np.isfinite(model.score(text).mean).all()
