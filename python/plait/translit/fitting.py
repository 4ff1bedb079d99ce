"""What the systems that are trained have in common: options by name, and words to train on."""

from __future__ import annotations

import inspect
import itertools
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from plait.errors import ConfigError, ConvergenceWarning
from plait.translit.alignment import ChunkAlignment
from plait.translit.pairs import Pair, WordPairs
from plait.translit.symbols import SymbolUnits

__all__ = ["Options", "by_item", "trained", "warn_of_limits", "words_of"]

T = TypeVar("T")


class Options:
    """Options that are named as the attributes that hold them."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the options by name; ``deep`` is for scikit-learn and changes nothing."""
        return {name: getattr(self, name) for name in self.defaults()}

    def __repr__(self) -> str:
        """Return the options that are not the defaults."""
        shown = ", ".join(
            f"{name}={getattr(self, name)!r}"
            for name, default in self.defaults().items()
            if getattr(self, name) != default
        )
        return f"{type(self).__name__}({shown})"

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        """Return the options by name, with their defaults."""
        parameters = inspect.signature(cls.__init__).parameters.items()
        return {name: parameter.default for name, parameter in parameters if name != "self"}


def trained(part: T | None, system: Options) -> T:
    """Return a part that training makes.

    Raises
    ------
    plait.errors.ConfigError
        There is none.
    """
    if part is None:
        raise ConfigError(f"this {type(system).__name__} is not trained; call fit, or load a saved model")
    return part


def words_of(
    pairs: WordPairs | ChunkAlignment | Iterable[Pair], *, source_units: SymbolUnits, target_units: SymbolUnits
) -> tuple[WordPairs, ChunkAlignment | None]:
    """Return the words that a system is given to train on, and their chunks if they are cut already.

    Raises
    ------
    plait.errors.DataError
        There are no pairs, or a side of one is empty.
    """
    given = pairs if isinstance(pairs, ChunkAlignment) else None
    items = given.pairs if given else pairs
    data = WordPairs.from_items(items, source_units=source_units, target_units=target_units)  # type: ignore[arg-type]
    return data, given


def by_item(pairs: WordPairs) -> tuple[list[str], list[list[str]]]:
    """Return source words with all their references."""
    sources, references = [], []
    for _, group in itertools.groupby(range(len(pairs)), key=pairs.items.__getitem__):
        numbers = list(group)
        sources.append(pairs[numbers[0]][0])
        references.append([pairs[number][1] for number in numbers])
    return sources, references


def warn_of_limits(ends: Mapping[str, tuple[Any, float, str]], max_iterations: int) -> None:
    """Warn the caller's caller of fields whose training took the most iterations: by name history, norm and reason."""
    for name, (_, norm, reason) in ends.items():
        if reason == "iterations" and max_iterations > 0:
            warnings.warn(
                f"training of the {name} stopped after {max_iterations} iterations with a gradient of norm "
                f"{norm:.3g}; raise max_iterations, or epsilon or delta",
                ConvergenceWarning,
                stacklevel=3,
            )
