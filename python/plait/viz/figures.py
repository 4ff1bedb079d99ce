"""Pictures of the paper's analysis, with matplotlib (the extra ``plot``)."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from plait.errors import ConfigError
from plait.io.atomic import OutputGroup

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from plait.analyze import Analysis

__all__ = ["fertility_figure", "new_figure", "overview_figure", "render", "write_figures"]

_SHOWN_FERTILITIES = 20
_PNG_DPI = 150
# No date and no random ids: the same figures give the same files.
_METADATA: dict[str, dict[str, Any]] = {"png": {"Software": None}, "svg": {"Date": None}}


def write_figures(
    analyses: Sequence[Analysis],
    folder: str | os.PathLike[str],
    *,
    side: Literal["source", "target"] = "source",
    force: bool = False,
) -> list[str]:
    """Write the pictures ``fertilities`` and ``overview``, each as PNG and SVG.

    Parameters
    ----------
    analyses
        Of one text; at least one.
    folder
        Where the files go; made when it is missing.
    side
        Whose words the fertilities and singletons are about.
    force
        Replace files that exist.

    Returns
    -------
    list of str
        The files.

    Raises
    ------
    ConfigError
        matplotlib is missing, there is nothing to show, or a file exists and ``force`` is not set.
    """
    if not analyses:
        raise ConfigError(name="analyses", expected="at least one analysis", found="none")
    pictures = {"fertilities": fertility_figure(analyses, side=side), "overview": overview_figure(analyses, side=side)}
    os.makedirs(folder, exist_ok=True)
    written: list[str] = []
    with OutputGroup(force=force) as group:
        for name, figure in pictures.items():
            for kind in ("png", "svg"):
                path = os.path.join(folder, f"{name}.{kind}")
                group.open(path).write(render(figure, kind))
                written.append(path)
    return written


def fertility_figure(analyses: Sequence[Analysis], *, side: Literal["source", "target"] = "source") -> Figure:
    """Return the distribution of fertilities (the paper's figure 8), one line for each alignment.

    Raises
    ------
    ConfigError
        matplotlib is missing.
    """
    figure = new_figure(7, 4.5)
    axes = figure.add_subplot()
    for analysis in analyses:
        figures = getattr(analysis, side)
        counts = figures.fertilities[:_SHOWN_FERTILITIES]
        axes.plot(range(len(counts)), [count / figures.tokens for count in counts], marker="o", label=analysis.name)
    axes.set_yscale("log", nonpositive="mask")
    axes.set_xlabel(f"fertility of {side} tokens")
    axes.set_ylabel("share of tokens")
    axes.legend()
    return figure


def overview_figure(analyses: Sequence[Analysis], *, side: Literal["source", "target"] = "source") -> Figure:
    """Return bars of the other figures (the paper's figure 9, a to g without f), one panel for each that there is.

    Raises
    ------
    ConfigError
        matplotlib is missing.
    """
    sides = [getattr(analysis, side) for analysis in analyses]
    panels: dict[str, list[float | None]] = {
        "dictionary size /\nmean vocabulary size": [a.dictionary_ratio for a in analyses],
        f"mean fertility of\naligned {side} singletons": [s.singleton_fertility for s in sides],
        f"unaligned share of\n{side} singletons": [s.unaligned_singleton_share for s in sides],
        "agreeing links /\nmean token count": [a.agreement for a in analyses],
        f"{side} types covered by\none-word phrases": [s.coverage for s in sides],
        "phrase pairs /\nmean token count": [a.phrase_ratio for a in analyses],
        "AER": [None if a.scores is None else a.scores.aer for a in analyses],
    }
    shown = {title: values for title, values in panels.items() if any(value is not None for value in values)}
    columns = 4
    lines = -(-len(shown) // columns)
    figure = new_figure(3.2 * columns, 3 * lines)
    for number, (title, values) in enumerate(shown.items(), start=1):
        axes = figure.add_subplot(lines, columns, number)
        axes.bar(range(len(values)), [float("nan") if value is None else value for value in values])
        axes.set_xticks(range(len(values)), [analysis.name for analysis in analyses], rotation=30, ha="right")
        axes.set_title(title, fontsize="medium")
    return figure


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of this many inches.

    Raises
    ------
    ConfigError
        matplotlib is missing.
    """
    try:
        # The object interface: pyplot would choose a backend and keep global state.
        from matplotlib.figure import Figure
    except ImportError as problem:
        raise ConfigError("plots need matplotlib; install it with: pip install 'plait[plot]'") from problem
    return Figure(figsize=(width, height), layout="constrained")


def render(figure: Figure, kind: str) -> bytes:
    """Return the bytes of a figure as a file of this kind, "png" or "svg"; the same figure gives the same bytes."""
    import matplotlib

    buffer = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "plait"}):
        figure.savefig(buffer, format=kind, dpi=_PNG_DPI, metadata=_METADATA[kind])
    return buffer.getvalue()
