"""Risk, entropy and their gradients against enumeration and differences, and the laws that they obey."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypergraph_strategies import edge_features, edge_weights, graphs
from plait.hypergraph import Distribution
from plait.minrisk import Evaluation, RiskForest, TrainingSet, training_set
from reference.hypergraph import Graph, enumerate_derivations
from reference.minimum_risk import Forest, evaluate
from risk_forest_strategies import NAMES, SIZE, numbers, risk_forests, thetas, to_risk_forest, values

PRECISION = 1e-11
gammas = st.builds(Fraction, st.integers(0, 12), st.just(4))
temperatures = st.builds(Fraction, st.integers(-2, 12), st.just(4))
lists = st.lists(risk_forests(), max_size=4)
sound_lists = st.lists(risk_forests(needs_derivation=True), min_size=1, max_size=3)


def built(forests: list[Forest]) -> TrainingSet:
    return TrainingSet.build(map(to_risk_forest, forests), NAMES)


def reals(values: list[Fraction]) -> npt.NDArray[np.float64]:
    return np.array([float(value) for value in values])


def parts(found: Evaluation) -> list[object]:
    """Everything that was found, bit by bit."""
    values = vars(found).values()
    return [value.tobytes() if isinstance(value, np.ndarray) else value for value in values]


@given(lists, thetas(), gammas, temperatures)
@settings(deadline=None)  # Threads of other programs have their turn.
def test_sums_and_gradients_are_those_of_enumeration(forests, theta, gamma, temperature):
    expected = evaluate(forests, theta, gamma)
    made = built(forests)
    weights, g, t = reals(theta), float(gamma), float(temperature)
    near = lambda value: pytest.approx(value, rel=PRECISION, abs=PRECISION * expected.scale)  # noqa: E731
    found = made.evaluate(weights, gamma=g, temperature=t, separate=True)
    assert (found.forests, found.empty, made.empty) == (len(forests), expected.empty, expected.empty)
    assert found.risk == near(expected.risk)
    assert found.entropy == near(expected.entropy)
    assert found.expected_score == near(expected.expected_score)
    assert found.objective == near(expected.risk - t * expected.entropy)
    *by_weights, by_gamma = expected.risk_gradient
    assert found.risk_gradient == near(np.array(by_weights))
    assert found.risk_gamma_gradient == near(by_gamma)
    *by_weights, by_gamma = expected.entropy_gradient
    assert found.entropy_gradient == near(np.array(by_weights))
    assert found.entropy_gamma_gradient == near(by_gamma)
    joint = made.evaluate(weights, gamma=g, temperature=t)
    both = [np.array(expected.risk_gradient) - t * np.array(expected.entropy_gradient)]
    for objective in (found, joint):
        assert objective.gradient == near(both[0][:-1])
        assert objective.gamma_gradient == near(both[0][-1])
    assert (joint.risk, joint.entropy, joint.objective) == (found.risk, found.entropy, found.objective)
    assert joint.risk_gradient is joint.entropy_gradient is joint.risk_gamma_gradient is None
    without = made.evaluate(weights, gamma=g, temperature=t, gradient=False)
    assert (without.risk, without.entropy, without.objective) == (found.risk, found.entropy, found.objective)
    assert without.gradient is without.gamma_gradient is None


def slope(function: Callable[[float], float], step: float) -> float:
    """Return the derivative at 0 by central differences, of fourth order."""
    h = step
    return (8 * (function(h) - function(-h)) - (function(2 * h) - function(-2 * h))) / (12 * h)


def largest(forests: list[Forest], values: list[list[Fraction]]) -> float:
    """Return the largest size of the sum of values over the edges of a derivation."""
    sums = [
        abs(sum((edges[e] for e in d), Fraction(0)))
        for forest, edges in zip(forests, values, strict=True)
        for d in enumerate_derivations(forest.graph)
    ]
    return float(max(sums, default=0))


@given(sound_lists, thetas(), gammas, temperatures)
@settings(max_examples=50, deadline=None)
def test_gradients_are_central_differences(forests, theta, gamma, temperature):
    made, weights, g, t = built(forests), reals(theta), float(gamma), float(temperature)
    found = made.evaluate(weights, gamma=g, temperature=t, separate=True)
    joint = made.evaluate(weights, gamma=g, temperature=t)
    gradients = {
        "objective": (joint.gradient, joint.gamma_gradient),
        "risk": (found.risk_gradient, found.risk_gamma_gradient),
        "entropy": (found.entropy_gradient, found.entropy_gamma_gradient),
    }
    scores = [
        [
            b + sum((theta[i] * f for i, f in row.items()), Fraction(0))
            for b, row in zip(x.base, x.features, strict=True)
        ]
        for x in forests
    ]
    sizes = [largest(forests, [[row.get(i, Fraction(0)) for row in x.features] for x in forests]) for i in range(SIZE)]
    for part, (by_weights, by_gamma) in gradients.items():

        def at(unit, h, part=part):
            """With weights, or gamma, moved by h."""
            moved = weights + h * unit[:-1]
            return getattr(made.evaluate(moved, gamma=g + h * unit[-1], temperature=t, gradient=False), part)

        units = np.eye(SIZE + 1)
        expected = [*by_weights, by_gamma]
        # No derivation's log weight moves by more than 2e-3.
        moves = [*(g * size for size in sizes), largest(forests, scores)]
        for unit, move, value in zip(units, moves, expected, strict=True):
            found_slope = slope(lambda h, unit=unit: at(unit, h), 1e-3 / (1 + move))
            assert value == pytest.approx(found_slope, rel=1e-6, abs=1e-8 * (1 + move))


@given(sound_lists, thetas(), gammas)
@settings(deadline=None)  # Threads of other programs have their turn.
def test_entropy_falls_with_gamma_by_the_variance_of_the_score(forests, theta, gamma):
    weights, g = reals(theta), float(gamma)
    found = built(forests).evaluate(weights, gamma=g, separate=True)
    variance = 0.0
    for forest in map(to_risk_forest, forests):
        scores = forest.features.scores(weights) + (0.0 if forest.base is None else forest.base)
        variance += Distribution(forest.graph, g * scores).variance(scores)
    assert found.entropy_gamma_gradient == pytest.approx(-g * variance, rel=1e-10, abs=1e-10)


@given(sound_lists, thetas(), gammas, temperatures)
@settings(deadline=None)  # Threads of other programs have their turn.
def test_gamma_and_weights_scale_the_same_score(forests, theta, gamma, temperature):
    """Footnote 16 of the paper: gamma df/dgamma is the sum of theta_i df/dtheta_i, where nothing else scores."""
    plain = [Forest(f.graph, f.features, f.losses, [Fraction(0)] * len(f.losses)) for f in forests]
    found = built(plain).evaluate(reals(theta), gamma=float(gamma), temperature=float(temperature))
    assert float(gamma) * found.gamma_gradient == pytest.approx(found.gradient @ reals(theta), rel=1e-9, abs=1e-9)


@given(sound_lists, sound_lists, thetas(), gammas, temperatures)
@settings(deadline=None)  # Threads of other programs have their turn.
def test_sets_add_and_forests_may_stand_in_any_order(first, second, theta, gamma, temperature):
    options = {"gamma": float(gamma), "temperature": float(temperature)}
    one, two, all_, turned = (
        built(forests).evaluate(reals(theta), **options)
        for forests in (first, second, first + second, [*second, *reversed(first)])
    )
    near = lambda value: pytest.approx(value, rel=1e-12, abs=1e-10)  # noqa: E731
    for sums in (all_, turned):
        assert sums.objective == near(one.objective + two.objective)
        assert sums.gradient == near(one.gradient + two.gradient)
        assert sums.gamma_gradient == near(one.gamma_gradient + two.gamma_gradient)


@given(st.lists(risk_forests(), max_size=8), thetas(), gammas, temperatures)
@settings(max_examples=40, deadline=None)
def test_no_bit_depends_on_threads_blocks_or_the_file(tmp_path_factory, forests, theta, gamma, temperature):
    made = built(forests)
    path = tmp_path_factory.mktemp("blocks") / "forests"
    options = {"gamma": float(gamma), "temperature": float(temperature), "separate": True}
    expected = parts(made.evaluate(reals(theta), threads=1, **options))
    with pytest.MonkeyPatch.context() as patch:
        # A block for each forest or two.
        patch.setattr(training_set, "BLOCK_BYTES", 600)
        with TrainingSet.build(map(to_risk_forest, forests), NAMES, path=path) as filed:
            for threads in (1, 2, 5):
                assert parts(made.evaluate(reals(theta), threads=threads, **options)) == expected
                assert parts(filed.evaluate(reals(theta), threads=threads, **options)) == expected
    with TrainingSet.open(path) as again:
        assert parts(again.evaluate(reals(theta), **options)) == expected
        assert (again.forests, again.edges, again.nodes) == (made.forests, made.edges, made.nodes)


@given(risk_forests(needs_derivation=True), thetas(), st.sampled_from([400.0, 1e4, 1e6]))
@settings(deadline=None)  # Threads of other programs have their turn.
def test_weights_whose_exponentials_overflow_are_fine(forest, theta, gamma):
    expected = evaluate([forest], theta, Fraction(gamma))
    found = built([forest]).evaluate(reals(theta), gamma=gamma, temperature=1.0, separate=True)
    # Scores have up to 24 terms, and their rounding is that of exponents.
    precision = 1e-14 * gamma * max(1.0, abs(expected.expected_score)) + 1e-11
    assert found.risk == pytest.approx(expected.risk, rel=precision, abs=precision)
    assert found.entropy == pytest.approx(expected.entropy, rel=precision, abs=precision * 10)
    assert np.isfinite(found.gradient).all()
    of_risk = np.array(expected.risk_gradient[:-1])
    assert found.risk_gradient == pytest.approx(of_risk, rel=precision, abs=precision * expected.scale * 10)


def test_the_loss_alone_decides_a_choice_between_two():
    """R = 1 / (1 + exp(theta)), so that dR/dtheta = -R (1 - R); H and its slope in closed form."""
    from plait.hypergraph import Hypergraph, SparseFeatures

    graph = Hypergraph.from_edges([(0, []), (0, [])])
    features = SparseFeatures(np.array([0, 1, 1], np.uint64), np.zeros(1, np.uint32), np.ones(1), ("x",))
    made = TrainingSet.build([RiskForest(graph, features, np.array([0.0, 1.0]))])
    for theta in (-3.0, 0.0, 0.7, 40.0, 800.0, 1e5):
        found = made.evaluate([theta], gamma=2.0, separate=True)
        risk = float(np.exp(-np.logaddexp(0.0, 2 * theta)))
        assert found.risk == pytest.approx(risk, rel=1e-14)
        assert found.risk_gradient == pytest.approx(np.array([-2 * risk * (1 - risk)]), rel=1e-13, abs=0)
        # ln(p / (1 - p)) = 2 theta
        assert found.entropy_gradient == pytest.approx(np.array([-4 * risk * (1 - risk) * theta]), rel=1e-12, abs=0)


@st.composite
def binary_forests(draw: st.DrawFn) -> Forest:
    """Forests whose tails have up to two nodes."""
    graph = draw(graphs(max_arity=2, max_nodes=9, max_edges=20, needs_derivation=True))
    features = draw(edge_features(graph, size=SIZE, values=values()))
    return Forest(graph, features, draw(edge_weights(graph, numbers)), draw(edge_weights(graph, numbers)))


@given(binary_forests(), thetas(), st.sampled_from([1.0, 30.0]), temperatures)
@settings(deadline=None)  # Threads of other programs have their turn.
def test_forests_with_longer_tails_go_another_way_to_the_same_sums(forest, theta, gamma, temperature):
    """A node that the root does not reach, over three others, changes nothing but the way."""
    graph = forest.graph
    top = Graph(graph.nodes + 1, (*graph.edges, (graph.nodes, (graph.root,) * 3)), graph.root)
    larger = Forest(
        top, [*forest.features, {0: Fraction(1)}], [*forest.losses, Fraction(7)], [*forest.base, Fraction(0)]
    )
    options = {"gamma": gamma, "temperature": float(temperature), "separate": True}
    one, other = (built([x]).evaluate(reals(theta), **options) for x in (forest, larger))
    for name, value in vars(one).items():
        assert getattr(other, name) == pytest.approx(value, rel=1e-12, abs=1e-10), name
