"""Ranges of the settings of the aligner, checked before any work."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

from plait._core import MAX_CLASSES
from plait.errors import ConfigError

if TYPE_CHECKING:
    from plait.presets import AlignConfig

__all__ = ["MAX_SEED", "check_ranges"]

MAX_SEED = 2**64 - 1
MAX_SAMPLES = 65_535
MAX_PREFIXES = 15

_WHOLE_NUMBERS = {"iterations": 0, "warm_up": 0, "burn_in": 0, "samples": 1, "lag": 1, "blocks": 0}
_SHARES = ("smoothing", "leave_out", "null_mixture", "em_share", "threshold")


def check_ranges(config: AlignConfig) -> None:
    """Refuse numbers out of range, also those of options that have no effect with the others.

    Raises
    ------
    ConfigError
        The message names the option, its range, and what was found.
    """
    for name, least in _WHOLE_NUMBERS.items():
        most = MAX_SAMPLES if name == "samples" else 2**32 - 1
        _whole_number(name, getattr(config, name), least, most, str(most))
    if config.inference != "gibbs" and not (config.iterations or (config.model == "hmm" and config.warm_up)):
        raise ConfigError(name="iterations", expected="at least 1", found="0")
    _whole_number("classes", config.classes, 0, MAX_CLASSES, str(MAX_CLASSES))
    _whole_number("seed", config.seed, 0, MAX_SEED, "2^64 - 1")
    for name in _SHARES:
        _share(name, getattr(config, name))
    reals = {
        "theta": (0 < config.theta < math.inf, "finite and above 0"),
        "phi": (0 < config.phi < math.inf, "finite and above 0"),
        "p0": (config.p0 is None or 0 < config.p0 < 1, "above 0 and below 1"),
        "tau": (config.tau >= 0, "0 or more; inf for jumps that depend on no word"),
        "class_tau": (0 <= config.class_tau < math.inf, "finite and not negative"),
        "initial_decay": (0 <= config.initial_decay < math.inf, "finite and not negative"),
        "fertility": (0 <= config.fertility < math.inf, "finite and not negative"),
        "variety": (0 <= config.variety < math.inf, "finite and not negative"),
    }
    for name, (is_good, expected) in reals.items():
        if not is_good:
            raise ConfigError(name=name, expected=expected, found=repr(getattr(config, name)))
    _check_prefixes(config.prefixes)
    _check_strength(config.strength, len(config.prefixes) + 1)
    if len(config.beams) != 2:
        raise ConfigError(name="beams", expected="two numbers", found=repr(config.beams))
    for beam in config.beams:
        _share("beams", beam)


def _whole_number(name: str, value: object, least: int, most: int, most_in_words: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ConfigError(name=name, expected=f"a whole number from {least} to {most_in_words}", found=repr(value))


def _share(name: str, value: float) -> None:
    if not 0 <= value <= 1:
        raise ConfigError(name=name, expected="from 0 to 1", found=repr(value))


def _check_prefixes(prefixes: tuple[int, ...]) -> None:
    for length in prefixes:
        _whole_number("prefixes", length, 1, 2**32 - 1, str(2**32 - 1))
    falls = all(longer > shorter for longer, shorter in itertools.pairwise(prefixes))
    if not falls or len(prefixes) > MAX_PREFIXES:
        raise ConfigError(name="prefixes", expected=f"at most {MAX_PREFIXES} lengths that fall", found=repr(prefixes))


def _check_strength(strength: tuple[float, ...], levels: int) -> None:
    if len(strength) not in (1, levels):
        expected = "1 number" if levels == 1 else f"1 number or {levels}, one more than prefixes"
        raise ConfigError(name="strength", expected=expected, found=repr(strength))
    if not all(0 <= pseudo_count < math.inf for pseudo_count in strength):
        raise ConfigError(name="strength", expected="finite and not negative", found=repr(strength))
