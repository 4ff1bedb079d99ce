"""Links that come one by one with the number of their sentence pair."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from plait.alignments import Alignments
from plait.errors import TextError

__all__ = ["NumberedLinks"]

# The largest sentence number that is believed when nobody says how many sentences there are.
_BELIEVED = 10_000_000
_LARGEST = 2**31


class NumberedLinks:
    """Collects links given as numbers that count from 1; 0 is NULL for a word.

    Parameters
    ----------
    sentences
        Number of sentence pairs; ``None`` for the largest number that occurs.
    """

    def __init__(self, sentences: int | None = None) -> None:
        self.sentences = sentences
        self.null_links = 0
        # Sentence, source, target, all from 0, and whether the link is sure.
        self._links: dict[tuple[int, int, int], bool] = {}
        self._last = 0

    def add(self, fields: Sequence[str], *, is_sure: bool, line: int, text: str) -> None:
        """Add a link.

        Parameters
        ----------
        fields
            Sentence, source word, target word.
        is_sure
            A link that is given as sure and as possible is sure.
        line, text
            Where the link stands, for messages.

        Raises
        ------
        TextError
            A field is not a number in its range.
        """
        limits = (_BELIEVED if self.sentences is None else self.sentences, _LARGEST, _LARGEST)
        names = ("sentence", "source position", "target position")
        numbers: list[int] = []
        start = 0
        for field, limit, name in zip(fields, limits, names, strict=True):
            start = text.find(field, start) + 1
            number = int(field) if field.isascii() and field.isdigit() and len(field) < 20 else -1
            least = 1 if name == "sentence" else 0
            if not least <= number <= limit:
                raise TextError(
                    line=line,
                    column=max(start, 1),
                    problem=f"the {name} must be a whole number from {least} to {limit}" + self._advice(name, number),
                    found=repr(field),
                )
            numbers.append(number)
        n, i, j = numbers
        self._last = max(self._last, n)
        if i == 0 or j == 0:
            self.null_links += 1
            return
        link = (n - 1, i - 1, j - 1)
        self._links[link] = is_sure or self._links.get(link, False)

    def _advice(self, name: str, number: int) -> str:
        if name != "sentence" or number < 1:
            return ""
        if self.sentences is None:
            return "; if there are that many sentences, say how many"
        return "; check that the gold standard belongs to this text"

    def alignments(self) -> tuple[Alignments, Alignments]:
        """Return the sure links, and all links."""
        pairs = self._last if self.sentences is None else self.sentences
        links = sorted(self._links)
        rows = np.array(links, dtype=np.int64).reshape(-1, 3)
        is_sure = np.array([self._links[link] for link in links], dtype=np.bool_)
        return _alignments(rows[is_sure], pairs), _alignments(rows, pairs)


def _alignments(rows: npt.NDArray[np.int64], pairs: int) -> Alignments:
    """Return sorted rows of sentence, source and target as alignments."""
    counts = np.bincount(rows[:, 0], minlength=pairs)
    return Alignments(rows[:, 1:], np.concatenate([[0], np.cumsum(counts)]))
