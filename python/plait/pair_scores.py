"""How well an aligner explains sentence pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Scores:
    """How well a model explains each pair of a text.

    Attributes
    ----------
    forward : float64[n]
        ln P(target | source), nats, at most 0; NaN for a pair that is not usable, or that no alignment can explain.
    reverse : float64[n]
        ln P(source | target), in the same way.
    source_lengths, target_lengths : uint32[n]
        Tokens of both sides.
    """

    forward: npt.NDArray[np.float64]
    reverse: npt.NDArray[np.float64]
    source_lengths: npt.NDArray[np.uint32]
    target_lengths: npt.NDArray[np.uint32]

    @property
    def forward_per_word(self) -> npt.NDArray[np.float64]:
        """`forward` divided by the number of target words: float64[n], nats a word."""
        return self.forward / np.maximum(self.target_lengths, 1)

    @property
    def reverse_per_word(self) -> npt.NDArray[np.float64]:
        """`reverse` divided by the number of source words: float64[n], nats a word."""
        return self.reverse / np.maximum(self.source_lengths, 1)

    @property
    def mean(self) -> npt.NDArray[np.float64]:
        """The mean of both scores per word: float64[n], nats a word; the higher, the better the pair."""
        return 0.5 * (self.forward_per_word + self.reverse_per_word)
