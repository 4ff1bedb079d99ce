"""How good translations are, and whether they are better than others."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.errors import ConfigError
from plait.minrisk.bleu import Line, bleu, bleu_statistics
from plait.minrisk.significance import BleuComparison, BleuEstimate, bootstrap_bleu, compare_bleu

__all__ = ["TOKENIZERS", "Quality", "evaluate"]

TOKENIZERS = ("none", "13a", "char", "intl", "zh", "ja-mecab", "ko-mecab", "spm")
"""How lines are cut into words; all but the first are sacrebleu's."""


@dataclass(frozen=True)
class Quality:
    """BLEU of translations, with what it is made of; frozen.

    Attributes
    ----------
    bleu : float
        From 0 to 1.
    precisions : tuple of float
        Of n-grams of 1 to 4 words, from 0 to 1, without smoothing.
    brevity_penalty : float
        From 0 to 1.
    words, reference_words : int
        Lengths of the translations, and of the references closest to them.
    sentences : int
    signature : str
        What computed it and how: that of sacrebleu where that is installed.
    estimate : BleuEstimate or None
        A confidence interval, if there are resamples.
    comparison : BleuComparison or None
        With a baseline.
    """

    bleu: float
    precisions: tuple[float, ...]
    brevity_penalty: float
    words: int
    reference_words: int
    sentences: int
    signature: str
    estimate: BleuEstimate | None
    comparison: BleuComparison | None


def evaluate(
    hypotheses: Sequence[Line],
    references: Sequence[Sequence[Line]],
    *,
    baseline: Sequence[Line] | None = None,
    tokenize: str = "none",
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int | None = 1,
    threads: int | None = None,
) -> Quality:
    """Return the BLEU of translations, with a confidence interval, and compare it with that of others.

    Parameters
    ----------
    hypotheses : sequence of str or sequence of str
        A line for each sentence, or its words.
    references : sequence of sequence of str
        Streams as long as ``hypotheses``, as sacrebleu takes them.
    baseline : sequence of str, optional
        Translations of another system.
    tokenize : str
        One of `TOKENIZERS`; others than "none" need the extra ``bleu``.
    resamples, confidence, seed
        Of sentences, as for `plait.minrisk.compare_bleu`; no resamples give no interval and no comparison.
    threads : int, optional
        All CPUs by default.

    Returns
    -------
    Quality

    Raises
    ------
    plait.errors.UnequalLengthError
        References or baseline are not as many as translations.
    plait.errors.ConfigError
        A tokeniser needs the extra ``bleu`` and it is not there, or there is none of this name.

    Notes
    -----
    With the extra ``bleu``, BLEU is what sacrebleu computes, with its smoothing "exp"; without it, plait computes the
    same number. Resamples are of plait's statistics, for which sacrebleu cuts the words.

    Examples
    --------
    >>> from plait.minrisk import evaluate
    >>> found = evaluate(["the cat sat on a mat"], [["the cat sat on the mat"]], resamples=0)
    >>> round(found.bleu, 4), found.words
    (0.5373, 6)
    """
    cut, scorer = _tokenizer(tokenize)
    lines = [_joined(line) for line in hypotheses]
    reference_lines = [[_joined(line) for line in stream] for stream in references]
    ours = [cut(line) for line in lines]
    streams = [[cut(line) for line in stream] for stream in reference_lines]
    statistics = bleu_statistics(ours, streams, threads=threads)
    totals = statistics.sum(axis=0)
    value, signature = bleu(statistics, smoothing="exp"), "plait, tokenize none, smoothing exp"
    if scorer is not None and lines:
        value = float(scorer.corpus_score(lines, reference_lines).score) / 100
        signature = f"sacrebleu {scorer.get_signature()}"
    estimate = comparison = None
    if resamples:
        options: dict[str, Any] = {"resamples": resamples, "confidence": confidence, "seed": seed}
        estimate = bootstrap_bleu(statistics, **options)
        if baseline is not None:
            theirs = bleu_statistics([cut(_joined(line)) for line in baseline], streams, threads=threads)
            comparison = compare_bleu(statistics, theirs, **options)
    return Quality(
        bleu=value,
        precisions=_precisions(totals),
        brevity_penalty=_brevity_penalty(int(totals[1]), int(totals[-1])),
        words=int(totals[1]),
        reference_words=int(totals[-1]),
        sentences=len(statistics),
        signature=signature,
        estimate=estimate,
        comparison=comparison,
    )


def _tokenizer(name: str) -> tuple[Callable[[str], str], Any]:
    """Return what cuts a line, and sacrebleu's metric where that is installed."""
    if name not in TOKENIZERS:
        raise ConfigError(name="tokenize", expected=f"one of {', '.join(TOKENIZERS)}", found=repr(name))
    try:
        metrics = importlib.import_module("sacrebleu.metrics")
    except ImportError:
        if name == "none":
            return str, None
        raise ConfigError(
            f"the tokeniser {name!r} needs the package sacrebleu; install it: pip install 'plait[bleu]'"
        ) from None
    try:
        # Forced, it does not warn of text that looks tokenised: that is what it is given.
        scorer = metrics.BLEU(tokenize=name, force=True)
    except (ImportError, RuntimeError) as problem:
        raise ConfigError(f"sacrebleu cannot make the tokeniser {name!r}: {problem}") from None
    return str if name == "none" else lambda line: str(scorer.tokenizer(line.rstrip())), scorer


def _joined(line: Line) -> str:
    return line.rstrip("\r\n") if isinstance(line, str) else " ".join(line)


def _precisions(totals: npt.NDArray[np.int64]) -> tuple[float, ...]:
    matches, counts = totals[0:-1:2].tolist(), totals[1:-1:2].tolist()
    return tuple(match / count if count else 0.0 for match, count in zip(matches, counts, strict=True))


def _brevity_penalty(words: int, reference_words: int) -> float:
    if not words:
        return 0.0
    return float(np.exp(min(0.0, 1 - reference_words / words)))
