"""Why the words of one sentence pair are linked: what `AlignmentModel.explain` returns.

Each link has two directions. In one the source words are given and every target word chooses one of them, or NULL;
in the other the target words are given. A direction is explained by the two factors of an HMM (Vogel et al. 1996,
eq. 3): how well the words translate each other, and how likely the jump to this position is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence, Set
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plait.errors import DataError

__all__ = ["DirectionEvidence", "LinkExplanation", "PairExplanation", "Rival", "explanation_of"]


@dataclass(frozen=True)
class Rival:
    """The best other choice of the generated word of a link.

    Attributes
    ----------
    position
        Given word that it might have chosen, 0-based; None for NULL.
    posterior
        Its posterior probability.
    """

    position: int | None
    posterior: float


@dataclass(frozen=True)
class DirectionEvidence:
    """What one direction of the model says about a link.

    Attributes
    ----------
    posterior
        P(the generated word chooses the given word | pair), from 0 to 1.
    translation
        t(generated word | given word), from 0 to 1.
    backoff
        The share of `translation` that comes from a back-off level rather than from the pair of words itself, 0 to 1.
    backoff_level
        The level that gives most of this share ("prefix 4", "suffix 3", "uniform", ..); "" without back-off.
    jump
        Probability of the jump to the given word, averaged over the posterior of where the chain came from; None for
        models without jumps (IBM Model 1).
    rival
        The best other choice; None when there is none.
    """

    posterior: float
    translation: float
    backoff: float = 0.0
    backoff_level: str = ""
    jump: float | None = None
    rival: Rival | None = None


@dataclass(frozen=True)
class LinkExplanation:
    """A link, or a near miss, with its evidence.

    Attributes
    ----------
    source, target
        Positions, 0-based.
    posterior
        What the read-out compared with its threshold: both directions combined, from 0 to 1.
    tgt_given_src
        The direction in which the target word is generated; its lexical probability is t(f|e).
    src_given_tgt
        The direction in which the source word is generated; its lexical probability is t(e|f).
    is_linked
        Whether the read-out made the link; a near miss is worth an explanation, too.
    """

    source: int
    target: int
    posterior: float
    tgt_given_src: DirectionEvidence
    src_given_tgt: DirectionEvidence
    is_linked: bool = True


@dataclass(frozen=True)
class PairExplanation:
    """The links of one sentence pair with what is behind each.

    `print` shows it as text and a notebook as a grid with a table; `plait.viz.explain` has both.

    Attributes
    ----------
    source, target
        The words of the pair.
    links
        Sorted by source, then target position, without repeats.

    Raises
    ------
    DataError
        A position lies outside of the pair, links are not sorted or repeat, or a probability is not from 0 to 1.

    Examples
    --------
    >>> sure = DirectionEvidence(posterior=0.98, translation=0.41, jump=0.3)
    >>> explanation = PairExplanation(("house",), ("Haus",), (LinkExplanation(0, 0, 0.97, sure, sure),))
    >>> print(explanation)
    house - Haus  0.97
      Haus given house   posterior 0.98  translation 0.41  jump 0.30
      house given Haus   posterior 0.98  translation 0.41  jump 0.30
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    links: tuple[LinkExplanation, ...]

    def __post_init__(self) -> None:
        before = (-1, -1)
        for link in self.links:
            place = (link.source, link.target)
            if not (0 <= link.source < len(self.source) and 0 <= link.target < len(self.target)):
                size = f"{len(self.source)} by {len(self.target)} words"
                raise DataError(f"link {link.source}-{link.target} lies outside of its pair of {size}")
            if place <= before:
                raise DataError(f"links must be sorted and differ; found {place} after {before}")
            before = place
            _check(link, len(self.source), len(self.target))

    def __str__(self) -> str:
        # Drawing is for those who look; `import plait` stays quick.
        from plait.viz.explain import explanation_text

        return str(explanation_text(self))

    def _repr_html_(self) -> str:
        from plait.viz.explain import explanation_html

        return explanation_html(self)


Evidence = tuple[npt.NDArray[np.float32], npt.NDArray[np.float32], npt.NDArray[np.float32] | None]
"""Of one direction, for I source and J target words: posteriors [I, J], what each level adds to the translation
probability [I, J, levels], and jumps [I, J] or None."""


def explanation_of(
    words: tuple[tuple[str, ...], tuple[str, ...]],
    links: Set[tuple[int, int]],
    evidence: Sequence[Evidence],
    *,
    levels: Sequence[str],
    near_miss: float,
) -> PairExplanation:
    """Return the explanation of a pair from the figures of a model.

    Parameters
    ----------
    words
        Source and target words.
    links
        Source and target position of each link.
    evidence
        Of the direction that generates the target, and of the one that generates the source.
    levels
        Names of the levels of the back-off; the first is that of the words themselves.
    near_miss
        The least mean posterior of words that are not linked and still are explained.
    """
    means = np.mean([posteriors for posteriors, _, _ in evidence], axis=0)
    near = {(int(i), int(j)) for i, j in np.argwhere(means >= near_miss)}
    return PairExplanation(
        *words,
        tuple(
            LinkExplanation(
                source=i,
                target=j,
                posterior=_probability(means[i, j]),
                tgt_given_src=_direction(evidence[0], i, j, levels, axis=0),
                src_given_tgt=_direction(evidence[1], i, j, levels, axis=1),
                is_linked=(i, j) in links,
            )
            for i, j in sorted(links | near)
        ),
    )


def _direction(evidence: Evidence, i: int, j: int, levels: Sequence[str], *, axis: int) -> DirectionEvidence:
    """Return the evidence of one cell; the given word is the source word (axis 0) or the target word (axis 1)."""
    posteriors, all_parts, jumps = evidence
    parts = all_parts[i, j].astype(np.float64)
    whole, shorter = parts.sum(), parts[1:].sum()
    choices, chosen = (posteriors[:, j], i) if axis == 0 else (posteriors[i], j)
    return DirectionEvidence(
        posterior=_probability(posteriors[i, j]),
        translation=_probability(whole),
        backoff=_probability(shorter / whole) if whole > 0 else 0.0,
        backoff_level=levels[1 + int(parts[1:].argmax())] if shorter > 0 else "",
        jump=None if jumps is None else _probability(jumps[i, j]),
        rival=_rival(choices.astype(np.float64), chosen),
    )


def _rival(choices: npt.NDArray[np.float64], chosen: int) -> Rival | None:
    """Return the best other choice; NULL has what is left, and loses ties."""
    null = _probability(1 - choices.sum())
    others = choices.copy()
    others[chosen] = -1
    best = int(others.argmax())
    if max(others[best], null) <= 0:
        return None
    return Rival(best, _probability(others[best])) if others[best] >= null else Rival(None, null)


def _probability(value: float) -> float:
    """Return a probability that rounding may have led out of its range."""
    return float(min(max(value, 0.0), 1.0))


def _check(link: LinkExplanation, source_length: int, target_length: int) -> None:
    """Check that every probability of a link is one, and that its rivals are words of the pair."""
    place = f"link {link.source}-{link.target}"
    values: list[tuple[str, float]] = [("posterior", link.posterior)]
    for name, side, given in (
        ("tgt_given_src", link.tgt_given_src, source_length),
        ("src_given_tgt", link.src_given_tgt, target_length),
    ):
        values += [(f"{name}.{part}", getattr(side, part)) for part in ("posterior", "translation", "backoff")]
        if side.jump is not None:
            values.append((f"{name}.jump", side.jump))
        if side.rival is not None:
            values.append((f"{name}.rival.posterior", side.rival.posterior))
            if side.rival.position is not None and not 0 <= side.rival.position < given:
                raise DataError(f"{place}: {name}.rival.position must be from 0 to {given - 1} or None for NULL")
    for name, value in values:
        if math.isnan(value) or not 0 <= value <= 1:
            raise DataError(f"{place}: {name} must be a probability from 0 to 1; found {value}")
