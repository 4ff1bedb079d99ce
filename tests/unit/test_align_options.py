"""Presets and options of `plait.align.fit`."""

from __future__ import annotations

from dataclasses import asdict

import pytest

import fitting
from made_corpora import zipf_corpus
from plait import align
from plait.bitext import Bitext
from plait.errors import ConfigError
from reference.ibm import Model

PAIRS = zipf_corpus(30, types=30, mean_length=5)


@pytest.fixture(scope="module")
def bitext() -> Bitext:
    return Bitext.from_lists(*[[sentence or ["."] for sentence in side] for side in PAIRS])


@pytest.mark.parametrize(
    ("name", "model", "inference", "initial", "iterations"),
    [
        ("EM-5", "ibm1", "em", None, 5),
        ("EM-20", "ibm1", "em", None, 20),
        ("EM-80", "ibm1", "em", None, 80),
        ("VB-5", "ibm1", "vb", None, 5),
        ("VB-20", "ibm1", "vb", None, 20),
        ("VB-80", "ibm1", "vb", None, 80),
        ("GS-5", "ibm1", "gibbs", "em-5", None),
        ("GS-20", "ibm1", "gibbs", "em-20", None),
        ("GS-80", "ibm1", "gibbs", "em-80", None),
        ("GS-N", "ibm1", "gibbs", "cooccurrence", None),
    ],
)
def test_presets_of_the_paper(
    name: str, model: str, inference: str, initial: str | None, iterations: int | None
) -> None:
    """Mermer et al. 2013, section IV: theta 0.0001, phi 1; (B, M, L) = (1000, 100, 1) for large data."""
    config = align.PRESETS[name]
    assert (config.model, config.inference, config.symmetrize) == (model, inference, "grow-diag-final-and")
    assert (config.theta, config.phi, config.p0) == (0.0001, 1.0, None)
    if initial is None:
        assert config.iterations == iterations
    else:
        assert config.initial == initial
        assert (config.burn_in, config.samples, config.lag) == (1000, 100, 1)


@pytest.mark.parametrize("name", align.PRESETS)
def test_every_preset_runs(name: str, bitext: Bitext) -> None:
    short = {"burn_in": 2, "samples": 2} if align.PRESETS[name].inference == "gibbs" else {}
    fitted = align.fit(bitext, name, threads=1, **short)
    assert len(fitted.alignments) == 30
    assert len(fitted.alignments.links) > 0
    assert asdict(fitted.config) == {**asdict(align.PRESETS[name]), **short}


def test_names_of_presets_may_be_in_any_case(bitext: Bitext) -> None:
    assert align.fit(bitext, "em-5", threads=1).alignments == align.fit(bitext, "EM-5", threads=1).alignments


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"preset": "GS-6"}, "GS-5"),
        ({"model": "ibm3"}, "ibm1"),
        ({"inference": "mcmc"}, "gibbs"),
        ({"symmetrize": "union-all"}, "union"),
        ({"theta": 0.0}, "theta"),
        ({"theta": float("nan")}, "theta"),
        ({"phi": -1.0}, "phi"),
        ({"phi": float("inf")}, "phi"),
        ({"p0": 0.0}, "p0"),
        ({"p0": 1.0}, "p0"),
        ({"p0": float("nan")}, "p0"),
        ({"seed": -1}, "seed"),
        ({"seed": 2**64}, "seed"),
        ({"burn_in": -1}, "burn_in"),
        ({"samples": 0}, "samples"),
        ({"samples": 65_536}, "samples"),
        ({"lag": 0}, "lag"),
        ({"lag": 1.5}, "lag"),
        ({"initial": "em-0"}, "initial"),
        ({"initial": "em"}, "initial"),
        ({"initial": "em-²"}, "initial"),
        ({"sampler": "fast"}, "sampler"),
        ({"tail": "none"}, "tail"),
        ({"preset": "gibbs", "inference": "em", "iterations": 0}, "iterations"),
        ({"iterations": 0, "warm_up": 0}, "iterations"),
        ({"inference": "vb"}, "em or gibbs for the HMM"),
        ({"inference": "gibbs", "iterations": 0}, "iterations must be at least 1 for the sampler"),
        ({"inference": "gibbs", "classes": 10}, "classes must be 0 for the sampler"),
        ({"inference": "gibbs", "tau": 0.0}, "tau must be above 0 for the sampler"),
        ({"inference": "gibbs", "prefixes": (), "strength": (0.0,)}, "strength must be above 0"),
        ({"inference": "gibbs", "decoding": "viterbi"}, "decoding must be posterior for the sampler"),
        ({"inference": "gibbs", "samples": 65_535, "lag": 2**17}, r"samples must be fewer than 2\^32 sweeps"),
        ({"fertility": -1.0}, "fertility"),
        ({"fertility": float("inf")}, "fertility"),
        ({"em_share": 1.5}, "em_share"),
        ({"decoding": "best"}, "viterbi"),
        ({"tau": -1.0}, "tau"),
        ({"tau": float("nan")}, "tau"),
        ({"smoothing": 1.5}, "smoothing"),
        ({"smoothing": float("nan")}, "smoothing"),
        ({"leave_out": -0.1}, "leave_out"),
        ({"null_mixture": 2}, "null_mixture"),
        ({"initial_decay": -1.0}, "initial_decay"),
        ({"initial_decay": float("inf")}, "initial_decay"),
        ({"prefixes": (4, 4)}, "prefixes"),
        ({"prefixes": (4, 5)}, "prefixes"),
        ({"prefixes": (4, 0)}, "prefixes"),
        ({"prefixes": (4.5,)}, "prefixes"),
        ({"prefixes": tuple(range(16, 0, -1))}, "prefixes"),
        ({"prefixes": (4, 3), "strength": (1.0, 2.0)}, "strength must be 1 number or 3"),
        ({"prefixes": (), "strength": ()}, "strength"),
        ({"strength": (-1.0,)}, "strength"),
        ({"strength": (float("inf"),)}, "strength"),
        ({"beams": (0.1,)}, "beams"),
        ({"beams": (0.1, 1.1)}, "beams"),
        ({"beams": (float("nan"), 0.1)}, "beams"),
        ({"threads": 0}, "threads"),
        ({"tetha": 0.1}, "theta"),
    ],
    ids=str,
)
def test_bad_options_are_refused_by_name(options: dict[str, object], message: str, bitext: Bitext) -> None:
    with pytest.raises(ConfigError, match=message):
        align.fit(bitext, **{"burn_in": 1, "samples": 1, **options})


def test_p0_of_model_2_is_a_fifth_by_default() -> None:
    for settings in ({"inference": "em", "iterations": 3}, {"inference": "gibbs", "burn_in": 2, "samples": 3}):
        explicit, implicit = (fitting.fit(PAIRS, Model("ibm2", 0.2), p0=p0, **settings) for p0 in (0.2, None))
        if settings["inference"] == "em":
            assert fitting.digest(explicit) == fitting.digest(implicit)
        assert implicit.config.p0 is None


def test_progress_is_told_of_every_sweep(bitext: Bitext) -> None:
    calls: list[tuple[str, int, int]] = []
    align.fit(
        bitext, "GS-N", burn_in=3, samples=2, lag=2, threads=1, progress=lambda s, d, t, _: calls.append((s, d, t))
    )
    assert [(done, total) for stage, done, total in calls if stage == "Gibbs"][-1] == (7, 7)


def test_objective_may_be_left_out(bitext: Bitext) -> None:
    with_figures, without = (align.fit(bitext, "VB-5", objective=flag, threads=1) for flag in (True, False))
    assert len(with_figures.history["forward"]) == 4
    assert without.history["forward"] == []
    assert with_figures.forward == without.forward
