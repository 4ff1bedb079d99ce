"""What ``plait align`` tells of a run: warnings, a line at the end, and a report in JSON."""

from __future__ import annotations

import dataclasses
import math
import platform
import sys
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from plait import __version__
from plait.align import AlignmentModel, takes_part, unexplained_pairs
from plait.bitext import Bitext
from plait.progress import duration
from plait.threads import resolve_threads

__all__ = ["afterthoughts", "run_report", "summary"]

# How the text was read.
_READING = (
    "source",
    "target",
    "pairs",
    "pairs_format",
    "columns",
    "keys",
    "languages",
    "lowercase",
    "stem_source",
    "stem_target",
    "max_length",
    "on_error",
    "test_source",
    "test_target",
    "test_unseen",
    "model",
    "prior",
    "prior_weight",
    "source_classes",
    "target_classes",
)


def afterthoughts(model: AlignmentModel, text: Bitext) -> list[str]:
    """Return warnings that only the result gives rise to, besides those of `plait.align.fit`."""
    notes = []
    if not len(text):
        notes.append("the corpus has no sentence pair, so there are no links")
    if text.counts.unpaired:
        notes.append(f"{text.counts.unpaired:,} TMX units lack one of the languages and make no pair")
    if text.counts.replaced:
        notes.append(f"{_pairs(text.counts.replaced)} with bytes that are not UTF-8, replaced by U+FFFD")
    notes += filter(None, [unexplained_pairs(model)])
    unlikely = np.flatnonzero(_without_links(model) & takes_part(text, model.config))
    if len(unlikely):
        notes.append(
            f"{_pairs(len(unlikely))} with words on both sides and no links, for none passes --symmetrize "
            f"{model.config.symmetrize}; the first is pair {unlikely[0] + 1:,}"
        )
    return notes


def summary(model: AlignmentModel, text: Bitext, seconds: float) -> tuple[str, Mapping[str, object]]:
    """Return what was done, in words and in figures; the speed is that of the whole run."""
    tokens = text.counts.source_tokens + text.counts.target_tokens
    facts = {
        "pairs": len(text),
        "pairs_without_links": int(_without_links(model).sum()),
        "links": len(model.alignments.links),
        "tokens": tokens,
        "seconds": round(seconds, 3),
        "tokens_per_second": round(tokens / seconds),
    }
    words = (
        f"{_pairs(len(text))} ({facts['pairs_without_links']:,} without links), "
        f"{facts['links']:,} links, {duration(seconds)}, {facts['tokens_per_second']:,} tokens/s"
    )
    return words, facts


def run_report(
    model: AlignmentModel, text: Bitext, options: dict[str, Any], seconds: dict[str, float], notes: list[str]
) -> dict[str, Any]:
    """Return everything about a run that can be repeated, and what it took."""
    history = {
        direction: [figure if math.isfinite(figure) else None for figure in figures]
        for direction, figures in model.history.items()
    }
    return {
        "plait": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "platform": platform.platform(),
        # JSON has no infinity, which `tau` may be; settings take the word for it.
        "config": {
            name: "inf" if value == math.inf else value for name, value in dataclasses.asdict(model.config).items()
        },
        "input": {name: options[name] for name in _READING},
        "counts": dataclasses.asdict(text.counts),
        "links": {
            "symmetrized": len(model.alignments.links),
            "forward": len(model.forward.links),
            "reverse": len(model.reverse.links),
        },
        "pairs_without_links": int(_without_links(model).sum()),
        "history": history,
        "seconds": {name: round(value, 4) for name, value in seconds.items()},
        "cpu_seconds": round(time.process_time(), 4),
        "peak_memory_bytes": _peak_memory(),
        "threads": resolve_threads(options["threads"]),
        "warnings": notes,
    }


def _pairs(count: int) -> str:
    return f"{count:,} sentence pair" + ("" if count == 1 else "s")


def _without_links(model: AlignmentModel) -> npt.NDArray[np.bool_]:
    offsets = model.alignments.offsets
    return np.equal(offsets[1:], offsets[:-1])


def _peak_memory() -> int | None:
    """Return the most memory this process has held, in bytes; None where the system does not say."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    # Linux counts kilobytes, macOS bytes.
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
