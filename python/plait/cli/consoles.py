"""What the verbs that draw in the terminal share: a console that knows colours, width and characters."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence

import numpy as np
from rich.console import Console

from plait.alignments import Alignments
from plait.bitext import Bitext
from plait.metrics import Gold
from plait.viz.terminal import legend, render_grid

__all__ = ["draws_ascii", "open_console", "print_pairs"]


def open_console(*, on_stderr: bool = False) -> Console:
    """Return a console that takes text as it is: no markup, no guessed highlights; NO_COLOR is honoured by rich."""
    stream = sys.stderr if on_stderr else sys.stdout
    if isinstance(stream, io.TextIOWrapper):
        # A word that the terminal's encoding lacks is shown as a question mark instead of ending the program.
        stream.reconfigure(errors="replace")
    return Console(stderr=on_stderr, markup=False, highlight=False, emoji=False)


def draws_ascii(console: Console, wanted: bool) -> bool:
    """Return whether to draw with ASCII only: asked for, or all that the console's encoding has."""
    return wanted or not console.encoding.lower().startswith("utf")


def print_pairs(
    console: Console,
    bitext: Bitext,
    alignments: Alignments,
    pairs: Sequence[int],
    *,
    gold: Gold | None = None,
    other: Alignments | None = None,
    ascii_only: bool = False,
) -> None:
    """Print these sentence pairs as grids, each under its line number (from 1), and what the marks mean."""
    for n in pairs:
        console.print(f"line {n + 1}", style="bold")
        source, target = bitext.source(n), bitext.target(n)
        if not source or not target:
            console.print("(empty)\n", style="dim")
            continue
        grid = render_grid(
            source,
            target,
            _with_probabilities(alignments, n),
            sure=None if gold is None else _as_pairs(gold.sure[n]),
            possible=[] if gold is None else _as_pairs(gold.possible[n]),
            other=[] if other is None else _as_pairs(other[n]),
            ascii_only=ascii_only,
            width=console.width,
        )
        console.print(grid, no_wrap=True, overflow="ignore", crop=False)
        console.print()
    meaning = legend(
        has_gold=gold is not None,
        has_probabilities=alignments.probabilities is not None,
        has_other=other is not None,
        ascii_only=ascii_only,
    )
    console.print(meaning)


def _as_pairs(links: np.ndarray) -> list[tuple[int, int]]:
    return [(i, j) for i, j in links.tolist()]


def _with_probabilities(alignments: Alignments, n: int) -> list[tuple[int, int]] | dict[tuple[int, int], float]:
    links, values = _as_pairs(alignments[n]), alignments.sentence_probabilities(n)
    return links if values is None else dict(zip(links, values.tolist(), strict=True))
