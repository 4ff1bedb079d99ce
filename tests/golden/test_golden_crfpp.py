"""Models of CRF++ 0.59: labels and probabilities are those that its own programs print.

Made by ``crf_learn -t -c 4 template train.txt model``, ``crf_test -v2 -m model new.txt`` and ``crf_test -n 4 ..``.
"""

from pathlib import Path

import numpy as np
import pytest

from plait.crf import ChainCRF, Sequences

FOLDER = Path(__file__).parent / "crfpp"
MODELS = ["model.txt", "model"]


def sequences(name):
    return [block.split("\n") for block in (FOLDER / name).read_text(encoding="utf-8").strip().split("\n\n")]


@pytest.mark.parametrize("name", MODELS)
def test_marginals_are_those_of_crf_test(name):
    model = ChainCRF.load(FOLDER / name)
    assert (model.width, model.format, model.classes_) == (2, "conll", ["B-NP", "I-NP", "O"])
    data = Sequences.read(FOLDER / "new.txt", model=model)
    expected = sequences("expected.txt")
    marginals, labels = model.marginals(data), model.predict(data)
    assert len(expected) == len(labels) == 3
    for own, matrix, (head, *lines) in zip(labels, marginals, expected, strict=True):
        rows = [line.split("\t") for line in lines]
        assert own == [row[2].split("/")[0] for row in rows]
        chances = [[float(cell.split("/")[1]) for cell in row[3:]] for row in rows]
        assert matrix == pytest.approx(np.array(chances), abs=2e-6)
        best = model.predict_nbest(data, 1)[labels.index(own)][0]
        assert best.probability == pytest.approx(float(head.removeprefix("# ")), abs=2e-6)


@pytest.mark.parametrize("name", MODELS)
def test_lists_are_those_of_crf_test(name):
    model = ChainCRF.load(FOLDER / name)
    found = model.predict_nbest(Sequences.read(FOLDER / "new.txt", model=model), 4)
    flat = [labelling for labellings in found for labelling in labellings]
    # A sequence of one position has only three labellings.
    expected = sequences("nbest.txt")
    assert len(flat) == len(expected) == 11
    for labelling, (head, *lines) in zip(flat, expected, strict=True):
        assert labelling.labels == [line.split("\t")[2] for line in lines]
        assert labelling.probability == pytest.approx(float(head.split()[2]), abs=2e-6)


def test_the_binary_model_is_that_of_the_text():
    text, binary = (ChainCRF.load(FOLDER / name) for name in MODELS)
    assert (
        binary.template
        == text.template
        == "".join(line + "\n" for line in (FOLDER / "template").read_text().split("\n") if line and line[0] != "#")
    )
    assert binary.state_features_.keys() == text.state_features_.keys()
    # Single precision.
    assert binary.state_features_ == pytest.approx(text.state_features_, abs=1e-6)
    assert binary.transition_features_ == pytest.approx(text.transition_features_, abs=1e-6)
