"""Options from a file: ``--config`` reads the table of a verb, ``--print-config`` writes it."""

from __future__ import annotations

import difflib
import json
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

import click

from plait.io.streams import display_name

__all__ = ["as_toml", "read_table", "refuse_strangers"]


def read_table(path: str, verb: Sequence[str]) -> dict[str, Any]:
    """Return the table of a verb, such as ``[align]`` or ``[crf.train]``.

    Tables of other verbs may stand beside it, so that one file serves a whole pipeline.

    Raises
    ------
    click.UsageError
        There is no such file, it is no TOML, or it has no table for this verb.
    """
    try:
        with open(path, "rb") as file:
            found: Any = tomllib.load(file)
    except OSError as problem:
        raise click.UsageError(f"--config {display_name(path)}: {problem.strerror}") from None
    except ValueError as problem:  # of TOML, of UTF-8, or of a number with thousands of digits
        raise click.UsageError(f"--config {display_name(path)}: not TOML: {problem}") from None
    except RecursionError:
        raise click.UsageError(f"--config {display_name(path)}: arrays stand too deep in each other") from None
    for part in verb:
        found = found.get(part) if isinstance(found, dict) else None
    if not isinstance(found, dict):
        name = ".".join(verb)
        raise click.UsageError(
            f"--config {display_name(path)}: there is no table [{name}]; "
            f"'plait {' '.join(verb)} --print-config' writes one to begin with"
        )
    return found


def refuse_strangers(table: Mapping[str, Any], options: Mapping[str, click.Option], place: str) -> dict[str, Any]:
    """Return the values of a table by the names of parameters.

    Parameters
    ----------
    table
        Values by the long names of options, without the two hyphens; ``_`` may stand for ``-``.
    options
        The options by their long names.
    place
        The file and the table, for messages.

    Raises
    ------
    click.UsageError
        A key is no option, or its value is of a kind that the option cannot have.
    """
    values: dict[str, Any] = {}
    for key, value in table.items():
        name = key.replace("_", "-")
        option = options.get(name)
        if option is None:
            if isinstance(value, dict):
                continue  # the table of a verb below this one
            near = difflib.get_close_matches(name, options, 1)
            hint = f"; did you mean {near[0]}?" if near else "; --help lists the options"
            raise click.UsageError(f"{place}: {key} is no option here{hint}")
        if problem := _misfit(value, option):
            raise click.UsageError(f"{place}: {key} needs {problem}; found {value!r}")
        values[str(option.name)] = value
    return values


def _misfit(value: Any, option: click.Option) -> str | None:
    """Return what an option needs when a value is of another kind."""
    if option.is_flag:
        return None if isinstance(value, bool) else "true or false"
    if option.multiple or option.nargs != 1:
        is_list = isinstance(value, list) and all(_is_scalar(item) for item in value)
        return None if is_list else "an array"
    return None if _is_scalar(value) else "a string or a number"


def _is_scalar(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def as_toml(verb: Sequence[str], values: Mapping[str, Any]) -> str:
    """Return a table with the values of a verb's options; what is not set is a comment.

    Parameters
    ----------
    verb
        The words of the command behind ``plait``.
    values
        Strings, numbers, truth values, sequences of them, or None, by the long names of options.
    """
    lines = [f"[{'.'.join(verb)}]"]
    for name, value in values.items():
        lines.append(f"# {name} =" if value is None else f"{name} = {_literal(value)}")
    return "\n".join(lines) + "\n"


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)  # inf and nan are TOML, too
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_literal, value))}]"
    # JSON's escapes are TOML's; DEL alone must be escaped by hand.
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
