"""Files of feature weights: a name and a number on each line."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from plait.errors import ConfigError, DataError, TextError
from plait.io.atomic import OutputFile
from plait.io.streams import Path, display_name, open_input

__all__ = ["MatchedWeights", "match_weights", "read_weights", "weights_text", "write_weights"]

_SHOWN = 5


def read_weights(path: Path) -> dict[str, float]:
    r"""Read a file of weights.

    Parameters
    ----------
    path
        The file; "-" for standard input. Compressed files are recognised by content.

    Returns
    -------
    dict of str to float
        In the order of the file.

    Raises
    ------
    plait.errors.TextError
        A line is none of a weight, a weight is not finite, or a feature has two.
    OSError
        The file cannot be opened or read.

    Notes
    -----
    A line is ``name<TAB>weight``, as `write_weights` makes it, or ``name weight``, as cdec writes it. Empty lines do
    not count, nor lines that begin with ``#`` and have no tab. In lines without a tab a name that ends in ``=`` is
    one of Moses: where it stands on several lines, they are the weights of ``name_1``, ``name_2`` and so on, as
    `plait.hypergraph.read_forests` names the values of a feature in an n-best list.

    Examples
    --------
    >>> from pathlib import Path
    >>> from plait.minrisk import read_weights
    >>> _ = Path("weights.txt").write_text("lm\t0.5\nword penalty\t-1\n")
    >>> read_weights("weights.txt")
    {'lm': 0.5, 'word penalty': -1.0}
    """
    found: dict[str, float] = {}
    groups: dict[str, list[float]] = {}
    with open_input(path) as stream:
        for number, raw in enumerate(stream, 1):
            line = raw.decode("utf-8", "surrogateescape").strip("\r\n")
            if not line.strip() or (line.startswith("#") and "\t" not in line):
                continue
            name, weight = _parts(line, number, path)
            if name.endswith("=") and "\t" not in line:
                groups.setdefault(name[:-1], []).append(weight)
            elif name in found:
                _refuse("a feature has one weight; remove the line", name, number, path)
            else:
                found[name] = weight
    for name, values in groups.items():
        several = len(values) > 1
        found |= {f"{name}_{n}" if several else name: value for n, value in enumerate(values, 1)}
    return found


def _parts(line: str, number: int, path: Path) -> tuple[str, float]:
    # A name may have spaces in it where a tab follows.
    name, tab, text = line.rpartition("\t")
    fields = [name, text.strip()] if tab else line.split()
    try:
        name, text = fields
        weight = float(text)
    except ValueError:
        _refuse("a line is 'name<TAB>weight' or 'name weight'; check that it is a file of weights", line, number, path)
    if not math.isfinite(weight):
        _refuse("a weight is a finite number; train again, or correct it", text, number, path)
    return name, weight


def _refuse(problem: str, found: str, number: int, path: Path) -> NoReturn:
    raise TextError(line=number, column=1, problem=problem, found=repr(found[:40]), path=display_name(path))


def write_weights(
    path: Path, weights: Mapping[str, float], *, comments: Iterable[str] = (), force: bool = False
) -> None:
    r"""Write a file of weights, whole or not at all.

    Parameters
    ----------
    path
        The file; "-" for standard output. A suffix ``.gz``, ``.bz2``, ``.xz`` or ``.zst`` compresses.
    weights : mapping of str to float
        Written in this order, to the bit.
    comments : iterable of str
        Lines for readers, which stand first.
    force : bool
        Replace a file that exists.

    Raises
    ------
    plait.errors.ConfigError
        The file exists and ``force`` is not set.
    plait.errors.DataError
        A name is empty or has a tab or line end in it, or a weight is not finite.

    Examples
    --------
    >>> from pathlib import Path
    >>> from plait.minrisk import write_weights
    >>> write_weights("weights.txt", {"lm": 0.1, "word penalty": -1.0}, force=True)
    >>> Path("weights.txt").read_text()
    'lm\t0.1\nword penalty\t-1.0\n'
    """
    text = weights_text(weights, comments=comments)
    with OutputFile(path, force=force) as out:
        out.write(text)


def weights_text(weights: Mapping[str, float], *, comments: Iterable[str] = ()) -> bytes:
    """Return what `write_weights` writes."""
    lines = [f"# {comment}" for comment in comments]
    for name, weight in weights.items():
        if not name or any(sign in name for sign in "\t\n\r"):
            raise DataError(f"the name of a feature must not be empty, or have a tab or line end; found {name!r}")
        if not math.isfinite(weight):
            raise DataError(f"the weight of {name!r} must be finite; found {weight}")
        lines.append(f"{name}\t{float(weight)!r}")
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")


@dataclass(frozen=True, eq=False)
class MatchedWeights:
    """Weights in the order of features; frozen.

    Attributes
    ----------
    values : ndarray of float64, shape (features,)
        The weight of each feature; 0 where there was none.
    without_feature : tuple of str
        Names that had a weight and are no feature.
    without_weight : tuple of str
        Features that had no weight.
    """

    values: npt.NDArray[np.float64]
    without_feature: tuple[str, ...]
    without_weight: tuple[str, ...]


def match_weights(weights: Mapping[str, float], names: Sequence[str]) -> MatchedWeights:
    """Bring weights into the order of features.

    Parameters
    ----------
    weights : mapping of str to float
    names : sequence of str
        The features.

    Returns
    -------
    MatchedWeights
        A feature without a weight weighs 0; a weight without a feature is left out. Both are normal where features are
        sparse, and both are told.

    Raises
    ------
    ConfigError
        There are weights and features, and no name is on both sides: one of the two is another model's.

    Examples
    --------
    >>> from plait.minrisk import match_weights
    >>> found = match_weights({"lm": 0.5, "2gram:the house": 0.1}, ["lm", "length"])
    >>> found.values.tolist(), found.without_feature, found.without_weight
    ([0.5, 0.0], ('2gram:the house',), ('length',))
    """
    known = set(names)
    without_feature = tuple(name for name in weights if name not in known)
    if weights and known and len(without_feature) == len(weights):
        raise ConfigError(
            f"no weight is that of a feature: weights have {_few(weights)}, features are {_few(names)}; "
            "give the weights of these forests"
        )
    values = np.array([weights.get(name, 0.0) for name in names], np.float64)
    return MatchedWeights(values, without_feature, tuple(name for name in names if name not in weights))


def _few(names: Iterable[str]) -> str:
    listed = list(names)
    return ", ".join(map(repr, listed[:_SHOWN])) + (", ..." if len(listed) > _SHOWN else "")
