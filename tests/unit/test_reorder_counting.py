"""Counting: from the arrays that a caller has, and without copies of them."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array, csr_matrix

from plait.errors import DataError
from plait.reorder import Examples, Lexicalised, NaiveBayes, StackedLogistic, lexicalised, mutual_information
from plait.reorder.classifier import _numbered


def bags(rows, columns, seed):
    """Return small counts, most of them 0, and a class for each row."""
    random = np.random.default_rng(seed)
    dense = random.integers(0, 4, (rows, columns)) * (random.random((rows, columns)) < 0.3)
    return dense, random.integers(0, 3, rows)


def sums(dense, y):
    """Return the sum of each feature's values in each class."""
    return np.array([[dense[y == k, m].sum() for k in np.unique(y)] for m in range(dense.shape[1])])


@pytest.mark.parametrize("values", [np.int8, np.int32, np.int64, np.float32, np.float64])
@pytest.mark.parametrize("places", [np.int32, np.int64])
def test_counts_are_the_same_from_any_kind_of_array(values, places):
    dense, y = bags(60, 9, 1)
    x = csr_array(dense.astype(values))
    x.indptr, x.indices = x.indptr.astype(places), x.indices.astype(places)
    assert (NaiveBayes().fit(x, y).feature_count_ == sums(dense, y)).all()
    assert (mutual_information(x, y) == mutual_information(dense, y)).all()


def test_entries_in_any_order_more_than_once_and_behind_the_end_are_counted_as_scipy_reads_them():
    indices = np.array([2, 0, 2, 1, 1, 7, 7], dtype=np.int32)
    data = np.array([1.0, 2.0, 1.0, 3.0, -1.0, 9.0, np.nan])
    x = csr_matrix((data[:5], indices[:5], np.array([0, 3, 5], dtype=np.int32)), shape=(2, 3))
    x.indices, x.data = indices, data
    y = ["a", "b"]
    assert NaiveBayes().fit(x, y).feature_count_.tolist() == [[2, 0], [0, 2], [2, 0]]
    assert (mutual_information(x, y) == mutual_information([[2, 0, 2], [0, 2, 0]], y)).all()


@pytest.mark.parametrize(("value", "message"), [(np.nan, "NaN"), (np.inf, "infinity"), (-1.0, "Negative values")])
def test_values_that_are_no_counts_are_refused(value, message):
    x = csr_matrix(np.array([[1.0, 0.0], [0.0, 1.0]]))
    x.data[1] = value
    for work in (NaiveBayes().fit, mutual_information):
        with pytest.raises(DataError, match=message):
            work(x, [0, 1])


def test_a_model_that_refused_a_part_is_what_it_was():
    model = NaiveBayes().partial_fit(csr_matrix([[1.0, 2.0], [3.0, 0.0]]), ["a", "b"], classes=["a", "b"])
    before = model.feature_count_.copy()
    with pytest.raises(DataError, match="Negative"):
        model.partial_fit(csr_matrix([[5.0, 5.0], [1.0, -1.0]]), ["a", "b"])
    with pytest.raises(DataError, match="example 2 has the class 'c'"):
        model.partial_fit(csr_matrix([[5.0, 5.0], [1.0, 1.0]]), ["a", "c"])
    assert (model.feature_count_ == before).all()
    assert model.class_count_.tolist() == [1, 1]


def test_a_sparse_matrix_is_read_where_it_is():
    random = np.random.default_rng(1)
    n = 100_000
    indices = random.integers(0, 500, 4 * n).astype(np.int32)
    x = csr_matrix((np.ones(4 * n), indices, np.arange(0, 4 * n + 1, 4, dtype=np.int32)), shape=(n, 500))
    y = random.integers(0, 3, n)
    tracemalloc.start()
    NaiveBayes().fit(x, y)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < n


words = st.lists(st.text(max_size=4).map(lambda word: word.rstrip("\0")), min_size=1, max_size=40)
numbers = st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3), min_size=1, max_size=40)


@given(words | numbers | st.lists(st.booleans(), min_size=1, max_size=20))
def test_classes_are_numbered_as_numpy_does(classes):
    y = np.array(classes)
    for given_as in (y, np.repeat(y, 2)[::2], y.astype(y.dtype.newbyteorder(">"))):
        found, labels = _numbered(given_as)
        expected, places = np.unique(y, return_inverse=True)
        assert found.tolist() == expected.tolist()
        assert found.dtype.kind == y.dtype.kind
        assert labels.tolist() == places.tolist()


def test_counts_of_phrase_pairs_add_up_in_parts():
    lines = [f"s{n % 7} ||| t{n % 7} ||| {['mono', 'swap', 'other'][n * n % 3]} ||| f".encode() for n in range(60)]
    whole = Examples.from_blocks([b"\n".join(lines) + b"\n"], threshold=0, pairs=True)
    model = Lexicalised().fit(whole)
    parts = Lexicalised()
    for start in range(0, 60, 20):
        block = b"\n".join(lines[start : start + 20]) + b"\n"
        parts.partial_fit(
            Examples.from_blocks([block], pairs=True, vocabulary=whole.vocabulary, classes=list(whole.classes))
        )
    assert parts.class_count_.tolist() == model.class_count_.tolist()
    assert (parts.predict_proba(whole) == model.predict_proba(whole)).all()


def test_training_with_lexical_counts_makes_no_table_of_phrase_pairs():
    lines = b"a ||| x ||| mono ||| f\na ||| x ||| mono ||| g\nb ||| y ||| swap ||| f\nb ||| y ||| swap ||| g\n" * 5
    examples = Examples.from_blocks([lines], threshold=0, pairs=True)
    model = StackedLogistic().fit(examples)
    assert "places" not in vars(model.lexical_._seen)
    other = Examples.from_blocks([lines], pairs=True, vocabulary=examples.vocabulary, classes=list(examples.classes))
    assert (model.predict_proba(other) == model.predict_proba(examples)).all()
    assert model.lexical_._places == {"a ||| x": 0, "b ||| y": 1}


def test_packed_phrase_pairs_are_the_same(monkeypatch):
    monkeypatch.setattr(lexicalised, "_BLOCK", 2)
    for keys in ((), ("a ||| x", "ß ||| y", "", "d ||| 日本", "e ||| z")):
        plain, packed = lexicalised._Pairs(keys), lexicalised._Pairs(keys)
        packed.pack()
        assert packed.keys == keys
        assert packed.places == plain.places
        assert len(packed) == len(keys)
        assert [part.tolist() for part in packed.packed()] == [part.tolist() for part in plain.packed()]


@pytest.mark.parametrize("dtype", ["u4", "i4", "i8", "u2", "i1", ">i4", "?"])
def test_whole_numbers_of_any_kind_are_classes(dtype):
    y = np.array([1, 0, 1, 1, 0, 1], dtype=dtype)
    rows = np.array([[1, 0], [0, 1], [2, 0], [1, 1], [0, 2], [3, 0]])
    model = NaiveBayes().fit(rows, y)
    assert model.classes_.dtype == np.dtype(dtype)
    assert model.feature_count_.tolist() == [[0.0, 7.0], [3.0, 1.0]]


def test_a_wrong_value_in_a_later_row_is_found_where_it_is():
    rows = csr_matrix(np.ones((9000, 3)))
    rows.data[3 * 8123 + 1] = -1.0
    with pytest.raises(DataError, match="Negative values"):
        NaiveBayes().fit(rows, np.arange(9000) % 3)
    rows.data[3 * 8123 + 1] = np.nan
    with pytest.raises(DataError, match="NaN"):
        NaiveBayes().fit(rows, np.arange(9000) % 3)
