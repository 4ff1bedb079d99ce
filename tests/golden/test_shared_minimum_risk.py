"""Risk and entropy of real forests: reference figures, and gradients against central differences."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from plait.hypergraph import SparseFeatures, read_forests
from plait.minrisk import RiskForest, TrainingSet

ROOT = Path(os.environ.get("PLAIT_DATA", ".")) / "hyper"
JOSHUA = ROOT / "formats" / "joshua_disk_hg" / "example.nbest.javalm.hgmert.1.withMatches.hg.items"
pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not ROOT.is_dir() or "PLAIT_DATA" not in os.environ, reason="PLAIT_DATA names no folder"),
]

WEIGHTS = np.array([1.0, 1.066893, 0.752247, 0.589793, -2.844814])
"""Of Joshua's five costs."""
RISKS = (0.6418601847, 0.7123248736, 0.9108175952, 0.1698679233, 0.0849149019)
ENTROPIES = (8.6198383748, 39.9986534186, 21.3932921014, 18.3766402117, 25.4820228411)


def joshua() -> list[RiskForest]:
    """The five forests of the paper's authors: the sixth column is the loss of linear BLEU."""
    made = []
    for forest in read_forests(JOSHUA):
        old = forest.features
        loss = forest.scores([0, 0, 0, 0, 0, 1])
        kept = old.ids < 5
        rows = np.repeat(np.arange(forest.edges), np.diff(old.starts).astype(np.int64))[kept]
        starts = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=forest.edges)))).astype(np.uint64)
        features = SparseFeatures(starts, old.ids[kept], -old.values[kept], old.names[:5])
        made.append(RiskForest(forest.graph, features, loss))
    return made


def cdec(name: str) -> RiskForest:
    """A forest of cdec's, with a made loss, a made base score and made features for the words of the edge."""
    (forest,) = read_forests(ROOT / "cdec-json" / f"{name}.json.gz")
    rng = np.random.default_rng(5)
    old = forest.features
    sparse = rng.integers(len(old.names), len(old.names) + 300, forest.edges).astype(np.uint32)
    ends = old.starts[1:].astype(np.int64)
    features = SparseFeatures(
        (old.starts + np.arange(forest.edges + 1)).astype(np.uint64),
        np.insert(old.ids, ends, sparse),
        np.insert(old.values, ends, 1.0),
        (*old.names, *(f"made {n}" for n in range(300))),
    )
    losses = rng.normal(0.0, 0.1, forest.edges) * (rng.random(forest.edges) < 0.5)
    return RiskForest(forest.graph, features, losses, rng.normal(0.0, 0.3, forest.edges))


def test_the_forests_of_the_authors_have_their_risks_and_entropies():
    for forest, risk, entropy in zip(joshua(), RISKS, ENTROPIES, strict=True):
        found = TrainingSet.build([forest]).evaluate(WEIGHTS)
        assert found.risk == pytest.approx(risk, abs=1e-10)
        assert found.entropy == pytest.approx(entropy, abs=1e-9)
    found = TrainingSet.build(joshua()).evaluate(WEIGHTS, temperature=0.5)
    assert found.risk == pytest.approx(sum(RISKS), abs=1e-9)
    assert found.objective == pytest.approx(sum(RISKS) - 0.5 * sum(ENTROPIES), abs=1e-8)


def test_the_gradients_of_the_authors_first_forest():
    found = TrainingSet.build(joshua()[:1]).evaluate(WEIGHTS, separate=True)
    of_risk = [-0.00072165, 0.00249034, -0.00299659, -0.01042319, -0.00201433]
    of_entropy = [0.05537658, -0.95890380, 0.00042912, 0.01415156, 0.00348142]
    np.testing.assert_allclose(found.risk_gradient, of_risk, atol=6e-9)
    np.testing.assert_allclose(found.entropy_gradient, of_entropy, atol=6e-9)


def sets() -> dict[str, Callable[[], list[RiskForest]]]:
    names = ("zh0", "zh1", "urdu", "small")
    return {"joshua": joshua} | {name: lambda name=name: [cdec(name)] for name in names}


@pytest.mark.parametrize("name", sets())
@pytest.mark.parametrize(("gamma", "temperature"), [(1.0, 0.0), (0.6, 0.25)])
def test_gradients_are_central_differences(name, gamma, temperature):
    """To 1e-6: in single weights, in a direction through all of them, and in gamma."""
    made = TrainingSet.build(sets()[name]())
    rng = np.random.default_rng(6)
    count = len(made.feature_names)
    weights = WEIGHTS if name == "joshua" else rng.normal(0.0, 0.3, count)
    options = {"gamma": gamma, "temperature": temperature}
    found = made.evaluate(weights, separate=True, **options)
    joint = made.evaluate(weights, **options)
    gradients = {
        "objective": (joint.gradient, joint.gamma_gradient),
        "risk": (found.risk_gradient, found.risk_gamma_gradient),
        "entropy": (found.entropy_gradient, found.entropy_gamma_gradient),
    }
    directions = list(np.eye(count)[: min(count, 13)]) + [rng.normal(0.0, 1.0, count) for _ in range(2)]
    # Features of long derivations have large values: a step moves scores by as much everywhere.
    for direction in directions:
        size = abs(float(found.entropy_gradient @ direction)) + abs(float(found.risk_gradient @ direction)) + 1.0
        step = 1e-3 / size
        points = {n: made.evaluate(weights + n * step * direction, gradient=False, **options) for n in (-2, -1, 1, 2)}
        for part, (by_weights, _) in gradients.items():
            f = {n: getattr(point, part) for n, point in points.items()}
            expected = (8 * (f[1] - f[-1]) - (f[2] - f[-2])) / (12 * step)
            rounding = 1e-13 * (1.0 + abs(f[1])) / step
            assert by_weights @ direction == pytest.approx(expected, rel=1e-6, abs=rounding)
    step = 1e-4
    at = {
        n: made.evaluate(weights, gamma=gamma + n * step, temperature=temperature, gradient=False)
        for n in (-2, -1, 1, 2)
    }
    for part, (_, by_gamma) in gradients.items():
        f = {n: getattr(point, part) for n, point in at.items()}
        expected = (8 * (f[1] - f[-1]) - (f[2] - f[-2])) / (12 * step)
        assert by_gamma == pytest.approx(expected, rel=1e-6, abs=1e-13 * (1.0 + abs(f[1])) / step)


def test_no_bit_of_real_forests_depends_on_threads_or_the_file(tmp_path):
    forests = [*joshua(), *joshua()[::-1]]
    made = TrainingSet.build(forests)
    with TrainingSet.build(iter(forests), path=tmp_path / "forests") as filed:
        options = {"gamma": 0.7, "temperature": 0.3, "separate": True}
        expected = made.evaluate(WEIGHTS, threads=1, **options)
        for other in (
            made.evaluate(WEIGHTS, threads=3, **options),
            filed.evaluate(WEIGHTS, threads=1, **options),
            filed.evaluate(WEIGHTS, threads=4, **options),
        ):
            assert {k: np.array(v).tobytes() for k, v in vars(other).items()} == {
                k: np.array(v).tobytes() for k, v in vars(expected).items()
            }
