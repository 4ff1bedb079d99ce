"""Same data, options and seed: same bits, whatever the number of threads or the hashing of Python."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import fitting
from made_corpora import zipf_corpus
from reference.ibm import Model

CORPUS = zipf_corpus(400, types=150)
TESTS = Path(__file__).resolve().parents[1]

WAYS: dict[str, tuple[Model, dict[str, object]]] = {
    "ibm1-em": (Model("ibm1"), {"inference": "em", "iterations": 4}),
    "ibm2-em": (Model("ibm2", 0.2), {"inference": "em", "iterations": 3}),
    "ibm1-vb": (Model("ibm1"), {"inference": "vb", "iterations": 4}),
    "ibm2-vb": (Model("ibm2", 0.2), {"inference": "vb", "iterations": 3}),
    "ibm1-exact": (
        Model("ibm1"),
        {"inference": "gibbs", "sampler": "exact", "initial": "cooccurrence", "burn_in": 4, "samples": 5},
    ),
    "ibm2-parallel": (
        Model("ibm2", 0.2),
        {"inference": "gibbs", "sampler": "parallel", "blocks": 7, "burn_in": 4, "samples": 5, "lag": 2},
    ),
    "ibm2-uniform": (
        Model("ibm2", 0.2),
        {"inference": "gibbs", "sampler": "parallel", "initial": "uniform", "burn_in": 4, "samples": 5},
    ),
}


def digest(way: str, **options: object) -> str:
    model, settings = WAYS[way]
    return fitting.digest(fitting.fit(CORPUS, model, **{**settings, **options}))


@pytest.mark.parametrize("way", WAYS)
def test_threads_do_not_matter(way: str) -> None:
    assert len({digest(way, threads=threads) for threads in (1, 2, 3, 8)}) == 1


@pytest.mark.parametrize("way", WAYS)
def test_runs_repeat(way: str) -> None:
    assert digest(way, threads=2, seed=5) == digest(way, threads=2, seed=5)


@pytest.mark.parametrize("way", ["ibm1-exact", "ibm2-parallel", "ibm2-uniform"])
def test_another_seed_gives_another_sample(way: str) -> None:
    seeds = (0, 1, 2, 2**32, 2**64 - 1)
    assert len({digest(way, seed=seed, threads=1) for seed in seeds}) == len(seeds)


@pytest.mark.parametrize("way", ["ibm1-em", "ibm2-vb"])
def test_without_sampling_the_seed_does_not_matter(way: str) -> None:
    assert digest(way, seed=1) == digest(way, seed=2)


def test_the_number_of_blocks_matters_to_the_parallel_sampler_alone() -> None:
    """Blocks are part of the model of the parallel sampler; the exact one has none."""
    assert digest("ibm2-parallel", blocks=7) != digest("ibm2-parallel", blocks=2)
    assert digest("ibm1-exact", blocks=7) == digest("ibm1-exact", blocks=2)
    assert digest("ibm2-parallel", blocks=1) == digest("ibm2-parallel", sampler="exact")


def test_small_corpora_are_sampled_exactly_by_default() -> None:
    assert digest("ibm2-uniform", sampler="auto") == digest("ibm2-uniform", sampler="exact")


def test_keeping_posteriors_changes_no_link() -> None:
    for way in WAYS:
        model, settings = WAYS[way]
        kept, dropped = (
            fitting.fit(CORPUS, model, **settings, posteriors=posteriors, symmetrize="intersection", threads=2)
            for posteriors in (True, False)
        )
        assert dropped.forward_posteriors is None
        assert (kept.forward, kept.reverse) == (dropped.forward, dropped.reverse), way


def test_hash_randomisation_does_not_matter() -> None:
    """Python's string hashes differ from process to process; nothing may depend on them."""
    script = "import test_align_determinism as t; print([t.digest(way, threads=2) for way in t.WAYS])"
    import_path = [str(TESTS), str(TESTS / "unit"), *filter(None, sys.path)]
    outputs = set()
    for hash_seed in ("0", "4711"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(import_path)}
        run = subprocess.run(
            [sys.executable, "-c", script], env=environment, check=True, capture_output=True, text=True
        )
        outputs.add(run.stdout.strip())
    assert outputs == {str([digest(way, threads=2) for way in WAYS])}
