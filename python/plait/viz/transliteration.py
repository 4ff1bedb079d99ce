"""Pictures of transliteration systems, with matplotlib (the extra ``plot``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from plait.viz.figures import new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from plait.translit.tuning import Curve

__all__ = ["weight_figure"]


def weight_figure(curves: Mapping[str, Curve], chosen: float) -> Figure:
    """Return the measures of two systems together for all weights of the first one.

    Parameters
    ----------
    curves
        By measure, from `plait.translit.tuning.line`.
    chosen
        The weight to mark.

    Raises
    ------
    plait.errors.ConfigError
        matplotlib is missing.
    """
    figure = new_figure(7, 4.5)
    axes = figure.add_subplot()
    for name, curve in curves.items():
        axes.stairs(curve.values, curve.places, baseline=None, label=name)
    axes.axvline(chosen, color="0.6", linestyle=":", label="chosen")
    axes.set_xlabel("weight of the first system")
    axes.set_ylabel("measure")
    axes.set_xlim(0, 1)
    axes.legend()
    return figure
