"""Several systems together, and the exact choice of their weights."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.errors import ConfigError, DataError
from plait.metrics.transliteration import MEASURES, evaluate
from plait.translit import Candidate, Interpolation, JointSourceChannel, TwoStepCRF, load
from plait.translit.mixture import mixture
from plait.translit.tuning import Pool, line, tune

PAIRS = [
    ("anna", "анна"),
    ("nina", "нина"),
    ("ivan", "иван"),
    ("vanya", "ваня"),
    ("yana", "яна"),
    ("misha", "миша"),
    ("masha", "маша"),
]
DEV = [("yasha", "яша"), ("vanina", "ванина"), ("manya", "маня")]

one_list = st.dictionaries(st.sampled_from("abcd"), st.integers(0, 20), max_size=4).map(
    lambda found: [Candidate(target, weight / 40) for target, weight in found.items()]
)
references = st.lists(st.sampled_from("abcde"), min_size=1, max_size=3)


def measured(pool, weights, right, measure):
    lists = [[c.target for c in own] for own in pool.ranked(weights, 100)]
    return getattr(evaluate(lists, right), measure)


@given(st.lists(st.tuples(one_list, one_list, references), min_size=1, max_size=5), st.sampled_from(MEASURES))
def test_the_best_weight_is_that_of_a_fine_grid_or_better(data, measure):
    pool, right = Pool.from_lists([[a for a, _, _ in data], [b for _, b, _ in data]]), [r for _, _, r in data]
    found = tune(pool, right, measure=measure)
    assert sum(found.weights) == pytest.approx(1)
    assert measured(pool, found.weights, right, measure) == pytest.approx(found.value)
    # Off the places where candidates are level.
    grid = [measured(pool, (x, 1 - x), right, measure) for x in np.arange(0.00137, 1, 0.0271)]
    assert max(grid) <= found.value + 1e-9
    curve = line(pool, right, measure=measure)
    for start, stop, value in zip(curve.places[:-1], curve.places[1:], curve.values, strict=True):
        middle = (start + stop) / 2
        assert measured(pool, (middle, 1 - middle), right, measure) == pytest.approx(value)


@given(st.lists(st.tuples(one_list, one_list, one_list, references), min_size=1, max_size=4))
def test_three_systems_are_at_least_as_good_as_equal_weights(data):
    pool = Pool.from_lists([[entry[system] for entry in data] for system in range(3)])
    right = [entry[3] for entry in data]
    found = tune(pool, right, measure="mrr")
    assert sum(found.weights) == pytest.approx(1)
    assert all(weight >= 0 for weight in found.weights)
    assert found.value >= measured(pool, (1 / 3,) * 3, right, "mrr") - 1e-9


def test_places_that_differ_by_rounding_are_one():
    lists = [
        ({"a": 19 / 40, "c": 13 / 40}, {"c": 0.025}),
        ({"a": 15 / 40, "c": 9 / 40}, {"c": 0.025}),
    ]
    systems = [[[Candidate(*item) for item in pair[n].items()] for pair in lists] for n in range(2)]
    curve = line(Pool.from_lists(systems), [["c"], ["a"]])
    assert curve.values.tolist() == [0.5, 0.5]
    assert curve.best()[1] == 0.5


def test_a_pool_keeps_what_each_list_has():
    pool = Pool.from_lists([[[Candidate("a", 0.6)], []], [[Candidate("b", 0.5), Candidate("a", 0.25)], []]])
    assert pool.targets == ["a", "b"]
    assert pool.probabilities.tolist() == [[0.6, 0.25], [0.0, 0.5]]
    assert pool.listed.tolist() == [[True, True], [False, True]]
    assert pool.ranked((0.5, 0.5), 1) == [[Candidate("a", 0.425)], []]
    with pytest.raises(DataError, match="different numbers of words"):
        Pool.from_lists([[[]], [[], []]])
    with pytest.raises(DataError, match="word 2 has no reference"):
        tune(pool, [["a"], []])
    with pytest.raises(ConfigError, match="measure"):
        tune(pool, [["a"], ["b"]], measure="bleu")


@pytest.fixture(scope="module")
def both():
    systems = [TwoStepCRF(l2_segmenter=0.05, l2_converter=0.05), JointSourceChannel(order=2)]
    return Interpolation(systems).fit(PAIRS, dev=DEV)


def test_probabilities_are_the_weighted_sums(both):
    words = ["yasha", "vanina"]
    both.weights = (0.3, 0.7)
    first, second = both.systems
    for word, candidates in zip(words, both.nbest(words), strict=True):
        targets = [c.target for c in candidates]
        expected = 0.3 * first.probabilities(
            [word] * len(targets), targets, tolerance=0.0, segmentations=10
        ) + 0.7 * np.exp(second.log_probability([word] * len(targets), targets))
        listed = {c.target: c.probability for c in first.nbest([word])[0]}
        for candidate, value, target in zip(candidates, expected, targets, strict=True):
            # What the first system lists lacks what its lists leave out.
            assert candidate.probability <= value + 1e-9
            assert target in listed or candidate.probability == pytest.approx(value)
        assert all(a.probability >= b.probability for a, b in itertools.pairwise(candidates))
    assert both.probabilities(["yasha"], ["яша"])[0] > 0.1


def test_tuning_reaches_what_it_says_and_weights_of_one_are_that_system(both):
    words, right = [s for s, _ in DEV], [[t] for _, t in DEV]
    both.tune(words, right)
    assert both.score(words, right) == tune(both.pool(words), right).value
    both.weights = (1.0, 0.0)
    assert both.transliterate(words) == [c[0].target for c in both.systems[0].nbest(words, 1)]
    both.weights = (0.0, 1.0)
    assert both.transliterate(words) == both.systems[1].transliterate(words)


def test_a_saved_interpolation_is_the_same(both, tmp_path):
    both.weights = (0.25, 0.75)
    both.save(tmp_path / "m.plait")
    again = load(tmp_path / "m.plait")
    assert again.weights == (0.25, 0.75)
    assert again.nbest(["yasha", "q"]) == both.nbest(["yasha", "q"])
    assert both.unknown_symbols(["q"]) == {"q": 1}


@pytest.mark.parametrize("weights", [(1.0,), (0.0, 0.0), (-1.0, 2.0), (float("nan"), 1.0)])
def test_bad_weights_are_refused(both, weights):
    with pytest.raises(ConfigError, match="weights"):
        Interpolation(both.systems, weights=weights)


def test_one_system_is_no_interpolation(both):
    with pytest.raises(ConfigError, match="two or more"):
        Interpolation(both.systems[:1])
    with pytest.raises(ConfigError, match="absent"):
        Interpolation(both.systems, absent="guess")


@given(
    st.lists(st.tuples(*[st.floats(0, 1)] * 3), min_size=1, max_size=8),
    st.floats(0.5, 20),
    st.tuples(*[st.floats(0.01, 1)] * 3),
)
def test_no_weights_are_more_probable_than_those_of_the_mixture(rows, pseudo_words, others):
    right = np.array(rows)
    weights, mean = mixture(right, pseudo_words)
    assert weights.sum() == pytest.approx(1)
    seen = right[right.sum(axis=1) > 0]

    def objective(weights):
        return np.log(seen @ weights).sum() + pseudo_words * np.log(weights).sum()

    other = np.array(others) / sum(others)
    assert objective(weights) >= objective(other) - 1e-6
    if len(seen):
        assert mean == pytest.approx(np.log(seen @ weights).mean())


def test_likelihood_weighs_systems_by_what_they_give_right_targets():
    sure, unsure = [Candidate("a", 0.9), Candidate("b", 0.1)], [Candidate("a", 0.6), Candidate("b", 0.4)]
    pool = Pool.from_lists([[sure] * 200, [unsure] * 200])
    both = [["a"]] * 200
    found = tune(pool, both, measure="likelihood")
    assert 0.85 < found.weights[0] < 0.9
    assert found.value == pytest.approx(np.log(0.9 * found.weights[0] + 0.6 * found.weights[1]))
    few = tune(Pool.from_lists([[sure], [unsure]]), [["a"]], measure="likelihood")
    assert 0.5 < few.weights[0] < 0.52
    # A word whose right target no system has says nothing.
    nothing = tune(Pool.from_lists([[sure], [unsure]]), [["c"]], measure="likelihood")
    assert nothing.weights == (0.5, 0.5)
    assert nothing.value == -np.inf
    with pytest.raises(DataError, match="word 1 has no reference"):
        tune(Pool.from_lists([[sure], [unsure]]), [[]], measure="likelihood")


def test_a_backward_model_joins_two_others(tmp_path):
    systems = [TwoStepCRF(), JointSourceChannel(), JointSourceChannel(direction="backward")]
    model = Interpolation(systems).fit(PAIRS, dev=DEV)
    assert model.measure == "likelihood"
    assert min(model.weights) > 0.1
    model.save(tmp_path / "model.plait")
    again = load(tmp_path / "model.plait")
    assert again.nbest(["mina", "yavan"]) == model.nbest(["mina", "yavan"])
    # Two systems of which one is backward are not pooled in the core, with the same meaning.
    two = Interpolation([systems[0], systems[2]])
    (found,) = two.nbest(["mina"], 5)
    for candidate in found:
        assert candidate.probability == pytest.approx(two.probabilities(["mina"], [candidate.target])[0])
