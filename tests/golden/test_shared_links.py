"""Real gold standards and alignments, where the shared corpora are at hand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from plait.alignments import Alignments
from plait.analyze import analyze
from plait.bitext import Bitext
from plait.metrics import Gold, read_gold, score

ROOT = Path(os.environ.get("PLAIT_DATA", "."))
pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif("PLAIT_DATA" not in os.environ, reason="PLAIT_DATA names no folder"),
]


def test_the_hansards_have_the_published_numbers_of_links():
    gold = read_gold(ROOT / "align" / "hansards-en-fr" / "test.gold")
    assert len(gold) == 447
    assert (len(gold.sure.links), len(gold.possible.links) - len(gold.sure.links)) == (4038, 13400)
    text = Bitext.read(*(ROOT / "align" / "hansards-en-fr" / f"test.{side}" for side in ("src", "tgt")))
    gold.check_within(text.source_lengths, text.target_lengths)
    assert score(gold.possible, gold, bitext=text).aer == 0.0


def test_a_real_alignment_goes_through_files_unchanged(tmp_path):
    path = ROOT / "align" / "nc30k-de-en" / "train.auto"
    alignments = Alignments.read(path)
    assert len(alignments) == 30_000
    alignments.write(tmp_path / "copy.xz")
    assert Alignments.read(tmp_path / "copy.xz") == alignments


def test_phrases_of_a_real_alignment_do_not_depend_on_threads():
    folder = ROOT / "align" / "europarl10k-en-fr"
    text = Bitext.read(folder / "train.src", folder / "train.tgt")
    alignments = Alignments.read(folder / "train.auto")
    gold = Gold(alignments[:10], alignments[:10])
    one = analyze(text, alignments, gold=gold, gold_start=0, threads=1)
    assert one == analyze(text, alignments, gold=gold, gold_start=0, threads=3)
    assert one.phrase_pairs < one.phrase_occurrences
