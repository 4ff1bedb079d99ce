"""A model of CRF++ 0.59 with templates B that name cells: weights, labels and probabilities are its own.

Made by ``crf_learn -t -c 4 -e 1e-9 template train.txt model``, ``crf_test -v2 -m model new.txt`` and
``crf_test -n 4 -m model new.txt``.
"""

from pathlib import Path

import numpy as np
import pytest

from plait.crf import ChainCRF, Sequences

FOLDER = Path(__file__).parent / "crfpp_pairs"
MODELS = ["model.txt", "model"]
# What crf_learn printed last.
OBJECTIVE = 1.88916


def sequences(name):
    return [block.split("\n") for block in (FOLDER / name).read_text(encoding="utf-8").strip().split("\n\n")]


@pytest.mark.parametrize("name", MODELS)
def test_marginals_and_lists_are_those_of_crf_test(name):
    model = ChainCRF.load(FOLDER / name)
    data = Sequences.read(FOLDER / "new.txt", model=model)
    for matrix, (_, *lines) in zip(model.marginals(data), sequences("expected.txt"), strict=True):
        chances = [[float(cell.split("/")[1]) for cell in line.split("\t")[3:]] for line in lines]
        assert matrix == pytest.approx(np.array(chances), abs=2e-6)
    flat = [labelling for labellings in model.predict_nbest(data, 4) for labelling in labellings]
    for labelling, (head, *lines) in zip(flat, sequences("nbest.txt"), strict=True):
        assert labelling.labels == [line.split("\t")[2] for line in lines]
        assert labelling.probability == pytest.approx(float(head.split()[2]), abs=2e-6)


def test_training_ends_at_the_weights_of_crf_learn():
    """CRF++ has weights for all pairs, and its cost C is 1 / (2 l2)."""
    data = Sequences.read(FOLDER / "train.txt", template=(FOLDER / "template").read_text())
    ours = ChainCRF(l2=0.125, states="all", transitions="all", epsilon=1e-9, delta=0).fit(data)
    theirs = ChainCRF.load(FOLDER / "model.txt")
    assert ours.objective_ == pytest.approx(OBJECTIVE, abs=1e-5)
    assert len(theirs.triple_features_) == 126
    for name in ["state_features_", "transition_features_", "triple_features_"]:
        found, expected = getattr(ours, name), getattr(theirs, name)
        for pair in found.keys() | expected.keys():
            assert found.get(pair, 0.0) == pytest.approx(expected.get(pair, 0.0), abs=5e-6)
