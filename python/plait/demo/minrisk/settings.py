"""How large the experiment is."""

from __future__ import annotations

from dataclasses import dataclass, fields

from plait.demo.corpus import Pair
from plait.errors import ConfigError

__all__ = ["Settings"]


@dataclass(frozen=True)
class Settings:
    """Sizes and seeds of the experiment; frozen.

    Attributes
    ----------
    pair : {"en-de", "en-es"}
        The languages.
    seeds : tuple of int
        The experiment is made once for each, with a corpus of its own.
    training : int
        Sentence pairs that a system learns from.
    sentences : int
        Those that weights are tuned on.
    test : int
        Those that they are tested on.
    large : int
        Forests of training sentences, at most, for the weights of many features.
    nbest : int
        The length of the lists that are drawn from forests.
    rounds : int
        How many times lists are drawn, at most: under the weights of the last training, and added to those before.
    minimum : int
        Word pairs and words that are features stand so often in the references of the large forests, at least.
    iterations : int
        The most iterations of the optimiser: for training without annealing and its last stage; a tenth of them for
        each other stage.
    resamples : int
        Of the sentences, for p-values.
    edges : int
        The most edges of a forest.
    """

    pair: Pair = "en-de"
    seeds: tuple[int, ...] = (1, 2, 3)
    training: int = 4000
    sentences: int = 300
    test: int = 800
    large: int = 2000
    nbest: int = 100
    rounds: int = 4
    minimum: int = 3
    iterations: int = 100
    resamples: int = 1000
    edges: int = 500

    def __post_init__(self) -> None:
        if not self.seeds or len(set(self.seeds)) < len(self.seeds):
            raise ConfigError(name="seeds", expected="different ones, at least one", found=self.seeds)
        for name in (field.name for field in fields(self) if field.name not in ("pair", "seeds")):
            if getattr(self, name) < 1:
                raise ConfigError(name=name, expected="at least 1", found=getattr(self, name))
