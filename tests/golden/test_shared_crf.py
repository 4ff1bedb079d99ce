"""Chain random fields on shared data, and beside python-crfsuite where it is installed."""

import gzip
import os
import re
from pathlib import Path

import numpy as np
import pytest

from crf_models import with_weights
from plait import _core
from plait.crf import ChainCRF, Sequences, evaluate, write_crfsuite
from plait.errors import ConvergenceWarning

DATA = os.environ.get("PLAIT_DATA")
pytestmark = [pytest.mark.data, pytest.mark.skipif(not DATA, reason="PLAIT_DATA names no folder")]


def crf(name):
    path = Path(DATA or "") / "crf" / name
    if not path.exists():
        pytest.skip(f"there is no {name}")
    return path


@pytest.mark.timeout(120)
def test_the_objective_on_333_labels_is_that_of_crfsuite(tmp_path):
    """On every tenth sequence, at the weights of CRFsuite's third iteration."""
    pycrfsuite = pytest.importorskip("pycrfsuite")
    text = gzip.decompress(crf("converter-333-labels/conv.crfsuite.gz").read_bytes()).decode()
    blocks = text.rstrip("\n").split("\n\n")[::10]
    (tmp_path / "tenth").write_text("\n\n".join(blocks) + "\n")
    data = Sequences.read(tmp_path / "tenth", format="crfsuite")
    model = ChainCRF(l2=0.5, max_iterations=0).fit(data)
    # At weight 0 all labels are equally likely.
    assert model.history_[0] == pytest.approx(data.positions * np.log(len(data.label_names)), rel=1e-12)
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.set_params({"c2": 0.5, "max_iterations": 3})
    for block in blocks:
        rows = [line.split("\t") for line in block.split("\n") if line]
        trainer.append([row[1:] for row in rows], [row[0] for row in rows])
    trainer.train(str(tmp_path / "m.crfsuite"))
    tagger = pycrfsuite.Tagger()
    tagger.open(str(tmp_path / "m.crfsuite"))
    info = tagger.info()
    weights = [info.state_features.get(pair, 0.0) for pair in _pairs(model, "states")]
    weights += [info.transitions.get(pair, 0.0) for pair in _pairs(model, "transitions")]
    same = with_weights(model, np.array(weights))
    value, _, density = _core.crf_gradient(same.core, data.core, threads=2)
    # Few pairs have a weight: what the others share is summed once.
    assert density < 0.1
    # The weights are known to six decimals.
    assert value + 0.5 * np.square(weights).sum() == pytest.approx(trainer.logparser.last_iteration["loss"], rel=1e-6)


def _pairs(model, kind):
    """The pairs of a model in the order of its weights."""
    names = model.classes_
    firsts = model.core.attribute_names() if kind == "states" else names
    starts, labels, _ = getattr(model.core, kind)()
    for first, start, stop in zip(firsts, starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        yield from ((first, names[label]) for label in labels[start:stop].tolist())


@pytest.mark.timeout(120)
def test_the_minimum_is_that_of_python_crfsuite(tmp_path):
    pycrfsuite = pytest.importorskip("pycrfsuite")
    template = crf("crfpp-chunking/template").read_text()
    lines = crf("wapiti-chunking/train.txt").read_text().split("\n\n")[:40]
    (tmp_path / "train").write_text("\n\n".join(lines) + "\n")
    data = Sequences.read(tmp_path / "train", template=template)
    ours = ChainCRF(l2=0.5, epsilon=1e-7, period=0, max_iterations=500).fit(data)
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.set_params({"c2": 0.5, "epsilon": 1e-6, "delta": 1e-12, "period": 50, "max_iterations": 500})
    rows = [[line.split() for line in block.split("\n") if line] for block in lines]
    for sequence in filter(None, rows):
        trainer.append(_expand(sequence, template), [row[-1] for row in sequence])
    trainer.train(str(tmp_path / "m.crfsuite"))
    assert ours.history_[-1] == pytest.approx(trainer.logparser.last_iteration["loss"], rel=1e-7)
    tagger = pycrfsuite.Tagger()
    tagger.open(str(tmp_path / "m.crfsuite"))
    info = tagger.info()
    theirs = {**info.state_features}
    states, transitions = ours.state_features_, ours.transition_features_
    assert set(states) >= set(theirs)
    assert max(abs(states[pair] - weight) for pair, weight in theirs.items()) < 1e-4
    assert max(abs(transitions[pair] - weight) for pair, weight in info.transitions.items()) < 1e-4
    for sequence in filter(None, rows[:20]):
        items = _expand(sequence, template)
        labels = tagger.tag(items)
        assert ours.predict([items]) == [labels]
        assert ours.log_probability([items], [labels])[0] == pytest.approx(np.log(tagger.probability(labels)), abs=1e-4)
        tagger.set(items)
        marginals = ours.predict_marginals([items])[0]
        assert marginals[0][labels[0]] == pytest.approx(tagger.marginal(labels[0], 0), abs=1e-4)


@pytest.mark.timeout(120)
def test_python_crfsuite_labels_chunks_with_a_model_of_plait(tmp_path):
    pycrfsuite = pytest.importorskip("pycrfsuite")
    template = crf("crfpp-chunking/template").read_text()
    lines = crf("wapiti-chunking/train.txt").read_text().split("\n\n")[:100]
    (tmp_path / "train").write_text("\n\n".join(lines) + "\n")
    data = Sequences.read(tmp_path / "train", template=template)
    with pytest.warns(ConvergenceWarning):
        model = ChainCRF(l2=0.5, max_iterations=15).fit(data)
    write_crfsuite(model, tmp_path / "m.crfsuite")
    tagger = pycrfsuite.Tagger()
    tagger.open(str(tmp_path / "m.crfsuite"))
    test = Sequences.read(crf("wapiti-chunking/test.txt"), model=model)
    blocks = crf("wapiti-chunking/test.txt").read_text().split("\n\n")
    rows = [[line.split() for line in block.split("\n") if line.strip()] for block in blocks]
    items = [_expand(sequence, template) for sequence in filter(None, rows)]
    assert model.predict(test) == [tagger.tag(sequence) for sequence in items]
    for sequence, marginals in zip(items, model.predict_marginals(test), strict=True):
        tagger.set(sequence)
        assert marginals[-1] == pytest.approx(
            {label: tagger.marginal(label, len(sequence) - 1) for label in model.classes_}, abs=1e-9
        )


def _expand(rows, template):
    """CRF++'s templates in a few lines."""

    def cell(position, match):
        row, column = position + int(match[1]), int(match[2])
        if row < 0:
            return f"_B{row}"
        return rows[row][column] if row < len(rows) else f"_B+{row - len(rows) + 1}"

    patterns = [line for line in template.splitlines() if line.startswith("U")]
    return [
        [re.sub(r"%x\[(-?\d+),(\d+)\]", lambda match, t=t: cell(t, match), pattern) for pattern in patterns]
        for t in range(len(rows))
    ]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_chunks_of_conll_2000():
    """CRFsuite with the same templates and c2 = 0.5: F1 93.67 (196 iterations)."""
    template = crf("crfpp-chunking/template").read_text()
    data = Sequences.read(crf("conll2000/train.txt"), template=template)
    assert (len(data), data.positions, len(data.label_names)) == (8936, 211_727, 22)
    model = ChainCRF(l2=0.5).fit(data)
    assert model.core.feature_count == 456_383
    test = Sequences.read(crf("conll2000/test.txt"), model=model)
    result = evaluate(test.labels(), model.predict(test))
    assert 100 * result.all.f1 > 93.6
