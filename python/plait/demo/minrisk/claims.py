"""What the paper says of its table, as claims that a run can bear out or not."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from plait.minrisk import BleuComparison

__all__ = ["CLAIMS", "SIGNIFICANT", "Claim", "Finding"]

SIGNIFICANT = 0.05
"""Differences with a smaller p-value are taken for more than chance."""


@dataclass(frozen=True)
class Claim:
    """That one scheme is better than another, or about as good; frozen.

    Attributes
    ----------
    text : str
        The claim, for people.
    scheme, other : str
        Names in `plait.demo.minrisk.SCHEMES`.
    part : {"dev", "test"}
    says : {"better", "equal"}
    """

    text: str
    scheme: str
    other: str
    part: Literal["dev", "test"]
    says: Literal["better", "equal"]


CLAIMS = (
    Claim("MERT beats MR on the dev set (n-best)", "mert-nbest", "mr-nbest", "dev", "better"),
    Claim("MERT beats even MR+DA on forests on the dev set", "mert-nbest", "da-hypergraph", "dev", "better"),
    Claim("MR (n-best) is as good as MERT on the test set", "mr-nbest", "mert-nbest", "test", "equal"),
    Claim("MR on forests beats MERT on the test set", "mr-hypergraph", "mert-nbest", "test", "better"),
    Claim("MR on forests beats MR on n-best lists on the test set", "mr-hypergraph", "mr-nbest", "test", "better"),
    Claim("annealing helps on the dev set (n-best)", "da-nbest", "mr-nbest", "dev", "better"),
    Claim("annealing helps on the dev set (forests)", "da-hypergraph", "mr-hypergraph", "dev", "better"),
    Claim("what annealing gains is gone on the test set", "da-hypergraph", "mr-hypergraph", "test", "equal"),
    Claim("many features beat five on the test set", "mr-large", "da-hypergraph", "test", "better"),
)
"""Li and Eisner (2009), sections 7.4.2 and 7.4.3."""


@dataclass(frozen=True)
class Finding:
    """What a run says of a claim; frozen.

    Attributes
    ----------
    claim : Claim
    comparison : BleuComparison
        Of all sentences of all seeds.
    seeds : int
        In how many the first scheme has the larger BLEU.
    of : int
        The number of seeds.
    """

    claim: Claim
    comparison: BleuComparison
    seeds: int
    of: int

    @property
    def verdict(self) -> Literal["holds", "holds, within chance", "does not hold", "the reverse holds"]:
        """Whether the claim holds: of a difference, and whether it is more than chance."""
        is_significant = self.comparison.p_value < SIGNIFICANT
        if self.claim.says == "equal":
            return "does not hold" if is_significant else "holds"
        if self.comparison.difference > 0:
            return "holds" if is_significant else "holds, within chance"
        return "the reverse holds" if is_significant else "does not hold"

    def as_json(self) -> dict[str, Any]:
        """Return it as values of JSON; BLEU from 0 to 1."""
        found = self.comparison
        return {
            **asdict(self.claim),
            "difference": found.difference,
            "interval": [found.interval.low, found.interval.high],
            "p_value": found.p_value,
            "seeds": self.seeds,
            "of": self.of,
            "verdict": self.verdict,
        }
