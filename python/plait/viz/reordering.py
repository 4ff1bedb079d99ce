"""Pictures of reordering models, with matplotlib (the extra ``plot``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from plait.viz.figures import new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from plait.reorder.dual import DualLogistic
    from plait.reorder.selection import SelectionPoint

__all__ = ["active_figure", "selection_figure"]


def active_figure(models: Mapping[str, DualLogistic]) -> Figure:
    """Return the share of active examples by pass, a line for each model (Alrajeh and Niranjan 2014, EMNLP, Figure 1).

    Parameters
    ----------
    models
        Trained models by the name that the legend shows.

    Raises
    ------
    plait.errors.ConfigError
        matplotlib is missing.
    """
    figure = new_figure(7, 4.5)
    axes = figure.add_subplot()
    for name, model in models.items():
        shares = 100 * model.active_ / model.active_[0]
        axes.plot(range(1, len(shares) + 1), shares, marker="o", label=name)
    # Half passes there are not.
    axes.locator_params(axis="x", integer=True)
    axes.set_xlabel("pass")
    axes.set_ylabel("% of examples that are active")
    axes.set_ylim(0, 105)
    axes.legend()
    return figure


def selection_figure(points: Sequence[SelectionPoint]) -> Figure:
    """Return the error rate by the share of features that were left out (Alrajeh and Niranjan 2014, WMT, Figure 2).

    Parameters
    ----------
    points
        From `plait.reorder.selection_curve`.

    Raises
    ------
    plait.errors.ConfigError
        matplotlib is missing.
    """
    figure = new_figure(7, 4.5)
    axes = figure.add_subplot()
    axes.plot([1 - point.share for point in points], [100 * point.error_rate for point in points], marker="o")
    axes.set_xlabel("share of features left out")
    axes.set_ylabel("error rate, %")
    return figure
