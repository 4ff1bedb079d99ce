"""What the two directions of an aligner say, and one set of links of both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from plait import _core
from plait.alignments import Alignments
from plait.combine import average
from plait.errors import ConfigError
from plait.presets import AlignConfig
from plait.symmetrize import symmetrize


@dataclass(frozen=True)
class Directions:
    """What both directions say about a text.

    Attributes
    ----------
    forward, reverse
        Links of P(target | source), at most one for each target word, and of P(source | target), at
        most one for each source word; both written
        source-target, with the posterior probability of each link.
    forward_posteriors, reverse_posteriors
        All links with a posterior of at least 0.01; None when they were not asked for.
    """

    forward: Alignments
    reverse: Alignments
    forward_posteriors: Alignments | None
    reverse_posteriors: Alignments | None

    @classmethod
    def _from_core(cls, forward: _core.Readout, reverse: _core.Readout) -> Directions:
        def wrap(arrays: Any) -> Alignments | None:
            return None if arrays is None else Alignments._from_core(arrays)

        return cls(
            forward=Alignments._from_core(forward[0]),
            reverse=Alignments._from_core(reverse[0]),
            forward_posteriors=wrap(forward[1]),
            reverse_posteriors=wrap(reverse[1]),
        )

    def symmetrized(self, config: AlignConfig, *, threads: int | None = None) -> Alignments:
        """Return one set of links by the configured method.

        Each link has the mean of its posteriors in both directions; by a heuristic without posteriors, none.
        """
        posteriors = self.forward_posteriors, self.reverse_posteriors
        if config.symmetrize == "soft":
            if posteriors[0] is None or posteriors[1] is None:
                raise ConfigError("soft symmetrisation needs posteriors: fit with posteriors=True")
            return symmetrize(posteriors[0], posteriors[1], "soft", threshold=config.threshold, threads=threads)
        links = symmetrize(self.forward, self.reverse, config.symmetrize, threads=threads)
        if posteriors[0] is None or posteriors[1] is None:
            # What is the best link of one direction may have any posterior in the other: none beats a wrong one.
            return Alignments(links.links, links.offsets)
        return _with_means(links, average([posteriors[0], posteriors[1]], threshold=0.0, threads=threads))


def _with_means(links: Alignments, means: Alignments) -> Alignments:
    """Return the links with their probabilities in ``means``; 0 for a link that is not there."""

    def keys(alignments: Alignments) -> npt.NDArray[np.int64]:
        # Positions are below 2^16; 2^31 pairs are more than memory holds. Keys rise, as links are sorted.
        positions = alignments.links.astype(np.int64)
        return (alignments.sentences << 32) | (positions[:, 0] << 16) | positions[:, 1]

    if means.probabilities is None or not len(means.links):
        return Alignments(links.links, links.offsets, np.zeros(len(links.links), dtype=np.float32))
    known, wanted = keys(means), keys(links)
    at = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    # A link that was drawn against all odds may have a posterior that rounds to 0, which `average` leaves out.
    probabilities = np.where(known[at] == wanted, means.probabilities[at], np.float32(0))
    return Alignments(links.links, links.offsets, probabilities)
