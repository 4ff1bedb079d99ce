r"""Translation probabilities in the form of fast_align's parameter file.

A line holds a word of the side that is given, a word of the side that is predicted and the natural logarithm of
t(predicted | given), separated by tabs; the given word of NULL is written ``<eps>``.
"""

from __future__ import annotations

import functools
import math
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plait.alignments import Alignments, ByteSink
from plait.bitext import Bitext
from plait.errors import TextError
from plait.io.streams import display_name, open_input

__all__ = ["NULL", "TranslationTable"]

NULL = "<eps>"
"""How NULL is written."""

_ROWS_PER_WRITE = 65_536


@dataclass(frozen=True, eq=False)
class TranslationTable:
    """t(predicted | given) of pairs of words; pairs that are not in it have no probability of their own.

    Attributes
    ----------
    given_words, predicted_words
        Words by id. NULL is a given word with the name `NULL`.
    given, predicted : int64 array, shape (n,)
        Ids of each entry, sorted by given, then predicted word, without repeats.
    logs : float64 array, shape (n,)
        Natural logarithms of the probabilities.
    """

    given_words: Sequence[str]
    predicted_words: Sequence[str]
    given: npt.NDArray[np.int64]
    predicted: npt.NDArray[np.int64]
    logs: npt.NDArray[np.float64]

    @classmethod
    def from_posteriors(cls, bitext: Bitext, links: Alignments, *, reverse: bool = False) -> TranslationTable:
        """Estimate t(target | source) from the links of a text, weighted by their probabilities.

        Parameters
        ----------
        bitext
            The text.
        links
            Links of P(target | source), with or without probabilities (1 each). What the links of a target word lack
            to 1 is a link to NULL.
        reverse
            Estimate t(source | target) from links of P(source | target).

        Returns
        -------
        TranslationTable

        Raises
        ------
        plait.errors.DataError, plait.errors.UnequalLengthError
            The links do not fit the text.

        Notes
        -----
        O(n log n) time in links and tokens: t(f | e) = c(e, f) / sum over f' of c(e, f'), with expected counts c.
        Pairs that are not usable have no links and no part in it.
        """
        links.check_within(bitext.source_lengths, bitext.target_lengths)
        weights = np.ones(len(links.links)) if links.probabilities is None else links.probabilities.astype(np.float64)
        sides = [
            (bitext.source_ids, bitext.source_offsets, bitext.source_vocabulary, links.links[:, 0]),
            (bitext.target_ids, bitext.target_offsets, bitext.target_vocabulary, links.links[:, 1]),
        ]
        (given_ids, given_offsets, given_words, given), (ids, offsets, words, predicted) = sides[
            :: -1 if reverse else 1
        ]
        pairs = links.sentences
        given_tokens = given_offsets.astype(np.int64)[pairs] + given
        tokens = offsets.astype(np.int64)[pairs] + predicted
        lengths = (bitext.source_lengths if reverse else bitext.target_lengths).astype(np.int64)
        rest = np.where(np.repeat(bitext.usable, lengths), 1.0, 0.0)
        rest -= np.bincount(tokens, weights=weights, minlength=len(ids))
        unlinked = np.flatnonzero(rest > 0)
        size = max(len(words), 1)
        null = len(given_words)
        keys = np.concatenate(
            [
                given_ids[given_tokens].astype(np.int64) * size + ids[tokens],
                null * size + ids[unlinked].astype(np.int64),
            ]
        )
        entries, at = np.unique(keys, return_inverse=True)
        counts = np.bincount(at, weights=np.concatenate([weights, rest[unlinked]]), minlength=len(entries))
        is_there = counts > 0
        entries, counts = entries[is_there], counts[is_there]
        rows = entries // size
        totals = np.bincount(rows, weights=counts, minlength=null + 1)
        return cls((*given_words, NULL), words, rows, entries % size, np.log(counts / totals[rows]))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> TranslationTable:
        """Read a parameter file of fast_align; compressed files are recognised by content.

        Of repeated entries the last one counts.

        Raises
        ------
        TextError
            A line is not made of two words and a number of at most 0; the message names the file and the line.
        """
        given_words: dict[str, int] = {}
        predicted_words: dict[str, int] = {}
        entries: dict[tuple[int, int], float] = {}
        with open_input(path) as stream:
            for number, raw in enumerate(stream, start=1):
                given, predicted, log = _entry(raw, number, display_name(path))
                e = given_words.setdefault(given, len(given_words))
                f = predicted_words.setdefault(predicted, len(predicted_words))
                entries[e, f] = log
        order = sorted(entries)
        ids = np.array(order, dtype=np.int64).reshape(-1, 2)
        logs = np.array([entries[entry] for entry in order], dtype=np.float64)
        return cls(tuple(given_words), tuple(predicted_words), ids[:, 0], ids[:, 1], logs)

    def write_to(self, out: ByteSink, *, beam: float = -math.inf) -> None:
        """Write a parameter file to an open output, six significant digits each.

        Parameters
        ----------
        out
            Takes the bytes.
        beam
            Leave out entries whose logarithm is below that of their row's best by more than this, a negative number.

        Notes
        -----
        DEVIATION: fast_align keeps entries from 4 log(best) on, so that a word with one likely translation loses all
        others; here the beam is a ratio to the best of each row.
        """
        best = np.full(len(self.given_words), -np.inf)
        np.maximum.at(best, self.given, self.logs)
        kept = np.flatnonzero(self.logs >= best[self.given] + beam)
        for lines in self._lines(kept):
            out.write(lines.encode())

    def _lines(self, rows: npt.NDArray[np.int64]) -> Iterator[str]:
        for start in range(0, len(rows), _ROWS_PER_WRITE):
            part = rows[start : start + _ROWS_PER_WRITE]
            columns = self.given[part].tolist(), self.predicted[part].tolist(), self.logs[part].tolist()
            yield "".join(
                f"{self.given_words[e]}\t{self.predicted_words[f]}\t{log:g}\n"
                for e, f, log in zip(*columns, strict=True)
            )

    @functools.cached_property
    def given_ids(self) -> dict[str, int]:
        """The id of each given word."""
        return {word: n for n, word in enumerate(self.given_words)}

    @functools.cached_property
    def predicted_ids(self) -> dict[str, int]:
        """The id of each predicted word."""
        return {word: n for n, word in enumerate(self.predicted_words)}

    @functools.cached_property
    def _keys(self) -> npt.NDArray[np.int64]:
        return self.given * max(len(self.predicted_words), 1) + self.predicted

    @functools.cached_property
    def _probabilities(self) -> npt.NDArray[np.float64]:
        return np.exp(self.logs)

    def lookup(
        self, given: npt.NDArray[np.int64], predicted: npt.NDArray[np.int64], floor: float
    ) -> npt.NDArray[np.float64]:
        """Return the probabilities of pairs of ids; ``floor`` for a pair that is not there or an id of -1."""
        if not len(self.logs):
            return np.full(len(given), floor)
        wanted = given * max(len(self.predicted_words), 1) + predicted
        at = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
        is_known = (self._keys[at] == wanted) & (given >= 0) & (predicted >= 0)
        return np.where(is_known, self._probabilities[at], floor)


def _entry(raw: bytes, number: int, name: str) -> tuple[str, str, float]:
    """Return the words and the logarithm of a line."""
    # Not split(): other white space belongs to words.
    fields = re.split(rb"[ \t]+", raw.strip(b" \t\r\n"))
    try:
        given, predicted, log = (field.decode() for field in fields)
        value = float(log)
    except (ValueError, UnicodeDecodeError):
        value = math.nan
    if not value <= 0:
        shown = raw[:40].decode(errors="backslashreplace").rstrip("\n")
        raise TextError(
            line=number,
            column=1,
            problem="expected two words and the logarithm of a probability; check that it is a file of fast_align -p",
            found=repr(shown),
            path=name,
        )
    return given, predicted, value
