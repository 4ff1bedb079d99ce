"""Training: what it minimises, in which stages, and what an interruption leaves."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import plait
from minrisk_forests import NAMES, made_forests, made_training_set
from plait.errors import ConfigError, DataError
from plait.hypergraph import Hypergraph, SparseFeatures
from plait.minrisk import L2, LBFGSB, RiskForest, Schedule, Stage, TrainingSet, train
from plait.minrisk.stage_problem import StageProblem

pytest.importorskip("scipy")


class Interrupted(Exception):
    """Stands for Ctrl-C."""


class Fragile:
    """A training set that fails at the n-th evaluation."""

    def __init__(self, whole, calls):
        self.whole, self.left, self.feature_names = whole, calls, whole.feature_names

    def evaluate(self, weights, **options):
        self.left -= 1
        if self.left < 0:
            raise Interrupted
        return self.whole.evaluate(weights, **options)


class NearTo:
    name = "nearness"

    """Development data that like weights near a point."""

    def __init__(self, point):
        self.point = np.asarray(point)

    def score(self, weights):
        return -float(((weights - self.point) ** 2).sum())


def objective(forests, weights, *, temperature, gamma, strength, center=0.0):
    found = forests.evaluate(weights, gamma=gamma, temperature=temperature)
    return found.objective + 0.5 * float((strength * (weights - center) ** 2).sum())


@pytest.mark.parametrize(("temperature", "gamma"), [(0.0, 1.0), (0.3, 2.0)])
def test_the_end_is_a_minimum_of_the_objective(temperature, gamma):
    forests = made_training_set()
    strength, center = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]), np.linspace(-1, 1, 6)
    found = train(
        forests,
        schedule=Schedule.minimum_risk(temperature=temperature, gamma=gamma, iterations=300),
        l2=L2(strength, center),
        optimizer=LBFGSB(value_tolerance=1e-14, gradient_tolerance=1e-10),
    )
    here = dict(temperature=temperature, gamma=gamma, strength=strength, center=center)
    value = objective(forests, found.weights, **here)
    assert found.history[0].objective == pytest.approx(value, abs=1e-12)
    assert value < objective(forests, np.zeros(6), **here) - 0.01
    generator = np.random.default_rng(3)
    for _ in range(50):
        near = found.weights + 1e-3 * generator.normal(size=6)
        assert objective(forests, near, **here) > value


def test_averages_make_the_penalty_count_more():
    forests = made_training_set(forests=8)
    sums = train(forests, l2=0.8)
    means = train(forests, l2=0.1, averages=True)
    np.testing.assert_allclose(sums.weights, means.weights, atol=2e-3)
    assert means.history[0].objective == pytest.approx(sums.history[0].objective / 8, abs=1e-5)


def test_frozen_weights_stay_and_others_start_where_told():
    forests = made_training_set()
    found = train(forests, {"f0": 2.0, "f3": -1.5}, frozen=["f0", "f3"], l2=0.1)
    assert found.as_mapping()["f0"] == 2.0
    assert found.as_mapping()["f3"] == -1.5
    assert found.weights[1] != 0
    assert found.feature_names == NAMES


def test_gamma_is_trained_where_it_matters():
    generator = np.random.default_rng(5)
    base = made_forests()
    with_base = TrainingSet.build(
        [RiskForest(f.graph, f.features, f.losses, base=generator.normal(size=f.graph.edges)) for f in base]
    )
    schedule = Schedule.minimum_risk(temperature=3.0)
    fixed = train(with_base, schedule=schedule)
    freed = train(with_base, schedule=schedule, trains_gamma=True)
    assert freed.gamma > 0
    assert freed.gamma != 1.0
    assert freed.history[0].objective < fixed.history[0].objective
    # Its derivative vanishes at the end.
    end = with_base.evaluate(freed.weights, gamma=freed.gamma, temperature=3.0)
    assert abs(freed.gamma * end.gamma_gradient) < 1e-3
    with pytest.raises(ConfigError, match="evade"):
        train(with_base, trains_gamma=True, l2=1.0)
    train(with_base, trains_gamma=True, l2=L2(1.0, center=1.0))


def test_stages_are_those_of_the_schedule():
    forests = made_training_set()
    schedule = Schedule.annealing(highest=4.0, lowest=0.5, sharpest=4.0, iterations=3, last_iterations=50)
    found = train(forests, schedule=schedule, l2=0.01)
    assert [(stage.temperature, stage.gamma) for stage in found.history] == [
        (4.0, 1.0), (2.0, 1.0), (1.0, 1.0), (0.5, 1.0), (0.0, 1.0), (0.0, 2.0), (0.0, 4.0),
    ]  # fmt: skip
    assert found.gamma == 4.0
    assert all(stage.iterations <= 3 for stage in found.history[:-1])
    entropies = [stage.entropy for stage in found.history]
    # Nearly uniform at first: almost the logarithm of the number of paths.
    assert entropies[0] > 0.97 * 5 * 5 * np.log(3)
    assert entropies[-1] < 0.2 * entropies[0]
    assert found.history[-1].risk < found.history[0].risk


def test_annealing_needs_not_end_where_it_is_told_to_start():
    forests = made_training_set(seed=4, forests=3)
    bad_start = 30 * np.sign(np.random.default_rng(0).normal(size=6))
    direct = train(forests, bad_start)
    annealed = train(forests, bad_start, schedule=Schedule.annealing())
    assert annealed.history[-1].risk < direct.history[-1].risk


@pytest.mark.parametrize(
    ("option", "values"),
    [
        ("highest", {"highest": 0.0}),
        ("cooling", {"cooling": 1.0}),
        ("sharpening", {"sharpening": 1.0}),
        ("gamma", {"sharpest": 0.5}),
        ("lowest", {"lowest": 20.0}),
    ],
)
def test_schedules_are_checked(option, values):
    with pytest.raises(ConfigError, match=option):
        Schedule.annealing(**values)


def test_stages_are_checked():
    for values, name in (((-1.0,), "temperature"), ((0.0, 0.0), "gamma"), ((0.0, 1.0, 0), "iterations")):
        with pytest.raises(ConfigError, match=name):
            Stage(*values)
    with pytest.raises(ConfigError, match="at least one"):
        Schedule(())


def test_the_best_weights_on_development_data_are_kept():
    forests = made_training_set()
    last = train(forests, schedule=Schedule.annealing(), l2=0.1)
    points = []

    class Watching(NearTo):
        def score(self, weights):
            points.append(weights.copy())
            return super().score(weights)

    development = Watching(last.weights / 3)
    best = train(forests, schedule=Schedule.annealing(), l2=0.1, development=development, selection="best")
    scores = [development.score(point) for point in points[:]]
    assert best.score == max(scores)
    np.testing.assert_array_equal(best.weights, points[int(np.argmax(scores))])
    assert best.score > development.score(last.weights)
    assert [stage.risk for stage in best.history] == [stage.risk for stage in last.history]
    with pytest.raises(ConfigError, match="give development"):
        train(forests, selection="best")


def test_progress_tells_stages_and_figures():
    told = []
    train(
        made_training_set(),
        schedule=Schedule.annealing(highest=1.0, lowest=0.5, sharpest=1.0, iterations=4),
        development=NearTo(np.zeros(6)),
        progress=lambda *report: told.append(report),
    )
    stages = list(dict.fromkeys(report[0] for report in told))
    assert stages == ["stage 1/3", "stage 2/3", "stage 3/3"]
    assert [name for name, _ in told[-1][3]] == ["risk", "entropy", "objective", "nearness"]
    assert told[0][1:3] == (0, 4)
    assert told[-1][1] == told[-1][2] == 100


def test_empty_forests_add_nothing_and_are_counted():
    some = made_forests()
    empty = RiskForest(
        Hypergraph.from_edges([], nodes=1, root=0),
        SparseFeatures(np.zeros(1, np.uint64), np.empty(0, np.uint32), np.empty(0), NAMES),
        losses=np.empty(0),
    )
    without = train(TrainingSet.build(some), l2=0.1)
    among = train(TrainingSet.build([empty, *some, empty]), l2=0.1)
    np.testing.assert_array_equal(without.weights, among.weights)
    assert (among.forests, among.empty) == (7, 2)
    with pytest.raises(DataError, match="none has a derivation"):
        train(TrainingSet.build([empty, empty]))


RUN = dict(
    schedule=Schedule.annealing(highest=1.0, lowest=0.3, sharpest=2.0, iterations=4, last_iterations=15),
    l2=0.05,
    development=NearTo(np.full(6, 0.2)),
    selection="best",
)


def same(one, other):
    np.testing.assert_array_equal(one.weights, other.weights)
    assert (one.gamma, one.history, one.score) == (other.gamma, other.history, other.score)


def test_a_run_that_is_interrupted_anywhere_ends_with_the_same_bits(tmp_path):
    forests = made_training_set(forests=2)
    whole = train(forests, **RUN)
    total = sum(stage.evaluations for stage in whole.history)
    assert total > 20
    for calls in range(1, total + 1, 7):
        path = tmp_path / f"{calls}"
        with pytest.raises(Interrupted):
            train(Fragile(forests, calls), checkpoint=path, **RUN)
        same(train(forests, checkpoint=path, **RUN), whole)
        assert not (tmp_path / f"{calls}.journal").exists()


def test_a_run_that_is_interrupted_again_and_again_comes_to_its_end(tmp_path):
    forests = made_training_set(forests=2)
    whole = train(forests, **RUN)
    path = tmp_path / "checkpoint"
    for _ in range(200):
        # One evaluation tells the data, two are new.
        try:
            found = train(Fragile(forests, 3), checkpoint=path, **RUN)
            break
        except Interrupted:
            continue
    same(found, whole)
    # What is done is only read.
    same(train(Fragile(forests, 1), checkpoint=path, **RUN), whole)


def test_a_checkpoint_of_another_run_is_refused(tmp_path):
    forests = made_training_set(forests=2)
    path = tmp_path / "checkpoint"
    with pytest.raises(Interrupted):
        train(Fragile(forests, 6), checkpoint=path, **RUN)
    others = [
        ({"l2": 0.06}, "l2 was"),
        ({"schedule": Schedule.minimum_risk()}, "stages was"),
        ({"optimizer": LBFGSB(memory=3)}, "optimizer was"),
        ({"averages": True}, "averages was false there, and is true now"),
        ({"frozen": ["f1"]}, "frozen weights was"),
        ({"development": NearTo(np.zeros(6))}, "score of development data was"),
        ({"weights": np.ones(6)}, "initial weights was"),
    ]
    for options, message in others:
        with pytest.raises(ConfigError, match=message):
            train(forests, checkpoint=path, **(RUN | options))
    with pytest.raises(ConfigError, match="training forests was"):
        train(made_training_set(forests=2, seed=9), checkpoint=path, **RUN)
    same(train(forests, checkpoint=path, **RUN), train(forests, **RUN))


@pytest.mark.parametrize("averages", [False, True])
@pytest.mark.parametrize("trains_gamma", [False, True])
def test_what_the_optimiser_sees_has_the_gradient_of_its_value(averages, trains_gamma):
    generator = np.random.default_rng(11)
    is_free = np.array([True, False, True, True, False, True, trains_gamma])
    point = np.append(generator.normal(size=6), np.log(1.7))
    problem = StageProblem(
        made_training_set(),
        L2(generator.random(6), generator.normal(size=6)),
        point,
        is_free,
        stage=Stage(0.4, 1.7),
        scale=1 / 5,
        averages=averages,
        threads=None,
        journal=None,
        development=None,
    )
    start = problem.start
    value, gradient = problem(start)
    assert len(gradient) == is_free.sum()
    for n, expected in enumerate(gradient):
        step = np.zeros(len(start))
        step[n] = 1e-5
        difference = (problem(start + step)[0] - problem(start - step)[0]) / 2e-5
        assert difference == pytest.approx(expected, rel=1e-6, abs=1e-8)
    # A fixed gamma, or its logarithm among the parameters, is the same gamma.
    risk, entropy, penalty, objective = problem.values(start)
    scale = 1 / 5 if averages else 1.0
    assert objective == pytest.approx(scale * (risk - 0.4 * entropy) + penalty, rel=1e-12)
    assert value == pytest.approx(objective if averages else objective / 5, rel=1e-12)


PROGRAM = """
import hashlib
import numpy as np
from plait.minrisk import LBFGSB

generator = np.random.default_rng(0)
scales, centers = np.exp(generator.normal(size=15_000)), generator.normal(size=15_000)
points = hashlib.sha256()

def function(x):
    points.update(x.tobytes())
    return float((scales * (x - centers) ** 2 / 2 + 0.1 * np.cosh(x)).sum()), scales * (x - centers) + 0.1 * np.sinh(x)

LBFGSB().minimize(function, np.zeros(15_000), iterations=8, after_iteration=lambda x: None)
print(points.hexdigest())
"""


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="needs two CPUs")
def test_steps_do_not_depend_on_the_threads_of_linear_algebra():
    paths = str(Path(plait.__file__).parents[1])
    found = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, "PYTHONPATH": paths, "OPENBLAS_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
            timeout=25,
        ).stdout
        for threads in "12"
    }
    assert len(found) == 1
