"""How verbs that read words fold them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from plait.cli.groups import option, together

F = TypeVar("F", bound=Callable[..., Any])


def stems(group: str) -> Callable[[F], F]:
    """Declare ``stem_source`` and ``stem_target`` under a heading."""
    return together(
        option(
            group,
            "--stem-source",
            metavar="N",
            type=int,
            default=0,
            help="Keep the first N characters of source words; -N: the last; 0: all.",
        ),
        option(group, "--stem-target", metavar="N", type=int, default=0, help="The same for target words."),
    )
