"""Scores and phrase pairs that were worked out by hand."""

from __future__ import annotations

import math
import tomllib
from pathlib import Path

import pytest

from plait.alignments import Alignments
from plait.analyze import analyze
from plait.bitext import Bitext
from plait.metrics import read_gold, score

CASES = tomllib.loads(Path(__file__).with_name("links.toml").read_text(encoding="utf-8"))


def links_of(lines):
    return Alignments._parse("".join(f"{line}\n" for line in lines).encode(), "golden")


@pytest.mark.parametrize("case", CASES["score"], ids=lambda case: case["name"])
def test_scores(case, tmp_path):
    path = tmp_path / "gold"
    path.write_text("".join(f"{line}\n" for line in case["gold"]))
    found = score(links_of(case["links"]), read_gold(path, "pharaoh"))
    for rate in ("aer", "precision", "recall", "f1"):
        if rate in case:
            assert getattr(found, rate) == pytest.approx(case[rate], abs=1e-12)
        else:
            assert math.isnan(getattr(found, rate))


@pytest.mark.parametrize("case", CASES["phrases"], ids=lambda case: case["name"])
def test_phrases(case):
    bitext = Bitext.from_lists(case["source"], case["target"])
    found = analyze(bitext, links_of(case["links"]), max_phrase_length=case.get("max_length", 7), threads=1)
    assert found.phrase_pairs == case["pairs"]
    assert found.phrase_occurrences == case["occurrences"]
    assert found.source.covered_types == case["source_types"]
    assert found.target.covered_types == case["target_types"]
