"""What is behind the labels of a sequence."""

import itertools
import math

import numpy as np
import pytest

from crf_models import draw
from plait.crf import ChainCRF
from plait.errors import ConfigError, DataError

X = [[{"w": "the"}, {"w": "cat", "long": 0.5}], [{"w": "a"}, {"w": "dog"}, {"w": "barks"}]]
Y = [["D", "N"], ["D", "N", "V"]]


@pytest.fixture(scope="module")
def model():
    return ChainCRF(l2=0.1).fit(X, Y)


def test_terms_add_up_to_scores_and_scores_to_the_probability(model):
    for found, labels in zip(model.explain(X), Y, strict=True):
        assert found.labels == labels
        for position, (label, row) in enumerate(zip(labels, found.state_scores, strict=True)):
            for number, name in enumerate(found.classes):
                assert sum(term.score for term in found.terms(position, name)) == pytest.approx(row[number], abs=1e-12)
            assert found.terms(position) == found.terms(position, label)
        steps = [model.transition_features_.get(pair, 0.0) for pair in itertools.pairwise(labels)]
        assert found.transition_scores.tolist() == steps
        own = [found.state_scores[t, found.classes.index(label)] for t, label in enumerate(labels)]
        assert found.score == pytest.approx(sum(own) + sum(steps))
        assert found.log_probability == pytest.approx(found.score - found.log_z)


def test_values_weigh_in(model):
    terms = {term.attribute: term for term in model.explain(X)[0].terms(1)}
    assert terms["long"].value == 0.5
    assert terms["long"].score == 0.5 * model.state_features_[("long", "N")]
    assert terms["w:cat"].value == 1.0


def test_log_z_is_the_sum_over_all_labellings():
    drawn = draw(3, labels=3, lengths=[4])
    found = drawn.model.explain(drawn.data)[0]
    steps = {pair: weight for pair, weight in drawn.model.transition_features_.items()}
    total = 0.0
    for ids in itertools.product(range(3), repeat=4):
        score = sum(found.state_scores[t, n] for t, n in enumerate(ids))
        score += sum(steps.get((found.classes[a], found.classes[b]), 0.0) for a, b in itertools.pairwise(ids))
        total += math.exp(score)
    assert found.log_z == pytest.approx(math.log(total), rel=1e-12)
    assert found.marginals.sum(1) == pytest.approx(1)


def test_given_labels_are_explained(model):
    labels = [["N", "N"], ["D", "N", "V"]]
    found = model.explain(X, labels)
    assert [one.labels for one in found] == labels
    assert [one.log_probability for one in found] == pytest.approx(model.log_probability(X, labels).tolist())
    allowed = [[["N"], None], [None, None, None]]
    bound = model.explain(X, allowed=allowed)[0]
    assert bound.labels[0] == "N"
    assert bound.marginals[0, bound.classes.index("N")] == pytest.approx(1)


def test_unknown_attributes_and_empty_sequences_have_no_terms(model):
    unknown, empty = model.explain([[{"w": "never"}], []])
    assert (unknown.terms(0), len(empty.labels), empty.log_z) == ([], 0, 0.0)
    assert str(empty).startswith("log p")
    assert empty._repr_html_().startswith("<table>")


def test_an_attribute_that_is_there_twice_is_two_terms(model):
    found = model.explain([[["w:cat", "w:cat"]]], [["N"]])[0]
    assert [term.attribute for term in found.terms(0)] == ["w:cat", "w:cat"]
    assert found.score == pytest.approx(2 * model.state_features_[("w:cat", "N")])


@pytest.mark.parametrize(
    ("position", "label", "message"), [(2, None, "positions 0 to 1"), (-1, None, "found -1"), (0, "Z", "no label")]
)
def test_what_is_not_there_is_refused(model, position, label, message):
    with pytest.raises(DataError, match=message):
        model.explain(X)[0].terms(position, label)


def test_unknown_labels_and_untrained_models_are_refused(model):
    with pytest.raises(DataError, match="sequence 1: 'Z' is no label"):
        model.explain(X, [["D", "N"], ["D", "Z", "V"]])
    with pytest.raises(ConfigError, match="not trained"):
        ChainCRF().explain(X)


def test_it_is_shown_as_text_and_html():
    items = [[['<b>&"', *(f"a{n}" for n in range(9))], ["z"]]]
    found = ChainCRF(l2=0.1).fit(items, [["<X>", "Y"]]).explain(items)[0]
    text = str(found)
    assert "0: <X>  p 0." in text
    assert "5 others" in text
    assert ", after <X>" in text
    page = found._repr_html_()
    assert "<X>" not in page
    assert "&lt;X&gt;" in page
    assert "<b>&" not in page
    assert page.count("<tr>") == 3
    assert np.isfinite(found.state_scores).all()
