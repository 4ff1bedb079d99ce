"""The penalty that is chosen by held-out labels."""

from __future__ import annotations

import random

import pytest

from plait.crf import ChainCRF, PenaltyChoice, Sequences, choose_penalty, evaluate
from plait.errors import ConfigError

GRID = (4.0, 1.0, 0.25, 0.0625)


def drawn(sequences: int, seed: int) -> tuple[list[list[list[str]]], list[list[str]]]:
    """Draw sequences whose labels are shown by one attribute in three of four cases, and by names that come once."""
    draw = random.Random(seed)
    items, labels = [], []
    for _ in range(sequences):
        own = [draw.choice("XYZ") for _ in range(draw.randint(1, 6))]
        shown = [label if draw.random() < 0.75 else draw.choice("XYZ") for label in own]
        items.append([[f"a{label}", f"n{draw.randrange(40)}"] for label in shown])
        labels.append(own)
    return items, labels


def by_hand(items, labels, penalties, folds):
    """Train on lists without each part, from zero, and score all parts together."""
    scores = {}
    for penalty in penalties:
        found = [None] * len(items)
        for part in range(folds):
            rest = [n for n in range(len(items)) if n % folds != part]
            model = ChainCRF(l2=penalty, epsilon=1e-9, delta=1e-12)
            model.fit([items[n] for n in rest], [labels[n] for n in rest])
            for n in range(part, len(items), folds):
                found[n] = model.predict([items[n]])[0]
        scores[penalty] = evaluate(labels, found).all.f1
    return scores


def test_scores_are_those_of_models_without_each_part():
    items, labels = drawn(60, 1)
    data = Sequences.from_items(items, labels)
    exact = ChainCRF(epsilon=1e-9, delta=1e-12)
    found = choose_penalty(exact, data, folds=3, penalties=GRID)
    expected = by_hand(items, labels, found.scores, 3)
    assert found.scores == pytest.approx(expected, abs=1e-12)
    best = max(expected.values())
    assert (found.l2, found.folds) == (max(l2 for l2, score in expected.items() if score == best), 3)


def test_a_held_out_set_takes_the_place_of_parts():
    (items, labels), (others, gold) = drawn(40, 2), drawn(30, 3)
    data = Sequences.from_items(items, labels)
    held_out = Sequences.from_items(others, gold, model=data)
    found = choose_penalty(ChainCRF(epsilon=1e-9, delta=1e-12), data, held_out=held_out, penalties=GRID)
    for l2, score in found.scores.items():
        model = ChainCRF(l2=l2, epsilon=1e-9, delta=1e-12).fit(data)
        assert evaluate(gold, model.predict(held_out)).all.f1 == pytest.approx(score, abs=1e-12)
    assert found.folds == 0
    assert found.l2 == max(found.scores, key=lambda l2: (found.scores[l2], l2))


def test_the_choice_is_the_same_for_any_number_of_threads_and_order_of_penalties():
    data = Sequences.from_items(*drawn(50, 4))
    one = choose_penalty(ChainCRF(threads=1), data, penalties=GRID)
    two = choose_penalty(ChainCRF(threads=2), data, penalties=GRID[::-1])
    assert one == two
    assert isinstance(one, PenaltyChoice)


def test_the_search_ends_after_two_penalties_that_are_no_better():
    # All penalties label these as well: the largest is kept.
    data = Sequences.from_items([[["a"], ["b"]]] * 4, [["X", "Y"]] * 4)
    found = choose_penalty(ChainCRF(), data, folds=2)
    assert found == PenaltyChoice(4.0, {4.0: 1.0, 2.0: 1.0, 1.0: 1.0}, 2)


def test_weights_of_sequences_count():
    items, labels = drawn(24, 5)
    doubled = Sequences.from_items(items, labels).with_weights([3.0] * 24)
    model = ChainCRF(epsilon=1e-9, delta=1e-12)
    weighted = choose_penalty(model, doubled, folds=2, penalties=(3.0,))
    plain = choose_penalty(model, Sequences.from_items(items, labels), folds=2, penalties=(1.0,))
    assert weighted.scores[3.0] == plain.scores[1.0]


def test_progress_is_told_and_the_model_left_alone():
    told = []
    model = ChainCRF(l2=7.0)
    data = Sequences.from_items(*drawn(10, 6))
    choose_penalty(model, data, folds=2, penalties=(2.0, 1.0), progress=lambda *report: told.append(report))
    assert [report[:3] for report in told] == [("choosing l2", done, 4) for done in (1, 2, 3, 4)]
    assert model.l2 == 7.0
    assert model.get_params() == ChainCRF(l2=7.0).get_params()


@pytest.mark.parametrize(
    ("model", "count", "options", "message"),
    [
        (ChainCRF(algorithm="perceptron"), 4, {}, "algorithm"),
        (ChainCRF(), 1, {}, "at least two sequences"),
        (ChainCRF(), 4, {"folds": 1}, "folds"),
        (ChainCRF(), 4, {"penalties": ()}, "penalties"),
        (ChainCRF(), 4, {"penalties": (-1.0,)}, "l2"),
    ],
)
def test_what_cannot_be_chosen_is_refused(model, count, options, message):
    data = Sequences.from_items(*drawn(count, 7))
    with pytest.raises(ConfigError, match=message):
        choose_penalty(model, data, **options)
