"""One number that is not finite, anywhere in an array argument, is an error that comes at once; it never spreads."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait import reorder
from plait.crf import Sequences
from plait.hypergraph import Distribution, Hypergraph

Array = npt.NDArray[np.float64]
INF, NAN = float("inf"), float("nan")

# Two words, two derivations of each.
GRAPH = Hypergraph.from_edges([(0, []), (0, []), (1, [0]), (1, [0])])
CLASSES = np.array([0, 1, 0])


def attribute_values(values: Array) -> object:
    return Sequences.from_arrays([0, 2], [0, 2, 3], [0, 1, 1], attribute_names="ab", label_names="x", values=values)


def fitted(model: reorder.Classifier) -> Callable[[Array], object]:
    return lambda values: model.fit(values.reshape(3, 2), CLASSES)


def predicting(model: reorder.Classifier) -> Callable[[Array], object]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]]), CLASSES)
    return lambda values: model.predict_proba(values.reshape(-1, 2))


# For each argument: a call, how many numbers it takes, and which are refused.
ARGUMENTS: dict[str, tuple[Callable[[Array], object], int, tuple[float, ...]]] = {
    "log weights of a hypergraph": (lambda values: Distribution(GRAPH, values), 4, (NAN, INF)),
    "weights of a hypergraph": (lambda values: Distribution(GRAPH, values, is_log=False), 4, (NAN, INF, -INF, -1.0)),
    "values of edges": (lambda values: Distribution(GRAPH, np.zeros(4)).expectation(values), 4, (NAN, INF, -INF)),
    "covariances": (lambda values: Distribution(GRAPH, np.zeros(4)).variance(values), 4, (NAN, INF, -INF)),
    "values of attributes": (attribute_values, 3, (NAN, INF, -INF)),
    "features, dual": (fitted(reorder.DualLogistic()), 6, (NAN, INF, -INF)),
    "features, primal": (fitted(reorder.PrimalLogistic()), 6, (NAN, INF, -INF)),
    "features, naive Bayes": (fitted(reorder.NaiveBayes()), 6, (NAN, INF, -INF, -1.0)),
    "features of new rows, dual": (predicting(reorder.DualLogistic()), 4, (NAN, INF, -INF)),
    "features of new rows, naive Bayes": (predicting(reorder.NaiveBayes()), 4, (NAN, INF, -INF)),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ARGUMENTS)
@given(data=st.data())
def test_it_is_refused_wherever_it_stands(name: str, data: st.DataObject) -> None:
    call, size, refused = ARGUMENTS[name]
    values = np.array(data.draw(st.lists(st.sampled_from([0.0, 1.0, 2.0]), min_size=size, max_size=size)))
    place = data.draw(st.integers(0, size - 1))
    values[place] = data.draw(st.sampled_from(refused))
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - every text will do, but there must be one
        call(values)
    assert str(caught.value).strip()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ARGUMENTS)
def test_the_same_numbers_without_it_are_taken(name: str) -> None:
    call, size, _ = ARGUMENTS[name]
    call(np.resize([1.0, 0.0, 2.0], size))
