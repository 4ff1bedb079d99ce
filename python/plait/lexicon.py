r"""Bilingual lexicons: how often each source word is linked to each target word, and what follows from it.

Tables of text come in four formats. Here *f* is the source and *e* the target, as in Moses.

moses
    Two files with a line for each pair of words, NULL included, as ``train-model.perl`` writes them. ``lex.f2e`` holds
    ``e f p(e|f)``, ``lex.e2f`` holds ``f e p(f|e)``, with seven digits. A word ``NULL`` of the text and the missing
    word are one, as there.
marian
    A lexical shortlist, as ``extract_lex`` writes it: ``target source p(target|source)``, with seven digits, in
    single precision. In the reverse direction it is ``source target p(source|target)``. Lines with NULL are left out;
    Marian skips them.
tsv
    A header, and ``source target count forward reverse`` with tabs between: the count, P(target | source) and
    P(source | target). An empty word is NULL.
jsonl
    The same as objects with these five names; ``null`` is NULL.

TSV and JSON Lines are read as they were written, but for words without entries. Single numbers keep all digits that
single precision has. A file of Moses or Marian (formats "moses-f2e", "moses-e2f", "marian") holds one direction: each
word that is translated counts 1, so that probabilities in this direction are those of the file, and those in the other
follow from words that are equally frequent.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from plait import models
from plait.alignments import Alignments
from plait.bitext import Bitext
from plait.errors import DataError, ModelFileError
from plait.io import lexical_tables
from plait.io.streams import Path, display_name
from plait.lexicon_arrays import Direction, check, check_totals, probable, ratio
from plait.lexicon_lookup import Lookup, Translation
from plait.link_counts import link_counts, summed_pairs

__all__ = ["KIND", "Lexicon", "Translation", "of_model"]

KIND = "lexicon"
"""The kind of a model file that holds a lexicon and nothing else."""


@dataclass(frozen=True, eq=False)
class Lexicon:
    r"""Counts of links between source and target words, sparse, by source word.

    With ``S`` source and ``T`` target words, row ``S`` is NULL as a source (target words without a link), and id ``T``
    is NULL as a target. Frozen: the arrays cannot be written to.

    Parameters
    ----------
    source_vocabulary, target_vocabulary
        The words by id.
    offsets : uint64[S + 2]
        Source word ``e`` has the entries from ``offsets[e]`` to ``offsets[e + 1]``.
    targets : uint32[n]
        The target word of each entry, rising within a row.
    counts : float32[n]
        The number of links of each entry, or its expectation.
    source_totals : float64[S + 1], optional
        The links of each source word, those of entries that were pruned included; by default the sums of the rows.
    target_totals : float64[T + 1], optional
        The same for target words.

    Raises
    ------
    plait.errors.DataError
        The arrays are not those of a lexicon; the message says which and why.

    Examples
    --------
    >>> import plait
    >>> from plait.lexicon import Lexicon
    >>> text = plait.Bitext.from_lists(["the house", "the book"], ["das Haus", "das Buch"])
    >>> links = plait.Alignments.from_lists([[(0, 0), (1, 1)], [(0, 0)]])
    >>> lexicon = Lexicon.from_links(text, links)
    >>> lexicon.translations("the")
    [Translation(word='das', probability=1.0, links=2.0)]
    >>> lexicon.translations("Buch", reverse=True)
    [Translation(word=None, probability=1.0, links=1.0)]
    """

    source_vocabulary: Sequence[str]
    target_vocabulary: Sequence[str]
    offsets: npt.NDArray[np.uint64]
    targets: npt.NDArray[np.uint32]
    counts: npt.NDArray[np.float32]
    source_totals: npt.NDArray[np.float64] = None  # type: ignore[assignment]
    target_totals: npt.NDArray[np.float64] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        """Check the arrays, and sum up the totals that were not given."""
        check(self)
        weights = self.counts.astype(np.float64)
        if self.source_totals is None:
            totals = np.bincount(self.sources, weights, minlength=len(self.source_vocabulary) + 1)
            object.__setattr__(self, "source_totals", totals.astype(np.float64))
        if self.target_totals is None:
            totals = np.bincount(self.targets, weights, minlength=len(self.target_vocabulary) + 1)
            object.__setattr__(self, "target_totals", totals.astype(np.float64))
        check_totals(self.source_totals, len(self.source_vocabulary), "source_totals")
        check_totals(self.target_totals, len(self.target_vocabulary), "target_totals")
        for name in ("offsets", "targets", "counts", "source_totals", "target_totals"):
            # A view, so that the caller's own array stays as it is.
            array = getattr(self, name).view()
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    def __repr__(self) -> str:
        return (
            f"<Lexicon of {len(self.source_vocabulary)} source and {len(self.target_vocabulary)} target words: "
            f"{len(self)} entries>"
        )

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self.targets)

    @property
    def sources(self) -> npt.NDArray[np.uint32]:
        """The source word of each entry: uint32[n], a new array at each access."""
        offsets = self.offsets.astype(np.int64)
        return np.repeat(np.arange(len(offsets) - 1, dtype=np.uint32), offsets[1:] - offsets[:-1])

    def forward(self) -> npt.NDArray[np.float64]:
        """Return P(target | source) of each entry: float64[n]; 0 for a word without links."""
        return ratio(self.counts, self.source_totals[self.sources])

    def reverse(self) -> npt.NDArray[np.float64]:
        """Return P(source | target) of each entry: float64[n]; 0 for a word without links."""
        return ratio(self.counts, self.target_totals[self.targets])

    @classmethod
    def from_links(
        cls,
        bitext: Bitext,
        alignments: Alignments,
        *,
        weighted: bool = False,
        sentence_weights: npt.ArrayLike | None = None,
    ) -> Lexicon:
        """Count the links of a corpus, as Moses and Marian do for their lexical tables.

        Parameters
        ----------
        bitext
            The text that was aligned, with words folded or not. Pairs that take no part in training are left out.
        alignments
            Its links, as a rule symmetrised.
        weighted
            Let each link count as much as its probability, instead of 1.
        sentence_weights : float64[m], optional
            What all that is counted in each sentence pair is multiplied by (Moses' instance weights); 1 by default.

        Returns
        -------
        Lexicon
            A word without a link counts 1 as a translation of NULL, or into NULL. With ``weighted``, it counts 1 minus
            the probabilities of its links, if that is above the noise of rounding (1e-5).

        Raises
        ------
        plait.errors.UnequalLengthError
            The text and the links have different numbers of pairs.
        plait.errors.DataError
            Links lie outside of their sentences.
        plait.errors.ConfigError
            The links have no probabilities, and ``weighted`` is set; ``sentence_weights`` has another length, or a
            number that is negative or not finite.

        Notes
        -----
        O(n log n) time in the number of links, and about 40 bytes of memory for each.
        """
        entries = link_counts(bitext, alignments, weighted=weighted, sentence_weights=sentence_weights)
        return cls._from_entries(bitext.source_vocabulary, bitext.target_vocabulary, *entries)

    @classmethod
    def _from_entries(
        cls,
        source_vocabulary: Sequence[str],
        target_vocabulary: Sequence[str],
        sources: npt.NDArray[np.integer],
        targets: npt.NDArray[np.integer],
        counts: npt.NDArray[np.float64],
    ) -> Lexicon:
        """Return the lexicon of entries in any order; those of the same words are added."""
        rows, columns, sums = summed_pairs(sources, targets, counts)
        return cls(
            source_vocabulary,
            target_vocabulary,
            np.searchsorted(rows, np.arange(len(source_vocabulary) + 2)).astype(np.uint64),
            columns.astype(np.uint32),
            sums.astype(np.float32),
        )

    def translations(
        self, word: str | None, *, reverse: bool = False, top: int | None = 10, threshold: float = 0.0
    ) -> list[Translation]:
        """Return the translations of a word, the most probable first.

        Parameters
        ----------
        word
            A source word, folded as the words of the lexicon are; None for NULL.
        reverse
            Take a target word and return source words.
        top
            At most so many; None for all.
        threshold
            Only those that are at least so probable.

        Returns
        -------
        list of Translation
            Empty when the word is not in the lexicon. Of equally probable translations the one with the smaller id, as
            a rule the more frequent word, comes first.
        """
        return self._lookup.translations(word, reverse=reverse, top=top, threshold=threshold)

    @functools.cached_property
    def _lookup(self) -> Lookup:
        return Lookup(self)

    def pruned(self, threshold: float = 0.0, *, top: int | None = None, direction: Direction = "either") -> Lexicon:
        """Return the lexicon with its probable entries only.

        Parameters
        ----------
        threshold
            The least probability of an entry that stays.
        top
            So many entries of each word stay at most, the most probable ones; None for all.
        direction
            Which probability counts: "forward" P(target | source), "reverse" P(source | target), or "either", where an
            entry stays that would stay by one of the two.

        Returns
        -------
        Lexicon
            With the totals of all entries: probabilities do not change, and those of a word may sum to less than 1.

        Raises
        ------
        plait.errors.ConfigError
            The threshold is not from 0 to 1, ``top`` is below 1, or there is no such direction.
        """
        stays = probable(self, threshold, top, direction)
        before = np.concatenate([[0], np.cumsum(stays)])
        return Lexicon(
            self.source_vocabulary,
            self.target_vocabulary,
            before[self.offsets.astype(np.int64)].astype(np.uint64),
            self.targets[stays],
            self.counts[stays],
            self.source_totals,
            self.target_totals,
        )

    @classmethod
    def read(cls, path: Path, format: lexical_tables.ReadFormat = "tsv") -> Lexicon:
        """Read a lexicon from a table; see `plait.lexicon` for the formats and what they lose.

        Raises
        ------
        plait.errors.TextError
            A line is none of such a table; the message names the file, line and column.
        plait.errors.ConfigError
            There is no such format.
        """
        table = lexical_tables.read(path, format)
        lexicon = cls._from_entries(
            table.source_vocabulary, table.target_vocabulary, table.sources, table.targets, table.counts
        )
        if table.forward is None or table.reverse is None:
            return lexicon
        return cls(
            lexicon.source_vocabulary,
            lexicon.target_vocabulary,
            lexicon.offsets,
            lexicon.targets,
            lexicon.counts,
            lexical_tables.totals(lexicon.source_totals, table.sources, table.counts, table.forward),
            lexical_tables.totals(lexicon.target_totals, table.targets, table.counts, table.reverse),
        )

    def write(
        self,
        path: Path,
        format: lexical_tables.WriteFormat = "tsv",
        *,
        reverse: bool = False,
        force: bool = False,
        threads: int | None = None,
    ) -> None:
        """Write the lexicon as a table, whole or not at all.

        Parameters
        ----------
        path
            The file; "-" for standard output. A suffix ``.gz``, ``.bz2``, ``.xz`` or ``.zst`` compresses. For "moses"
            the start of the names of both files: ``lex`` stands for ``lex.e2f`` and ``lex.f2e``, and ``lex.gz`` for
            ``lex.e2f.gz`` and ``lex.f2e.gz``.
        format
            "tsv" or "jsonl" with counts and probabilities, "moses" or "marian"; see `plait.lexicon`.
        reverse
            For "marian", P(source | target) for translating from target to source.
        force
            Replace files that exist.
        threads
            Number of threads; None for all that may be used.

        Raises
        ------
        plait.errors.ConfigError
            A file exists and ``force`` is not set; there is no such format.
        plait.errors.ResourceError
            The disk is full; what stood there before still does.
        """
        lexical_tables.write(self, path, format, reverse=reverse, force=force, threads=threads)

    def save(self, path: Path, *, force: bool = False) -> None:
        """Save the lexicon as a model file, which loads at once and loses nothing."""
        source, target = models.pack_words(self.source_vocabulary), models.pack_words(self.target_vocabulary)
        arrays: dict[str, npt.NDArray[Any]] = {
            "source_words": source[0],
            "source_word_offsets": source[1],
            "target_words": target[0],
            "target_word_offsets": target[1],
            "offsets": self.offsets,
            "targets": self.targets,
            "counts": self.counts,
            "source_totals": self.source_totals,
            "target_totals": self.target_totals,
        }
        models.save(path, KIND, arrays, {}, force=force)

    @classmethod
    def load(cls, path: Path) -> Lexicon:
        """Load a lexicon that `save` has written.

        Raises
        ------
        plait.errors.ModelFileError
            The file is damaged, of a newer format, or holds something else.
        """
        return cls._of_file(models.load(path, KIND), display_name(path))

    @classmethod
    def _of_file(cls, file: models.ModelFile, name: str) -> Lexicon:
        try:
            words = [
                [word.decode() for word in models.unpack_words(file.array(blob, np.uint8), file.array(ends, np.uint64))]
                for blob, ends in (("source_words", "source_word_offsets"), ("target_words", "target_word_offsets"))
            ]
            return cls(
                words[0],
                words[1],
                file.array("offsets", np.uint64),
                file.array("targets", np.uint32),
                file.array("counts", np.float32),
                file.array("source_totals", np.float64),
                file.array("target_totals", np.float64),
            )
        except ModelFileError as problem:
            raise ModelFileError(f"{name}: {problem}") from None
        except (DataError, UnicodeDecodeError) as problem:
            raise ModelFileError(f"{name}: {problem}; make the model again") from None


def of_model(path: Path) -> Lexicon:
    """Return the lexicon of a model file: of one that holds just that, or of a trained aligner.

    Raises
    ------
    plait.errors.ModelFileError
        The file is no model file, damaged, or of a kind that has no lexicon.
    """
    file, name = models.load(path), display_name(path)
    if file.kind == KIND:
        return Lexicon._of_file(file, name)
    # An aligner has a lexicon, so its module needs this one.
    from plait import aligner

    if file.kind == aligner.KIND:
        return aligner.of_file(file, name).lexicon()
    raise ModelFileError(
        f"{name}: a model with a lexicon is needed; found one of kind {file.kind!r}; give a model of plait "
        "align --save or plait lexicon --save"
    )
