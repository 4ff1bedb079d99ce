"""The settings of an aligner as the core takes them, and as a model file holds them."""

from __future__ import annotations

import math
from typing import Any

from plait.bitext import Folding
from plait.errors import ConfigError
from plait.presets import AlignConfig


def hmm_settings(config: AlignConfig) -> dict[str, Any]:
    """Return what the core needs to know of the settings of an HMM."""
    return {
        "warm_up": config.warm_up,
        "iterations": config.iterations,
        "agree": config.agreement,
        "tau": config.tau,
        "class_tau": config.class_tau,
        "p0": 0.2 if config.p0 is None else config.p0,
        # The papers' Model 1 has NULL as one of I + 1 equal candidates.
        "warm_up_p0": config.p0 if config.agreement else None,
        "smoothing": config.smoothing,
        "initial_decay": config.initial_decay,
        "prefixes": list(config.prefixes),
        "strength": list(config.strength),
        "variety": config.variety,
        "leave_out": config.leave_out,
        "null_mixture": config.null_mixture,
        "emission_beam": config.beams[0],
        "state_beam": config.beams[1],
        "viterbi": config.decoding == "viterbi",
        "sampling": _sampling_settings(config) if config.inference == "gibbs" else None,
    }


def _sampling_settings(config: AlignConfig) -> dict[str, Any]:
    """Return what the core needs to know of the sampler of an HMM."""
    return {
        "burn_in": config.burn_in,
        "samples": config.samples,
        "lag": config.lag,
        "sampler": config.sampler,
        "blocks": config.blocks,
        "seed": config.seed,
        "fertility": config.fertility,
        "em_share": config.em_share,
    }


def jsonable(value: Any) -> Any:
    """Return a setting as JSON has it: infinity is the text "inf"."""
    return "inf" if value == math.inf else value


def config_of(saved: Any) -> AlignConfig:
    """Return the settings of a model; one that is not there has its default, which is what was done before it came."""
    if not isinstance(saved, dict):
        raise ConfigError(name="config", expected="a dictionary", found=repr(saved))
    config = AlignConfig().replace(**{name: math.inf if value == "inf" else value for name, value in saved.items()})
    if config.model != "hmm":
        raise ConfigError(name="model", expected="hmm", found=repr(config.model))
    return config


def folding_of(saved: Any) -> Folding | None:
    """Return how the words of a model were folded; None when nobody knows."""
    if saved is None:
        return None
    types = {"lowercase": bool, "stem_source": int, "stem_target": int}
    if not isinstance(saved, dict) or {name: type(value) for name, value in saved.items()} != types:
        raise ConfigError(name="folding", expected=f"a dictionary of {', '.join(types)}", found=repr(saved))
    return Folding(**saved)
