"""The HMM gives the same bits on any number of threads, in training, in what is saved, and on new text."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

import fitting
from made_corpora import zipf_corpus
from plait import align
from plait.bitext import Bitext
from plait.errors import AlignmentWarning
from plait.presets import PRESETS

SOURCES, TARGETS = zipf_corpus(400, types=150)
# Pairs that take no part, at the ends of the text and inside.
SOURCES[0], TARGETS[17], SOURCES[-1] = [], [], []
# Enough tokens that new text is shared out among threads, too.
NEW = zipf_corpus(300, types=180, seed=2)
HMM = [name for name, config in PRESETS.items() if config.model == "hmm"]
TESTS = Path(__file__).resolve().parents[1]


def everything(preset: str, folder: Path, threads: int, **options: Any) -> dict[str, str]:
    """A hash of each thing that training leaves."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AlignmentWarning)
        model = align.fit(Bitext.from_lists(SOURCES, TARGETS), preset, posteriors=True, threads=threads, **options)
    path = folder / f"{preset}-{threads}.plait"
    model.save(path)
    model.lexicon().save(folder / f"{path.name}.lexicon", force=True)
    new = Bitext.from_lists(*NEW)
    directions, scores = model.align_directions(new, threads=threads), model.score(new, threads=threads)
    parts = directions.forward, directions.reverse, directions.forward_posteriors, directions.reverse_posteriors
    new_bytes = b"".join(part.links.tobytes() + part.probabilities.tobytes() for part in parts)
    bytes_of = {
        "links": fitting.digest(model).encode(),
        "history": repr(model.history).encode(),
        "model": path.read_bytes(),
        "lexicon": (folder / f"{path.name}.lexicon").read_bytes(),
        "new text": new_bytes + scores.forward.tobytes() + scores.reverse.tobytes(),
        "symmetrised": model.align(new, threads=threads).links.tobytes(),
    }
    path.unlink()
    return {name: hashlib.sha256(found).hexdigest() for name, found in bytes_of.items()}


@pytest.mark.parametrize("preset", HMM)
def test_threads_do_not_matter(preset: str, tmp_path: Path) -> None:
    one = everything(preset, tmp_path, 1)
    for threads in (2, 3, 8):
        assert everything(preset, tmp_path, threads) == one, threads


def test_the_beams_and_viterbi_are_no_exception(tmp_path: Path) -> None:
    options = {"decoding": "viterbi", "beams": (0.01, 0.01), "tau": 5.0}
    one = everything("default", tmp_path, 1, **options)
    assert one != everything("default", tmp_path, 1)
    assert everything("default", tmp_path, 3, **options) == one


def test_the_seed_does_not_matter_but_is_kept(tmp_path: Path) -> None:
    """Nothing of the HMM is drawn."""
    one, other = everything("default", tmp_path, 1, seed=1), everything("default", tmp_path, 1, seed=2)
    assert {name for name in one if one[name] != other[name]} == {"model"}


def test_other_text_gives_other_bits(tmp_path: Path) -> None:
    """What the other tests compare does depend on the text."""
    one = everything("default", tmp_path, 1)
    SOURCES[1].reverse()
    try:
        other = everything("default", tmp_path, 1)
    finally:
        SOURCES[1].reverse()
    assert not {name for name in one if one[name] == other[name] and name != "symmetrised"}


def test_hash_randomisation_does_not_matter(tmp_path: Path) -> None:
    """Python's string hashes differ from process to process; nothing may depend on them."""
    script = (
        "import sys, pathlib, test_hmm_determinism as t\n"
        "print([t.everything(p, pathlib.Path(sys.argv[1]), 2) for p in ('default', 'wdhmm-100')])"
    )
    path = os.pathsep.join([str(TESTS), str(TESTS / "unit"), *filter(None, sys.path)])
    outputs = set()
    for hash_seed in ("0", "4711"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": path}
        run = subprocess.run(
            [sys.executable, "-c", script, str(tmp_path)], env=environment, check=True, capture_output=True, text=True
        )
        outputs.add(run.stdout.strip())
    assert outputs == {str([everything(p, tmp_path, 2) for p in ("default", "wdhmm-100")])}
