"""CRFsuite's binary models."""

import struct

import numpy as np
import pytest

from plait.crf import ChainCRF
from plait.errors import ModelFileError


def names(words):
    """A constant database, without the tables of hashes that are not looked at."""
    start = 24 + 256 * 8
    records, places = b"", []
    for number, word in enumerate(words):
        places.append(start + len(records))
        records += struct.pack("<II", number, len(word) + 1) + word + b"\0"
    behind = start + len(records)
    size = behind + 4 * len(words)
    head = struct.pack("<4s5I", b"CQDB", size, 0, 0x62445371, len(words), behind if words else 0)
    return head + bytes(256 * 8) + records + struct.pack(f"<{len(words)}I", *places)


def model(features, labels, attributes):
    """A model as CRFsuite writes it."""
    rows = b"".join(struct.pack("<IIId", *feature) for feature in features)
    chunk = struct.pack("<4sII", b"FEAT", 12 + len(rows), len(features)) + rows
    first, second = names(labels), names(attributes)
    places = [48, 48 + len(chunk), 48 + len(chunk) + len(first)]
    size = places[2] + len(second)
    head = struct.pack("<4sI4s9I", b"lCRF", size, b"FOMC", 100, 0, len(labels), len(attributes), *places, 0, 0)
    return head + chunk + first + second


FEATURES = [(0, 1, 0, 0.5), (0, 0, 1, -1.25), (1, 0, 1, 2.0), (0, 1, 1, 0.25)]
SOUND = model(FEATURES, [b"X", b"\xc3\xa9"], [b"a", b"b:c"])


def test_weights_and_names_are_read(tmp_path):
    (tmp_path / "m").write_bytes(SOUND)
    found = ChainCRF.load(tmp_path / "m")
    assert found.classes_ == ["X", "é"]
    assert found.state_features_ == {("b:c", "X"): 0.5, ("a", "é"): -1.25, ("b:c", "é"): 0.25}
    assert found.transition_features_ == {("X", "é"): 2.0}
    assert found.predict([[["b:c"], []]]) == [["X", "é"]]
    found.save(tmp_path / "n")
    assert ChainCRF.load(tmp_path / "n").state_features_ == found.state_features_


def test_a_model_that_was_cut_or_changed_never_crashes(tmp_path):
    for length in range(4, len(SOUND)):
        (tmp_path / "m").write_bytes(SOUND[:length])
        with pytest.raises(ModelFileError):
            ChainCRF.load(tmp_path / "m")
    sound = 0
    for place in [*range(4, 140), *range(len(SOUND) - 60, len(SOUND))]:
        (tmp_path / "m").write_bytes(SOUND[:place] + bytes([SOUND[place] ^ 0xFF]) + SOUND[place + 1 :])
        try:
            ChainCRF.load(tmp_path / "m").predict([[["a"], ["b:c"]]])
        except ModelFileError:
            continue
        sound += 1
    # The format has no checksum: bytes of weights and names may be any.
    assert sound < 140


@pytest.mark.parametrize(
    ("features", "labels", "attributes", "message"),
    [
        ([(2, 0, 0, 1.0)], [b"X"], [b"a"], "neither of an attribute"),
        ([(0, 1, 0, 1.0)], [b"X"], [b"a"], "that there is not"),
        ([(1, 0, 1, 1.0)], [b"X"], [b"a"], "that there is not"),
        ([(0, 0, 0, 1.0), (0, 0, 0, 2.0)], [b"X"], [b"a"], "there twice"),
        ([(0, 0, 0, float("nan"))], [b"X"], [b"a"], "not finite"),
        ([(0, 0, 0, 1.0)], [b"X"], [b"\xff"], "not UTF-8"),
        ([], [], [], "labels"),
    ],
)
def test_what_no_training_makes_is_refused(tmp_path, features, labels, attributes, message):
    (tmp_path / "m").write_bytes(model(features, labels, attributes))
    with pytest.raises(ModelFileError, match=message):
        ChainCRF.load(tmp_path / "m")


def test_a_model_of_python_crfsuite_labels_as_there(tmp_path):
    pycrfsuite = pytest.importorskip("pycrfsuite")
    random = np.random.default_rng(1)
    items = [[[f"a{n}" for n in random.integers(0, 30, 4)] for _ in range(6)] for _ in range(60)]
    labels = [[f"l{min(int(names[0][1:]) // 8, 3)}" for names in sequence] for sequence in items]
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.set_params({"c2": 0.1})
    for sequence, own in zip(items, labels, strict=True):
        trainer.append(sequence, own)
    trainer.train(str(tmp_path / "m"))
    tagger = pycrfsuite.Tagger()
    tagger.open(str(tmp_path / "m"))
    found = ChainCRF.load(tmp_path / "m")
    assert found.predict(items) == [tagger.tag(sequence) for sequence in items]
    for n, marginals in enumerate(found.predict_marginals(items[:5])):
        tagger.set(items[n])
        for position, row in enumerate(marginals):
            assert row == pytest.approx({label: tagger.marginal(label, position) for label in row}, abs=1e-9)
