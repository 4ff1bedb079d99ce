"""What a word may become."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import NamedTuple

__all__ = ["Candidate", "CandidateLists"]

# A notebook shows so many words, and candidates of each.
_WORDS_SHOWN = 20
_CANDIDATES_SHOWN = 5


class Candidate(NamedTuple):
    """A target word.

    Attributes
    ----------
    target
        The word; phones are separated by spaces.
    probability
        Its probability given the source word, from 0 to 1.
    """

    target: str
    probability: float


class CandidateLists(list[list[Candidate]]):
    """A list with the candidates of each word, the best first; notebooks draw it with bars of probability.

    Parameters
    ----------
    words
        The source words.
    lists
        The candidates of each.

    Attributes
    ----------
    words : list of str
        The source words.
    """

    def __init__(self, words: Sequence[str], lists: Iterable[list[Candidate]]) -> None:
        super().__init__(lists)
        self.words = list(words)

    def _repr_html_(self) -> str:
        """Return a table for notebooks: a row for each candidate, with a bar as long as it is probable."""
        rows = []
        for word, candidates in zip(self.words[:_WORDS_SHOWN], self, strict=False):
            head = html.escape(word)
            for target, probability in candidates[:_CANDIDATES_SHOWN]:
                bar = f'<div style="background:steelblue;height:0.8em;width:{8 * probability:.2f}em"></div>'
                rows.append(
                    f"<tr><th>{head}</th><td>{html.escape(target)}</td><td>{probability:.3f}</td><td>{bar}</td></tr>"
                )
                head = ""
        more = f"<div>… {len(self) - _WORDS_SHOWN:,} more words</div>" if len(self) > _WORDS_SHOWN else ""
        return f"<div><table>{''.join(rows)}</table>{more}</div>"
