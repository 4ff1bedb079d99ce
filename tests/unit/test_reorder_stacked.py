"""Logistic regression with the lexicalised estimate among its features."""

from __future__ import annotations

import numpy as np
import pytest

from plait.errors import DataError
from plait.reorder import DualLogistic, Examples, Lexicalised, StackedLogistic, evaluate
from plait.reorder.stacked import CELLS, lexical_cells
from reference.reorder import lexical_features

CLASSES = ["mono", "swap", "other"]


def made(count, seed):
    """Examples whose class depends on the phrase pair (of 40, some frequent) and on a word of context."""
    draw = np.random.default_rng(seed)
    lean = np.random.default_rng(99).normal(size=(40, 3)) * 2
    context = np.random.default_rng(98).normal(size=(12, 3)) * 1.5
    pairs = np.minimum(draw.geometric(0.08, count) - 1, 39)
    words = draw.integers(0, 12, count)
    labels = (lean[pairs] + context[words] + draw.gumbel(size=(count, 3))).argmax(axis=1)
    lines = [f"p{p} ||| q ||| {CLASSES[y]} ||| w{w} v{p % 5}" for p, w, y in zip(pairs, words, labels, strict=True)]
    return lines, pairs.tolist(), labels.tolist()


def read(lines, **options):
    return Examples.from_blocks(["\n".join([*lines, ""]).encode()], threshold=0, pairs=True, **options)


def dense(examples):
    """The features as a matrix."""
    x = np.zeros((len(examples), examples.rows.columns))
    ends = examples.rows.offsets.astype(int)
    for n in range(len(examples)):
        np.add.at(x[n], examples.rows.features[ends[n] : ends[n + 1]], 1)
    return x


def with_cells(x, cells):
    more = np.zeros((len(x), 3 * CELLS))
    for n, row in enumerate(cells):
        for k, (interval, place) in enumerate(row):
            more[n, k * CELLS + interval * 41 + place] = 1
    return np.concatenate([x, more], axis=1)


def test_it_is_logistic_regression_on_the_features_of_the_slow_twin():
    lines, pairs, labels = made(400, 1)
    examples = read(lines)
    assert list(examples.classes) == CLASSES
    model = StackedLogistic(1.0, tol=1e-9, max_iter=3000).fit(examples)
    x = dense(examples)
    twin = DualLogistic(1.0, tol=1e-9, max_iter=3000).fit(with_cells(x, lexical_features(pairs, labels, 3)), labels)
    split = x.shape[1]
    np.testing.assert_allclose(model.coef_.T, twin.coef_.T[:split], atol=2e-4)
    np.testing.assert_allclose(model.lexical_weights_, twin.coef_.T[split:], atol=2e-4)
    np.testing.assert_allclose(model.intercept_, twin.intercept_, atol=2e-4)
    fresh, new_pairs, _ = made(100, 2)
    held_out = read(fresh, vocabulary=examples.vocabulary, classes=examples.classes)
    cells = lexical_features(new_pairs, None, 3, seen_pairs=pairs, seen_labels=labels)
    expected = twin.predict_log_proba(with_cells(dense(held_out), cells))
    np.testing.assert_allclose(model.predict_log_proba(held_out), expected, atol=2e-3)


def test_an_example_does_not_see_itself():
    once = read(["a ||| x ||| mono ||| f", "b ||| y ||| swap ||| f", "c ||| z ||| mono ||| g"])
    model = StackedLogistic().fit(once)
    # Each phrase pair is there once: nothing is known of any, so that all lexical features are those of no count.
    used = np.flatnonzero(np.abs(model.lexical_weights_).sum(axis=1))
    assert used.tolist() == lexical_cells(np.zeros((1, 2), dtype=np.int64))[0].tolist()


def test_it_beats_both_models_on_held_out_examples():
    train = read(made(6000, 1)[0])
    held_out = read(made(3000, 2)[0], vocabulary=train.vocabulary, classes=train.classes)
    losses = {
        kind: evaluate(kind().fit(train), held_out).log_loss for kind in (StackedLogistic, DualLogistic, Lexicalised)
    }
    assert losses[StackedLogistic] < losses[DualLogistic] - 0.01
    assert losses[StackedLogistic] < losses[Lexicalised] - 0.01


@pytest.mark.parametrize("classes", [2, 3, 4])
def test_cells_are_told_apart_at_any_count(classes):
    draw = np.random.default_rng(3)
    counts = draw.integers(0, 3, (300, classes)) ** draw.integers(1, 12, (300, 1))
    counts[0] = 0
    counts[1] = 10**9
    cells = lexical_cells(counts)
    assert cells.dtype == np.uint32
    assert (cells // CELLS == np.arange(classes)).all()
    small = [n for n in range(len(counts)) if counts[n].sum() < 3000][:60]
    for n in small:
        seen = [k for k in range(classes) for _ in range(int(counts[n, k]))]
        row = lexical_features(["p"], [0], classes, seen_pairs=["p"] * len(seen), seen_labels=seen)[0]
        assert [(c % CELLS // 41, c % 41) for c in (cells[n] - np.arange(classes) * CELLS).tolist()] == row


def test_it_needs_phrase_pairs():
    without = Examples.from_blocks([b"a ||| x ||| mono ||| f\nb ||| y ||| swap ||| g\n"], threshold=0)
    with pytest.raises(DataError, match="pairs=True"):
        StackedLogistic().fit(without)
