"""Which options of ``plait minrisk train`` go together."""

from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource

__all__ = ["check_usage"]

# Options that only have a meaning with some methods.
_METHODS = {
    "temperature": ("mr", "da"),
    "lowest": ("da",),
    "cooling": ("da",),
    "gamma": ("mr", "da"),
    "sharpest": ("da",),
    "train_gamma": ("mr", "da"),
    "iterations": ("mr", "da"),
    "l2": ("mr", "da"),
    "l2_ngrams": ("mr", "da"),
    "l2_center": ("mr", "da"),
    "average": ("mr", "da"),
    "baseline": ("mr", "da"),
    "ngrams": ("mr", "da"),
    "keep_base": ("mr", "da"),
    "precisions": ("mr", "da"),
    "thetas": ("mr", "da"),
    "dev": ("mr", "da"),
    "select": ("mr", "da"),
    "checkpoint": ("mr", "da"),
    "spool": ("mr", "da"),
    "restarts": ("mert",),
    "seed": ("mert",),
}
# Options that need another one.
_NEEDS = {
    "keep_features": ("baseline",),
    "ngrams_from": ("ngrams",),
    "min_count": ("ngrams",),
    "top": ("ngrams",),
    "l2_ngrams": ("ngrams",),
    "unique": ("nbest",),
    "nbest": ("init", "baseline"),
    "edges": ("init", "baseline"),
    "dev": ("dev_references",),
    "dev_references": ("dev",),
}


def check_usage(options: dict[str, Any]) -> None:
    """Refuse options that have no effect.

    Raises
    ------
    click.UsageError
        The message names them.
    """
    context = click.get_current_context()
    for name, methods in _METHODS.items():
        if _is_given(context, name) and options["method"] not in methods:
            raise click.UsageError(f"{_shown(name)} is for --method {' and '.join(methods)} only")
    for name, others in _NEEDS.items():
        if _is_given(context, name) and not any(options[other] for other in others):
            raise click.UsageError(f"{_shown(name)} needs {' or '.join(map(_shown, others))}")
    if options["precisions"] == "auto" and options["init"] is None and options["baseline"] is None:
        raise click.UsageError("--precisions auto needs --init or --baseline")
    if options["spool"] is not None and options["select"] == "best" and not options["dev"]:
        raise click.UsageError("with --spool, --select best needs --dev: forests are not kept in memory")


def _is_given(context: click.Context, name: str) -> bool:
    return context.get_parameter_source(name) not in (ParameterSource.DEFAULT, ParameterSource.DEFAULT_MAP, None)


def _shown(name: str) -> str:
    return {"dev_references": "--dev-reference"}.get(name, f"--{name.replace('_', '-')}")
