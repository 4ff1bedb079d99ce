"""CRFsuite's binary models, read and written."""

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.crf import ChainCRF, write_crfsuite
from plait.errors import ConfigError, ModelFileError

X = [[["a", "b:c"], ["d"]], [["a"], ["é"], []]]
Y = [["X", "Y"], ["X", "Y", "ß"]]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The bytes of a model."""
    path = tmp_path_factory.mktemp("models") / "m.crfsuite"
    write_crfsuite(ChainCRF(l2=0.1).fit(X, Y), path)
    return path.read_bytes()


def places(data):
    """Where the parts are: pairs, labels, attributes, lists by label, lists by attribute."""
    return struct.unpack("<5I", data[28:48])


def load(tmp_path, data):
    (tmp_path / "m").write_bytes(data)
    return ChainCRF.load(tmp_path / "m")


def test_what_is_written_is_read(tmp_path):
    model = ChainCRF(l2=0.1).fit(X, Y)
    write_crfsuite(model, tmp_path / "m")
    found = ChainCRF.load(tmp_path / "m")
    assert (found.classes_, found.format, found.stopped_by_) == (model.classes_, "crfsuite", "CRFsuite")
    assert found.state_features_ == model.state_features_
    assert found.transition_features_ == model.transition_features_
    assert found.predict(X) == model.predict(X)
    found.save(tmp_path / "n")
    assert ChainCRF.load(tmp_path / "n").state_features_ == model.state_features_
    with pytest.raises(ConfigError, match="exists"):
        write_crfsuite(model, tmp_path / "m")
    write_crfsuite(found, tmp_path / "m2")
    assert (tmp_path / "m2").read_bytes() == (tmp_path / "m").read_bytes()


def test_weights_of_0_are_left_out(tmp_path):
    model = ChainCRF(l1=1.0, l2=0.0).fit(X * 3, Y * 3)
    write_crfsuite(model, tmp_path / "m")
    found = ChainCRF.load(tmp_path / "m")
    weights = np.concatenate([model.core.states()[2], model.core.transitions()[2]])
    assert found.core.feature_count == (weights != 0).sum() < len(weights)
    assert found.marginals(X)[1] == pytest.approx(model.marginals(X)[1], abs=1e-12)


@pytest.mark.parametrize(("items", "labels"), [([[["a\0b"], ["c"]]], [["X", "Y"]]), ([[["a"]]], [["X\0"]])])
def test_a_name_with_a_zero_byte_is_refused_and_nothing_is_written(tmp_path, items, labels):
    with pytest.raises(ConfigError, match="zero byte"):
        write_crfsuite(ChainCRF().fit(items, labels), tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_a_model_that_was_cut_is_refused(tmp_path, whole):
    for length in range(8, len(whole), 11):
        with pytest.raises(ModelFileError, match="make the model again"):
            load(tmp_path, whole[:length])


@given(data=st.data())
def test_a_changed_byte_is_told_or_changes_nothing(tmp_path_factory, whole, data):
    """But for weights and second labels: they are there once, and the format has no checksum."""
    at = data.draw(st.integers(4, len(whole) - 1))
    changed = whole[:at] + bytes([whole[at] ^ data.draw(st.integers(1, 255))]) + whole[at + 1 :]
    expected = ChainCRF(l2=0.1).fit(X, Y)
    folder = tmp_path_factory.mktemp("changed")
    try:
        found = load(folder, changed)
    except ModelFileError:
        return
    pairs, labels = places(whole)[:2]
    if not (pairs + 12 <= at < labels and (at - pairs - 12) % 20 >= 8):
        assert found.state_features_ == expected.state_features_
        assert found.transition_features_ == expected.transition_features_
        assert found.classes_ == expected.classes_


def replaced(data, at, *numbers):
    new = struct.pack(f"<{len(numbers)}I", *numbers)
    return data[:at] + new + data[at + len(new) :]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: replaced(data, 12, 99), "version 100"),
        (lambda data: data + b"\0", "should have"),
        (lambda data: replaced(data, 48 + 12, 2), "neither of an attribute"),
        (lambda data: replaced(data, 48 + 12, 0, 99), "but only"),
        (lambda data: replaced(data, 48 + 12, 0, 0, 99), "but only"),
        (lambda data: data[:72] + struct.pack("<d", float("nan")) + data[80:], "not finite"),
        (lambda data: data.replace(b"b:c\0", b"b:d\0"), "does not find by its hash"),
        (lambda data: replaced(data, 20, 4), "names of labels"),
        (lambda data: replaced(data, 28, 2**32 - 1), "ends at"),
        (lambda data: replaced(data, places(data)[3] + 8, 1), "has 1 lists"),
        (lambda data: replaced(data, places(data)[4] + 12, 0), "in no list"),
    ],
)
def test_damage_is_named(tmp_path, whole, change, message):
    with pytest.raises(ModelFileError, match=message):
        load(tmp_path, change(whole))


def random_data(seed=1):
    random = np.random.default_rng(seed)
    items = [[[f"a{n}" for n in random.integers(0, 30, 4)] for _ in range(6)] for _ in range(60)]
    return items, [[f"l{min(int(names[0][1:]) // 8, 3)}" for names in sequence] for sequence in items]


def tagger_of(path):
    pycrfsuite = pytest.importorskip("pycrfsuite")
    tagger = pycrfsuite.Tagger()
    tagger.open(str(path))
    return tagger


def same_answers(model, tagger, items):
    assert model.predict(items) == [tagger.tag(sequence) for sequence in items]
    for n, marginals in enumerate(model.predict_marginals(items[:5])):
        tagger.set(items[n])
        for position, row in enumerate(marginals):
            assert row == pytest.approx({label: tagger.marginal(label, position) for label in row}, abs=1e-9)


def test_a_model_of_python_crfsuite_labels_as_there(tmp_path):
    pycrfsuite = pytest.importorskip("pycrfsuite")
    items, labels = random_data()
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.set_params({"c2": 0.1})
    for sequence, own in zip(items, labels, strict=True):
        trainer.append(sequence, own)
    trainer.train(str(tmp_path / "m"))
    found = ChainCRF.load(tmp_path / "m")
    same_answers(found, tagger_of(tmp_path / "m"), items)
    # The same weights make the same file, hash tables and all.
    write_crfsuite(found, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()


def test_python_crfsuite_labels_as_plait_does(tmp_path):
    items, labels = random_data(2)
    model = ChainCRF(l2=0.1).fit(items, labels)
    write_crfsuite(model, tmp_path / "m")
    tagger = tagger_of(tmp_path / "m")
    same_answers(model, tagger, items)
    info = tagger.info()
    assert info.state_features == pytest.approx(model.state_features_, abs=1e-6)
    assert info.transitions == pytest.approx(model.transition_features_, abs=1e-6)
    assert sorted(info.labels) == sorted(model.classes_)
