"""The memory that ``plait align`` will take, told before the work begins."""

from __future__ import annotations

from typing import Any

import click

from plait.bitext import Bitext
from plait.errors import ConfigError, ResourceError
from plait.memory import available_memory, estimate_memory, parse_size, show_size
from plait.presets import AlignConfig
from plait.progress import Reporter

__all__ = ["check_memory", "size"]

# Reading alone takes no long tables, and a note about a few megabytes helps nobody.
WORTH_TELLING = 1 << 30


def size(context: click.Context, parameter: click.Parameter, value: str | None) -> int | None:
    """Return the bytes of an option that is a size.

    Raises
    ------
    click.BadParameter
        It is none.
    """
    try:
        return None if value is None else parse_size(value)
    except ConfigError as problem:
        raise click.BadParameter(problem.message, context, parameter) from None


def check_memory(text: Bitext, config: AlignConfig, options: dict[str, Any], progress: Reporter) -> int:
    """Return the estimated bytes; warn when they are not there.

    Raises
    ------
    ResourceError
        They are more than ``--max-memory``.
    """
    estimate = estimate_memory(
        text, config, posteriors=options["probabilities"] or options["format_"] != "pharaoh", threads=options["threads"]
    )
    remedy = "take --preset fast, or train on a part of the text with --save and align the rest with --model"
    limit = options["max_memory"]
    if limit is not None and estimate > limit:
        raise ResourceError(
            f"about {show_size(estimate)} of memory are needed for these {len(text):,} pairs, and --max-memory allows "
            f"{show_size(limit)}; {remedy}"
        )
    free = available_memory()
    if free is not None and estimate > free:
        progress.note(f"about {show_size(estimate)} of memory are needed, and {show_size(free)} are free; {remedy}")
    elif estimate >= WORTH_TELLING:
        progress.announce(f"about {show_size(estimate)} of memory", {"stage": "memory", "bytes": estimate})
    return estimate
