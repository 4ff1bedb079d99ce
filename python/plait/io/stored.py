"""What a model file holds and what a model needs: where they do not agree, it is the file that is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from plait.errors import ModelFileError, PlaitError

__all__ = ["from_a_file"]


@contextmanager
def from_a_file(kind: str) -> Iterator[None]:
    """Make errors of types and values errors of the file, while a model is made of its parts.

    Raises
    ------
    ModelFileError
        The parts do not fit together.
    """
    try:
        yield
    except ModelFileError:
        raise
    except (PlaitError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as problem:
        raise ModelFileError(
            f"the parts of a model of kind {kind!r} do not fit together ({problem}); make the model again"
        ) from None
