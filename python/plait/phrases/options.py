"""What a phrase table holds: the options of `score_files` and `consolidate_files` in one place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from plait.errors import ConfigError
from plait.io.streams import open_input
from plait.phrases.files import Compat, PathLike

__all__ = [
    "DOMAIN_FEATURES",
    "KINDS",
    "SCALES",
    "SMOOTHINGS",
    "DomainFeature",
    "Kind",
    "Scale",
    "Smoothing",
    "TableOptions",
    "check_choices",
    "read_bytes",
    "read_words",
]

Kind = Literal["both", "direct", "inverse"]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""The whole table, or one half of it as Moses' ``score`` writes it."""

Smoothing = Literal["none", "good-turing", "kneser-ney"]
SMOOTHINGS: tuple[Smoothing, ...] = get_args(Smoothing)
"""How relative frequencies are smoothed."""

Scale = Literal["plain", "log", "neg-log"]
SCALES: tuple[Scale, ...] = get_args(Scale)
"""How scores are written: as they are, as natural logarithms, or as their negations."""

DomainFeature = Literal["indicator", "ratio", "subset"]
DOMAIN_FEATURES: tuple[DomainFeature, ...] = get_args(DomainFeature)
"""What is said of the domains of a phrase pair."""


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """The options of a phrase table as the core takes them, with files read; see `score_files` for what each means."""

    kind: Kind = "both"
    smoothing: Smoothing = "none"
    scale: Scale = "plain"
    lexical: bool = True
    links: bool = True
    only_direct: bool = False
    phrase_count: bool = False
    low_count: bool = False
    unaligned: bool = False
    source_function_words: list[bytes] | None = None
    target_function_words: list[bytes] | None = None
    count_bins: tuple[int, ...] = ()
    sparse_count_bins: bool = False
    domains: bytes | None = None
    domain_feature: DomainFeature | None = None
    sparse_domain_feature: DomainFeature | None = None
    sentence_ids: bool = False
    min_count: float = 0.0
    min_inverse: float = 0.0
    min_direct: float = 0.0
    is_sorted: bool = False
    hierarchical: bool = False
    compat: Compat | None = None

    def __post_init__(self) -> None:
        """Check what has names; numbers are checked where they are used."""
        check_choices(kind=(self.kind, KINDS), smoothing=(self.smoothing, SMOOTHINGS), scale=(self.scale, SCALES))
        for name in ("domain_feature", "sparse_domain_feature"):
            value = getattr(self, name)
            if value is not None:
                check_choices(**{name: (value, DOMAIN_FEATURES)})
        if self.compat not in (None, "moses"):
            raise ConfigError(name="compat", expected="moses or nothing", found=repr(self.compat))
        if self.sparse_count_bins and not self.count_bins:
            raise ConfigError("sparse count bins need their bounds: give count_bins, such as 1 2 3 6 10")
        has_feature = self.domain_feature is not None or self.sparse_domain_feature is not None
        if has_feature != (self.domains is not None):
            raise ConfigError("domain features need a file of domains, and the file needs a feature that is made of it")
        if any(bound < 0 for bound in self.count_bins):
            raise ConfigError(name="count_bins", expected="whole numbers that rise from 1", found=self.count_bins)


def check_choices(**given: tuple[str, tuple[str, ...]]) -> None:
    """Refuse a name that is none of its choices.

    Raises
    ------
    ConfigError
        The first that is not.
    """
    for name, (value, choices) in given.items():
        if value not in choices:
            raise ConfigError(name=name, expected=f"one of {', '.join(choices)}", found=repr(value))


def read_bytes(path: PathLike | None) -> bytes | None:
    """Return what a small file holds, decompressed; nothing of no file."""
    if path is None:
        return None
    with open_input(path) as stream:
        return stream.read()


def read_words(path: PathLike | None) -> list[bytes] | None:
    """Return the first token of each line; nothing of no file."""
    if path is None:
        return None
    with open_input(path) as stream:
        lines = (line.split() for line in stream)
        return [tokens[0] for tokens in lines if tokens]
