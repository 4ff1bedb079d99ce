"""How much a model loses when features with little information are left out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from plait.errors import ConfigError
from plait.reorder.classifier import Classifier
from plait.reorder.evaluation import evaluate
from plait.reorder.examples import Examples
from plait.reorder.information import mutual_information, selected
from plait.reorder.tally import ExampleCounts

__all__ = ["SelectionPoint", "selection_curve"]


@dataclass(frozen=True)
class SelectionPoint:
    """A model of some of the features.

    Attributes
    ----------
    share
        The share of features that stayed.
    features
        Their number.
    least
        The least information among them, in nats, or in shares of the smaller entropy when normalised.
    error_rate, log_loss
        On the held-out examples.
    """

    share: float
    features: int
    least: float
    error_rate: float
    log_loss: float


def selection_curve(
    model: Classifier,
    train: Examples | ExampleCounts,
    held_out: Examples,
    shares: Iterable[float],
    *,
    normalized: bool = False,
) -> list[SelectionPoint]:
    """Train a model on ever fewer features, those with the most information (Figure 2 of the paper).

    Parameters
    ----------
    model
        A classifier; it is trained anew for each share, and at the end is that of the last one.
    train, held_out
        Examples with the same features and classes; of the first, counts with values are enough for naive Bayes.
    shares
        Shares of features, each above 0 and at most 1.
    normalized
        Whether information is normalised, as in the paper; that keeps rare features and loses frequent ones.

    Raises
    ------
    plait.errors.ConfigError
        The held-out examples have other features; a share is out of range.
    plait.errors.DataError
        As `Classifier.fit` and `evaluate`.

    References
    ----------
    Alrajeh and Niranjan (2014), Bayesian reordering model with feature selection. WMT.
    """
    if train.vocabulary != held_out.vocabulary:
        raise ConfigError("the held-out examples have other features; read them with the vocabulary of the first ones")
    information = mutual_information(train, normalized=normalized)
    points = []
    for share in shares:
        kept = selected(information, share=share)
        found = evaluate(model.fit(train.select(kept)), held_out.select(kept))
        least = float(information[kept].min()) if len(kept) else float(np.nan)
        points.append(SelectionPoint(share, len(kept), least, found.error_rate, found.log_loss))
    return points
