"""Replays the kept inputs of the readers that are fuzzed in Python: a found input stays found."""

from __future__ import annotations

from pathlib import Path

import pytest

from fuzz_python.checks import TARGETS

CORPUS = Path(__file__).parents[1] / "fuzz_python" / "corpus"


@pytest.mark.parametrize("target", TARGETS)
def test_kept_inputs_are_read_or_refused(target: str) -> None:
    inputs = sorted((CORPUS / target).iterdir())
    assert len(inputs) >= 10
    for path in inputs:
        try:
            TARGETS[target](path.read_bytes())
        except Exception as problem:
            raise AssertionError(f"{path.name}: {type(problem).__name__}: {problem}") from problem


def test_each_folder_of_inputs_has_its_target() -> None:
    assert {folder.name for folder in CORPUS.iterdir()} == set(TARGETS)
