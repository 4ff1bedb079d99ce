"""Files of weights, and journals of evaluations."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.errors import ConfigError, DataError, ModelFileError, TextError
from plait.minrisk import match_weights, read_weights, write_weights
from plait.minrisk.journal import Journal

NAMES = st.text(st.characters(exclude_characters="\t\r\n", exclude_categories=["Cs"]), min_size=1)


@given(st.dictionaries(NAMES, st.floats(allow_nan=False, allow_infinity=False)))
def test_weights_come_back_to_the_bit(weights):
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "weights"
        write_weights(path, weights, comments=["a remark"])
        found = read_weights(path)
    assert list(found) == list(weights)
    assert np.array(list(found.values())).tobytes() == np.array(list(weights.values())).tobytes()


def test_the_files_of_others_are_read(tmp_path):
    path = tmp_path / "weights.gz"
    path.write_bytes(gzip.compress(b"# cdec\nLanguageModel 0.5\r\n\n  WordPenalty   -1e-2\nTM= 1\nTM= 2\nLM= 3\n"))
    assert read_weights(path) == {"LanguageModel": 0.5, "WordPenalty": -0.01, "TM_1": 1.0, "TM_2": 2.0, "LM": 3.0}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lm 1\nlm 2\n", "weights:2:1: a feature has one weight"),
        ("lm one\n", "weights:1:1: a line is"),
        ("lm\n", "weights:1:1: a line is"),
        ("a b 1\n", "weights:1:1: a line is"),
        ("x\t1\nlm\tnan\n", "weights:2:1: a weight is a finite number.*found 'nan'"),
        ("lm -inf\n", "weights:1:1: a weight is a finite number"),
    ],
)
def test_lines_that_are_no_weight_are_refused(text, message, tmp_path):
    path = tmp_path / "weights"
    path.write_text(text)
    with pytest.raises(TextError, match=message):
        read_weights(path)


@pytest.mark.parametrize("weights", [{"": 1.0}, {"a\tb": 1.0}, {"a\n": 1.0}, {"a": float("nan")}, {"a": float("inf")}])
def test_what_cannot_be_read_again_is_not_written(weights, tmp_path):
    with pytest.raises(DataError, match="must"):
        write_weights(tmp_path / "weights", weights)
    assert list(tmp_path.iterdir()) == []


def test_weights_find_their_features():
    found = match_weights({"b": 2.0, "z": 1.0}, ["a", "b"])
    assert found.values.tolist() == [0.0, 2.0]
    assert (found.without_feature, found.without_weight) == (("z",), ("a",))
    with pytest.raises(ConfigError, match="no weight is that of a feature: weights have 'z', features are 'a', 'b'"):
        match_weights({"z": 1.0}, ["a", "b"])
    assert match_weights({}, ["a"]).values.tolist() == [0.0]
    assert match_weights({"z": 1.0}, []).values.tolist() == []


POINT = np.arange(3.0)
ANSWERS = [(1, np.array([1.0, 2.0])), (2, np.array([3.0])), (1, np.array([4.0, 5.0, 6.0]))]


def opened(path, *, run=b"r" * 32, stage=1, start=POINT):
    return Journal(str(path), run=run, stage=stage, start=start)


@pytest.fixture
def written(tmp_path):
    with opened(tmp_path / "journal") as journal:
        assert journal.recall(1, POINT) is None
        for kind, values in ANSWERS:
            journal.record(kind, POINT + kind, values)
    return (tmp_path / "journal").read_bytes()


def recalled(journal):
    """How many answers are left."""
    for n, (kind, values) in enumerate(ANSWERS):
        found = journal.recall(kind, POINT + kind)
        if found is None:
            return n
        np.testing.assert_array_equal(found, values)
    assert journal.recall(1, POINT) is None
    return len(ANSWERS)


def test_a_journal_that_was_cut_anywhere_goes_on(written, tmp_path):
    path = tmp_path / "cut"
    for end in range(len(written) + 1):
        path.write_bytes(written[:end])
        with opened(path) as journal:
            for kind, values in ANSWERS[recalled(journal) :]:
                journal.record(kind, POINT + kind, values)
        assert path.read_bytes() == written


def test_a_flipped_bit_anywhere_is_found(written, tmp_path):
    path = tmp_path / "damaged"
    for at in range(len(written)):
        damaged = bytearray(written)
        damaged[at] ^= 1 << (at % 8)
        path.write_bytes(damaged)
        with pytest.raises(ModelFileError, match=r"damaged.*(remove this file)"), opened(path):
            pass


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"run": b"s" * 32}, "another run"),
        ({"start": POINT + 1}, "another stage than the checkpoint"),
        ({"stage": 0}, "another stage than the checkpoint"),
    ],
)
def test_the_journal_of_other_work_is_refused(options, message, written, tmp_path):
    with pytest.raises(ModelFileError, match=message), opened(tmp_path / "journal", **options):
        pass
    assert (tmp_path / "journal").read_bytes() == written


def test_the_journal_of_an_earlier_stage_is_replaced(written, tmp_path):
    with opened(tmp_path / "journal", stage=2) as journal:
        assert journal.recall(1, POINT) is None
    with opened(tmp_path / "journal", stage=2) as journal:
        assert journal.recall(1, POINT) is None


def test_another_question_than_before_is_refused(written, tmp_path):
    for kind, point in ((2, POINT + 1), (1, POINT)):
        with pytest.raises(ModelFileError, match="another point"), opened(tmp_path / "journal") as journal:
            journal.recall(kind, point)


def test_two_runs_do_not_share_a_journal(written, tmp_path):
    pytest.importorskip("fcntl")
    with (
        opened(tmp_path / "journal"),
        pytest.raises(ConfigError, match="another run works"),
        opened(tmp_path / "journal"),
    ):
        pass
