"""Choice of the penalty of weights by held-out labels: of another set, or of parts of the training set in turn."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plait.crf.evaluation import evaluate
from plait.crf.fitting import whole
from plait.crf.sequences import Sequences
from plait.errors import ConfigError, ConvergenceWarning
from plait.progress import Callback

if TYPE_CHECKING:
    from plait.crf.chain import ChainCRF

__all__ = ["PENALTIES", "PenaltyChoice", "choose_penalty"]

PENALTIES = tuple(2.0**n for n in range(2, -8, -1))
"""What is tried: 4, 2, 1, and so on to 1/128."""

# A score that was no better so often ends the search: penalties fall, and what follows fits the training text closer.
_PATIENCE = 2


@dataclass(frozen=True)
class PenaltyChoice:
    """The penalty that labels held-out sequences best, and what others did.

    Attributes
    ----------
    l2
        The penalty; of equal scores the larger one.
    scores
        The score of each penalty that was tried, from the largest: F1 of chunks, or the share of right labels.
    folds
        Parts that the training set was cut into; 0 when there was a held-out set.
    """

    l2: float
    scores: dict[float, float]
    folds: int


def choose_penalty(
    model: ChainCRF,
    data: Sequences,
    *,
    held_out: Sequences | None = None,
    folds: int = 5,
    penalties: Sequence[float] = PENALTIES,
    start: ChainCRF | None = None,
    progress: Callback | None = None,
) -> PenaltyChoice:
    """Return the factor of squared weights, ``l2``, with the best labels of sequences that were not trained on.

    Parameters
    ----------
    model
        Other options; it is not changed.
    data
        Labelled sequences to train on.
    held_out
        Labelled sequences made with ``model=data``, to score on. Without them, sequence n of ``data`` belongs to part
        n mod ``folds``; each part is labelled by a model that was trained on the others, and all parts are scored
        together.
    folds
        Parts; as many as there are sequences, if these are fewer.
    penalties
        What is tried, from the largest; the search ends after two in a row that were no better.
    start
        Begin with the weights of this model; ``data`` must extend it.
    progress
        Called after each training, with stage, done, total (if all penalties are tried) and figures.

    Raises
    ------
    ConfigError
        The model is a perceptron, which has no penalty; there are no penalties, or fewer than two sequences or folds;
        labels are missing.

    Notes
    -----
    Each training begins at the weights of the one before with the same part left out. Time is that of up to
    ``folds * len(penalties)`` trainings, which are shorter for that: on the sets of ``docs/design/crf.md`` 10 to 40
    times that of one. The same bits for any number of threads. A sequence that is left out has the weight 0: pairs that
    only it has get no weight, but its labels are known to the model.

    Examples
    --------
    >>> from plait.crf import ChainCRF, Sequences, choose_penalty
    >>> data = Sequences.from_items([[["a"], ["b"]]] * 4, [["X", "Y"]] * 4)
    >>> choose_penalty(ChainCRF(), data, folds=2).l2
    4.0
    """
    if model.algorithm == "perceptron":
        raise ConfigError(name="algorithm", expected="one with a penalty, to choose l2", found="'perceptron'")
    if not penalties:
        raise ConfigError(name="penalties", expected="at least one number", found="none")
    parts = 0 if held_out is not None else min(whole("folds", folds, 2), len(data))
    if parts == 1:
        raise ConfigError(name="the training data", expected="at least two sequences to choose l2", found="one")
    gold = (data if held_out is None else held_out).labels()
    trials = [data] if held_out is not None else [_without(data, part, parts) for part in range(parts)]
    latest: list[ChainCRF | None] = [start] * len(trials)
    scores: dict[float, float] = {}
    best, since = max(penalties), 0
    for penalty in sorted(set(penalties), reverse=True):
        found: list[list[str]] = [[] for _ in gold]
        for part, trial in enumerate(trials):
            fitted = _fitted(model, penalty, trial, latest[part])
            latest[part] = fitted
            labels = fitted.predict(data if held_out is None else held_out)
            for number in range(part, len(gold), len(trials)):
                found[number] = labels[number]
            if progress is not None:
                done = len(scores) * len(trials) + part + 1
                progress("choosing l2", done, len(set(penalties)) * len(trials), [("l2", penalty)])
        scores[penalty] = evaluate(gold, found).all.f1
        since = 0 if scores[penalty] > scores.get(best, -1.0) or penalty == best else since + 1
        best = penalty if scores[penalty] > scores[best] else best
        if since == _PATIENCE:
            break
    return PenaltyChoice(best, scores, parts)


def _without(data: Sequences, part: int, parts: int) -> Sequences:
    """Return the sequences, those of a part with the weight 0."""
    weights = data.weights.copy()
    weights[part::parts] = 0
    return data.with_weights(weights)


def _fitted(model: ChainCRF, penalty: float, data: Sequences, start: ChainCRF | None) -> ChainCRF:
    made = type(model)(**model.get_params() | {"l2": penalty})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return made.fit(data, start=start)
