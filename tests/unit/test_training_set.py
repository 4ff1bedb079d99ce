"""Training sets: what goes in, what is refused, and how it is kept."""

from __future__ import annotations

import copy
import math
import threading

import numpy as np
import pytest

from plait.errors import ConfigError, CycleError, DataError
from plait.hypergraph import Hypergraph, SparseFeatures
from plait.minrisk import RiskForest, TrainingSet, training_set


def features(*rows: dict[int, float], names: tuple[str, ...] = ("lm", "words", "the cat")) -> SparseFeatures:
    starts = np.cumsum([0, *map(len, rows)]).astype(np.uint64)
    ids = np.array([name for row in rows for name in row], np.uint32)
    return SparseFeatures(starts, ids, np.array([v for row in rows for v in row.values()], np.float64), names)


def choice(losses=(0.0, 1.0), *, base=None, names=("lm", "words", "the cat")) -> RiskForest:
    """Two derivations, of which the first has the feature 0 and the second one 1."""
    graph = Hypergraph.from_edges([(0, []), (0, [])])
    return RiskForest(graph, features({0: 1.0}, {1: 2.5}, names=names), np.array(losses), base)


def dead() -> RiskForest:
    """A root whose only edge has a tail without derivations."""
    return RiskForest(Hypergraph.from_edges([(1, [0])]), features({0: 1.0}), np.zeros(1))


def test_forests_without_derivations_are_counted_and_add_nothing(tmp_path):
    single = Hypergraph.from_edges([], nodes=1, root=0)
    empty = [dead(), RiskForest(single, features(), np.empty(0)), dead()]
    alone = TrainingSet.build([choice()]).evaluate([0.3, 0.2, 0.1], temperature=0.5)
    for path in (None, tmp_path / "forests"):
        made = TrainingSet.build([empty[0], choice(), *empty[1:]], path=path)
        assert (made.forests, made.empty, len(made), made.nodes, made.edges) == (4, 3, 4, 1, 2)
        found = made.evaluate([0.3, 0.2, 0.1], temperature=0.5)
        assert (found.forests, found.empty) == (4, 3)
        assert (found.risk, found.entropy, found.objective) == (alone.risk, alone.entropy, alone.objective)
        np.testing.assert_array_equal(found.gradient, alone.gradient)


def test_no_forests_are_no_problem(tmp_path):
    for path in (None, tmp_path / "forests"):
        made = TrainingSet.build([], ["a", "b"], path=path)
        found = made.evaluate([1.0, 2.0], separate=True)
        assert (found.forests, found.risk, found.entropy, found.objective) == (0, 0.0, 0.0, 0.0)
        assert found.gradient.tolist() == [0.0, 0.0]
        assert "forests=0" in repr(made)


def test_a_single_derivation_has_no_entropy_and_no_gradient():
    graph = Hypergraph.from_edges([(0, []), (1, [0, 0])])
    forest = RiskForest(graph, features({0: 0.1}, {2: 1.0}), np.array([0.25, 0.5]))
    found = TrainingSet.build([forest]).evaluate([3.7, 1.0, 9.0], temperature=2.0, separate=True)
    assert found.risk == 1.0
    assert found.entropy == 0.0
    assert not math.copysign(1.0, found.entropy) < 0
    assert not found.gradient.any()
    assert not found.entropy_gradient.any()


def test_values_that_are_zero_or_given_in_parts_are_put_together():
    graph = Hypergraph.from_edges([(0, []), (0, [])])
    starts, ids = np.array([0, 3, 4], np.uint64), np.array([1, 0, 1, 0], np.uint32)
    split = SparseFeatures(starts, ids, np.array([1.0, 0.0, 2.0, 0.5]), ("a", "b"))
    plain = features({1: 3.0}, {0: 0.5}, names=("a", "b"))
    found = [TrainingSet.build([RiskForest(graph, f, np.array([0.0, 1.0]))]) for f in (split, plain)]
    first, second = (made.evaluate([0.4, 0.3], temperature=0.1) for made in found)
    assert first.objective == second.objective
    np.testing.assert_array_equal(first.gradient, second.gradient)
    assert found[0].nbytes == found[1].nbytes


def test_rows_that_repeat_are_kept_once():
    graph = Hypergraph.from_edges([(0, [])] * 4000)
    rng = np.random.default_rng(1)
    names = tuple(f"f{n}" for n in range(40))
    rows = [dict(zip(range(20), rng.normal(size=20).tolist(), strict=True)) for _ in range(40)]
    losses = rng.normal(size=4000)
    sizes = {}
    for different in (40, 4000):
        given = [dict(rows[n % 40]) for n in range(4000)]
        if different == 4000:
            for n, row in enumerate(given):
                row[20] = float(n + 2)
        forest = RiskForest(graph, features(*given, names=names), losses)
        sizes[different] = TrainingSet.build([forest]).nbytes
    # Twenty values of eight bytes an edge, or next to nothing.
    assert sizes[4000] - sizes[40] > 4000 * 20 * 8
    assert sizes[40] < 4000 * 16


def test_forests_with_many_features_nodes_and_tails_need_wider_numbers():
    """More than 2^16 of everything that is kept in 16 bits while it fits."""
    count = 70_000
    edges = [(n, []) for n in range(count)]
    graph = Hypergraph.from_edges([*edges, (count, list(range(count))), (count, list(range(count - 1, -1, -1)))])
    # Features 0 to 69,999 once each with the value 1, those behind them with others.
    starts = np.concatenate((2 * np.arange(count + 1), [2 * count + 1, 2 * count + 1])).astype(np.uint64)
    ids = np.stack((np.arange(count), np.arange(count, 2 * count)), axis=1).ravel()
    values = np.stack((np.ones(count), np.linspace(2, 3, count)), axis=1).ravel()
    names = tuple(map(str, range(2 * count)))
    rows = SparseFeatures(starts, np.append(ids, 5).astype(np.uint32), np.append(values, 1.0), names)
    made = TrainingSet.build([RiskForest(graph, rows, np.append(np.zeros(count), [0.0, 1.0]))])
    weights = np.zeros(2 * count)
    weights[5] = 0.3
    found = made.evaluate(weights)
    q = 1 / (1 + math.exp(0.3))
    assert found.risk == pytest.approx(q, rel=1e-12)
    assert found.gradient[5] == pytest.approx(-q * (1 - q), rel=1e-12)
    assert np.abs(np.delete(found.gradient, 5)).max() < 1e-11


def test_names_may_grow_while_forests_are_made(tmp_path):
    names: list[str] = []

    def forests():
        for n in range(3):
            names.append(f"f{n}")
            graph = Hypergraph.from_edges([(0, []), (0, [])])
            yield RiskForest(graph, features({n: 1.0}, {0: 0.5}, names=tuple(names)), np.array([0.0, 1.0]))

    made = TrainingSet.build(forests(), names, path=tmp_path / "forests")
    assert made.feature_names == ("f0", "f1", "f2")
    names.clear()
    assert TrainingSet.build(forests()).feature_names == ("f0", "f1", "f2")
    names.clear()
    assert TrainingSet.build(forests(), ["f0", "f1", "f2", "more"]).evaluate(np.zeros(4)).gradient[3] == 0
    for wrong in (["f0"], ["f1", "f0", "f2"]):
        names.clear()
        with pytest.raises(DataError, match="number the features of all forests together"):
            TrainingSet.build(forests(), wrong)
    with pytest.raises(DataError, match=r"forest 1: its feature 1 is 'x', which is 'words'"):
        TrainingSet.build([choice(), choice(names=("lm", "x", "y"))])


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_numbers_that_are_none_are_refused_with_their_place(value):
    with pytest.raises(DataError, match=r"edge 1: losses must be finite; found -?(nan|inf)"):
        choice(losses=(0.0, value))
    with pytest.raises(DataError, match=r"edge 0: base must be finite; found -?(nan|inf)"):
        choice(base=np.array([value, 0.0]))
    graph = Hypergraph.from_edges([(0, []), (0, [])])
    with pytest.raises(DataError, match=r"edge 1: the value of feature 'words' must be finite"):
        RiskForest(graph, features({0: 1.0}, {0: 1.0, 1: value}), np.zeros(2))


def test_a_number_that_went_bad_after_the_check_is_found_with_forest_and_edge(tmp_path):
    """The arrays of a forest are the caller's."""
    bad = choice()
    bad.losses[1] = math.nan
    with pytest.raises(DataError, match=r"^forest 1, edge 1: its loss must be finite; found NaN"):
        TrainingSet.build([choice(), bad], path=tmp_path / "forests")
    bad = choice()
    bad.features.values[0] = math.nan
    with pytest.raises(DataError, match=r"^forest 2, .*must be finite"):
        TrainingSet.build([choice(), choice(), bad], path=tmp_path / "forests")
    assert list(tmp_path.iterdir()) == []


def test_arrays_of_other_lengths_are_refused():
    graph = Hypergraph.from_edges([(0, []), (0, [])])
    with pytest.raises(DataError, match="losses must be one for each of the 2 edges"):
        RiskForest(graph, features({}, {}), np.zeros(3))
    with pytest.raises(DataError, match="for 2 edges"):
        RiskForest(graph, features({}), np.zeros(2))
    with pytest.raises(DataError, match=r"features\.ids must be below 3; found 3"):
        RiskForest(graph, features({3: 1.0}, {}), np.zeros(2))


def test_sums_of_features_beyond_the_largest_double_are_refused():
    graph = Hypergraph.from_edges([(0, [])])
    rows = SparseFeatures(np.array([0, 2], np.uint64), np.zeros(2, np.uint32), np.array([1e308, 1e308]), ("a",))
    with pytest.raises(DataError, match=r"forest 0, edge 0: the sum of the values of feature 0 must be finite"):
        TrainingSet.build([RiskForest(graph, rows, np.zeros(1))])


def test_cycles_are_refused_with_the_forest():
    graph = Hypergraph.from_edges([(0, []), (0, [1]), (1, [0])], root=1)
    with pytest.raises(CycleError, match=r"forest 1: nodes .* form a cycle") as caught:
        TrainingSet.build([choice(), RiskForest(graph, features({}, {}, {}), np.zeros(3))])
    assert set(caught.value.cycle) == {0, 1}


def test_scores_beyond_what_can_be_computed_with_name_forest_and_edge():
    # The edges of the second forest stand in another order than their places.
    graph = Hypergraph.from_edges([(1, [0]), (0, []), (0, [])])
    forest = RiskForest(graph, features({}, {1: 1.0}, {0: 1.0}), np.zeros(3))
    made = TrainingSet.build([choice(), forest])
    with pytest.raises(
        DataError, match=r"forest 1, edge 2: gamma times its score .* smaller gamma; found 2 times 1000000000"
    ):
        TrainingSet.build([dead(), forest]).evaluate([1e9, 0.0, 0.0], gamma=2.0)
    with pytest.raises(DataError, match=r"forest 1, edge 1: .*found 1 times -1000"):
        TrainingSet.build([dead(), forest]).evaluate([0.0, -1e300, 0.0])
    with pytest.raises(DataError, match=r"forest 0, edge 1: .*found 1 times inf"):
        made.evaluate([0.0, 1.7e308, 0.0])
    assert made.evaluate([1e9, 0.0, 0.0]).risk == 0.0


def test_losses_beyond_the_largest_double_are_refused():
    graph = Hypergraph.from_edges([(0, []), (1, [0, 0]), (1, [0])])
    forest = RiskForest(graph, features({0: 1.0}, {0: 0.5}, {}), np.array([1.5e308, 1.5e308, 0.0]))
    with pytest.raises(DataError, match=r"forest 1: .*beyond the largest double"):
        TrainingSet.build([choice(), forest]).evaluate(np.zeros(3))


def test_nodes_that_are_used_more_often_than_can_be_counted_are_refused():
    edges = [(0, [])] + [(n, [n - 1] * 4) for n in range(1, 40)]
    forest = RiskForest(Hypergraph.from_edges(edges), features(*[{0: 1.0}] * 40), np.zeros(40))
    with pytest.raises(DataError, match=r"forest 0: the expected number of uses of a node must be at most"):
        TrainingSet.build([forest]).evaluate(np.zeros(3))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"weights": [1.0]}, r"weights must be one for each of 3 features; found shape \(1,\)"),
        ({"weights": [0.0, math.nan, 0.0]}, r"the weight of feature 'words' must be finite; found nan"),
        ({"gamma": math.inf}, "gamma must be a finite number; found inf"),
        ({"temperature": math.nan}, "temperature must be a finite number; found NaN"),
        ({"threads": 0}, "threads must be at least 1"),
    ],
)
def test_wrong_arguments_are_refused(arguments, message):
    made = TrainingSet.build([choice()])
    with pytest.raises(ConfigError, match=message):
        made.evaluate(**{"weights": np.zeros(3), **arguments})


def test_weights_are_not_kept_or_changed():
    made, weights = TrainingSet.build([choice()]), np.array([0.5, 0.1, 0.0])
    before = copy.copy(weights)
    found = made.evaluate(weights)
    weights[:] = 7.0
    assert made.evaluate(before).gradient.tolist() == found.gradient.tolist()


def test_progress_tells_forests(tmp_path, monkeypatch):
    monkeypatch.setattr(training_set, "BLOCK_BYTES", 300)
    heard: list[tuple[str, int, int]] = []

    def hear(stage, done, total, figures):
        heard.append((stage, done, total))

    made = TrainingSet.build([choice() for _ in range(9)], path=tmp_path / "forests", progress=hear)
    assert heard[-1] == ("reading", 9, 0)
    assert len(heard) > 2
    heard.clear()
    made.evaluate(np.zeros(3), progress=hear)
    assert heard[-1] == ("evaluating", 9, 9)


def test_an_exception_of_the_callback_ends_the_evaluation(tmp_path):
    made = TrainingSet.build([choice() for _ in range(9)], path=tmp_path / "forests")

    def stop(*_):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        made.evaluate(np.zeros(3), progress=stop)
    assert made.evaluate(np.zeros(3)).forests == 9


def test_evaluations_on_several_threads_share_a_file(tmp_path, monkeypatch):
    monkeypatch.setattr(training_set, "BLOCK_BYTES", 300)
    forests = [choice(losses=(0.0, float(n))) for n in range(50)]
    made = TrainingSet.build(forests, path=tmp_path / "forests")
    expected = TrainingSet.build(forests).evaluate([0.1, 0.2, 0.3])
    found: list[float] = []

    def work():
        found.extend(made.evaluate([0.1, 0.2, 0.3], threads=1).risk for _ in range(10))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected.risk] * 40
