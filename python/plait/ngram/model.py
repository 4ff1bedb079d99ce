"""The model: estimate, score, save."""

from __future__ import annotations

import itertools
import math
import os
import warnings
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from plait import _core, models
from plait.errors import ConfigError, DataError, NgramWarning, TextError
from plait.io.atomic import OutputFile
from plait.io.stored import from_a_file
from plait.io.streams import Path, display_name, read_blocks
from plait.ngram import files
from plait.ngram.perplexity import Perplexity
from plait.progress import Callback
from plait.threads import resolve_threads

__all__ = ["NgramModel", "OrderReport", "Sentences"]

Sentences = str | os.PathLike[str] | Iterable[Sequence[str]]
"""The name of a file with a sentence a line, "-" for standard input; or sentences as sequences of tokens."""


class OrderReport(NamedTuple):
    """What was found in the n-grams of one length.

    Attributes
    ----------
    ngrams
        Different n-grams of the text, those that were pruned among them.
    counts_of_counts
        How many of them have an adjusted count of 1, 2, 3 and 4.
    discounts
        What was taken from counts of 1, of 2, and of 3 and more.
    fallback
        Why these are not those of the counts, or None.
    """

    ngrams: int
    counts_of_counts: tuple[int, ...]
    discounts: tuple[float, ...]
    fallback: str | None


class NgramModel:
    r"""An n-gram model: interpolated modified Kneser-Ney, or whatever an ARPA file holds.

    Parameters
    ----------
    order
        The length of the longest n-grams, 1 to 64.
    closed
        False: words that were not seen are ``<unk>``, which has one share of the uniform distribution, as in lmplz.
        True: there are no words but those of the training data, and no ``<unk>``.
    discount_fallback
        Discounts of counts of 1, of 2, and of 3 and more, for an order whose counts of counts give none, which is told
        by an `plait.errors.NgramWarning`.
    prune
        For each order, n-grams with this count in the text or less are left out; the last value goes for higher orders.
        The first is 0, none is less than the one before.
    threads
        Threads; all that may be used by default. Results do not depend on it.

    Attributes
    ----------
    reports_ : list of OrderReport
        What was found in each order; empty for a model that was not estimated here.

    Notes
    -----
    With adjusted counts :math:`a`, a context :math:`h` and :math:`h'`, which is :math:`h` without its first word,

    .. math:: p(w|h) = \frac{a(hw) - D(a(hw))}{\sum_x a(hx)} + \gamma(h)\, p(w|h'),

    see ``docs/design/ngram.md``. Time is that of sorting the words; memory about 30 bytes a word and 40 an n-gram.

    References
    ----------
    Chen and Goodman (1998), eq. 25-26. Heafield et al. (2013), section 3.

    Examples
    --------
    >>> from plait.ngram import NgramModel
    >>> model = NgramModel(order=2).fit([["a", "a"], ["b", "a"], ["b"], ["b"]])
    >>> round(model.log_probability(["a", "b"]), 4)
    -3.8281
    >>> model.perplexity([["a", "b"]]).words
    2
    """

    def __init__(
        self,
        order: int = 3,
        *,
        closed: bool = False,
        discount_fallback: Sequence[float] = (0.5, 1.0, 1.5),
        prune: Sequence[int] = (0,),
        threads: int | None = None,
    ) -> None:
        self.order = order
        self.closed = closed
        self.discount_fallback = tuple(discount_fallback)
        self.prune = tuple(prune)
        self.threads = threads
        self.reports_: list[OrderReport] = []
        self._core: _core.NgramModel | None = None

    @property
    def core(self) -> _core.NgramModel:
        """What the compiled core works on.

        Raises
        ------
        plait.errors.ConfigError
            The model has not been estimated yet.
        """
        if self._core is None:
            raise ConfigError("this model has no n-grams yet; call fit, or load one")
        return self._core

    def fit(self, sentences: Sentences, *, progress: Callback | None = None) -> Self:
        """Estimate the model.

        Parameters
        ----------
        sentences
            A file with a sentence a line, tokens between spaces and tabs, compressed or not; or sequences of tokens,
            which may be any texts but ``<s>``, ``</s>`` and ``<unk>``.
        progress
            Called as the work goes on.

        Raises
        ------
        plait.errors.TextError
            A line is not UTF-8, or a token is reserved.
        plait.errors.ConfigError
            An option is out of range, or there is no sentence.
        plait.errors.DataError
            The file has no sentence.
        OSError
            The file cannot be opened or read.

        Warns
        -----
        plait.errors.NgramWarning
            The counts of counts of an order give no discounts.
        """
        corpus = _read(sentences, None)
        _refuse_empty(corpus, sentences)
        if len(self.discount_fallback) != 3:
            raise ConfigError(name="discount_fallback", expected="three numbers", found=self.discount_fallback)
        for name, value, least in (("order", self.order, 1), *(("prune", value, 0) for value in self.prune)):
            if not isinstance(value, (int, np.integer)) or not least <= value < 1 << 32:
                raise ConfigError(name=name, expected=f"whole numbers from {least}", found=value)
        first, second, third = map(float, self.discount_fallback)
        self._core = _core.NgramModel.estimate(
            corpus,
            order=self.order,
            closed=self.closed,
            fallback=(first, second, third),
            prune=list(self.prune),
            threads=resolve_threads(self.threads),
            progress=progress,
        )
        self.reports_ = [
            OrderReport(ngrams, tuple(counts), tuple(discounts), None if reason is None else _reason(*reason))
            for ngrams, counts, discounts, reason in self._core.reports()
        ]
        for order, report in enumerate(self.reports_, 1):
            if report.fallback is not None:
                shown = ", ".join(f"{discount:g}" for discount in report.discounts)
                warnings.warn(
                    f"discounts of order {order} are {shown}: {report.fallback}; for a small corpus that is normal, "
                    "for a large one it is a sign that sentences repeat or were cut",
                    NgramWarning,
                    stacklevel=2,
                )
        return self

    @property
    def vocabulary(self) -> list[str]:
        """The words, by number."""
        return self.core.words()

    @property
    def counts(self) -> list[int]:
        """How many n-grams of each length there are, ``<s>``, ``</s>`` and ``<unk>`` among the unigrams."""
        return self.core.counts()

    def __contains__(self, word: str) -> bool:
        """Return whether the model knows a word."""
        return self.core.knows(word)

    def score(self, sentences: Sentences) -> list[npt.NDArray[np.float64]]:
        """Return log-probabilities of the words of each sentence after those before them, and of its end.

        Returns
        -------
        list of float64[words + 1]
            Natural logarithms.

        Raises
        ------
        plait.errors.TextError
            A line is not UTF-8, or has ``<s>`` or ``</s>``.
        OSError
            The file cannot be opened or read.
        """
        logs, _, ends = self._score(sentences)
        return [logs[start:stop] for start, stop in itertools.pairwise([0, *ends])]

    def log_probability(self, sentence: Sequence[str]) -> float:
        """Return the natural logarithm of the probability of one sentence with its end."""
        return math.fsum(self.score([sentence])[0].tolist())

    def perplexity(self, sentences: Sentences) -> Perplexity:
        """Return the perplexity of sentences; arguments and errors are those of `score`."""
        logs, is_unknown, ends = self._score(sentences)
        return Perplexity.of(logs, is_unknown, len(ends))

    def states(self, words: Iterable[str]) -> list[tuple[float, int]]:
        """Return the log-probability of each word of the beginning of a sentence, and the state after it.

        Two beginnings with the same state give the same probabilities to whatever follows: a decoder may join them.
        """
        state = self.core.start
        found = []
        for word in words:
            log, state = self.core.step(state, word)
            found.append((log, state))
        return found

    def save(self, path: Path, *, force: bool = False) -> None:
        """Write a model file, or an ARPA file when the name ends in ``.arpa`` (or ``.arpa.gz`` and so on).

        Raises
        ------
        plait.errors.ConfigError
            The file exists and ``force`` is not set.
        """
        with OutputFile(path, force=force) as out:
            if is_arpa_name(path):
                files.write_arpa(out, self.core, single=False)
            else:
                self.write_to(out)

    def write_to(self, out: models.Writable) -> None:
        """Write a model file to an open file."""
        files.write_to(out, self.core, self._metadata())

    def write_arpa(self, path: Path, *, single: bool = False, force: bool = False) -> None:
        """Write an ARPA file.

        Parameters
        ----------
        path
            The file; a suffix such as ``.gz`` compresses.
        single
            Numbers of single precision, about 7 digits, as other programs write; by default as many digits as it takes
            to have the logarithm to base 10 to the last bit.
        force
            Replace a file that exists.
        """
        with OutputFile(path, force=force) as out:
            files.write_arpa(out, self.core, single=single)

    @classmethod
    def load(cls, path: Path, *, threads: int | None = None) -> Self:
        """Read a model file or an ARPA file, whichever it is.

        Raises
        ------
        plait.errors.ModelFileError
            A model file is of another kind, or damaged.
        plait.errors.TextError
            The file is neither a model nor an ARPA file.
        """
        if os.fspath(path) == "-" or not models.is_model(path):
            return cls.read_arpa(path, threads=threads)
        core, metadata = files.load(path)
        with from_a_file(files.KIND):
            options = metadata.get("options", {})
            model = cls(core.order, threads=threads)
            model.closed = bool(options.get("closed", False))
            model.discount_fallback = tuple(options.get("discount_fallback", model.discount_fallback))
            model.prune = tuple(options.get("prune", model.prune))
            model.reports_ = [
                OrderReport(ngrams, tuple(counts), tuple(discounts), reason)
                for ngrams, counts, discounts, reason in metadata.get("reports", [])
            ]
        model._core = core
        return model

    @classmethod
    def read_arpa(cls, path: Path, *, threads: int | None = None) -> Self:
        """Read an ARPA file of any program, compressed or not; "-" is standard input.

        Raises
        ------
        plait.errors.TextError
            The file is none; the message has file, line and column.
        """
        core = files.read_arpa(path)
        model = cls(core.order, threads=threads)
        model._core = core
        return model

    def _metadata(self) -> dict[str, Any]:
        options = {"closed": self.closed, "discount_fallback": self.discount_fallback, "prune": self.prune}
        return {"options": options, "reports": [list(report) for report in self.reports_]}

    def _score(self, sentences: Sentences) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_], list[int]]:
        """Return logarithms, which of them are of unknown words, and where those of each sentence end."""
        corpus = _read(sentences, self.core)
        logs, is_unknown = self.core.score(corpus, resolve_threads(self.threads))
        starts = corpus.starts()[1:]
        ends = starts + np.arange(1, len(starts) + 1, dtype=np.uint64)
        return logs, is_unknown, [int(end) for end in ends]


def is_arpa_name(path: Path) -> bool:
    """Return whether a file is an ARPA file by its name."""
    name = os.fspath(path)
    for suffix in (".gz", ".bz2", ".xz", ".zst"):
        name = name.removesuffix(suffix)
    return name.endswith(".arpa")


def _reason(count: int, discount: float | None) -> str:
    if discount is None:
        return f"no n-gram has an adjusted count of {count}"
    return f"that of a count of {count} would be {discount:.4g}"


def _read(sentences: Sentences, core: _core.NgramModel | None) -> _core.NgramCorpus:
    reader = _core.NgramReader(core)
    if not isinstance(sentences, (str, os.PathLike)):
        for sentence in sentences:
            if isinstance(sentence, str):
                raise ConfigError(
                    name="sentences", expected="sequences of tokens, or the name of a file", found=f"{sentence!r}"
                )
            reader.push(list(sentence))
        return reader.finish()
    try:
        for block in read_blocks(sentences):
            reader.feed(block)
        return reader.finish()
    except TextError as problem:
        raise problem.at(display_name(sentences)) from None


def _refuse_empty(corpus: _core.NgramCorpus, sentences: Sentences) -> None:
    """Name the file that has no sentence; the core tells of sequences."""
    if not len(corpus) and isinstance(sentences, (str, os.PathLike)):
        raise DataError(f"{display_name(sentences)}: a model needs at least one sentence; found an empty file")
