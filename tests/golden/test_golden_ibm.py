"""The golden suite of IBM Models 1 and 2, against the twin and against the core."""

from __future__ import annotations

import math
import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import fitting
from reference import readout
from reference.direction import Direction, Table
from reference.enumeration import exact_posterior, marginals
from reference.expectation import Fit, em, posteriors, vb
from reference.ibm import Model

CASES: list[dict[str, Any]] = tomllib.loads((Path(__file__).parent / "ibm.toml").read_text("utf-8"))["case"]
EXACT = 1e-12


def number(value: str | float) -> float:
    """A fraction or decimal as a double."""
    return float(Fraction(value))


def corpus_of(case: dict[str, Any]) -> tuple[list[list[str]], list[list[str]]]:
    """Tokens of both sides."""
    return [source.split() for source, _ in case["pairs"]], [target.split() for _, target in case["pairs"]]


def model_of(case: dict[str, Any]) -> Model:
    p0 = case.get("p0")
    return Model(
        case["model"],
        None if p0 is None else number(p0),
        theta=case.get("theta", 0.0001),
        phi=case.get("phi", 1.0),
    )


def expected_posteriors(case: dict[str, Any]) -> Table:
    return [[[number(p) for p in row] for row in rows] for rows in case["posteriors"]]


def expected_objective(case: dict[str, Any]) -> list[float] | None:
    if "likelihood" in case:
        return [math.log(number(p)) for p in case["likelihood"]]
    return case.get("objective")


def assert_tables_agree(found: Table, expected: Table, tolerance: float) -> None:
    assert [[len(row) for row in rows] for rows in found] == [[len(row) for row in rows] for rows in expected]
    for n, rows in enumerate(expected):
        for j, row in enumerate(rows):
            assert found[n][j] == pytest.approx(row, abs=tolerance, rel=0), f"pair {n}, emitted position {j}"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_twin(case: dict[str, Any]) -> None:
    direction = Direction.of(*corpus_of(case), reverse=case.get("direction") == "reverse")
    model = model_of(case)
    if case["inference"] == "gibbs":
        table = marginals(direction, exact_posterior(direction, model))
    else:
        train = {"em": em, "vb": vb}[case["inference"]]
        fit: Fit = train(direction, model, case["iterations"])
        table = posteriors(direction, model, fit.weights)
        objective = expected_objective(case)
        if objective is not None:
            assert fit.history == pytest.approx(objective, rel=EXACT, abs=EXACT)
    if "posteriors" in case:
        assert_tables_agree(table, expected_posteriors(case), EXACT)
    if "links" in case:
        # Exactly equal posteriors are ties: one rounding must not decide.
        rounded = [[[round(p, 12) for p in row] for row in rows] for rows in table]
        links = readout.source_target_links(direction, readout.viterbi(rounded))
        assert links == [[tuple(link) for link in row] for row in case["links"]]


def test_every_case_checks_something() -> None:
    for case in CASES:
        assert {"posteriors", "likelihood", "objective", "links"} & set(case), case["name"]


CORE = 1e-5
"""Expected counts are single precision in the core."""
SAMPLED = 0.01
"""Four chains of 5,000 samples: over three standard errors of their means on these corpora."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_core(case: dict[str, Any]) -> None:
    corpus, is_reverse = corpus_of(case), case.get("direction") == "reverse"
    direction, model = Direction.of(*corpus, reverse=is_reverse), model_of(case)
    if case["inference"] == "gibbs":
        schedule = {"initial": "uniform", "burn_in": 100, "samples": 5000, "threads": 1}
        runs = [fitting.fit(corpus, model, inference="gibbs", seed=seed, **schedule) for seed in range(4)]
        tolerance = SAMPLED
    else:
        runs = [fitting.fit(corpus, model, inference=case["inference"], iterations=case["iterations"])]
        tolerance = CORE
        objective = expected_objective(case)
        if objective is not None:
            history = fitting.history(runs[0], reverse=is_reverse)
            assert history[-len(objective) :] == pytest.approx(objective, rel=CORE, abs=CORE)
    if "posteriors" in case:
        expected = readout.source_target_posteriors(direction, expected_posteriors(case))
        tables = [fitting.posteriors(run, reverse=is_reverse) for run in runs]
        for n, row in enumerate(expected):
            for link, probability in row.items():
                found = sum(table[n].get(link, 0.0) for table in tables) / len(tables)
                assert found == pytest.approx(probability, abs=tolerance, rel=0), f"pair {n}, {link}"
    if "links" in case:
        assert fitting.links(runs[0], reverse=is_reverse) == [[tuple(link) for link in row] for row in case["links"]]
