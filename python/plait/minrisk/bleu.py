"""BLEU of tokenised text: its statistics, which add over segments, and its value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from plait import _core
from plait.errors import ConfigError, DataError, UnequalLengthError
from plait.threads import resolve_threads

__all__ = ["Line", "ReferenceLength", "Smoothing", "bleu", "bleu_statistics", "line_text", "sentence_bleu"]

Line = str | Sequence[str]
"""A line of text, with words between ASCII spaces and tabs; or its words."""

ReferenceLength = Literal["closest", "shortest", "average"]

Smoothing = Literal["none", "floor", "add-k", "exp"]

DEFAULT_VALUES: dict[str, float] = {"none": 0.0, "floor": 0.1, "add-k": 1.0, "exp": 0.0}
"""What smoothing adds or puts in place of 0, unless told otherwise."""


def bleu_statistics(
    hypotheses: Iterable[Line],
    references: Iterable[Iterable[Line | None]],
    *,
    order: int = 4,
    reference_length: ReferenceLength = "closest",
    segments: npt.ArrayLike | None = None,
    threads: int | None = None,
) -> npt.NDArray[np.int64]:
    """Return the statistics that BLEU is computed from, for each hypothesis.

    Parameters
    ----------
    hypotheses : iterable of str or sequence of str
        Tokenised lines. Words are what stands between ASCII spaces and tabs; one line end is dropped. An empty
        hypothesis has no n-grams.
    references : iterable of streams
        Each stream has one line for each segment; None where it has no reference of that segment. Every segment has
        one at least. An empty line is a reference without words.
    order : int
        The most words of an n-gram, from 1 to 64.
    reference_length : {"closest", "shortest", "average"}
        What the length of a hypothesis is compared with: the reference whose length is closest (the shorter of two
        that are as close), the shortest one, or the mean, rounded down as Moses does.
    segments : array_like of int, shape (hypotheses,), optional
        The segment of each hypothesis, from 0: for lists of many hypotheses each. By default each has its own.
    threads : int, optional
        All CPUs by default. The result is the same for any number.

    Returns
    -------
    ndarray of int64, shape (hypotheses, 2 order + 1)
        ``[match 1, total 1, ..., match N, total N, reference length]``: the columns of Moses' SCORESTAT. An n-gram
        matches at most as often as it stands in the one reference that has it most often.

    Raises
    ------
    UnequalLengthError
        A stream has more or fewer lines than there are hypotheses, or than other streams.
    DataError
        There are no references at all or of some segment; a line holds a line end, a word a space; a segment is out
        of range.
    ConfigError
        An option is out of range.

    Notes
    -----
    Papineni et al. (2002), section 2. O(order words) time. Equal to sacrebleu with ``tokenize="none"``, but for words
    with spaces outside ASCII, at which sacrebleu cuts (DEVIATION: the rule of all text in plait).

    Examples
    --------
    >>> from plait.minrisk import bleu, bleu_statistics
    >>> rows = bleu_statistics(["the cat sat"], [["the cat sat down"], ["a cat sat"]], order=2)
    >>> rows.tolist()
    [[3, 3, 2, 2, 3]]
    >>> bleu(rows)
    1.0
    """
    lines = [line_text(line, "hypothesis", n) for n, line in enumerate(hypotheses)]
    streams = [
        [None if line is None else line_text(line, f"line of reference {k + 1}", n) for n, line in enumerate(stream)]
        for k, stream in enumerate(_streams(references))
    ]
    if not streams:
        raise DataError("there are no references; give at least one stream of them, with a line for each segment")
    if not 1 <= order <= 64:
        raise ConfigError(name="order", expected="from 1 to 64", found=order)
    numbers = _segments(segments, len(lines), streams)
    lacking = [n for n, row in enumerate(zip(*streams, strict=True)) if all(line is None for line in row)]
    if lacking:
        raise DataError(f"no stream has a reference of segment {lacking[0]} (from 0); every segment needs one")
    return _core.bleu_statistics(
        lines, streams, numbers, order=order, reference_length=reference_length, threads=resolve_threads(threads)
    )


def bleu(
    statistics: npt.ArrayLike,
    *,
    smoothing: Smoothing = "none",
    value: float | None = None,
    effective_order: bool = False,
) -> float:
    """Return the BLEU of a corpus.

    Parameters
    ----------
    statistics : array_like of int or float, shape (segments, 2 order + 1) or (2 order + 1,)
        As `bleu_statistics` makes them; rows are summed.
    smoothing : {"none", "floor", "add-k", "exp"}
        What is done about orders without a match: nothing, so that BLEU is 0; count ``value`` matches instead of none;
        add ``value`` to the matches and totals of all orders from 2; count 1/2, 1/4, ... matches, as NIST's mteval.
    value : float, optional
        For "floor" 0.1 by default, for "add-k" 1: the smoothing of Lin and Och (2004).
    effective_order : bool
        Leave out orders that the hypotheses are too short to have n-grams of, instead of 0 for BLEU.

    Returns
    -------
    float
        From 0 to 1. 0 where nothing matches, also with smoothing, and for no segments.

    Raises
    ------
    DataError
        The statistics are not as they must be.
    ConfigError
        An option is out of range.

    Notes
    -----
    Papineni et al. (2002), section 2.3; smoothing: Chen and Cherry (2014), methods 1, 2 and 3. sacrebleu computes the
    same, in percent, and smooths with "exp" unless told otherwise.

    Examples
    --------
    >>> from plait.minrisk import bleu
    >>> round(bleu([3, 4, 2, 3, 4]), 6)
    0.707107
    """
    rows = _rows(statistics)
    return float(_scores(rows.sum(axis=0, keepdims=True), smoothing, value, effective_order)[0])


def sentence_bleu(
    statistics: npt.ArrayLike,
    *,
    smoothing: Smoothing = "add-k",
    value: float | None = None,
    effective_order: bool = True,
) -> npt.NDArray[np.float64]:
    """Return the BLEU of each segment on its own.

    Parameters
    ----------
    statistics : array_like of int or float, shape (segments, 2 order + 1)
        As `bleu_statistics` makes them.
    smoothing, value, effective_order
        As for `bleu`. By default 1 is added to the matches and totals of orders from 2 (Lin and Och 2004), which
        makes every order effective.

    Returns
    -------
    ndarray of float64, shape (segments,)
        From 0 to 1; 0 where no word matches, so also for an empty hypothesis.

    Raises
    ------
    DataError, ConfigError
        As for `bleu`.

    Examples
    --------
    >>> from plait.minrisk import bleu_statistics, sentence_bleu
    >>> sentence_bleu(bleu_statistics(["the cat", ""], [["the cat", "a dog"]])).tolist()
    [1.0, 0.0]
    """
    return _scores(_rows(statistics), smoothing, value, effective_order)


def line_text(line: Line, what: str, number: int) -> str:
    """Return a line, without its end, or the line of some words."""
    if isinstance(line, str):
        text = line.removesuffix("\n").removesuffix("\r") if line.endswith("\n") else line
        if "\n" in text:
            raise DataError(f"{what} {number} (from 0) must be one line; found a line end in {text[:60]!r}")
        return text
    for word in line:
        if not isinstance(word, str) or not word or any(space in word for space in " \t\n"):
            raise DataError(f"{what} {number} (from 0) must be words without spaces; found {word!r}")
    return " ".join(line)


def _streams(references: Iterable[Iterable[Line | None]]) -> list[list[Line | None]]:
    streams = []
    for stream in references:
        if isinstance(stream, str):
            raise DataError(
                "references must be streams, each with a line for each segment; found a string: put the lines of each "
                "stream in a list"
            )
        streams.append(list(stream))
    return streams


def _segments(segments: npt.ArrayLike | None, hypotheses: int, streams: list[list[str | None]]) -> list[int]:
    names = ["the hypotheses", *(f"reference {k + 1}" for k in range(len(streams)))]
    lengths = [hypotheses, *map(len, streams)]
    if segments is not None:
        names, lengths = names[1:], lengths[1:]
    shorter, longer = int(np.argmin(lengths)), int(np.argmax(lengths))
    if lengths[shorter] != lengths[longer]:
        raise UnequalLengthError(
            shorter=names[shorter], shorter_len=lengths[shorter], longer=names[longer], longer_len=lengths[longer]
        )
    if segments is None:
        return list(range(hypotheses))
    numbers = np.asarray(segments)
    if numbers.shape != (hypotheses,) or (numbers.dtype.kind not in "iu" and numbers.size):
        raise DataError(f"segments must be one whole number for each of {hypotheses} hypotheses")
    wrong = numbers[(numbers < 0) | (numbers >= lengths[0])] if numbers.size else numbers
    if wrong.size:
        raise DataError(f"segments must be from 0 to below {lengths[0]}, the number of references; found {wrong[0]}")
    return [int(number) for number in numbers]


def _rows(statistics: npt.ArrayLike) -> npt.NDArray[np.float64]:
    array = np.asarray(statistics)
    if array.ndim == 1 and array.size:
        array = array[None]
    if array.ndim != 2 or array.dtype.kind not in "iuf" or array.shape[1] < 3 or array.shape[1] % 2 == 0:
        raise DataError(
            f"statistics must be rows of 2 order + 1 numbers; found {array.dtype}, shape {np.shape(statistics)}"
        )
    rows = np.ascontiguousarray(array, np.float64)
    if not bool((np.isfinite(rows) & (rows >= 0)).all()):
        raise DataError("statistics must be finite and not negative")
    if not bool((rows[:, :-1:2] <= rows[:, 1::2]).all()):
        raise DataError(
            "statistics must be a match and a total for each order, then a length; found more matches than n-grams"
        )
    return rows


def _scores(
    rows: npt.NDArray[np.float64], smoothing: str, value: float | None, effective_order: bool
) -> npt.NDArray[np.float64]:
    if smoothing not in DEFAULT_VALUES:
        raise ConfigError(name="smoothing", expected=f"one of {', '.join(DEFAULT_VALUES)}", found=repr(smoothing))
    amount = DEFAULT_VALUES[smoothing] if value is None else value
    if not 0 <= amount < np.inf:
        raise ConfigError(name="value", expected="finite and not negative", found=value)
    return _core.bleu_scores(rows, smoothing=smoothing, value=float(amount), is_effective=effective_order)
