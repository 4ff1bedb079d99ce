"""Files of phrase pairs are those of Moses, byte for byte, when that is asked for."""

import os
from pathlib import Path

import pytest

from phrase_vectors import NAMES, put, vectors
from plait.phrases import extract_files

EXTRACTED = sorted(
    (name, file)
    for name in NAMES
    for file in vectors(name)
    if file.startswith("extract.") and "sorted" not in file and "SingleWordHeuristic" not in file
)


def case(file):
    """Return the suffix, the maximum length and the models of a file such as extract.o.len7.hier-msd."""
    parts = file.split(".")
    suffix = "" if parts[1].startswith("len") else f".{parts[1]}"
    length = next(part for part in parts if part.startswith("len"))
    models = parts[-1].split("+") if suffix == ".o" else []
    return suffix, int(length.removeprefix("len")), models


@pytest.mark.parametrize(("name", "file"), EXTRACTED)
def test_phrase_pairs_are_those_of_moses(name, file, tmp_path):
    suffix, max_length, models = case(file)
    extract_files(*put(name, tmp_path), tmp_path / "out", max_length=max_length, models=models, compat="moses")
    assert (tmp_path / f"out{suffix}").read_bytes() == vectors(name)[file]


def test_all_sets_and_models_are_there():
    assert len(EXTRACTED) == 48


@pytest.fixture
def moses():
    """The regression tests of Moses."""
    folder = Path(os.environ.get("PLAIT_DATA", "")) / "phrase" / "moses"
    if not os.environ.get("PLAIT_DATA") or not folder.is_dir():
        pytest.skip("PLAIT_DATA names no folder with phrase/moses")
    return folder


@pytest.mark.data
def test_weighted_phrase_pairs_are_those_of_the_regression_test(moses, tmp_path):
    inputs = moses / "models" / "extract.phrase-based-weighted"
    extract_files(
        inputs / "en",
        inputs / "fr",
        inputs / "align.fr-en",
        tmp_path / "extract",
        models=["wbe-msd"],
        weights=inputs / "weights",
        compat="moses",
    )
    truth = moses / "tests" / "extract.phrase-based-weighted" / "truth"
    for name in ("extract", "extract.inv", "extract.o"):
        assert (tmp_path / name).read_bytes() == (truth / name).read_bytes()
